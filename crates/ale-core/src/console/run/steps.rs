//! What the kinds of ops do, apart from those that end a stream: one row each.

use super::super::program::Entries;
use super::super::program::kind::{self, Kind, opcode};
use super::Hot;
use super::operations::{A, X, Y};

/// What an instruction with this operand does; `next` is the op after it. If it cannot be done here, another
/// function has done it and has gone on, and this is what it gave.
// Calls of such functions are the last thing a handler does, so that the compiler makes jumps of them and keeps
// nothing for afterwards.
#[inline(always)]
pub(super) fn step<const K: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    operand: u32,
    next: u16,
) -> Option<u16> {
    let byte = operand as u8;
    match K {
        // Immediate.
        0xA9 | 0xA2 | 0xA0 | 0x09 | 0x29 | 0x49 | 0x69 | 0xE9 | 0xC9 | 0xE0 | 0xC0 => {
            operate::<K>(hot, entries, byte, next)
        }
        // RAM.
        0xA5 | 0xA6 | 0xA4 | 0x24 | 0x05 | 0x25 | 0x45 | 0x65 | 0xE5 | 0xC5 | 0xE4 | 0xC4 | 0xA7 => {
            let value = *hot.ram(byte);
            operate::<K>(hot, entries, value, next)
        }
        // Zero page by X.
        0xB5 | 0xB4 | 0x15 | 0x35 | 0x55 | 0x75 | 0xF5 | 0xD5 => {
            load_from_zero_page::<K>(hot, entries, byte.wrapping_add(hot.state.registers[X]), next)
        }
        // Zero page by Y.
        0xB6 => load_from_zero_page::<K>(hot, entries, byte.wrapping_add(hot.state.registers[Y]), next),
        // Absolute.
        0xAD | 0xAE | 0xAC | 0x2C | 0x0D | 0x2D | 0x4D | 0x6D | 0xED | 0xCD | 0xEC | 0xCC => {
            load::<K>(hot, entries, operand, operand, next)
        }
        // Absolute by X.
        0xBD | 0xBC | 0x1D | 0x3D | 0x5D | 0x7D | 0xFD | 0xDD => {
            let address = hot.cross(operand, X);
            load::<K>(hot, entries, address, operand, next)
        }
        // Absolute by Y.
        0xB9 | 0xBE | 0x19 | 0x39 | 0x59 | 0x79 | 0xF9 | 0xD9 => {
            let address = hot.cross(operand, Y);
            load::<K>(hot, entries, address, operand, next)
        }
        // The same in ROM.
        0x1BD | 0x1BC | 0x11D | 0x13D | 0x15D | 0x17D | 0x1FD | 0x1DD => {
            let value = hot.rom[usize::from(hot.cross(operand, X) as u16)];
            operate::<K>(hot, entries, value, next)
        }
        0x1B9 | 0x1BE | 0x119 | 0x139 | 0x159 | 0x179 | 0x1F9 | 0x1D9 => {
            let value = hot.rom[usize::from(hot.cross(operand, Y) as u16)];
            operate::<K>(hot, entries, value, next)
        }
        // Through a pointer.
        0xB1 | 0x11 | 0x31 | 0x51 | 0x71 | 0xF1 | 0xD1 | 0xB3 => {
            let pointer = hot.pointer(byte);
            let address = hot.cross(pointer, Y);
            load::<K>(hot, entries, address, operand, next)
        }
        0xA1 | 0x01 | 0x21 | 0x41 | 0x61 | 0xE1 | 0xC1 => {
            let at = byte.wrapping_add(hot.state.registers[X]);
            if !(0x80..0xFF).contains(&at) {
                return Some(hot.give_up(next));
            }
            load::<K>(hot, entries, hot.pointer(at), u32::from(at), next)
        }
        // Stores.
        0x85 => hot.put(byte, A),
        0x86 => hot.put(byte, X),
        0x84 => hot.put(byte, Y),
        0x95 => hot.write(entries, next, u32::from(byte.wrapping_add(hot.state.registers[X])), A),
        0x94 => hot.write(entries, next, u32::from(byte.wrapping_add(hot.state.registers[X])), Y),
        0x96 => hot.write(entries, next, u32::from(byte.wrapping_add(hot.state.registers[Y])), X),
        0x9D => hot.write(entries, next, operand + u32::from(hot.state.registers[X]), A),
        0x99 => hot.write(entries, next, operand + u32::from(hot.state.registers[Y]), A),
        0x91 => hot.write(entries, next, hot.pointer(byte) + u32::from(hot.state.registers[Y]), A),
        0x700..=0x702 => {
            Some(hot.write_slowly(entries, next, operand, hot.state.registers[usize::from(K) & 3]))
        }
        // Changes of a byte in RAM or of a register.
        0x06 | 0x46 | 0x26 | 0x66 | 0xE6 | 0xC6 | 0xC7 => {
            let value = *hot.ram(byte);
            *hot.ram(byte) = changed::<K>(hot, value);
            None
        }
        0x16 | 0x56 | 0x36 | 0x76 | 0xF6 | 0xD6 => {
            let address = byte.wrapping_add(hot.state.registers[X]);
            if address & 0x80 == 0 {
                return Some(hot.give_up(next));
            }
            let value = *hot.ram(address);
            *hot.ram(address) = changed::<K>(hot, value);
            None
        }
        0x0A | 0x4A | 0x2A | 0x6A => {
            hot.state.registers[A] = changed::<K>(hot, hot.state.registers[A]);
            None
        }
        _ => {
            implied::<K>(hot);
            None
        }
    }
}

