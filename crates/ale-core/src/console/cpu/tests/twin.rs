//! The naive twin: what an instruction leaves behind, by name, with flags as bits and no regard to time.

use super::Cpu;
use super::table::{Instruction, Kind};

const N: u8 = 0x80;
const V: u8 = 0x40;
const D: u8 = 0x08;
const I: u8 = 0x04;
const Z: u8 = 0x02;
const C: u8 = 0x01;

/// Registers and memory; memory is all RAM.
pub(super) struct Twin {
    a: u8,
    x: u8,
    y: u8,
    sp: u8,
    p: u8,
    pc: u16,
    jammed: bool,
    pub(super) memory: Vec<u8>,
}

impl Twin {
    pub(super) fn of(cpu: &Cpu, memory: Vec<u8>) -> Self {
        let &Cpu { a, x, y, sp, pc, jammed, .. } = cpu;
        Self { a, x, y, sp, p: cpu.p(), pc, jammed, memory }
    }

    pub(super) fn set_cpu(&mut self, cpu: &Cpu) {
        *self = Self::of(cpu, std::mem::take(&mut self.memory));
    }

    pub(super) fn cpu(&self) -> Cpu {
        let &Self { a, x, y, sp, pc, jammed, .. } = self;
        super::with_p(self.p, Cpu { a, x, y, sp, pc, jammed, ..Cpu::new() })
    }

    pub(super) fn run_instruction(&mut self) {
        let opcode = self.next();
        let instruction = Instruction::of(u8::try_from(opcode).expect("a byte"));
        let address = self.address(instruction.mode);
        if instruction.mode == "acc" {
            self.a = self.modify(instruction.name, self.a);
        } else if let Some(address) = address {
            match instruction.kind() {
                Kind::Read => self.read(instruction.name, self.memory[address]),
                Kind::Write => self.memory[address] = self.written(instruction.name, address),
                Kind::Modify => self.memory[address] = self.modify(instruction.name, self.memory[address]),
            }
        } else {
            self.control(instruction.name, instruction.mode);
        }
    }

    /// Address of the operand, for the modes that have one.
    fn address(&mut self, mode: &str) -> Option<usize> {
        let (x, y) = (usize::from(self.x), usize::from(self.y));
        let address = match mode {
            "imm" => {
                self.next();
                usize::from(self.pc.wrapping_sub(1))
            }
            "zpg" => self.next(),
            "zpx" => (self.next() + x) % 256,
            "zpy" => (self.next() + y) % 256,
            "abs" => self.next_word(),
            "abx" => self.next_word() + x,
            "aby" => self.next_word() + y,
            "izx" => {
                let pointer = (self.next() + x) % 256;
                self.word(pointer, pointer + 1)
            }
            "izy" => {
                let pointer = self.next();
                self.word(pointer, pointer + 1) + y
            }
            _ => return None,
        };
        Some(address % 0x1_0000)
    }

    fn read(&mut self, name: &str, m: u8) {
        let Self { a, x, y, .. } = *self;
        match name {
            "NOP" | "CMP" | "CPX" | "CPY" => {}
            "LDA" => self.a = m,
            "LDX" => self.x = m,
            "LDY" => self.y = m,
            "LAX" => (self.a, self.x) = (m, m),
            "LAS" => {
                self.sp &= m;
                (self.a, self.x) = (self.sp, self.sp);
            }
            "ORA" => self.a |= m,
            "AND" | "ANC" => self.a &= m,
            "EOR" => self.a ^= m,
            "ASR" => self.a = (a & m) / 2,
            "ANE" => self.a = (a | 0xEE) & x & m,
            "LXA" => (self.a, self.x) = ((a | 0xEE) & m, (a | 0xEE) & m),
            "SBX" => self.x = (a & x).wrapping_sub(m),
            "ADC" => self.adc(m),
            "SBC" => self.sbc(m),
            "ARR" => self.arr(m),
            "BIT" => self.p = self.p & !(N | V) | m & (N | V),
            _ => panic!("{name} does not read"),
        }
        match name {
            "LDA" | "LAX" | "LAS" | "ORA" | "AND" | "EOR" | "ANC" | "ASR" | "ANE" | "LXA" => self.nz(self.a),
            "LDX" | "SBX" => self.nz(self.x),
            "LDY" => self.nz(self.y),
            "CMP" => self.nz(a.wrapping_sub(m)),
            "CPX" => self.nz(x.wrapping_sub(m)),
            "CPY" => self.nz(y.wrapping_sub(m)),
            "BIT" => self.set(Z, a & m == 0),
            _ => {}
        }
        match name {
            "ANC" => self.set(C, self.a >= 0x80),
            "ASR" => self.set(C, a & m & 1 == 1),
            "CMP" => self.set(C, a >= m),
            "CPX" => self.set(C, x >= m),
            "CPY" => self.set(C, y >= m),
            "SBX" => self.set(C, a & x >= m),
            _ => {}
        }
    }

