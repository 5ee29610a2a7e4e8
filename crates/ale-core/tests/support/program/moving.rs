//! Random programs that draw as games do: objects are placed by numbers in RAM that change now and then, and in between
//! frame is like frame. The same few registers are written on most lines, and often more than once.

use ale_core::Rom;
use ale_core::rng::Mt19937;

use super::{HMOVE, Program, RESP0, VBLANK, VSYNC, WSYNC};

const HMP0: u8 = 0x20;
const HMCLR: u8 = 0x2B;
const CXCLR: u8 = 0x2C;

/// In RAM: where the five objects are, below 160.
const PLACES: u8 = 0xA0;
/// Bytes for any register.
const VALUES: u8 = 0xA5;
const VALUE_COUNT: usize = 5;
/// Counts the frames; and 0 or not, for programs that show two pictures in turn.
const FRAME: u8 = 0xF0;
const PICTURE: u8 = 0xF1;

/// Where tables begin, and how long they are together.
const TABLES: usize = 0xE00;
const TABLES_SIZE: usize = 0x1C0;
/// A table has a byte for each of so many lines.
const MOST_LINES: usize = 64;

/// Cycles and lines: of a line, until the picture begins, until it ends, and of a frame.
const LINE_CYCLES: usize = 76;
const PICTURE_BEGIN: usize = 36;
const PICTURE_END: usize = 232;
const FRAME_LINES: usize = 262;

/// Registers that are written again and again; the more likely, the more often in this list.
const USUAL: [u8; 57] = [
    0x1B, 0x1B, 0x1B, 0x1B, 0x1B, 0x1C, 0x1C, 0x1C, 0x1C, 0x1C, // GRP0, GRP1
    0x1D, 0x1D, 0x1D, 0x1E, 0x1E, 0x1E, 0x1F, 0x1F, 0x1F, 0x1F, // ENAM0, ENAM1, ENABL
    0x06, 0x06, 0x07, 0x07, 0x08, 0x08, 0x09, // COLUP0, COLUP1, COLUPF, COLUBK
    0x0D, 0x0E, 0x0E, 0x0F, 0x0F, 0x0A, 0x0A, // PF0, PF1, PF2, CTRLPF
    0x04, 0x04, 0x05, 0x05, 0x0B, 0x0C, // NUSIZ0, NUSIZ1, REFP0, REFP1
    0x25, 0x26, 0x27, 0x27, 0x28, 0x29, // VDELP0, VDELP1, VDELBL, RESMP0, RESMP1
    0x10, 0x11, 0x12, 0x13, 0x14, // RESP0, RESP1, RESM0, RESM1, RESBL
    0x20, 0x21, 0x22, HMOVE, HMOVE, HMCLR,
];

/// Registers that matter to some lines only, as those of hidden objects, and are written before the picture.
const LASTING: [u8; 21] = [
    0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, // NUSIZ0 to REFP1, without PF
    0x1B, 0x1C, 0x1D, 0x1E, 0x1F, // GRP0 to ENABL
    0x25, 0x26, 0x27, 0x27, 0x27, 0x28, 0x29, // VDELP0, VDELP1, VDELBL, RESMP0, RESMP1
];

/// A program under construction, and how much time it takes.
struct Moving {
    program: Program,
    /// Cycles since the line began, and lines since the frame began; or a bit more.
    cycles: usize,
    lines: usize,
    /// The registers that this program writes most.
    cast: Vec<u8>,
}

/// The random program of a seed with objects that move.
pub fn moving_program(seed: u32) -> Rom {
    let mut moving = Moving {
        program: Program { rng: Mt19937::new(seed), code: Vec::new() },
        cycles: 0,
        lines: 0,
        cast: Vec::new(),
    };
    moving.set_up();
    let start = moving.program.code.len() + 0xF000;
    moving.blank();
    moving.picture();
    moving.end_frame(start);
    moving.tables();
    moving.program.finish()
}

impl Moving {
    fn below(&mut self, limit: usize) -> usize {
        self.program.below(limit)
    }

    /// Instructions that take so many cycles together.
    fn put(&mut self, cycles: usize, bytes: &[u8]) {
        self.program.put(bytes);
        self.cycles += cycles;
        while self.cycles >= LINE_CYCLES {
            self.cycles -= LINE_CYCLES;
            self.lines += 1;
        }
    }