/// Registers and flags.
#[inline(always)]
fn implied<const K: Kind>(hot: &mut Hot<'_, '_>) {
    match K {
        0xE8 => hot.set(X, hot.state.registers[X].wrapping_add(1)),
        0xC8 => hot.set(Y, hot.state.registers[Y].wrapping_add(1)),
        0xCA => hot.set(X, hot.state.registers[X].wrapping_sub(1)),
        0x88 => hot.set(Y, hot.state.registers[Y].wrapping_sub(1)),
        0xAA => hot.set(X, hot.state.registers[A]),
        0xA8 => hot.set(Y, hot.state.registers[A]),
        0x8A => hot.set(A, hot.state.registers[X]),
        0x98 => hot.set(A, hot.state.registers[Y]),
        0xBA => hot.set(X, hot.state.sp),
        0x9A => hot.state.sp = hot.state.registers[X],
        0x18 => hot.state.carry = 0,
        0x38 => hot.state.carry = 0x100,
        0x58 => hot.state.interrupt = false,
        0x78 => hot.state.interrupt = true,
        0xB8 => hot.set_overflow(false),
        0xD8 => hot.state.decimal = false,
        0xF8 => hot.state.decimal = true,
        _ => {}
    }
}

#[inline(always)]
fn load_from_zero_page<const K: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    address: u8,
    next: u16,
) -> Option<u16> {
    if address & 0x80 == 0 {
        return Some(load_elsewhere::<K>(hot, entries, u32::from(address), 0, next));
    }
    let value = *hot.ram(address);
    operate::<K>(hot, entries, value, next)
}

/// Mostly from the plain ROM where the program is.
#[inline(always)]
fn load<const K: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    address: u32,
    operand: u32,
    next: u16,
) -> Option<u16> {
    match hot.code.bytes.get(address.wrapping_sub(hot.code.first) as usize) {
        Some(&value) => operate::<K>(hot, entries, value, next),
        None => Some(load_elsewhere::<K>(hot, entries, address, operand, next)),
    }
}

/// An operation on a byte that is elsewhere, and on.
#[inline(never)]
fn load_elsewhere<const K: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    address: u32,
    operand: u32,
    next: u16,
) -> u16 {
    let at_once = if address & 0x1000 != 0 {
        hot.board.cart.read_plain(hot.image, address as u16)
    } else if address & 0x280 == 0x80 {
        Some(*hot.ram(address as u8))
    } else if address & 0x88 == 0x08 && !is_through_pointer(K) {
        Some(hot.read_pins_before(address as u16, next))
    } else {
        None
    };
    let Some(value) = at_once else {
        return load_with_effort::<K>(hot, address, operand, next);
    };
    match operate::<K>(hot, entries, value, next) {
        Some(then) => then,
        None => hot.go_on(entries, next),
    }
}

