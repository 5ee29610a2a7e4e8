//! Blob-PROST: where blobs are, and their pairwise offsets in space and time.

use crate::blobs::BlobFinder;
use crate::input::{Error, Input, InputKind, Screen};
use crate::offsets::{Fine, Grid, Offsets};
use crate::{Active, Fact, FeatureSet, FoundBox};

const LEN: usize = Fine::END;
const TILE_HEIGHT: usize = 7;
const TILE_WIDTH: usize = 4;

/// Facts are `basic`, `space` and `time` as in [`BProst`](crate::BProst), on 40 x 30 tiles of 4 x 7 pixels; a place is
/// the tile with the middle of a blob. No background is subtracted.
#[derive(Debug, Clone)]
pub struct BlobProst {
    finder: BlobFinder,
    offsets: Offsets<Fine>,
}

impl Default for BlobProst {
    fn default() -> Self {
        Self { finder: BlobFinder::default(), offsets: Offsets::new() }
    }
}

impl FeatureSet for BlobProst {
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
        let screen = input.screen("Blob-PROST")?;
        let places = self.offsets.next();
        self.finder.find(screen, |blob| {
            let (row, column) = blob.middle();
            places.set(blob.colour.into(), row / TILE_HEIGHT, column / TILE_WIDTH);
        });
        self.offsets.push(true, &mut out.indices);
        out.indices.push(LEN as u32);
        Ok(())
    }

    fn boxes(&self, screen: Screen<'_>) -> Vec<FoundBox> {
        let mut found = Vec::new();
        self.finder.clone().find(screen, |blob| {
            let size = [blob.right - blob.left + 1, blob.bottom - blob.top + 1];
            let bounds = [blob.left, blob.top, size[0], size[1]];
            found.push(FoundBox { of: blob.colour, bounds, velocity: (0, 0) });
        });
        found
    }

    fn reset(&mut self) {
        self.offsets.reset();
    }

    fn continue_from(&mut self, features: &[u32]) {
        self.offsets.continue_from(features);
    }

    fn describe(&self, index: u32) -> Option<Fact> {
        match index as usize {
            LEN => Some(Fact::new("bias", [])),
            index => (index < LEN).then(|| Offsets::<Fine>::describe(index)),
        }
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(Self::default())
    }
}
