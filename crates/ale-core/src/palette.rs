//! Palette index → RGB and gray.
//!
//! A pixel is a colour register of the TIA: hue in bits 7–4, luminance in bits 3–1. Bit 0 is set only where PAL
//! loses its colour; such a pixel shows the gray of its colour. A table has 128 colours, the rest follows.

use std::sync::OnceLock;

use crate::frame::WIDTH;

/// The colours of a television norm.
#[derive(Debug)]
pub struct Palette {
    /// Red, green and blue of each index.
    pub rgb: [[u8; 3]; 256],
    /// Gray value of each index.
    pub gray: [u8; 256],
    /// Red, green, blue and nothing: numbers that the processor reads at once.
    padded: [[u8; 4]; 256],
    /// Averages of two even indices, made when first asked for.
    averages: OnceLock<Vec<u8>>,
    /// Gray values of two pixels at a time, made when first asked for.
    shades: OnceLock<Shades>,
    /// Gray values of colours, made when first asked for.
    luma: OnceLock<Luma>,
}

/// Pixels that are looked up without a jump.
const WORD: usize = 16;

/// The gray values of every two neighbours: half as many lookups as one by one.
///
/// The table has 128 KB, of which a picture with its few colours touches little.
#[derive(Debug, Clone)]
pub struct Shades(Box<[[u8; 2]; 1 << 16]>);

impl Shades {
    fn new(gray: &[u8; 256]) -> Self {
        let pairs = (0..=u16::MAX).map(|pair| pair.to_le_bytes().map(|index| gray[usize::from(index)]));
        Self(pairs.collect::<Box<[_]>>().try_into().expect("a pair for every number of 16 bits"))
    }

    /// Writes the gray value of each pixel, as far as both slices reach in pairs.
    #[inline]
    pub fn write(&self, pixels: &[u8], out: &mut [u8]) {
        // By words: so the loop is short, and pairs are read and written as they are.
        let (words, _) = pixels.as_chunks::<WORD>();
        let (outs, _) = out.as_chunks_mut::<WORD>();
        for (word, out) in words.iter().zip(outs) {
            for (pair, out) in word.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
                *out = self.0[usize::from(u16::from_le_bytes(*pair))];
            }
        }
    }
}

/// Gray values of colours by the weights of ITU-R BT.601, in 32768ths as `OpenCV` has them, of one picture or of the
/// brighter red, green and blue of two: what wrappers in Python make of coloured pictures.
#[derive(Debug, Clone)]
pub struct Luma {
    /// Of one picture.
    pub one: Shades,
    /// Of two: for every pair of indices.
    pub two: Box<[[u8; 256]; 256]>,
}

impl Luma {
    fn new(rgb: &[[u8; 3]; 256]) -> Self {
        let gray = rgb.map(luma);
        let brighter = |a: [u8; 3], b: [u8; 3]| std::array::from_fn(|channel| a[channel].max(b[channel]));
        let two = rgb.iter().map(|&a| rgb.map(|b| luma(brighter(a, b)))).collect::<Box<[_]>>();
        Self { one: Shades::new(&gray), two: two.try_into().expect("a row for each index") }
    }
}

fn luma([red, green, blue]: [u8; 3]) -> u8 {
    ((u32::from(red) * 9798 + u32::from(green) * 19235 + u32::from(blue) * 3735 + (1 << 14)) >> 15) as u8
}

/// The colours of NTSC.
pub static NTSC: Palette = Palette::new(&NTSC_COLORS);
/// The colours of PAL.
pub static PAL: Palette = Palette::new(&PAL_COLORS);
/// The colours of SECAM: eight, by luminance.
pub static SECAM: Palette = Palette::new(&SECAM_COLORS);

impl Palette {
    const fn new(colors: &[u32; 128]) -> Self {
        let mut rgb = [[0; 3]; 256];
        let mut index = 0;
        while index < 128 {
            let [_, red, green, blue] = colors[index].to_be_bytes();
            let luminance = 2989 * red as u32 + 5870 * green as u32 + 1140 * blue as u32;
            rgb[2 * index] = [red, green, blue];
            rgb[2 * index + 1] = [((luminance + 5000) / 10_000) as u8; 3];
            index += 1;
        }
        // Reference: gray is the blue of the entry after, which is the luminance only for even indices.
        let mut gray = [0; 256];
        let mut index = 0;
        while index < 255 {
            gray[index] = rgb[index + 1][2];
            index += 1;
        }
        let mut padded = [[0; 4]; 256];
        let mut index = 0;
        while index < 256 {
            let [red, green, blue] = rgb[index];
            padded[index] = [red, green, blue, 0];
            index += 1;
        }
        Self { rgb, gray, padded, averages: OnceLock::new(), shades: OnceLock::new(), luma: OnceLock::new() }
    }

