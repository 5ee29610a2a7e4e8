//! As much of the language of x86-64 processors as is needed.

/// Registers, by their numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reg(pub(crate) u8);

/// An address in memory: a register, another one times a power of two, and a distance.
#[derive(Clone, Copy)]
pub(crate) struct At {
    base: Reg,
    index: Option<(Reg, u8)>,
    distance: i32,
}

impl At {
    pub(crate) fn new(base: Reg, distance: i32) -> Self {
        Self { base, index: None, distance }
    }

    pub(crate) fn indexed(base: Reg, index: Reg, shift: u8, distance: i32) -> Self {
        Self { base, index: Some((index, shift)), distance }
    }
}

/// A short jump that does not know yet where it leads.
#[derive(Clone, Copy)]
pub(crate) struct Skip(usize);

/// Operations on two operands.
#[derive(Clone, Copy)]
pub(crate) enum Do {
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
pub(crate) enum Byte {
    Constant(u8),
    Memory(At),
    Register(Reg),
}

/// Shifts by one; the first two through the carry.
#[derive(Clone, Copy)]
pub(crate) enum Shift {
    RotateLeft = 2,
    RotateRight = 3,
    Left = 4,
    Right = 5,
}

/// Conditions of jumps.
#[derive(Clone, Copy)]
pub(crate) enum If {
    Overflow = 0,
    Below = 2,
    AboveOrEqual = 3,
    Zero = 4,
    NotZero = 5,
    BelowOrEqual = 6,
    Above = 7,
    Negative = 8,
    NotNegative = 9,
}

impl If {
    pub(crate) const fn not(self) -> u8 {
        self as u8 ^ 1
    }
}

/// Code that is being written.
#[derive(Default)]
pub(crate) struct Assembler {
    pub(crate) bytes: Vec<u8>,
}

impl Assembler {
    pub(crate) fn here(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn word(&mut self, word: i32) {
        self.raw(&word.to_le_bytes());
    }

    /// The prefix that names more registers; left out where it is not needed. (Nor is it for the lower bytes of registers 4 to
    /// 7: they are not used.)
    fn prefix(&mut self, wide: bool, reg: u8, index: u8, base: u8) {
        let prefix = 0x40 | u8::from(wide) << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
        if prefix != 0x40 {
            self.raw(&[prefix]);
        }
    }

    /// An opcode and two registers.
    fn pair(&mut self, wide: bool, opcode: &[u8], reg: u8, rm: Reg) {
        self.prefix(wide, reg, 0, rm.0);
        self.raw(opcode);
        self.raw(&[0xC0 | (reg & 7) << 3 | rm.0 & 7]);
    }

    /// The same with a register and memory.
    fn memory(&mut self, wide: bool, opcode: &[u8], reg: u8, at: At) {
        let (index, shift) = at.index.map_or((4, 0), |(index, shift)| (index.0, shift));
        self.prefix(wide, reg, index, at.base.0);
        self.raw(opcode);
        let short = i8::try_from(at.distance).ok();
        let mode = match at.distance {
            0 if at.base.0 & 7 != 5 => 0x00,
            _ if short.is_some() => 0x40,
            _ => 0x80,
        };
        if at.index.is_some() || at.base.0 & 7 == 4 {
            self.raw(&[mode | (reg & 7) << 3 | 4, shift << 6 | (index & 7) << 3 | at.base.0 & 7]);
        } else {
            self.raw(&[mode | (reg & 7) << 3 | at.base.0 & 7]);
        }
        match short {
            _ if mode == 0x00 => {}
            Some(distance) => self.raw(&distance.to_le_bytes()),
            None => self.word(at.distance),
        }
    }

    pub(crate) fn push(&mut self, reg: Reg) {
        self.raw(&[0x40 | reg.0 >> 3, 0x50 | reg.0 & 7]);
    }

    pub(crate) fn pop(&mut self, reg: Reg) {
        self.raw(&[0x40 | reg.0 >> 3, 0x58 | reg.0 & 7]);
    }

    pub(crate) fn copy(&mut self, to: Reg, from: Reg) {
        self.pair(false, &[0x8B], to.0, from);
    }

    pub(crate) fn copy_wide(&mut self, to: Reg, from: Reg) {
        self.pair(true, &[0x8B], to.0, from);
    }

    /// The low byte of a register.
    pub(crate) fn copy_byte(&mut self, to: Reg, from: Reg) {
        self.pair(false, &[0x0F, 0xB6], to.0, from);
    }

    /// May change the processor's flags.
    pub(crate) fn set(&mut self, to: Reg, value: u32) {
        if value == 0 {
            self.operate(Do::Xor, to, to);
            return;
        }
        self.prefix(false, 0, 0, to.0);
        self.raw(&[0xB8 | to.0 & 7]);
        self.raw(&value.to_le_bytes());
    }

    pub(crate) fn load(&mut self, to: Reg, at: At) {
        self.memory(false, &[0x8B], to.0, at);
    }

    pub(crate) fn load_wide(&mut self, to: Reg, at: At) {
        self.memory(true, &[0x8B], to.0, at);
    }

    pub(crate) fn load_byte(&mut self, to: Reg, at: At) {
        self.memory(false, &[0x0F, 0xB6], to.0, at);
    }

    /// A byte with its sign.
    pub(crate) fn load_signed_byte(&mut self, to: Reg, at: At) {
        self.memory(true, &[0x0F, 0xBE], to.0, at);
    }

    pub(crate) fn load_two_bytes(&mut self, to: Reg, at: At) {
        self.memory(false, &[0x0F, 0xB7], to.0, at);
    }

    pub(crate) fn store(&mut self, at: At, from: Reg) {
        self.memory(false, &[0x89], from.0, at);
    }

    pub(crate) fn store_wide(&mut self, at: At, from: Reg) {
        self.memory(true, &[0x89], from.0, at);
    }

    pub(crate) fn store_byte(&mut self, at: At, from: Reg) {
        self.memory(false, &[0x88], from.0, at);
    }

    pub(crate) fn store_two_constant_bytes(&mut self, at: At, value: u16) {
        self.raw(&[0x66]);
        self.memory(false, &[0xC7], 0, at);
        self.raw(&value.to_le_bytes());
    }

    pub(crate) fn store_constant(&mut self, at: At, value: u8) {
        self.memory(false, &[0xC6], 0, at);
        self.raw(&[value]);
    }

    /// Adds to the byte in memory.
    pub(crate) fn add_to_memory(&mut self, at: At, value: i8) {
        self.memory(false, &[0x80], Do::Add as u8, at);
        self.raw(&value.to_le_bytes());
    }

    /// The byte in memory, less 1.
    pub(crate) fn decrement(&mut self, at: At) {
        self.memory(false, &[0xFE], 1, at);
    }

    /// The address itself.
    pub(crate) fn reckon(&mut self, to: Reg, at: At) {
        self.memory(false, &[0x8D], to.0, at);
    }

    pub(crate) fn reckon_wide(&mut self, to: Reg, at: At) {
        self.memory(true, &[0x8D], to.0, at);
    }

    pub(crate) fn operate(&mut self, what: Do, to: Reg, with: Reg) {
        self.pair(false, &[what as u8 * 8 + 3], to.0, with);
    }

    pub(crate) fn operate_wide(&mut self, what: Do, to: Reg, with: Reg) {
        self.pair(true, &[what as u8 * 8 + 3], to.0, with);
    }

    pub(crate) fn operate_memory_wide(&mut self, what: Do, to: Reg, at: At) {
        self.memory(true, &[what as u8 * 8 + 3], to.0, at);
    }

    pub(crate) fn operate_memory(&mut self, what: Do, to: Reg, at: At) {
        self.memory(false, &[what as u8 * 8 + 3], to.0, at);
    }

    /// Memory and a register; the result stays in memory.
    pub(crate) fn operate_in_memory(&mut self, what: Do, at: At, with: Reg) {
        self.memory(false, &[what as u8 * 8 + 1], with.0, at);
    }

    pub(crate) fn operate_constant(&mut self, what: Do, to: Reg, value: i32) {
        self.constant(false, what, to, value);
    }

    pub(crate) fn operate_constant_wide(&mut self, what: Do, to: Reg, value: i32) {
        self.constant(true, what, to, value);
    }

    fn constant(&mut self, wide: bool, what: Do, to: Reg, value: i32) {
        if let Ok(short) = i8::try_from(value) {
            self.pair(wide, &[0x83], what as u8, to);
            self.raw(&short.to_le_bytes());
        } else {
            self.pair(wide, &[0x81], what as u8, to);
            self.word(value);
        }
    }

    /// Operates on the low byte of a register; the rest of it stays.
    pub(crate) fn operate_byte(&mut self, what: Do, to: Reg, with: Byte) {
        let opcode = what as u8 * 8 + 2;
        match with {
            Byte::Constant(value) => {
                self.pair(false, &[0x80], what as u8, to);
                self.raw(&[value]);
            }
            Byte::Memory(at) => self.memory(false, &[opcode], to.0, at),
            Byte::Register(with) => self.pair(false, &[opcode], to.0, with),
        }
    }

    /// One more or less in the low byte of a register.
    pub(crate) fn count_byte(&mut self, to: Reg, down: bool) {
        self.pair(false, &[0xFE], u8::from(down), to);
    }

    /// Shifts the low byte of a register by one.
    pub(crate) fn shift_byte(&mut self, how: Shift, reg: Reg) {
        self.pair(false, &[0xD0], how as u8, reg);
    }

    /// The low byte of a register with its sign, over all of another.
    pub(crate) fn copy_signed(&mut self, to: Reg, from: Reg) {
        self.pair(true, &[0x0F, 0xBE], to.0, from);
    }

    /// Sets the processor's carry to a bit of a register.
    pub(crate) fn carry_from(&mut self, reg: Reg, bit: u8) {
        self.pair(false, &[0x0F, 0xBA], 4, reg);
        self.raw(&[bit]);
    }

    pub(crate) fn flip_carry(&mut self) {
        self.raw(&[0xF5]);
    }

    /// 1 or 0 in memory.
    pub(crate) fn set_memory_if(&mut self, condition: If, at: At) {
        self.memory(false, &[0x0F, 0x90 | condition as u8], 0, at);
    }

    /// 1 or 0 in bits 8 to 15 of one of the first four registers.
    pub(crate) fn set_second_byte_if(&mut self, condition: If, reg: Reg) {
        self.raw(&[0x0F, 0x90 | condition as u8, 0xC4 | reg.0 & 3]);
    }

    /// Bits 8 to 15 of one of the first four registers.
    pub(crate) fn set_second_byte(&mut self, reg: Reg, value: u8) {
        self.raw(&[0xB4 | reg.0 & 3, value]);
    }

    pub(crate) fn test_second_byte(&mut self, reg: Reg, value: u8) {
        self.raw(&[0xF6, 0xC4 | reg.0 & 3, value]);
    }

    pub(crate) fn multiply(&mut self, to: Reg, with: Reg, value: u32) {
        if value < 0x80 {
            self.pair(false, &[0x6B], to.0, with);
            self.raw(&[value as u8]);
        } else {
            self.pair(false, &[0x69], to.0, with);
            self.raw(&value.to_le_bytes());
        }
    }

    /// Compares two bytes in memory with a register.
    pub(crate) fn compare_two_bytes(&mut self, at: At, with: Reg) {
        self.raw(&[0x66]);
        self.memory(false, &[0x3B], with.0, at);
    }

    /// Compares a byte in memory with a register.
    pub(crate) fn compare_with_byte(&mut self, at: At, with: Reg) {
        self.memory(false, &[0x3A], with.0, at);
    }

    pub(crate) fn store_two_bytes(&mut self, at: At, from: Reg) {
        self.raw(&[0x66]);
        self.memory(false, &[0x89], from.0, at);
    }

    /// Sets bits of two bytes in memory.
    pub(crate) fn set_bits(&mut self, at: At, bits: u16) {
        self.raw(&[0x66]);
        self.memory(false, &[0x81], Do::Or as u8, at);
        self.raw(&bits.to_le_bytes());
    }

    /// Compares a byte in memory.
    pub(crate) fn compare_byte(&mut self, at: At, value: u8) {
        self.memory(false, &[0x80], Do::Cmp as u8, at);
        self.raw(&[value]);
    }

    pub(crate) fn test(&mut self, reg: Reg, value: u32) {
        self.pair(false, &[0xF7], 0, reg);
        self.raw(&value.to_le_bytes());
    }

    /// Whether a register is 0, or negative.
    pub(crate) fn test_all(&mut self, reg: Reg) {
        self.pair(false, &[0x85], reg.0, reg);
    }

    pub(crate) fn test_all_wide(&mut self, reg: Reg) {
        self.pair(true, &[0x85], reg.0, reg);
    }

    /// Whether the low byte is 0, or negative.
    pub(crate) fn test_byte(&mut self, reg: Reg) {
        self.pair(false, &[0x84], reg.0, reg);
    }

    /// 1 or 0 in the low byte.
    pub(crate) fn set_if(&mut self, condition: If, reg: Reg) {
        self.pair(false, &[0x0F, 0x90 | condition as u8], 0, reg);
    }

    /// Shifts by the low bits of the register CX.
    pub(crate) fn shift_left_by_cx(&mut self, reg: Reg) {
        self.pair(false, &[0xD3], 4, reg);
    }

    pub(crate) fn shift_right_by_cx(&mut self, reg: Reg) {
        self.pair(false, &[0xD3], 5, reg);
    }

    pub(crate) fn shift_right_wide_by_cx(&mut self, reg: Reg) {
        self.pair(true, &[0xD3], 5, reg);
    }

    pub(crate) fn shift_right_wide(&mut self, reg: Reg, by: u8) {
        self.pair(true, &[0xC1], 5, reg);
        self.raw(&[by]);
    }

    pub(crate) fn multiply_wide(&mut self, to: Reg, with: Reg, value: i32) {
        self.pair(true, &[0x69], to.0, with);
        self.raw(&value.to_le_bytes());
    }

    /// Divides AX, with DX above it, by a register.
    pub(crate) fn divide(&mut self, by: Reg) {
        self.pair(false, &[0xF7], 6, by);
    }

    pub(crate) fn shift_left(&mut self, reg: Reg, by: u8) {
        self.pair(false, &[0xC1], 4, reg);
        self.raw(&[by]);
    }

    pub(crate) fn shift_right(&mut self, reg: Reg, by: u8) {
        self.pair(false, &[0xC1], 5, reg);
        self.raw(&[by]);
    }

    /// Jumps by a condition over a few bytes that are not written yet; gives the place of the distance.
    pub(crate) fn skip_if(&mut self, condition: u8) -> Skip {
        self.raw(&[0x70 | condition, 0]);
        Skip(self.here() - 1)
    }

    pub(crate) fn skip(&mut self) -> Skip {
        self.raw(&[0xEB, 0]);
        Skip(self.here() - 1)
    }

    /// Lets such a jump lead here.
    pub(crate) fn arrive(&mut self, skip: Skip) {
        let distance = self.here() - (skip.0 + 1);
        self.bytes[skip.0] = i8::try_from(distance).expect("only a few bytes are skipped") as u8;
    }

    /// Jumps by a condition to somewhere that is not known yet; gives the place of the distance.
    pub(crate) fn jump_if(&mut self, condition: u8) -> usize {
        self.raw(&[0x0F, 0x80 | condition]);
        self.word(0);
        self.here() - 4
    }

    pub(crate) fn jump(&mut self) -> usize {
        self.raw(&[0xE9]);
        self.word(0);
        self.here() - 4
    }

    /// Calls something that is not known yet.
    pub(crate) fn call(&mut self) -> usize {
        self.raw(&[0xE8]);
        self.word(0);
        self.here() - 4
    }

    pub(crate) fn give_back(&mut self) {
        self.raw(&[0xC3]);
    }

    pub(crate) fn jump_to(&mut self, reg: Reg) {
        // Not tracked: these are no functions.
        self.raw(&[0x3E, 0x40 | reg.0 >> 3, 0xFF, 0xE0 | reg.0 & 7]);
    }

    /// A jump of any kind to a place that is not known yet, but known to be near.
    pub(crate) fn near(&mut self, condition: Option<If>) -> Skip {
        match condition {
            Some(condition) => self.skip_if(condition as u8),
            None => self.skip(),
        }
    }

    /// Lets a short jump lead to a place.
    pub(crate) fn lead_near(&mut self, skip: Skip, to: usize) {
        let distance = to.wrapping_sub(skip.0 + 1) as isize;
        self.bytes[skip.0] = i8::try_from(distance).expect("it is near") as u8;
    }

    /// Lets a jump lead to a place.
    pub(crate) fn lead(&mut self, jump: usize, to: usize) {
        let distance = to.wrapping_sub(jump + 4) as i32;
        self.bytes[jump..jump + 4].copy_from_slice(&distance.to_le_bytes());
    }
}
