//! Binary features of a screen or of RAM, as the linear agents and the width-based planners use them.
//!
//! A [`FeatureSet`] turns one input into the list of its active features. It sees a picture or 128 bytes, never a
//! game. Sets that compare with the previous decision (DISCO, B-PROST, Blob-PROST) remember it until
//! [`FeatureSet::reset`].
//!
//! ```
//! use ale_features::{Active, Basic, Background, FeatureSet, Input, Screen};
//!
//! let background = Background::plain(0);
//! let mut pixels = vec![0; 160 * 210];
//! pixels[160 * 20 + 12] = 30; // row 20, column 12: the tile in row 1, column 1
//! let mut basic = Basic::new(background);
//! let mut active = Active::default();
//! basic.active(Input::Screen(Screen::new(&pixels).unwrap()), &mut active).unwrap();
//! assert_eq!(active.indices, [(16 + 1) * 128 + 15]);
//! assert_eq!(basic.describe(active.indices[0]).unwrap().numbers, [15, 1, 1]);
//! ```
#![forbid(unsafe_code)]

mod background;
mod basic;
mod bass;
pub mod batch;
mod blob_prost;
pub mod blobs;
mod bpros;
mod bprost;
pub mod disco;
mod input;
mod lsh;
mod offsets;
mod pairs;
mod ram;
mod tiles;

pub use background::{Background, Histogram};
pub use basic::Basic;
pub use bass::Bass;
pub use blob_prost::BlobProst;
pub use bpros::BPros;
pub use bprost::BProst;
pub use disco::{Classes, Disco};
pub use input::{Error, Input, InputKind, Screen};
pub use lsh::Lsh;
pub use ram::Ram;

/// Rows of a screen that features look at.
pub const ROWS: usize = 210;
/// Pixels in a row.
pub const COLUMNS: usize = ale_sim::frame::WIDTH;

/// The features that are on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Active {
    /// Their indices, each once.
    pub indices: Vec<u32>,
    /// How often each is on, for sets that count (DISCO); empty when every count is 1.
    pub counts: Vec<u32>,
}

impl Active {
    /// Takes everything out; the memory stays.
    pub fn clear(&mut self) {
        self.indices.clear();
        self.counts.clear();
    }
}

/// What a feature says: a word and numbers, such as `basic` with colour, row and column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// The kind of fact.
    pub kind: &'static str,
    /// What the kind is about, in the order that the set documents.
    pub numbers: Vec<i32>,
}

/// A part of a screen that a set found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundBox {
    /// Colour of a blob, class of an object.
    pub of: u8,
    /// First column, first row, width, height.
    pub bounds: [u8; 4],
    /// Columns and rows that it moved since the decision before, for sets that follow objects.
    pub velocity: (i8, i8),
}

impl Fact {
    fn new(kind: &'static str, numbers: impl Into<Vec<i32>>) -> Self {
        Self { kind, numbers: numbers.into() }
    }
}

/// A set of binary features.
pub trait FeatureSet: Send + Sync {
    /// What it looks at.
    fn input(&self) -> InputKind;

    /// Number of features, without the bias.
    fn len(&self) -> usize;

    /// Whether the feature with index [`FeatureSet::len`] is there and always on.
    fn has_bias(&self) -> bool {
        false
    }

    /// Whether features have counts: more than one object in a tile (DISCO).
    fn counts(&self) -> bool {
        false
    }

    /// Whether there are no features at all: DISCO without classes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends the features that are on to what is in `out`.
    ///
    /// # Errors
    /// [`Error::Kind`] for RAM where a screen is needed, and the other way round.
    fn append(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error>;

    /// Replaces what is in `out` by the features that are on.
    ///
    /// # Errors
    /// As [`FeatureSet::append`].
    fn active(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error> {
        out.clear();
        self.append(input, out)
    }

    /// How many features are on, for sets that know it before they look for them.
    ///
    /// # Errors
    /// As [`FeatureSet::append`].
    fn count(&self, input: Input<'_>) -> Result<Option<usize>, Error> {
        let _ = input;
        Ok(None)
    }

    /// Writes the features that are on; `out` has the length that [`FeatureSet::count`] tells.
    ///
    /// # Errors
    /// As [`FeatureSet::append`].
    fn write(&mut self, input: Input<'_>, out: &mut [u32]) -> Result<(), Error> {
        let mut active = Active::default();
        self.append(input, &mut active)?;
        out.copy_from_slice(&active.indices);
        Ok(())
    }

    /// The blobs or objects on the screen that it looked at last, for a picture of it.
    fn boxes(&self, _screen: Screen<'_>) -> Vec<FoundBox> {
        Vec::new()
    }

    /// Forgets the previous decision; an episode begins.
    fn reset(&mut self);

    /// The previous decision is now the one with these features; there is none if they are empty. For planners, which
    /// go on from many states in turn. Sets that compare with nothing, and those that cannot tell, forget it.
    fn continue_from(&mut self, features: &[u32]) {
        let _ = features;
        self.reset();
    }

    /// What a feature says; `None` when there is none with this index.
    fn describe(&self, index: u32) -> Option<Fact>;

    /// The same set at the start of an episode, for another thread or environment.
    fn fork(&self) -> Box<dyn FeatureSet>;
}
