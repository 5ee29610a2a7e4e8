//! The handlers of all kinds of ops: one small function each.
//!
//! They are functions and not the arms of one `match`, because the compiler then handles each for itself. In
//! one function of this size it moves work from the arms into the loop.

use super::super::program::{LEAVING, TIA_STORES, kind, last_byte, operand};
use super::Hot;
use super::handlers::{A, Handler, Operation, X, Y, store_tia, wait};

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
                    $hot.go_on($next)
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
    table[kind::WSYNC as usize] = wait;
    table[0xEA] = |hot, _, next| hot.go_on(next); // NOP
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
        kind::STORE_ELSEWHERE => next = hot.write_slowly(op, next, operand(op) as u16, hot.stored(op)),
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
    );
    table[0x10] = |hot, op, next| hot.branch(op, next, hot.nz & 0x180 == 0);
    table[0x30] = |hot, op, next| hot.branch(op, next, hot.nz & 0x180 != 0);
    table[0x50] = |hot, op, next| hot.branch(op, next, !hot.overflow);
    table[0x70] = |hot, op, next| hot.branch(op, next, hot.overflow);
    table[0x90] = |hot, op, next| hot.branch(op, next, hot.carry == 0);
    table[0xB0] = |hot, op, next| hot.branch(op, next, hot.carry != 0);
    table[0xD0] = |hot, op, next| hot.branch(op, next, hot.nz & 0xFF != 0);
    table[0xF0] = |hot, op, next| hot.branch(op, next, hot.nz & 0xFF == 0);
    table[0x4C] = |hot, op, _| {
        hot.latch = last_byte(op);
        hot.jump(operand(op) as u16)
    };
    table[0x20] = |hot, op, next| hot.call(op, next);
    table[0x60] = |hot, _, next| hot.give_back(next);
    table[kind::GO_ON as usize] = |hot, op, _| hot.go(op);
    table[kind::END as usize] = |hot, op, next| {
        hot.latch = last_byte(op);
        hot.leave(next.wrapping_sub(1))
    };
    table
};
