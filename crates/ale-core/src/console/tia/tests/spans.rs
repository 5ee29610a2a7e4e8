//! Lines that are not drawn to their end: what a frame that stops there leaves behind.

#[allow(clippy::wildcard_imports, reason = "the harness")]
use super::*;
use crate::console::tia::{M0, P0};

/// Row 0 holds 55 from before and is drawn up to pixel 22 (cycle 30).
fn stopped(screen: &mut Screen) -> String {
    screen.fill_row(0, 0x55).at(30).write(NOTHING, 0).row(0)
}

#[test]
fn a_playfield_alone_is_stored_in_groups_of_four() {
    let mut screen = Screen::new();
    assert_eq!(stopped(screen.write(PF1, 0xFF)), "00*16 06*8 55*136");
}

#[test]
fn without_objects_there_are_no_groups() {
    assert_eq!(stopped(&mut Screen::new()), "00*22 55*138");
}

#[test]
fn a_playfield_with_a_missile_is_not_stored_in_groups() {
    let mut screen = Screen::new();
    screen.write(PF1, 0xFF).write(ENAM0, 2).place(M0, 100);
    assert_eq!(stopped(&mut screen), "00*16 06*6 55*138");
}

#[test]
fn a_playfield_with_a_player_is_stored_in_groups_unless_in_score_mode() {
    let mut screen = Screen::new();
    screen.write(PF1, 0xFF).write(GRP0, 0x80).place(P0, 100);
    assert_eq!(stopped(&mut screen), "00*16 06*8 55*136");
    let mut screen = Screen::new();
    screen.write(PF1, 0xFF).write(GRP0, 0x80).place(P0, 100).write(CTRLPF, 2);
    assert_eq!(stopped(&mut screen), "00*16 1A*6 55*138");
}

#[test]
fn a_group_that_a_player_may_touch_is_not_stored() {
    let mut screen = Screen::new();
    screen.write(GRP0, 0x80).place(P0, 100);
    assert_eq!(stopped(&mut screen), "00*24 55*136");
    let mut screen = Screen::new();
    screen.write(GRP0, 0x80).place(P0, 20);
    assert_eq!(stopped(&mut screen), "00*20 1A*1 00*1 55*138");
    let mut screen = Screen::new();
    screen.write(GRP0, 0x80).place(P0, 13);
    assert_eq!(stopped(&mut screen), "00*13 1A*1 00*8 55*138");
}

#[test]
fn vblank_is_not_stored_in_groups() {
    let mut screen = Screen::new();
    screen.write(PF1, 0xFF).write(VBLANK, 2);
    assert_eq!(stopped(&mut screen), "00*22 55*138");
}

#[test]
fn a_group_stored_ahead_is_drawn_over_when_the_line_goes_on() {
    let mut screen = Screen::new();
    screen.write(PF1, 0xFF).at(30).write(COLUPF, 0x40);
    assert_eq!(screen.scanline(), "00*16 06*6 40*26 00*48 40*32 00*32");
}

#[test]
fn hmove_blanks_the_first_eight_pixels() {
    let mut screen = Screen::new();
    assert_eq!(screen.write(COLUBK, 0x0E).write(HMOVE, 0).scanline(), "00*8 0E*152");
    assert_eq!(screen.scanline(), "0E*160");
}

#[test]
fn hmove_blanks_up_to_cycle_20_and_at_cycle_75_the_next_line() {
    for (cycle, this, next) in [
        (20, "00*8 0E*152", "0E*160"),
        (21, "0E*160", "0E*160"),
        (74, "0E*160", "0E*160"),
        (75, "0E*160", "00*8 0E*152"),
    ] {
        let mut screen = Screen::new();
        screen.write(COLUBK, 0x0E).at(cycle).write(HMOVE, 0);
        assert_eq!(screen.scanline(), this, "cycle {cycle}");
        assert_eq!(screen.scanline(), next, "after cycle {cycle}");
    }
}

#[test]
fn a_cartridge_may_have_no_blanks() {
    let mut screen = Screen::with(&Properties { ystart: 0, hmove_blanks: false, ..Properties::default() });
    assert_eq!(screen.write(COLUBK, 0x0E).write(HMOVE, 0).scanline(), "0E*160");
}

#[test]
fn the_blank_of_an_hmove_before_the_picture_is_seen_on_its_first_line() {
    let mut screen = Screen::with(&Properties { ystart: 3, ..Properties::default() });
    screen.write(COLUBK, 0x0E).at(5).write(HMOVE, 0);
    screen.cycle = 3 * 76;
    assert_eq!(screen.scanline(), "00*8 0E*152");
    assert_eq!(screen.scanline(), "0E*160");
}

#[test]
fn a_piece_that_ends_in_the_blank_blacks_out_more_than_eight_pixels() {
    let mut screen = Screen::new();
    screen.fill_row(0, 0x55).write(HMOVE, 0);
    assert_eq!(screen.at(10).write(NOTHING, 0).row(0), "00*46 55*114");
    screen.write(COLUBK, 0x0E);
    assert_eq!(screen.scanline(), "00*8 0E*152");
}

#[test]
fn a_blank_that_is_cut_goes_on_with_the_next_piece() {
    let mut screen = Screen::new();
    screen.write(COLUBK, 0x0E).fill_row(0, 0x55).write(HMOVE, 0);
    // Up to pixel 4, and the four that are left of eight.
    assert_eq!(screen.at(24).write(NOTHING, 0).row(0), "00*8 55*152");
    assert_eq!(screen.scanline(), "00*8 0E*152");
}