    fn wait_for_line(&mut self) {
        self.program.put(&[0x85, WSYNC]);
        self.cycles = 0;
        self.lines += 1;
    }

    /// Registers and RAM, which power-on does not decide; and what the program is about.
    fn set_up(&mut self) {
        self.program.set_up();
        let places = self.below(160);
        for i in 0..5 + VALUE_COUNT {
            let value = match i {
                0..5 if self.below(2) == 0 => places as u8,
                0..5 => self.below(160) as u8,
                _ => self.any_value(),
            };
            self.program.put(&[0xA9, value, 0x85, PLACES + i as u8]); // LDA #value, STA place
        }
        self.program.put(&[0xA9, 0x00, 0x85, FRAME, 0x85, PICTURE]);
        if self.below(2) == 0 {
            self.program.put(&[0x85, 0x0D, 0x85, 0x0E, 0x85, 0x0F]); // STA PF0, STA PF1, STA PF2
        }
        for _ in 0..self.program.between(2, 8) {
            let register = self.program.one_of(&USUAL);
            self.cast.push(register);
        }
    }

    fn any_value(&mut self) -> u8 {
        match self.below(3) {
            0 => 0,
            1 => self.program.one_of(&[0x02, 0x80, 0x01, 0xFF, 0x10, 0xF0]),
            _ => self.program.byte(),
        }
    }

    fn value_in_ram(&mut self) -> u8 {
        VALUES + self.below(VALUE_COUNT) as u8
    }

    /// From VSYNC on until the picture begins.
    fn blank(&mut self) {
        self.program.put(&[0xA9, 0x02, 0x85, VBLANK, 0x85, VSYNC, 0x85, WSYNC, 0x85, WSYNC]);
        self.put(0, &[0xA9, 0x00, 0x85, WSYNC, 0x85, VSYNC]);
        (self.cycles, self.lines) = (5, 0);
        if self.below(4) != 0 {
            self.put(3, &[0x85, CXCLR]);
        }
        if self.below(8) != 0 {
            self.put(3, &[0x85, HMCLR]);
        }
        self.change();
        for _ in 0..self.below(6) {
            let register = self.program.one_of(&LASTING);
            let value = self.value_in_ram();
            self.put(6, &[0xA5, value, 0x85, register]); // LDA value, STA register
        }
        self.place_some();
        self.pass_lines(PICTURE_BEGIN);
        self.put(5, &[0xA9, 0x00, 0x85, VBLANK]);
    }

    /// Waits until a line of the frame.
    fn pass_lines(&mut self, end: usize) {
        let count = end.saturating_sub(self.lines);
        if count > 0 {
            self.program.put(&[0xA2, count as u8, 0x85, WSYNC, 0xCA, 0xD0, 0xFB]); // LDX #count, STA WSYNC, DEX, BNE
            (self.cycles, self.lines) = (4, end);
        }
    }

    /// What is different from frame to frame.
    fn change(&mut self) {
        let mask = self.program.one_of(&[0, 0, 0, 1, 4, 8]);
        self.put(13, &[0xE6, FRAME, 0xA5, FRAME, 0x29, mask, 0x85, PICTURE]); // INC, LDA, AND #mask, STA
        for object in 0..5 {
            if self.below(3) != 0 {
                self.sometimes(|moving| moving.move_one(PLACES + object));
            }
        }
        for _ in 0..self.program.between(2, 6) {
            self.sometimes(Self::change_value);
        }
    }

    /// Something that is done in some frames only.
    fn sometimes(&mut self, act: impl FnOnce(&mut Self)) {
        let mask = self.program.one_of(&[1, 3, 7, 7, 7, 15, 15, 15, 15, 15]);
        let phase = self.program.byte() & mask;
        self.put(9, &[0xA5, FRAME, 0x29, mask, 0xC9, phase, 0xD0, 0x00]); // LDA, AND #mask, CMP #phase, BNE past
        let start = self.program.code.len();
        act(self);
        self.program.code[start - 1] = (self.program.code.len() - start) as u8;
    }

    /// Another place for an object, once around the line.
    fn move_one(&mut self, place: u8) {
        let step = match self.below(4) {
            0 => self.below(160) as u8,
            _ => self.program.one_of(&[1, 1, 2, 3, 5, 8, 16, 152, 157, 159]),
        };
        // LDA place, CLC, ADC #step, BCS, CMP #160, BCC, SBC #160, STA place
        let code = [0xA5, place, 0x18, 0x69, step, 0xB0, 0x04, 0xC9, 160, 0x90, 0x02, 0xE9, 160, 0x85, place];
        self.put(19, &code);
    }

