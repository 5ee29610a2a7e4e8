//! Handlers of ops: functions that end with a jump to the next one.
//!
//! They are functions and not the arms of one `match`, because the compiler then handles each for itself. In
//! one function of this size it moves work from the arms into the loop.

use super::super::tia::registers::VSYNC;
use super::Threaded;
use super::access::clock_before;
use super::operations::A;
use super::program::kind::{self, Kind};
use super::program::{
    EXIT_OP, Op, ThreadedCode, cycles_after, last_byte, narrow_second, operand, wide_second,
};
use super::steps::{is_narrow, modified, operate, step};
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use ale_jit::opcode::*;

/// Gets an op and the number of the next one, gives that of the one with which the program goes on.
pub(crate) type Handler = fn(&mut Threaded<'_, '_>, &ThreadedCode, Op, u16) -> u16;

/// The op that runs nothing and gives its own number.
pub(super) fn stop(_hot: &mut Threaded<'_, '_>, _entries: &ThreadedCode, _op: Op, next: u16) -> u16 {
    next.wrapping_sub(1)
}

/// An op that does the work of one instruction.
pub(super) fn alone<const K: Kind>(vm: &mut Threaded<'_, '_>, ops: &ThreadedCode, op: Op, next: u16) -> u16 {
    finish::<K>(vm, ops, op, operand(op), next)
}

/// An op that does the work of two instructions.
pub(super) fn superinstruction<const FIRST: Kind, const SECOND: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    op: Op,
    next: u16,
) -> u16 {
    if let Some(then) = step::<FIRST>(vm, ops, operand(op), next) {
        return then;
    }
    let operand = if second_is_narrow(FIRST, SECOND) { narrow_second(op) } else { wide_second(op) };
    finish::<SECOND>(vm, ops, op, operand, next.wrapping_add(1))
}

/// Whether the operands of the two instructions of a superinstruction take a byte each.
pub(crate) const fn second_is_narrow(first: Kind, second: Kind) -> bool {
    is_narrow(first) && is_narrow(second)
}

/// The last instruction of an op, and on.
#[inline(always)]
fn finish<const K: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    op: Op,
    operand: u32,
    next: u16,
) -> u16 {
    let then = match K {
        BPL => return vm.branch(ops, op, next, vm.state.nz & 0x280 == 0),
        BMI => return vm.branch(ops, op, next, vm.state.nz & 0x280 != 0),
        BVC => return vm.branch(ops, op, next, !vm.overflow()),
        BVS => return vm.branch(ops, op, next, vm.overflow()),
        BCC => return vm.branch(ops, op, next, vm.state.carry & 0x100 == 0),
        BCS => return vm.branch(ops, op, next, vm.state.carry & 0x100 != 0),
        BNE => return vm.branch(ops, op, next, vm.state.nz & 0xFF != 0),
        BEQ => return vm.branch(ops, op, next, vm.state.nz & 0xFF == 0),
        JMP_ABS => return vm.jmp_far(ops, next),
        JSR => return vm.jsr_far(ops, next),
        RTS => return vm.rts(ops, next),
        JMP_IND => return vm.jmp_indirect(ops, operand),
        BRK => return vm.brk(ops, op, next),
        RTI => return vm.rti(ops, next),
        PHA => return vm.push(ops, op, next, vm.state.registers[A]),
        PHP => return vm.push_status(ops, op, next),
        PLA => {
            if !vm.can_pull(1) {
                return pull_elsewhere::<K>(vm, next);
            }
            vm.state.sp += 1;
            let value = *vm.ram(vm.state.sp);
            vm.set(A, value);
            None
        }
        PLP => {
            if !vm.can_pull(1) {
                return pull_elsewhere::<K>(vm, next);
            }
            vm.state.sp += 1;
            let value = *vm.ram(vm.state.sp);
            vm.set_status(value);
            None
        }
        kind::JUMP => return vm.jmp_near(ops, op, next),
        kind::CALL => return vm.jsr_near(ops, op, next),
        kind::NEXT_BLOCK => return vm.go(ops, op),
        kind::BLOCK_END => return vm.end(op, next),
        kind::EXIT => return EXIT_OP,
        ASL_TIA | LSR_TIA | ROL_TIA | ROR_TIA | INC_TIA | DEC_TIA => {
            return change_tia::<K>(vm, ops, op, operand as u16, next);
        }
        _ if K & 0xF00 == kind::TIA && operand & 8 == 0 => return load_collisions::<K>(vm, op, next),
        _ if K & 0xF00 == kind::TIA => {
            let value = vm.read_pins(operand as u16, vm.now(op), last_byte(op));
            operate::<K>(vm, ops, value, next)
        }
        _ if K & 0xF00 == kind::RIOT => {
            let value = vm.read_riot(operand as u16, vm.now(op));
            operate::<K>(vm, ops, value, next)
        }
        _ if K & 0xF00 == kind::TIMER => {
            // The one of its addresses that the compiler sees.
            let value = vm.read_riot(0x284, vm.now(op));
            operate::<K>(vm, ops, value, next)
        }
        _ if K & 0xF00 == kind::CART => return load_from_cart::<K>(vm, op, next),
        _ if K & 0xF00 == kind::FETCH => match vm.read_display(operand as u16) {
            Some(value) => operate::<K>(vm, ops, value, next),
            None => return load_from_cart::<K>(vm, op, next),
        },
        _ if K & 0xF00 == kind::TIMER_WAIT => {
            vm.skip_wait_loop(op);
            let value = vm.read_riot(operand as u16, vm.now(op));
            operate::<K>(vm, ops, value, next)
        }
        _ => step::<K>(vm, ops, operand, next),
    };
    match then {
        Some(then) => then,
        None => vm.dispatch(ops, next),
    }
}

