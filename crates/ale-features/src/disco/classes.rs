//! The classes of objects of a game, as they are kept and stored.

use ale_sim::Error;
use ale_sim::bytes::{self, Reader, Writer};

use super::bits::Row;
use super::shape::Shape;
use crate::background::Background;
use crate::{COLUMNS, ROWS};

const KIND: [u8; 8] = *b"ale disc";
const VERSION: u32 = 1;

/// What DISCO knows of a game: its background, and for each class of objects the shapes that its members have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    pub(crate) background: Background,
    pub(crate) classes: Vec<Vec<Shape>>,
}

impl Classes {
    /// Classes are at most so many.
    pub const MAX: usize = 10;

    /// No classes in front of a background: legal, and without features.
    pub fn none(background: Background) -> Self {
        Self { background, classes: Vec::new() }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether the game has no classes.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The background that objects stand out from.
    pub fn background(&self) -> &Background {
        &self.background
    }

    /// The shapes of a class, large ones first, each as its width and its pixels row by row.
    ///
    /// # Panics
    /// When there is no such class.
    pub fn shapes(&self, class: usize) -> impl Iterator<Item = (usize, Vec<bool>)> {
        self.classes[class].iter().map(|shape| {
            let width = usize::from(shape.width);
            let pixels = shape.rows.iter().flat_map(|row| (0..width).map(|x| row.get(x))).collect();
            (width, pixels)
        })
    }

    /// All as bytes with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.raw(self.background.screen().pixels()).u8(self.classes.len() as u8);
        for shapes in &self.classes {
            out.u32(shapes.len() as u32);
            for shape in shapes {
                out.u8(shape.width).u8(shape.height() as u8);
                for row in &shape.rows {
                    for first in (0..usize::from(shape.width)).step_by(8) {
                        let bit = |x: usize| u8::from(row.get(first + x)) << x;
                        out.u8((0..8).map(bit).sum());
                    }
                }
            }
        }
        bytes::seal(KIND, VERSION, &out.finish())
    }

    /// What [`Classes::to_bytes`] gave.
    ///
    /// # Errors
    /// When the bytes are damaged or something else.
    pub fn from_bytes(sealed: &[u8]) -> Result<Self, Error> {
        let mut input = Reader::new(bytes::unseal(KIND, VERSION, sealed)?);
        let background = Background::new(input.raw(ROWS * COLUMNS)?).map_err(|_| bytes::damaged())?;
        let count = usize::from(input.u8()?);
        if count > Self::MAX {
            return Err(bytes::damaged());
        }
        let mut classes = Vec::new();
        for _ in 0..count {
            let shapes = input.u32()?;
            classes.push((0..shapes).map(|_| read_shape(&mut input)).collect::<Result<_, _>>()?);
        }
        input.finish()?;
        Ok(Self { background, classes })
    }
}

fn read_shape(input: &mut Reader<'_>) -> Result<Shape, Error> {
    let (width, height) = (input.u8()?, usize::from(input.u8()?));
    if !(1..=COLUMNS).contains(&usize::from(width)) || !(1..=ROWS).contains(&height) {
        return Err(bytes::damaged());
    }
    let mut rows = Vec::with_capacity(height);
    for _ in 0..height {
        let mut row = Row::EMPTY;
        for (at, byte) in input.raw(usize::from(width).div_ceil(8))?.iter().enumerate() {
            for x in (0..8).filter(|x| byte >> x & 1 == 1) {
                if at * 8 + x >= usize::from(width) {
                    return Err(bytes::damaged());
                }
                row.set(at * 8 + x);
            }
        }
        rows.push(row);
    }
    let edges = rows.iter().fold(Row::EMPTY, |all, row| all.or(*row));
    let tight = edges.get(0) && edges.get(usize::from(width) - 1);
    if !tight || rows[0].is_empty() || rows[height - 1].is_empty() {
        return Err(bytes::damaged());
    }
    Ok(Shape::new(width, rows))
}