    fn change_value(&mut self) {
        let value = self.value_in_ram();
        match self.below(5) {
            0 => {
                let step = self.program.one_of(&[0xE6, 0xC6, 0x46, 0x06]); // INC, DEC, LSR, ASL
                self.put(5, &[step, value]);
            }
            1 => {
                let other = self.value_in_ram();
                self.put(6, &[0xA5, other, 0x85, value]);
            }
            _ => {
                let bits = self.any_value();
                self.put(8, &[0xA5, value, 0x49, bits, 0x85, value]); // LDA, EOR #bits, STA
            }
        }
    }

    /// Strobes that depend on places, and HMOVE.
    fn place_some(&mut self) {
        let most = self.program.between(2, 7);
        for object in 0..5 {
            match self.below(12) {
                0 => {
                    let value = self.value_in_ram();
                    self.put(6, &[0xA5, value, 0x85, HMP0 + object]); // LDA value, STA HMxx
                }
                _ if self.below(5) < most => self.place(object, PLACES + object),
                _ => {}
            }
        }
        if self.below(4) != 0 {
            self.wait_for_line();
        }
        if self.below(5) == 0 {
            self.delay();
        }
        self.put(3, &[0x85, HMOVE]);
        if self.below(3) != 0 {
            self.put(18, &[0xEA; 9]);
            self.put(3, &[0x85, HMCLR]);
        }
    }

    /// Two lines, wherever it is: the strobe of an object after a delay of so many times 15 pixels, the rest as its motion.
    fn place(&mut self, object: u8, place: u8) {
        self.put(3, &[0xA5, place]);
        self.wait_for_line();
        // SEC, SBC #15, BCS; EOR #7, ASL four times, STA HMxx, STA RESxx
        let code = [0x38, 0xE9, 15, 0xB0, 0xFC, 0x49, 7, 0x0A, 0x0A, 0x0A, 0x0A, 0x85, HMP0 + object, 0x85];
        self.program.put(&code);
        self.program.put(&[RESP0 + object]);
        self.wait_for_line();
    }

    /// All lines of the picture.
    fn picture(&mut self) {
        while self.lines < PICTURE_END && self.program.code.len() < TABLES - 300 {
            match self.below(8) {
                0..5 => self.zone(),
                5 => {
                    self.single_lines();
                    let until = self.lines + self.below(20);
                    self.pass_lines(until.min(PICTURE_END));
                }
                _ => self.between_zones(),
            }
        }
    }

    /// Lines of which one is like the other, but for what tables have for them.
    fn zone(&mut self) {
        let left = (PICTURE_END + 1).saturating_sub(self.lines).clamp(1, MOST_LINES);
        let count = 1 + self.below(left);
        self.put(5, &[0xA2, count as u8, 0xA4, PICTURE]); // LDX #count, LDY PICTURE
        let start = self.program.code.len();
        let lines = self.lines;
        self.wait_for_line();
        self.line();
        self.put(5, &[]);
        self.lines = lines + count * (self.lines - lines);
        let back = (start as i64 - (self.program.code.len() as i64 + 3)) as u8;
        self.program.put(&[0xCA, 0xD0, back]); // DEX, BNE start
    }

    /// A few lines, each on its own.
    fn single_lines(&mut self) {
        self.put(5, &[0xA2, 0x01, 0xA4, PICTURE]); // LDX #1, LDY PICTURE
        for _ in 0..self.program.between(1, 4) {
            self.wait_for_line();
            self.line();
        }
    }

    fn between_zones(&mut self) {
        match self.below(12) {
            0..4 => {
                // Often where another one is, so that they meet.
                let (object, other) = (self.below(5) as u8, self.below(5) as u8);
                self.place(object, PLACES + other);
                if self.below(2) == 0 {
                    self.wait_for_line();
                    self.put(3, &[0x85, HMOVE]);
                }
            }
            4 | 5 => self.put(3, &[0x85, CXCLR]),
            6 | 7 => self.read_collisions(),
            8 => self.sometimes(Self::change_value),
            9 if self.below(4) == 0 => {
                self.program.cosmic_ark();
                self.lines += 1;
                self.cycles = 26;
            }
            _ => {
                let register = self.register();
                self.sometimes(|moving| moving.store(register));
            }
        }
    }

