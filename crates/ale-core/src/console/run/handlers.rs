//! What each kind of op does: one small function each.
//!
//! They are functions and not the arms of one `match`, because the compiler then handles each for itself. In
//! one function of this size it moves work from the arms into the loop.

use super::super::program::{LEAVING, Op, TIA_STORES, cycles_after, detour, kind, last_byte, operand, waits};
use super::super::tia::registers::{VSYNC, WSYNC};
use super::Hot;

const A: usize = 0;
const X: usize = 1;
const Y: usize = 2;

/// Gets the number of the next op, gives that of the one with which the program goes on.
pub(super) type Handler = fn(&mut Hot<'_, '_>, Op, u16) -> u16;
/// What is done with a byte that was read.
type Operation = fn(&mut Hot<'_, '_>, u8);

// Where operands are.
impl Hot<'_, '_> {
    /// The clock after this instruction.
    #[inline(always)]
    pub(super) fn now(&self, op: Op) -> u32 {
        (self.time as u32).wrapping_sub(cycles_after(op))
    }

    #[inline(always)]
    fn ram(&mut self, address: u32) -> &mut u8 {
        &mut self.ram[(address & 0x7F) as usize]
    }

    #[inline(always)]
    fn zero_page(&mut self, op: Op) -> u8 {
        *self.ram(operand(op))
    }

    /// A byte if it is of RAM or of the plain ROM where the program is.
    #[inline(always)]
    fn read(&mut self, address: u32) -> Option<u8> {
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
    fn load_elsewhere(&mut self, op: Op, next: u16, address: u32, shown: u8, operation: Operation) -> u16 {
        let byte = self.read_elsewhere(address as u16, self.now(op), shown);
        operation(self, byte);
        if self.code.bytes.is_empty() { self.leave(next) } else { next }
    }

    #[inline(always)]
    fn absolute(&mut self, op: Op) -> (u32, u8) {
        (operand(op), last_byte(op))
    }

    #[inline(always)]
    fn absolute_by(&mut self, op: Op, index: u8) -> (u32, u8) {
        let address = operand(op) + u32::from(index);
        self.time += i64::from((address ^ operand(op)) >> 8 & 1);
        (address, last_byte(op))
    }

    #[inline(always)]
    fn pointer(&mut self, op: Op) -> u32 {
        let at = operand(op);
        u32::from(*self.ram(at)) | u32::from(*self.ram(at + 1)) << 8
    }

    #[inline(always)]
    fn through_pointer(&mut self, op: Op) -> (u32, u8) {
        let pointer = self.pointer(op);
        let address = pointer + u32::from(self.registers[Y]);
        self.time += i64::from((address ^ pointer) >> 8 & 1);
        (address, (pointer >> 8) as u8)
    }

    #[inline(always)]
    fn device(&mut self, op: Op) -> u8 {
        if waits(op) != 0 {
            self.skip_idle_rounds(op);
        }
        self.read_device(operand(op) as u16, self.now(op), last_byte(op))
    }
}

// What is done with them.
impl Hot<'_, '_> {
    #[inline(always)]
    fn lda(&mut self, value: u8) {
        self.registers[A] = value;
        self.nz = u32::from(value);
    }

    #[inline(always)]
    fn ldx(&mut self, value: u8) {
        self.registers[X] = value;
        self.nz = u32::from(value);
    }

    #[inline(always)]
    fn ldy(&mut self, value: u8) {
        self.registers[Y] = value;
        self.nz = u32::from(value);
    }

    #[inline(always)]
    fn compare(&mut self, register: u8, value: u8) {
        self.carry = u32::from(register >= value);
        self.nz = u32::from(register.wrapping_sub(value));
    }

    #[inline(always)]
    fn add(&mut self, value: u8) {
        if self.decimal {
            self.add_decimally(value);
        } else {
            self.add_binary(value);
        }
    }

