//! DISCO: where objects of each class are, and how those of different classes lie to each other.
//!
//! Position and offset are tile-coded: 8 tilings of 8 x 8 tiles, each shifted by an eighth of a tile, so 9 x 9 tiles
//! cover the screen. Offsets reach over twice the screen, in one of four blocks by whether the two approach in x and y.
//!
//! | part | features | index within the part |
//! |---|---|---|
//! | class c | 8 · 81 + 1 | `(tiling * 9 + row) * 9 + column`, then "no instance" |
//! | classes a < b | 4 · 8 · 81 | `((approaching in x + 2 * in y) * 8 + tiling) * 81 + row * 9 + column` |

mod bits;
mod classes;
mod detect;
mod discover;
mod regions;
mod shape;

use std::sync::Arc;

pub use classes::Classes;
pub use detect::Instance;
pub use discover::Discovery;

use crate::input::{Error, Input, InputKind, Screen};
use crate::{Active, COLUMNS, Fact, FeatureSet, FoundBox, ROWS};
use detect::Detector;

const TILINGS: i32 = 8;
const TILES: i32 = 8;
/// Tiles along an axis that the shifted tilings touch.
const SIDE: i32 = TILES + 1;
const POSITIONS: usize = (TILINGS * SIDE * SIDE) as usize;
const OF_CLASS: usize = POSITIONS + 1;
const OF_PAIR: usize = 4 * POSITIONS;
/// Farthest instance of the decision before that counts as the same.
const REACH: i32 = 8;

/// The features that the classes of a game give.
///
/// Facts are `absent` with a class; `position` with class, tiling, row, column; `relation` with two classes, whether
/// they approach in x and in y, tiling, row, column.
#[derive(Debug, Clone)]
pub struct Disco {
    classes: Arc<Classes>,
    detector: Detector,
    now: Vec<Instance>,
    before: Vec<Instance>,
    moving: Vec<Moving>,
    correlation: Correlation,
    /// How often each feature is on; 0 between calls.
    counts: Vec<u32>,
}

impl Disco {
    /// The set for these classes.
    pub fn new(classes: Arc<Classes>) -> Self {
        let count = classes.len();
        let len = count * OF_CLASS + count * count.saturating_sub(1) / 2 * OF_PAIR;
        let detector = Detector::new(&classes);
        Self {
            classes,
            detector,
            now: Vec::new(),
            before: Vec::new(),
            moving: Vec::new(),
            correlation: Correlation::new(),
            counts: vec![0; len],
        }
    }

    /// The classes that it knows.
    pub fn classes(&self) -> &Classes {
        &self.classes
    }

    /// The instances on the last screen.
    pub fn instances(&self) -> &[Instance] {
        &self.now
    }
}

/// Every two classes with the first of their features.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let pairs = (0..count).flat_map(move |first| (first + 1..count).map(move |second| (first, second)));
    pairs.enumerate().map(move |(rank, (first, second))| (first, second, count * OF_CLASS + rank * OF_PAIR))
}

/// Instances in the order of classes, then of columns.
fn key(instance: Instance) -> (u8, i32, i32, [u8; 4]) {
    let (x, y) = instance.centre();
    (instance.class, x, y, instance.bounds)
}

/// The displacement from the nearest instance of the class on the decision before, if one is near enough. Of two the one
/// with the smaller displacement in columns, then in rows.
///
/// The columns beside it are searched from the nearest on: a large foreground has thousands of instances of a small shape,
/// most of them where one was before.
fn velocity(instance: Instance, before: &[Instance]) -> (i8, i8) {
    let (x, y) = instance.centre();
    let mut nearest: Option<(i32, i32, i32)> = None;
    for step in 0..=2 * REACH {
        let dx = if step % 2 == 0 { step / 2 } else { -(step + 1) / 2 };
        if nearest.is_some_and(|(distance, ..)| distance < dx.abs()) {
            break;
        }
        let from = (instance.class, x - dx, y - REACH);
        let first = before.partition_point(|old| (old.class, old.centre().0, old.centre().1) < from);
        for old in &before[first..] {
            let (old_x, old_y) = old.centre();
            let dy = y - old_y;
            if old.class != instance.class || old_x != x - dx || dy < -REACH {
                break;
            }
            let found = (dx.abs().max(dy.abs()), dx, dy);
            nearest = Some(nearest.map_or(found, |nearest| nearest.min(found)));
        }
    }
    nearest.map_or((0, 0), |(_, dx, dy)| (dx as i8, dy as i8))
}

/// Which eighth of a tile a coordinate from 0 to `range - 1` is in. The tile in the tiling that is shifted by t eighths is
/// the sum of this and t, divided by 8.
fn eighth(coordinate: i32, range: i32) -> usize {
    (TILINGS * TILES * coordinate / range) as usize
}

/// The tiles that an eighth of a tile in both axes lies in, one of each tiling.
fn tiles(column: usize, row: usize) -> impl Iterator<Item = usize> {
    let tilings = TILINGS as usize;
    let side = SIDE as usize;
    (0..tilings)
        .map(move |tiling| (tiling * side + (row + tiling) / tilings) * side + (column + tiling) / tilings)
}

/// How often each offset comes, by eighths of a tile: a pair of instances is one addition here, and the eight tilings
/// are looked at once for all pairs that share a cell.
#[derive(Debug, Clone)]
struct Correlation {
    /// Four blocks of 64 x 64 cells.
    cells: Vec<u32>,
    touched: Vec<u16>,
    /// Eighth of a tile by offset plus 160 columns, plus 210 rows.
    column_of: Vec<u8>,
    row_of: Vec<u8>,
}

