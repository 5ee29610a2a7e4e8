//! The resize against its slow and literal twin, on noise and on pictures with repeated rows.
#![expect(clippy::cast_precision_loss, reason = "sizes of pictures are small numbers")]
#![expect(clippy::many_single_char_names, reason = "the names of the rule, which the literal twin follows")]

use ale_core::preprocess::{Brightest, Bytes, Pooled, Resize, Scratch, Size};
use ale_core::rng::Mt19937;
use proptest::prelude::*;

/// The reference's area interpolation, written as it is described: one pixel after the other.
mod literal {
    use super::Size;

    type Entry = (usize, f32);

    pub(super) fn resize(picture: &[u8], source: Size, target: Size, channels: usize) -> Vec<u8> {
        let at = |y: usize, x: usize, c: usize| picture[(y * source.width + x) * channels + c];
        let (inverse_x, inverse_y) =
            (target.width as f64 / source.width as f64, target.height as f64 / source.height as f64);
        let (sx, sy) = (1.0 / inverse_x, 1.0 / inverse_y);
        let mut out = vec![0; target.height * target.width * channels];
        let whole = |s: f64| (s - s.round()).abs() < 2f64.powi(-52);
        for (i, byte) in out.iter_mut().enumerate() {
            let (y, x, c) = (i / channels / target.width, i / channels % target.width, i % channels);
            *byte = if source == target {
                at(y, x, c)
            } else if sx < 1.0 || sy < 1.0 {
                let (left, right, u0, u1) = blend(x, source.width, sx, inverse_x);
                let (upper, lower, v0, v1) = blend(y, source.height, sy, inverse_y);
                let across = |row| u0 * i64::from(at(row, left, c)) + u1 * i64::from(at(row, right, c));
                let (t0, t1) = (across(upper), across(lower));
                ((((v0 * (t0 >> 4)) >> 16) + ((v1 * (t1 >> 4)) >> 16) + 2) >> 2).clamp(0, 255) as u8
            } else if whole(sx) && whole(sy) {
                let (mx, my) = (sx.round() as usize, sy.round() as usize);
                let sum: u32 = (0..mx * my).map(|i| u32::from(at(y * my + i / mx, x * mx + i % mx, c))).sum();
                if (mx, my) == (2, 2) {
                    ((sum + 2) >> 2) as u8
                } else {
                    rne(sum as f32 * (1.0 / (mx * my) as f64) as f32)
                }
            } else {
                let columns = entries(x, source.width, sx);
                let mut result = None;
                for (row, weight) in entries(y, source.height, sy) {
                    let mut b = 0.0f32;
                    for &(column, weight) in &columns {
                        b += f32::from(at(row, column, c)) * weight;
                    }
                    result = Some(result.map_or(weight * b, |r: f32| r + weight * b));
                }
                rne(result.expect("every span has an entry"))
            };
        }
        out
    }

    fn rne(x: f32) -> u8 {
        x.round_ties_even().clamp(0.0, 255.0) as u8
    }

    fn entries(d: usize, n: usize, s: f64) -> Vec<Entry> {
        let a = d as f64 * s;
        let b = a + s;
        let cell = s.min(n as f64 - a);
        let i2 = b.floor().min((n - 1) as f64);
        let i1 = a.ceil().min(i2);
        let mut entries = Vec::new();
        if i1 - a > 0.001 {
            entries.push((i1 as usize - 1, ((i1 - a) / cell) as f32));
        }
        for i in i1 as usize..i2 as usize {
            entries.push((i, (1.0 / cell) as f32));
        }
        if b - i2 > 0.001 {
            entries.push((i2 as usize, ((b - i2).min(1.0).min(cell) / cell) as f32));
        }
        entries
    }

    fn blend(d: usize, n: usize, s: f64, inverse: f64) -> (usize, usize, i64, i64) {
        let mut j = (d as f64 * s).floor() as usize;
        let mut f = ((d + 1) as f64 - (j + 1) as f64 * inverse) as f32;
        f = if f <= 0.0 { 0.0 } else { f - f.floor() };
        if j >= n - 1 {
            (j, f) = (n - 1, 0.0);
        }
        let fixed = |x: f32| (x * 2048.0).round_ties_even() as i64;
        (j, (j + 1).min(n - 1), fixed(1.0 - f), fixed(f))
    }
}

