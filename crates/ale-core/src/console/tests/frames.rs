//! When a frame ends, and when the CPU waits.

use super::{Television, after_a_frame, cycles, fresh, pc, wait, with_television};

/// VSYNC on at cycle 7, off `spacing` cycles later, then nothing for ever.
fn vsync(spacing: usize) -> Vec<u8> {
    [
        &[0xA2, 0x00, 0xA9, 0x02, 0x85, 0x00], // LDX #0, LDA #2, STA VSYNC
        &wait(spacing - 3)[..],
        &[0x86, 0x00], // STX VSYNC
        &[0x02],       // jam
    ]
    .concat()
}

#[test]
fn a_frame_ends_with_vsync_off_a_line_or_more_after_vsync_on() {
    for (spacing, unfinished, end) in [(75, true, 7 + 75 + 2), (76, false, 7 + 76), (77, false, 7 + 77)] {
        let console = after_a_frame(&vsync(spacing));
        assert_eq!((console.unfinished(), cycles(&console)), (unfinished, end), "{spacing} cycles");
    }
}

#[test]
fn a_vsync_that_was_too_short_ends_the_frame_when_switched_off_again() {
    let mut code = vsync(75);
    code.pop();
    code.extend([0x86, 0x00, 0x02]); // STX VSYNC, jam
    let console = after_a_frame(&code);
    assert_eq!((console.unfinished(), cycles(&console)), (false, 7 + 75 + 3));
}

#[test]
fn the_next_frame_begins_on_the_line_where_the_last_one_ended() {
    let mut console = fresh(&vsync(80));
    console.run_frame();
    assert_eq!(cycles(&console), 87);
    console.run_frame();
    // 87 cycles are a line and eleven cycles.
    assert_eq!(console.machine.board.tia.frame_start, -33);
}

/// Waits for line after line.
const WAITING: [u8; 5] = [0x85, 0x02, 0x4C, 0x00, 0xF0]; // STA WSYNC, JMP $F000

#[test]
fn a_write_on_line_291_ends_the_frame_by_force_and_is_still_done() {
    let console = after_a_frame(&WAITING);
    // The write on line 291 waits for line 292.
    assert_eq!((console.unfinished(), cycles(&console)), (false, 292 * 76));
}

#[test]
fn pal_has_343_lines_before_that() {
    let mut console = with_television(&WAITING, Television::Pal);
    console.run_frame();
    assert_eq!((console.unfinished(), cycles(&console)), (false, 344 * 76));
}

#[test]
fn the_frame_stops_after_the_instruction_that_ended_it() {
    let console = after_a_frame(&vsync(76));
    assert_eq!(pc(&console), 0xF000 + vsync(76).len() as u16 - 1, "at the instruction after STX VSYNC");
}

const FOR_EVER: [u8; 3] = [0x4C, 0x00, 0xF0]; // JMP $F000

#[test]
fn a_call_ends_after_25_000_instructions_and_the_next_continues_the_frame() {
    let mut console = after_a_frame(&FOR_EVER);
    assert_eq!((console.unfinished(), cycles(&console)), (true, 75_000));
    console.run_frame();
    assert_eq!((console.unfinished(), cycles(&console)), (true, 150_000));
    console.system_reset();
    assert_eq!((console.unfinished(), cycles(&console)), (true, 0), "a reset does not finish the frame");
}

#[test]
fn a_jammed_cpu_is_a_state() {
    let mut console = after_a_frame(&[0xA9, 0x11, 0x85, 0x80, 0x02]); // LDA #$11, STA $80, jam
    for _ in 0..2 {
        assert!(console.jammed() && console.unfinished());
        assert_eq!((cycles(&console), pc(&console), console.ram()[0]), (7, 0xF005, 0x11));
        console.run_frame();
    }
    console.system_reset();
    assert!(!console.jammed());
}

#[test]
fn a_jam_fades_the_rest_of_the_picture_once() {
    let mut console = fresh(&[
        0xA9, 0x0E, 0x85, 0x09, // LDA #$0E, STA COLUBK
        0xA0, 0x03, 0xA2, 0x00, // LDY #3, LDX #0
        0x85, 0x02, 0xCA, 0xD0, 0xFB, // STA WSYNC, DEX, BNE: 256 lines
        0x88, 0xD0, 0xF6, // DEY, BNE: three times
        0x02, // jam
    ]);
    // Two frames of 292 lines, and 184 lines of a third.
    console.run_frame();
    console.run_frame();
    assert!(console.screen().iter().all(|&pixel| pixel == 0x0E));
    for _ in 0..2 {
        console.run_frame();
        assert!(console.jammed());
        let (drawn, faded) = console.screen().split_at((184 - 34) * 160);
        assert!(drawn.iter().all(|&pixel| pixel == 0x0E));
        assert!(faded.iter().all(|&pixel| pixel == 0x07));
    }
}

