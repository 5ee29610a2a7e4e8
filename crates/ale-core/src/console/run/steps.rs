//! What the kinds of ops do, apart from those that end a block: one row each.

use super::Threaded;
use super::operations::{A, X, Y};
use super::program::ThreadedCode;
use super::program::kind::{self, Kind, opcode};
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use ale_jit::opcode::*;

/// What an instruction with this operand does; `next` is the op after it. If it cannot be done here, another
/// function has done it and has gone on, and this is what it gave.
// Calls of such functions are the last thing a handler does, so that the compiler makes jumps of them and keeps
// nothing for afterwards.
#[inline(always)]
pub(super) fn step<const K: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    operand: u32,
    next: u16,
) -> Option<u16> {
    let byte = operand as u8;
    match K {
        // Immediate.
        LDA_IMM | LDX_IMM | LDY_IMM | ORA_IMM | AND_IMM | EOR_IMM | ADC_IMM | SBC_IMM | CMP_IMM | CPX_IMM
        | CPY_IMM => operate::<K>(vm, ops, byte, next),
        // RAM.
        LDA_ZP | LDX_ZP | LDY_ZP | BIT_ZP | ORA_ZP | AND_ZP | EOR_ZP | ADC_ZP | SBC_ZP | CMP_ZP | CPX_ZP
        | CPY_ZP | LAX_ZP => {
            let value = *vm.ram(byte);
            operate::<K>(vm, ops, value, next)
        }
        // Zero page by X.
        LDA_ZPX | LDY_ZPX | ORA_ZPX | AND_ZPX | EOR_ZPX | ADC_ZPX | SBC_ZPX | CMP_ZPX => {
            load_from_zero_page::<K>(vm, ops, byte.wrapping_add(vm.state.registers[X]), next)
        }
        // Zero page by Y.
        LDX_ZPY => load_from_zero_page::<K>(vm, ops, byte.wrapping_add(vm.state.registers[Y]), next),
        // Absolute.
        LDA_ABS | LDX_ABS | LDY_ABS | BIT_ABS | ORA_ABS | AND_ABS | EOR_ABS | ADC_ABS | SBC_ABS | CMP_ABS
        | CPX_ABS | CPY_ABS => load::<K>(vm, ops, operand, operand, next),
        // Absolute by X.
        LDA_ABX | LDY_ABX | ORA_ABX | AND_ABX | EOR_ABX | ADC_ABX | SBC_ABX | CMP_ABX => {
            let address = vm.index_with_page_cross(operand, X);
            load::<K>(vm, ops, address, operand, next)
        }
        // Absolute by Y.
        LDA_ABY | LDX_ABY | ORA_ABY | AND_ABY | EOR_ABY | ADC_ABY | SBC_ABY | CMP_ABY => {
            let address = vm.index_with_page_cross(operand, Y);
            load::<K>(vm, ops, address, operand, next)
        }
        // The same in ROM.
        LDA_ROMX | LDY_ROMX | ORA_ROMX | AND_ROMX | EOR_ROMX | ADC_ROMX | SBC_ROMX | CMP_ROMX => {
            let value = vm.rom[usize::from(vm.index_with_page_cross(operand, X) as u16)];
            operate::<K>(vm, ops, value, next)
        }
        LDA_ROMY | LDX_ROMY | ORA_ROMY | AND_ROMY | EOR_ROMY | ADC_ROMY | SBC_ROMY | CMP_ROMY => {
            let value = vm.rom[usize::from(vm.index_with_page_cross(operand, Y) as u16)];
            operate::<K>(vm, ops, value, next)
        }
        // Through a pointer.
        LDA_IZY | ORA_IZY | AND_IZY | EOR_IZY | ADC_IZY | SBC_IZY | CMP_IZY | LAX_IZY => {
            let pointer = vm.pointer(byte);
            let address = vm.index_with_page_cross(pointer, Y);
            load::<K>(vm, ops, address, operand, next)
        }
        LDA_IZX | ORA_IZX | AND_IZX | EOR_IZX | ADC_IZX | SBC_IZX | CMP_IZX => {
            let at = byte.wrapping_add(vm.state.registers[X]);
            if !(0x80..0xFF).contains(&at) {
                return Some(vm.bail_out(next));
            }
            load::<K>(vm, ops, vm.pointer(at), u32::from(at), next)
        }
        // Stores.
        STA_ZP => vm.put(byte, A),
        STX_ZP => vm.put(byte, X),
        STY_ZP => vm.put(byte, Y),
        STA_ZPX => vm.write(ops, next, u32::from(byte.wrapping_add(vm.state.registers[X])), A),
        STY_ZPX => vm.write(ops, next, u32::from(byte.wrapping_add(vm.state.registers[X])), Y),
        STX_ZPY => vm.write(ops, next, u32::from(byte.wrapping_add(vm.state.registers[Y])), X),
        STA_ABX => vm.write(ops, next, operand + u32::from(vm.state.registers[X]), A),
        STA_ABY => vm.write(ops, next, operand + u32::from(vm.state.registers[Y]), A),
        STA_IZY => vm.write(ops, next, vm.pointer(byte) + u32::from(vm.state.registers[Y]), A),
        kind::STORE_SLOW..=kind::STORE_SLOW_Y => {
            Some(vm.write_slow(ops, next, operand, vm.state.registers[usize::from(K) & 3]))
        }
        // Changes of a byte in RAM or of a register.
        ASL_ZP | LSR_ZP | ROL_ZP | ROR_ZP | INC_ZP | DEC_ZP | DCP_ZP => {
            let value = *vm.ram(byte);
            *vm.ram(byte) = modified::<K>(vm, value);
            None
        }
        ASL_ZPX | LSR_ZPX | ROL_ZPX | ROR_ZPX | INC_ZPX | DEC_ZPX => {
            let address = byte.wrapping_add(vm.state.registers[X]);
            if address & 0x80 == 0 {
                return Some(vm.bail_out(next));
            }
            let value = *vm.ram(address);
            *vm.ram(address) = modified::<K>(vm, value);
            None
        }
        ASL_A | LSR_A | ROL_A | ROR_A => {
            vm.state.registers[A] = modified::<K>(vm, vm.state.registers[A]);
            None
        }
        _ => {
            implied::<K>(vm);
            None
        }
    }
}

