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
            self.arr_decimal_fix(masked);
        } else {
            self.carry = self.a & 0x40 != 0;
            self.overflow = (self.a ^ self.a << 1) & 0x40 != 0;
        }
    }

    /// The second half of ARR in decimal mode; N and Z stay those of the rotated value.
    #[cold]
    fn arr_decimal_fix(&mut self, masked: u8) {
        self.overflow = (masked ^ self.a) & 0x40 != 0;
        if (masked & 0x0F) + (masked & 0x01) > 0x05 {
            self.a = self.a & 0xF0 | self.a.wrapping_add(0x06) & 0x0F;
        }
        self.carry = u16::from(masked & 0xF0) + u16::from(masked & 0x10) > 0x50;
        if self.carry {
            self.a = self.a.wrapping_add(0x60);
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
    pub(super) fn adc(&mut self, value: u8) {
        if self.decimal { self.adc_decimal(value) } else { self.add(value) }
    }

    #[inline(always)]
    pub(super) fn sbc(&mut self, value: u8) {
        if self.decimal { self.sbc_decimal(value) } else { self.add(!value) }
    }

    #[inline(always)]
    fn add(&mut self, value: u8) {
        let sum = u16::from(self.a) + u16::from(value) + u16::from(self.carry);
        let result = sum as u8;
        self.carry = sum > 0xFF;
        self.overflow = (self.a ^ result) & (value ^ result) & 0x80 != 0;
        self.lda(result);
    }

    // Reference: N, V and Z tell about the decimal result, and digits beyond 9 give what these formulas give.
    #[inline(never)]
    fn adc_decimal(&mut self, value: u8) {
        let sum = from_decimal(self.a) + from_decimal(value) + i16::from(self.carry);
        self.carry = sum > 99;
        self.finish_decimal(value, to_decimal(sum & 0xFF));
    }

    #[inline(never)]
    fn sbc_decimal(&mut self, value: u8) {
        let borrow = i16::from(!self.carry);
        let mut difference = from_decimal(self.a) - from_decimal(value) - borrow;
        if difference < 0 {
            difference += 100;
        }
        self.carry = i16::from(self.a) >= i16::from(value) + borrow;
        // Still negative only if `value` had digits beyond 9; the byte is then converted the other way.
        let result =
            if difference < 0 { from_decimal(difference as u8) as u8 } else { to_decimal(difference) };
        self.finish_decimal(value, result);
    }

    fn finish_decimal(&mut self, value: u8, result: u8) {
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

/// The number two decimal digits stand for; digits beyond 9 count as what they are, so this goes up to 165.
fn from_decimal(digits: u8) -> i16 {
    i16::from(digits >> 4) * 10 + i16::from(digits & 0x0F)
}

/// The last two decimal digits of a number.
fn to_decimal(number: i16) -> u8 {
    (number % 100 / 10 * 16 + number % 10) as u8
}
