//! Writes that native code has noted.
//!
//! Each register has a function of its own, which ends with a jump to that of the next write: the processor can
//! predict those jumps, since programs write to registers in the same order on many lines.

use ale_jit::TiaWrite;

use super::super::picture::Picture;
use super::Tia;

type Writer = fn(&mut Tia, &mut Picture, &[TiaWrite]);

/// Does all of them, while lines are drawn as wholes.
#[inline(always)]
pub(super) fn write_in_turn(tia: &mut Tia, picture: &mut Picture, notes: &[TiaWrite]) {
    go_on(tia, picture, notes);
}

#[inline(always)]
fn go_on(tia: &mut Tia, picture: &mut Picture, notes: &[TiaWrite]) {
    if let Some(note) = notes.first() {
        WRITERS[usize::from(note.register() & 0x3F)](tia, picture, notes);
    }
}

/// The first of the writes, if it is an easy one, and on.
fn write<const REGISTER: u8>(tia: &mut Tia, picture: &mut Picture, notes: &[TiaWrite]) {
    let [note, rest @ ..] = notes else { return };
    if tia.write_easily::<REGISTER>(note.value(), || note.now()) {
        go_on(tia, picture, rest);
    } else {
        write_with_effort::<REGISTER>(tia, picture, notes);
    }
}

#[inline(never)]
fn write_with_effort<const REGISTER: u8>(tia: &mut Tia, picture: &mut Picture, notes: &[TiaWrite]) {
    let [note, rest @ ..] = notes else { return };
    tia.write_to::<REGISTER>(note.value(), note.now(), picture);
    go_on(tia, picture, rest);
}

static WRITERS: [Writer; 64] = {
    // Registers without function.
    let mut table: [Writer; 64] = [write::<0x2D>; 64];
    macro_rules! each {
        ($($register:literal)*) => {
            $(table[$register] = write::<$register>;)*
        };
    }
    each!(1 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42
        43 44);
    table
};
