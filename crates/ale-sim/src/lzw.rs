//! LZW as GIF files use it: codes of growing width, in blocks of at most 255 bytes.

/// Bits of a pixel.
const PIXEL_BITS: u8 = 8;
const CLEAR: u16 = 256;
const END: u16 = 257;
const FIRST: u16 = 258;
/// Codes have at most 12 bits.
const LIMIT: u16 = 4096;
const BLOCK: usize = 255;

/// The image data of a GIF: width of a pixel, blocks with their lengths, an empty block.
///
/// ```
/// assert_eq!(ale_sim::lzw::gif_data(&[0]), [8, 4, 0x00, 0x01, 0x04, 0x04, 0]);
/// ```
pub fn gif_data(pixels: &[u8]) -> Vec<u8> {
    let mut codes = Codes { bytes: Vec::with_capacity(pixels.len() / 8), bits: 0, filled: 0 };
    // The code of each known sequence plus one pixel; 0 is none.
    let mut table = vec![0_u16; usize::from(LIMIT) << PIXEL_BITS];
    let mut next = FIRST;
    let mut width = u32::from(PIXEL_BITS) + 1;
    codes.push(CLEAR, width);
    let mut sequence: Option<u16> = None;
    for &pixel in pixels {
        let Some(known) = sequence else {
            sequence = Some(u16::from(pixel));
            continue;
        };
        let slot = usize::from(known) << PIXEL_BITS | usize::from(pixel);
        if table[slot] != 0 {
            sequence = Some(table[slot]);
            continue;
        }
        codes.push(known, width);
        sequence = Some(u16::from(pixel));
        if next == LIMIT {
            codes.push(CLEAR, width);
            table.fill(0);
            next = FIRST;
            width = u32::from(PIXEL_BITS) + 1;
            continue;
        }
        table[slot] = next;
        if next == 1 << width {
            width += 1;
        }
        next += 1;
    }
    if let Some(known) = sequence {
        codes.push(known, width);
    }
    codes.push(END, width);
    codes.finish()
}

/// Codes packed from the lowest bit on.
struct Codes {
    bytes: Vec<u8>,
    bits: u32,
    filled: u32,
}

impl Codes {
    fn push(&mut self, code: u16, width: u32) {
        self.bits |= u32::from(code) << self.filled;
        self.filled += width;
        while self.filled >= 8 {
            self.bytes.push(self.bits as u8);
            self.bits >>= 8;
            self.filled -= 8;
        }
    }

    fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.bytes.push(self.bits as u8);
        }
        let mut out = vec![PIXEL_BITS];
        for block in self.bytes.chunks(BLOCK) {
            out.push(block.len() as u8);
            out.extend_from_slice(block);
        }
        out.push(0);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The decoder of the GIF specification, as plain as it can be.
    fn decode(data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut at = 1;
        while data[at] != 0 {
            let len = usize::from(data[at]);
            bytes.extend_from_slice(&data[at + 1..=at + len]);
            at += len + 1;
        }
        let bit = |index: usize| usize::from(bytes[index / 8] >> (index % 8) & 1);
        let (mut out, mut table, mut width, mut position) = (Vec::new(), Vec::<Vec<u8>>::new(), 9, 0);
        let mut last: Option<Vec<u8>> = None;
        loop {
            let code: usize = (0..width).map(|i| bit(position + i) << i).sum();
            position += width;
            if code == usize::from(CLEAR) {
                table = (0..=255).map(|pixel| vec![pixel]).chain([vec![], vec![]]).collect();
                (width, last) = (9, None);
                continue;
            }
            if code == usize::from(END) {
                return out;
            }
            let entry = match (&last, table.get(code)) {
                (_, Some(entry)) => entry.clone(),
                (Some(last), None) => [last.clone(), vec![last[0]]].concat(),
                (None, None) => panic!("code {code} out of nowhere"),
            };
            if let Some(last) = last.replace(entry.clone())
                && table.len() < usize::from(LIMIT)
            {
                table.push([last, vec![entry[0]]].concat());
                if table.len() == 1 << width && width < 12 {
                    width += 1;
                }
            }
            out.extend(entry);
        }
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let mut rng = crate::rng::Mt19937::new(1);
        let noise: Vec<u8> = (0..40_000).map(|_| rng.next_u32() as u8).collect();
        let runs: Vec<u8> = (0..40_000_u32).map(|i| (i / 160 % 7 * (i % 160 / 50)) as u8).collect();
        for pixels in [vec![], vec![5], vec![0; 33_600], noise, runs] {
            assert!(decode(&gif_data(&pixels)) == pixels, "{} pixels", pixels.len());
        }
    }

    #[test]
    fn a_plain_picture_becomes_small() {
        assert!(gif_data(&vec![7; 33_600]).len() < 600);
    }
}
