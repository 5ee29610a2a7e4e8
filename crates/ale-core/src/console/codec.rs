//! Fields to bytes and back, little endian, through one list of fields for both directions.

use std::convert::Infallible;
use std::fmt::Display;

use ale_sim::bytes;

use super::cart::Cart;
use crate::error::Error;

/// One direction. Every number is `bytes` with a width, so both directions agree by construction.
pub(crate) trait Codec {
    /// What can go wrong: nothing when writing.
    type Error;

    /// Moves the bytes of a field.
    fn bytes(&mut self, field: &str, raw: &mut [u8]) -> Result<(), Self::Error>;

    /// Refuses a value that no machine can have.
    fn check(&self, field: &str, possible: bool, value: impl Display) -> Result<(), Self::Error>;

    /// The cartridge has a list of its own.
    fn cart(&mut self, cart: &mut Cart) -> Result<(), Self::Error>;

    fn u8(&mut self, field: &str, value: &mut u8) -> Result<(), Self::Error> {
        self.bytes(field, std::slice::from_mut(value))
    }

    fn u16(&mut self, field: &str, value: &mut u16) -> Result<(), Self::Error> {
        let mut raw = value.to_le_bytes();
        self.bytes(field, &mut raw)?;
        *value = u16::from_le_bytes(raw);
        Ok(())
    }

    fn u32(&mut self, field: &str, value: &mut u32) -> Result<(), Self::Error> {
        let mut raw = value.to_le_bytes();
        self.bytes(field, &mut raw)?;
        *value = u32::from_le_bytes(raw);
        Ok(())
    }

    fn i32(&mut self, field: &str, value: &mut i32) -> Result<(), Self::Error> {
        let mut raw = value.to_le_bytes();
        self.bytes(field, &mut raw)?;
        *value = i32::from_le_bytes(raw);
        Ok(())
    }

    /// A byte less than `limit`.
    fn below(&mut self, field: &str, limit: u8, value: &mut u8) -> Result<(), Self::Error> {
        self.u8(field, value)?;
        self.check(field, *value < limit, *value)
    }

    fn bool(&mut self, field: &str, value: &mut bool) -> Result<(), Self::Error> {
        let mut byte = u8::from(*value);
        self.below(field, 2, &mut byte)?;
        *value = byte == 1;
        Ok(())
    }

    fn bools(&mut self, field: &str, values: &mut [bool]) -> Result<(), Self::Error> {
        values.iter_mut().try_for_each(|value| self.bool(field, value))
    }

    /// One of a few values, as its number in `all`.
    fn one_of<T: Copy + PartialEq>(
        &mut self,
        field: &str,
        all: &[T],
        value: &mut T,
    ) -> Result<(), Self::Error> {
        let mut number = all.iter().position(|one| one == value).unwrap_or_default() as u8;
        self.below(field, all.len() as u8, &mut number)?;
        *value = all[usize::from(number)];
        Ok(())
    }
}

/// Appends fields.
pub(crate) struct FieldWriter {
    pub(crate) out: Vec<u8>,
}

impl Codec for FieldWriter {
    type Error = Infallible;

    fn bytes(&mut self, _field: &str, raw: &mut [u8]) -> Result<(), Infallible> {
        self.out.extend_from_slice(raw);
        Ok(())
    }

    fn check(&self, field: &str, possible: bool, value: impl Display) -> Result<(), Infallible> {
        debug_assert!(possible, "\"{field}\" is {value}");
        Ok(())
    }

    fn cart(&mut self, cart: &mut Cart) -> Result<(), Infallible> {
        cart.save(&mut self.out);
        Ok(())
    }
}

/// Takes fields off the front; its errors name the field.
pub(crate) struct FieldReader<'a> {
    bytes: bytes::Reader<'a>,
}

impl<'a> FieldReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes::Reader::new(bytes) }
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, field: &str, count: usize) -> Result<&'a [u8], Error> {
        let ends = |_| damaged(format_args!("it ends within the field \"{field}\""));
        self.bytes.raw(count).map_err(ends)
    }

    /// Nothing may be left.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.bytes.rest().len() {
            0 => Ok(()),
            more => Err(damaged(format_args!("{more} bytes follow its end"))),
        }
    }
}

impl Codec for FieldReader<'_> {
    type Error = Error;

    fn bytes(&mut self, field: &str, raw: &mut [u8]) -> Result<(), Error> {
        raw.copy_from_slice(self.take(field, raw.len())?);
        Ok(())
    }

    fn check(&self, field: &str, possible: bool, value: impl Display) -> Result<(), Error> {
        if possible { Ok(()) } else { Err(damaged(format_args!("\"{field}\" cannot be {value}"))) }
    }

    fn cart(&mut self, cart: &mut Cart) -> Result<(), Error> {
        *cart = cart.restore(&mut self.bytes)?;
        Ok(())
    }
}

pub(crate) fn damaged(what: std::fmt::Arguments) -> Error {
    Error::State(format!("the saved state of the console is damaged: {what}"))
}

/// 64-bit FNV-1a.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}
