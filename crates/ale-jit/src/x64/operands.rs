//! Operands: registers, memory, conditions.

/// General registers, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reg(pub(crate) u8);

/// An address in memory: a register, another one times a power of two, and a distance.
#[derive(Clone, Copy)]
pub(crate) struct Mem {
    pub(super) base: Reg,
    pub(super) index: Option<(Reg, u8)>,
    pub(super) distance: i32,
}

impl Mem {
    pub(crate) fn new(base: Reg, distance: i32) -> Self {
        Self { base, index: None, distance }
    }

    pub(crate) fn indexed(base: Reg, index: Reg, shift: u8, distance: i32) -> Self {
        Self { base, index: Some((index, shift)), distance }
    }
}

/// A short jump that does not know yet where it leads.
#[derive(Clone, Copy)]
pub(crate) struct ShortJump(pub(super) usize);

/// Operations on two operands.
#[derive(Clone, Copy)]
pub(crate) enum AluOp {
    Add = 0,
    Or = 1,
    /// With the carry.
    Adc = 2,
    /// With the borrow.
    Sbb = 3,
    And = 4,
    Sub = 5,
    Xor = 6,
    Cmp = 7,
}

/// A byte to operate with.
#[derive(Clone, Copy)]
pub(crate) enum ByteOperand {
    Constant(u8),
    Memory(Mem),
    Register(Reg),
}

/// Shifts by one; the first two through the carry.
#[derive(Clone, Copy)]
pub(crate) enum Shift {
    Rcl = 2,
    Rcr = 3,
    Shl = 4,
    Shr = 5,
}

/// Conditions of jumps.
#[derive(Clone, Copy)]
pub(crate) enum Cond {
    Overflow = 0,
    NotOverflow = 1,
    Below = 2,
    AboveOrEqual = 3,
    Zero = 4,
    NotZero = 5,
    BelowOrEqual = 6,
    Above = 7,
    Sign = 8,
    NotSign = 9,
}

impl Cond {
    /// The opposite condition.
    pub(crate) fn not(self) -> Self {
        match self {
            Self::Overflow => Self::NotOverflow,
            Self::NotOverflow => Self::Overflow,
            Self::Below => Self::AboveOrEqual,
            Self::AboveOrEqual => Self::Below,
            Self::Zero => Self::NotZero,
            Self::NotZero => Self::Zero,
            Self::BelowOrEqual => Self::Above,
            Self::Above => Self::BelowOrEqual,
            Self::Sign => Self::NotSign,
            Self::NotSign => Self::Sign,
        }
    }
}

/// Registers of SSE2, by their numbers.
#[derive(Clone, Copy)]
pub(crate) struct Xmm(pub(super) u8);

pub(crate) const XMM0: Xmm = Xmm(0);
pub(crate) const XMM1: Xmm = Xmm(1);
