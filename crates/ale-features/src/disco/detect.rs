//! Where the objects of known classes are on a screen.
//!
//! Shapes are tried by their area, large ones first. A shape matches where the foreground equals it in its whole box;
//! the pixels that matched are cleared, so that a smaller shape does not match there again. The columns in which the
//! first row of a shape fits are found for a whole row of the screen at once, by shifting it.

use super::bits::{Mask, Row};
use super::classes::Classes;
use super::shape::Shape;
use crate::input::Screen;
use crate::{COLUMNS, ROWS};

/// An object of a class on a screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instance {
    /// Number of its class.
    pub class: u8,
    /// The box: first column, first row, width, height.
    pub bounds: [u8; 4],
    /// Columns and rows that the centre moved since the decision before; 0 when no instance of the class was near.
    pub velocity: (i8, i8),
}

impl Instance {
    /// Column and row of the centre.
    pub fn centre(&self) -> (i32, i32) {
        let [left, top, width, height] = self.bounds.map(i32::from);
        (left + width / 2, top + height / 2)
    }
}

/// A shape and its class.
#[derive(Debug, Clone)]
struct Pattern {
    shape: Shape,
    class: u8,
}

/// Finds instances; its memory is used again for the next screen.
#[derive(Debug, Clone)]
pub(crate) struct Detector {
    patterns: Vec<Pattern>,
    mask: Mask,
}

impl Detector {
    pub(crate) fn new(classes: &Classes) -> Self {
        let of_class = |(class, shapes): (usize, &Vec<Shape>)| {
            let pattern = move |shape: &Shape| Pattern { shape: shape.clone(), class: class as u8 };
            shapes.iter().map(pattern).collect::<Vec<_>>()
        };
        let mut patterns: Vec<Pattern> = classes.classes.iter().enumerate().flat_map(of_class).collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.shape.area));
        Self { patterns, mask: Mask::new() }
    }

    /// Replaces `out` by the instances on a screen, their velocities 0.
    pub(crate) fn find(&mut self, screen: Screen<'_>, classes: &Classes, out: &mut Vec<Instance>) {
        out.clear();
        self.mask.fill(screen, &classes.background);
        let rows = &mut self.mask.rows;
        for Pattern { shape, class } in &self.patterns {
            let (width, height) = (usize::from(shape.width), shape.height());
            for top in 0..=ROWS - height {
                let mut columns = fitting(rows[top], shape.rows[0], width);
                while !columns.is_empty() {
                    let left = columns.first();
                    columns = columns.without(Row::run(left as u8, left as u8));
                    let box_rows = &mut rows[top..top + height];
                    let ones = Row::ones(width);
                    if box_rows.iter().zip(&shape.rows).all(|(row, want)| row.left(left).and(ones) == *want) {
                        for (row, gone) in box_rows.iter_mut().zip(&shape.rows) {
                            *row = row.without(gone.right(left));
                        }
                        out.push(Instance {
                            class: *class,
                            bounds: [left as u8, top as u8, shape.width, height as u8],
                            velocity: (0, 0),
                        });
                    }
                }
            }
        }
    }
}

/// Columns of a pattern that are compared for a whole row at once; the rest is compared where those fit.
const COMPARED: usize = 12;

/// The columns where `pattern` may begin in a row.
#[inline]
fn fitting(row: Row, pattern: Row, width: usize) -> Row {
    if row.is_empty() {
        return row;
    }
    let mut columns = Row::ones(COLUMNS + 1 - width);
    for x in 0..width.min(COMPARED) {
        let here = row.left(x);
        columns = if pattern.get(x) { columns.and(here) } else { columns.without(here) };
        if columns.is_empty() {
            break;
        }
    }
    columns
}
