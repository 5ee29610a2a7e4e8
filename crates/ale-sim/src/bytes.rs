//! Byte codec of saved states: numbers in little endian, parts with their length, and a seal around the whole.
//!
//! ```text
//! sealed: kind (8 letters) · version (u32) · length of the content (u64) · content · CRC-64 of all before it
//! ```

use crate::error::Error;

/// Appends numbers and parts to bytes.
#[derive(Debug, Clone, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Bytes as they are; the reader has to know how many.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.extend_from_slice(bytes);
        self
    }

    /// One byte.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.raw(&[value])
    }

    /// A flag as one byte.
    pub fn flag(&mut self, value: bool) -> &mut Self {
        self.u8(u8::from(value))
    }

    /// 32 bits.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// 32 bits with a sign.
    pub fn i32(&mut self, value: i32) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// 64 bits.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// 64 bits with a sign.
    pub fn i64(&mut self, value: i64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// A number with fractions.
    pub fn f64(&mut self, value: f64) -> &mut Self {
        self.raw(&value.to_le_bytes())
    }

    /// A length, then the bytes.
    pub fn part(&mut self, bytes: &[u8]) -> &mut Self {
        self.u64(bytes.len() as u64).raw(bytes)
    }

    /// All that was written.
    pub fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Bytes that are not read yet. Every method fails when there are too few.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from the first byte on.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// What is left.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// So many bytes.
    ///
    /// # Errors
    /// [`Error::State`] when there are fewer; as all methods here.
    pub fn raw(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    /// A fixed number of bytes.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// One byte.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn u8(&mut self) -> Result<u8, Error> {
        self.array().map(|[byte]| byte)
    }

    /// A flag: 0 or 1, nothing else.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn flag(&mut self) -> Result<bool, Error> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(damaged()),
        }
    }

    /// 32 bits.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn u32(&mut self) -> Result<u32, Error> {
        self.array().map(u32::from_le_bytes)
    }

    /// 32 bits with a sign.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn i32(&mut self) -> Result<i32, Error> {
        self.array().map(i32::from_le_bytes)
    }

    /// 64 bits.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn u64(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }

    /// 64 bits with a sign.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn i64(&mut self) -> Result<i64, Error> {
        self.array().map(i64::from_le_bytes)
    }

    /// A number with fractions.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn f64(&mut self) -> Result<f64, Error> {
        self.array().map(f64::from_le_bytes)
    }

    /// What [`Writer::part`] wrote.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn part(&mut self) -> Result<&'a [u8], Error> {
        let len = usize::try_from(self.u64()?).map_err(|_| damaged())?;
        self.raw(len)
    }

    /// Nothing may be left.
    ///
    /// # Errors
    /// As [`Reader::raw`].
    pub fn finish(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(damaged()) }
    }
}

/// The error of bytes whose content makes no sense.
pub fn damaged() -> Error {
    Error::State("the saved state is damaged".to_owned())
}

/// Letters of a kind.
const KIND: usize = 8;
const HEADER: usize = KIND + 4 + 8;
const CHECKSUM: usize = 8;