    /// The gray values of every two neighbours.
    pub fn shades(&self) -> &Shades {
        self.shades.get_or_init(|| Shades::new(&self.gray))
    }

    /// The gray values of colours.
    pub fn luma(&self) -> &Luma {
        self.luma.get_or_init(|| Luma::new(&self.rgb))
    }

    /// Writes red, green and blue of each pixel, three bytes a pixel, as far as both slices reach.
    pub fn write_rgb(&self, pixels: &[u8], out: &mut [u8]) {
        write_rows::<{ 3 * WIDTH }>(pixels, out, |pixels, out| {
            // Four bytes for each pixel, the last of which the next one overwrites.
            for (x, &pixel) in pixels[..WIDTH - 1].iter().enumerate() {
                out[3 * x..3 * x + 4].copy_from_slice(&self.padded[usize::from(pixel)]);
            }
            out[3 * WIDTH - 3..].copy_from_slice(&self.rgb[usize::from(pixels[WIDTH - 1])]);
        });
        let rows = 3 * WIDTH * rows_of(pixels, out, 3);
        let (outs, _) = out[rows..].as_chunks_mut::<3>();
        for (&pixel, out) in pixels[rows / 3..].iter().zip(outs) {
            *out = self.rgb[usize::from(pixel)];
        }
    }

    /// Writes the gray value of each pixel, as far as both slices reach.
    pub fn write_gray(&self, pixels: &[u8], out: &mut [u8]) {
        let shades = self.shades();
        write_rows::<WIDTH>(pixels, out, |pixels, out| shades.write(pixels, out));
        let rows = WIDTH * rows_of(pixels, out, 1);
        for (&pixel, out) in pixels[rows..].iter().zip(&mut out[rows..]) {
            *out = self.gray[usize::from(pixel)];
        }
    }

    /// The palette index nearest to the phosphor average of two pixels; bit 0 of both is ignored.
    pub fn average(&self, a: u8, b: u8) -> u8 {
        self.averages()[usize::from(a >> 1) << 7 | usize::from(b >> 1)]
    }

    /// Writes [`Palette::average`] of each pair of pixels, as far as all slices reach.
    pub fn write_average(&self, a: &[u8], b: &[u8], out: &mut [u8]) {
        let averages = self.averages();
        for ((&a, &b), out) in a.iter().zip(b).zip(out) {
            *out = averages[usize::from(a >> 1) << 7 | usize::from(b >> 1)];
        }
    }

    fn averages(&self) -> &[u8] {
        self.averages.get_or_init(|| {
            let colors = (0..128_usize).map(|color| 2 * color);
            colors.clone().flat_map(|a| colors.clone().map(move |b| self.nearest(self.blend(a, b)))).collect()
        })
    }

    /// 77 % of the way from the darker to the brighter value, coarsened to 64 steps, for each of R, G, B.
    fn blend(&self, a: usize, b: usize) -> [i32; 3] {
        std::array::from_fn(|channel| {
            let (a, b) = (i32::from(self.rgb[a][channel]), i32::from(self.rgb[b][channel]));
            let (low, high) = (a.min(b), a.max(b));
            (low + 77 * (high - low) / 100) & !3
        })
    }

    /// The even index with the nearest colour, the lowest of several.
    fn nearest(&self, color: [i32; 3]) -> u8 {
        let distance = |index: &u8| -> i32 {
            let candidate = self.rgb[usize::from(*index)];
            candidate.iter().zip(color).map(|(&have, want)| (i32::from(have) - want).abs()).sum()
        };
        (0..=254).step_by(2).min_by_key(distance).unwrap_or(0)
    }
}

