//! Operations: what an instruction does with its operand. One function each, none of them touches the bus.

use super::Cpu;

impl Cpu {
    /// N and Z tell about `value`.
    #[inline(always)]
    pub(super) fn set_nz(&mut self, value: u8) {
        self.negative = value;
        self.zero = value;
    }

    // Loads and transfers.

    #[inline(always)]
    pub(super) fn lda(&mut self, value: u8) {
        self.a = value;
        self.set_nz(value);
    }

    #[inline(always)]
    pub(super) fn ldx(&mut self, value: u8) {
        self.x = value;
        self.set_nz(value);
    }

    #[inline(always)]
    pub(super) fn ldy(&mut self, value: u8) {
        self.y = value;
        self.set_nz(value);
    }

    #[inline(always)]
    pub(super) fn lax(&mut self, value: u8) {
        self.lda(value);
        self.x = value;
    }

    #[inline(always)]
    pub(super) fn las(&mut self, value: u8) {
        self.sp &= value;
        self.lax(self.sp);
    }

    /// NOP with an operand: it was read, and that is all.
    #[inline(always)]
    #[expect(clippy::unused_self, reason = "stands in a row where an operation stands")]
    pub(super) fn ignore(&mut self, _value: u8) {}

    // Logic.

    #[inline(always)]
    pub(super) fn ora(&mut self, value: u8) {
        self.lda(self.a | value);
    }

    #[inline(always)]
    pub(super) fn and(&mut self, value: u8) {
        self.lda(self.a & value);
    }

    #[inline(always)]
    pub(super) fn eor(&mut self, value: u8) {
        self.lda(self.a ^ value);
    }

    #[inline(always)]
    pub(super) fn bit(&mut self, value: u8) {
        self.zero = self.a & value;
        self.negative = value;
        self.overflow = value & 0x40 != 0;
    }

    /// AND, then C as if the result were shifted out to the left.
    #[inline(always)]
    pub(super) fn anc(&mut self, value: u8) {
        self.and(value);
        self.carry = self.a & 0x80 != 0;
    }

    /// AND, then LSR.
    #[inline(always)]
    pub(super) fn asr(&mut self, value: u8) {
        self.a = self.lsr(self.a & value);
    }

    /// AND, then ROR through half of the adder, which decides C and V.
    #[inline(always)]
    pub(super) fn arr(&mut self, value: u8) {
        let masked = self.a & value;
        self.lda(masked >> 1 | u8::from(self.carry) << 7);
        if self.decimal {
            // N and Z stay those of the rotated value.
            self.overflow = (masked ^ self.a) & 0x40 != 0;
            (self.a, self.carry) = adjust_decimal(masked, self.a);
        } else {
            self.carry = self.a & 0x40 != 0;
            self.overflow = (self.a ^ self.a << 1) & 0x40 != 0;
        }
    }

    /// ANE (XAA). The chip's result is unstable; this is the constant of the reference.
    #[inline(always)]
    pub(super) fn ane(&mut self, value: u8) {
        self.lda((self.a | 0xEE) & self.x & value);
    }

    /// LXA, unstable like ANE.
    #[inline(always)]
    pub(super) fn lxa(&mut self, value: u8) {
        self.lax((self.a | 0xEE) & value);
    }

    // Arithmetic.

    #[inline(always)]
    pub(in crate::console) fn adc(&mut self, value: u8) {
        if self.decimal {
            let (result, carry) = add_decimal(self.a, value, self.carry);
            self.finish_decimal(value, result, carry);
        } else {
            self.add(value);
        }
    }

    #[inline(always)]
    pub(in crate::console) fn sbc(&mut self, value: u8) {
        if self.decimal {
            let (result, carry) = subtract_decimal(self.a, value, self.carry);
            self.finish_decimal(value, result, carry);
        } else {
            self.add(!value);
        }
    }

    #[inline(always)]
    fn add(&mut self, value: u8) {
        let sum = u16::from(self.a) + u16::from(value) + u16::from(self.carry);
        let result = sum as u8;
        self.carry = sum > 0xFF;
        self.overflow = (self.a ^ result) & (value ^ result) & 0x80 != 0;
        self.lda(result);
    }

    // Reference: N, V and Z tell about the decimal result.
    #[inline(always)]
    fn finish_decimal(&mut self, value: u8, result: u8, carry: bool) {
        self.carry = carry;
        self.overflow = (self.a ^ result) & (result ^ value) & 0x80 != 0;
        self.lda(result);
    }

    #[inline(always)]
    fn compare(&mut self, register: u8, value: u8) {
        self.carry = register >= value;
        self.set_nz(register.wrapping_sub(value));
    }

    #[inline(always)]
    pub(super) fn cmp(&mut self, value: u8) {
        self.compare(self.a, value);
    }

    #[inline(always)]
    pub(super) fn cpx(&mut self, value: u8) {
        self.compare(self.x, value);
    }

