//! Which row of weights belongs to a feature. Features get rows on first sight, one after the other.

/// Sets with at most this many features have a number for each.
const DIRECT: usize = 1 << 21;
/// A key of the hash table that stands for nothing.
const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone)]
enum Table {
    /// By the feature: its row and one more, or 0.
    Direct(Vec<u32>),
    /// Open addressing: feature and row, by a multiplicative hash.
    Hashed(Vec<(u32, u32)>),
}

/// Rows of features.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    table: Table,
    /// The feature of each row.
    features: Vec<u32>,
}

fn slot_of(feature: u32, slots: usize) -> usize {
    (u64::from(feature).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (slots - 1)
}

fn place(table: &mut [(u32, u32)], feature: u32, row: u32) {
    let mut slot = slot_of(feature, table.len());
    while table[slot].0 != EMPTY {
        slot = (slot + 1) & (table.len() - 1);
    }
    table[slot] = (feature, row);
}

impl Slots {
    pub(super) fn new(num_features: usize) -> Self {
        let table = if num_features <= DIRECT {
            Table::Direct(vec![0; num_features])
        } else {
            Table::Hashed(vec![(EMPTY, 0); 1 << 12])
        };
        Self { table, features: Vec::new() }
    }

    /// The feature of each row.
    pub(super) fn features(&self) -> &[u32] {
        &self.features
    }

    /// The row of a feature that was seen before.
    pub(super) fn get(&self, feature: u32) -> Option<u32> {
        match &self.table {
            Table::Direct(rows) => rows.get(feature as usize)?.checked_sub(1),
            Table::Hashed(table) => {
                let mut slot = slot_of(feature, table.len());
                loop {
                    match table[slot] {
                        (EMPTY, _) => return None,
                        (found, row) if found == feature => return Some(row),
                        _ => slot = (slot + 1) & (table.len() - 1),
                    }
                }
            }
        }
    }

    /// The rows of these features; new features get one.
    pub(super) fn find(&mut self, features: &[u32], rows: &mut Vec<u32>) {
        rows.clear();
        rows.reserve(features.len());
        for &feature in features {
            rows.push(self.get(feature).unwrap_or_else(|| self.insert(feature)));
        }
    }

    /// Gives a feature that has no row the next one.
    pub(super) fn insert(&mut self, feature: u32) -> u32 {
        let row = self.features.len() as u32;
        self.features.push(feature);
        match &mut self.table {
            Table::Direct(rows) => rows[feature as usize] = row + 1,
            Table::Hashed(table) if self.features.len() * 2 > table.len() => {
                *table = vec![(EMPTY, 0); table.len() * 2];
                for (row, &feature) in self.features.iter().enumerate() {
                    place(table, feature, row as u32);
                }
            }
            Table::Hashed(table) => place(table, feature, row),
        }
        row
    }
}
