//! BASS: which of 8 colours each tile shows in front of the background, and all pairs of these facts.

use crate::background::Background;
use crate::input::{Error, Input, InputKind};
use crate::pairs::{pair_of, pairs, push_pairs};
use crate::tiles::{TILE_COLUMNS, TILE_ROWS, Tiles};
use crate::{Active, Fact, FeatureSet};

/// Features that are no pairs.
const BASE: usize = TILE_ROWS * TILE_COLUMNS * 8;

/// Index `(row * 16 + column) * 8 + colour`, then pairs.
///
/// Facts are `basic` with colour, row, column, and `pair` with colour, row, column of both. A colour is the luminance
/// of a palette index, 0 to 7: hue is dropped, as a SECAM console does.
#[derive(Debug, Clone)]
pub struct Bass {
    background: Background,
    tiles: Tiles,
}

impl Bass {
    /// The set for a game with this background.
    pub fn new(background: Background) -> Self {
        Self { background, tiles: Tiles::new() }
    }
}

/// A colour is hue and luminance, 16 x 8: all hues together are the OR of 16 bytes.
fn luminances(colours: u128) -> u8 {
    colours.to_le_bytes().into_iter().fold(0, |mask, byte| mask | byte)
}

fn base_numbers(index: u32) -> [i32; 3] {
    let (tile, colour) = (index as i32 / 8, index as i32 % 8);
    [colour, tile / 16, tile % 16]
}

impl FeatureSet for Bass {
    fn input(&self) -> InputKind {
        InputKind::Screen
    }

    fn len(&self) -> usize {
        BASE + pairs(BASE)
    }

    fn append(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error> {
        let screen = input.screen("BASS")?;
        let first = out.indices.len();
        self.tiles.fill(screen, Some(&self.background));
        for (tile, colours) in self.tiles.iter() {
            let mut mask = luminances(colours);
            while mask != 0 {
                out.indices.push(tile as u32 * 8 + mask.trailing_zeros());
                mask &= mask - 1;
            }
        }
        push_pairs(&mut out.indices, first, BASE as u32);
        Ok(())
    }

    fn reset(&mut self) {}

    fn describe(&self, index: u32) -> Option<Fact> {
        if (index as usize) < BASE {
            return Some(Fact::new("basic", base_numbers(index)));
        }
        ((index as usize) < self.len()).then(|| {
            let (first, second) = pair_of(index, BASE as u32);
            Fact::new("pair", [base_numbers(first), base_numbers(second)].concat())
        })
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(self.clone())
    }
}
