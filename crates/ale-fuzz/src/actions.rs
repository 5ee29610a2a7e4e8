//! Action streams with resets, mode changes, snapshots and restores: an environment and its twin, which makes sound,
//! runs every frame of a reset and is made from bytes now and then, go on alike.

use std::cell::RefCell;

use ale_core::env::{Env, Snapshot, State};
use ale_core::{Action, Error};

use crate::input::Input;
use crate::worlds;

thread_local! {
    static ENVS: RefCell<[Vec<Env>; 2]> = RefCell::new([worlds::envs(), worlds::sounding_envs()]);
}

/// Places for what was saved.
const SLOTS: usize = 3;

/// An environment that is played, and the one it is compared with.
struct Pair {
    env: Env,
    twin: Env,
    snapshots: [Option<Snapshot>; SLOTS],
    states: [Option<State>; SLOTS],
}

impl Pair {
    fn both<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, act: impl Fn(&mut Env) -> T) -> T {
        let (one, other) = (act(&mut self.env), act(&mut self.twin));
        assert_eq!(one, other, "{what}");
        let (env, twin) = (&self.env, &self.twin);
        assert_eq!(env.ram(), twin.ram(), "RAM after {what}");
        assert!(env.screen() == twin.screen(), "the screen after {what}");
        if env.config().sound {
            assert_eq!(env.sound(), twin.sound(), "the sound after {what}");
        }
        let facts = |env: &Env| {
            (
                (env.lives(), env.terminal(), env.truncated(), env.executed_action()),
                (env.frame_number(), env.episode_frame_number(), env.mode(), env.difficulty()),
            )
        };
        assert_eq!(facts(env), facts(twin), "after {what}");
        one
    }

    fn obey(&mut self, input: &mut Input<'_>) {
        match input.below(20) {
            0..=7 => {
                let action = Action::from_number(input.below(18)).unwrap_or_default();
                let strength = input.strength();
                for _ in 0..=input.below(3) {
                    self.both("an act", |env| env.act(action, strength));
                }
            }
            8 => {
                let action = Action::from_number(input.below(18)).unwrap_or_default();
                self.both("a step", |env| env.step(action));
            }
            9 => self.reset(),
            10 => {
                let mode = u32::from(input.byte() % 6);
                let result = self.both("a mode", |env| env.set_mode(mode));
                assert!(matches!(result, Ok(()) | Err(Error::Mode { .. })));
            }
            11 => {
                let difficulty = u32::from(input.byte() % 5);
                let result = self.both("a difficulty", |env| env.set_difficulty(difficulty));
                assert!(matches!(result, Ok(()) | Err(Error::Difficulty { .. })));
            }
            12 => self.snapshots[input.below(SLOTS)] = Some(self.env.snapshot()),
            13 => {
                if let Some(snapshot) = self.snapshots[input.below(SLOTS)].clone() {
                    let bytes = snapshot.to_bytes();
                    self.env.restore(&snapshot).expect("the same game");
                    self.twin.restore_bytes(&bytes).expect("the same game");
                    self.both("a restored snapshot", |_| ());
                }
            }
            14 => self.states[input.below(SLOTS)] = Some(self.env.save_state(input.flag())),
            15 => {
                if let Some(state) = self.states[input.below(SLOTS)].clone() {
                    let read = State::from_bytes(&state.to_bytes()).expect("its own bytes");
                    assert!(read == state, "a state is its bytes");
                    self.env.restore_state(&state).expect("the same game");
                    self.twin.restore_state(&read).expect("the same game");
                    self.both("a restored state", |_| ());
                }
            }
            16 => {
                let (index, value) = (usize::from(input.u16()), input.byte());
                self.both("a byte of RAM", |env| env.write_ram(index, value));
            }
            17 => {
                let seed = input.u32();
                self.both("a new seed", |env| env.reload(seed)).expect("an embedded game");
            }
            18 => {
                let moment = self.env.moment();
                let (screen, shown) = (self.env.screen().to_vec(), self.env.snapshot());
                self.env.act(Action::Fire, 1.0);
                self.env.go_to(&moment);
                self.env.restore(&shown).expect("its own");
                assert!(self.env.screen() == screen);
            }
            _ => {
                // The twin begins a new life from bytes, whatever it was.
                let bytes = self.env.snapshot().to_bytes();
                self.twin.reset().expect("an embedded game");
                self.twin.restore_bytes(&bytes).expect("the same game");
                self.both("a new twin", |_| ());
            }
        }
    }

    fn reset(&mut self) {
        self.both("a reset", Env::reset).expect("an embedded game");
    }
}

/// Runs one input.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let which = input.below(5);
    let [env, mut twin] = ENVS.with_borrow(|envs| envs.each_ref().map(|envs| envs[which].clone()));
    twin.restore(&env.snapshot()).expect("the same game");
    let mut pair = Pair { env, twin, snapshots: Default::default(), states: Default::default() };
    let mut left = 32;
    while left > 0 && !input.is_empty() {
        pair.obey(&mut input);
        left -= 1;
    }
}

/// Where to begin: every kind of call in every environment.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for env in 0..5 {
        seeds.push(vec![env]);
        // Play, save, play, go back, play; then with a mode, a reset and a new twin.
        seeds.push(vec![env, 0, 3, 4, 5, 12, 0, 1, 11, 4, 5, 13, 0, 2, 1, 4, 2]);
        seeds.push(vec![env, 10, 1, 11, 1, 9, 14, 0, 1, 3, 7, 4, 3, 15, 0, 19, 4, 12, 4, 5]);
        seeds.push(vec![env, 17, 1, 2, 3, 4, 19, 5, 2, 0, 0, 0, 0x80, 0x7F, 3, 16, 1, 0, 9, 18, 8, 4]);
    }
    seeds
}
