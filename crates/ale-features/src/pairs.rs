//! Pairs `i < j` of base features: `n + i * (2n - i - 1) / 2 + (j - i - 1)`.

/// Appends every pair of the sorted base features that `list` begins with.
pub(crate) fn push_pairs(list: &mut Vec<u32>, base: u32) {
    let active = list.len();
    list.reserve(active * active.saturating_sub(1) / 2);
    for first in 0..active {
        let i = list[first];
        // At most 1,791 base features: the index of a pair fits.
        let before = (base + i * (2 * base - i - 1) / 2).wrapping_sub(i + 1);
        let from = list.len();
        list.extend_from_within(first + 1..active);
        for index in &mut list[from..] {
            *index = index.wrapping_add(before);
        }
    }
}

/// The pair with this index; `index` is that of the whole set.
pub(crate) fn pair_of(index: u32, base: u32) -> (u32, u32) {
    let rank = index - base;
    let first_of = |i: u32| i * (2 * base - i - 1) / 2;
    let (mut low, mut high) = (0, base - 1);
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if first_of(middle) <= rank {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low, low + 1 + rank - first_of(low))
}

/// Pairs of `base` features.
pub(crate) const fn pairs(base: usize) -> usize {
    base * (base - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_own_index_and_is_found_again() {
        let base = 7;
        let mut list: Vec<u32> = (0..base).collect();
        push_pairs(&mut list, base);
        assert_eq!(list, (0..base + 21).collect::<Vec<_>>());
        let mut rank = base;
        for i in 0..base {
            for j in i + 1..base {
                assert_eq!(pair_of(rank, base), (i, j));
                rank += 1;
            }
        }
    }

    #[test]
    fn the_last_pair_of_bass_is_the_last_index() {
        assert_eq!(pair_of(1_606_527, 1792), (1790, 1791));
        assert_eq!(pair_of(524_799, 1024), (1022, 1023));
        assert_eq!(pair_of(1792, 1792), (0, 1));
    }
}
