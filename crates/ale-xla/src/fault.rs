//! Errors that a compiled program reports.

use std::fmt;

/// Kinds of errors, by XLA's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// An argument or result has another type, shape or value.
    InvalidArgument = 3,
    /// The handle stands for nothing.
    NotFound = 5,
    /// The target cannot do this now.
    FailedPrecondition = 9,
    /// A number is out of range.
    OutOfRange = 11,
    /// A panic, or a frame that makes no sense.
    Internal = 13,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind.
    pub code: Code,
    /// What came and what is accepted.
    pub text: String,
}

impl Fault {
    /// A fault of this kind.
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, text: text.into() }
    }

    /// An argument or result that does not fit.
    pub fn invalid(text: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, text)
    }

    pub(crate) fn internal(text: impl Into<String>) -> Self {
        Self::new(Code::Internal, text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.code, self.text)
    }
}

impl std::error::Error for Fault {}
