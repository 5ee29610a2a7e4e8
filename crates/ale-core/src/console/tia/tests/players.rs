//! Players: sizes, copies, mirroring, delayed graphics, and the copy that a strobe hides.

#[allow(clippy::wildcard_imports, reason = "the harness")]
use super::*;
use crate::console::tia::{P0, P1};

fn player(nusiz: u8, graphics: u8, position: u8) -> Screen {
    let mut screen = Screen::new();
    screen.write(NUSIZ0, nusiz).write(GRP0, graphics).place(P0, position);
    screen
}

#[test]
fn sizes_and_copies() {
    for (nusiz, line) in [
        (0, "00*20 1A*8 00*132"),
        (1, "00*20 1A*8 00*8 1A*8 00*116"),
        (2, "00*20 1A*8 00*24 1A*8 00*100"),
        (3, "00*20 1A*8 00*8 1A*8 00*8 1A*8 00*100"),
        (4, "00*20 1A*8 00*56 1A*8 00*68"),
        (5, "00*21 1A*16 00*123"),
        (6, "00*20 1A*8 00*24 1A*8 00*24 1A*8 00*68"),
        (7, "00*21 1A*32 00*107"),
        (0xC8, "00*20 1A*8 00*132"),
    ] {
        assert_eq!(player(nusiz, 0xFF, 20).scanline(), line, "NUSIZ {nusiz:02X}");
    }
}

#[test]
fn bit_7_is_leftmost_unless_reflected() {
    let mut screen = player(0, 0b1110_0010, 20);
    assert_eq!(screen.scanline(), "00*20 1A*3 00*3 1A*1 00*133");
    assert_eq!(screen.write(REFP0, 0x08).scanline(), "00*21 1A*1 00*3 1A*3 00*132");
    assert_eq!(screen.write(REFP0, 0xF7).scanline(), "00*20 1A*3 00*3 1A*1 00*133");
}

#[test]
fn wide_pixels_keep_their_order() {
    assert_eq!(player(5, 0b1010_0000, 20).scanline(), "00*21 1A*2 00*2 1A*2 00*133");
    assert_eq!(player(7, 0b1000_0001, 20).scanline(), "00*21 1A*4 00*24 1A*4 00*107");
}

#[test]
fn a_player_goes_round_at_the_right_edge() {
    assert_eq!(player(0, 0xFF, 156).scanline(), "1A*4 00*152 1A*4");
    assert_eq!(player(7, 0xFF, 140).scanline(), "1A*13 00*128 1A*19");
    assert_eq!(player(1, 0xFF, 150).scanline(), "00*6 1A*8 00*136 1A*8 00*2");
}

#[test]
fn delayed_graphics_come_with_the_write_to_the_other_player() {
    let mut screen = player(0, 0xFF, 20);
    assert_eq!(screen.write(VDELP0, 1).scanline(), "00*160");
    assert_eq!(screen.write(GRP1, 0).scanline(), "00*20 1A*8 00*132");
    assert_eq!(screen.write(GRP0, 0x80).scanline(), "00*20 1A*8 00*132");
    assert_eq!(screen.write(VDELP0, 0).scanline(), "00*20 1A*1 00*139");

    let mut screen = Screen::new();
    screen.write(GRP1, 0xFF).write(VDELP1, 1).place(P1, 20);
    assert_eq!(screen.scanline(), "00*160");
    assert_eq!(screen.write(GRP0, 0).scanline(), "00*20 2C*8 00*132");
}

#[test]
fn a_strobe_puts_the_player_five_clocks_on_or_at_3_in_the_blank() {
    for (cycle, position) in [(0, 3), (1, 3), (22, 3), (23, 6), (24, 9), (40, 57), (74, 159), (75, 2)] {
        let mut screen = Screen::new();
        screen.at(cycle).write(RESP0, 0).write(RESP1, 0xFF);
        assert_eq!((screen.position(P0), screen.position(P1)), (position, position), "cycle {cycle}");
    }
}

