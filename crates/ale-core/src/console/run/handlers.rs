//! What handlers of ops do: operands, operations, and where the program goes on.

use super::super::program::{LEAVING, Op, cycles_after, detour, last_byte, operand, waits};
use super::super::tia::registers::{VSYNC, WSYNC};
use super::Hot;

pub(super) const A: usize = 0;
pub(super) const X: usize = 1;
pub(super) const Y: usize = 2;

/// Gets the number of the next op, gives that of the one with which the program goes on.
pub(super) type Handler = fn(&mut Hot<'_, '_>, Op, u16) -> u16;
/// What is done with a byte that was read.
pub(super) type Operation = fn(&mut Hot<'_, '_>, u8);

// Where operands are.
impl Hot<'_, '_> {
    /// The clock after this instruction.
    #[inline(always)]
    pub(super) fn now(&self, op: Op) -> u32 {
        (self.time as u32).wrapping_sub(cycles_after(op))
    }

    #[inline(always)]
    pub(super) fn ram(&mut self, address: u32) -> &mut u8 {
        &mut self.ram[(address & 0x7F) as usize]
    }

    #[inline(always)]
    pub(super) fn zero_page(&mut self, op: Op) -> u8 {
        *self.ram(operand(op))
    }

    /// A byte if it is of RAM or of the plain ROM where the program is.
    #[inline(always)]
    pub(super) fn read(&mut self, address: u32) -> Option<u8> {
        let index = address.wrapping_sub(u32::from(self.code.first)) & 0xFFFF;
        if let Some(&byte) = self.code.bytes.get(index as usize) {
            Some(byte)
        } else if address & 0x1280 == 0x80 {
            Some(*self.ram(address))
        } else {
            None
        }
    }

    /// An operation on a byte that is elsewhere.
    #[inline(never)]
    pub(super) fn load_elsewhere(
        &mut self,
        op: Op,
        next: u16,
        address: u32,
        shown: u8,
        operation: Operation,
    ) -> u16 {
        let byte = self.read_elsewhere(address as u16, self.now(op), shown);
        operation(self, byte);
        if self.code.bytes.is_empty() { self.leave(next) } else { self.go_on(next) }
    }

    #[inline(always)]
    #[expect(clippy::unused_self, reason = "stands in a row where other places of operands stand")]
    pub(super) fn absolute(&mut self, op: Op) -> (u32, u8) {
        (operand(op), last_byte(op))
    }

    #[inline(always)]
    pub(super) fn absolute_by(&mut self, op: Op, index: u8) -> (u32, u8) {
        let address = operand(op) + u32::from(index);
        self.time += i64::from((address ^ operand(op)) >> 8 & 1);
        (address, last_byte(op))
    }

    #[inline(always)]
    pub(super) fn pointer(&mut self, op: Op) -> u32 {
        let at = operand(op);
        u32::from(*self.ram(at)) | u32::from(*self.ram(at + 1)) << 8
    }

    #[inline(always)]
    pub(super) fn through_pointer(&mut self, op: Op) -> (u32, u8) {
        let pointer = self.pointer(op);
        let address = pointer + u32::from(self.registers[Y]);
        self.time += i64::from((address ^ pointer) >> 8 & 1);
        (address, (pointer >> 8) as u8)
    }

    #[inline(always)]
    pub(super) fn device(&mut self, op: Op) -> u8 {
        if waits(op) != 0 {
            self.skip_idle_rounds(op);
        }
        self.read_device(operand(op) as u16, self.now(op), last_byte(op))
    }
}

// What is done with them.
impl Hot<'_, '_> {
    #[inline(always)]
    pub(super) fn lda(&mut self, value: u8) {
        self.registers[A] = value;
        self.nz = u32::from(value);
    }

    #[inline(always)]
    pub(super) fn ldx(&mut self, value: u8) {
        self.registers[X] = value;
        self.nz = u32::from(value);
    }

    #[inline(always)]
    pub(super) fn ldy(&mut self, value: u8) {
        self.registers[Y] = value;
        self.nz = u32::from(value);
    }

    #[inline(always)]
    pub(super) fn compare(&mut self, register: u8, value: u8) {
        self.carry = u32::from(register >= value);
        self.nz = u32::from(register.wrapping_sub(value));
    }

    #[inline(always)]
    pub(super) fn add(&mut self, value: u8) {
        if self.decimal {
            self.add_decimally(value);
        } else {
            self.add_binary(value);
        }
    }

    #[inline(always)]
    pub(super) fn subtract(&mut self, value: u8) {
        if self.decimal {
            self.subtract_decimally(value);
        } else {
            self.add_binary(!value);
        }
    }