    #[inline(always)]
    fn subtract(&mut self, value: u8) {
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
    fn test(&mut self, value: u8) {
        self.overflow = value & 0x40 != 0;
        self.nz = u32::from(self.registers[A] & value) | u32::from(value & 0x80) << 1;
    }

    #[inline(always)]
    fn asl(&mut self, value: u8) -> u8 {
        self.rolled(u32::from(value) << 1)
    }

    #[inline(always)]
    fn rol(&mut self, value: u8) -> u8 {
        self.rolled(u32::from(value) << 1 | self.carry)
    }

    #[inline(always)]
    fn rolled(&mut self, wide: u32) -> u8 {
        self.carry = wide >> 8;
        self.nz = wide & 0xFF;
        wide as u8
    }

    #[inline(always)]
    fn lsr(&mut self, value: u8) -> u8 {
        self.carry = u32::from(value & 1);
        self.nz = u32::from(value >> 1);
        value >> 1
    }

    #[inline(always)]
    fn ror(&mut self, value: u8) -> u8 {
        let wide = self.carry << 8 | u32::from(value);
        self.carry = wide & 1;
        self.nz = wide >> 1;
        (wide >> 1) as u8
    }

    #[inline(always)]
    fn inc(&mut self, value: u8) -> u8 {
        let result = value.wrapping_add(1);
        self.nz = u32::from(result);
        result
    }

    #[inline(always)]
    fn dec(&mut self, value: u8) -> u8 {
        let result = value.wrapping_sub(1);
        self.nz = u32::from(result);
        result
    }

    #[inline(always)]
    fn modify(&mut self, op: Op, how: impl FnOnce(&mut Self, u8) -> u8) {
        let value = self.zero_page(op);
        let result = how(self, value);
        *self.ram(operand(op)) = result;
    }

    #[inline(always)]
    fn modify_by_x(&mut self, op: Op, next: &mut u16, how: impl FnOnce(&mut Self, u8) -> u8) {
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
    fn write(&mut self, op: Op, next: &mut u16, address: u32, value: u8) {
        if address & 0x1280 == 0x80 {
            *self.ram(address) = value;
        } else {
            *next = self.write_and_go_on(op, *next, address as u16, value);
        }
    }

    #[inline(always)]
    fn write_by(&mut self, op: Op, next: &mut u16, index: u8, value: u8) {
        let address = (operand(op) as u8).wrapping_add(index);
        self.write(op, next, u32::from(address), value);
    }

    #[inline(never)]
    fn write_and_go_on(&mut self, op: Op, next: u16, address: u16, value: u8) -> u16 {
        let now = self.now(op);
        let then = self.write_elsewhere(address, value, now);
        self.time += i64::from(then.wrapping_sub(now));
        if self.stopped || self.code.bytes.is_empty() { self.leave(next) } else { next }
    }

    /// A, X or Y.
    #[inline(always)]
    fn stored(&self, op: Op) -> u8 {
        self.registers[usize::from(last_byte(op) & 3)]
    }

    #[inline(always)]
    fn push(&mut self, op: Op, next: &mut u16, value: u8) {
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
    fn can_pull(&self, count: u8) -> bool {
        (0x80..=0xFF - count).contains(&self.sp)
    }
}

// Where the program goes on.
impl Hot<'_, '_> {
    /// Leaves the loop; the program goes on with the instruction of this op.
    #[cold]
    #[inline(never)]
    fn leave(&mut self, next: u16) -> u16 {
        let rest = self.rest_of(next);
        self.time -= rest.ahead();
        self.exit = self.address_of(rest);
        LEAVING
    }

    /// Leaves the loop before this instruction; the plain bus is to run it.
    #[cold]
    #[inline(never)]
    fn give_up(&mut self, next: u16) -> u16 {
        self.gave_up = true;
        self.leave(next.wrapping_sub(1))
    }

    #[inline(always)]
    fn branch(&mut self, op: Op, next: &mut u16, taken: bool) {
        if taken {
            self.go(op, next);
        }
    }

    #[inline(always)]
    fn go(&mut self, op: Op, next: &mut u16) {
        *next = operand(op) as u16;
        self.time += detour(op);
        if self.time < 1 << 32 {
            *next = self.leave(*next);
        }
    }

    /// Goes on at an address if it is decoded, else leaves the loop.
    #[inline(always)]
    fn jump(&mut self, address: u16) -> u16 {
        let start = self.code.start(address);
        let time = self.time + start.ahead();
        if start.op == LEAVING || time < 1 << 32 {
            self.exit = address;
            return LEAVING;
        }
        self.time = time;
        start.op
    }

    #[inline(always)]
    fn call(&mut self, op: Op, next: u16) -> u16 {
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
    fn give_back(&mut self, next: u16) -> u16 {
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
    fn pull_status(&mut self) {
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
fn store_tia<const REGISTER: u8>(hot: &mut Hot<'_, '_>, op: Op, next: u16) -> u16 {
    let (value, now) = (hot.stored(op), hot.now(op));
    let tia = &mut hot.board.tia;
    if tia.is_overlong(now) {
        return hot.write_and_go_on(op, next, operand(op) as u16, value);
    }
    tia.write_to::<REGISTER>(value, now, hot.picture);
    if REGISTER == VSYNC && tia.stop {
        hot.stopped = true;
        hot.latch = value;
        return hot.leave(next);
    }
    next
}

/// By kind.
pub(super) static HANDLERS: [Handler; 256] = {
    // What is not decoded is never run.
    let mut table: [Handler; 256] = [|_, _, _| LEAVING; 256];
    macro_rules! rows {
        ($hot:ident, $op:ident, $next:ident: $($kind:expr => $body:expr,)*) => {
            $({
                #[allow(unused_variables, unused_mut, unused_assignments, reason = "not every row needs all of them")]
                let handler: Handler = |$hot, $op, mut $next| {
                    $body;
                    $next
                };
                table[$kind as usize] = handler;
            })*
        };
    }
    /// Rows for one operation and all operands it can have.
    macro_rules! loads {
        ($hot:ident, $value:ident, $operation:expr; $($mode:ident $kind:literal)*) => {
            $(row!($mode, $kind, $hot, $value, $operation);)*
        };
    }
    macro_rules! row {
        (immediate, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            rows!($hot, op, next: $kind => { let $value = operand(op) as u8; $operation },)
        };
        (zero_page, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            rows!($hot, op, next: $kind => { let $value = $hot.zero_page(op); $operation },)
        };
        (zero_page_x, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            row!(zero_page_by X, $kind, $hot, $value, $operation)
        };
        (zero_page_y, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            row!(zero_page_by Y, $kind, $hot, $value, $operation)
        };
        (zero_page_by $index:ident, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            rows!($hot, op, next: $kind => {
                let address = (operand(op) as u8).wrapping_add($hot.registers[$index]);
                if address & 0x80 == 0 {
                    let operation: Operation = |$hot, $value| $operation;
                    return $hot.load_elsewhere(op, next, u32::from(address), operand(op) as u8, operation);
                }
                let $value = *$hot.ram(u32::from(address));
                $operation
            },)
        };
        (absolute, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            row!(at absolute(), $kind, $hot, $value, $operation)
        };
        (absolute_x, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            row!(at absolute_by($hot.registers[X]), $kind, $hot, $value, $operation)
        };
        (absolute_y, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            row!(at absolute_by($hot.registers[Y]), $kind, $hot, $value, $operation)
        };
        (pointer, $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            row!(at through_pointer(), $kind, $hot, $value, $operation)
        };
        (at $place:ident($($index:expr)?), $kind:literal, $hot:ident, $value:ident, $operation:expr) => {
            rows!($hot, op, next: $kind => {
                let (address, shown) = $hot.$place(op $(, $index)?);
                let Some($value) = $hot.read(address) else {
                    let operation: Operation = |$hot, $value| $operation;
                    return $hot.load_elsewhere(op, next, address, shown, operation);
                };
                $operation
            },)
        };
    }
    macro_rules! tia_stores {
        ($($register:literal)*) => {
            $(table[TIA_STORES[$register] as usize] = store_tia::<$register>;)*
        };
    }
    tia_stores!(0 1 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37
        38 39 40 41 42 43 44 0x2D);
    loads!(hot, value, hot.lda(value);
        immediate 0xA9 zero_page 0xA5 zero_page_x 0xB5 absolute 0xAD absolute_x 0xBD absolute_y 0xB9 pointer 0xB1);
    loads!(hot, value, hot.ldx(value); immediate 0xA2 zero_page 0xA6 zero_page_y 0xB6 absolute 0xAE absolute_y 0xBE);
    loads!(hot, value, hot.ldy(value); immediate 0xA0 zero_page 0xA4 zero_page_x 0xB4 absolute 0xAC absolute_x 0xBC);
    loads!(hot, value, { hot.lda(value); hot.registers[X] = value }; zero_page 0xA7 pointer 0xB3);
    loads!(hot, value, hot.lda(hot.registers[A] | value);
        immediate 0x09 zero_page 0x05 zero_page_x 0x15 absolute 0x0D absolute_x 0x1D absolute_y 0x19 pointer 0x11);
    loads!(hot, value, hot.lda(hot.registers[A] & value);
        immediate 0x29 zero_page 0x25 zero_page_x 0x35 absolute 0x2D absolute_x 0x3D absolute_y 0x39 pointer 0x31);
    loads!(hot, value, hot.lda(hot.registers[A] ^ value);
        immediate 0x49 zero_page 0x45 zero_page_x 0x55 absolute 0x4D absolute_x 0x5D absolute_y 0x59 pointer 0x51);
    loads!(hot, value, hot.add(value);
        immediate 0x69 zero_page 0x65 zero_page_x 0x75 absolute 0x6D absolute_x 0x7D absolute_y 0x79 pointer 0x71);
    loads!(hot, value, hot.subtract(value);
        immediate 0xE9 zero_page 0xE5 zero_page_x 0xF5 absolute 0xED absolute_x 0xFD absolute_y 0xF9 pointer 0xF1);
    loads!(hot, value, hot.compare(hot.registers[A], value);
        immediate 0xC9 zero_page 0xC5 zero_page_x 0xD5 absolute 0xCD absolute_x 0xDD absolute_y 0xD9 pointer 0xD1);
    loads!(hot, value, hot.compare(hot.registers[X], value); immediate 0xE0 zero_page 0xE4 absolute 0xEC);
    loads!(hot, value, hot.compare(hot.registers[Y], value); immediate 0xC0 zero_page 0xC4 absolute 0xCC);
    loads!(hot, value, hot.test(value); zero_page 0x24 absolute 0x2C);
    rows!(hot, op, next:
        kind::LDA_DEVICE => { let value = hot.device(op); hot.lda(value) },
        kind::LDX_DEVICE => { let value = hot.device(op); hot.ldx(value) },
        kind::LDY_DEVICE => { let value = hot.device(op); hot.ldy(value) },
        kind::BIT_DEVICE => { let value = hot.device(op); hot.test(value) },
        // Stores.
        0x85 => *hot.ram(operand(op)) = hot.registers[A],
        0x86 => *hot.ram(operand(op)) = hot.registers[X],
        0x84 => *hot.ram(operand(op)) = hot.registers[Y],
        0x95 => hot.write_by(op, &mut next, hot.registers[X], hot.registers[A]),
        0x94 => hot.write_by(op, &mut next, hot.registers[X], hot.registers[Y]),
        0x96 => hot.write_by(op, &mut next, hot.registers[Y], hot.registers[X]),
        0x9D => hot.write(op, &mut next, operand(op) + u32::from(hot.registers[X]), hot.registers[A]),
        0x99 => hot.write(op, &mut next, operand(op) + u32::from(hot.registers[Y]), hot.registers[A]),
        0x91 => {
            let address = hot.pointer(op) + u32::from(hot.registers[Y]);
            hot.write(op, &mut next, address, hot.registers[A]);
        },
        kind::STORE_ELSEWHERE => next = hot.write_and_go_on(op, next, operand(op) as u16, hot.stored(op)),
        kind::WSYNC => {
            let now = hot.now(op);
            let then = hot.write_wsync(now);
            hot.time += i64::from(then.wrapping_sub(now));
            if hot.stopped {
                hot.latch = hot.stored(op);
                next = hot.leave(next);
            }
        },
        // Changes of a byte in RAM or of the accumulator.
        0x06 => hot.modify(op, Hot::asl),
        0x46 => hot.modify(op, Hot::lsr),
        0x26 => hot.modify(op, Hot::rol),
        0x66 => hot.modify(op, Hot::ror),
        0xE6 => hot.modify(op, Hot::inc),
        0xC6 => hot.modify(op, Hot::dec),
        0x16 => hot.modify_by_x(op, &mut next, Hot::asl),
        0x56 => hot.modify_by_x(op, &mut next, Hot::lsr),
        0x36 => hot.modify_by_x(op, &mut next, Hot::rol),
        0x76 => hot.modify_by_x(op, &mut next, Hot::ror),
        0xF6 => hot.modify_by_x(op, &mut next, Hot::inc),
        0xD6 => hot.modify_by_x(op, &mut next, Hot::dec),
        0xC7 => hot.modify(op, |hot, value| {
            let result = value.wrapping_sub(1);
            hot.compare(hot.registers[A], result);
            result
        }),
        0x0A => hot.registers[A] = hot.asl(hot.registers[A]),
        0x4A => hot.registers[A] = hot.lsr(hot.registers[A]),
        0x2A => hot.registers[A] = hot.rol(hot.registers[A]),
        0x6A => hot.registers[A] = hot.ror(hot.registers[A]),
        // Registers and flags.
        0xE8 => hot.ldx(hot.registers[X].wrapping_add(1)),
        0xC8 => hot.ldy(hot.registers[Y].wrapping_add(1)),
        0xCA => hot.ldx(hot.registers[X].wrapping_sub(1)),
        0x88 => hot.ldy(hot.registers[Y].wrapping_sub(1)),
        0xAA => hot.ldx(hot.registers[A]),
        0xA8 => hot.ldy(hot.registers[A]),
        0x8A => hot.lda(hot.registers[X]),
        0x98 => hot.lda(hot.registers[Y]),
        0xBA => hot.ldx(hot.sp),
        0x9A => hot.sp = hot.registers[X],
        0x18 => hot.carry = 0,
        0x38 => hot.carry = 1,
        0x58 => hot.interrupt = false,
        0x78 => hot.interrupt = true,
        0xB8 => hot.overflow = false,
        0xD8 => hot.decimal = false,
        0xF8 => hot.decimal = true,
        0xEA => (),
        // The stack.
        0x48 => hot.push(op, &mut next, hot.registers[A]),
        0x08 => hot.push(op, &mut next, hot.status()),
        0x68 => if hot.can_pull(1) {
            hot.sp += 1;
            let value = *hot.ram(u32::from(hot.sp));
            hot.lda(value);
        } else {
            next = hot.give_up(next);
        },
        0x28 => if hot.can_pull(1) { hot.pull_status() } else { next = hot.give_up(next) },
        // Where the program goes on.
        0x10 => hot.branch(op, &mut next, hot.nz & 0x180 == 0),
        0x30 => hot.branch(op, &mut next, hot.nz & 0x180 != 0),
        0x50 => hot.branch(op, &mut next, !hot.overflow),
        0x70 => hot.branch(op, &mut next, hot.overflow),
        0x90 => hot.branch(op, &mut next, hot.carry == 0),
        0xB0 => hot.branch(op, &mut next, hot.carry != 0),
        0xD0 => hot.branch(op, &mut next, hot.nz & 0xFF != 0),
        0xF0 => hot.branch(op, &mut next, hot.nz & 0xFF == 0),
        0x4C => {
            hot.latch = last_byte(op);
            next = hot.jump(operand(op) as u16);
        },
        0x20 => next = hot.call(op, next),
        0x60 => next = hot.give_back(next),
        kind::GO_ON => hot.go(op, &mut next),
        kind::END => {
            hot.latch = last_byte(op);
            next = hot.leave(next.wrapping_sub(1));
        },
    );
    table
};
