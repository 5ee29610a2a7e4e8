//! Pairs `i < j` of base features: `n + i * (2n - i - 1) / 2 + (j - i - 1)`.

/// Base features of the largest set with pairs.
const MOST: usize = 1792;

/// Appends every pair of the sorted base features that stand in `list` from `first` on.
pub(crate) fn push_pairs(list: &mut Vec<u32>, first: usize, base: u32) {
    let mut bases = [0; MOST];
    let bases = &mut bases[..list.len() - first];
    bases.copy_from_slice(&list[first..]);
    list.reserve(pairs(bases.len()));
    for first in 0..bases.len() {
        list.extend(pairs_with(bases, first, base));
    }
}

/// Writes every pair of the sorted `bases`; `out` has room for as many.
pub(crate) fn write_pairs(bases: &[u32], mut out: &mut [u32], base: u32) {
    for first in 0..bases.len() {
        let (here, rest) = out.split_at_mut(bases.len() - first - 1);
        here.iter_mut().zip(pairs_with(bases, first, base)).for_each(|(place, pair)| *place = pair);
        out = rest;
    }
}

/// The pairs of the base feature at place `first` with those behind it.
fn pairs_with(bases: &[u32], first: usize, base: u32) -> impl Iterator<Item = u32> {
    let i = bases[first];
    // At most 1,791 base features: the index of a pair fits.
    let before = (base + i * (2 * base - i - 1) / 2).wrapping_sub(i + 1);
    bases[first + 1..].iter().map(move |j| before.wrapping_add(*j))
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
    base * base.saturating_sub(1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_has_its_own_index_and_is_found_again() {
        let base = 7;
        let mut list: Vec<u32> = (0..base).collect();
        push_pairs(&mut list, 0, base);
        assert_eq!(list, (0..base + 21).collect::<Vec<_>>());
        let mut second = vec![50, 2, 4];
        push_pairs(&mut second, 1, base);
        assert_eq!(second, [50, 2, 4, 19]);
        let mut written = [0; 21];
        write_pairs(&list[..7], &mut written, base);
        assert_eq!(written, list[7..]);
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
