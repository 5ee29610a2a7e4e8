//! HMOVE: how far, by cycle and nibble; and the state that keeps missile 0 moving.

#[allow(clippy::wildcard_imports, reason = "the harness")]
use super::*;
use crate::console::tia::{BL, M0, M1, P0, P1};

/// Measured: pixels to the right by the cycle of the line and the motion nibble. Cycles 21 to 54 move nothing.
#[rustfmt::skip]
const MOTION: [(u32, [i16; 16]); 42] = [
    (0, [0, -1, -2, -3, -4, -5, -6, -7, 8, 7, 6, 5, 4, 3, 2, 1]),
    (1, [0, -1, -2, -3, -4, -5, -6, -7, 8, 7, 6, 5, 4, 3, 2, 1]),
    (2, [0, -1, -2, -3, -4, -5, -6, -7, 8, 7, 6, 5, 4, 3, 2, 1]),
    (3, [0, -1, -2, -3, -4, -5, -6, -7, 8, 7, 6, 5, 4, 3, 2, 1]),
    (4, [0, -1, -2, -3, -4, -5, -6, -6, 8, 7, 6, 5, 4, 3, 2, 1]),
    (5, [0, -1, -2, -3, -4, -5, -5, -5, 8, 7, 6, 5, 4, 3, 2, 1]),
    (6, [0, -1, -2, -3, -4, -5, -5, -5, 8, 7, 6, 5, 4, 3, 2, 1]),
    (7, [0, -1, -2, -3, -4, -4, -4, -4, 8, 7, 6, 5, 4, 3, 2, 1]),
    (8, [0, -1, -2, -3, -3, -3, -3, -3, 8, 7, 6, 5, 4, 3, 2, 1]),
    (9, [0, -1, -2, -2, -2, -2, -2, -2, 8, 7, 6, 5, 4, 3, 2, 1]),
    (10, [0, -1, -2, -2, -2, -2, -2, -2, 8, 7, 6, 5, 4, 3, 2, 1]),
    (11, [0, -1, -1, -1, -1, -1, -1, -1, 8, 7, 6, 5, 4, 3, 2, 1]),
    (12, [0, 0, 0, 0, 0, 0, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1]),
    (13, [1, 1, 1, 1, 1, 1, 1, 1, 8, 7, 6, 5, 4, 3, 2, 1]),
    (14, [1, 1, 1, 1, 1, 1, 1, 1, 8, 7, 6, 5, 4, 3, 2, 1]),
    (15, [2, 2, 2, 2, 2, 2, 2, 2, 8, 7, 6, 5, 4, 3, 2, 2]),
    (16, [3, 3, 3, 3, 3, 3, 3, 3, 8, 7, 6, 5, 4, 3, 3, 3]),
    (17, [4, 4, 4, 4, 4, 4, 4, 4, 8, 7, 6, 5, 4, 4, 4, 4]),
    (18, [4, 4, 4, 4, 4, 4, 4, 4, 8, 7, 6, 5, 4, 4, 4, 4]),
    (19, [5, 5, 5, 5, 5, 5, 5, 5, 8, 7, 6, 5, 5, 5, 5, 5]),
    (20, [6, 6, 6, 6, 6, 6, 6, 6, 8, 7, 6, 6, 6, 6, 6, 6]),
    (55, [0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0]),
    (56, [0, 0, 0, 0, 0, 0, -1, -2, 0, 0, 0, 0, 0, 0, 0, 0]),
    (57, [0, 0, 0, 0, 0, -1, -2, -3, 0, 0, 0, 0, 0, 0, 0, 0]),
    (58, [0, 0, 0, 0, 0, -1, -2, -3, 0, 0, 0, 0, 0, 0, 0, 0]),
    (59, [0, 0, 0, 0, -1, -2, -3, -4, 0, 0, 0, 0, 0, 0, 0, 0]),
    (60, [0, 0, 0, -1, -2, -3, -4, -5, 0, 0, 0, 0, 0, 0, 0, 0]),
    (61, [0, 0, -1, -2, -3, -4, -5, -6, 0, 0, 0, 0, 0, 0, 0, 0]),
    (62, [0, 0, -1, -2, -3, -4, -5, -6, 0, 0, 0, 0, 0, 0, 0, 0]),
    (63, [0, -1, -2, -3, -4, -5, -6, -7, 0, 0, 0, 0, 0, 0, 0, 0]),
    (64, [-1, -2, -3, -4, -5, -6, -7, -8, 0, 0, 0, 0, 0, 0, 0, 0]),
    (65, [-2, -3, -4, -5, -6, -7, -8, -9, 0, 0, 0, 0, 0, 0, 0, -1]),
    (66, [-2, -3, -4, -5, -6, -7, -8, -9, 0, 0, 0, 0, 0, 0, 0, -1]),
    (67, [-3, -4, -5, -6, -7, -8, -9, -10, 0, 0, 0, 0, 0, 0, -1, -2]),
    (68, [-4, -5, -6, -7, -8, -9, -10, -11, 0, 0, 0, 0, 0, -1, -2, -3]),
    (69, [-5, -6, -7, -8, -9, -10, -11, -12, 0, 0, 0, 0, -1, -2, -3, -4]),
    (70, [-5, -6, -7, -8, -9, -10, -11, -12, 0, 0, 0, 0, -1, -2, -3, -4]),
    (71, [-6, -7, -8, -9, -10, -11, -12, -13, 0, 0, 0, -1, -2, -3, -4, -5]),
    (72, [-7, -8, -9, -10, -11, -12, -13, -14, 0, 0, -1, -2, -3, -4, -5, -6]),
    (73, [-8, -9, -10, -11, -12, -13, -14, -15, 0, -1, -2, -3, -4, -5, -6, -7]),
    (74, [-8, -9, -10, -11, -12, -13, -14, -15, 0, -1, -2, -3, -4, -5, -6, -7]),
    (75, [0, -1, -2, -3, -4, -5, -6, -7, 8, 7, 6, 5, 4, 3, 2, 1]),
];

