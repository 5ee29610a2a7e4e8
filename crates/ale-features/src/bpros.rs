//! B-PROS: Basic, and pairwise offsets in space between the tiles of every two colours.

use crate::background::Background;
use crate::input::{Error, Input, InputKind};
use crate::offsets::{Coarse, Grid, Offsets, Picture};
use crate::tiles::{Tiles, for_each_bit};
use crate::{Active, Fact, FeatureSet};

/// Features without time.
const LEN: usize = Coarse::TIME;

/// Facts are `basic` with colour, row, column, and `space` with two colours and the offset of the first from the
/// second in rows and columns of tiles.
#[derive(Debug, Clone)]
pub struct BPros {
    background: Option<Background>,
    tiles: Tiles,
    offsets: Offsets<Coarse>,
}

impl BPros {
    /// The set; without a background every pixel counts.
    pub fn new(background: Option<Background>) -> Self {
        Self { background, tiles: Tiles::new(), offsets: Offsets::new() }
    }
}

/// Every colour of every tile as a place.
pub(crate) fn fill_places(tiles: &Tiles, places: &mut Picture) {
    for (row, tiles) in tiles.colours.iter().enumerate() {
        for (column, &colours) in tiles.iter().enumerate() {
            for_each_bit(colours, |colour| places.set(colour as usize, row, column));
        }
    }
}

impl FeatureSet for BPros {
    fn input(&self) -> InputKind {
        InputKind::Screen
    }

    fn len(&self) -> usize {
        LEN
    }

    fn has_bias(&self) -> bool {
        true
    }

    fn append(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error> {
        let screen = input.screen("B-PROS")?;
        self.tiles.fill(screen, self.background.as_ref());
        fill_places(&self.tiles, self.offsets.next());
        self.offsets.push(false, &mut out.indices);
        out.indices.push(LEN as u32);
        Ok(())
    }

    fn reset(&mut self) {}

    fn describe(&self, index: u32) -> Option<Fact> {
        match index as usize {
            LEN => Some(Fact::new("bias", [])),
            index => (index < LEN).then(|| Offsets::<Coarse>::describe(index)),
        }
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(Self::new(self.background.clone()))
    }
}