const fn size(height: usize, width: usize) -> Size {
    Size { height, width }
}

const TARGETS: [Size; 22] = [
    size(84, 84),
    size(105, 80),
    size(70, 40),
    size(42, 32),
    size(210, 160),
    size(250, 160),
    size(210, 80),
    size(105, 160),
    size(96, 64),
    size(64, 64),
    size(128, 128),
    size(1, 1),
    size(1, 160),
    size(210, 1),
    size(209, 159),
    size(84, 160),
    size(256, 256),
    size(420, 320),
    size(84, 200),
    size(300, 84),
    size(7, 3),
    size(110, 84),
];

/// Noise in which half of the rows repeat the one above.
fn noise(seed: u32, rows: usize, row_len: usize) -> Vec<u8> {
    let mut rng = Mt19937::new(seed);
    let mut picture: Vec<u8> = (0..row_len).map(|_| rng.next_u32() as u8).collect();
    for _ in 1..rows {
        let above = picture.len() - row_len;
        if rng.below(2) == 0 {
            picture.extend_from_within(above..);
        } else {
            picture.extend((0..row_len).map(|_| rng.next_u32() as u8));
        }
    }
    picture
}

#[test]
fn every_ratio_gives_the_bytes_of_the_literal_twin() {
    let mut scratch = Scratch::default();
    for (seed, target) in (1..).zip(TARGETS) {
        for height in [210, 214, 220, 230, 250] {
            for channels in [1, 3] {
                let source = size(height, 160);
                let picture = noise(seed, height, 160 * channels);
                let resize = Resize::new(source, target, channels);
                let mut out = vec![0; resize.target_len()];
                resize.apply(&Bytes::new(&picture, 160 * channels), &mut out, &mut scratch);
                assert!(
                    out == literal::resize(&picture, source, target, channels),
                    "{source:?} to {target:?}, {channels} channels"
                );
            }
        }
    }
}

#[test]
fn two_frames_of_indices_give_the_bytes_of_lookup_then_maximum_then_resize() {
    let gray: [u8; 256] = std::array::from_fn(|i| (i * 73 % 256) as u8);
    let rgb: [[u8; 3]; 256] = std::array::from_fn(|i| [i as u8, (i * 7) as u8, (i * 31) as u8]);
    let (source, target) = (size(210, 160), size(84, 84));
    let mut scratch = Scratch::default();
    for seed in 0..8 {
        let last = noise(2 * seed, 210, 160);
        let mut before = last.clone();
        before[160 * 40..160 * 90].copy_from_slice(&noise(2 * seed + 1, 50, 160));

        let pairs = || last.iter().zip(&before);
        let pooled: Vec<u8> =
            pairs().map(|(&a, &b)| gray[usize::from(a)].max(gray[usize::from(b)])).collect();
        let mut out = vec![0; 84 * 84];
        Resize::new(source, target, 1).apply(
            &Pooled::new(&last, Some(&before), &gray),
            &mut out,
            &mut scratch,
        );
        assert!(out == literal::resize(&pooled, source, target, 1));

        let pooled: Vec<u8> = pairs()
            .flat_map(|(&a, &b)| (0..3).map(move |c| rgb[usize::from(a)][c].max(rgb[usize::from(b)][c])))
            .collect();
        let mut out = vec![0; 84 * 84 * 3];
        Resize::new(source, target, 3).apply(
            &Pooled::new(&last, Some(&before), &rgb),
            &mut out,
            &mut scratch,
        );
        assert!(out == literal::resize(&pooled, source, target, 3));
    }
}