#[test]
fn hmove_moves_as_measured_at_every_cycle() {
    for cycle in 0..76 {
        let row = MOTION.iter().find(|(measured, _)| *measured == cycle).map_or([0; 16], |(_, row)| *row);
        for (nibble, motion) in (0..).zip(row) {
            let mut screen = Screen::new();
            screen.place(P0, 80).write(HMP0, nibble << 4 | 0x0F).at(cycle).write(HMOVE, 0);
            let moved = i16::from(screen.position(P0)) - 80;
            assert_eq!(moved, motion, "cycle {cycle}, nibble {nibble}");
        }
    }
}

#[test]
fn each_object_has_its_register_and_goes_round() {
    let mut screen = Screen::new();
    let objects = [P0, P1, M0, M1, BL];
    for (object, (register, value)) in
        objects.into_iter().zip([(HMP0, 0x70), (HMP1, 0x10), (HMM0, 0xF0), (HMM1, 0x80), (HMBL, 0x00)])
    {
        screen.place(object, if register == HMM1 { 155 } else { 5 }).write(register, value);
    }
    screen.write(HMOVE, 0);
    assert_eq!(objects.map(|object| screen.position(object)), [158, 4, 6, 3, 5]);
    screen.write(HMCLR, 0).write(HMOVE, 0);
    assert_eq!(objects.map(|object| screen.position(object)), [158, 4, 6, 3, 5]);
}

#[test]
fn a_locked_missile_moves_too() {
    let mut screen = Screen::new();
    screen.place(M0, 80).write(RESMP0, 2).write(HMM0, 0x20).write(HMOVE, 0);
    assert_eq!(screen.position(M0), 78);
}

/// Missile 0 at 80; HMOVE at cycle 3 takes it to 73; HMM0 from 7 to 6 so many cycles later.
fn ark(nusiz: u8, cycles: u32) -> Screen {
    let mut screen = Screen::new();
    screen.write(NUSIZ0, nusiz).write(ENAM0, 2).place(M0, 80).write(HMM0, 0x70);
    screen.at(3).write(HMOVE, 0).at(3 + cycles).write(HMM0, 0x60);
    screen
}

#[test]
fn hmm0_rewritten_21_cycles_after_hmove_keeps_the_missile_moving() {
    let mut screen = ark(0, 21);
    let lines: Vec<String> = (0..6).map(|_| screen.scanline()).collect();
    assert_eq!(
        lines,
        [
            "00*73 1A*1 00*86",
            "00*40 1A*2 00*118", // 33 left, widened
            "00*160",            // the same place, invisible
            "00*23 1A*1 00*136", // 17 left
            "00*5 1A*1 00*154",  // 18 left
            "00*132 1A*2 00*26", // 33 left, round, widened
        ]
    );
}

#[test]
fn a_widened_missile_of_four_pixels_has_eight() {
    let mut screen = ark(0x20, 21);
    screen.scanline();
    assert_eq!(screen.scanline(), "00*40 1A*8 00*112");
}

#[test]
fn a_cycle_earlier_or_later_nothing_moves() {
    for cycles in [20, 22] {
        let mut screen = ark(0, cycles);
        screen.scanline();
        assert_eq!(screen.scanline(), "00*73 1A*1 00*86");
    }
}

#[test]
fn only_7_to_6_starts_it() {
    for (before, after) in [(0x70, 0x70), (0x60, 0x60), (0x70, 0x50)] {
        let mut screen = Screen::new();
        screen.write(HMM0, before).at(3).write(HMOVE, 0).at(24).write(HMM0, after);
        screen.scanline();
        screen.scanline();
        assert!(screen.chips.iter().all(|chip| !chip.ark.on), "{before:02X} to {after:02X}");
    }
}

#[test]
fn hmove_ends_it() {
    let mut screen = ark(0, 21);
    screen.scanline();
    screen.scanline();
    // The invisible missile shows again at once, six to the left, and stays.
    assert_eq!(screen.at(0).write(HMOVE, 0).at(1).scanline(), "00*34 1A*1 00*125");
    assert_eq!(screen.scanline(), "00*34 1A*1 00*125");
}

#[test]
fn a_size_write_restores_the_shape_of_the_missile_but_it_moves_on() {
    let mut screen = ark(0, 21);
    screen.scanline();
    assert_eq!(screen.at(1).write(NUSIZ0, 0).scanline(), "00*40 1A*1 00*119");
    assert_eq!(screen.scanline(), "00*160");
    assert_eq!(screen.scanline(), "00*23 1A*1 00*136");
}