/// Registers and flags.
#[inline(always)]
fn implied<const K: Kind>(vm: &mut Threaded<'_, '_>) {
    match K {
        INX => vm.set(X, vm.state.registers[X].wrapping_add(1)),
        INY => vm.set(Y, vm.state.registers[Y].wrapping_add(1)),
        DEX => vm.set(X, vm.state.registers[X].wrapping_sub(1)),
        DEY => vm.set(Y, vm.state.registers[Y].wrapping_sub(1)),
        TAX => vm.set(X, vm.state.registers[A]),
        TAY => vm.set(Y, vm.state.registers[A]),
        TXA => vm.set(A, vm.state.registers[X]),
        TYA => vm.set(A, vm.state.registers[Y]),
        TSX => vm.set(X, vm.state.sp),
        TXS => vm.state.sp = vm.state.registers[X],
        CLC => vm.state.carry = 0,
        SEC => vm.state.carry = 0x100,
        CLI => vm.state.interrupt = false,
        SEI => vm.state.interrupt = true,
        CLV => vm.set_overflow(false),
        CLD => vm.state.decimal = false,
        SED => vm.state.decimal = true,
        _ => {}
    }
}

#[inline(always)]
fn load_from_zero_page<const K: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    address: u8,
    next: u16,
) -> Option<u16> {
    if address & 0x80 == 0 {
        return Some(load_other::<K>(vm, ops, u32::from(address), 0, next));
    }
    let value = *vm.ram(address);
    operate::<K>(vm, ops, value, next)
}

/// Mostly from the current ROM span.
#[inline(always)]
fn load<const K: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    address: u32,
    operand: u32,
    next: u16,
) -> Option<u16> {
    match vm.span.bytes.get(address.wrapping_sub(vm.span.first) as usize) {
        Some(&value) => operate::<K>(vm, ops, value, next),
        None => Some(load_other::<K>(vm, ops, address, operand, next)),
    }
}

/// An operation on a byte that is elsewhere, and on.
#[inline(never)]
fn load_other<const K: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    address: u32,
    operand: u32,
    next: u16,
) -> u16 {
    let at_once = if address & 0x1000 != 0 {
        vm.board.cart.read_plain(vm.image, address as u16)
    } else if address & 0x280 == 0x80 {
        Some(*vm.ram(address as u8))
    } else if address & 0x88 == 0x08 && !is_through_pointer(K) {
        Some(vm.read_pins_before(address as u16, next))
    } else {
        None
    };
    let Some(value) = at_once else {
        return load_slow::<K>(vm, address, operand, next);
    };
    match operate::<K>(vm, ops, value, next) {
        Some(then) => then,
        None => vm.dispatch(ops, next),
    }
}

/// The same with what has to be asked for.
#[inline(never)]
fn load_slow<const K: Kind>(vm: &mut Threaded<'_, '_>, address: u32, operand: u32, next: u16) -> u16 {
    let pointer_high = is_through_pointer(K).then(|| (vm.pointer(operand as u8) >> 8) as u8);
    let value = vm.read_elsewhere(address as u16, next, pointer_high);
    match operate::<K>(vm, vm.ops, value, next) {
        Some(then) => then,
        None => vm.dispatch_unless_bank_switched(next),
    }
}