    #[inline(always)]
    fn add_binary(&mut self, value: u8) {
        let (a, value) = (u32::from(self.registers[A]), u32::from(value));
        let sum = a + value + self.carry;
        self.overflow = (a ^ sum) & (value ^ sum) & 0x80 != 0;
        self.carry = sum >> 8;
        self.lda(sum as u8);
    }

    #[inline(always)]
    pub(super) fn test(&mut self, value: u8) {
        self.overflow = value & 0x40 != 0;
        self.nz = u32::from(self.registers[A] & value) | u32::from(value & 0x80) << 1;
    }

    #[inline(always)]
    pub(super) fn asl(&mut self, value: u8) -> u8 {
        self.rolled(u32::from(value) << 1)
    }

    #[inline(always)]
    pub(super) fn rol(&mut self, value: u8) -> u8 {
        self.rolled(u32::from(value) << 1 | self.carry)
    }

    #[inline(always)]
    fn rolled(&mut self, wide: u32) -> u8 {
        self.carry = wide >> 8;
        self.nz = wide & 0xFF;
        wide as u8
    }

    #[inline(always)]
    pub(super) fn lsr(&mut self, value: u8) -> u8 {
        self.carry = u32::from(value & 1);
        self.nz = u32::from(value >> 1);
        value >> 1
    }

    #[inline(always)]
    pub(super) fn ror(&mut self, value: u8) -> u8 {
        let wide = self.carry << 8 | u32::from(value);
        self.carry = wide & 1;
        self.nz = wide >> 1;
        (wide >> 1) as u8
    }

    #[inline(always)]
    pub(super) fn inc(&mut self, value: u8) -> u8 {
        let result = value.wrapping_add(1);
        self.nz = u32::from(result);
        result
    }

    #[inline(always)]
    pub(super) fn dec(&mut self, value: u8) -> u8 {
        let result = value.wrapping_sub(1);
        self.nz = u32::from(result);
        result
    }

    #[inline(always)]
    pub(super) fn modify(&mut self, op: Op, how: impl FnOnce(&mut Self, u8) -> u8) {
        let value = self.zero_page(op);
        let result = how(self, value);
        *self.ram(operand(op)) = result;
    }

    #[inline(always)]
    pub(super) fn modify_by_x(&mut self, op: Op, next: &mut u16, how: impl FnOnce(&mut Self, u8) -> u8) {
        let address = (operand(op) as u8).wrapping_add(self.registers[X]);
        if address & 0x80 == 0 {
            *next = self.give_up(*next);
            return;
        }
        let value = *self.ram(u32::from(address));
        let result = how(self, value);
        *self.ram(u32::from(address)) = result;
    }

    #[inline(always)]
    pub(super) fn write(&mut self, op: Op, next: &mut u16, address: u32, value: u8) {
        if address & 0x1280 == 0x80 {
            *self.ram(address) = value;
        } else {
            *next = self.write_slowly(op, *next, address as u16, value);
        }
    }

    #[inline(always)]
    pub(super) fn write_by(&mut self, op: Op, next: &mut u16, index: u8, value: u8) {
        let address = (operand(op) as u8).wrapping_add(index);
        self.write(op, next, u32::from(address), value);
    }

    #[inline(never)]
    pub(super) fn write_slowly(&mut self, op: Op, next: u16, address: u16, value: u8) -> u16 {
        let now = self.now(op);
        let tia = &mut self.board.tia;
        if address & 0x1080 == 0 && address & 0x3F != u16::from(WSYNC) && !tia.is_overlong(now) {
            tia.write((address & 0x3F) as u8, value, now, self.picture);
            if !tia.stop {
                return next;
            }
            self.stopped = true;
            self.latch = value;
            return self.leave(next);
        }
        let then = self.write_elsewhere(address, value, now);
        self.time += i64::from(then.wrapping_sub(now));
        if self.stopped || self.code.bytes.is_empty() { self.leave(next) } else { next }
    }

    /// A, X or Y.
    #[inline(always)]
    pub(super) fn stored(&self, op: Op) -> u8 {
        self.registers[usize::from(last_byte(op) & 3)]
    }

    #[inline(always)]
    pub(super) fn push(&mut self, op: Op, next: &mut u16, value: u8) {
        if self.sp & 0x80 == 0 && self.sp & 0x3F == WSYNC {
            *next = self.give_up(*next);
            return;
        }
        let address = 0x100 | u32::from(self.sp);
        self.sp = self.sp.wrapping_sub(1);
        self.write(op, next, address, value);
    }