    fn written(&mut self, name: &str, address: usize) -> u8 {
        let Self { a, x, y, .. } = *self;
        let mask = address / 256 + 1;
        let masked = |value: u8| u8::try_from(usize::from(value) & mask).expect("a byte");
        match name {
            "STA" => a,
            "STX" => x,
            "STY" => y,
            "SAX" => a & x,
            "SHA" => masked(a & x),
            "SHX" => masked(x),
            "SHY" => masked(y),
            "SHS" => {
                self.sp = a & x;
                masked(a & x)
            }
            _ => panic!("{name} does not write"),
        }
    }

    fn modify(&mut self, name: &str, m: u8) -> u8 {
        let carry_in = self.p & C;
        let result = match name {
            "ASL" | "SLO" => m.wrapping_mul(2),
            "ROL" | "RLA" => m.wrapping_mul(2) + carry_in,
            "LSR" | "SRE" => m / 2,
            "ROR" | "RRA" => m / 2 + carry_in * 0x80,
            "INC" | "ISB" => m.wrapping_add(1),
            "DEC" | "DCP" => m.wrapping_sub(1),
            _ => panic!("{name} does not modify"),
        };
        match name {
            "ASL" | "SLO" | "ROL" | "RLA" => self.set(C, m >= 0x80),
            "LSR" | "SRE" | "ROR" | "RRA" => self.set(C, m % 2 == 1),
            _ => {}
        }
        match name {
            "SLO" => self.read("ORA", result),
            "RLA" => self.read("AND", result),
            "SRE" => self.read("EOR", result),
            "RRA" => self.read("ADC", result),
            "DCP" => self.read("CMP", result),
            "ISB" => self.read("SBC", result),
            _ => self.nz(result),
        }
        result
    }

    fn adc(&mut self, m: u8) {
        let (a, carry) = (self.a, i32::from(self.p & C));
        if self.p & D == 0 {
            let signed = i32::from(a.cast_signed()) + i32::from(m.cast_signed()) + carry;
            let unsigned = i32::from(a) + i32::from(m) + carry;
            self.set(V, !(-128..=127).contains(&signed));
            self.set(C, unsigned > 255);
            self.a = unsigned.rem_euclid(256) as u8;
        } else {
            let sum = number(a) + number(m) + carry;
            self.set(C, sum > 99);
            self.a = digits(sum % 256);
            self.set(V, (a ^ self.a) & (self.a ^ m) >= 0x80);
        }
        self.nz(self.a);
    }

    fn sbc(&mut self, m: u8) {
        let (a, borrow) = (self.a, 1 - i32::from(self.p & C));
        let unsigned = i32::from(a) - i32::from(m) - borrow;
        self.set(C, unsigned >= 0);
        if self.p & D == 0 {
            let signed = i32::from(a.cast_signed()) - i32::from(m.cast_signed()) - borrow;
            self.set(V, !(-128..=127).contains(&signed));
            self.a = unsigned.rem_euclid(256) as u8;
        } else {
            self.a = match number(a) - number(m) - borrow {
                difference @ 0.. => digits(difference),
                difference @ -100..0 => digits(difference + 100),
                difference => number((difference + 100).rem_euclid(256) as u8) as u8,
            };
            self.set(V, (a ^ self.a) & (self.a ^ m) >= 0x80);
        }
        self.nz(self.a);
    }

    fn arr(&mut self, m: u8) {
        let masked = self.a & m;
        let rotated = masked / 2 + (self.p & C) * 0x80;
        self.nz(rotated);
        if self.p & D == 0 {
            self.a = rotated;
            self.set(C, rotated & 0x40 != 0);
            self.set(V, (rotated & 0x40 != 0) != (rotated & 0x20 != 0));
        } else {
            let (mut high, mut low) = (rotated / 16, rotated % 16);
            self.set(V, (masked & 0x40 != 0) != (rotated & 0x40 != 0));
            if masked % 16 + masked % 2 > 5 {
                low = (low + 6) % 16;
            }
            let carry = masked / 16 + masked / 16 % 2 > 5;
            if carry {
                high = (high + 6) % 16;
            }
            self.set(C, carry);
            self.a = high * 16 + low;
        }
    }

