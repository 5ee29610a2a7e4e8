//! Pictures as stretches: of one colour, of what is above, of what the other picture has, or anything.
//!
//! A stretch is a number, seven bits a byte with the low ones first and bit 7 for "more": its kind in
//! the low two bits, its length above them; then its bytes, if its kind has any.

use super::super::codec::{FieldReader, damaged};
use crate::error::Error;
use crate::frame::WIDTH;

/// Bytes as they are.
const PLAIN: usize = 0;
/// One byte many times.
const RUN: usize = 1;
/// As one row above.
const ABOVE: usize = 2;
/// As the other picture.
const OTHER: usize = 3;

/// Shorter ones are kept as they are.
const LEAST: usize = 4;

/// Appends a picture; `other` is one that the reader knows already, or nothing.
pub(super) fn pack(out: &mut Vec<u8>, picture: &[u8], other: &[u8]) {
    let mut plain = 0;
    let mut at = 0;
    while at < picture.len() {
        let (length, kind) = longest(picture, other, at);
        if length < LEAST {
            at += 1;
            continue;
        }
        pack_plain(out, &picture[plain..at]);
        pack_number(out, length << 2 | kind);
        if kind == RUN {
            out.push(picture[at]);
        }
        at += length;
        plain = at;
    }
    pack_plain(out, &picture[plain..]);
}

/// The longest stretch from `at` on.
fn longest(picture: &[u8], other: &[u8], at: usize) -> (usize, usize) {
    let rest = &picture[at..];
    let same = |as_: &[u8]| rest.iter().zip(as_).take_while(|(one, two)| one == two).count();
    let run = rest.iter().take_while(|&&byte| byte == rest[0]).count();
    let above = at.checked_sub(WIDTH).map_or(0, |above| same(&picture[above..]));
    let others = other.get(at..).map_or(0, same);
    // Of equals the last is taken, which needs no byte.
    [(run, RUN), (above, ABOVE), (others, OTHER)].into_iter().max().unwrap_or_default()
}

fn pack_plain(out: &mut Vec<u8>, bytes: &[u8]) {
    if !bytes.is_empty() {
        pack_number(out, bytes.len() << 2 | PLAIN);
        out.extend_from_slice(bytes);
    }
}

fn pack_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a picture of `size` bytes off the front.
pub(super) fn unpack(reader: &mut FieldReader, size: usize, other: &[u8]) -> Result<Vec<u8>, Error> {
    let mut picture = Vec::with_capacity(size);
    while picture.len() < size {
        let number = unpack_number(reader)?;
        let (kind, length, at) = (number & 3, number >> 2, picture.len());
        if length == 0 || length > size - at {
            return Err(damaged(format_args!("a stretch of {length} pixels in a picture of {size}")));
        }
        match kind {
            PLAIN => picture.extend_from_slice(reader.take("picture", length)?),
            RUN => picture.resize(at + length, reader.take("picture", 1)?[0]),
            ABOVE if at >= WIDTH => (at..at + length).for_each(|x| picture.push(picture[x - WIDTH])),
            OTHER if other.len() == size => picture.extend_from_slice(&other[at..at + length]),
            _ => return Err(damaged(format_args!("a picture refers to pixels that it does not have"))),
        }
    }
    Ok(picture)
}

fn unpack_number(reader: &mut FieldReader) -> Result<usize, Error> {
    let mut number = 0;
    // Three bytes hold more than a picture has.
    for shift in [0, 7, 14] {
        let byte = usize::from(reader.take("picture", 1)?[0]);
        number |= (byte & 0x7F) << shift;
        if byte < 0x80 {
            return Ok(number);
        }
    }
    Err(damaged(format_args!("a stretch of pixels longer than a picture")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(picture: &[u8], other: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        pack(&mut out, picture, other);
        out
    }

    #[test]
    fn a_black_picture_is_one_stretch() {
        assert_eq!(packed(&vec![0; 33_600], &[]).len(), 4);
    }

    #[test]
    fn a_picture_equal_to_the_other_is_one_stretch() {
        let noise: Vec<u8> = (0..33_600_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert_eq!(packed(&noise, &noise).len(), 3);
    }

    proptest! {
        #[test]
        fn a_picture_comes_back(
            rows in prop::collection::vec(prop::collection::vec(0_u8..3, WIDTH), 1..8),
            others in prop::collection::vec(0_u8..3, 8 * WIDTH),
            with_other: bool,
        ) {
            let picture = rows.concat();
            let other = if with_other { &others[..picture.len()] } else { &[] };
            let bytes = packed(&picture, other);
            let mut reader = FieldReader::new(&bytes);
            prop_assert_eq!(unpack(&mut reader, picture.len(), other), Ok(picture));
            prop_assert_eq!(reader.finish(), Ok(()));
        }

        #[test]
        fn any_bytes_are_a_picture_of_that_size_or_an_error(bytes: Vec<u8>, size in 0_usize..1000) {
            if let Ok(picture) = unpack(&mut FieldReader::new(&bytes), size, &[]) {
                prop_assert_eq!(picture.len(), size);
            }
        }
    }
}
