//! Compiled expressions: a flat list of small operations on a short stack.
//!
//! Numbers are 32-bit signed and wrap around. Nothing here can fail: division by zero gives 0, shifts by
//! less than 0 or more than 31 move every bit out.

/// Quantities a game may remember from frame to frame, the four standard ones included.
pub(super) const SLOTS: usize = 16;
/// Quantities of one frame; the remembered ones come first.
pub(super) const REGISTERS: usize = 48;
/// Values an expression may have in flight.
pub(super) const STACK: usize = 16;
/// Operations of all expressions of a game together.
pub(super) const MAX_OPS: usize = 8192;

/// What a game can look at. The looks never change anything.
pub trait Memory {
    /// RAM byte `index`, 0 to 127 (console addresses $80 to $FF).
    fn ram(&self, index: u8) -> u8;
    /// The byte at an address of the console's 8 KiB address space.
    fn peek(&self, address: u16) -> u8;
}

/// What an expression can ask for besides remembered values.
pub(super) trait Source {
    fn ram(&self, index: u8) -> u8;
    fn peek(&self, address: u16) -> u8;
    fn random(&mut self) -> u32;
}

/// An operation. Unless said otherwise it takes its operands from the stack and leaves its result there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Number(i32),
    Ram(u8),
    /// This frame's value of a quantity.
    Load(u8),
    /// The remembered value of a quantity.
    Previous(u8),
    /// Takes the value off the stack into a register.
    Store(u8),
    Random,
    Peek,
    Lo,
    Hi,
    Bcd,
    Signed8,
    Abs,
    Negate,
    Not,
    /// 0 stays 0, everything else becomes 1.
    Truth,
    Binary(Binary),
    /// An operator whose right operand is a constant.
    BinaryNumber(Binary, i16),
    /// An operator on a RAM byte and a constant.
    RamNumber(Binary, u8, i16),
    /// An operator on two RAM bytes.
    RamRam(Binary, u8, u8),
    /// The decimal digits of a RAM byte.
    RamBcd(u8),
    Jump(u16),
    /// Takes a value; jumps if it is 0.
    JumpUnless(u16),
    /// 0 stays on the stack and jumps; anything else is taken off.
    AndThen(u16),
    /// 0 is taken off; anything else becomes 1 and jumps.
    OrElse(u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Min,
    Max,
}

impl Binary {
    #[inline(always)]
    pub(super) fn apply(self, a: i32, b: i32) -> i32 {
        match self {
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::And => a & b,
            Self::ShiftLeft => u32::try_from(b).ok().and_then(|n| a.checked_shl(n)).unwrap_or(0),
            Self::ShiftRight => a >> u32::try_from(b).map_or(31, |n| n.min(31)),
            Self::Add => a.wrapping_add(b),
            Self::Subtract => a.wrapping_sub(b),
            Self::Multiply => a.wrapping_mul(b),
            Self::Divide => a.checked_div(b).unwrap_or(if b == 0 { 0 } else { a }),
            Self::Remainder => a.checked_rem(b).unwrap_or(0),
            Self::Equal => (a == b).into(),
            Self::Unequal => (a != b).into(),
            Self::Less => (a < b).into(),
            Self::LessEqual => (a <= b).into(),
            Self::Greater => (a > b).into(),
            Self::GreaterEqual => (a >= b).into(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
        }
    }
}

/// Runs `ops` and returns the value they leave behind, if any.
#[inline]
pub(super) fn run<S: Source, const N: usize>(
    ops: &[Op],
    source: &mut S,
    previous: &[i32; SLOTS],
    registers: &mut [i32; N],
) -> i32 {
    // The compiler bounds the depth and the indices; the remainders only tell that to the optimiser.
    let mut below = [0i32; STACK];
    let mut depth = 0usize;
    let mut top = 0i32;
    let mut at = 0usize;
    macro_rules! push {
        ($value:expr) => {{
            below[depth % STACK] = top;
            depth += 1;
            top = $value;
        }};
    }
    macro_rules! pop {
        () => {{
            depth = depth.wrapping_sub(1);
            std::mem::replace(&mut top, below[depth % STACK])
        }};
    }
    while let Some(&op) = ops.get(at) {
        at += 1;
        match op {
            Op::Number(number) => push!(number),
            Op::Ram(index) => push!(source.ram(index).into()),
            Op::Load(register) => push!(registers[usize::from(register) % N]),
            Op::Previous(slot) => push!(previous[usize::from(slot) % SLOTS]),
            Op::Store(register) => registers[usize::from(register) % N] = pop!(),
            // Without the sign bit, so that `rng() % n` is never negative.
            Op::Random => push!((source.random() & 0x7FFF_FFFF) as i32),
            Op::Peek => top = source.peek(top as u16).into(),
            Op::Lo => top &= 15,
            Op::Hi => top = top >> 4 & 15,
            Op::Bcd => top = bcd(top),
            Op::Signed8 => top = i32::from(top as i8),
            Op::Abs => top = top.wrapping_abs(),
            Op::Negate => top = top.wrapping_neg(),
            Op::Not => top = (top == 0).into(),
            Op::Truth => top = (top != 0).into(),
            Op::Binary(operator) => {
                let right = pop!();
                top = operator.apply(top, right);
            }
            Op::BinaryNumber(operator, number) => top = operator.apply(top, number.into()),
            Op::RamNumber(operator, index, number) => {
                push!(operator.apply(source.ram(index).into(), number.into()));
            }
            Op::RamRam(operator, a, b) => {
                push!(operator.apply(source.ram(a).into(), source.ram(b).into()));
            }
            Op::RamBcd(index) => push!(bcd(source.ram(index).into())),
            Op::Jump(target) => at = target.into(),
            Op::JumpUnless(target) => {
                if pop!() == 0 {
                    at = target.into();
                }
            }
            Op::AndThen(target) => {
                if top == 0 {
                    at = target.into();
                } else {
                    let _ = pop!();
                }
            }
            Op::OrElse(target) => {
                if top == 0 {
                    let _ = pop!();
                } else {
                    top = 1;
                    at = target.into();
                }
            }
        }
    }
    top
}

#[inline(always)]
fn bcd(x: i32) -> i32 {
    (x >> 4).wrapping_mul(10).wrapping_add(x & 15)
}
