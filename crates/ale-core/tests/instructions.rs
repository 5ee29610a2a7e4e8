//! The fast loop of instructions against the reference interpreter, on random programs: registers, RAM, chips, cartridge and
//! timing after every frame. All kinds of operands, in RAM, ROM, other banks and chips; frames as games have them,
//! since only those stay in the fast loop.
//!
//! `ALE_PROGRAMS` sets the number of programs, `ALE_SEED` the first seed.

mod support;

use ale_core::console::properties::Controller;
use ale_core::console::{DEFAULT_SEED, Input, Properties, Television};
use ale_core::rng::Mt19937;
use ale_core::{Console, Rom};
use support::number_from_environment;

const FRAMES: u32 = 5;

/// Opcodes without operand that move neither the stack nor the program.
const IMPLIED: [u8; 25] = [
    0x0A, 0x2A, 0x4A, 0x6A, 0x18, 0x38, 0x18, 0x38, 0x58, 0x78, 0xB8, 0xD8, 0xD8, 0xF8, 0xAA, 0xA8, 0x8A,
    0x98, 0xBA, 0xE8, 0xC8, 0xCA, 0x88, 0xEA, 0xEA,
];
const IMMEDIATE: [u8; 11] = [0xA9, 0xA2, 0xA0, 0x09, 0x29, 0x49, 0x69, 0xE9, 0xC9, 0xE0, 0xC0];
const ZERO_PAGE: [u8; 13] = [0xA5, 0xA6, 0xA4, 0x24, 0x05, 0x25, 0x45, 0x65, 0xE5, 0xC5, 0xE4, 0xC4, 0xA7];
const ZERO_PAGE_BY: [u8; 9] = [0xB5, 0xB4, 0xB6, 0x15, 0x35, 0x55, 0x75, 0xF5, 0xD5];
const ABSOLUTE: [u8; 12] = [0xAD, 0xAE, 0xAC, 0x2C, 0x0D, 0x2D, 0x4D, 0x6D, 0xED, 0xCD, 0xEC, 0xCC];
const ABSOLUTE_BY: [u8; 16] =
    [0xBD, 0xB9, 0xBE, 0xBC, 0x1D, 0x19, 0x3D, 0x39, 0x5D, 0x59, 0x7D, 0x79, 0xFD, 0xF9, 0xDD, 0xD9];
const POINTER: [u8; 15] =
    [0xB1, 0x11, 0x31, 0x51, 0x71, 0xF1, 0xD1, 0xB3, 0xA1, 0x01, 0x21, 0x41, 0x61, 0xE1, 0xC1];
const MODIFY: [u8; 7] = [0x06, 0x26, 0x46, 0x66, 0xC6, 0xE6, 0xC7];
const MODIFY_BY: [u8; 6] = [0xD6, 0xF6, 0x16, 0x36, 0x56, 0x76];
const STORE: [u8; 3] = [0x85, 0x86, 0x84];
const STORE_BY: [u8; 3] = [0x95, 0x94, 0x96];
const BRANCH: [u8; 8] = [0x10, 0x30, 0x50, 0x70, 0x90, 0xB0, 0xD0, 0xF0];

struct RandomProgram {
    rng: Mt19937,
    /// Address of its begin.
    origin: u16,
    code: Vec<u8>,
}

impl RandomProgram {
    fn below(&mut self, limit: u32) -> u32 {
        self.rng.below(limit)
    }

    fn byte(&mut self) -> u8 {
        self.rng.next_u32() as u8
    }

    fn one_of(&mut self, bytes: &[u8]) -> u8 {
        bytes[self.below(bytes.len() as u32) as usize]
    }

