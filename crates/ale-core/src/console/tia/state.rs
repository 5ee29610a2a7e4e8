//! The fields of the chip in a saved state.

use super::super::codec::Codec;
use super::audio::{Audio, Channel};
use super::motion::{Ark, ArkMissile};
use super::scanline::Scanline;
use super::scanline_cache::CacheCursor;
use super::shape::Shapes;
use super::span::Paint;
use super::{LINE, Tia};

impl Tia {
    /// Moves every field. The pattern names all of them, so that none can be forgotten.
    pub(crate) fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self {
            // Decided by the properties and the television, which the state's head tells.
            ystart: _,
            height: _,
            overlong: _,
            color_loss: _,
            hmove_blanks: _,
            // Options of the caller.
            drawing: _,
            shades: _,
            literal: _,
            // Set anew when a frame call begins.
            stop: _,
            // Derived: see the end.
            window: _,
            pending: _,
            blanked: _,
            shapes: _,
            paint: _,
            scanline: _,
            cursor: _,
            written: _,
            speculative: _,
            frame_start,
            drawn,
            column,
            row,
            vsync_end,
            hmove_time,
            last_lines,
            partial,
            greyed,
            vblank,
            nusiz,
            colors,
            ctrlpf,
            refp,
            playfield,
            grp,
            grp_delayed,
            enam,
            enabl,
            enabl_delayed,
            motion,
            vdelp,
            vdelbl,
            resmp,
            collisions,
            positions,
            suppressed,
            reflected,
            hmove_blank,
            ark,
            dump,
            dump_cycle,
            audio,
        } = self;
        codec.i32("frame start", frame_start)?;
        codec.check("frame start", (1 - LINE..=0).contains(frame_start), *frame_start)?;
        codec.i32("drawn", drawn)?;
        codec.u32("column", column)?;
        codec.u32("row", row)?;
        codec.i32("VSYNC end", vsync_end)?;
        codec.i32("HMOVE time", hmove_time)?;
        codec.u32("last lines", last_lines)?;
        codec.bool("partial", partial)?;
        codec.bool("greyed", greyed)?;
        codec.u8("VBLANK", vblank)?;
        codec.bytes("NUSIZ", nusiz)?;
        codec.bytes("COLU", colors)?;
        codec.u8("CTRLPF", ctrlpf)?;
        codec.bools("REFP", refp)?;
        codec.u32("playfield", playfield)?;
        codec.check("playfield", *playfield < 1 << 20, *playfield)?;
        codec.bytes("GRP", grp)?;
        codec.bytes("delayed GRP", grp_delayed)?;
        codec.bools("ENAM", enam)?;
        codec.bool("ENABL", enabl)?;
        codec.bool("delayed ENABL", enabl_delayed)?;
        for index in 0..5 {
            let mut nibble = motion.get(index);
            codec.below("motion", 16, &mut nibble)?;
            motion.set(index, nibble);
        }
        codec.bools("VDELP", vdelp)?;
        codec.bool("VDELBL", vdelbl)?;
        codec.bools("RESMP", resmp)?;
        codec.u16("collisions", collisions)?;
        codec.check("collisions", *collisions < 1 << 15, *collisions)?;
        positions.iter_mut().try_for_each(|position| codec.below("position", 160, position))?;
        codec.bools("first copy suppressed", suppressed)?;
        codec.bool("reflected", reflected)?;
        codec.bool("HMOVE blank", hmove_blank)?;
        ark.fields(codec)?;
        codec.bool("dump", dump)?;
        codec.i32("dump cycle", dump_cycle)?;
        audio.fields(codec)?;
        self.derive_fields(codec)
    }

    /// What follows from the fields, and whether they belong together.
    fn derive_fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        self.set_window();
        self.pending = i32::MIN;
        self.blanked = 0;
        self.shapes = Shapes::default();
        self.paint = Paint::default();
        self.scanline = Scanline::default();
        self.cursor = CacheCursor::default();
        codec.check("column", self.column <= LINE as u32, self.column)?;
        codec.check("drawn", (self.frame_start..=self.window[1]).contains(&self.drawn), self.drawn)?;
        // Drawing begins with the window, or after a reset with line 0.
        let passed = i64::from(self.row) * i64::from(LINE) + i64::from(self.column);
        let begun = i64::from(self.drawn) - passed;
        let possible = begun == i64::from(self.window[0]) || begun == i64::from(self.frame_start);
        codec.check("row", possible, self.row)
    }
}

impl Ark {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        let Self { on, counter, missile } = self;
        codec.bool("Cosmic Ark", on)?;
        codec.below("Cosmic Ark counter", 4, counter)?;
        let all = [ArkMissile::Plain, ArkMissile::Widened, ArkMissile::Invisible];
        codec.one_of("Cosmic Ark missile", &all, missile)
    }
}

impl Audio {
    fn fields<C: Codec>(&mut self, codec: &mut C) -> Result<(), C::Error> {
        for Channel { control, frequency, volume, count, poly4, poly5 } in &mut self.channels {
            codec.below("AUDC", 16, control)?;
            codec.below("AUDF", 32, frequency)?;
            codec.below("AUDV", 16, volume)?;
            codec.below("audio count", 32, count)?;
            codec.u8("audio poly 4", poly4)?;
            codec.u8("audio poly 5", poly5)?;
        }
        Ok(())
    }
}
