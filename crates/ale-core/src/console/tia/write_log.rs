//! The write log: applies the writes to the TIA that JIT code has logged.
//!
//! Each register has a function of its own, which ends with a tail call to that of the next write: the processor can
//! predict those jumps, since programs write to registers in the same order on many lines.

use ale_jit::TiaWrite;

use super::Tia;
use super::picture::Picture;

type WriteFn = fn(&mut Tia, &mut Picture, &[TiaWrite]);

/// Applies all of them, in a speculative frame.
#[inline(always)]
pub(super) fn apply_write_log(tia: &mut Tia, picture: &mut Picture, writes: &[TiaWrite]) {
    go_on(tia, picture, writes);
}

#[inline(always)]
fn go_on(tia: &mut Tia, picture: &mut Picture, writes: &[TiaWrite]) {
    if let Some(write) = writes.first() {
        WRITE_FNS[usize::from(write.register() & 0x3F)](tia, picture, writes);
    }
}

/// Applies the first of the writes by the fast path if it can, then the others.
fn write<const REGISTER: u8>(tia: &mut Tia, picture: &mut Picture, writes: &[TiaWrite]) {
    let [write, rest @ ..] = writes else { return };
    if tia.try_write_fast::<REGISTER>(write.value(), || write.now()) {
        go_on(tia, picture, rest);
    } else {
        write_slow::<REGISTER>(tia, picture, writes);
    }
}

#[inline(never)]
fn write_slow<const REGISTER: u8>(tia: &mut Tia, picture: &mut Picture, writes: &[TiaWrite]) {
    let [write, rest @ ..] = writes else { return };
    tia.write_to::<REGISTER>(write.value(), write.now(), picture);
    go_on(tia, picture, rest);
}

static WRITE_FNS: [WriteFn; 64] = {
    // Registers without function.
    let mut table: [WriteFn; 64] = [write::<0x2D>; 64];
    macro_rules! each {
        ($($register:literal)*) => {
            $(table[$register] = write::<$register>;)*
        };
    }
    each!(1 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42
        43 44);
    table
};