/// Writes whole rows. Pictures have many rows that repeat the one above, and those are copied.
fn write_rows<const LEN: usize>(pixels: &[u8], out: &mut [u8], write: impl Fn(&[u8; WIDTH], &mut [u8; LEN])) {
    let mut above: Option<(&[u8; WIDTH], &mut [u8; LEN])> = None;
    for (pixels, out) in pixels.as_chunks().0.iter().zip(out.as_chunks_mut().0) {
        match above {
            Some((same, colors)) if same == pixels => *out = *colors,
            _ => write(pixels, out),
        }
        above = Some((pixels, out));
    }
}

/// Rows that both slices have.
fn rows_of(pixels: &[u8], out: &[u8], channels: usize) -> usize {
    (pixels.len() / WIDTH).min(out.len() / (WIDTH * channels))
}

#[rustfmt::skip]
#[expect(clippy::unreadable_literal, reason = "colours as RRGGBB")]
const NTSC_COLORS: [u32; 128] = [
    0x000000, 0x4A4A4A, 0x6F6F6F, 0x8E8E8E, 0xAAAAAA, 0xC0C0C0, 0xD6D6D6, 0xECECEC,
    0x484800, 0x69690F, 0x86861D, 0xA2A22A, 0xBBBB35, 0xD2D240, 0xE8E84A, 0xFCFC54,
    0x7C2C00, 0x904811, 0xA26221, 0xB47A30, 0xC3903D, 0xD2A44A, 0xDFB755, 0xECC860,
    0x901C00, 0xA33915, 0xB55328, 0xC66C3A, 0xD5824A, 0xE39759, 0xF0AA67, 0xFCBC74,
    0x940000, 0xA71A1A, 0xB83232, 0xC84848, 0xD65C5C, 0xE46F6F, 0xF08080, 0xFC9090,
    0x840064, 0x97197A, 0xA8308F, 0xB846A2, 0xC659B3, 0xD46CC3, 0xE07CD2, 0xEC8CE0,
    0x500084, 0x68199A, 0x7D30AD, 0x9246C0, 0xA459D0, 0xB56CE0, 0xC57CEE, 0xD48CFC,
    0x140090, 0x331AA3, 0x4E32B5, 0x6848C6, 0x7F5CD5, 0x956FE3, 0xA980F0, 0xBC90FC,
    0x000094, 0x181AA7, 0x2D32B8, 0x4248C8, 0x545CD6, 0x656FE4, 0x7580F0, 0x8490FC,
    0x001C88, 0x183B9D, 0x2D57B0, 0x4272C2, 0x548AD2, 0x65A0E1, 0x75B5EF, 0x84C8FC,
    0x003064, 0x185080, 0x2D6D98, 0x4288B0, 0x54A0C5, 0x65B7D9, 0x75CCEB, 0x84E0FC,
    0x004030, 0x18624E, 0x2D8169, 0x429E82, 0x54B899, 0x65D1AE, 0x75E7C2, 0x84FCD4,
    0x004400, 0x1A661A, 0x328432, 0x48A048, 0x5CBA5C, 0x6FD26F, 0x80E880, 0x90FC90,
    0x143C00, 0x355F18, 0x527E2D, 0x6E9C42, 0x87B754, 0x9ED065, 0xB4E775, 0xC8FC84,
    0x303800, 0x505916, 0x6D762B, 0x88923E, 0xA0AB4F, 0xB7C25F, 0xCCD86E, 0xE0EC7C,
    0x482C00, 0x694D14, 0x866A26, 0xA28638, 0xBB9F47, 0xD2B656, 0xE8CC63, 0xFCE070,
];

