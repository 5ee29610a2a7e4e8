//! Every set as its definition says it, without a thought for speed. Results are facts, so that the order of indices
//! is proved apart.

use std::collections::{BTreeSet, HashSet};

use ale_sim::rng::Xoshiro256;

pub(crate) mod disco;

pub(crate) const ROWS: usize = 210;
pub(crate) const COLUMNS: usize = 160;

/// A kind and its numbers.
pub(crate) type Facts = BTreeSet<(&'static str, Vec<i32>)>;

fn foreground(pixels: &[u8], background: Option<&[u8]>, at: usize) -> bool {
    background.is_none_or(|background| background[at] != pixels[at])
}

/// Colour, row and column of every tile of 10 x 15 pixels that shows it.
fn tiles(pixels: &[u8], background: Option<&[u8]>, colour: impl Fn(u8) -> u8) -> BTreeSet<[i32; 3]> {
    let mut places = BTreeSet::new();
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let at = row * COLUMNS + column;
            if foreground(pixels, background, at) {
                places.insert([i32::from(colour(pixels[at])), row as i32 / 15, column as i32 / 10]);
            }
        }
    }
    places
}

pub(crate) fn basic(pixels: &[u8], background: Option<&[u8]>) -> Facts {
    tiles(pixels, background, |index| index >> 1).into_iter().map(|place| ("basic", place.to_vec())).collect()
}

/// Indices of BASS as the specification has them.
pub(crate) fn bass(pixels: &[u8], background: &[u8]) -> BTreeSet<u32> {
    let base: BTreeSet<u32> = tiles(pixels, Some(background), |index| index >> 1 & 7)
        .into_iter()
        .map(|[colour, row, column]| ((row * 16 + column) * 8 + colour) as u32)
        .collect();
    with_pairs(&base, 1792)
}

/// Indices of RAM as the specification has them.
pub(crate) fn ram(ram: &[u8; 128]) -> BTreeSet<u32> {
    let base = (0..1024).filter(|bit| ram[bit >> 3] >> (bit & 7) & 1 == 1).map(|bit| bit as u32).collect();
    with_pairs(&base, 1024)
}

fn with_pairs(base: &BTreeSet<u32>, count: u32) -> BTreeSet<u32> {
    let mut all = base.clone();
    for &i in base {
        for &j in base {
            if i < j {
                all.insert(count + i * (2 * count - i - 1) / 2 + (j - i - 1));
            }
        }
    }
    all
}

/// For each of 2,000 hashes its 1,000 bits and their values.
pub(crate) type LshTables = Vec<Vec<(usize, u32)>>;

/// The tables, drawn as the library documents.
pub(crate) fn lsh_tables(seed: u64) -> LshTables {
    let mut rng = Xoshiro256::new(seed);
    let mut tables = Vec::new();
    for _ in 0..2000 {
        let mut seen = BTreeSet::new();
        let mut table = Vec::new();
        while table.len() < 1000 {
            let bit = rng.below(235_200) as usize;
            if seen.insert(bit) {
                table.push((bit, rng.below(50) as u32));
            }
        }
        tables.push(table);
    }
    tables
}

/// Indices of LSH.
pub(crate) fn lsh(pixels: &[u8], tables: &[Vec<(usize, u32)>]) -> BTreeSet<u32> {
    let is_set = |bit: usize| pixels[bit / 7] >> 1 >> (bit % 7) & 1 == 1;
    let hash = |table: &Vec<(usize, u32)>| {
        table.iter().filter(|(bit, _)| is_set(*bit)).map(|(_, value)| value).sum::<u32>() % 50
    };
    tables.iter().enumerate().map(|(number, table)| 50 * number as u32 + hash(table)).collect()
}

/// Colour, first row, last row, first column, last column of every blob: a search over pixels and their 168 neighbours.
pub(crate) fn blobs(pixels: &[u8]) -> BTreeSet<[i32; 5]> {
    let mut seen = vec![false; ROWS * COLUMNS];
    let mut found = BTreeSet::new();
    for first in 0..ROWS * COLUMNS {
        if seen[first] {
            continue;
        }
        let colour = pixels[first] >> 1;
        let mut bounds = [ROWS, 0, COLUMNS, 0];
        let mut queue = vec![first];
        seen[first] = true;
        while let Some(at) = queue.pop() {
            let (row, column) = (at / COLUMNS, at % COLUMNS);
            bounds = [bounds[0].min(row), bounds[1].max(row), bounds[2].min(column), bounds[3].max(column)];
            for near_row in row.saturating_sub(6)..(row + 7).min(ROWS) {
                for near_column in column.saturating_sub(6)..(column + 7).min(COLUMNS) {
                    let near = near_row * COLUMNS + near_column;
                    if !seen[near] && pixels[near] >> 1 == colour {
                        seen[near] = true;
                        queue.push(near);
                    }
                }
            }
        }
        let [top, bottom, left, right] = bounds.map(|bound| bound as i32);
        found.insert([i32::from(colour), top, bottom, left, right]);
    }
    found
}

/// Colour, row, column of the tile of 4 x 7 pixels in the middle of each blob.
pub(crate) fn blob_places(pixels: &[u8]) -> BTreeSet<[i32; 3]> {
    let middle = |[colour, top, bottom, left, right]: [i32; 5]| {
        [colour, i32::midpoint(top, bottom) / 7, i32::midpoint(left, right) / 4]
    };
    blobs(pixels).into_iter().map(middle).collect()
}

/// Colour, row, column of the tiles of B-PROS.
pub(crate) fn tile_places(pixels: &[u8], background: Option<&[u8]>) -> BTreeSet<[i32; 3]> {
    tiles(pixels, background, |index| index >> 1)
}

/// Basic facts, offsets in space, and those in time when there is a picture before.
pub(crate) fn offsets(now: &BTreeSet<[i32; 3]>, before: Option<&BTreeSet<[i32; 3]>>) -> Facts {
    let mut facts = Facts::new();
    // Most pairs say what others have said: a hash set throws those away soonest.
    let (mut space, mut time) = (HashSet::new(), HashSet::new());
    for &[colour, row, column] in now {
        facts.insert(("basic", vec![colour, row, column]));
        for &[other, other_row, other_column] in now {
            let (rows, columns) = (row - other_row, column - other_column);
            if colour < other || colour == other && (rows > 0 || rows == 0 && columns >= 0) {
                space.insert([colour, other, rows, columns]);
            }
        }
        for &[old, old_row, old_column] in before.into_iter().flatten() {
            time.insert([old, colour, old_row - row, old_column - column]);
        }
    }
    facts.extend(space.into_iter().map(|numbers| ("space", numbers.to_vec())));
    facts.extend(time.into_iter().map(|numbers| ("time", numbers.to_vec())));
    facts.insert(("bias", vec![]));
    facts
}
