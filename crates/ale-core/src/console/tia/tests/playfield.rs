//! Playfield: order of bits, reflection, score and priority; VBLANK and colour loss.

#[allow(clippy::wildcard_imports, reason = "the harness")]
use super::*;
use crate::console::tia::{BL, P0, P1};

const REFLECT: u8 = 1;
const SCORE: u8 = 2;
const PRIORITY: u8 = 4;

fn playfield(ctrlpf: u8, pf0: u8, pf1: u8, pf2: u8) -> Screen {
    let mut screen = Screen::new();
    screen.write(CTRLPF, ctrlpf).write(PF0, pf0).write(PF1, pf1).write(PF2, pf2);
    screen
}

#[test]
fn the_right_half_repeats_the_left() {
    assert_eq!(playfield(0, 0x10, 0, 0).scanline(), "06*4 00*76 06*4 00*76");
}

#[test]
fn a_reflected_right_half_mirrors_the_left() {
    assert_eq!(playfield(REFLECT, 0x10, 0, 0).scanline(), "06*4 00*152 06*4");
}

#[test]
fn pf0_is_shown_from_bit_4_pf1_from_bit_7_pf2_from_bit_0() {
    assert_eq!(playfield(REFLECT, 0x80, 0, 0).scanline(), "00*12 06*4 00*128 06*4 00*12");
    assert_eq!(playfield(REFLECT, 0, 0x80, 0).scanline(), "00*16 06*4 00*120 06*4 00*16");
    assert_eq!(playfield(REFLECT, 0, 0x01, 0).scanline(), "00*44 06*4 00*64 06*4 00*44");
    assert_eq!(playfield(REFLECT, 0, 0, 0x01).scanline(), "00*48 06*4 00*56 06*4 00*48");
    assert_eq!(playfield(REFLECT, 0, 0, 0x80).scanline(), "00*76 06*8 00*76");
    assert_eq!(playfield(0, 0x0F, 0, 0).scanline(), "00*160");
}

#[test]
fn the_reflection_of_a_late_write_begins_with_the_next_line() {
    let mut in_time = playfield(0, 0x10, 0, 0);
    assert_eq!(in_time.at(48).write(CTRLPF, REFLECT).scanline(), "06*4 00*152 06*4");
    let mut late = playfield(0, 0x10, 0, 0);
    assert_eq!(late.at(49).write(CTRLPF, REFLECT).scanline(), "06*4 00*76 06*4 00*76");
    assert_eq!(late.scanline(), "06*4 00*152 06*4");
}

#[test]
fn other_bits_of_a_late_ctrlpf_write_act_at_once() {
    let mut screen = playfield(0, 0xF0, 0xFF, 0xFF);
    assert_eq!(screen.at(50).write(CTRLPF, REFLECT | SCORE).scanline(), "06*82 2C*78");
}

#[test]
fn score_gives_each_half_the_colour_of_a_player() {
    assert_eq!(playfield(SCORE, 0xF0, 0xFF, 0xFF).scanline(), "1A*80 2C*80");
}

#[test]
fn score_puts_the_left_half_in_front_of_player_1() {
    let mut screen = playfield(SCORE, 0, 0, 0x01);
    screen.write(GRP1, 0xFF).place(P1, 46);
    assert_eq!(screen.scanline(), "00*46 2C*2 1A*4 2C*2 00*74 2C*4 00*28");
    screen.write(GRP1, 0).write(GRP0, 0xFF).place(P0, 126);
    assert_eq!(screen.scanline(), "00*48 1A*4 00*74 1A*8 00*26");
}

#[test]
fn players_are_in_front_of_the_playfield() {
    let mut screen = playfield(0, 0, 0, 0x01);
    screen.write(GRP0, 0xFF).place(P0, 46);
    assert_eq!(screen.scanline(), "00*46 1A*8 00*74 06*4 00*28");
}

#[test]
fn priority_puts_playfield_and_ball_in_front_of_the_players() {
    let mut screen = playfield(PRIORITY | 0x20, 0, 0, 0x01);
    screen.write(GRP0, 0xFF).write(ENABL, 2).place(P0, 46).place(BL, 126);
    screen.write(GRP1, 0xFF).place(P1, 125);
    assert_eq!(screen.scanline(), "00*46 1A*2 06*4 1A*2 00*71 2C*1 06*6 2C*1 00*27");
}

#[test]
fn player_0_is_in_front_of_player_1() {
    let mut screen = Screen::new();
    screen.write(GRP0, 0xFF).write(GRP1, 0xFF).place(P0, 20).place(P1, 24);
    assert_eq!(screen.scanline(), "00*20 1A*8 2C*4 00*128");
    assert_eq!(screen.write(CTRLPF, PRIORITY).scanline(), "00*20 1A*8 2C*4 00*128");
}

#[test]
fn score_with_priority_colours_the_halves_only_while_nothing_else_is_enabled() {
    let mut screen = playfield(SCORE | PRIORITY, 0xF0, 0xFF, 0xFF);
    assert_eq!(screen.scanline(), "1A*80 2C*80");
    screen.write(ENABL, 2);
    assert_eq!(screen.scanline(), "06*160");
}

#[test]
fn vblank_is_black() {
    let mut screen = playfield(0, 0xF0, 0xFF, 0xFF);
    assert_eq!(screen.write(VBLANK, 2).scanline(), "00*160");
    assert_eq!(screen.write(VBLANK, 0).scanline(), "06*160");
}

#[test]
fn ntsc_has_no_odd_colours() {
    assert_eq!(Screen::new().write(COLUBK, 0x0F).scanline(), "0E*160");
}

#[test]
fn pal_loses_colour_after_a_frame_of_odd_length() {
    let mut screen = Screen::new();
    for chip in &mut screen.chips {
        chip.color_loss = true;
        chip.last_lines = 313;
    }
    assert_eq!(screen.write(COLUBK, 0x0E).scanline(), "0F*160");
    for (lines, line) in [(312, "0E*160"), (313, "0F*160")] {
        screen.cycle = 0;
        for chip in &mut screen.chips {
            chip.last_lines = lines;
            chip.begin_frame(0);
        }
        assert_eq!(screen.scanline(), line);
    }
}
