//! Regions of one colour in front of the background, how they move, and the objects they form together.
//!
//! A region is an 8-connected component of pixels with equal palette index. Its velocity is its displacement from the
//! most similar region of the screen before. Regions of equal velocity within 3 pixels form one object.

use super::bits::Row;
use super::shape::{Distance, Shape};
use crate::background::Background;
use crate::input::Screen;
use crate::{COLUMNS, ROWS};

/// A region moves less than this many pixels along an axis from one screen to the next.
const REACH: i32 = 8;
/// Farthest pixels of regions that form one object.
const GAP: usize = 3;

/// A shape somewhere on a screen.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) shape: Shape,
    /// The centre: first column and row of the box plus half its size.
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) velocity: (i32, i32),
}

/// Neighbouring pixels of one colour in a row; columns are inclusive.
#[derive(Debug, Clone, Copy)]
struct Run {
    row: u8,
    start: u8,
    end: u8,
    colour: u8,
}

impl Run {
    /// Both intervals of columns come within `gap` columns.
    fn is_near(self, other: Self, gap: usize) -> bool {
        usize::from(self.start) <= usize::from(other.end) + gap
            && usize::from(other.start) <= usize::from(self.end) + gap
    }
}

/// Finds regions and objects screen by screen.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    runs: Vec<Run>,
    /// The first run of each row in `runs`, and one more.
    first: Vec<usize>,
    /// Regions of the screen before, by the row of their centre.
    before: Vec<Object>,
}

impl Regions {
    /// The next screen has nothing to do with the one before.
    pub(crate) fn reset(&mut self) {
        self.before.clear();
    }

    /// The objects of a screen, in the order of their first pixels.
    pub(crate) fn objects(&mut self, screen: Screen<'_>, background: &Background) -> Vec<Object> {
        self.find_runs(screen, background);
        let mut parents = Parents::new(self.runs.len());
        self.each_near_pair(1, |runs, a, b| {
            if runs[a].row != runs[b].row && runs[a].colour == runs[b].colour && runs[a].is_near(runs[b], 1) {
                parents.unite(a, b);
            }
        });
        let region_of: Vec<usize> = (0..self.runs.len()).map(|run| parents.root(run)).collect();
        let mut regions = self.assemble(&region_of);
        for region in &mut regions {
            region.1.velocity = self.velocity(&region.1);
        }
        let mut velocities = vec![(0, 0); self.runs.len()];
        for (root, region) in &regions {
            velocities[*root] = region.velocity;
        }
        self.each_near_pair(GAP, |runs, a, b| {
            let equal = velocities[region_of[a]] == velocities[region_of[b]];
            if equal && runs[a].is_near(runs[b], GAP) {
                parents.unite(a, b);
            }
        });
        let object_of: Vec<usize> = (0..self.runs.len()).map(|run| parents.root(run)).collect();
        let objects = self.assemble(&object_of);
        self.before.clear();
        self.before.extend(regions.into_iter().map(|(_, region)| region));
        self.before.sort_by_key(|region| region.y);
        let moving = |(root, object): (usize, Object)| {
            // All regions of an object have the velocity of the region that its first run belongs to.
            let velocity = velocities[region_of[root]];
            (object.shape.area > 1).then_some(Object { velocity, ..object })
        };
        objects.into_iter().filter_map(moving).collect()
    }

    fn find_runs(&mut self, screen: Screen<'_>, background: &Background) {
        self.runs.clear();
        self.first.clear();
        for row in 0..ROWS {
            self.first.push(self.runs.len());
            let (pixels, back) = (screen.row(row), background.screen().row(row));
            if pixels == back {
                continue;
            }
            let mut x = 0;
            while x < COLUMNS {
                let start = x;
                x += 1;
                if pixels[start] == back[start] {
                    continue;
                }
                while x < COLUMNS && pixels[x] == pixels[start] && pixels[x] != back[x] {
                    x += 1;
                }
                let run = Run { row: row as u8, start: start as u8, end: x as u8 - 1, colour: pixels[start] };
                self.runs.push(run);
            }
        }
        self.first.push(self.runs.len());
    }