    #[inline(always)]
    pub(super) fn cpy(&mut self, value: u8) {
        self.compare(self.y, value);
    }

    /// X = (A & X) - value with the flags of a comparison; decimal mode does not matter.
    #[inline(always)]
    pub(super) fn sbx(&mut self, value: u8) {
        let masked = self.a & self.x;
        self.compare(masked, value);
        self.x = masked.wrapping_sub(value);
    }

    // Read-modify-write: the new value of the operand is returned.

    #[inline(always)]
    pub(super) fn inc(&mut self, value: u8) -> u8 {
        let result = value.wrapping_add(1);
        self.set_nz(result);
        result
    }

    #[inline(always)]
    pub(super) fn dec(&mut self, value: u8) -> u8 {
        let result = value.wrapping_sub(1);
        self.set_nz(result);
        result
    }

    #[inline(always)]
    pub(super) fn asl(&mut self, value: u8) -> u8 {
        self.carry = value & 0x80 != 0;
        let result = value << 1;
        self.set_nz(result);
        result
    }

    #[inline(always)]
    pub(super) fn lsr(&mut self, value: u8) -> u8 {
        self.carry = value & 0x01 != 0;
        let result = value >> 1;
        self.set_nz(result);
        result
    }

    #[inline(always)]
    pub(super) fn rol(&mut self, value: u8) -> u8 {
        let result = value << 1 | u8::from(self.carry);
        self.carry = value & 0x80 != 0;
        self.set_nz(result);
        result
    }

    #[inline(always)]
    pub(super) fn ror(&mut self, value: u8) -> u8 {
        let result = value >> 1 | u8::from(self.carry) << 7;
        self.carry = value & 0x01 != 0;
        self.set_nz(result);
        result
    }

    #[inline(always)]
    pub(super) fn slo(&mut self, value: u8) -> u8 {
        let result = self.asl(value);
        self.ora(result);
        result
    }

    #[inline(always)]
    pub(super) fn rla(&mut self, value: u8) -> u8 {
        let result = self.rol(value);
        self.and(result);
        result
    }

    #[inline(always)]
    pub(super) fn sre(&mut self, value: u8) -> u8 {
        let result = self.lsr(value);
        self.eor(result);
        result
    }

    #[inline(always)]
    pub(super) fn rra(&mut self, value: u8) -> u8 {
        let result = self.ror(value);
        self.adc(result);
        result
    }

    #[inline(always)]
    pub(super) fn dcp(&mut self, value: u8) -> u8 {
        let result = value.wrapping_sub(1);
        self.cmp(result);
        result
    }

    #[inline(always)]
    pub(super) fn isb(&mut self, value: u8) -> u8 {
        let result = value.wrapping_add(1);
        self.sbc(result);
        result
    }
}

// The decimal functions take and give values: a CPU without a pointer to it can live in the machine's registers.
// Reference: digits beyond 9 give what these formulas give.

/// Sum of two-digit numbers, and its carry.
#[inline(never)]
fn add_decimal(a: u8, value: u8, carry: bool) -> (u8, bool) {
    let sum = from_decimal(a) + from_decimal(value) + i16::from(carry);
    (to_decimal(sum & 0xFF), sum > 99)
}

/// Difference of two-digit numbers, and its carry, which is that of the binary difference.
#[inline(never)]
fn subtract_decimal(a: u8, value: u8, carry: bool) -> (u8, bool) {
    let borrow = i16::from(!carry);
    let mut difference = from_decimal(a) - from_decimal(value) - borrow;
    if difference < 0 {
        difference += 100;
    }
    // Still negative only if `value` had digits beyond 9; the byte is then converted the other way.
    let result = if difference < 0 { from_decimal(difference as u8) as u8 } else { to_decimal(difference) };
    (result, i16::from(a) >= i16::from(value) + borrow)
}

/// The end of ARR: adds 6 to the digits of `rotated` that were beyond 5 before the rotation, and the carry.
#[inline(never)]
fn adjust_decimal(masked: u8, rotated: u8) -> (u8, bool) {
    let mut result = rotated;
    if (masked & 0x0F) + (masked & 0x01) > 0x05 {
        result = result & 0xF0 | result.wrapping_add(0x06) & 0x0F;
    }
    let carry = u16::from(masked & 0xF0) + u16::from(masked & 0x10) > 0x50;
    if carry {
        result = result.wrapping_add(0x60);
    }
    (result, carry)
}

/// The number two decimal digits stand for; digits beyond 9 count as what they are, so this goes up to 165.
fn from_decimal(digits: u8) -> i16 {
    i16::from(digits >> 4) * 10 + i16::from(digits & 0x0F)
}

/// The last two decimal digits of a number.
fn to_decimal(number: i16) -> u8 {
    (number % 100 / 10 * 16 + number % 10) as u8
}