    /// Whether the plain bus is not needed to pull so many bytes. (The byte at SP is read, too.)
    #[inline(always)]
    pub(super) fn can_pull(&self, count: u8) -> bool {
        (0x80..=0xFF - count).contains(&self.sp)
    }
}

// Where the program goes on.
impl Hot<'_, '_> {
    /// Leaves the loop; the program goes on with the instruction of this op.
    #[cold]
    #[inline(never)]
    pub(super) fn leave(&mut self, next: u16) -> u16 {
        let rest = self.rest_of(next);
        self.time -= rest.ahead();
        self.exit = self.address_of(rest);
        LEAVING
    }

    /// Leaves the loop before this instruction; the plain bus is to run it.
    #[cold]
    #[inline(never)]
    pub(super) fn give_up(&mut self, next: u16) -> u16 {
        self.gave_up = true;
        self.leave(next.wrapping_sub(1))
    }

    #[inline(always)]
    pub(super) fn branch(&mut self, op: Op, next: u16, taken: bool) -> u16 {
        if taken { self.go(op) } else { self.go_on(next) }
    }

    #[inline(always)]
    pub(super) fn go(&mut self, op: Op) -> u16 {
        let next = operand(op) as u16;
        self.time += detour(op);
        if self.time < self.pause { next } else { self.go_on(next) }
    }

    /// Goes on at an address if it is decoded, else leaves the loop.
    #[inline(always)]
    pub(super) fn jump(&mut self, address: u16) -> u16 {
        let start = self.code.start(address);
        if start.op == LEAVING {
            self.exit = address;
            return LEAVING;
        }
        self.time += start.ahead();
        if self.time < self.pause { start.op } else { self.go_on(start.op) }
    }

    #[inline(always)]
    pub(super) fn call(&mut self, op: Op, next: u16) -> u16 {
        if self.sp <= 0x80 {
            return self.give_up(next);
        }
        let rest = self.rest_of(next.wrapping_sub(1));
        let [low, high] = self.address_of(rest).wrapping_add(2).to_le_bytes();
        let sp = u32::from(self.sp);
        *self.ram(sp) = high;
        *self.ram(sp - 1) = low;
        self.sp -= 2;
        self.latch = last_byte(op);
        self.jump(operand(op) as u16)
    }

    #[inline(always)]
    pub(super) fn give_back(&mut self, next: u16) -> u16 {
        if !self.can_pull(2) {
            return self.give_up(next);
        }
        let sp = u32::from(self.sp);
        let back = u16::from_le_bytes([*self.ram(sp + 1), *self.ram(sp + 2)]);
        // It reads the byte before the one where it goes on.
        let index = usize::from(back.wrapping_sub(self.code.first));
        let Some(&byte) = self.code.bytes.get(index) else { return self.give_up(next) };
        self.sp += 2;
        self.latch = byte;
        self.jump(back.wrapping_add(1))
    }

    #[inline(always)]
    pub(super) fn pull_status(&mut self) {
        self.sp += 1;
        let status = u32::from(*self.ram(u32::from(self.sp)));
        self.carry = status & 1;
        self.nz = (status & 0x80) << 1 | !status & 2;
        self.overflow = status & 0x40 != 0;
        self.decimal = status & 8 != 0;
        self.interrupt = status & 4 != 0;
    }
}

/// A store to a register of the TIA other than WSYNC.
pub(super) fn store_tia<const REGISTER: u8>(hot: &mut Hot<'_, '_>, op: Op, next: u16) -> u16 {
    let (value, time) = (hot.stored(op), hot.time);
    let now = || (time as u32).wrapping_sub(cycles_after(op));
    if hot.board.tia.write_easily::<REGISTER>(value, now) {
        hot.go_on(next)
    } else {
        store_tia_with_effort::<REGISTER>(hot, op, next)
    }
}

#[inline(never)]
fn store_tia_with_effort<const REGISTER: u8>(hot: &mut Hot<'_, '_>, op: Op, next: u16) -> u16 {
    let (value, now) = (hot.stored(op), hot.now(op));
    let tia = &mut hot.board.tia;
    tia.write_to::<REGISTER>(value, now, hot.picture);
    if REGISTER == VSYNC && tia.stop {
        hot.stopped = true;
        hot.latch = value;
        return hot.leave(next);
    }
    hot.go_on(next)
}

/// A store to WSYNC.
pub(super) fn wait(hot: &mut Hot<'_, '_>, op: Op, next: u16) -> u16 {
    let now = hot.now(op);
    let then = hot.next_line(now);
    hot.time += i64::from(then.wrapping_sub(now));
    hot.go_on(next)
}
