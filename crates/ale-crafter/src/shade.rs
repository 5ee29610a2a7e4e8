//! Light and night noise of pixels, many at once. Every operation is that of the reference in double precision.

use multiversion::multiversion;

use crate::atlas::{TINT, gray};

/// A number in 0 to 255 without its fraction. Vector instructions have no conversion to bytes that Rust would use; the
/// sum with 2^52 has the whole number in its lowest bits.
#[inline(always)]
fn cut(value: f64) -> u8 {
    (value.floor() + 4_503_599_627_370_496.0).to_bits() as u8
}

/// The light of a step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Light {
    day: f64,
    /// Half of what is missing: darkness is given twice.
    night: f64,
}

impl Light {
    pub(crate) fn new(daylight: f64) -> Self {
        Self { day: daylight, night: (1.0 - daylight) * 0.5 }
    }

    /// Mixes colours with what they are in darkness (given twice).
    pub(crate) fn apply(self, color: &[u8], dark: &[u16], out: &mut [u8]) {
        light(self, color, dark, out);
    }

    #[inline(always)]
    fn mix(self, color: u8, dark: u16) -> u8 {
        cut(self.day * f64::from(color) + self.night * f64::from(dark))
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
fn light(light: Light, color: &[u8], dark: &[u16], out: &mut [u8]) {
    for ((out, &color), &dark) in out.iter_mut().zip(color).zip(dark) {
        *out = light.mix(color, dark);
    }
}

/// Turns noise, drawn column by column, into colours row by row.
pub(crate) fn transposed(noise: &[f64], height: usize, rows: &mut [f64]) {
    let width = noise.len() / height;
    for first in (0..width).step_by(8) {
        let count = (width - first).min(8);
        for (y, row) in rows.chunks_exact_mut(width).enumerate() {
            for (x, out) in row[first..first + count].iter_mut().enumerate() {
                *out = 32.0 + 95.0 * noise[(first + x) * height + y];
            }
        }
    }
}

/// A row of pixels: as it is in daylight, and its channels apart.
#[derive(Debug, Clone)]
pub(crate) struct NightRow {
    pub(crate) color: Vec<u8>,
    channels: [Vec<u8>; 3],
}

impl NightRow {
    pub(crate) fn new(width: usize) -> Self {
        Self { color: vec![0; 3 * width], channels: std::array::from_fn(|_| vec![0; width]) }
    }
}

/// A row at night: noise that grows from the middle of the picture, then darkness.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub(crate) fn night_row(row: &mut NightRow, noise: &[f64], vignette: &[f64], daylight: f64, out: &mut [u8]) {
    let strength = 2.0 * (0.5 - daylight);
    let light = Light::new(daylight);
    let [red, green, blue] = &mut row.channels;
    let width = red.len();
    let (green, blue) = (&mut green[..width], &mut blue[..width]);
    let (noise, vignette) = (&noise[..width], &vignette[..width]);
    let pixels = &row.color.as_chunks::<3>().0[..width];
    for x in 0..width {
        [red[x], green[x], blue[x]] = pixels[x];
    }
    for x in 0..width {
        let m = strength * vignette[x];
        let (keep, add) = (1.0 - m, m * noise[x]);
        let color = [red[x], green[x], blue[x]];
        let [r, g, b] = color.map(|color| cut(keep * f64::from(color) + add));
        let gray = u16::from(gray(r, g, b));
        let dark = |color: u8, tint: u16| (3 * gray + 2 * u16::from(color)) / 5 + tint;
        red[x] = light.mix(color[0], dark(r, TINT[0]));
        green[x] = light.mix(color[1], dark(g, TINT[1]));
        blue[x] = light.mix(color[2], dark(b, TINT[2]));
    }
    let pixels = &mut out.as_chunks_mut::<3>().0[..width];
    for x in 0..width {
        pixels[x] = [red[x], green[x], blue[x]];
    }
}
