//! `OpenSimplex` noise (the 2014 algorithm) in three dimensions, to the last bit.
//!
//! The order of every addition matters: at lattice points the exact value is 0, rounding leaves about 1e-65, and world
//! generation looks at its sign. So nothing here is fused or reordered.

/// The 24 gradients: three places for the 11, with all signs.
pub(crate) const GRADIENTS: [[i8; 3]; 24] = {
    let mut rows = [[0; 3]; 24];
    let mut i = 0;
    while i < 24 {
        let signs = [[-1, 1][(i / 3) & 1], [1, -1][(i / 6) & 1], [1, -1][i / 12]];
        let mut axis = 0;
        while axis < 3 {
            rows[i][axis] = signs[axis] * if i % 3 == axis { 11 } else { 4 };
            axis += 1;
        }
        i += 1;
    }
    rows
};

const STRETCH: f64 = -1.0 / 6.0;
const SQUISH: f64 = 1.0 / 3.0;
pub(crate) const NORM: f64 = 103.0;
type Vertex = [i32; 3];

/// A noise function, given by its seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Simplex {
    permutation: [u8; 256],
}

impl Simplex {
    /// The noise of a seed.
    pub fn new(seed: i64) -> Self {
        let mut s = seed;
        let mut next = || {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            s
        };
        for _ in 0..3 {
            next();
        }
        let mut source: [u8; 256] = std::array::from_fn(|i| i as u8);
        let mut permutation = [0; 256];
        for i in (0..256).rev() {
            // (s + 31) mod (i + 1) without a wider type: both parts are reduced first.
            let n = i as i64 + 1;
            let r = ((next().rem_euclid(n) + 31) % n) as usize;
            permutation[i] = source[r];
            source[r] = source[i];
        }
        Self { permutation }
    }

    /// The permutation of lattice coordinates.
    pub fn permutation(&self) -> &[u8; 256] {
        &self.permutation
    }

    /// The number of the gradient of a lattice point.
    #[inline]
    pub(crate) fn gradient(&self, [a, b, c]: Vertex) -> usize {
        let p = |i: i32| i32::from(self.permutation[(i & 255) as usize]);
        p(p(p(a) + b) + c) as usize % 24
    }

    /// The noise at a point, about -0.87 to 0.87.
    pub fn at(&self, x: f64, y: f64, z: f64) -> f64 {
        let offset = ((x + y) + z) * STRETCH;
        let stretched = [x + offset, y + offset, z + offset];
        let base = stretched.map(|v| v.floor() as i32);
        let squish = f64::from(base[0] + base[1] + base[2]) * SQUISH;
        let point = [x, y, z];
        let mut cell = Cell {
            noise: self,
            base,
            d: std::array::from_fn(|i| point[i] - (f64::from(base[i]) + squish)),
            f: std::array::from_fn(|i| stretched[i] - f64::from(base[i])),
            value: 0.0,
        };
        cell.sum();
        cell.value / NORM
    }
}

/// A point inside its lattice cell.
struct Cell<'a> {
    noise: &'a Simplex,
    base: Vertex,
    /// Displacement from the cell's origin.
    d: [f64; 3],
    /// Place inside the cell, in stretched coordinates.
    f: [f64; 3],
    value: f64,
}

fn unit(axis: usize) -> Vertex {
    let mut vertex = [0; 3];
    vertex[axis] = 1;
    vertex
}

fn plus(a: Vertex, b: Vertex, factor: i32) -> Vertex {
    std::array::from_fn(|i| a[i] + factor * b[i])
}

