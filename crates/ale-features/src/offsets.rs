//! Pairwise offsets between coloured places: the part that B-PROS, B-PROST and Blob-PROST share.
//!
//! Places lie on a grid. Per colour and grid row there is one bit mask of columns. The offsets between two colours are
//! the differences of their places: for each place of one colour the masks of the other are shifted by its column and
//! OR-ed into the row of offsets at their distance, so duplicates vanish without a look-up.
//!
//! Indices, with R x C places and O = (2R - 1)(2C - 1) offsets:
//!
//! | part | features | index within the part |
//! |---|---|---|
//! | basic | 128 RC | `(row * C + column) * 128 + colour` |
//! | space, two colours | 8,128 O | `(rank of c1 < c2) * O + (dr + R - 1) * (2C - 1) + dc + C - 1` |
//! | space, one colour | 128 (O + 1) / 2 | `colour * (O + 1) / 2`, then dr = 0 with dc >= 0, then rows dr > 0 |
//! | time | 16,384 O | `(before * 128 + now) * O + offset` |

use crate::Fact;
use crate::tiles::for_each_bit;

const COLOURS: usize = 128;
const COLOUR_PAIRS: usize = COLOURS * (COLOURS - 1) / 2;
/// Rows of the finest grid.
const MAX_ROWS: usize = 30;

/// A grid of places and a word that holds one row of offsets.
pub(crate) trait Grid: Clone + Send + 'static {
    const ROWS: usize;
    const COLUMNS: usize;
    type Word: Copy + Default + Into<u128> + Send;

    const WIDTH: usize = 2 * Self::COLUMNS - 1;
    const OFFSETS: usize = (2 * Self::ROWS - 1) * Self::WIDTH;
    const HALF: usize = Self::OFFSETS.div_ceil(2);
    const BASIC: usize = Self::ROWS * Self::COLUMNS * COLOURS;
    const SAME: usize = Self::BASIC + COLOUR_PAIRS * Self::OFFSETS;
    const TIME: usize = Self::SAME + COLOURS * Self::HALF;
    const END: usize = Self::TIME + COLOURS * COLOURS * Self::OFFSETS;

    /// ORs the offsets `a - b` into `found`, whose row `ROWS - 1` is distance 0.
    fn accumulate(a: &Places, b: &Places, found: &mut [Self::Word]);
}

/// The 16 x 14 tiles. A tile shows many colours, so rows are dense: columns are taken in intervals.
#[derive(Debug, Clone)]
pub(crate) struct Coarse;

impl Grid for Coarse {
    const ROWS: usize = 14;
    const COLUMNS: usize = 16;
    type Word = u32;

    fn accumulate(a: &Places, b: &Places, found: &mut [u32]) {
        let mut masks = [0; 14];
        for (mask, &row) in masks.iter_mut().zip(&a.rows) {
            *mask = row as u32;
        }
        for row_b in b.first..b.end {
            let window: &mut [u32; 14] =
                (&mut found[13 - row_b..27 - row_b]).try_into().expect("14 rows of offsets");
            let mut columns = b.rows[row_b];
            while columns != 0 {
                // The lowest interval of columns: OR of the masks shifted by each of its columns.
                let low = columns.trailing_zeros();
                let length = (!(columns >> low)).trailing_zeros();
                columns &= columns + (1 << low);
                let shift = 16 - low - length;
                let mut smeared = masks;
                let mut covered = 1;
                while covered < length {
                    let step = covered.min(length - covered);
                    for mask in &mut smeared {
                        *mask |= *mask << step;
                    }
                    covered += step;
                }
                for (offsets, mask) in window.iter_mut().zip(&smeared) {
                    *offsets |= mask << shift;
                }
            }
        }
    }
}

/// The 40 x 30 tiles of blobs, few per colour.
#[derive(Debug, Clone)]
pub(crate) struct Fine;

impl Grid for Fine {
    const ROWS: usize = 30;
    const COLUMNS: usize = 40;
    type Word = u128;