#[rustfmt::skip]
#[expect(clippy::unreadable_literal, reason = "colours as RRGGBB")]
const PAL_COLORS: [u32; 128] = [
    0x000000, 0x2B2B2B, 0x525252, 0x767676, 0x979797, 0xB6B6B6, 0xD2D2D2, 0xECECEC,
    0x000000, 0x2B2B2B, 0x525252, 0x767676, 0x979797, 0xB6B6B6, 0xD2D2D2, 0xECECEC,
    0x805800, 0x96711A, 0xAB8732, 0xBE9C48, 0xCFAF5C, 0xDFC06F, 0xEED180, 0xFCE090,
    0x445C00, 0x5E791A, 0x769332, 0x8CAC48, 0xA0C25C, 0xB3D76F, 0xC4EA80, 0xD4FC90,
    0x703400, 0x89511A, 0xA06B32, 0xB68448, 0xC99A5C, 0xDCAF6F, 0xECC280, 0xFCD490,
    0x006414, 0x1A8035, 0x329852, 0x48B06E, 0x5CC587, 0x6FD99E, 0x80EBB4, 0x90FCC8,
    0x700014, 0x891A35, 0xA03252, 0xB6486E, 0xC95C87, 0xDC6F9E, 0xEC80B4, 0xFC90C8,
    0x005C5C, 0x1A7676, 0x328E8E, 0x48A4A4, 0x5CB8B8, 0x6FCBCB, 0x80DCDC, 0x90ECEC,
    0x70005C, 0x841A74, 0x963289, 0xA8489E, 0xB75CB0, 0xC66FC1, 0xD380D1, 0xE090E0,
    0x003C70, 0x195A89, 0x2F75A0, 0x448EB6, 0x57A5C9, 0x68BADC, 0x79CEEC, 0x88E0FC,
    0x580070, 0x6E1A89, 0x8332A0, 0x9648B6, 0xA75CC9, 0xB76FDC, 0xC680EC, 0xD490FC,
    0x002070, 0x193F89, 0x2F5AA0, 0x4474B6, 0x578BC9, 0x68A1DC, 0x79B5EC, 0x88C8FC,
    0x340080, 0x4A1A96, 0x5F32AB, 0x7248BE, 0x835CCF, 0x936FDF, 0xA280EE, 0xB090FC,
    0x000088, 0x1A1A9D, 0x3232B0, 0x4848C2, 0x5C5CD2, 0x6F6FE1, 0x8080EF, 0x9090FC,
    0x000000, 0x2B2B2B, 0x525252, 0x767676, 0x979797, 0xB6B6B6, 0xD2D2D2, 0xECECEC,
    0x000000, 0x2B2B2B, 0x525252, 0x767676, 0x979797, 0xB6B6B6, 0xD2D2D2, 0xECECEC,
];

#[expect(clippy::unreadable_literal, reason = "colours as RRGGBB")]
const SECAM_COLORS: [u32; 128] = {
    let colors = [0x000000, 0x2121FF, 0xF03C79, 0xFF50FF, 0x7FFF00, 0x7FFFFF, 0xFFFF3F, 0xFFFFFF];
    let mut table = [0; 128];
    let mut index = 0;
    while index < 128 {
        table[index] = colors[index % 8];
        index += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gray_of_an_even_index_is_its_luminance_and_of_an_odd_one_the_next_blue() {
        assert_eq!(NTSC.rgb[0x1E], [0xFC, 0xFC, 0x54]);
        assert_eq!(NTSC.gray[0x1E], 0xE9);
        assert_eq!(NTSC.rgb[0x1F], [0xE9; 3]);
        assert_eq!(NTSC.gray[0x11], 0x0F);
        assert_eq!(PAL.gray[0xFF], 0);
    }

    #[test]
    fn the_average_of_a_colour_with_itself_is_the_lowest_equal_colour() {
        assert!((0..=254).step_by(2).all(|index| NTSC.average(index, index) == index));
        assert_eq!(PAL.average(0x12, 0x12), 0x02);
        assert_eq!(PAL.average(0x13, 0x12), 0x02);
    }

    #[test]
    fn runs_are_written_like_single_pixels() {
        let pixels: Vec<u8> = (0..1003_u32).map(|i| (i / 37 * 31 + i % 5 / 4) as u8).collect();
        let (mut gray, mut rgb) = (vec![0; 1003], vec![0; 3009]);
        PAL.write_gray(&pixels, &mut gray);
        PAL.write_rgb(&pixels, &mut rgb);
        assert!(pixels.iter().zip(&gray).all(|(&pixel, &gray)| gray == PAL.gray[usize::from(pixel)]));
        assert!(pixels.iter().zip(rgb.chunks(3)).all(|(&pixel, rgb)| rgb == PAL.rgb[usize::from(pixel)]));
    }

    #[test]
    fn writers_fill_as_far_as_both_slices_reach() {
        let mut rgb = [1; 7];
        SECAM.write_rgb(&[0x02, 0x0E, 0x00], &mut rgb);
        assert_eq!(rgb, [0x21, 0x21, 0xFF, 0xFF, 0xFF, 0xFF, 1]);
        let mut gray = [0; 2];
        NTSC.write_gray(&[0x0E, 0x00, 0x02], &mut gray);
        assert_eq!(gray, [0xEC, 0x00]);
    }
}
