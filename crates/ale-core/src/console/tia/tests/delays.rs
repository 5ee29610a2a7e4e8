//! From which pixel on a write is seen. Cycle 30 of a line is its pixel 22.

#[allow(clippy::wildcard_imports, reason = "the harness")]
use super::*;
use crate::console::tia::{BL, M0, P0};

#[test]
fn colours_change_at_once() {
    assert_eq!(Screen::new().write(COLUBK, 0x0E).at(30).write(COLUBK, 0x40).scanline(), "0E*22 40*138");
}

#[test]
fn writes_in_the_blank_are_seen_from_the_first_pixel() {
    assert_eq!(Screen::new().at(22).write(COLUBK, 0x40).scanline(), "40*160");
    assert_eq!(Screen::new().at(23).write(COLUBK, 0x40).scanline(), "00*1 40*159");
}

#[test]
fn vblank_graphics_and_reflection_are_one_clock_late() {
    assert_eq!(Screen::new().write(COLUBK, 0x0E).at(30).write(VBLANK, 2).scanline(), "0E*23 00*137");
    let mut screen = Screen::new();
    screen.place(P0, 20);
    assert_eq!(screen.at(30).write(GRP0, 0xFF).scanline(), "00*23 1A*5 00*132");
    let mut screen = Screen::new();
    screen.place(P0, 20).write(GRP0, 0xF0);
    assert_eq!(screen.at(30).write(REFP0, 8).scanline(), "00*20 1A*3 00*1 1A*4 00*132");
}

#[test]
fn sizes_are_eight_clocks_late() {
    let mut screen = Screen::new();
    screen.place(P0, 20).write(GRP0, 0xFF);
    assert_eq!(screen.at(30).write(NUSIZ0, 7).scanline(), "00*20 1A*8 00*2 1A*23 00*107");
}

#[test]
fn playfield_writes_are_seen_from_the_next_column_or_the_one_after() {
    for (cycle, line) in [
        (28, "00*20 06*28 00*48 06*32 00*32"),
        (29, "00*24 06*24 00*48 06*32 00*32"),
        (30, "00*24 06*24 00*48 06*32 00*32"),
        (31, "00*28 06*20 00*48 06*32 00*32"),
        (32, "00*32 06*16 00*48 06*32 00*32"),
    ] {
        assert_eq!(Screen::new().at(cycle).write(PF1, 0xFF).scanline(), line, "cycle {cycle}");
    }
}

#[test]
fn enabling_and_delaying_act_at_once() {
    let mut screen = Screen::new();
    screen.place(M0, 20).write(NUSIZ0, 0x30);
    screen.scanline();
    assert_eq!(screen.at(30).write(ENAM0, 2).scanline(), "00*22 1A*6 00*132");
    let mut screen = Screen::new();
    screen.place(P0, 20).write(GRP0, 0xFF);
    assert_eq!(screen.at(30).write(VDELP0, 1).scanline(), "00*20 1A*2 00*138");
}

#[test]
fn a_missile_strobe_is_eight_clocks_late_but_counts_from_its_own_time() {
    let mut screen = Screen::new();
    screen.place(M0, 20).write(NUSIZ0, 0x30).write(ENAM0, 2);
    assert_eq!(screen.at(30).write(RESM0, 0).scanline(), "00*20 1A*8 00*2 1A*4 00*126");
    assert_eq!(screen.position(M0), 26);
}

#[test]
fn a_ball_strobe_acts_at_once() {
    let mut screen = Screen::new();
    screen.place(BL, 20).write(CTRLPF, 0x30).write(ENABL, 2);
    assert_eq!(screen.at(30).write(RESBL, 0).scanline(), "00*20 06*2 00*4 06*8 00*126");
}

#[test]
fn what_is_drawn_ahead_stays_drawn() {
    // The size is written first and drawn eight clocks ahead, so the colour comes too late for these.
    let mut screen = Screen::new();
    screen.at(30).write(NUSIZ0, 1).write(COLUBK, 0x40);
    assert_eq!(screen.scanline(), "00*30 40*130");
}
