//! What a hostile cartridge or state can cost: 25,000 instructions a frame, no memory, no panic.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ale_core::console::{DEFAULT_SEED, Properties, Television};
use ale_core::env::{Env, EnvConfig, State};
use ale_core::game::Game;
use ale_core::vector::{self, Choice, EnvSpec, VectorOptions};
use ale_core::{Action, Console, Rom, embedded};

const MAX_INSTRUCTIONS: u32 = 25_000;

/// A cartridge of 4 KiB that begins with `program`.
fn console(program: &[u8]) -> Console {
    let mut image = vec![0xEA; 4096];
    image[..program.len()].copy_from_slice(program);
    image[0xFFC..].copy_from_slice(&[0x00, 0xF0, 0x00, 0xF0]);
    let properties = Properties { television: Some(Television::Ntsc), ..Properties::default() };
    Console::load(&Rom::new(image), &properties, DEFAULT_SEED).expect("4 KiB")
}

#[test]
fn a_program_that_never_ends_its_frame_gets_25_000_instructions_a_call() {
    let mut console = console(&[
        0xE6, 0x80, // F000  INC $80
        0xD0, 0xFC, //       BNE $F000
        0xE6, 0x81, //       INC $81
        0x4C, 0x00, 0xF0, // JMP $F000
    ]);
    let rounds = |console: &Console| u32::from(console.ram()[0]) + 256 * u32::from(console.ram()[1]);
    for frame in 0..20 {
        console.write_ram(0, 0);
        console.write_ram(1, 0);
        console.run_frame();
        let rounds = rounds(&console);
        let instructions = 2 * rounds + 2 * (rounds / 256);
        let rest = MAX_INSTRUCTIONS.abs_diff(instructions);
        assert!(rest <= 4, "frame {frame}: {instructions} instructions");
        assert!(console.unfinished());
    }
}

#[test]
fn a_loop_that_waits_for_the_timer_counts_the_rounds_that_are_not_run() {
    // LDA #$FF, STA TIM1024T, then LDA INTIM, BNE: the shortcut must not go further than the limit.
    let wait = [0xA9, 0xFF, 0x8D, 0x97, 0x02, 0xAD, 0x84, 0x02, 0xD0, 0xFB, 0xE6, 0x80, 0x4C, 0x00, 0xF0];
    // The same with an addressing mode that knows no shortcut: LDX #0, LDA INTIM,X, BNE.
    let slow = [
        0xA9, 0xFF, 0x8D, 0x97, 0x02, 0xA2, 0x00, 0xBD, 0x84, 0x02, 0xD0, 0xFB, 0xE6, 0x80, 0x4C, 0x00, 0xF0,
    ];
    let frames_until_the_end = |program: &[u8]| {
        let mut console = console(program);
        console.write_ram(0, 0);
        (1..100).find(|_| {
            console.run_frame();
            console.ram()[0] > 0
        })
    };
    // 255 * 1024 cycles, 7 of them a round of two instructions: three calls and a part of the fourth.
    let rounds = 255 * 1024 / 7;
    let calls = 1 + 2 * rounds / MAX_INSTRUCTIONS;
    assert_eq!(frames_until_the_end(&wait), Some(calls));
    assert_eq!(frames_until_the_end(&slow), Some(calls));
}

#[test]
fn a_jammed_machine_costs_next_to_nothing_and_goes_on_after_a_reset() {
    let mut console = console(&[0xE6, 0x80, 0x02]); // INC $80, JAM
    console.write_ram(0, 0);
    let start = Instant::now();
    for _ in 0..10_000 {
        console.run_frame();
    }
    assert!(console.jammed());
    assert_eq!(console.ram()[0], 1);
    // Far more than it takes; a jam that runs its 25,000 instructions takes longer.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    console.system_reset();
    assert!(!console.jammed());
    console.run_frame();
    assert_eq!(console.ram()[0], 2);
}

#[test]
fn a_frame_of_nothing_but_waiting_for_lines_ends() {
    let mut console = console(&[0x85, 0x02, 0x4C, 0x00, 0xF0]); // STA WSYNC, JMP
    for _ in 0..10 {
        console.run_frame();
        assert!(!console.unfinished());
        assert!(console.lines() <= Television::Ntsc.max_scanline() + 2, "{} lines", console.lines());
    }
}

#[test]
fn a_state_does_not_grow_with_the_time_that_was_played() {
    let loops = [0xE6, 0x80, 0xA5, 0x80, 0x85, 0x06, 0x85, 0x1B, 0x4C, 0x00, 0xF0];
    let mut console = console(&loops);
    let mut longest = 0;
    for frame in 0..600 {
        console.run_frame();
        let len = console.save_bytes().len();
        if frame == 100 {
            longest = len * 2;
        }
        assert!(frame <= 100 || len <= longest, "{len} bytes after {frame} frames");
    }
}

/// One of our games.
fn glowdelve() -> EnvSpec {
    let rom = Rom::new(embedded::find("glowdelve").expect("an embedded game").image);
    let game = Game::by_name("glowdelve").expect("it has a sheet");
    EnvSpec { rom, game, mode: None, difficulty: None }
}

#[test]
fn counters_at_their_end_begin_again() {
    let EnvSpec { rom, game, .. } = glowdelve();
    let mut env = Env::load(&rom, &game, &EnvConfig::default()).expect("it is a cartridge");
    let mut bytes = env.save_state(true).to_bytes();
    let (frame, len) = (30, bytes.len());
    bytes[frame..frame + 16].fill(0xFF);
    let checksum = Rom::new(&bytes[..len - 16]);
    bytes[len - 16..].copy_from_slice(checksum.md5());
    let state = State::from_bytes(&bytes).expect("whole");
    assert_eq!((state.frame_number(), state.episode_frame_number()), (u64::MAX, u64::MAX));
    env.restore_state(&state).expect("the same game");
    env.act(Action::Fire, 1.0);
    assert_eq!((env.frame_number(), env.episode_frame_number()), (0, 0));
}

