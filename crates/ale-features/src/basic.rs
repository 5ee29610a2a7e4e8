//! Basic: which of 128 colours each tile shows in front of the background.

use crate::background::Background;
use crate::input::{Error, Input, InputKind};
use crate::tiles::{TILE_COLUMNS, TILE_ROWS, Tiles, for_each_bit};
use crate::{Active, Fact, FeatureSet};

/// Features of Basic.
pub(crate) const LEN: usize = TILE_ROWS * TILE_COLUMNS * 128;

/// Index `(row * 16 + column) * 128 + colour`; facts are `basic` with colour, row, column.
#[derive(Debug, Clone)]
pub struct Basic {
    background: Background,
    tiles: Tiles,
}

impl Basic {
    /// The set for a game with this background.
    pub fn new(background: Background) -> Self {
        Self { background, tiles: Tiles::new() }
    }
}

impl FeatureSet for Basic {
    fn input(&self) -> InputKind {
        InputKind::Screen
    }

    fn len(&self) -> usize {
        LEN
    }

    fn append(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error> {
        let screen = input.screen("Basic")?;
        self.tiles.fill(screen, Some(&self.background));
        push_tiles(&self.tiles, &mut out.indices);
        Ok(())
    }

    fn reset(&mut self) {}

    fn describe(&self, index: u32) -> Option<Fact> {
        ((index as usize) < LEN).then(|| tile_fact(index))
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(self.clone())
    }
}

/// Appends the indices of all colours of all tiles.
pub(crate) fn push_tiles(tiles: &Tiles, indices: &mut Vec<u32>) {
    for (tile, colours) in tiles.iter() {
        for_each_bit(colours, |colour| indices.push(tile as u32 * 128 + colour));
    }
}

/// The fact of an index below [`LEN`].
pub(crate) fn tile_fact(index: u32) -> Fact {
    let (tile, colour) = (index / 128, index % 128);
    Fact::new("basic", [colour as i32, tile as i32 / 16, tile as i32 % 16])
}
