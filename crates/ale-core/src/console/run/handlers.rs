//! Handlers of ops: functions that end with a jump to the next one.
//!
//! They are functions and not the arms of one `match`, because the compiler then handles each for itself. In
//! one function of this size it moves work from the arms into the loop.

use super::super::program::kind::{self, Kind};
use super::super::program::{
    Entries, LEAVING, Op, cycles_after, last_byte, narrow_second, operand, wide_second,
};
use super::super::tia::registers::VSYNC;
use super::Hot;
use super::access::clock_before;
use super::operations::A;
use super::steps::{changed, is_narrow, operate, step};

/// Gets an op and the number of the next one, gives that of the one with which the program goes on.
pub(crate) type Handler = fn(&mut Hot<'_, '_>, &Entries, Op, u16) -> u16;

/// The op that runs nothing and gives its own number.
pub(super) fn stop(_hot: &mut Hot<'_, '_>, _entries: &Entries, _op: Op, next: u16) -> u16 {
    next.wrapping_sub(1)
}

/// An op that does the work of one instruction.
pub(super) fn alone<const K: Kind>(hot: &mut Hot<'_, '_>, entries: &Entries, op: Op, next: u16) -> u16 {
    finish::<K>(hot, entries, op, operand(op), next)
}

/// An op that does the work of two instructions.
pub(super) fn joined<const FIRST: Kind, const SECOND: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    op: Op,
    next: u16,
) -> u16 {
    if let Some(then) = step::<FIRST>(hot, entries, operand(op), next) {
        return then;
    }
    let operand = if second_is_narrow(FIRST, SECOND) { narrow_second(op) } else { wide_second(op) };
    finish::<SECOND>(hot, entries, op, operand, next.wrapping_add(1))
}

/// Whether the operands of two joined ops take a byte each.
pub(crate) const fn second_is_narrow(first: Kind, second: Kind) -> bool {
    is_narrow(first) && is_narrow(second)
}

/// The last instruction of an op, and on.
#[inline(always)]
fn finish<const K: Kind>(hot: &mut Hot<'_, '_>, entries: &Entries, op: Op, operand: u32, next: u16) -> u16 {
    let then = match K {
        0x10 => return hot.branch(entries, op, next, hot.state.nz & 0x280 == 0),
        0x30 => return hot.branch(entries, op, next, hot.state.nz & 0x280 != 0),
        0x50 => return hot.branch(entries, op, next, !hot.overflow()),
        0x70 => return hot.branch(entries, op, next, hot.overflow()),
        0x90 => return hot.branch(entries, op, next, hot.state.carry & 0x100 == 0),
        0xB0 => return hot.branch(entries, op, next, hot.state.carry & 0x100 != 0),
        0xD0 => return hot.branch(entries, op, next, hot.state.nz & 0xFF != 0),
        0xF0 => return hot.branch(entries, op, next, hot.state.nz & 0xFF == 0),
        0x4C => return hot.jump_far(entries, next),
        0x20 => return hot.call_far(entries, next),
        0x60 => return hot.give_back(entries, next),
        0x6C => return hot.jump_through(entries, operand),
        0x00 => return hot.break_off(entries, op, next),
        0x40 => return hot.return_from_break(entries, next),
        0x48 => return hot.push(entries, op, next, hot.state.registers[A]),
        0x08 => return hot.push_status(entries, op, next),
        0x68 => {
            if !hot.can_pull(1) {
                return pull_elsewhere::<K>(hot, next);
            }
            hot.state.sp += 1;
            let value = *hot.ram(hot.state.sp);
            hot.set(A, value);
            None
        }
        0x28 => {
            if !hot.can_pull(1) {
                return pull_elsewhere::<K>(hot, next);
            }
            hot.state.sp += 1;
            let value = *hot.ram(hot.state.sp);
            hot.set_status(value);
            None
        }
        kind::JUMP => return hot.jump_near(entries, op, next),
        kind::CALL => return hot.call_near(entries, op, next),
        kind::GO_ON => return hot.go(entries, op),
        kind::END => return hot.end(op, next),
        kind::LEAVE => return LEAVING,
        0x206 | 0x246 | 0x226 | 0x266 | 0x2E6 | 0x2C6 => {
            return change_tia::<K>(hot, entries, op, operand as u16, next);
        }
        _ if K & 0xF00 == kind::TIA && operand & 8 == 0 => return load_collisions::<K>(hot, op, next),
        _ if K & 0xF00 == kind::TIA => {
            let value = hot.read_pins(operand as u16, hot.now(op), last_byte(op));
            operate::<K>(hot, entries, value, next)
        }
        _ if K & 0xF00 == kind::RIOT => {
            let value = hot.read_riot(operand as u16, hot.now(op));
            operate::<K>(hot, entries, value, next)
        }
        _ if K & 0xF00 == kind::TIMER => {
            // The one of its addresses that the compiler sees.
            let value = hot.read_riot(0x284, hot.now(op));
            operate::<K>(hot, entries, value, next)
        }
        _ if K & 0xF00 == kind::CART => return load_from_cart::<K>(hot, op, next),
        _ if K & 0xF00 == kind::FETCH => match hot.read_display(operand as u16) {
            Some(value) => operate::<K>(hot, entries, value, next),
            None => return load_from_cart::<K>(hot, op, next),
        },
        _ if K & 0xF00 == kind::WAIT => {
            hot.skip_idle_rounds(op);
            let value = hot.read_riot(operand as u16, hot.now(op));
            operate::<K>(hot, entries, value, next)
        }
        _ => step::<K>(hot, entries, operand, next),
    };
    match then {
        Some(then) => then,
        None => hot.go_on(entries, next),
    }
}

