//! Machines in the middle of something, built once for a thread: consoles of every scheme and environments of the
//! games that come with the library.

use std::sync::Arc;

use ale_core::console::{DEFAULT_SEED, Properties, Television};
use ale_core::env::{Env, EnvConfig};
use ale_core::game::Game;
use ale_core::preprocess::Size;
use ale_core::rng::Mt19937;
use ale_core::vector::{self, BatchOptions, Choice, EnvSpec, Observation, VectorEnv, VectorOptions};
use ale_core::{Action, Console, Rom, embedded};

use crate::cartridges::one_of_each_scheme;

/// A program that waits for its timer in every way the library skips, in frames as games have them.
#[rustfmt::skip]
const TIMER_LOOPS: [u8; 65] = [
    0xA2, 0xFF, 0x9A,                               // LDX #$FF, TXS
    0xA9, 0x02, 0x85, 0x00, 0x85, 0x02, 0x85, 0x02, // LDA #2, STA VSYNC, STA WSYNC twice
    0xA9, 0x00, 0x85, 0x00,                         // LDA #0, STA VSYNC
    0xA9, 0x2B, 0x8D, 0x96, 0x02,                   // LDA #43, STA TIM64T
    0xAD, 0x84, 0x02, 0xD0, 0xFB,                   // LDA INTIM, BNE back
    0xA9, 0x7F, 0x8D, 0x94, 0x02,                   // LDA #127, STA TIM1T
    0xAD, 0x84, 0x02, 0x10, 0xFB,                   // LDA INTIM, BPL back
    0xA9, 0x10, 0x8D, 0x95, 0x02,                   // LDA #16, STA TIM8T
    0x2C, 0x85, 0x02, 0x10, 0xFB,                   // BIT TIMINT, BPL back
    0xAD, 0x84, 0x02, 0x85, 0x80,                   // LDA INTIM, STA $80
    0xA2, 0xD2, 0x85, 0x02, 0xCA, 0xD0, 0xFB,       // LDX #210, STA WSYNC, DEX, BNE back
    0xE6, 0x81, 0x4C, 0x03, 0xF0,                   // INC $81, JMP
    0xEA, 0xEA, 0xEA,
];

/// A cartridge with these loops.
fn timer_loops() -> Console {
    let mut image = [0xEA; 4096];
    image[..TIMER_LOOPS.len()].copy_from_slice(&TIMER_LOOPS);
    image[0xFFC..].copy_from_slice(&[0x00, 0xF0, 0x00, 0xF0]);
    let properties = Properties { television: Some(Television::Ntsc), ..Properties::default() };
    Console::load(&Rom::new(image), &properties, DEFAULT_SEED).expect("4 KiB")
}

/// A console of each scheme after some frames of a random program, and one whose program waits for the timer.
pub(crate) fn consoles() -> Vec<Console> {
    let mut consoles = one_of_each_scheme(&mut Mt19937::new(11));
    consoles.push(timer_loops());
    for console in &mut consoles {
        for _ in 0..3 {
            console.run_frame();
        }
    }
    consoles
}

/// Cartridge and facts of an embedded game.
///
/// # Panics
/// When it is not there.
pub(crate) fn game(name: &str) -> (Rom, Arc<Game>) {
    let found = embedded::find(name).expect("an embedded game");
    (Rom::new(found.image), Game::by_name(name).expect("it has a sheet"))
}

/// Environments of both games with options that matter.
pub(crate) fn envs() -> Vec<Env> {
    build_envs(false)
}

/// The same that also make sound. They play alike, but no reset of theirs is copied from an earlier one.
pub(crate) fn sounding_envs() -> Vec<Env> {
    build_envs(true)
}

fn build_envs(sound: bool) -> Vec<Env> {
    let plain = EnvConfig { repeat_action_probability: 0.0, ..EnvConfig::default() };
    let configs = [
        ("glowdelve", plain.clone()),
        (
            "glowdelve",
            EnvConfig { frame_skip: 4, color_averaging: true, sound: true, ..EnvConfig::default() },
        ),
        (
            "glowdelve",
            EnvConfig { truncate_on_loss_of_life: true, max_num_frames_per_episode: 40, ..plain.clone() },
        ),
        ("windfall", EnvConfig::default()),
        (
            "windfall",
            EnvConfig {
                paddle_min: Some(i32::MAX),
                paddle_max: Some(i32::MIN),
                reward_min: 1,
                reward_max: -1,
                frame_skip: 3,
                ..plain
            },
        ),
    ];
    let build = |(name, config): (&str, EnvConfig)| {
        let (rom, game) = game(name);
        let config = EnvConfig { sound: sound || config.sound, ..config };
        let mut env = Env::load(&rom, &game, &config).expect("an embedded game");
        for number in 0..6 {
            env.act(Action::ALL[number * 3], 1.0);
        }
        env
    };
    configs.into_iter().map(build).collect()
}

/// Who plays, by one bit each: the joystick game or the paddle game.
pub(crate) fn specs(count: usize, bits: u8) -> Vec<EnvSpec> {
    let games = ["glowdelve", "windfall"].map(game);
    let spec = |index: usize| {
        let (rom, game) = games[usize::from(bits >> (index % 8) & 1)].clone();
        EnvSpec { rom, game, mode: None, difficulty: None }
    };
    (0..count).map(spec).collect()
}

/// A small vector environment that has been reset and has made some steps.
///
/// # Panics
/// When it cannot be built.
pub(crate) fn vector_env() -> VectorEnv {
    let size = Size { height: 21, width: 16 };
    let config = VectorOptions {
        observation: Observation::Frames { size, color: false, stack: 2, padded: false },
        // So that an episode ends within the steps that are made of a changed state.
        max_num_frames_per_episode: 16,
        batch: BatchOptions { num_threads: 1, ..BatchOptions::default() },
        ram: true,
        ..VectorOptions::default()
    };
    let mut env = vector::load(&specs(2, 0b10), config).expect("embedded games");
    let mut batch = env.new_batch();
    env.reset(&[Choice::Seed(1), Choice::Seed(2)], batch.rows(), &mut || false).expect("a full reset");
    for _ in 0..3 {
        env.step(&[(Action::Fire, 1.0); 2], batch.rows(), &mut || false).expect("all are ready");
    }
    env
}
