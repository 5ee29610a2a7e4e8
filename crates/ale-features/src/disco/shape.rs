//! Binary shapes, and when two of them count as the same object.

use super::bits::Row;

/// Set pixels in their bounding box.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Shape {
    pub(crate) width: u8,
    /// One entry for each row of the box.
    pub(crate) rows: Vec<Row>,
    pub(crate) area: u16,
}

/// How much two shapes differ: pixels that differ when both lie centre on centre, of the larger area.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Distance {
    pub(crate) differing: u32,
    pub(crate) larger: u32,
}

impl Distance {
    pub(crate) fn is_less(self, other: Self) -> bool {
        self.differing * other.larger < other.differing * self.larger
    }

    pub(crate) fn is_equal(self, other: Self) -> bool {
        self.differing * other.larger == other.differing * self.larger
    }
}

/// Two sizes are within a factor of 1.2.
pub(crate) fn within_factor(first: u32, second: u32) -> bool {
    first.max(second) * 5 <= first.min(second) * 6
}

impl Shape {
    /// Rows whose box begins at column 0 and has no empty margin.
    pub(crate) fn new(width: u8, rows: Vec<Row>) -> Self {
        let area = rows.iter().map(|row| row.count()).sum::<u32>() as u16;
        Self { width, rows, area }
    }

    pub(crate) fn height(&self) -> usize {
        self.rows.len()
    }

    /// The shape itself, mirrored left to right, top to bottom, and both.
    pub(crate) fn flips(&self) -> [Self; 4] {
        let mirrored = |shape: &Self| {
            let rows = shape.rows.iter().map(|row| row.mirrored(usize::from(shape.width))).collect();
            Self { rows, ..*shape }
        };
        let upside_down = |shape: &Self| Self { rows: shape.rows.iter().rev().copied().collect(), ..*shape };
        let left = mirrored(self);
        [self.clone(), upside_down(self), upside_down(&left), left]
    }

    /// The shape without rows and columns that repeat the one before: what is left when only sizes change.
    pub(crate) fn collapsed(&self) -> Self {
        let mut rows = self.rows.clone();
        rows.dedup();
        let width = usize::from(self.width);
        let column = |x: usize| rows.iter().map(move |row| row.get(x));
        let kept: Vec<usize> = (0..width).filter(|&x| x == 0 || !column(x).eq(column(x - 1))).collect();
        let narrow = |row: &Row| {
            let mut out = Row::EMPTY;
            for (to, &from) in kept.iter().enumerate() {
                if row.get(from) {
                    out.set(to);
                }
            }
            out
        };
        Self::new(kept.len() as u8, rows.iter().map(narrow).collect())
    }

    /// Width, height and area are within the factor of another shape's.
    pub(crate) fn is_of_size(&self, width: u8, height: usize, area: u16) -> bool {
        within_factor(self.width.into(), width.into())
            && within_factor(self.height() as u32, height as u32)
            && within_factor(self.area.into(), area.into())
    }

    /// Differing pixels, both centres on one point.
    pub(crate) fn distance(&self, other: &Self) -> Distance {
        let (a, b) = (self, other);
        let right = i32::from(a.width / 2) - i32::from(b.width / 2);
        let down = (a.height() / 2) as i32 - (b.height() / 2) as i32;
        let first = down.max(0) as usize;
        let end = (down + b.height() as i32).clamp(0, a.height() as i32) as usize;
        let mut common = 0;
        for row in first..end {
            let below = b.rows[(row as i32 - down) as usize];
            let moved = if right < 0 { below.left(-right as usize) } else { below.right(right as usize) };
            common += a.rows[row].and(moved).count();
        }
        Distance {
            differing: u32::from(a.area) + u32::from(b.area) - 2 * common,
            larger: a.area.max(b.area).into(),
        }
    }

    /// The distance when the areas are within the factor and less than a tenth differs.
    pub(crate) fn similar(&self, other: &Self) -> Option<Distance> {
        if !within_factor(self.area.into(), other.area.into()) {
            return None;
        }
        let distance = self.distance(other);
        (distance.differing * 10 < distance.larger).then_some(distance)
    }

    /// [`Self::similar`] to the best of the other's four flips.
    pub(crate) fn similar_flipped(&self, flips: &[Self; 4]) -> Option<Distance> {
        let better = |best: Option<Distance>, found: Distance| {
            if best.is_some_and(|best| !found.is_less(best)) { best } else { Some(found) }
        };
        flips.iter().filter_map(|flip| self.similar(flip)).fold(None, better)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn shape(rows: &[&str]) -> Shape {
        let bits = |text: &&str| {
            let mut row = Row::EMPTY;
            for (x, _) in text.bytes().enumerate().filter(|&(_, letter)| letter == b'#') {
                row.set(x);
            }
            row
        };
        Shape::new(rows[0].len() as u8, rows.iter().map(bits).collect())
    }

    #[test]
    fn flips_are_the_four_mirror_images() {
        let flips = shape(&["##.", "#.."]).flips();
        assert_eq!(
            flips,
            [shape(&["##.", "#.."]), shape(&["#..", "##."]), shape(&["..#", ".##"]), shape(&[".##", "..#"])]
        );
    }

    #[test]
    fn shapes_that_differ_in_size_alone_collapse_to_one() {
        let small = shape(&["##..", "####"]);
        assert_eq!(small.collapsed(), shape(&["#.", "##"]));
        assert_eq!(shape(&["###..", "###..", "#####"]).collapsed(), small.collapsed());
        assert!(shape(&["#####", "#####"]).is_of_size(6, 2, 12));
        assert!(!shape(&["#####", "#####"]).is_of_size(7, 2, 14));
    }

    #[test]
    fn the_distance_counts_pixels_that_differ_centre_on_centre() {
        let square = shape(&["####", "####", "####", "####"]);
        assert_eq!(square.distance(&square).differing, 0);
        // Centres are column 2 and column 2 of 5: the fifth column and the first of four stick out.
        let wide = shape(&["#####", "#####", "#####", "#####"]);
        let distance = square.distance(&wide);
        assert_eq!((distance.differing, distance.larger), (4, 20));
        assert!(square.similar(&wide).is_none(), "a fifth differs");
        let dot = shape(&["#.", ".#"]);
        assert!(dot.similar(&shape(&[".#", "#."])).is_none());
        assert!(dot.similar_flipped(&shape(&[".#", "#."]).flips()).is_some());
    }
}