const fn is_through_pointer(kind: Kind) -> bool {
    matches!(
        kind,
        LDA_IZY
            | ORA_IZY
            | AND_IZY
            | EOR_IZY
            | ADC_IZY
            | SBC_IZY
            | CMP_IZY
            | LAX_IZY
            | LDA_IZX
            | ORA_IZX
            | AND_IZX
            | EOR_IZX
            | ADC_IZX
            | SBC_IZX
            | CMP_IZX
    )
}

/// What is done with a byte that was read.
#[inline(always)]
pub(super) fn operate<const K: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    value: u8,
    next: u16,
) -> Option<u16> {
    let a = vm.state.registers[A];
    match opcode(K) {
        LDA_IMM | LDA_ZP | LDA_ZPX | LDA_ABS | LDA_ABX | LDA_ABY | LDA_IZY | LDA_IZX => vm.set(A, value),
        LDX_IMM | LDX_ZP | LDX_ZPY | LDX_ABS | LDX_ABY => vm.set(X, value),
        LDY_IMM | LDY_ZP | LDY_ZPX | LDY_ABS | LDY_ABX => vm.set(Y, value),
        LAX_ZP | LAX_IZY => {
            vm.set(A, value);
            vm.state.registers[X] = value;
        }
        ORA_IMM | ORA_ZP | ORA_ZPX | ORA_ABS | ORA_ABX | ORA_ABY | ORA_IZY | ORA_IZX => vm.set(A, a | value),
        AND_IMM | AND_ZP | AND_ZPX | AND_ABS | AND_ABX | AND_ABY | AND_IZY | AND_IZX => vm.set(A, a & value),
        EOR_IMM | EOR_ZP | EOR_ZPX | EOR_ABS | EOR_ABX | EOR_ABY | EOR_IZY | EOR_IZX => vm.set(A, a ^ value),
        CMP_IMM | CMP_ZP | CMP_ZPX | CMP_ABS | CMP_ABX | CMP_ABY | CMP_IZY | CMP_IZX => vm.compare(A, value),
        CPX_IMM | CPX_ZP | CPX_ABS => vm.compare(X, value),
        CPY_IMM | CPY_ZP | CPY_ABS => vm.compare(Y, value),
        BIT_ZP | BIT_ABS => vm.test(value),
        ADC_IMM | ADC_ZP | ADC_ZPX | ADC_ABS | ADC_ABX | ADC_ABY | ADC_IZY | ADC_IZX => {
            if vm.state.decimal {
                return Some(vm.add_decimally(ops, value, next));
            }
            vm.add(value);
        }
        SBC_IMM | SBC_ZP | SBC_ZPX | SBC_ABS | SBC_ABX | SBC_ABY | SBC_IZY | SBC_IZX => {
            if vm.state.decimal {
                return Some(vm.subtract_decimally(ops, value, next));
            }
            vm.subtract(value);
        }
        _ => {}
    }
    None
}

/// What a byte becomes.
#[inline(always)]
pub(super) fn modified<const K: Kind>(vm: &mut Threaded<'_, '_>, value: u8) -> u8 {
    let wide = u32::from(value);
    match opcode(K) {
        ASL_ZP | ASL_ZPX | ASL_A => vm.rolled(wide << 1),
        ROL_ZP | ROL_ZPX | ROL_A => vm.rolled(wide << 1 | vm.state.carry >> 8),
        LSR_ZP | LSR_ZPX | LSR_A => {
            vm.state.carry = (wide & 1) << 8;
            vm.with_flags(value >> 1)
        }
        ROR_ZP | ROR_ZPX | ROR_A => {
            let result = ((vm.state.carry & 0x100 | wide) >> 1) as u8;
            vm.state.carry = (wide & 1) << 8;
            vm.with_flags(result)
        }
        INC_ZP | INC_ZPX => vm.with_flags(value.wrapping_add(1)),
        DEC_ZP | DEC_ZPX => vm.with_flags(value.wrapping_sub(1)),
        // DCP.
        _ => {
            vm.compare(A, value.wrapping_sub(1));
            value.wrapping_sub(1)
        }
    }
}

/// Kinds with operands of at most a byte.
pub(crate) const fn is_narrow(kind: Kind) -> bool {
    // Absolute addresses, offsets in the image, and what the RIOT and the cartridge get.
    kind < 0x100 && !matches!(kind & 0x1F, 0x0C..=0x0F | 0x19..=0x1F) || kind & !0xFF == kind::STORE_TIA
}