    fn accumulate(a: &Places, b: &Places, found: &mut [u128]) {
        if b.count * (a.end - a.first) <= a.count * (b.end - b.first) {
            for row_b in b.first..b.end {
                for_each_column(b.rows[row_b], |column| {
                    let shift = 39 - column;
                    let window = &mut found[a.first + 29 - row_b..a.end + 29 - row_b];
                    for (offsets, &mask) in window.iter_mut().zip(&a.rows[a.first..a.end]) {
                        *offsets |= u128::from(mask) << shift;
                    }
                });
            }
        } else {
            for row_a in a.first..a.end {
                for_each_column(a.rows[row_a], |column| {
                    let window = &mut found[row_a + 30 - b.end..row_a + 30 - b.first];
                    let masks = b.rows[b.first..b.end].iter().rev();
                    for (offsets, &mask) in window.iter_mut().zip(masks) {
                        *offsets |= u128::from(mask.reverse_bits() >> 24) << column;
                    }
                });
            }
        }
    }
}

#[inline]
fn for_each_column(mut mask: u64, mut each: impl FnMut(u32)) {
    while mask != 0 {
        each(mask.trailing_zeros());
        mask &= mask - 1;
    }
}

/// Where one colour is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places {
    rows: [u64; MAX_ROWS],
    count: usize,
    /// The first row with a place, and the one after the last.
    first: usize,
    end: usize,
}

impl Places {
    const NONE: Self = Self { rows: [0; MAX_ROWS], count: 0, first: MAX_ROWS, end: 0 };

    #[inline]
    fn set(&mut self, row: usize, column: usize) {
        let bit = 1 << column;
        self.count += usize::from(self.rows[row] & bit == 0);
        self.rows[row] |= bit;
        self.first = self.first.min(row);
        self.end = self.end.max(row + 1);
    }

    fn for_each(&self, mut each: impl FnMut(usize, usize)) {
        for row in self.first..self.end {
            for_each_column(self.rows[row], |column| each(row, column as usize));
        }
    }
}

/// Where all colours are.
#[derive(Debug, Clone)]
pub(crate) struct Picture {
    places: Vec<Places>,
    colours: u128,
}

impl Picture {
    pub(crate) fn new() -> Self {
        Self { places: vec![Places::NONE; COLOURS], colours: 0 }
    }

    pub(crate) fn clear(&mut self) {
        for_each_bit(self.colours, |colour| self.places[colour as usize] = Places::NONE);
        self.colours = 0;
    }

    #[inline]
    pub(crate) fn set(&mut self, colour: usize, row: usize, column: usize) {
        self.colours |= 1 << colour;
        self.places[colour].set(row, column);
    }

    fn for_each_colour(&self, mut each: impl FnMut(usize, &Places)) {
        for_each_bit(self.colours, |colour| each(colour as usize, &self.places[colour as usize]));
    }
}

/// The features of a picture of places and of the one before it.
#[derive(Debug, Clone)]
pub(crate) struct Offsets<G: Grid> {
    now: Picture,
    before: Picture,
    has_before: bool,
    found: Vec<G::Word>,
}

impl<G: Grid> Offsets<G> {
    pub(crate) fn new() -> Self {
        Self {
            now: Picture::new(),
            before: Picture::new(),
            has_before: false,
            found: vec![G::Word::default(); 2 * G::ROWS - 1],
        }
    }

    pub(crate) fn reset(&mut self) {
        self.has_before = false;
    }

    /// The last decision was the one with these features.
    pub(crate) fn continue_from(&mut self, features: &[u32]) {
        self.now.clear();
        self.has_before = !features.is_empty();
        for &index in features.iter().filter(|&&index| (index as usize) < G::BASIC) {
            let (place, colour) = (index as usize / COLOURS, index as usize % COLOURS);
            self.now.set(colour, place / G::COLUMNS, place % G::COLUMNS);
        }
    }

    /// The picture to fill for this decision; the last one becomes the one before.
    pub(crate) fn next(&mut self) -> &mut Picture {
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        &mut self.now
    }

    /// Appends all facts about the places of [`Self::next`]; those of time are left out on the first decision.
    pub(crate) fn push(&mut self, time: bool, out: &mut Vec<u32>) {
        let Self { now, before, has_before, found } = self;
        now.for_each_colour(|colour, places| {
            places.for_each(|row, column| {
                out.push(((row * G::COLUMNS + column) * COLOURS + colour) as u32);
            });
        });
        now.for_each_colour(|colour, places| {
            push_same::<G>(places, (G::SAME + colour * G::HALF) as u32, found, out);
            let others = now.colours & !(u128::MAX >> (127 - colour));
            for_each_bit(others, |other| {
                let base = G::BASIC + rank(colour, other as usize) * G::OFFSETS;
                push_differences::<G>(places, &now.places[other as usize], base as u32, found, out);
            });
        });
        if time && *has_before {
            before.for_each_colour(|old, places| {
                now.for_each_colour(|new, others| {
                    let base = G::TIME + (old * COLOURS + new) * G::OFFSETS;
                    push_differences::<G>(places, others, base as u32, found, out);
                });
            });
        }
        *has_before = true;
    }

