//! The chip by itself: registers written at cycles of a line, and the line as text.
//!
//! Every test drives both renderers, and they have to agree.

mod collisions;
mod delays;
mod missiles;
mod motion;
mod players;
mod playfield;
mod random_writes;
mod rows;
mod spans;
mod twin;

use super::super::input::Levels;
use super::super::properties::Properties;
use super::picture::Picture;
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::registers::*;
use super::{Tia, clock};

/// An address without a register.
const NOTHING: u8 = 0x3F;
const COLUP1: u8 = 0x07;
const COLUPF: u8 = 0x08;
const HMP1: u8 = 0x21;
const HMM1: u8 = 0x23;

/// The colours that [`Screen::new`] sets.
const P0_COLOR: u8 = 0x1A;
const P1_COLOR: u8 = 0x2C;
const PF_COLOR: u8 = 0x06;

/// The chip with both renderers, its picture beginning on line 0.
struct Screen {
    chips: [Tia; 2],
    pictures: [Picture; 2],
    cycle: u32,
}

impl Screen {
    fn new() -> Self {
        Self::with(&Properties { ystart: 0, ..Properties::default() })
    }

    fn with(properties: &Properties) -> Self {
        let mut fast = Tia::new(properties);
        fast.begin_frame(0);
        let mut literal = fast.clone();
        literal.literal = true;
        let rows = usize::from(properties.height);
        let mut screen =
            Self { chips: [fast, literal], pictures: [(); 2].map(|()| Picture::new(rows)), cycle: 0 };
        screen.write(COLUP0, P0_COLOR).write(COLUP1, P1_COLOR).write(COLUPF, PF_COLOR);
        screen
    }

    /// Time goes on to this cycle of the line.
    fn at(&mut self, cycle: u32) -> &mut Self {
        assert!(cycle >= self.cycle % 76, "cycle {cycle} has passed");
        self.cycle = self.cycle / 76 * 76 + cycle;
        self
    }

    /// Writes a register now.
    fn write(&mut self, register: u8, value: u8) -> &mut Self {
        for (chip, picture) in self.chips.iter_mut().zip(&mut self.pictures) {
            chip.write(register, value, self.cycle, picture);
        }
        self
    }

    /// Reads the driven bits of a register now.
    fn read(&mut self, register: u16) -> u8 {
        let mut values = [0; 2];
        for ((chip, picture), value) in self.chips.iter_mut().zip(&mut self.pictures).zip(&mut values) {
            *value = chip.read(register, self.cycle, &Levels::default(), picture);
        }
        assert_eq!(values[0], values[1], "read of {register:02X} by both renderers");
        values[0]
    }

    /// Puts an object (P0, P1, M0, M1, BL) where no strobe is needed.
    fn place(&mut self, object: usize, position: u8) -> &mut Self {
        for chip in &mut self.chips {
            chip.positions[object] = position;
            chip.shapes.mark_dirty(0x3F);
        }
        self
    }

    fn position(&self, object: usize) -> u8 {
        assert_eq!(self.chips[0].positions, self.chips[1].positions);
        self.chips[0].positions[object]
    }

    /// Ends the line and shows it.
    fn scanline(&mut self) -> String {
        let line = self.cycle / 76;
        self.cycle = (line + 1) * 76;
        self.write(NOTHING, 0);
        self.row(line - self.chips[0].ystart as u32)
    }

    /// A row of the picture as far as it is drawn, as the end of a frame would leave it.
    fn row(&mut self, row: u32) -> String {
        let mut rows = self.chips.iter_mut().zip(&mut self.pictures).map(|(chip, picture)| {
            chip.finish(picture);
            runs(picture.row(row).expect("a row of the picture"))
        });
        let (fast, literal) = (rows.next(), rows.next());
        assert_eq!(fast, literal, "both renderers");
        fast.expect("two renderers")
    }

    /// What the row holds from earlier frames.
    fn fill_row(&mut self, row: u32, pixel: u8) -> &mut Self {
        for picture in &mut self.pictures {
            picture.row(row).expect("a row of the picture").fill(pixel);
        }
        self
    }
}

/// Pixels as text: each run is a colour and a length.
fn runs(row: &[u8]) -> String {
    let text: Vec<String> =
        row.chunk_by(|one, next| one == next).map(|run| format!("{:02X}*{}", run[0], run.len())).collect();
    text.join(" ")
}

#[test]
fn a_cycle_is_three_clocks() {
    assert_eq!([clock(0), clock(1), clock(76)], [0, 3, 228]);
}

#[test]
fn a_line_without_objects_is_background() {
    assert_eq!(Screen::new().write(COLUBK, 0x0E).scanline(), "0E*160");
}