/// Puts kind, version and checksum around a content.
pub fn seal(kind: [u8; KIND], version: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER + content.len() + CHECKSUM);
    bytes.extend_from_slice(&kind);
    bytes.extend_from_slice(&version.to_le_bytes());
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
    bytes.extend_from_slice(content);
    let checksum = crc64(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

/// The content of [`seal`].
///
/// # Errors
/// [`Error::State`] with the reason: another kind of file, another version, cut off, or changed.
pub fn unseal(kind: [u8; KIND], version: u32, bytes: &[u8]) -> Result<&[u8], Error> {
    let refuse = |text: String| Err(Error::State(text));
    let name = kind.escape_ascii();
    let mut reader = Reader(bytes);
    match reader.array::<KIND>() {
        Ok(found) if found == kind => {}
        Ok(_) => return refuse(format!("the bytes do not begin with \"{name}\": another kind of data")),
        Err(_) => return refuse(format!("{} bytes are too few for \"{name}\"", bytes.len())),
    }
    let (Ok(found), Ok(len)) = (reader.u32(), reader.u64()) else {
        return refuse(format!("\"{name}\" is cut off after {} bytes", bytes.len()));
    };
    if found != version {
        return refuse(format!("\"{name}\" has version {found}; accepted: {version}"));
    }
    let expected = (HEADER + CHECKSUM) as u64;
    if (bytes.len() as u64).checked_sub(expected) != Some(len) {
        let whole = len.saturating_add(expected);
        return refuse(format!(
            "\"{name}\" has {} bytes and should have {whole}: cut off or changed",
            bytes.len()
        ));
    }
    let content = reader.raw(len as usize)?;
    if crc64(&bytes[..bytes.len() - CHECKSUM]) != reader.u64()? {
        return refuse(format!("the checksum of \"{name}\" is wrong: bytes were changed"));
    }
    Ok(content)
}

/// CRC-64/XZ.
pub fn crc64(bytes: &[u8]) -> u64 {
    let mut crc = u64::MAX;
    let (words, rest) = bytes.as_chunks();
    for word in words {
        let word = crc ^ u64::from_le_bytes(*word);
        crc = (0..8).fold(0, |sum, byte| sum ^ TABLES[7 - byte][usize::from((word >> (8 * byte)) as u8)]);
    }
    for &byte in rest {
        crc = TABLES[0][usize::from(crc as u8 ^ byte)] ^ (crc >> 8);
    }
    !crc
}

/// Table `n` has the remainder of each byte with `n` zero bytes after it.
static TABLES: [[u64; 256]; 8] = tables();

const fn tables() -> [[u64; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xC96C_5795_D787_0F42 } else { crc >> 1 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut number = 1;
    while number < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before: u64 = tables[number - 1][byte];
            tables[number][byte] = tables[0][(before & 0xFF) as usize] ^ (before >> 8);
            byte += 1;
        }
        number += 1;
    }
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The twin: bit by bit.
    fn crc64_literal(bytes: &[u8]) -> u64 {
        let mut crc = u64::MAX;
        for byte in bytes {
            crc ^= u64::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { (crc >> 1) ^ 0xC96C_5795_D787_0F42 } else { crc >> 1 };
            }
        }
        !crc
    }

    #[test]
    fn the_checksum_is_crc_64_xz() {
        assert_eq!(crc64(b"123456789"), 0x995D_C9BB_DF19_39FA);
        let bytes: Vec<u8> = (0..1000_u32).map(|n| (n * 7 / 3) as u8).collect();
        for len in 0..64 {
            assert_eq!(crc64(&bytes[len..4 * len + 30]), crc64_literal(&bytes[len..4 * len + 30]), "{len}");
        }
    }

    #[test]
    fn what_is_read_is_what_was_written() {
        let mut writer = Writer::new();
        writer.u8(7).flag(true).u32(1).i32(-1).u64(u64::MAX).i64(-5).f64(0.5).part(b"part").raw(b"end");
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        assert_eq!((reader.u8(), reader.flag(), reader.u32()), (Ok(7), Ok(true), Ok(1)));
        assert_eq!((reader.i32(), reader.u64(), reader.i64()), (Ok(-1), Ok(u64::MAX), Ok(-5)));
        assert_eq!((reader.f64(), reader.part()), (Ok(0.5), Ok(&b"part"[..])));
        assert_eq!((reader.rest(), reader.array()), (&b"end"[..], Ok(*b"end")));
        assert_eq!(reader.u8(), Err(damaged()));
        assert_eq!(reader.finish(), Ok(()));
    }

    #[test]
    fn every_flipped_bit_and_every_cut_of_sealed_bytes_is_refused() {
        let sealed = seal(*b"ale-test", 3, b"some content of a state");
        assert_eq!(unseal(*b"ale-test", 3, &sealed), Ok(&b"some content of a state"[..]));
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(unseal(*b"ale-test", 3, &changed), Err(Error::State(_))), "bit {bit}");
        }
        for len in 0..sealed.len() {
            assert!(matches!(unseal(*b"ale-test", 3, &sealed[..len]), Err(Error::State(_))), "{len} bytes");
        }
        assert!(unseal(*b"ale-test", 3, &[&sealed[..], b"x"].concat()).is_err());
        let text = unseal(*b"ale-test", 4, &sealed).expect_err("another version").to_string();
        assert!(text.contains("version 3; accepted: 4"), "{text}");
    }
}