    /// What the feature with this index says.
    pub(crate) fn describe(index: usize) -> Fact {
        let offset = |offset: usize| {
            [
                (offset / G::WIDTH) as i32 - G::ROWS as i32 + 1,
                (offset % G::WIDTH) as i32 - G::COLUMNS as i32 + 1,
            ]
        };
        if index < G::BASIC {
            let (place, colour) = (index / COLOURS, index % COLOURS);
            let numbers = [colour, place / G::COLUMNS, place % G::COLUMNS];
            return Fact::new("basic", numbers.map(|number| number as i32));
        }
        let (kind, first, second, [rows, columns]) = if index < G::SAME {
            let (pair, at) = ((index - G::BASIC) / G::OFFSETS, (index - G::BASIC) % G::OFFSETS);
            let (first, second) = colours_of(pair);
            ("space", first, second, offset(at))
        } else if index < G::TIME {
            let (colour, at) = ((index - G::SAME) / G::HALF, (index - G::SAME) % G::HALF);
            ("space", colour, colour, offset(at + G::HALF - 1))
        } else {
            let (pair, at) = ((index - G::TIME) / G::OFFSETS, (index - G::TIME) % G::OFFSETS);
            ("time", pair / COLOURS, pair % COLOURS, offset(at))
        };
        Fact::new(kind, [first as i32, second as i32, rows, columns])
    }
}

/// The rank of two colours among all pairs `first < second`.
fn rank(first: usize, second: usize) -> usize {
    first * (2 * COLOURS - first - 1) / 2 + second - first - 1
}

fn colours_of(rank: usize) -> (usize, usize) {
    let mut first = 0;
    let mut left = rank;
    while left >= COLOURS - 1 - first {
        left -= COLOURS - 1 - first;
        first += 1;
    }
    (first, first + 1 + left)
}

/// Appends `base` plus every offset `a - b`.
#[inline]
fn push_differences<G: Grid>(a: &Places, b: &Places, base: u32, found: &mut [G::Word], out: &mut Vec<u32>) {
    let origin = base + ((G::ROWS - 1) * G::WIDTH + G::COLUMNS - 1) as u32;
    let place = |row: usize, column: usize| (row * G::WIDTH + column) as u32;
    if a.count == 1 {
        // One place minus different ones gives different offsets.
        let row = a.first;
        let here = origin + place(row, a.rows[row].trailing_zeros() as usize);
        b.for_each(|row, column| out.push(here - place(row, column)));
    } else if b.count == 1 {
        let row = b.first;
        let there = origin - place(row, b.rows[row].trailing_zeros() as usize);
        a.for_each(|row, column| out.push(there + place(row, column)));
    } else {
        let rows = a.first + G::ROWS - b.end..a.end + G::ROWS - 1 - b.first;
        found[rows.clone()].fill(G::Word::default());
        G::accumulate(a, b, found);
        for row in rows {
            push_row::<G>(found[row].into(), base + (row * G::WIDTH) as u32, out);
        }
    }
}

/// Appends `base` plus the offsets of the places of one colour among themselves; of an offset and its negative only
/// the one that points down or right.
fn push_same<G: Grid>(places: &Places, base: u32, found: &mut [G::Word], out: &mut Vec<u32>) {
    if places.count == 1 {
        out.push(base);
        return;
    }
    let rows = places.first + G::ROWS - places.end..places.end + G::ROWS - 1 - places.first;
    found[rows.clone()].fill(G::Word::default());
    G::accumulate(places, places, found);
    push_row::<G>(found[G::ROWS - 1].into() >> (G::COLUMNS - 1), base, out);
    for (row, &offsets) in found[G::ROWS..rows.end].iter().enumerate() {
        push_row::<G>(offsets.into(), base + (row * G::WIDTH + G::COLUMNS) as u32, out);
    }
}

#[inline]
fn push_row<G: Grid>(offsets: u128, base: u32, out: &mut Vec<u32>) {
    if offsets == (1 << G::WIDTH) - 1 {
        out.extend(base..base + G::WIDTH as u32);
    } else {
        for_each_bit(offsets, |bit| out.push(base + bit));
    }
}
