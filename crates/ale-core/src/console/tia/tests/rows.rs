//! Each write does what the row of its register says, and no more: on the fast path and the slow one, with the renderer
//! that ships, the exact one and the literal one; and JIT code leaves out what has no effect.

use ale_jit::TiaWrite;
use ale_jit::kind::IDEMPOTENT;

use super::super::scanline_cache::bits;
use super::super::write_log::apply_write_log;
use super::super::{object, what};
use super::*;
use crate::rng::Mt19937;

/// How a write gets to the chip.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Exact,
    Literal,
    /// The fast path, or the slow one where that does not do.
    Speculative,
}

fn apply(tia: &mut Tia, picture: &mut Picture, way: Way, write: [u8; 2], cycle: u32) {
    let [register, value] = write;
    if way == Way::Speculative {
        apply_write_log(tia, picture, &[TiaWrite::new(register, value, cycle)]);
    } else {
        tia.write(register, value, cycle, picture);
    }
}

/// The movable objects that have pixels somewhere.
fn present(tia: &Tia) -> u8 {
    let of = |is: bool, object: u8| if is { object } else { 0 };
    of(tia.player_pixels(0) != 0, object::P0)
        | of(tia.player_pixels(1) != 0, object::P1)
        | of(tia.missile_enabled(0), object::M0)
        | of(tia.missile_enabled(1), object::M1)
        | of(tia.ball_enabled(), object::BL)
}

/// Compares one write with its row.
fn check(before: &Tia, after: &Tia, register: u8, now: i32, place: &str) {
    let row = &REGISTERS[usize::from(register)];
    assert!(
        after.drawn.max(after.pending) <= before.drawn.max(before.pending).max(now + delay(register)),
        "{place}: the delay"
    );
    assert_eq!(present(after) & !present(before) & !row.appears, 0, "{place}: what appears");
    assert!(register == CXCLR || before.collisions & !after.collisions == 0, "{place}: collisions");
    if after.row != before.row || after.scanline.start != before.scanline.start {
        return; // a line has ended, which changes more
    }
    let dirtied = after.shapes.dirty & !before.shapes.dirty & 63;
    assert_eq!(dirtied & !row.dirties, 0, "{place}: dirty objects {dirtied:06b}");
    // Where objects decide about colours, shapes that are made anew do so, too.
    if after.paint.dirty && !before.paint.dirty && !after.colors_by_objects() {
        assert_ne!(row.dirties & what::PAINT, 0, "{place}: colours");
    }
    // What lines set at their end, RESP and NUSIZ set at once; what HMOVE moves depends on the motions that are set.
    let mut allowed = bits::set_of(row.sets);
    let moved: &[bits::Byte] = if register == HMOVE { &bits::POSITIONS } else { &[] };
    let always =
        [bits::SINCE_HMOVE, bits::SUPPRESSED[0], bits::SUPPRESSED[1], bits::REFLECTED, bits::HMOVE_BLANK];
    for set in [bits::set_of(moved), bits::set_of(&always)] {
        (0..6).for_each(|i| allowed[i] |= set[i]);
    }
    let (one, other) = (before.registers(), after.registers());
    for i in 0..6 {
        assert_eq!((one[i] ^ other[i]) & !allowed[i], 0, "{place}: word {i} of the registers");
    }
}

#[test]
fn a_write_changes_what_its_row_says() {
    let mut rng = Mt19937::new(20);
    for round in 0..1500 {
        let way = [Way::Exact, Way::Literal, Way::Speculative][round % 3];
        let mut tia = Tia::new(&Properties { ystart: 0, ..Properties::default() });
        tia.begin_frame(0);
        tia.literal = way == Way::Literal;
        tia.speculative = way == Way::Speculative;
        tia.drawing = rng.below(3) > 0;
        let mut picture = Picture::new(210);
        let mut cycle = 0;
        for number in 0..80 {
            cycle += 3 + rng.below(if number < 40 { 3 } else { 30 });
            // Few values, so that registers are often written what they hold.
            let register = (rng.below(0x2C) + 1) as u8;
            let value = [0, 0xFF, 0x02, rng.next_u32() as u8][rng.below(4) as usize];
            if register == WSYNC {
                continue;
            }
            let before = tia.clone();
            apply(&mut tia, &mut picture, way, [register, value], cycle);
            let place =
                format!("{way:?}, round {round}, write {number}: {register:#04X} = {value:#04X} at {cycle}");
            check(&before, &tia, register, clock(cycle), &place);
            if REGISTERS[usize::from(register)].idempotent {
                let mut again = tia.clone();
                apply(&mut again, &mut picture.clone(), way, [register, value], cycle);
                assert_eq!(again.registers(), tia.registers(), "{place}, once more");
                assert_eq!(again.shapes.dirty, tia.shapes.dirty, "{place}, once more");
                assert_eq!(again.paint.dirty, tia.paint.dirty, "{place}, once more");
            }
        }
    }
}

#[test]
fn jit_code_leaves_out_writes_that_the_rows_call_idempotent() {
    let rows: Vec<u8> = (0..64).filter(|&register| REGISTERS[usize::from(register)].idempotent).collect();
    assert_eq!(rows, IDEMPOTENT);
}
