//! Which source pixels make a target pixel, and with what weight: the tables of [`super::Resize`].
//!
//! Weights are computed in binary64 and stored in binary32, in the reference's order of operations.

/// The source pixels that make one target coordinate: `weights[k]` belongs to source `first + k`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Span {
    pub(super) first: usize,
    pub(super) weights: Vec<f32>,
}

/// Shrinking by a ratio that is no whole number: shares of the area each source pixel covers.
pub(super) fn area(source: usize, target: usize) -> Vec<Span> {
    let scale = scale(source, target);
    (0..target).map(|d| area_span(d as f64 * scale, scale, source)).collect()
}

fn area_span(start: f64, scale: f64, source: usize) -> Span {
    // Shares below a thousandth of a pixel are dropped by the reference.
    const SLIVER: f64 = 1e-3;
    let end = start + scale;
    let cell = scale.min(source as f64 - start);
    let last = (end.floor() as usize).min(source - 1);
    let inner = (start.ceil() as usize).min(last);

    let mut first = inner;
    let mut weights = Vec::new();
    let before = inner as f64 - start;
    if before > SLIVER {
        first = inner - 1;
        weights.push((before / cell) as f32);
    }
    weights.extend((inner..last).map(|_| (1.0 / cell) as f32));
    let after = end - last as f64;
    if after > SLIVER {
        weights.push((after.min(1.0).min(cell) / cell) as f32);
    }
    Span { first, weights }
}

/// A target coordinate between two neighbouring source pixels; the weights are in 2048ths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Blend {
    pub(super) pixels: [usize; 2],
    pub(super) weights: [i32; 2],
}

/// Enlarging: two neighbours a pixel, with the offsets of an area resize.
pub(super) fn linear(source: usize, target: usize) -> Vec<Blend> {
    let inverse = target as f64 / source as f64;
    let scale = scale(source, target);
    (0..target)
        .map(|d| {
            let mut left = (d as f64 * scale).floor() as usize;
            let mut share = ((d + 1) as f64 - (left + 1) as f64 * inverse) as f32;
            share = if share <= 0.0 { 0.0 } else { share - share.floor() };
            if left >= source - 1 {
                left = source - 1;
                share = 0.0;
            }
            let fixed = |weight: f32| (weight * 2048.0).round_ties_even() as i32;
            Blend { pixels: [left, (left + 1).min(source - 1)], weights: [fixed(1.0 - share), fixed(share)] }
        })
        .collect()
}

/// Source pixels a target pixel. The double reciprocal may differ from `source / target` in the last bit.
pub(super) fn scale(source: usize, target: usize) -> f64 {
    1.0 / (target as f64 / source as f64)
}

/// The ratio as a whole number, if it is one.
pub(super) fn whole(scale: f64) -> Option<usize> {
    let nearest = scale.round();
    ((scale - nearest).abs() < f64::EPSILON).then_some(nearest as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_row_becomes_84_pixels_of_two_or_three_each() {
        let spans = area(160, 84);
        assert_eq!(spans.iter().map(|span| span.weights.len()).sum::<usize>(), 240);
        assert_eq!(spans[0], Span { first: 0, weights: vec![0.525, 0.475] });
        assert_eq!(spans[1].first, 1);
        assert_eq!(spans[1].weights.len(), 3);
    }

    #[test]
    fn a_screen_column_becomes_84_pixels_of_three_each() {
        let spans = area(210, 84);
        assert_eq!(spans[0], Span { first: 0, weights: vec![0.4, 0.4, 0.2] });
        assert_eq!((spans[1].first, spans[1].weights.len()), (2, 3));
    }

    #[test]
    fn every_span_stays_inside_and_weighs_one() {
        for (source, target) in [(160, 84), (210, 84), (250, 84), (160, 159), (210, 1), (214, 96), (160, 7)] {
            for span in area(source, target) {
                assert!(span.first + span.weights.len() <= source, "{source} to {target}");
                let sum: f32 = span.weights.iter().sum();
                assert!((sum - 1.0).abs() < 2e-3, "{source} to {target}: {sum}");
            }
        }
    }

    #[test]
    fn blends_weigh_2048() {
        for (source, target) in [(160, 256), (210, 256), (160, 320), (210, 420), (160, 161)] {
            for blend in linear(source, target) {
                assert!(blend.pixels[1] < source);
                assert_eq!(blend.weights.iter().sum::<i32>(), 2048);
            }
        }
    }

    #[test]
    fn whole_ratios_are_found() {
        assert_eq!(whole(scale(210, 105)), Some(2));
        assert_eq!(whole(scale(160, 160)), Some(1));
        assert_eq!(whole(scale(210, 84)), None);
    }
}