impl Cell<'_> {
    fn sum(&mut self) {
        let [fx, fy, fz] = self.f;
        let t = (fx + fy) + fz;
        if t <= 1.0 {
            self.near_origin(t);
        } else if t >= 2.0 {
            self.far_corner(t);
        } else {
            self.octahedron();
        }
    }

    /// Adds the contributions of vertices in order.
    fn add(&mut self, vertices: &[Vertex]) {
        for &v in vertices {
            let m = f64::from(v[0] + v[1] + v[2]) * SQUISH;
            self.add_at(v, std::array::from_fn(|i| (self.d[i] - f64::from(v[i])) - m));
        }
    }

    #[expect(clippy::many_single_char_names, reason = "the letters of the formula")]
    fn add_at(&mut self, v: Vertex, [a, b, c]: [f64; 3]) {
        let g = ((2.0 - a * a) - b * b) - c * c;
        if g > 0.0 {
            let [g1, g2, g3] = GRADIENTS[self.noise.gradient(plus(self.base, v, 1))].map(f64::from);
            let g = g * g;
            self.value += (g * g) * ((g1 * a + g2 * b) + g3 * c);
        }
    }

    fn near_origin(&mut self, t: f64) {
        self.add(&[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        let [fx, fy, fz] = self.f;
        let (mut p, mut q) = (0, 1);
        if fx >= fy && fz > fy {
            q = 2;
        } else if fx < fy && fz > fx {
            p = 2;
        }
        let w = 1.0 - t;
        if w > self.f[p] || w > self.f[q] {
            let lead = if self.f[q] > self.f[p] { q } else { p };
            let others: [usize; 2] = [[1, 2], [0, 2], [0, 1]][lead];
            self.add(&others.map(|other| plus(unit(lead), unit(other), -1)));
        } else {
            let both = plus(unit(p), unit(q), 1);
            self.add(&[both, plus(both, unit(3 - p - q), -1)]);
        }
    }

    #[expect(clippy::many_single_char_names, reason = "the letters of the formula")]
    fn far_corner(&mut self, t: f64) {
        self.add(&[[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]);
        let [fx, fy, fz] = self.f;
        // Candidates are named by the axis that their vertex lacks.
        let (mut p, mut q) = (0, 1);
        if fx <= fy && fz < fy {
            q = 2;
        } else if fx > fy && fz < fx {
            p = 2;
        }
        let w = 3.0 - t;
        if w < self.f[p] || w < self.f[q] {
            let lacking = if self.f[q] < self.f[p] { q } else { p };
            let vertices: [Vertex; 2] =
                [[[0, 2, 1], [0, 1, 2]], [[2, 0, 1], [1, 0, 2]], [[2, 1, 0], [1, 2, 0]]][lacking];
            for v in vertices {
                let mut d: [f64; 3] = std::array::from_fn(|i| (self.d[i] - f64::from(v[i])) - 3.0 * SQUISH);
                if v[1] == 2 {
                    d[1] = ((self.d[1] - 1.0) - 3.0 * SQUISH) - 1.0;
                }
                self.add_at(v, d);
            }
        } else {
            let axis = unit(3 - p - q);
            self.add(&[axis, plus([0; 3], axis, 2)]);
        }
    }

    fn octahedron(&mut self) {
        self.add(&[[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]]);
        let [fx, fy, fz] = self.f;
        // (axis that stands alone, far from the origin?, score)
        let candidate = |axis: usize, p: f64| {
            if p > 1.0 { (axis, true, p - 1.0) } else { (axis, false, 1.0 - p) }
        };
        let (mut a, mut b) = (candidate(2, fx + fy), candidate(1, fx + fz));
        let c = candidate(0, fy + fz);
        if a.2 <= b.2 && a.2 < c.2 {
            a = c;
        } else if a.2 > b.2 && b.2 < c.2 {
            b = c;
        }
        let against = |axis: usize| plus([1, 1, 1], unit(axis), -2);
        let third = 3 - a.0 - b.0;
        match (a.1, b.1) {
            (true, true) => self.add(&[[1, 1, 1], plus([0; 3], unit(third), 2)]),
            (false, false) => self.add(&[[0, 0, 0], against(third)]),
            _ => {
                let (far, near) = if a.1 { (a.0, b.0) } else { (b.0, a.0) };
                self.add(&[against(far)]);
                let mut d = self.d.map(|d| d - 2.0 * SQUISH);
                d[near] -= 2.0;
                self.add_at(plus([0; 3], unit(near), 2), d);
            }
        }
    }
}