    fn put(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// Below the stack.
    fn ram(&mut self) -> u8 {
        0x80 | self.byte() & 0x5F
    }

    /// Mostly RAM.
    fn zero_page(&mut self) -> u8 {
        if self.below(6) == 0 { self.byte() } else { self.ram() }
    }

    /// ROM, chips, registers of cartridges, hot spots.
    fn address(&mut self) -> [u8; 2] {
        let low = self.byte();
        match self.below(12) {
            0 => [low, 0x00],
            1 => [0x80 | low & 0x17, 0x02],
            2 => [low & 0x7F, 0x10 | low & 0xE0],
            3 => [0xF0 | low & 0x0F, 0x1F | low & 0xE0],
            4 => [low, self.byte()],
            _ => [low, 0xF0 | self.byte()],
        }
    }

    fn instruction(&mut self) {
        let (value, ram, zero_page, address) = (self.byte(), self.ram(), self.zero_page(), self.address());
        match self.below(26) {
            0..5 => {
                let opcode = self.one_of(&IMPLIED);
                self.put(&[opcode]);
            }
            5..8 => {
                let opcode = self.one_of(&IMMEDIATE);
                self.put(&[opcode, value]);
            }
            8..11 => {
                let opcode = self.one_of(&ZERO_PAGE);
                self.put(&[opcode, zero_page]);
            }
            11 => {
                let opcode = self.one_of(&ZERO_PAGE_BY);
                self.put(&[opcode, zero_page]);
            }
            12 | 13 => {
                let opcode = self.one_of(&ABSOLUTE);
                self.put(&[opcode, address[0], address[1]]);
            }
            14 | 15 => {
                let opcode = self.one_of(&ABSOLUTE_BY);
                self.put(&[opcode, address[0], address[1]]);
            }
            16 => {
                let opcode = self.one_of(&POINTER);
                self.put(&[opcode, zero_page]);
            }
            17 => {
                let opcode = self.one_of(&MODIFY);
                // Some of them have no register.
                let register = 0x04 + value % 0x3C;
                self.put(&[opcode, if ram & 7 == 0 { register } else { ram }]);
            }
            18 => {
                let opcode = self.one_of(&MODIFY_BY);
                self.put(&[opcode, zero_page]);
            }
            19 | 20 => {
                let opcode = self.one_of(&STORE);
                self.put(&[opcode, ram]);
            }
            21 => {
                let opcode = self.one_of(&STORE);
                let register = 0x01 + value % 0x2C;
                self.put(&[opcode, register]);
            }
            22 => {
                let opcode = self.one_of(&STORE_BY);
                self.put(&[opcode, ram]);
            }
            23 => self.rare(address),
            _ => {
                let opcode = self.one_of(&BRANCH);
                // Over a few bytes that are instructions themselves.
                let skipped: &[u8] =
                    [&[0xE8][..], &[0xA9, 0x55], &[0x8D, 0x92, 0x00], &[0x88, 0xC8]][self.below(4) as usize];
                self.put(&[opcode, skipped.len() as u8]);
                self.put(skipped);
            }
        }
    }

    /// The stack, jumps, the timer, pointers, stores that may go anywhere.
    fn rare(&mut self, address: [u8; 2]) {
        let (value, ram) = (self.byte(), self.ram());
        let here = self.origin + self.code.len() as u16;
        match self.below(25) {
            16 => self.put(&[0x00, value]), // BRK
            // LDX #, LDA INPT,X or LDA INPT,Y
            17 => self.put(&[0xA2, value & 0x0F, 0xB5, 0x38, 0xB9, 0x38, 0x00]),
            // LDX #, TXS, PLA, LDX #$FF, TXS
            18 => self.put(&[0xA2, 0x38 | value & 7, 0x9A, 0x68, 0xA2, 0xFF, 0x9A]),
            19 => self.put(&[0xA5, 0x38 | value & 7, 0x85, ram]),
            // LDA or BIT of the timer's flag, the ports or INTIM
            20 => {
                let opcode = self.one_of(&[0xAD, 0x2C, 0xAE, 0x6D, 0xCD]);
                self.put(&[opcode, 0x80 | value & 7, 0x02]);
            }
            // LDA #, STA to a register of a DPC; three voices of music
            21 => self.put(&[0xA9, value, 0x8D, 0x40 | address[0] & 0x3F, 0xF0]),
            22 => {
                let voice = 0x5D + value % 3;
                self.put(&[
                    0xA9,
                    0x10 | value,
                    0x8D,
                    voice,
                    0xF0,
                    0xA9,
                    value & 0x1F,
                    0x8D,
                    voice - 0x18,
                    0xF0,
                ]);
                // Loads of loudness and data
                let opcode = self.one_of(&[0xAD, 0x6D, 0xAE, 0x2C]);
                self.put(&[opcode, 0x04 | value & 3, 0xF0, 0x85, ram]);
                self.put(&[
                    0xAD,
                    0x04 + address[0] % 0x14,
                    0xF0,
                    0x85,
                    ram ^ 1,
                    opcode,
                    0x04 | value & 3,
                    0xF0,
                ]);
            }
            23 | 24 => self.code_in_ram(address, value),
            0 => self.put(&[0x48, 0x68]), // PHA, PLA
            1 => self.put(&[0x08, 0x28]), // PHP, PLP
            2 => self.put(&[0x08, 0x68]), // PHP, PLA
            3 => {
                // LDX #value, TXS, PHP, PHA, PLA, LDX #$FF, TXS
                self.put(&[0xA2, value & 0x7F, 0x9A, 0x08, 0x48, 0x68, 0xA2, 0xFF, 0x9A]);
            }
            4 => {
                let [low, high] = (here + 3).to_le_bytes();
                self.put(&[0x4C, low, high]); // JMP to the next instruction
            }
            5 | 6 => {
                // JSR over a JMP to a subroutine
                let [low, high] = (here + 6).to_le_bytes();
                let [end_low, end_high] = (here + 9).to_le_bytes();
                self.put(&[0x20, low, high, 0x4C, end_low, end_high, 0xE6, ram, 0x60]);
            }
            7 => {
                // JSR to another mirror, which pulls its return address
                let [low, high] = (here + 3).to_le_bytes();
                self.put(&[0x20, low, high & 0x1F | value & 0xE0, 0x68, 0x68, 0x4C]);
                let [low, high] = (here + 8).to_le_bytes();
                self.put(&[low, high]);
            }
            8 => {
                let [low, high] = (here + 11).to_le_bytes();
                // LDA #, STA, LDA #, STA, JMP (ram)
                self.put(&[
                    0xA9,
                    low,
                    0x85,
                    ram & 0xFE,
                    0xA9,
                    high,
                    0x85,
                    ram & 0xFE | 1,
                    0x6C,
                    ram & 0xFE,
                    0x00,
                ]);
            }
            9 => self.put(&[0x8D, 0x94 | value & 3, 0x02]), // STA TIM1T …
            10 => {
                // LDA #, STA TIM1T, LDA INTIM, BNE or BPL back
                let branch = self.one_of(&[0xD0, 0x10]);
                self.put(&[0xA9, value & 0x7F, 0x8D, 0x94 | value & 1, 0x02]);
                if value & 8 == 0 {
                    self.put(&[0xAD, 0x84, 0x02, branch, 0xFB]);
                } else {
                    self.put(&[0x2C, 0x85, 0x02, 0x10, 0xFB]); // BIT, BPL
                }
            }
            11 => self.put(&[0xA9, address[0], 0x85, ram & 0xFE, 0xA9, address[1], 0x85, ram & 0xFE | 1]),
            12 => self.put(&[0x9D, ram, 0x00]), // STA ram,X
            13 => self.put(&[0x99, ram, 0x00]), // STA ram,Y
            14 => self.put(&[0x91, ram]),       // STA (ram),Y
            _ => self.put(&[0x8D, address[0], address[1]]),
        }
    }

    /// Writes a few instructions into RAM and jumps there and back.
    fn code_in_ram(&mut self, address: [u8; 2], value: u8) {
        let mut code = Vec::new();
        for _ in 0..=self.below(4) {
            let ram = 0x80 | self.byte() & 0x0F;
            match self.below(8) {
                0 => code.extend([self.one_of(&[0xA9, 0xA2, 0xA0]), self.byte()]),
                1 => code.extend([self.one_of(&[0xA5, 0xA6, 0xA4]), ram]),
                2 => code.extend([self.one_of(&[0xA5, 0x85]), self.byte()]),
                3 => code.extend([self.one_of(&[0xAD, 0xAE, 0xAC]), address[0], address[1]]),
                4 => code.extend([self.one_of(&STORE), ram]),
                5 => code.extend([self.one_of(&STORE), 0x02 + value % 0x3E]),
                6 => code.push(0xEA),
                _ => code.push(self.one_of(&[0xE8, 0x0A, 0x18])),
            }
        }
        let first = self.one_of(&[0xA0, 0xC8]);
        let back = self.origin + (self.code.len() + 4 * (code.len() + 3) + 3) as u16;
        let [low, high] = back.to_le_bytes();
        code.extend([0x4C, low, high]);
        for (at, byte) in (first..).zip(code) {
            self.put(&[0xA9, byte, 0x85, at]);
        }
        let page = self.one_of(&[0x00, 0x00, 0x01, 0x04]);
        self.put(&[0x4C, first, page]);
    }

    /// A loop of frames: VSYNC, instructions, lines to the end.
    fn frames(mut self, banks: usize, size: usize) -> Rom {
        self.put(&[0xA2, 0xFF, 0x9A]); // LDX #$FF, TXS
        // LDA #2, STA VSYNC, STA WSYNC, STA WSYNC, LDA #0, STA VSYNC
        self.put(&[0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02, 0xA9, 0x00, 0x85, 0x00]);
        let length = 100 + self.below(1500) as usize;
        while self.code.len() < length {
            self.instruction();
        }
        self.finish(banks, size)
    }

    /// Lines to the end of the frame, and back to the begin.
    fn finish(mut self, banks: usize, size: usize) -> Rom {
        // A JMP to the begin; in some schemes it is the last instruction before the hot spots.
        let last = [0xFF5, 0xFF3, 0xFF1, 0xFDD, 0xFBD][self.below(5) as usize];
        let [last_low, last_high] = (self.origin & 0xF000 | last).to_le_bytes();
        let last = usize::from(last);
        // Enough lines for the picture, or fewer, so that the frame has to be played again by the reference interpreter.
        let lines = if self.below(4) == 0 { 215 } else { 245 };
        // LDX #lines, STA WSYNC, DEX, BNE, JMP
        let [low, high] = self.origin.to_le_bytes();
        self.put(&[0xA2, lines, 0x85, 0x02, 0xCA, 0xD0, 0xFB, 0x4C, last_low, last_high]);
        // What BRK runs: INC, RTI.
        let [break_low, break_high] = (self.origin + self.code.len() as u16).to_le_bytes();
        self.put(&[0xE6, 0x90, 0x40]);
        let mut image: Vec<u8> = (0..size).map(|_| self.byte()).collect();
        let first = usize::from(self.origin & 0xFFF);
        for bank in image.chunks_exact_mut(4096).take(banks) {
            bank[first..first + self.code.len()].copy_from_slice(&self.code);
            bank[0xFE0..].fill(0xEA);
            bank[last..last + 3].copy_from_slice(&[0x4C, low, high]);
            bank[0xFFA..].copy_from_slice(&[low, high, low, high, break_low, break_high]);
        }
        Rom::new(image)
    }
}

/// Runs the program of a seed.
fn compare(seed: u32, scheme: &str, origin: u16, size: usize) {
    // The DPC has its display data behind two banks.
    let banks = if size == 10_240 { 2 } else { size / 4096 };
    let rom = RandomProgram { rng: Mt19937::new(seed), origin, code: Vec::new() }.frames(banks, size);
    compare_program(&rom, seed, scheme);
}

/// Runs a program in the reference interpreter, as JIT code with pixels and without, and in the threaded interpreter.
fn compare_program(rom: &Rom, seed: u32, scheme: &str) {
    let paddles = [Controller::Paddles, Controller::Joystick];
    let properties = Properties {
        controllers: if seed.is_multiple_of(2) { paddles } else { Properties::default().controllers },
        television: Some(Television::Ntsc),
        cartridge_type: Some(scheme.to_owned()),
        ..Properties::default()
    };
    let mut plain = Console::load(rom, &properties, DEFAULT_SEED).expect("the size of a cartridge");
    let mut jit = plain.clone();
    let mut threaded = plain.clone();
    threaded.set_jit(false);
    let mut blind = plain.clone();
    blind.set_drawing(false);
    plain.set_literal_drawing(true);
    let mut rng = Mt19937::new(seed);
    for frame in 0..FRAMES {
        let input = Input {
            joysticks: [rng.next_u32() as u8, rng.next_u32() as u8],
            paddle_resistance: [rng.below(200_000) as i32, rng.below(2) as i32 * i32::MAX, 0, 50_000],
            ..Input::default()
        };
        *plain.input_mut() = input;
        plain.run_frame();
        for (name, fast) in [
            ("JIT code", &mut jit),
            ("JIT code, nothing drawn", &mut blind),
            ("threaded interpreter", &mut threaded),
        ] {
            let place = format!("{scheme}, seed {seed}, frame {frame}, {name}");
            *fast.input_mut() = input;
            fast.run_frame();
            assert_eq!(fast.ram(), plain.ram(), "{place}: RAM");
            assert!(fast.machine() == plain.machine(), "{place}: registers, chips and timing");
        }
    }
}

#[test]
fn the_fast_loop_runs_random_programs_like_the_plain_bus() {
    let first = number_from_environment("ALE_SEED", 1);
    for seed in first..first + number_from_environment("ALE_PROGRAMS", 150) {
        compare(seed, "4K", 0xF000, 4096);
        compare(seed, "F8", 0xF000, 8192);
        compare(seed, "F6", 0xF000, 16_384);
        compare(seed, "FE", 0xF000, 8192);
        compare(seed, "E0", 0xF000, 8192);
        compare(seed, "E7", 0xF000, 16_384);
        // Where these have RAM or registers, no program can be.
        compare(seed, "F8SC", 0xF100, 8192);
        compare(seed, "F4SC", 0xF100, 32_768);
        compare(seed, "DPC", 0xF100, 10_240);
    }
}

#[test]
fn the_last_write_to_a_colour_counts() {
    // By an index, without one, or both: of those that come last, some are logged in frames without pixels, others are not.
    const STORES: [&[u8]; 5] = [
        &[0x95, 0x00, 0x84, 0x06],                         // STA 0,X, STY COLUP0
        &[0x84, 0x06, 0x95, 0x00],                         // STY COLUP0, STA 0,X
        &[0x95, 0x00, 0x84, 0x06, 0xE8, 0x95, 0x00],       // and then INX, STA 0,X
        &[0x84, 0x06, 0x81, 0x80, 0x84, 0x07],             // STY COLUP0, STA (80,X), STY COLUP1
        &[0x81, 0x80, 0x84, 0x06, 0x95, 0x03, 0x84, 0x09], // STA (80,X), STY COLUP0, STA 3,X, STY COLUBK
    ];
    for (number, stores) in (0..).zip(STORES) {
        let mut program = RandomProgram { rng: Mt19937::new(number), origin: 0xF000, code: Vec::new() };
        // LDA #0, STA $87, LDA #6, STA $86: a pointer to COLUP0. LDA #2, STA VSYNC, STA WSYNC, STA WSYNC
        program.put(&[0xA9, 0x00, 0x85, 0x87, 0xA9, 0x06, 0x85, 0x86]);
        program.put(&[0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02]);
        // INC $90, INC $90, LDX #6, LDY #$24, LDA $90, the stores, LDA #0, STA VSYNC: the frame ends
        program.put(&[0xE6, 0x90, 0xE6, 0x90, 0xA2, 0x06, 0xA0, 0x24, 0xA5, 0x90]);
        program.put(stores);
        program.put(&[0xA9, 0x00, 0x85, 0x00]);
        compare_program(&program.finish(1, 4096), number, "4K");
    }
}
