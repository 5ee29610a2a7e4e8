//! The renderer that ships against the literal one, on random programs: pixels of both buffers, RAM, collision
//! latches and timing after every frame. And with drawing off: everything but the pixels; with shades in the
//! place of colours; without JIT code; and without the scanline cache.
//!
//! The scanline cache has most hits in the programs with moving objects, which find most mistakes there; the others find more
//! of those at odd moments of a line.
//!
//! `ALE_PROGRAMS` sets the number of programs, `ALE_SEED` the first seed.

mod support;

use ale_core::console::DEFAULT_SEED;
use ale_core::frame::WIDTH;
use ale_core::palette;
use ale_core::rng::Mt19937;
use ale_core::{Console, Rom};
use support::number_from_environment;
use support::program::moving::moving_program;
use support::program::{random_program, random_properties, steady_program};

const FRAMES: usize = 14;
const STEADY_FRAMES: usize = 30;

/// The first pixel of a buffer that is not as expected.
fn difference(got: &[u8], expected: &[u8]) -> Option<String> {
    let at = got.iter().zip(expected).position(|(one, other)| one != other)?;
    let (row, x) = (at / WIDTH, at % WIDTH);
    Some(format!("row {row}, pixel {x} is {:02X}, literally {:02X}", got[at], expected[at]))
}

/// Runs a program on all six.
fn compare(rom: &Rom, seed: u32, frames: usize) {
    let properties = random_properties(seed);
    let mut literal = Console::load(rom, &properties, DEFAULT_SEED).expect("a cartridge of 4 KiB");
    let mut fast = literal.clone();
    let mut blind = literal.clone();
    literal.set_literal_drawing(true);
    blind.set_drawing(false);
    let mut shaded = fast.clone();
    let mut threaded = fast.clone();
    threaded.set_jit(false);
    let mut uncached = fast.clone();
    let mut picture = uncached.picture().clone();
    picture.disable_scanline_cache();
    uncached.swap_picture(&mut picture);
    let shades = &palette::NTSC.gray;
    shaded.set_shades(Some(shades));
    let mut rng = Mt19937::new(seed);
    for frame in 0..frames {
        let place = format!("seed {seed}, frame {frame}");
        let (joystick, reset, system_reset) =
            (rng.next_u32() as u8, rng.below(9) == 0, rng.below(frames as u32) == 0);
        for console in [&mut literal, &mut fast, &mut blind, &mut shaded, &mut threaded, &mut uncached] {
            console.input_mut().joysticks[0] = joystick;
            console.input_mut().reset = reset;
            if system_reset {
                console.system_reset();
            }
            console.run_frame();
        }
        for (name, got, expected) in [
            ("current", fast.screen(), literal.screen()),
            ("previous", fast.previous_screen(), literal.previous_screen()),
            ("current, without the JIT", threaded.screen(), literal.screen()),
            ("current, without the scanline cache", uncached.screen(), literal.screen()),
        ] {
            let found = difference(got, expected);
            assert!(found.is_none(), "{place}: in the {name} picture {}", found.unwrap_or_default());
        }
        let picture = shaded.picture();
        for (exact, got, colors) in [
            (picture.current_is_exact(), shaded.screen(), fast.screen()),
            (picture.previous_is_exact(), shaded.previous_screen(), fast.previous_screen()),
        ] {
            let expected: Vec<u8> = colors.iter().map(|&color| shades[usize::from(color)]).collect();
            let found = difference(got, &expected).filter(|_| exact);
            assert!(found.is_none(), "{place}: in shades {}", found.unwrap_or_default());
        }
        assert_eq!(fast.ram(), literal.ram(), "{place}: RAM");
        assert_eq!(blind.ram(), literal.ram(), "{place}: RAM without drawing");
        assert!(fast.machine() == literal.machine(), "{place}: latches and timing");
        assert!(threaded.machine() == literal.machine(), "{place}: latches and timing without the JIT");
        assert!(shaded.machine() == literal.machine(), "{place}: latches and timing with shades");
        assert!(
            uncached.machine() == literal.machine(),
            "{place}: latches and timing without the scanline cache"
        );
        assert!(blind.machine() == literal.machine(), "{place}: latches and timing without drawing");
    }
    assert_eq!(fast.save_bytes(), literal.save_bytes(), "seed {seed}: bytes");
}

#[test]
fn both_renderers_draw_random_programs_alike() {
    let first = number_from_environment("ALE_SEED", 1);
    for seed in first..first + number_from_environment("ALE_PROGRAMS", 150) {
        compare(&random_program(seed), seed, FRAMES);
    }
}

#[test]
fn lines_like_those_of_the_frame_before_are_drawn_alike() {
    let first = number_from_environment("ALE_SEED", 1);
    for seed in first..first + number_from_environment("ALE_PROGRAMS", 100) {
        compare(&steady_program(seed), seed, STEADY_FRAMES);
    }
}

#[test]
fn lines_of_moving_objects_are_drawn_alike() {
    let first = number_from_environment("ALE_SEED", 1);
    for seed in first..first + number_from_environment("ALE_PROGRAMS", 200) {
        compare(&moving_program(seed), seed, STEADY_FRAMES);
    }
}

#[test]
fn lines_that_end_before_a_write_latch_the_reflection() {
    // CTRLPF is written at the end of a line, and the line before has not been finished.
    compare(&steady_program(31_148), 31_148, STEADY_FRAMES);
}

#[test]
fn a_frame_that_fills_the_picture_does_not_show_whether_those_before_were_drawn() {
    let first = number_from_environment("ALE_SEED", 1);
    let mut compared = 0;
    for seed in first..first + 600 {
        // How many frames fill the picture is chance.
        if compared > 50 && seed >= first + 60 {
            break;
        }
        let mut sighted = Console::load(&random_program(seed), &random_properties(seed), DEFAULT_SEED)
            .expect("a cartridge of 4 KiB");
        let mut mostly_blind = sighted.clone();
        for frame in 0..24 {
            let begins = !sighted.unfinished();
            mostly_blind.set_drawing(frame % 4 == 3);
            sighted.run_frame();
            mostly_blind.run_frame();
            assert_eq!(mostly_blind.frame_filled(), sighted.frame_filled(), "seed {seed}, frame {frame}");
            if frame % 4 == 3 && begins && sighted.frame_filled() {
                assert!(mostly_blind.screen() == sighted.screen(), "seed {seed}, frame {frame}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "only {compared} frames filled the picture");
}