/// Makes the checksum of changed bytes right.
fn correct_checksum(bytes: &mut [u8]) {
    let (content, checksum) = bytes.split_last_chunk_mut().expect("eight bytes and more");
    *checksum = ale_sim::bytes::crc64(content).to_le_bytes();
}

#[test]
fn counters_of_a_vector_environment_may_be_at_their_end_too() {
    let mut env = vector::load(&[glowdelve()], VectorOptions::default()).expect("it is a cartridge");
    let mut batch = env.new_batch();
    env.reset(&[Choice::Seed(1)], batch.rows(), &mut || false).expect("a full reset");
    let mut bytes = env.snapshot(&[0]).expect("it was reset").to_bytes();
    // The end of a sub-environment before the checksum: frames, lives, return, reward, steps.
    let end = bytes.len() - 8;
    bytes[end - 28..end - 20].copy_from_slice(&i64::MAX.to_le_bytes());
    bytes[end - 4..end].copy_from_slice(&i32::MAX.to_le_bytes());
    correct_checksum(&mut bytes);
    let snapshot = env.parse_snapshot(&bytes).expect("its own bytes, almost");
    env.restore(&snapshot, None).expect("the same game");
    env.step(&[(Action::Fire, 1.0)], batch.rows(), &mut || false).expect("it goes on");
    assert!(batch.records[0].truncated);
    assert_eq!(batch.records[0].now.episode_length, i32::MIN);
}

#[test]
fn a_sub_environment_that_is_named_twice_is_refused_however_long_the_list() {
    let mut env = vector::load(&[glowdelve(), glowdelve()], VectorOptions::default()).expect("a cartridge");
    let mut batch = env.new_batch();
    env.reset(&[Choice::Seed(1); 2], batch.rows(), &mut || false).expect("a full reset");
    for count in [2, 3, 5000] {
        let error = env.send(Some(&vec![1; count]), &vec![(Action::Fire, 1.0); count]);
        assert_eq!(error.expect_err("twice").to_string(), "sub-environment 1 is named twice");
    }
    env.send(Some(&[1, 0]), &[(Action::Fire, 1.0); 2]).expect("each once");
    env.recv(batch.rows(), &mut || false).expect("both");
}

#[test]
fn a_snapshot_without_its_last_picture_is_refused() {
    // A step that ends on its last frame shows the picture of the step before once more.
    let config = VectorOptions { max_num_frames_per_episode: 4, ..VectorOptions::default() };
    let mut env = vector::load(&[glowdelve()], config).expect("it is a cartridge");
    let mut batch = env.new_batch();
    env.reset(&[Choice::Seed(1)], batch.rows(), &mut || false).expect("a full reset");
    let good = env.snapshot(&[0]).expect("it was reset").to_bytes();
    // Kind, version, length; number, whether it is over, length; then parts, each after its length: environment, last
    // picture, the one before.
    let number = |at: usize| u64::from_le_bytes(*good[at..].first_chunk().expect("eight bytes")) as usize;
    let (whole, world) = (12, 20 + 9);
    let last = world + 16 + number(world + 8);
    let len = number(last);
    assert_eq!(len, 210 * 160);
    let mut bytes = good.clone();
    bytes.drain(last + 8..last + 8 + len);
    bytes[last..last + 8].fill(0);
    for at in [whole, world] {
        bytes[at..at + 8].copy_from_slice(&(number(at) - len).to_le_bytes());
    }
    correct_checksum(&mut bytes);
    let error = env.parse_snapshot(&bytes).map(|_| ()).expect_err("a picture is missing");
    assert_eq!(error.to_string(), "the saved state is damaged");
    env.restore(&env.parse_snapshot(&good).expect("its own bytes"), None).expect("the same game");
    env.step(&[(Action::Fire, 1.0)], batch.rows(), &mut || false).expect("it goes on");
    assert!(batch.records[0].truncated);
}

#[test]
fn deep_nesting_in_a_sheet_is_a_complaint() {
    const DEPTH: usize = 200_000;
    for text in [
        format!("score = {}", "[".repeat(DEPTH)),
        format!("score = {}0{}", "[".repeat(DEPTH), "]".repeat(DEPTH)),
        format!("score = {}", "{a=".repeat(DEPTH)),
        format!("{}a = 1", "a.".repeat(DEPTH)),
        format!("[{}a]", "a.".repeat(DEPTH)),
        format!("[[{}a]]", "a.".repeat(DEPTH)),
        format!("score = \"{}1\"", "(".repeat(DEPTH)),
        format!("score = \"{}1\"", "not ".repeat(DEPTH)),
        format!("score = \"{}1\"", "-".repeat(DEPTH)),
        format!("score = \"1{}\"", " + 1".repeat(DEPTH)),
        format!("set_mode = [\"{}soft_reset\"]", "repeat 2: ".repeat(DEPTH)),
    ] {
        let error = Game::parse("deep.toml", &text).map(|_| ()).expect_err("no sheet");
        assert!(error.to_string().starts_with("deep.toml: "), "{error}");
    }
}

#[test]
fn tests_check_arithmetic() {
    let sum = std::panic::catch_unwind(|| black_box(u8::MAX) + black_box(1));
    assert!(sum.is_err(), "overflow checks are off in this profile; accepted: dev, test, checked");
}
