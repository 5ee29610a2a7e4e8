//! Missiles and ball: widths, copies, the lock to the player, the delayed ball, strobes.

#[allow(clippy::wildcard_imports, reason = "the harness")]
use super::*;
use crate::console::tia::{BL, M0, M1, P0, P1};

fn missile(nusiz: u8, position: u8) -> Screen {
    let mut screen = Screen::new();
    screen.write(NUSIZ0, nusiz).write(ENAM0, 2).place(M0, position);
    screen
}

#[test]
fn widths_and_copies_of_a_missile() {
    for (nusiz, line) in [
        (0x00, "00*20 1A*1 00*139"),
        (0x10, "00*20 1A*2 00*138"),
        (0x20, "00*20 1A*4 00*136"),
        (0x30, "00*20 1A*8 00*132"),
        (0x11, "00*20 1A*2 00*14 1A*2 00*122"),
        (0x23, "00*20 1A*4 00*12 1A*4 00*12 1A*4 00*104"),
        (0x36, "00*20 1A*8 00*24 1A*8 00*24 1A*8 00*68"),
        (0x05, "00*20 1A*1 00*139"),
        (0x37, "00*20 1A*8 00*132"),
    ] {
        assert_eq!(missile(nusiz, 20).scanline(), line, "NUSIZ {nusiz:02X}");
    }
    assert_eq!(missile(0x30, 156).scanline(), "1A*4 00*152 1A*4");
}

#[test]
fn only_bit_1_enables_missile_and_ball() {
    assert_eq!(missile(0, 20).write(ENAM0, 0xFD).scanline(), "00*160");
    let mut screen = Screen::new();
    screen.write(ENAM1, 0x02).place(M1, 20).write(ENABL, 0xFF).place(BL, 30);
    assert_eq!(screen.scanline(), "00*20 2C*1 00*9 06*1 00*129");
}

#[test]
fn a_locked_missile_is_not_seen_and_comes_out_of_the_player_s_middle() {
    for (nusiz, line) in [
        (0, "00*24 1A*1 00*135"),
        (5, "00*28 1A*1 00*131"),
        (7, "00*36 1A*1 00*123"),
        (0x31, "00*24 1A*8 00*8 1A*8 00*112"),
    ] {
        let mut screen = missile(nusiz, 80);
        screen.place(P0, 20);
        assert_eq!(screen.write(RESMP0, 2).scanline(), "00*160");
        assert_eq!(screen.write(RESMP0, 0).scanline(), line, "NUSIZ {nusiz:02X}");
    }
}

#[test]
fn a_missile_that_is_not_locked_stays_where_it_is() {
    let mut screen = missile(0, 80);
    screen.place(P0, 20).write(RESMP0, 0);
    assert_eq!(screen.scanline(), "00*80 1A*1 00*79");
    let mut screen = Screen::new();
    screen.place(P1, 158).write(RESMP1, 2).write(RESMP1, 0);
    assert_eq!(screen.position(M1), 2);
}

#[test]
fn widths_of_the_ball() {
    for (ctrlpf, line) in [
        (0x00, "00*20 06*1 00*139"),
        (0x10, "00*20 06*2 00*138"),
        (0x20, "00*20 06*4 00*136"),
        (0x30, "00*20 06*8 00*132"),
    ] {
        let mut screen = Screen::new();
        screen.write(ENABL, 2).place(BL, 20);
        assert_eq!(screen.write(CTRLPF, ctrlpf).scanline(), line, "CTRLPF {ctrlpf:02X}");
    }
}

#[test]
fn a_delayed_ball_comes_and_goes_with_writes_to_player_1() {
    let mut screen = Screen::new();
    screen.write(VDELBL, 1).write(ENABL, 2).place(BL, 20);
    assert_eq!(screen.scanline(), "00*160");
    assert_eq!(screen.write(GRP0, 0).scanline(), "00*160");
    assert_eq!(screen.write(GRP1, 0).scanline(), "00*20 06*1 00*139");
    assert_eq!(screen.write(ENABL, 0).scanline(), "00*20 06*1 00*139");
    assert_eq!(screen.write(VDELBL, 0).scanline(), "00*160");
}

#[test]
fn strobes_put_missiles_and_ball_four_clocks_on_or_at_2_in_the_blank() {
    for (cycle, position) in [(0, 2), (22, 2), (23, 5), (40, 56), (74, 158), (75, 1)] {
        let mut screen = Screen::new();
        // Long after the last HMOVE.
        screen.scanline();
        screen.at(cycle).write(RESM0, 0).write(RESM1, 0).write(RESBL, 0);
        let positions = [M0, M1, BL].map(|object| screen.position(object));
        assert_eq!(positions, [position; 3], "cycle {cycle}");
    }
}

#[test]
fn some_strobes_soon_after_hmove_have_positions_of_their_own() {
    for (hmove, strobe, register, object, position) in [
        (3, 23, RESM0, M0, 8),
        (4, 23, RESM0, M0, 5),
        (3, 6, RESM1, M1, 3),
        (3, 6, RESM0, M0, 2),
        (2, 20, RESBL, BL, 10),
        (5, 23, RESBL, BL, 10),
        (3, 21, RESBL, BL, 2),
        (3, 6, RESBL, BL, 3),
        (3, 10, RESBL, BL, 6),
        (3, 9, RESBL, BL, 5),
        (3, 8, RESBL, BL, 2),
    ] {
        let mut screen = Screen::new();
        screen.scanline();
        screen.at(hmove).write(HMOVE, 0).at(strobe).write(register, 0);
        assert_eq!(
            screen.position(object),
            position,
            "HMOVE at {hmove}, register {register:02X} at {strobe}"
        );
    }
}