const CELLS: usize = (TILINGS * TILES) as usize;

impl Correlation {
    fn new() -> Self {
        let of = |range: i32| (0..range).map(|offset| eighth(offset, range) as u8).collect();
        Self {
            cells: vec![0; 4 * CELLS * CELLS],
            touched: Vec::new(),
            column_of: of(2 * COLUMNS as i32),
            row_of: of(2 * ROWS as i32),
        }
    }

    #[inline]
    fn add(&mut self, a: Moving, b: Moving) {
        let (dx, dy) = (a.x - b.x, a.y - b.y);
        let approaching_x = usize::from(dx * (a.vx - b.vx) < 0);
        let approaching_y = usize::from(dy * (a.vy - b.vy) < 0);
        let column = usize::from(self.column_of[(dx + COLUMNS as i16) as usize]);
        let row = usize::from(self.row_of[(dy + ROWS as i16) as usize]);
        let cell = ((approaching_x + 2 * approaching_y) * CELLS + row) * CELLS + column;
        let count = &mut self.cells[cell];
        if *count == 0 {
            self.touched.push(cell as u16);
        }
        *count += 1;
    }
}

/// Centre and velocity of an instance.
#[derive(Debug, Clone, Copy)]
struct Moving {
    x: i16,
    y: i16,
    vx: i16,
    vy: i16,
}

impl From<&Instance> for Moving {
    fn from(instance: &Instance) -> Self {
        let ((x, y), (vx, vy)) = (instance.centre(), instance.velocity);
        Self { x: x as i16, y: y as i16, vx: vx.into(), vy: vy.into() }
    }
}

impl FeatureSet for Disco {
    fn input(&self) -> InputKind {
        InputKind::Screen
    }

    fn len(&self) -> usize {
        self.counts.len()
    }

    fn append(&mut self, input: Input<'_>, out: &mut Active) -> Result<(), Error> {
        let screen = input.screen("DISCO")?;
        let first = out.indices.len();
        std::mem::swap(&mut self.now, &mut self.before);
        self.detector.find(screen, &self.classes, &mut self.now);
        let Self { classes, now, before, moving, correlation, counts, .. } = self;
        for instance in &mut *now {
            instance.velocity = velocity(*instance, before);
        }
        now.sort_unstable_by_key(|instance| key(*instance));
        moving.clear();
        moving.extend(now.iter().map(Moving::from));
        let mut add = |index: usize, times: u32| {
            if counts[index] == 0 {
                out.indices.push(index as u32);
            }
            counts[index] += times;
        };
        let mut first_of = [0; Classes::MAX + 1];
        for class in 0..classes.len() {
            first_of[class + 1] = now.partition_point(|instance| usize::from(instance.class) <= class);
            let members = &moving[first_of[class]..first_of[class + 1]];
            for instance in members {
                let column = eighth(instance.x.into(), COLUMNS as i32);
                for tile in tiles(column, eighth(instance.y.into(), ROWS as i32)) {
                    add(class * OF_CLASS + tile, 1);
                }
            }
            if members.is_empty() {
                add(class * OF_CLASS + POSITIONS, 1);
            }
        }
        for (first, second, base) in pairs(classes.len()) {
            for &a in &moving[first_of[first]..first_of[first + 1]] {
                for &b in &moving[first_of[second]..first_of[second + 1]] {
                    correlation.add(a, b);
                }
            }
            for cell in correlation.touched.drain(..) {
                let times = std::mem::take(&mut correlation.cells[usize::from(cell)]);
                let (block, row) = (usize::from(cell) / CELLS / CELLS, usize::from(cell) / CELLS % CELLS);
                for tile in tiles(usize::from(cell) % CELLS, row) {
                    add(base + block * POSITIONS + tile, times);
                }
            }
        }
        for &index in &out.indices[first..] {
            out.counts.push(std::mem::take(&mut self.counts[index as usize]));
        }
        Ok(())
    }

    fn counts(&self) -> bool {
        true
    }

    fn boxes(&self, _screen: Screen<'_>) -> Vec<FoundBox> {
        let found = |instance: &Instance| FoundBox {
            of: instance.class,
            bounds: instance.bounds,
            velocity: instance.velocity,
        };
        self.now.iter().map(found).collect()
    }

    fn reset(&mut self) {
        self.now.clear();
    }

    fn describe(&self, index: u32) -> Option<Fact> {
        let index = index as usize;
        if index >= self.len() {
            return None;
        }
        let place = |rest: usize| {
            let (tiling, tile) = (rest as i32 / (SIDE * SIDE), rest as i32 % (SIDE * SIDE));
            [tiling, tile / SIDE, tile % SIDE]
        };
        let count = self.classes.len();
        if index < count * OF_CLASS {
            let (class, rest) = ((index / OF_CLASS) as i32, index % OF_CLASS);
            if rest == POSITIONS {
                return Some(Fact::new("absent", [class]));
            }
            return Some(Fact::new("position", [&[class][..], &place(rest)].concat()));
        }
        let rank = (index - count * OF_CLASS) / OF_PAIR;
        let (rest, block) =
            ((index - count * OF_CLASS) % POSITIONS, (index - count * OF_CLASS) % OF_PAIR / POSITIONS);
        let (first, second, _) = pairs(count).nth(rank)?;
        let numbers = [first as i32, second as i32, block as i32 & 1, block as i32 >> 1];
        Some(Fact::new("relation", [&numbers[..], &place(rest)].concat()))
    }

    fn fork(&self) -> Box<dyn FeatureSet> {
        Box::new(Self::new(Arc::clone(&self.classes)))
    }
}