    /// What is done on a line, up to some cycle of it.
    fn line(&mut self) {
        let end = self.program.between(4, LINE_CYCLES);
        let lines = self.lines;
        let used = 1 + self.below(3);
        let registers: Vec<u8> = (0..used).map(|_| self.register()).collect();
        let start = self.program.code.len();
        while self.lines == lines && self.cycles < end && self.program.code.len() < start + 90 {
            match self.below(24) {
                0..10 => {
                    let register = self.program.one_of(&registers);
                    self.store(register);
                }
                10..14 => {
                    // Something that shows for a part of the line only, often a player.
                    let register = match self.below(3) {
                        0 => self.program.one_of(&[0x1B, 0x1C]),
                        _ => self.program.one_of(&registers),
                    };
                    self.store(register);
                    self.delay();
                    self.put(5, &[0xA9, 0x00, 0x85, register]); // LDA #0, STA register
                }
                14..22 => self.delay(),
                22 => self.read_collisions(),
                _ => {
                    if self.below(3) == 0 {
                        self.put(3, &[0x85, CXCLR]);
                    }
                }
            }
        }
    }

    /// Mostly one of those of this program.
    fn register(&mut self) -> u8 {
        match self.below(10) {
            0 => self.program.one_of(&USUAL),
            1 if self.below(4) == 0 => self.program.register(),
            _ => {
                let index = self.below(self.cast.len());
                self.cast[index]
            }
        }
    }

    /// Up to 17 cycles.
    fn delay(&mut self) {
        for _ in 0..self.below(8) {
            self.put(2, &[0xEA]); // NOP
        }
        if self.below(2) == 0 {
            self.put(3, &[0x24, 0x80]); // BIT $80
        }
    }

    /// A write to a register: always the same, or from RAM, or from a table by line or by picture.
    fn store(&mut self, register: u8) {
        match self.below(10) {
            0..5 => {
                let value = match self.below(3) {
                    0 => 0,
                    _ => self.program.value_for(register),
                };
                self.put(2, &[0xA9, value]); // LDA #value
            }
            5..7 => {
                let value = self.value_in_ram();
                self.put(3, &[0xA5, value]); // LDA value
            }
            7 | 8 => {
                let table = TABLES + 0xF000 + self.below(TABLES_SIZE - MOST_LINES);
                let by = self.program.one_of(&[0xBD, 0xBD, 0xB9]); // LDA table,X or LDA table,Y
                self.put(5, &[by, table as u8, (table >> 8) as u8]);
            }
            _ => {}
        }
        self.put(3, &[0x85, register]); // STA register
    }

    /// Latches that are kept in RAM, or that decide about something.
    fn read_collisions(&mut self) {
        let register = self.program.byte() & 7;
        if self.below(6) != 0 {
            let ram = 0xB0 | self.program.byte() & 0x0F;
            self.put(9, &[0xA5, register, 0x45, ram, 0x85, ram]); // LDA CXxx, EOR ram, STA ram
        } else {
            let past = self.program.one_of(&[0x10, 0x50]); // BPL, BVC
            let value = self.value_in_ram();
            self.put(10, &[0x24, register, past, 0x02, 0xE6, value]); // BIT CXxx, past, INC value
        }
    }

    /// The picture is over: blank lines, mostly, and back.
    fn end_frame(&mut self, start: usize) {
        self.wait_for_line();
        if self.below(8) != 0 {
            self.put(5, &[0xA9, 0x02, 0x85, VBLANK]);
        }
        if self.below(2) == 0 {
            self.read_collisions();
        }
        self.pass_lines(FRAME_LINES - 3);
        self.program.put(&[0x4C, start as u8, (start >> 8) as u8]); // JMP start
    }

    /// Bytes for objects of a few lines, and nothing between them.
    fn tables(&mut self) {
        self.program.code.resize(TABLES, 0xEA);
        while self.program.code.len() < TABLES + TABLES_SIZE {
            let count = self.program.between(1, 12);
            let empty = self.below(2) == 0;
            for _ in 0..count {
                let value = if empty { 0 } else { self.any_value() };
                self.program.put(&[value]);
            }
        }
    }
}