    /// Everything without an operand in memory.
    fn control(&mut self, name: &str, mode: &str) {
        match name {
            "NOP" => {}
            "JAM" => self.jammed = true,
            "CLC" => self.set(C, false),
            "SEC" => self.set(C, true),
            "CLI" => self.set(I, false),
            "SEI" => self.set(I, true),
            "CLV" => self.set(V, false),
            "CLD" => self.set(D, false),
            "SED" => self.set(D, true),
            "TXS" => self.sp = self.x,
            "TAX" => self.read("LDX", self.a),
            "TAY" => self.read("LDY", self.a),
            "TXA" => self.read("LDA", self.x),
            "TYA" => self.read("LDA", self.y),
            "TSX" => self.read("LDX", self.sp),
            "INX" => self.x = self.modify("INC", self.x),
            "INY" => self.y = self.modify("INC", self.y),
            "DEX" => self.x = self.modify("DEC", self.x),
            "DEY" => self.y = self.modify("DEC", self.y),
            "PHA" => self.push(self.a),
            "PHP" => self.push(self.p),
            "PLA" => {
                let value = self.pull();
                self.read("LDA", value);
            }
            "PLP" => self.p = self.pull() | 0x30,
            "BPL" => self.branch(N, false),
            "BMI" => self.branch(N, true),
            "BVC" => self.branch(V, false),
            "BVS" => self.branch(V, true),
            "BCC" => self.branch(C, false),
            "BCS" => self.branch(C, true),
            "BNE" => self.branch(Z, false),
            "BEQ" => self.branch(Z, true),
            "JMP" if mode == "jmp" => self.pc = self.next_word() as u16,
            "JMP" => {
                let pointer = self.next_word();
                let page = pointer / 256 * 256;
                self.pc = self.word(pointer, page + (pointer + 1) % 256) as u16;
            }
            "JSR" => {
                let low = self.next();
                self.push((self.pc / 256) as u8);
                self.push((self.pc % 256) as u8);
                let high = self.next();
                self.pc = (high * 256 + low) as u16;
            }
            "RTS" => self.pc = self.pull_word().wrapping_add(1),
            "RTI" => {
                self.p = self.pull() | 0x30;
                self.pc = self.pull_word();
            }
            "BRK" => {
                self.next();
                self.push((self.pc / 256) as u8);
                self.push((self.pc % 256) as u8);
                self.push(self.p);
                self.set(I, true);
                self.pc = self.word(0xFFFE, 0xFFFF) as u16;
            }
            _ => panic!("{name} needs an operand"),
        }
    }

    fn branch(&mut self, flag: u8, wanted: bool) {
        let offset = (self.next() as u8).cast_signed();
        if (self.p & flag != 0) == wanted {
            self.pc = (i32::from(self.pc) + i32::from(offset)).rem_euclid(0x1_0000) as u16;
        }
    }

    fn next(&mut self) -> usize {
        let byte = self.memory[usize::from(self.pc)];
        self.pc = self.pc.wrapping_add(1);
        usize::from(byte)
    }

    fn next_word(&mut self) -> usize {
        self.next() + self.next() * 256
    }

    fn word(&self, low: usize, high: usize) -> usize {
        usize::from(self.memory[low]) + usize::from(self.memory[high]) * 256
    }

    fn push(&mut self, value: u8) {
        self.memory[256 + usize::from(self.sp)] = value;
        self.sp = self.sp.wrapping_sub(1);
    }

    fn pull(&mut self) -> u8 {
        self.sp = self.sp.wrapping_add(1);
        self.memory[256 + usize::from(self.sp)]
    }

    fn pull_word(&mut self) -> u16 {
        u16::from(self.pull()) + u16::from(self.pull()) * 256
    }

    fn set(&mut self, flag: u8, on: bool) {
        self.p = if on { self.p | flag } else { self.p & !flag };
    }

    fn nz(&mut self, value: u8) {
        self.set(N, value >= 0x80);
        self.set(Z, value == 0);
    }
}

fn number(digits: u8) -> i32 {
    i32::from(digits / 16) * 10 + i32::from(digits % 16)
}

fn digits(number: i32) -> u8 {
    (number % 100 / 10 * 16 + number % 10) as u8
}
