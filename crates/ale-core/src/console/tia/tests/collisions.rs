//! The fifteen latches.

#[allow(clippy::wildcard_imports, reason = "the harness")]
use super::*;
use crate::console::tia::{BL, M0, M1, P0, P1};

/// What shows an object at pixel 20: its register and value, and where it is placed.
const SHOW: [(&str, u8, u8, Option<usize>); 6] = [
    ("P0", GRP0, 0x80, Some(P0)),
    ("P1", GRP1, 0x80, Some(P1)),
    ("M0", ENAM0, 0x02, Some(M0)),
    ("M1", ENAM1, 0x02, Some(M1)),
    ("BL", ENABL, 0x02, Some(BL)),
    ("PF", PF1, 0x40, None),
];

/// The pairs by read register: bit 7, then bit 6.
const LATCHES: [[&str; 2]; 8] = [
    ["M0 P1", "M0 P0"],
    ["M1 P0", "M1 P1"],
    ["P0 PF", "P0 BL"],
    ["P1 PF", "P1 BL"],
    ["M0 PF", "M0 BL"],
    ["M1 PF", "M1 BL"],
    ["BL PF", "-"],
    ["P0 P1", "M0 M1"],
];

/// A line with these objects at pixel 20.
fn overlap(names: &[&str]) -> Screen {
    let mut screen = Screen::new();
    for (name, register, value, object) in SHOW {
        if names.contains(&name) {
            screen.write(register, value);
            if let Some(object) = object {
                screen.place(object, 20);
            }
        }
    }
    screen
}

/// The pairs whose latches are set.
fn latched(screen: &mut Screen) -> Vec<&'static str> {
    let mut pairs = Vec::new();
    for (register, names) in (0..).zip(LATCHES) {
        let value = screen.read(register);
        assert_eq!(value & 0x3F, 0, "bits that are not driven");
        pairs.extend(
            [0x80, 0x40].into_iter().zip(names).filter(|(bit, _)| value & bit != 0).map(|(_, name)| name),
        );
    }
    pairs
}

#[test]
fn each_pair_has_its_latch() {
    let pairs: Vec<&str> = LATCHES.into_iter().flatten().filter(|&pair| pair != "-").collect();
    assert_eq!(pairs.len(), 15);
    for pair in pairs {
        let names: Vec<&str> = pair.split(' ').collect();
        let mut screen = overlap(&names);
        assert_eq!(latched(&mut screen), Vec::<&str>::new(), "before the line");
        screen.scanline();
        assert_eq!(latched(&mut screen), [pair]);
    }
}

#[test]
fn all_objects_at_one_pixel_set_all_latches_and_cxclr_clears_them() {
    let mut screen = overlap(&["P0", "P1", "M0", "M1", "BL", "PF"]);
    screen.scanline();
    assert_eq!(latched(&mut screen).len(), 15);
    screen.write(CXCLR, 0);
    assert_eq!(latched(&mut screen).len(), 0);
}

#[test]
fn a_latch_is_set_when_the_pixel_is_drawn() {
    let mut screen = overlap(&["P0", "P1"]);
    // Pixel 20 is clock 88: not drawn at cycle 29 (clock 87), drawn at cycle 30.
    assert_eq!(latched(screen.at(29)), Vec::<&str>::new());
    assert_eq!(latched(screen.at(30)), ["P0 P1"]);
}

#[test]
fn neighbours_do_not_collide() {
    let mut screen = overlap(&["P0", "P1"]);
    screen.place(P1, 21);
    screen.scanline();
    assert_eq!(latched(&mut screen), Vec::<&str>::new());
}

#[test]
fn nothing_collides_in_vblank() {
    let mut screen = overlap(&["P0", "P1"]);
    screen.write(VBLANK, 2).scanline();
    assert_eq!(latched(&mut screen), Vec::<&str>::new());
}

#[test]
fn hmove_blanks_hide_objects_but_they_collide() {
    let mut screen = overlap(&["P0", "P1"]);
    screen.place(P0, 3).place(P1, 3).write(HMOVE, 0);
    assert_eq!(screen.scanline(), "00*160");
    assert_eq!(latched(&mut screen), ["P0 P1"]);
}

#[test]
fn nothing_collides_outside_the_picture() {
    let mut screen = Screen::with(&Properties { ystart: 1, height: 1, ..Properties::default() });
    for object in [P0, P1] {
        screen.place(object, 20);
    }
    for (line, expected) in [(1, 0), (2, 0x80), (3, 0)] {
        screen.write(GRP0, 0x80).write(GRP1, 0x80);
        screen.cycle = line * 76;
        screen.write(NOTHING, 0);
        assert_eq!(screen.read(7), expected, "after line {}", line - 1);
        screen.write(CXCLR, 0);
    }
}

#[test]
fn score_and_priority_do_not_change_collisions() {
    for ctrlpf in 0..8 {
        let mut screen = overlap(&["P0", "PF"]);
        screen.write(CTRLPF, ctrlpf).scanline();
        assert_eq!(latched(&mut screen), ["P0 PF"]);
    }
}
