//! A layer of noise vertex by vertex: the cells within reach of a vertex of the lattice get its share with vector
//! instructions.
//!
//! Where vertices lie and what they reach is the same for every seed, so it is planned once for an area. Shares of as
//! many lines follow each other, and the processor foresees how long its loops are.

use multiversion::multiversion;

use crate::noise::{GRADIENTS, NORM, Simplex};

/// Numbers that are computed at once; lines of a layer are padded to a multiple of it.
pub(crate) const LANES: usize = 16;
/// The square of the reach of a vertex.
const REACH: f64 = 2.0;

/// Values of neighbouring cells of a line, in a cache line of their own.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Block(pub(crate) [f32; LANES]);

/// The gradients, divided by what the sum is divided by.
const SCALED: [[f32; 3]; 24] = {
    let mut rows = [[0.0; 3]; 24];
    let mut i = 0;
    while i < 24 {
        let mut axis = 0;
        while axis < 3 {
            rows[i][axis] = (GRADIENTS[i][axis] as f64 / NORM) as f32;
            axis += 1;
        }
        i += 1;
    }
    rows
};

/// Some cells of a line, or some lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) first: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn all(len: usize) -> Self {
        Self { first: 0, end: len }
    }

    pub(crate) fn around(middle: usize, reach: usize, len: usize) -> Self {
        Self { first: middle.saturating_sub(reach), end: len.min(middle + reach + 1) }
    }

    /// The cells of this span within reach of a place.
    fn within(self, place: f64, reach: f64, step: f64) -> Self {
        let first = (((place - reach) / step).ceil() as i32).max(self.first as i32);
        let end = (((place + reach) / step).floor() as i32 + 1).min(self.end as i32);
        Self { first: first as usize, end: end.max(first) as usize }
    }
}

/// Where the values of a layer lie: a block of every line, then the next block of every line.
pub(crate) struct Grid {
    /// Number of lines.
    pub(crate) count: usize,
    /// The lines and the cells to compute.
    pub(crate) lines: Span,
    pub(crate) cells: Span,
    /// Distances of lines and of cells in the noise's coordinates.
    pub(crate) steps: (f64, f64),
    /// Lines run along x.
    pub(crate) along_x: bool,
}

/// What a vertex gives to a block of some lines.
#[derive(Debug, Clone, Copy)]
struct Share {
    /// Modulo 256, which is all that gradients look at.
    vertex: [u8; 3],
    lines: u16,
    /// The first of the blocks.
    first: u32,
    /// From the vertex to the first line and to the first cell.
    line: f32,
    cell: f32,
    /// From the vertex to the plane of the grid.
    height: f32,
    /// The square of the reach in that plane.
    square: f32,
}

/// The shares of all vertices of the lattice that reach a grid.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    shares: Vec<Share>,
    steps: (f32, f32),
    along_x: bool,
}

impl Plan {
    /// The plan of a layer with this third coordinate.
    pub(crate) fn new(z: i32, grid: &Grid) -> Self {
        let (du, dv) = grid.steps;
        let mut shares = Vec::new();
        let reach = REACH.sqrt();
        let range = |span: Span, step: f64| {
            (span.first as f64 * step - reach, (span.end as f64 - 1.0) * step + reach)
        };
        let (u, v) = (range(grid.lines, du), range(grid.cells, dv));
        let z = f64::from(z);
        // A vertex (a, b, c) lies at (a, b, c) + m/3 with m = a + b + c, so its coordinates sum up to 2m.
        let low = ((u.0 + v.0 + z - reach) / 2.0).floor() as i32;
        let high = ((u.1 + v.1 + z + reach) / 2.0).ceil() as i32;
        for m in low..=high {
            let shift = f64::from(m) / 3.0;
            let third = z - shift;
            for c in (third - reach).ceil() as i32..=(third + reach).floor() as i32 {
                let height = third - f64::from(c);
                let rest = m - c;
                let first = (u.0 - shift).max(f64::from(rest) + shift - v.1).ceil() as i32;
                let last = (u.1 - shift).min(f64::from(rest) + shift - v.0).floor() as i32;
                for a in first..=last {
                    let b = rest - a;
                    let vertex = if grid.along_x { [b, a, c] } else { [a, b, c] };
                    let place = (f64::from(a) + shift, f64::from(b) + shift);
                    plan(vertex, place, height, grid, &mut shares);
                }
            }
        }
        shares.sort_by_key(|share| share.lines);
        Self { shares, steps: (du as f32, dv as f32), along_x: grid.along_x }
    }

    /// Adds the contributions of all vertices to values that are 0.
    pub(crate) fn add(&self, simplex: &Simplex, values: &mut [Block]) {
        add(self, simplex, values);
    }
}

/// The shares of a vertex, which lies at this place across and along the lines.
fn plan(vertex: [i32; 3], place: (f64, f64), height: f64, grid: &Grid, shares: &mut Vec<Share>) {
    let (du, dv) = grid.steps;
    let square = (REACH - height * height).max(0.0);
    let cells = grid.cells.within(place.1, square.sqrt(), dv);
    if cells.first >= cells.end {
        return;
    }
    for block in cells.first / LANES..cells.end.div_ceil(LANES) {
        let cell = (block * LANES) as f64 * dv - place.1;
        // The nearest cell of the block says which lines are in reach.
        let nearest = cell.max(-(cell + (LANES - 1) as f64 * dv)).max(0.0);
        let reach = (square - nearest * nearest).max(0.0).sqrt();
        let lines = grid.lines.within(place.0, reach, du);
        if lines.first < lines.end {
            shares.push(Share {
                vertex: vertex.map(|axis| axis as u8),
                lines: (lines.end - lines.first) as u16,
                first: (block * grid.count + lines.first) as u32,
                line: (lines.first as f64 * du - place.0) as f32,
                cell: cell as f32,
                height: height as f32,
                square: square as f32,
            });
        }
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn add(plan: &Plan, simplex: &Simplex, values: &mut [Block]) {
    let (du, dv) = plan.steps;
    for share in &plan.shares {
        let [gx, gy, gz] = SCALED[simplex.gradient(share.vertex.map(i32::from))];
        let (across, along) = if plan.along_x { (gy, gx) } else { (gx, gy) };
        // By cell: what is left of the reach, and the part of the gradient.
        let v: [f32; LANES] = std::array::from_fn(|lane| share.cell + lane as f32 * dv);
        let left: [f32; LANES] = std::array::from_fn(|lane| share.square - v[lane] * v[lane]);
        let level: [f32; LANES] = std::array::from_fn(|lane| along * v[lane] + gz * share.height);
        let mut u = share.line;
        let first = share.first as usize;
        for Block(sums) in &mut values[first..first + usize::from(share.lines)] {
            let (square, constant) = (u * u, across * u);
            for lane in 0..LANES {
                // Out of reach it is negative: such cells get nothing.
                let g = (left[lane] - square).max(0.0);
                let g = g * g;
                sums[lane] += g * g * (constant + level[lane]);
            }
            u += du;
        }
    }
}
