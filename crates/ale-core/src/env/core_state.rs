//! Core states: what a planner keeps in a node, without generators and pictures.

use std::cell::RefCell;

use super::Env;
use super::moment::Progress;
use crate::action::Action;
use crate::console::MachineCore;

/// The machine, the game's counters and the paddles of an environment; at most 1200 bytes, and the RAM of the few cartridges
/// that have any.
///
/// Equality is that of all of it. Whether two states have the same *future* is told by [`CoreState::key`].
#[derive(Debug, Clone)]
pub struct CoreState {
    machine: MachineCore,
    pub(super) progress: Progress,
}

impl CoreState {
    /// A hash of everything the future depends on: equal keys mean equal rewards, RAM and ends from here on, whatever
    /// is played.
    ///
    /// It leaves out the joystick lines that are held, which the next frame replaces, and the frame counters. With
    /// sticky actions the next frame may repeat the action before: `sticky` includes it.
    pub fn key(&self, sticky: bool) -> u64 {
        thread_local! {
            /// Planners ask for a key of every node: the memory is used again.
            static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        SCRATCH.with_borrow_mut(|bytes| {
            bytes.clear();
            self.write_future(sticky, bytes);
            hash(bytes)
        })
    }

    /// Whether both have the same future: the comparison behind [`CoreState::key`], byte by byte.
    pub fn same_future(&self, other: &Self, sticky: bool) -> bool {
        let [one, two] = [self, other].map(|state| {
            let mut bytes = Vec::with_capacity(1024);
            state.write_future(sticky, &mut bytes);
            bytes
        });
        one == two
    }

    /// The 128 bytes of RAM.
    pub fn ram(&self) -> &[u8; 128] {
        self.machine.ram()
    }

    /// Whether the game has ended.
    pub fn terminal(&self) -> bool {
        self.progress.game.terminal()
    }

    /// Lives left.
    pub fn lives(&self) -> i32 {
        self.progress.game.lives()
    }

    /// Frames since the last reset.
    pub fn episode_frame_number(&self) -> u64 {
        self.progress.episode_frame_number
    }

    fn write_future(&self, sticky: bool, out: &mut Vec<u8>) {
        let Progress {
            game,
            latched,
            paddles,
            frame_number: _,
            episode_frame_number: _,
            mode,
            difficulty,
            full_lives,
        } = &self.progress;
        self.machine.write_future(out);
        game.write(out);
        for number in [paddles.positions[0], paddles.positions[1], paddles.min, paddles.max, *full_lives] {
            out.extend(number.to_le_bytes());
        }
        out.extend(mode.to_le_bytes());
        out.extend(difficulty.to_le_bytes());
        if sticky {
            for (action, strength) in latched {
                out.push(*action as u8);
                out.extend(strength.to_le_bytes());
            }
        }
    }
}

impl PartialEq for CoreState {
    fn eq(&self, other: &Self) -> bool {
        self.progress == other.progress && self.machine == other.machine
    }
}

impl Env {
    /// The state without generators and pictures.
    pub fn core_state(&self) -> CoreState {
        CoreState { machine: self.now.console.machine().core(), progress: self.now.progress }
    }

    /// Goes on from a core state of this environment or of one like it. The generators go on as they are, and the
    /// picture stays until the next frame that is drawn.
    pub fn set_core_state(&mut self, state: &CoreState) {
        self.now.console.set_core(&state.machine);
        self.now.console.set_drawing(self.drawing);
        self.now.progress = state.progress;
        self.now.show_copy = self.shared.config.color_averaging;
        self.fresh = false;
    }

    /// One frame in which player A executes exactly `action`: no sticky draw, no clamping, no limit of the episode's
    /// length. Returns the reward of the frame; nothing moves once the game has ended. For models of planners, which
    /// draw stickiness from a generator of their own.
    pub fn act_exactly(&mut self, action: Action) -> i32 {
        if self.terminal() {
            return 0;
        }
        self.now.progress.latched = [(action, 1.0), (Action::Noop, 0.0)];
        let [(action, strength), player_b] = self.now.progress.latched;
        self.run_moves([(self.legalized(action), strength), player_b]);
        self.count_frame();
        self.now.progress.game.reward()
    }

    /// The action that the last frame was asked for, after sticky draws; an illegal one executes as NOOP.
    pub fn latched_action(&self) -> Action {
        self.now.progress.latched[0].0
    }
}

/// A 64-bit hash of bytes, eight at a time: multiply and fold (the mixing step of wyhash).
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64 ^ bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = fold(hash ^ u64::from_le_bytes(word), 0xA076_1D64_78BD_642F);
    }
    fold(hash, 0xE703_7ED1_A0B4_28DB)
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::EnvConfig;
    use crate::game::Game;
    use crate::rng::Mt19937;
    use crate::rom::Rom;

    fn envs() -> impl Iterator<Item = Env> {
        crate::embedded::GAMES.iter().map(|game| {
            let facts = Game::by_name(game.name).expect("it has a sheet");
            let config = EnvConfig { repeat_action_probability: 0.0, ..EnvConfig::default() };
            Env::load(&Rom::new(game.image), &facts, &config).expect("it starts")
        })
    }

    #[test]
    fn a_core_state_is_small() {
        assert!(size_of::<CoreState>() <= 1200, "{} bytes", size_of::<CoreState>());
    }

    #[test]
    fn an_environment_goes_on_from_a_core_state_as_it_did() {
        for mut env in envs() {
            let mut chance = Mt19937::new(3);
            for _ in 0..30 {
                (0..20).for_each(|_| _ = env.act(Action::ALL[chance.below(18) as usize], 1.0));
                let (state, twin) = (env.core_state(), env.clone());
                assert!(state == twin.core_state());
                let actions: Vec<_> = (0..40).map(|_| Action::ALL[chance.below(18) as usize]).collect();
                let trace = |env: &mut Env| -> Vec<_> {
                    actions.iter().map(|&action| (env.act(action, 1.0), *env.ram(), env.lives())).collect()
                };
                let first = trace(&mut env);
                let end = env.core_state();
                env.set_core_state(&state);
                assert!(env.core_state() == state);
                assert_eq!(trace(&mut env), first, "{}", env.game().name());
                assert!(env.core_state() == end && env.core_state().key(true) == end.key(true));
                if env.game_over() {
                    env.reset().expect("it has one mode");
                }
            }
        }
    }

    #[test]
    fn keys_leave_out_the_held_joystick_and_with_sticky_actions_include_the_action() {
        let mut duplicates = 0;
        for mut env in envs() {
            (0..30).for_each(|_| _ = env.act(Action::Noop, 1.0));
            let start = env.core_state();
            let children = Action::ALL.map(|action| {
                env.set_core_state(&start);
                env.act(action, 1.0);
                env.core_state()
            });
            for (index, one) in children.iter().enumerate() {
                for two in &children[..index] {
                    assert!(one != two, "another action was executed");
                    assert!(!one.same_future(two, true) && one.key(true) != two.key(true));
                    assert_eq!(one.key(false) == two.key(false), one.same_future(two, false));
                    duplicates += usize::from(one.same_future(two, false));
                }
            }
        }
        assert!(duplicates > 0, "some actions have the same effect in some game");
    }

    #[test]
    fn every_byte_of_ram_counts() {
        let mut env = envs().next().expect("there are games");
        let key = env.core_state().key(false);
        for index in 0..128 {
            let before = env.ram()[index];
            env.write_ram(index, before ^ 0x10);
            assert_ne!(env.core_state().key(false), key, "byte {index}");
            env.write_ram(index, before);
        }
    }
}
