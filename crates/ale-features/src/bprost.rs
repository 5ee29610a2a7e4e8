//! B-PROST: B-PROS, and pairwise offsets in time between the tiles of the previous decision and this one.

use crate::background::Background;
use crate::bpros::fill_places;
use crate::input::{Error, Input, InputKind};
use crate::offsets::{Coarse, Grid, Offsets};
use crate::tiles::Tiles;
use crate::{Active, Fact, FeatureSet};

/// Features with time.
const LEN: usize = Coarse::END;

/// Facts are `basic` with colour, row, column, and `space` with two colours and the offset of the first from the
/// second in rows and columns of tiles, and `time` with the colour before, the colour now and the offset of the tile
/// before from the tile now.
#[derive(Debug, Clone)]
pub struct BProst {
    background: Option<Background>,
    tiles: Tiles,
    offsets: Offsets<Coarse>,
}

impl BProst {
    /// The set; without a background every pixel counts.
    pub fn new(background: Option<Background>) -> Self {
        Self { background, tiles: Tiles::new(), offsets: Offsets::new() }
    }
}

impl FeatureSet for BProst {
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
        let screen = input.screen("B-PROST")?;
        self.tiles.fill(screen, self.background.as_ref());
        fill_places(&self.tiles, self.offsets.next());
        self.offsets.push(true, &mut out.indices);
        out.indices.push(LEN as u32);
        Ok(())
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
            index => (index < LEN).then(|| Offsets::<Coarse>::describe(index)),
        }
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(Self::new(self.background.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Screen;

    #[test]
    fn a_set_continues_from_the_features_of_any_decision() {
        let screen = |shift: usize| -> Vec<u8> {
            (0..160 * 210).map(|pixel| ((pixel / 37 + shift) % 11 * 2) as u8).collect()
        };
        let features = |set: &mut BProst, shift: usize| {
            let mut active = Active::default();
            let pixels = screen(shift);
            let input = Input::Screen(Screen::new(&pixels).expect("it has 210 rows"));
            set.active(input, &mut active).expect("it is a screen");
            active.indices
        };
        let mut set = BProst::new(None);
        let (first, second) = (features(&mut set, 0), features(&mut set, 5));
        let mut other = BProst::new(None);
        features(&mut other, 9);
        other.continue_from(&first);
        assert_eq!(features(&mut other, 5), second);
        other.continue_from(&[]);
        assert_eq!(features(&mut other, 0), first, "none before: no offsets in time");
        assert!(second.iter().any(|&index| index as usize >= Coarse::TIME && (index as usize) < LEN));
    }
}