/// A load of what the cartridge has in the place of ROM.
#[inline(never)]
fn load_from_cart<const K: Kind>(vm: &mut Threaded<'_, '_>, op: Op, next: u16) -> u16 {
    let now = vm.now(op);
    let address = operand(op) as u16;
    vm.store_display();
    let music = vm.board.cart.read_music(address, now);
    let value = music.unwrap_or_else(|| vm.board.cart.read(vm.image, address, now));
    vm.load_display();
    match operate::<K>(vm, vm.ops, value, next) {
        Some(then) => then,
        None => vm.dispatch(vm.ops, next),
    }
}

/// A load from a register of the TIA that tells of collisions.
#[inline(never)]
fn load_collisions<const K: Kind>(vm: &mut Threaded<'_, '_>, op: Op, next: u16) -> u16 {
    let value = vm.read_tia(operand(op) as u16, vm.now(op), last_byte(op));
    match operate::<K>(vm, vm.ops, value, next) {
        Some(then) => then,
        None => vm.dispatch(vm.ops, next),
    }
}

/// PLA and PLP from somewhere else than RAM.
#[inline(never)]
fn pull_elsewhere<const K: Kind>(vm: &mut Threaded<'_, '_>, next: u16) -> u16 {
    let value = vm.pull_elsewhere(next);
    match K {
        PLA => vm.set(A, value),
        _ => vm.set_status(value),
    }
    vm.dispatch(vm.ops, next)
}

/// A change of what a register of the TIA reads as.
#[inline(never)]
fn change_tia<const K: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    op: Op,
    address: u16,
    next: u16,
) -> u16 {
    let value = vm.read_tia(address, vm.now(op), last_byte(op));
    let result = modified::<K>(vm, value);
    vm.write_slow(ops, next, u32::from(address), result)
}

/// A store of A to the TIA after another instruction.
pub(super) fn store_after<const FIRST: Kind, const REGISTER: u8>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    op: Op,
    next: u16,
) -> u16 {
    match step::<FIRST>(vm, ops, operand(op), next) {
        Some(then) => then,
        None => store_tia::<REGISTER, A>(vm, ops, op, next.wrapping_add(1)),
    }
}

/// A store to WSYNC after another instruction.
pub(super) fn wait_after<const FIRST: Kind>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    op: Op,
    next: u16,
) -> u16 {
    match step::<FIRST>(vm, ops, operand(op), next) {
        Some(then) => then,
        None => wait(vm, ops, op, next.wrapping_add(1)),
    }
}

/// A store to a register of the TIA other than WSYNC.
#[inline(never)]
pub(super) fn store_tia<const REGISTER: u8, const SOURCE: usize>(
    vm: &mut Threaded<'_, '_>,
    ops: &ThreadedCode,
    op: Op,
    next: u16,
) -> u16 {
    let (value, time) = (vm.state.registers[SOURCE], vm.state.time);
    if vm.board.tia.try_write_fast::<REGISTER>(value, || clock_before(time, cycles_after(op))) {
        vm.dispatch(ops, next)
    } else {
        store_tia_slow::<REGISTER>(vm, value, op, next)
    }
}

// It may draw, for which the processor's registers have to be saved, so it does not keep the ops in one.
#[inline(never)]
fn store_tia_slow<const REGISTER: u8>(vm: &mut Threaded<'_, '_>, value: u8, op: Op, next: u16) -> u16 {
    let now = vm.now(op);
    let tia = &mut vm.board.tia;
    if REGISTER == VSYNC {
        // All other stores are those of JIT code where there is some.
        tia.detach_cursor(|| now, vm.picture);
    }
    tia.write_to::<REGISTER>(value, now, vm.picture);
    if REGISTER == VSYNC && tia.stop {
        vm.stopped = true;
        vm.latch = value;
        return vm.exit_at(next);
    }
    vm.dispatch(vm.ops, next)
}

/// A store to WSYNC.
pub(super) fn wait(vm: &mut Threaded<'_, '_>, ops: &ThreadedCode, op: Op, next: u16) -> u16 {
    let now = vm.now(op);
    let then = vm.next_line(now);
    vm.state.time += i64::from(then.wrapping_sub(now));
    vm.dispatch(ops, next)
}