#[test]
fn two_gray_frames_give_the_bytes_of_maximum_then_resize() {
    let target = size(84, 84);
    let mut scratch = Scratch::default();
    for seed in 0..120 {
        let height = [210, 210, 214, 250][seed as usize % 4];
        let colors = [2, 3, 9, 128][seed as usize / 4 % 4];
        let shade = |index: u8| (u32::from(index) * (2 * seed + 37)) as u8;
        let frame = |seed| game_like(seed, height, colors).into_iter().map(shade).collect::<Vec<_>>();
        let last = frame(seed);
        let mut before = last.clone();
        let rows = 160 * 40..160 * (41 + seed as usize);
        before[rows.clone()].copy_from_slice(&frame(seed + 1000)[rows]);
        let pooled: Vec<u8> = last.iter().zip(&before).map(|(&a, &b)| a.max(b)).collect();
        let resize = Resize::new(size(height, 160), target, 1);
        for (before, shown) in [(Some(before.as_slice()), &pooled), (None, &last)] {
            let mut out = vec![0; 84 * 84];
            resize.apply(&Brightest::new(&last, before), &mut out, &mut scratch);
            assert!(out == literal::resize(shown, size(height, 160), target, 1), "{seed}");
        }
    }
}

/// A picture as games draw them: rows repeat, rows have long runs, few colours.
fn game_like(seed: u32, rows: usize, colors: u32) -> Vec<u8> {
    let mut rng = Mt19937::new(seed);
    let mut picture: Vec<u8> = vec![rng.below(colors) as u8; 160];
    for _ in 1..rows {
        let above = picture.len() - 160;
        picture.extend_from_within(above..);
        for _ in 0..rng.below(6).saturating_sub(2) {
            let start = rng.below(160) as usize;
            let end = (start + 1 + rng.below(40) as usize).min(160);
            let row = picture.len() - 160;
            picture[row + start..row + end].fill(rng.below(colors) as u8);
        }
    }
    picture
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    /// Few colours make many sums that lie exactly between two bytes.
    #[test]
    fn pictures_of_games_give_the_bytes_of_the_literal_twin(
        seed in any::<u32>(),
        colors in prop::sample::select(vec![2_u32, 3, 9, 128]),
        gray_step in 1..=255_usize,
        moved in 0..200_usize,
        pooled in any::<bool>(),
        height in prop::sample::select(vec![210_usize, 210, 210, 214, 250]),
        target in prop::sample::select(vec![size(84, 84), size(84, 84), size(84, 84), size(96, 64), size(105, 80)]),
    ) {
        let gray: [u8; 256] = std::array::from_fn(|i| (i * gray_step) as u8);
        let last = game_like(seed, height, colors);
        let mut before = last.clone();
        let patch = game_like(seed ^ 1, height - moved, colors);
        let len = patch.len().min(160 * 20);
        before[160 * moved..][..len].copy_from_slice(&patch[..len]);
        let shown = |(&a, &b): (&u8, &u8)| {
            let (a, b) = (gray[usize::from(a)], gray[usize::from(b)]);
            if pooled { a.max(b) } else { a }
        };
        let bytes: Vec<u8> = last.iter().zip(&before).map(shown).collect();
        let resize = Resize::new(size(height, 160), target, 1);
        let expected = literal::resize(&bytes, size(height, 160), target, 1);
        let mut scratch = Scratch::default();
        let mut out = vec![0; resize.target_len()];
        let picture = Pooled::new(&last, pooled.then_some(&before[..]), &gray);
        resize.apply(&picture, &mut out, &mut scratch);
        prop_assert!(out == expected);
        // The working memory still has sums of the last picture.
        out.fill(0);
        resize.apply(&Bytes::new(&bytes, 160), &mut out, &mut scratch);
        prop_assert!(out == expected);
    }
}

/// Uniform pictures keep their colour in every size, so that no weight is lost or doubled.
#[test]
fn a_picture_of_one_colour_keeps_it() {
    let mut scratch = Scratch::default();
    for value in [0, 1, 127, 254, 255] {
        let picture = vec![value; 210 * 160];
        for target in TARGETS {
            let resize = Resize::new(size(210, 160), target, 1);
            let mut out = vec![7; resize.target_len()];
            resize.apply(&Bytes::new(&picture, 160), &mut out, &mut scratch);
            assert!(out.iter().all(|&byte| byte == value), "{value} in {target:?}");
        }
    }
}