/// The same with what has to be asked for.
#[inline(never)]
fn load_with_effort<const K: Kind>(hot: &mut Hot<'_, '_>, address: u32, operand: u32, next: u16) -> u16 {
    let pointer_high = is_through_pointer(K).then(|| (hot.pointer(operand as u8) >> 8) as u8);
    let value = hot.read_elsewhere(address as u16, next, pointer_high);
    match operate::<K>(hot, hot.entries, value, next) {
        Some(then) => then,
        None => hot.go_on_if_known(next),
    }
}

const fn is_through_pointer(kind: Kind) -> bool {
    matches!(
        kind,
        0xB1 | 0x11
            | 0x31
            | 0x51
            | 0x71
            | 0xF1
            | 0xD1
            | 0xB3
            | 0xA1
            | 0x01
            | 0x21
            | 0x41
            | 0x61
            | 0xE1
            | 0xC1
    )
}

/// What is done with a byte that was read.
#[inline(always)]
pub(super) fn operate<const K: Kind>(
    hot: &mut Hot<'_, '_>,
    entries: &Entries,
    value: u8,
    next: u16,
) -> Option<u16> {
    let a = hot.state.registers[A];
    match opcode(K) {
        0xA9 | 0xA5 | 0xB5 | 0xAD | 0xBD | 0xB9 | 0xB1 | 0xA1 => hot.set(A, value),
        0xA2 | 0xA6 | 0xB6 | 0xAE | 0xBE => hot.set(X, value),
        0xA0 | 0xA4 | 0xB4 | 0xAC | 0xBC => hot.set(Y, value),
        0xA7 | 0xB3 => {
            hot.set(A, value);
            hot.state.registers[X] = value;
        }
        0x09 | 0x05 | 0x15 | 0x0D | 0x1D | 0x19 | 0x11 | 0x01 => hot.set(A, a | value),
        0x29 | 0x25 | 0x35 | 0x2D | 0x3D | 0x39 | 0x31 | 0x21 => hot.set(A, a & value),
        0x49 | 0x45 | 0x55 | 0x4D | 0x5D | 0x59 | 0x51 | 0x41 => hot.set(A, a ^ value),
        0xC9 | 0xC5 | 0xD5 | 0xCD | 0xDD | 0xD9 | 0xD1 | 0xC1 => hot.compare(A, value),
        0xE0 | 0xE4 | 0xEC => hot.compare(X, value),
        0xC0 | 0xC4 | 0xCC => hot.compare(Y, value),
        0x24 | 0x2C => hot.test(value),
        0x69 | 0x65 | 0x75 | 0x6D | 0x7D | 0x79 | 0x71 | 0x61 => {
            if hot.state.decimal {
                return Some(hot.add_decimally(entries, value, next));
            }
            hot.add(value);
        }
        0xE9 | 0xE5 | 0xF5 | 0xED | 0xFD | 0xF9 | 0xF1 | 0xE1 => {
            if hot.state.decimal {
                return Some(hot.subtract_decimally(entries, value, next));
            }
            hot.subtract(value);
        }
        _ => {}
    }
    None
}

/// What a byte becomes.
#[inline(always)]
pub(super) fn changed<const K: Kind>(hot: &mut Hot<'_, '_>, value: u8) -> u8 {
    let wide = u32::from(value);
    match opcode(K) {
        0x06 | 0x16 | 0x0A => hot.rolled(wide << 1),
        0x26 | 0x36 | 0x2A => hot.rolled(wide << 1 | hot.state.carry >> 8),
        0x46 | 0x56 | 0x4A => {
            hot.state.carry = (wide & 1) << 8;
            hot.with_flags(value >> 1)
        }
        0x66 | 0x76 | 0x6A => {
            let result = ((hot.state.carry & 0x100 | wide) >> 1) as u8;
            hot.state.carry = (wide & 1) << 8;
            hot.with_flags(result)
        }
        0xE6 | 0xF6 => hot.with_flags(value.wrapping_add(1)),
        0xC6 | 0xD6 => hot.with_flags(value.wrapping_sub(1)),
        // DCP.
        _ => {
            hot.compare(A, value.wrapping_sub(1));
            value.wrapping_sub(1)
        }
    }
}

/// Kinds with operands of at most a byte.
pub(crate) const fn is_narrow(kind: Kind) -> bool {
    // Absolute addresses, offsets in the image, and what the RIOT and the cartridge get.
    kind < 0x100 && !matches!(kind & 0x1F, 0x0C..=0x0F | 0x19..=0x1F) || kind & !0xFF == kind::STORE_TIA
}
