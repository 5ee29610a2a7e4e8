//! Random 4 KiB programs that hammer the TIA: every register at every moment, frames of any length, stacks and
//! read-modify-write instructions in TIA space, undriven bits kept in RAM.

pub mod moving;

use ale_core::Rom;
use ale_core::console::{Properties, Television};
use ale_core::rng::Mt19937;

const VSYNC: u8 = 0x00;
const VBLANK: u8 = 0x01;
const WSYNC: u8 = 0x02;
const RESP0: u8 = 0x10;
const HMM0: u8 = 0x22;
const HMOVE: u8 = 0x2A;

/// A program under construction. X counts loops and is left alone inside of one; A and Y are free.
struct Program {
    rng: Mt19937,
    code: Vec<u8>,
}

/// The random program of a seed.
pub fn random_program(seed: u32) -> Rom {
    let mut program = Program { rng: Mt19937::new(seed), code: Vec::new() };
    program.set_up();
    let size = program.between(200, 3400);
    let style = program.below(4);
    while program.code.len() < size {
        match style {
            0 => program.framed(),
            1 => program.short_frame(),
            2 => program.bare_frame(),
            _ => program.soup(),
        }
    }
    program.finish()
}

/// A random program that shows the same frame again and again, but for what it counts in RAM: most of its lines are
/// like those of the frame before.
pub fn steady_program(seed: u32) -> Rom {
    let mut program = Program { rng: Mt19937::new(seed), code: Vec::new() };
    program.set_up();
    let start = program.code.len() + 0xF000;
    program.put(&[0xA9, 0x02, 0x85, VSYNC, 0x85, WSYNC, 0x85, WSYNC, 0xA9, 0x00, 0x85, VSYNC]);
    if program.below(2) == 0 {
        program.put(&[0x85, 0x2C]); // STA CXCLR
    }
    program.now_and_then();
    program.lines(40);
    program.put(&[0xA9, 0x00, 0x85, VBLANK]);
    for _ in 0..program.between(3, 12) {
        program.lines(60);
        program.acts(4);
        program.now_and_then();
    }
    program.put(&[0x4C, start as u8, (start >> 8) as u8]); // JMP start
    program.finish()
}

/// Random properties for it. Mostly with a given television, which saves the frames that measure it.
pub fn random_properties(seed: u32) -> Properties {
    let mut rng = Mt19937::new(!seed);
    let usual = Properties::default();
    let television = match rng.below(8) {
        0 => None,
        1 | 2 => Some(Television::Pal),
        _ => Some(Television::Ntsc),
    };
    let hmove_blanks = rng.below(4) != 0;
    if rng.below(2) == 0 {
        return Properties { television, hmove_blanks, ..usual };
    }
    let (ystart, height) = (rng.below(60) as u16, 200 + rng.below(57) as u16);
    Properties { television, hmove_blanks, ystart, height, ..usual }
}

impl Program {
    fn below(&mut self, limit: usize) -> usize {
        self.rng.below(limit as u32) as usize
    }

    fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low)
    }

    fn byte(&mut self) -> u8 {
        self.rng.next_u32() as u8
    }

    fn one_of(&mut self, bytes: &[u8]) -> u8 {
        bytes[self.below(bytes.len())]
    }

    fn put(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// Defined RAM and registers, so that power-on does not decide everything.
    fn set_up(&mut self) {
        self.put(&[0xA2, 0xFF, 0x9A]); // LDX #$FF, TXS
        for register in 0x04..0x2A {
            if self.below(2) == 0 {
                let value = self.value_for(register);
                self.put(&[0xA9, value, 0x85, register]); // LDA #value, STA register
            }
        }
        // A pointer to the TIA for (zp),Y.
        let pointer = [self.byte() & 0x0F, self.one_of(&[0x00, 0x21, 0x2D, 0x3F])];
        self.put(&[0xA9, pointer[0], 0x85, 0x90, 0xA9, pointer[1], 0x85, 0x91]);
    }

    /// Values that show: objects enabled and wide more often than chance has it.
    fn value_for(&mut self, register: u8) -> u8 {
        match register {
            0x04 | 0x05 => self.one_of(&[0, 1, 2, 3, 4, 5, 6, 7, 0x10, 0x15, 0x26, 0x33, 0x37]),
            0x0A => self.one_of(&[0, 1, 2, 3, 4, 5, 6, 7, 0x11, 0x21, 0x35, 0x33, 0x26, 0x30]),
            0x0D..=0x0F | 0x1B | 0x1C => match self.below(4) {
                0 => self.one_of(&[0x00, 0xFF, 0x80, 0x01, 0x10]),
                _ => self.byte(),
            },
            0x1D..=0x1F | 0x28 | 0x29 => self.one_of(&[0, 2, 2, 0xFF]),
            0x25..=0x27 => self.one_of(&[0, 0, 1]),
            VBLANK => self.one_of(&[0, 0, 0, 2, 0x80, 0x82]),
            _ => self.byte(),
        }
    }

    /// Any register but those that end frames or wait.
    fn register(&mut self) -> u8 {
        match self.below(8) {
            0 => self.one_of(&[RESP0, 0x11, 0x12, 0x13, 0x14]),
            1 => self.one_of(&[HMOVE, HMOVE, 0x20, 0x21, HMM0, 0x23, 0x24, 0x2B]),
            2 => self.one_of(&[0x0D, 0x0E, 0x0F, 0x1B, 0x1C]),
            3 => self.one_of(&[0x04, 0x05, 0x0A, VBLANK]),
            _ => self.between(0x03, 0x40) as u8,
        }
    }

    /// One thing at this moment, without X.
    fn act(&mut self) {
        match self.below(20) {
            0..9 => {
                let register = self.register();
                self.store(register);
            }
            9 => {
                let register = self.register();
                let strobe = self.one_of(&[0x84, 0x85, 0x86, 0x87]); // STY, STA, STX, SAX
                self.put(&[strobe, register]);
            }
            10 => {
                // INC, DEC, ASL, LSR, ROL, ROR, SLO, RLA, SRE, RRA, DCP, ISB
                let modify =
                    self.one_of(&[0xE6, 0xC6, 0x06, 0x46, 0x26, 0x66, 0x07, 0x27, 0x47, 0x67, 0xC7, 0xE7]);
                let register = self.register();
                self.put(&[modify, register]);
            }
            11 | 12 => self.read(),
            13 => {
                let ram = 0x80 | self.byte() & 0x0F;
                let register = self.register();
                self.put(&[0xE6, ram, 0xA5, ram, 0x85, register]); // INC ram, LDA ram, STA register
            }
            14 => self.put(&[0x85, 0x2C]), // STA CXCLR
            15 => {
                // STA TIM1T … T1024T, LDA INTIM, STA ram
                let timer = 0x94 | self.byte() & 3;
                let ram = 0xD0 | self.byte() & 0x0F;
                self.put(&[0x8D, timer, 0x02, 0xAD, 0x84, 0x02, 0x85, ram]);
            }
            _ => self.wait(),
        }
    }

    fn store(&mut self, register: u8) {
        let value = self.value_for(register);
        self.put(&[0xA9, value, 0x85, register]); // LDA #value, STA register
    }

    /// A few cycles.
    fn wait(&mut self) {
        for _ in 0..self.below(5) {
            match self.below(4) {
                0 => self.put(&[0xEA]),             // NOP, 2 cycles
                1 => self.put(&[0x24, 0x80]),       // BIT $80, 3
                2 => self.put(&[0x2C, 0x80, 0x00]), // BIT $0080, 4
                _ => self.put(&[0x06, 0xC0]),       // ASL $C0, 5
            }
        }
    }

    /// Collisions, inputs and undriven bits, kept in RAM.
    fn read(&mut self) {
        let register = self.byte() & 0x3F;
        match self.below(5) {
            0 => self.put(&[0xA5, register]),       // LDA zp
            1 => self.put(&[0xAD, register, 0x21]), // LDA abs
            2 => self.put(&[0xB9, register, 0x2A]), // LDA abs,Y
            3 => self.put(&[0xB1, 0x90]),           // LDA (zp),Y
            _ => self.put(&[0xA4, register, 0x98]), // LDY zp, TYA
        }
        let ram = 0xB0 | self.byte() & 0x0F;
        self.put(&[0x45, ram, 0x85, ram]); // EOR ram, STA ram
    }

    fn acts(&mut self, most: usize) {
        for _ in 0..self.below(most) {
            self.act();
        }
    }

    /// Some things, but not in every frame.
    fn now_and_then(&mut self) {
        let ram = 0xE0 | self.byte() & 0x07;
        let mask = self.one_of(&[1, 3, 7]);
        self.put(&[0xE6, ram, 0xA5, ram, 0x29, mask, 0xD0, 0x00]); // INC ram, LDA ram, AND #mask, BNE past
        let start = self.code.len();
        while self.code.len() < start + 60 && self.below(5) != 0 {
            self.act();
        }
        self.code[start - 1] = (self.code.len() - start) as u8;
    }

    /// Lines that are alike, or nearly: the loop may drift against the beam.
    fn lines(&mut self, most: usize) {
        let count = self.between(1, most) as u8;
        self.put(&[0xA2, count]); // LDX #count
        let start = self.code.len();
        if self.below(5) != 0 {
            self.put(&[0x85, WSYNC]);
        }
        while self.code.len() < start + 90 && self.below(8) != 0 {
            self.act();
        }
        self.wait();
        let back = (start as i64 - (self.code.len() as i64 + 3)) as u8;
        self.put(&[0xCA, 0xD0, back]); // DEX, BNE start
    }

    /// VSYNC on and off, a line or more between, or a bit less.
    fn vsync(&mut self) {
        self.put(&[0xA9, 0x02, 0x85, VSYNC]);
        match self.below(4) {
            0 => {
                self.acts(12);
                self.put(&[0x85, WSYNC]);
            }
            1 => (0..self.between(1, 30)).for_each(|_| self.put(&[0xEA])),
            _ => (0..self.between(1, 4)).for_each(|_| self.put(&[0x85, WSYNC])),
        }
        self.acts(3);
        self.wait();
        self.put(&[0xA9, 0x00, 0x85, VSYNC]);
    }

    /// A whole frame as programs usually have it.
    fn framed(&mut self) {
        self.vsync();
        self.store(VBLANK);
        self.lines(45);
        self.put(&[0xA9, 0x00, 0x85, VBLANK]);
        for _ in 0..self.between(2, 9) {
            self.lines(60);
            self.odd();
        }
    }

    /// A frame that ends inside the picture, somewhere on a line.
    fn short_frame(&mut self) {
        self.lines(90);
        self.lines(60);
        self.acts(25);
        self.odd();
        self.vsync();
    }

    /// A frame of one or two objects that stops on a line, often in its blank after HMOVE.
    fn bare_frame(&mut self) {
        // LDA #0, LDX #$2C, STA 0,X, DEX, CPX #3, BNE
        self.put(&[0xA9, 0x00, 0xA2, 0x2C, 0x95, 0x00, 0xCA, 0xE0, 0x03, 0xD0, 0xF9]);
        for register in 0x06..0x0A {
            self.store(register);
        }
        for _ in 0..self.between(1, 3) {
            let object = self.one_of(&[0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x0E]);
            let value = self.one_of(&[0x80, 0x01, 0x42, 0xFF, 0x02]);
            let strobe = self.one_of(&[RESP0, 0x11, 0x12, 0x13, 0x14, HMOVE]);
            self.put(&[0x85, WSYNC]);
            self.wait();
            self.wait();
            self.put(&[0x85, strobe, 0xA9, value, 0x85, object]);
        }
        let size = self.one_of(&[0x04, 0x05, 0x0A]);
        self.store(size);
        // LDX #lines, STA WSYNC, DEX, BNE; LDA #2, STA VSYNC, STA WSYNC, STA WSYNC, LDA #0
        let lines = self.between(10, 140) as u8;
        self.put(&[0xA2, lines, 0x85, WSYNC, 0xCA, 0xD0, 0xFB]);
        self.put(&[0xA9, 0x02, 0x85, VSYNC, 0x85, WSYNC, 0x85, WSYNC, 0xA9, 0x00]);
        if self.below(2) == 0 {
            self.put(&[0x85, HMOVE]);
        }
        for _ in 0..self.below(6) {
            self.wait();
            let harmless = self.one_of(&[0x15, 0x16, 0x20, 0x2B, 0x3F]);
            self.put(&[0x85, harmless]);
        }
        self.wait();
        self.put(&[0x85, VSYNC]);
    }

    fn soup(&mut self) {
        match self.below(8) {
            0 => self.vsync(),
            1..4 => self.lines(40),
            4 => self.odd(),
            _ => self.acts(15),
        }
    }

    /// Rare things.
    fn odd(&mut self) {
        match self.below(14) {
            0 => {
                // LDX #sp, TXS, then pushes into TIA space: PHA, PHP, or JSR to the next instruction
                let sp = self.byte() & 0x3F;
                self.put(&[0xA2, sp, 0x9A]);
                match self.below(3) {
                    0 => self.put(&[0x48, 0x48]),
                    1 => self.put(&[0x08, 0x48]),
                    _ => {
                        let next = self.code.len() + 0xF003;
                        self.put(&[0x20, next as u8, (next >> 8) as u8]);
                    }
                }
                self.put(&[0x68, 0x85, 0xBF]); // PLA, STA $BF
            }
            1 => {
                // JSR with the second push on WSYNC: no wait
                let next = self.code.len() + 0xF006;
                self.put(&[0xA2, 0x03, 0x9A, 0x20, next as u8, (next >> 8) as u8]);
            }
            2 | 3 => self.cosmic_ark(),
            4 => {
                // Strobes a few cycles after HMOVE at the start of a line.
                let strobe = self.one_of(&[0x12, 0x13, 0x14]);
                self.put(&[0x85, WSYNC, 0x85, HMOVE]);
                self.wait();
                self.put(&[0x85, strobe]);
            }
            5 => {
                // 30,000 instructions without the TIA: LDY #60, LDX #0, DEX, BNE, DEY, BNE
                self.put(&[0xA0, 0x3C, 0xA2, 0x00, 0xCA, 0xD0, 0xFD, 0x88, 0xD0, 0xF8]);
            }
            6 => {
                // BRK: three pushes, wherever the stack is
                if self.below(4) == 0 {
                    self.put(&[0x00]);
                }
            }
            _ => self.acts(6),
        }
    }

    /// HMOVE, and 21 cycles later HMM0 from 7 to 6.
    fn cosmic_ark(&mut self) {
        self.put(&[0xA9, 0x70, 0x85, HMM0, 0xA9, 0x60, 0x85, WSYNC, 0x85, HMOVE]);
        self.put(&[0xEA; 9]);
        self.put(&[0x85, HMM0, 0xA9, 0x02, 0x85, 0x1D]); // STA HMM0, LDA #2, STA ENAM0
    }

    /// The end: back to the start, or now and then a stop for ever.
    fn finish(mut self) -> Rom {
        match self.below(12) {
            0 => self.put(&[0x02]), // jam
            1 => {
                let here = self.code.len() + 0xF000;
                self.put(&[0x4C, here as u8, (here >> 8) as u8]); // JMP *
            }
            _ => self.put(&[0x4C, 0x00, 0xF0]),
        }
        let mut image = vec![0xEA; 4096];
        image[..self.code.len()].copy_from_slice(&self.code);
        image[0xFF9..].copy_from_slice(&[0x4C, 0x00, 0xF0, 0x00, 0xF0, 0x03, 0xF0]);
        Rom::new(image)
    }
}