    /// Calls `each` for every two runs, the earlier one first, that are at most `gap` rows apart.
    fn each_near_pair(&self, gap: usize, mut each: impl FnMut(&[Run], usize, usize)) {
        for (b, run) in self.runs.iter().enumerate() {
            let row = usize::from(run.row);
            for above in row.saturating_sub(gap)..=row {
                let range = self.first[above]..self.first[above + 1].min(b);
                // Runs of a row are in the order of columns: those left of the reach come first.
                let skipped = self.runs[range.clone()]
                    .partition_point(|other| usize::from(other.end) + gap < run.start.into());
                for a in range.start + skipped..range.end {
                    if usize::from(self.runs[a].start) > usize::from(run.end) + gap {
                        break;
                    }
                    each(&self.runs, a, b);
                }
            }
        }
    }

    /// One object for each root, with its root.
    fn assemble(&self, root_of: &[usize]) -> Vec<(usize, Object)> {
        let mut boxes: Vec<Option<[u8; 4]>> = vec![None; self.runs.len()];
        for (run, &root) in self.runs.iter().zip(root_of) {
            let bounds = boxes[root].get_or_insert([run.row, run.row, run.start, run.end]);
            bounds[1] = run.row;
            bounds[2] = bounds[2].min(run.start);
            bounds[3] = bounds[3].max(run.end);
        }
        let mut number_of = vec![usize::MAX; self.runs.len()];
        let mut found: Vec<(usize, [u8; 4], Vec<Row>)> = Vec::new();
        for (root, bounds) in boxes.iter().enumerate() {
            if let Some(bounds) = *bounds {
                number_of[root] = found.len();
                found.push((root, bounds, vec![Row::EMPTY; usize::from(bounds[1] - bounds[0]) + 1]));
            }
        }
        for (run, &root) in self.runs.iter().zip(root_of) {
            let (_, [top, _, left, _], rows) = &mut found[number_of[root]];
            let row = &mut rows[usize::from(run.row - *top)];
            *row = row.or(Row::run(run.start - *left, run.end - *left));
        }
        let object = |(root, [top, _, left, right], rows): (usize, [u8; 4], Vec<Row>)| {
            let shape = Shape::new(right - left + 1, rows);
            let x = i32::from(left) + i32::from(shape.width / 2);
            let y = i32::from(top) + (shape.height() / 2) as i32;
            (root, Object { shape, x, y, velocity: (0, 0) })
        };
        found.into_iter().map(object).collect()
    }

    /// The displacement from the most similar region of the screen before, the nearer one of two; 0 without one.
    fn velocity(&self, region: &Object) -> (i32, i32) {
        let first = self.before.partition_point(|old| old.y <= region.y - REACH);
        let mut best: Option<(Distance, i32, (i32, i32))> = None;
        for old in self.before[first..].iter().take_while(|old| old.y < region.y + REACH) {
            let moved = (region.x - old.x, region.y - old.y);
            if moved.0.abs() >= REACH {
                continue;
            }
            let Some(distance) = region.shape.similar(&old.shape) else { continue };
            let far = moved.0 * moved.0 + moved.1 * moved.1;
            let better = best.is_none_or(|(least, nearest, displacement)| {
                let ties = (far, moved) < (nearest, displacement);
                distance.is_less(least) || distance.is_equal(least) && ties
            });
            if better {
                best = Some((distance, far, moved));
            }
        }
        best.map_or((0, 0), |(_, _, moved)| moved)
    }
}

/// Union–find with path halving; the root of a set is its smallest member.
struct Parents(Vec<usize>);

impl Parents {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn root(&mut self, mut member: usize) -> usize {
        while self.0[member] != member {
            self.0[member] = self.0[self.0[member]];
            member = self.0[member];
        }
        member
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}
