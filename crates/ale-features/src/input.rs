//! What features look at: a screen of 210 rows, or RAM.

use ale_sim::Frame;

use crate::{COLUMNS, ROWS};

/// Why an input is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A picture with too few pixels or a part of a row.
    #[error("a screen of {0} pixels; accepted: whole rows of 160 pixels, at least 210 of them")]
    Screen(usize),
    /// RAM of another size.
    #[error("RAM of {0} bytes; accepted: 128 bytes")]
    Ram(usize),
    /// RAM where a screen is needed, or the other way round.
    #[error("{set} looks at {wanted}, and {given} came")]
    Kind {
        /// The set of features.
        set: &'static str,
        /// What it accepts.
        wanted: InputKind,
        /// What it got.
        given: InputKind,
    },
}

/// The two kinds of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputKind {
    /// A picture of palette indices.
    Screen,
    /// The console's memory.
    Ram,
}

impl std::fmt::Display for InputKind {
    fn fmt(&self, text: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        text.write_str(match self {
            Self::Screen => "a screen",
            Self::Ram => "RAM",
        })
    }
}

/// Rows 0 to 209 of a picture. Some games have more; those rows are cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Screen<'a>(&'a [[u8; COLUMNS]; ROWS]);

impl<'a> Screen<'a> {
    /// The upper part of a picture of palette indices.
    ///
    /// # Errors
    /// [`Error::Screen`] for less than 210 rows or an incomplete row.
    pub fn new(pixels: &'a [u8]) -> Result<Self, Error> {
        let (rows, rest) = pixels.as_chunks();
        match rows.first_chunk() {
            Some(rows) if rest.is_empty() => Ok(Self(rows)),
            _ => Err(Error::Screen(pixels.len())),
        }
    }

    /// One row.
    #[inline]
    pub fn row(self, row: usize) -> &'a [u8; COLUMNS] {
        &self.0[row]
    }

    /// All rows.
    #[inline]
    pub fn rows(self) -> &'a [[u8; COLUMNS]; ROWS] {
        self.0
    }

    /// All 33,600 pixels.
    #[inline]
    pub fn pixels(self) -> &'a [u8] {
        self.0.as_flattened()
    }
}

impl<'a> From<&'a [[u8; COLUMNS]; ROWS]> for Screen<'a> {
    fn from(rows: &'a [[u8; COLUMNS]; ROWS]) -> Self {
        Self(rows)
    }
}

impl<'a> TryFrom<Frame<'a>> for Screen<'a> {
    type Error = Error;

    fn try_from(frame: Frame<'a>) -> Result<Self, Error> {
        Self::new(frame.pixels)
    }
}

/// One input of a [`FeatureSet`](crate::FeatureSet).
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    /// A picture.
    Screen(Screen<'a>),
    /// The console's memory.
    Ram(&'a [u8; 128]),
}

impl<'a> Input<'a> {
    /// Memory as an input.
    ///
    /// # Errors
    /// [`Error::Ram`] unless there are 128 bytes.
    pub fn ram(bytes: &'a [u8]) -> Result<Self, Error> {
        bytes.try_into().map(Self::Ram).map_err(|_| Error::Ram(bytes.len()))
    }

    pub(crate) fn screen(self, set: &'static str) -> Result<Screen<'a>, Error> {
        match self {
            Self::Screen(screen) => Ok(screen),
            Self::Ram(_) => Err(Error::Kind { set, wanted: InputKind::Screen, given: InputKind::Ram }),
        }
    }
}