#[test]
fn a_strobe_hides_the_first_copy_for_the_rest_of_the_line() {
    let mut screen = player(0, 0xFF, 0);
    assert_eq!(screen.at(40).write(RESP0, 0).scanline(), "1A*8 00*152");
    assert_eq!(screen.scanline(), "00*57 1A*8 00*95");

    let mut screen = player(1, 0xFF, 0);
    assert_eq!(screen.at(40).write(RESP0, 0).scanline(), "1A*8 00*8 1A*8 00*49 1A*8 00*79");
    assert_eq!(screen.scanline(), "00*57 1A*8 00*8 1A*8 00*79");
}

#[test]
fn a_strobe_just_before_the_old_place_hides_nothing() {
    // New position 57; the zone is the old position and the three pixels after it.
    for (old, line) in
        [(57, "00*57 1A*8 00*95"), (56, "00*57 1A*8 00*95"), (54, "00*57 1A*8 00*95"), (58, "00*160")]
    {
        let mut screen = player(0, 0xFF, old);
        assert_eq!(screen.at(40).write(RESP0, 0).scanline(), line, "old position {old}");
    }
}

#[test]
fn a_player_that_is_being_drawn_is_drawn_for_eleven_clocks_more() {
    let mut screen = player(0, 0xFF, 50);
    assert_eq!(screen.at(40).write(RESP0, 0).scanline(), "00*50 1A*8 00*102");
    assert_eq!(screen.scanline(), "00*57 1A*8 00*95");
    // Quad: pixels 36 to 67, cut after pixel 62.
    let mut screen = player(7, 0xFF, 35);
    assert_eq!(screen.at(40).write(RESP0, 0).scanline(), "00*36 1A*27 00*97");
}

#[test]
fn size_and_hmove_bring_a_hidden_copy_back() {
    let mut screen = player(0, 0xFF, 0);
    screen.at(24).write(RESP0, 0).at(25).write(NUSIZ0, 0);
    assert_eq!(screen.scanline(), "1A*8 00*7 1A*2 00*143");
    let mut screen = player(0, 0xFF, 0);
    screen.at(40).write(RESP0, 0).at(41).write(HMOVE, 0);
    assert_eq!(screen.scanline(), "1A*8 00*49 1A*8 00*95");
}

#[test]
fn a_strobe_at_the_very_start_of_a_line_hides_nothing() {
    // The line before ends after the strobe, and a line's end brings the copy back.
    let mut screen = player(0, 0xFF, 80);
    screen.scanline();
    assert_eq!(screen.at(0).write(RESP0, 0).scanline(), "00*3 1A*8 00*149");
    let mut screen = player(0, 0xFF, 80);
    screen.scanline();
    assert_eq!(screen.at(1).write(RESP0, 0).scanline(), "00*160");
}

#[test]
fn a_strobe_before_the_picture_hides_the_copy_on_its_whole_first_line() {
    let mut screen = Screen::with(&Properties { ystart: 2, ..Properties::default() });
    screen.write(GRP0, 0xFF).place(P0, 80).at(40).write(RESP0, 0);
    screen.cycle = 2 * 76;
    assert_eq!(screen.scanline(), "00*160");
    assert_eq!(screen.scanline(), "00*57 1A*8 00*95");
}

#[test]
fn the_last_line_of_the_picture_has_no_end() {
    let mut screen = Screen::with(&Properties { ystart: 0, height: 2, ..Properties::default() });
    screen.write(GRP0, 0xFF).place(P0, 0);
    screen.scanline();
    screen.at(40).write(RESP0, 0).scanline();
    for chip in &mut screen.chips {
        chip.begin_frame(0);
    }
    screen.cycle = 0;
    assert_eq!(screen.scanline(), "00*160", "still hidden");
    assert_eq!(screen.scanline(), "00*57 1A*8 00*95");
}
