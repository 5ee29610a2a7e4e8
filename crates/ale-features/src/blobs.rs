//! Blobs: pixels of one colour that are linked over gaps of at most six pixels.
//!
//! Two pixels of equal colour are linked when both their rows and their columns differ by at most 6; a blob is a
//! connected component. Three observations keep this from looking at pixels:
//!
//! * In one row, runs of a colour whose gap is at most 6 form a *segment*. Between rows a segment behaves like the whole
//!   interval of columns: a column inside it is at most 3 from one of its pixels.
//! * A row that equals the one above only moves the lower edge of every segment in it: equal rows form a *band*.
//! * A segment of an older row that lies within a newer one links nothing that the newer one does not.
//!
//! So per colour a short list of segments of the last 6 rows remains, and each new segment is compared with it.

use crate::input::Screen;
use crate::{COLUMNS, ROWS};

/// Farthest linked row or column.
const REACH: u8 = 6;
/// Rows and columns are below this.
const NONE: u8 = 255;

/// A blob's colour and bounding box; rows and columns are inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Blob {
    /// Colour, 0 to 127.
    pub colour: u8,
    /// First row.
    pub top: u8,
    /// Last row.
    pub bottom: u8,
    /// First column.
    pub left: u8,
    /// Last column.
    pub right: u8,
}

impl Blob {
    /// Row and column of the middle of the box, rounded down.
    pub fn middle(&self) -> (usize, usize) {
        let middle = |first: u8, last: u8| usize::midpoint(first.into(), last.into());
        (middle(self.top, self.bottom), middle(self.left, self.right))
    }
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    start: u8,
    end: u8,
    band: u8,
    component: u16,
}

#[derive(Debug, Clone, Copy)]
struct Component {
    parent: u16,
    /// `bottom` is a band here, whose last row is not known yet.
    blob: Blob,
}

/// Finds blobs; its memory is used again for the next screen.
#[derive(Debug, Clone)]
pub struct BlobFinder {
    /// Per colour the segments that rows to come may touch.
    segments: Vec<Vec<Segment>>,
    /// Per colour the segment that the current row has begun; `start` is [`NONE`] without one.
    open: [(u8, u8); 128],
    /// Colours with an open segment.
    in_row: u128,
    /// Colours with segments.
    in_screen: u128,
    components: Vec<Component>,
    /// The last row of each band.
    bands: Vec<u8>,
}

impl Default for BlobFinder {
    fn default() -> Self {
        Self {
            segments: vec![Vec::new(); 128],
            open: [(NONE, NONE); 128],
            in_row: 0,
            in_screen: 0,
            components: Vec::with_capacity(512),
            bands: Vec::with_capacity(ROWS),
        }
    }
}

impl BlobFinder {
    /// Calls `each` for every blob of a screen.
    pub fn find(&mut self, screen: Screen<'_>, mut each: impl FnMut(Blob)) {
        self.components.clear();
        self.bands.clear();
        for row in 0..ROWS {
            let pixels = screen.row(row);
            if row > 0 && pixels == screen.row(row - 1) {
                let band = self.bands.len() - 1;
                self.bands[band] = row as u8;
            } else {
                self.bands.push(row as u8);
                self.add_row(pixels, row as u8);
            }
        }
        for (index, component) in self.components.iter().enumerate() {
            if usize::from(component.parent) == index {
                each(Blob { bottom: self.bands[usize::from(component.blob.bottom)], ..component.blob });
            }
        }
        crate::tiles::for_each_bit(self.in_screen, |colour| self.segments[colour as usize].clear());
        self.in_screen = 0;
    }

    fn add_row(&mut self, pixels: &[u8; COLUMNS], row: u8) {
        let mut start = 0;
        let mut before = u64::from(pixels[0]);
        for at in (0..COLUMNS).step_by(8) {
            let word = u64::from_le_bytes(pixels[at..at + 8].try_into().expect("eight pixels"));
            let mut changes = word ^ (word << 8 | before);
            before = word >> 56;
            while changes != 0 {
                let byte = changes.trailing_zeros() / 8;
                changes &= !(0xFF << (8 * byte));
                let end = at as u8 + byte as u8;
                self.add_run(pixels[usize::from(start)] >> 1, start, end - 1, row);
                start = end;
            }
        }
        self.add_run(pixels[usize::from(start)] >> 1, start, COLUMNS as u8 - 1, row);
        let colours = self.in_row;
        self.in_row = 0;
        crate::tiles::for_each_bit(colours, |colour| {
            let (start, end) = std::mem::replace(&mut self.open[colour as usize], (NONE, NONE));
            self.add_segment(colour as u8, start, end, row);
        });
    }

    #[inline]
    fn add_run(&mut self, colour: u8, start: u8, end: u8, row: u8) {
        let open = &mut self.open[usize::from(colour)];
        if open.0 == NONE {
            *open = (start, end);
            self.in_row |= 1 << colour;
        } else if start - open.1 <= REACH {
            open.1 = end;
        } else {
            let (first, last) = std::mem::replace(open, (start, end));
            self.add_segment(colour, first, last, row);
        }
    }

    fn add_segment(&mut self, colour: u8, start: u8, end: u8, row: u8) {
        let Self { segments, components, bands, .. } = self;
        let band = bands.len() as u8 - 1;
        let mut root = None;
        segments[usize::from(colour)].retain(|old| {
            if row > bands[usize::from(old.band)] + REACH {
                return false;
            }
            if old.start > end + REACH || start > old.end + REACH {
                return true;
            }
            let other = find(components, old.component);
            root = Some(root.map_or(other, |root| unite(components, root, other)));
            // The current band's own segments are farther away than six columns: `old` is of an older row.
            start > old.start || old.end > end
        });
        let component = root.unwrap_or_else(|| {
            let blob = Blob { colour, top: row, bottom: band, left: start, right: end };
            components.push(Component { parent: components.len() as u16, blob });
            components.len() as u16 - 1
        });
        let blob = &mut components[usize::from(component)].blob;
        blob.bottom = band;
        blob.left = blob.left.min(start);
        blob.right = blob.right.max(end);
        segments[usize::from(colour)].push(Segment { start, end, band, component });
        self.in_screen |= 1 << colour;
    }
}

fn find(components: &mut [Component], mut index: u16) -> u16 {
    loop {
        let parent = components[usize::from(index)].parent;
        if parent == index {
            return index;
        }
        let above = components[usize::from(parent)].parent;
        components[usize::from(index)].parent = above;
        index = above;
    }
}

/// Joins two components; the older one, which has the upper row, stays.
fn unite(components: &mut [Component], first: u16, second: u16) -> u16 {
    if first == second {
        return first;
    }
    let (root, other) = (first.min(second), first.max(second));
    components[usize::from(other)].parent = root;
    let from = components[usize::from(other)].blob;
    let into = &mut components[usize::from(root)].blob;
    into.left = into.left.min(from.left);
    into.right = into.right.max(from.right);
    into.bottom = into.bottom.max(from.bottom);
    into.top = into.top.min(from.top);
    root
}
