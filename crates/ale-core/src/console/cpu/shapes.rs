//! Access shapes: the order of time and bus accesses that all instructions of a kind share.
//!
//! The program counter is handed through, so that a loop can keep it in a register of the machine.
//! Each shape charges its cycles before anything else, since the opcode has been fetched already.

use super::modes::{Mode, fetch};
use super::{BREAK_VECTOR, Bus, Cpu, read_word};

impl Cpu {
    /// Reads the operand, one cycle later when indexing crossed a page.
    #[inline(always)]
    pub(super) fn load(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32, mode: Mode) -> u8 {
        bus.tick(cycles);
        if matches!(mode, Mode::Immediate) {
            return fetch(bus, pc);
        }
        let operand = self.effective_address(bus, pc, mode);
        if operand.crossed {
            bus.tick(1);
        }
        bus.read(operand.address)
    }

    /// Writes the operand.
    #[inline(always)]
    pub(super) fn store(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32, mode: Mode, value: u8) {
        bus.tick(cycles);
        let operand = self.effective_address(bus, pc, mode);
        bus.write(operand.address, value);
    }

    /// Writes the operand as SHA, SHX and SHY do: masked with the high byte of its address plus one.
    // Reference: the high byte is that of the indexed address, and a crossed page leaves the address right.
    #[inline(always)]
    pub(super) fn store_high(
        &mut self,
        bus: &mut impl Bus,
        pc: &mut u16,
        cycles: u32,
        mode: Mode,
        value: u8,
    ) {
        bus.tick(cycles);
        let operand = self.effective_address(bus, pc, mode);
        let [_, high] = operand.address.to_le_bytes();
        bus.write(operand.address, value & high.wrapping_add(1));
    }

    /// SHS: the value written as by SHA also becomes the stack pointer, without the mask.
    #[inline(always)]
    pub(super) fn shs(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32, mode: Mode) {
        self.sp = self.a & self.x;
        self.store_high(bus, pc, cycles, mode, self.sp);
    }

    /// Reads an operand that is written back, once: its address and value.
    #[inline(always)]
    pub(super) fn load_to_modify(
        &mut self,
        bus: &mut impl Bus,
        pc: &mut u16,
        cycles: u32,
        mode: Mode,
    ) -> (u16, u8) {
        bus.tick(cycles);
        let operand = self.effective_address(bus, pc, mode);
        (operand.address, bus.read(operand.address))
    }

    /// A taken branch costs one cycle more, two when it leaves the page of the next instruction.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "stands in a row like the other shapes")]
    pub(super) fn branch(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32, taken: bool) {
        bus.tick(cycles);
        let offset = fetch(bus, pc) as i8;
        if taken {
            let target = pc.wrapping_add_signed(i16::from(offset));
            bus.tick(1 + u32::from((target ^ *pc) & 0xFF00 != 0));
            *pc = target;
        }
    }

    /// JSR reads the high byte of its target after the pushes; what it pushes is the address of that byte.
    #[inline(always)]
    pub(super) fn jsr(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32) {
        bus.tick(cycles);
        let low = fetch(bus, pc);
        self.read_stack(bus);
        self.push_pc(bus, pc);
        let high = fetch(bus, pc);
        *pc = u16::from_le_bytes([low, high]);
    }

    /// RTS reads the byte it was sent back to, the last one of the JSR, and goes on behind it.
    #[inline(always)]
    pub(super) fn rts(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32) {
        bus.tick(cycles);
        self.read_stack(bus);
        self.pull_pc(bus, pc);
        // No fetch: this byte does not follow the opcode, and a bus may hold those already.
        bus.read(*pc);
        *pc = pc.wrapping_add(1);
    }

    #[inline(always)]
    pub(super) fn rti(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32) {
        bus.tick(cycles);
        self.read_stack(bus);
        let p = self.pull(bus);
        self.set_p(p);
        self.pull_pc(bus, pc);
    }

    /// The opcodes that stop the CPU until the next reset.
    #[inline(always)]
    pub(super) fn jam(&mut self, bus: &mut impl Bus, cycles: u32) {
        bus.tick(cycles);
        self.jammed = true;
    }

    /// BRK skips a byte, which it reads.
    #[inline(always)]
    pub(super) fn brk(&mut self, bus: &mut impl Bus, pc: &mut u16, cycles: u32) {
        bus.tick(cycles);
        fetch(bus, pc);
        self.push_pc(bus, pc);
        self.push(bus, self.p());
        self.interrupt = true;
        *pc = read_word(bus, BREAK_VECTOR);
    }

    /// PHA, PHP.
    #[inline(always)]
    pub(super) fn push_register(&mut self, bus: &mut impl Bus, cycles: u32, value: u8) {
        bus.tick(cycles);
        self.push(bus, value);
    }

    /// PLA, PLP.
    #[inline(always)]
    pub(super) fn pull_register(&mut self, bus: &mut impl Bus, cycles: u32) -> u8 {
        bus.tick(cycles);
        self.read_stack(bus);
        self.pull(bus)
    }

    #[inline(always)]
    fn stack(&self) -> u16 {
        0x0100 | u16::from(self.sp)
    }

    /// The read with which JSR and all instructions that pull begin. Its value is not used.
    #[inline(always)]
    fn read_stack(&self, bus: &mut impl Bus) {
        bus.read(self.stack());
    }

    #[inline(always)]
    fn push(&mut self, bus: &mut impl Bus, value: u8) {
        bus.write(self.stack(), value);
        self.sp = self.sp.wrapping_sub(1);
    }

    #[inline(always)]
    fn pull(&mut self, bus: &mut impl Bus) -> u8 {
        self.sp = self.sp.wrapping_add(1);
        bus.read(self.stack())
    }

    #[inline(always)]
    fn push_pc(&mut self, bus: &mut impl Bus, pc: &mut u16) {
        let [low, high] = pc.to_le_bytes();
        self.push(bus, high);
        self.push(bus, low);
    }

    #[inline(always)]
    fn pull_pc(&mut self, bus: &mut impl Bus, pc: &mut u16) {
        let low = self.pull(bus);
        let high = self.pull(bus);
        *pc = u16::from_le_bytes([low, high]);
    }
}