/// A load of what the cartridge has in the place of ROM.
#[inline(never)]
fn load_from_cart<const K: Kind>(hot: &mut Hot<'_, '_>, op: Op, next: u16) -> u16 {
    let now = hot.now(op);
    let address = operand(op) as u16;
    hot.give_display();
    let music = hot.board.cart.read_music(address, now);
    let value = music.unwrap_or_else(|| hot.board.cart.read(hot.image, address, now));
    hot.take_display();
    match operate::<K>(hot, hot.entries, value, next) {
        Some(then) => then,
        None => hot.go_on(hot.entries, next),
    }
}

/// A load from a register of the TIA that tells of collisions.
#[inline(never)]
fn load_collisions<const K: Kind>(hot: &mut Hot<'_, '_>, op: Op, next: u16) -> u16 {
    let value = hot.read_tia(operand(op) as u16, hot.now(op), last_byte(op));
    match operate::<K>(hot, hot.entries, value, next) {
        Some(then) => then,
        None => hot.go_on(hot.entries, next),
    }
}

/// PLA and PLP from somewhere else than RAM.
#[inline(never)]
fn pull_elsewhere<const K: Kind>(hot: &mut Hot<'_, '_>, next: u16) -> u16 {
    let value = hot.pull_elsewhere(next);
    match K {
        0x68 => hot.set(A, value),
        _ => hot.set_status(value),
    }
    hot.go_on(hot.entries, next)
}

/// A change of what a register of the TIA reads as.
#[inline(never)]
fn change_tia<const K: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    op: Op,
    address: u16,
    next: u16,
) -> u16 {
    let value = hot.read_tia(address, hot.now(op), last_byte(op));
    let result = changed::<K>(hot, value);
    hot.write_slowly(entries, next, u32::from(address), result)
}

/// A store of A to the TIA after another instruction.
pub(super) fn store_after<const FIRST: Kind, const REGISTER: u8>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    op: Op,
    next: u16,
) -> u16 {
    match step::<FIRST>(hot, entries, operand(op), next) {
        Some(then) => then,
        None => store_tia::<REGISTER, A>(hot, entries, op, next.wrapping_add(1)),
    }
}

/// A store to WSYNC after another instruction.
pub(super) fn wait_after<const FIRST: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    op: Op,
    next: u16,
) -> u16 {
    match step::<FIRST>(hot, entries, operand(op), next) {
        Some(then) => then,
        None => wait(hot, entries, op, next.wrapping_add(1)),
    }
}

/// A store to a register of the TIA other than WSYNC.
#[inline(never)]
pub(super) fn store_tia<const REGISTER: u8, const SOURCE: usize>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    op: Op,
    next: u16,
) -> u16 {
    let (value, time) = (hot.state.registers[SOURCE], hot.state.time);
    if hot.board.tia.write_easily::<REGISTER>(value, || clock_before(time, cycles_after(op))) {
        hot.go_on(entries, next)
    } else {
        store_tia_with_effort::<REGISTER>(hot, value, op, next)
    }
}

// It may draw, for which the processor's registers have to be saved, so it does not keep the ops in one.
#[inline(never)]
fn store_tia_with_effort<const REGISTER: u8>(hot: &mut Hot<'_, '_>, value: u8, op: Op, next: u16) -> u16 {
    let now = hot.now(op);
    let tia = &mut hot.board.tia;
    if REGISTER == VSYNC {
        // All other stores are those of native code where there is some.
        tia.rouse(|| now, hot.picture);
    }
    tia.write_to::<REGISTER>(value, now, hot.picture);
    if REGISTER == VSYNC && tia.stop {
        hot.stopped = true;
        hot.latch = value;
        return hot.leave(next);
    }
    hot.go_on(hot.entries, next)
}

/// A store to WSYNC.
pub(super) fn wait(hot: &mut Hot<'_, '_>, entries: &Entries, op: Op, next: u16) -> u16 {
    let now = hot.now(op);
    let then = hot.next_line(now);
    hot.state.time += i64::from(then.wrapping_sub(now));
    hot.go_on(entries, next)
}