#[test]
fn wsync_halts_the_cpu_until_the_next_line() {
    for (cycle, end) in [(75, 76), (76, 76), (77, 152)] {
        let code = [&wait(cycle - 3)[..], &[0x85, 0x02, 0x02]].concat(); // STA WSYNC, jam
        assert_eq!(cycles(&after_a_frame(&code)), end + 2, "written at cycle {cycle}");
    }
}

/// INTIM after a push with this stack pointer, the timer set six cycles into a line.
fn timer_after(sp: u8, push: &[u8]) -> u8 {
    let code = [
        &[0x85, 0x02, 0xA9, 0xC8, 0x8D, 0x94, 0x02][..], // STA WSYNC, LDA #200, STA TIM1T
        &[0xA2, sp, 0x9A],                               // LDX #sp, TXS
        push,
        &[0xAD, 0x84, 0x02, 0x85, 0x80, 0x02], // LDA INTIM, STA $80, jam
    ]
    .concat();
    after_a_frame(&code).ram()[0]
}

#[test]
fn wsync_waits_after_a_read_but_not_after_a_write() {
    assert_eq!(timer_after(0x02, &[0x48]), 0x7E, "PHA");
    assert_eq!(timer_after(0x02, &[0x20, 0x0D, 0xF0]), 0x7E, "the first push of JSR");
    assert_eq!(timer_after(0x02, &[0xE6, 0x02]), 0x7E, "INC WSYNC");
    assert_eq!(timer_after(0x03, &[0x20, 0x0D, 0xF0]), 0xBA, "the second push of JSR");
}

/// What a few instructions load into A.
fn loaded(code: &[u8]) -> u8 {
    after_a_frame(&[code, &[0x85, 0x80, 0x02]].concat()).ram()[0] // …, STA $80, jam
}

#[test]
fn bits_that_no_chip_drives_are_those_of_the_byte_before() {
    assert_eq!(loaded(&[0xA5, 0x0E]), 0x0E, "LDA $0E");
    assert_eq!(loaded(&[0xAD, 0x0E, 0x21]), 0x21, "LDA $210E");
    assert_eq!(loaded(&[0xAD, 0x3E, 0x00]), 0x00, "LDA $003E");
    assert_eq!(loaded(&[0xA2, 0x01, 0xB5, 0x0D]), 0x0D, "LDX #1, LDA $0D,X");
    assert_eq!(loaded(&[0xA2, 0x01, 0xBD, 0x0D, 0x22]), 0x22, "LDX #1, LDA $220D,X");
    let pointer = [0xA9, 0x0E, 0x85, 0x90, 0xA9, 0x2D, 0x85, 0x91, 0xA0, 0x00, 0xB1, 0x90];
    assert_eq!(loaded(&pointer), 0x2D, "LDA ($90),Y with $2D0E there");
    assert_eq!(loaded(&[0xA0, 0x00, 0xB1, 0x0E]), 0x0E, "LDA ($0E),Y");
    assert_eq!(loaded(&[0xA2, 0x0D, 0x9A, 0x68]), 0x28, "PLA with SP = $0D");
    assert_eq!(loaded(&[0xA5, 0x0C]), 0x8C, "LDA INPT4, not pressed");
    assert_eq!(loaded(&[0xA5, 0x08]), 0x08, "LDA INPT0, a joystick");
}

#[test]
fn ports_drive_all_their_bits() {
    assert_eq!(loaded(&[0xAD, 0x80, 0x02]), 0xFF, "SWCHA");
    assert_eq!(loaded(&[0xAD, 0x82, 0x02]), 0x3F, "SWCHB");
    assert_eq!(loaded(&[0xA9, 0xA5, 0x8D, 0x83, 0x02, 0xAD, 0x83, 0x02]), 0x00, "DDRB after writing it");
}

#[test]
fn instructions_can_be_fetched_from_the_tia() {
    // Reset vector $0000: register 0 without collisions, on a bus that carried $00, is a BRK.
    let mut image = vec![0xFF; 4096];
    image[0x0D8] = 0x02; // jam
    image[0xFFC..].copy_from_slice(&[0x00, 0x00, 0xD8, 0xF0]);
    let properties = super::Properties { television: Some(Television::Ntsc), ..Default::default() };
    let mut console =
        super::Console::load(&super::Rom::new(image), &properties, super::DEFAULT_SEED).expect("4 KiB");
    console.run_frame();
    assert_eq!((cycles(&console), pc(&console)), (7 + 2, 0xF0D9));
}
