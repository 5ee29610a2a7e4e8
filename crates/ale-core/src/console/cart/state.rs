//! The byte form of a cartridge's state: the number of its scheme, then the fields of its board, little-endian.
//!
//! The map is not part of it: it follows from the board.

use ale_sim::bytes::Reader;

use super::{Board, Cart, Scheme, on_board};
use crate::error::Error;

impl Cart {
    /// Appends the state.
    pub(crate) fn save(&self, out: &mut Vec<u8>) {
        out.push(number(self.scheme));
        on_board!(&self.board, board => board.save(out));
    }

    /// Takes a state of the same cartridge off the front of `bytes`.
    pub(crate) fn restore(&self, bytes: &mut Reader) -> Result<Self, Error> {
        let mut fields = Fields { bytes };
        let scheme = fields.u8("scheme")?;
        if scheme != number(self.scheme) {
            let found = Scheme::ALL.get(usize::from(scheme)).map_or("unknown", |scheme| scheme.name());
            return Err(bad(format_args!(
                "cartridge type {scheme} ({found}) where {} was expected",
                self.scheme.name()
            )));
        }
        let mut cart = self.clone();
        on_board!(&mut cart.board, board => board.restore(&mut fields))?;
        cart.remap();
        Ok(cart)
    }
}

fn number(scheme: Scheme) -> u8 {
    scheme as u8
}

fn bad(what: std::fmt::Arguments) -> Error {
    Error::State(format!("the saved state of the cartridge is damaged: {what}"))
}

/// The value of a field, if it can have it.
pub(super) fn check<T: std::fmt::Display>(field: &str, possible: bool, value: T) -> Result<T, Error> {
    if possible { Ok(value) } else { Err(bad(format_args!("\"{field}\" cannot be {value}"))) }
}

/// Takes the fields of a board off the front; its errors name the field.
pub(super) struct Fields<'b, 'a> {
    bytes: &'b mut Reader<'a>,
}

impl Fields<'_, '_> {
    fn take<const N: usize>(&mut self, field: &str) -> Result<[u8; N], Error> {
        self.bytes.array().map_err(|_| bad(format_args!("it ends before the field \"{field}\"")))
    }

    pub(super) fn u8(&mut self, field: &str) -> Result<u8, Error> {
        self.take::<1>(field).map(|[byte]| byte)
    }

    pub(super) fn u16(&mut self, field: &str) -> Result<u16, Error> {
        self.take(field).map(u16::from_le_bytes)
    }

    pub(super) fn i32(&mut self, field: &str) -> Result<i32, Error> {
        self.take(field).map(i32::from_le_bytes)
    }

    pub(super) fn f64(&mut self, field: &str) -> Result<f64, Error> {
        self.take(field).map(f64::from_le_bytes)
    }

    pub(super) fn bool(&mut self, field: &str) -> Result<bool, Error> {
        self.below(field, 2).map(|byte| byte == 1)
    }

    /// A byte less than `limit`.
    pub(super) fn below(&mut self, field: &str, limit: u8) -> Result<u8, Error> {
        let value = self.u8(field)?;
        check(field, value < limit, value)
    }

    /// As many bytes as `target` has.
    pub(super) fn fill(&mut self, target: &mut [u8]) -> Result<(), Error> {
        let len = target.len();
        let ends = |_| bad(format_args!("it ends within {len} bytes of RAM"));
        target.copy_from_slice(self.bytes.raw(len).map_err(ends)?);
        Ok(())
    }
}
