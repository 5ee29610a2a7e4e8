//! Resets in the middle of play that went the same way before.
//!
//! A reset runs 70 frames and more, and from the system reset on nobody touches anything: where it ends depends on the
//! machine it starts with only. The system reset leaves RAM as it was and takes the timer from the machine's
//! generator, one of 75 values; but what a game does first is to clear RAM, and two frames later most games know
//! nothing of their past, or only what they read from the timer. So the machine after two frames, generator apart, is
//! looked up among those of earlier resets. When all its bytes are the same, all that follows is the same as well, and
//! the end of that reset is copied.
//!
//! What is left out of the comparison makes no difference to what is copied:
//!
//! - Neither generator: a reset that draws from one of them after its first frames is not kept.
//! - The state of the game, the last actions, the paddles: the rest of a reset sets them without reading them.
//! - The frame counter: a reset adds to it, and the same is added again.
//! - The pictures: they are kept only if frames after the lookup have covered both buffers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::Env;
use super::budget::{Claim, KEPT};
use super::paddles::Paddles;
use super::sticky::NOBODY;
use crate::console::Course;
use crate::error::Error;
use crate::game::GameState;

/// Frames of a reset that are always run.
pub(super) const FIRST_FRAMES: u32 = 2;
/// The number of the reset that follows loading; the others are counted from 1.
pub(super) const FIRST_RESET: u32 = 0;
/// Kept resets of a cartridge: more than the values of the timer.
const MOST: usize = 128;
/// Kept resets of a cartridge that are granted even if others have used up the memory; many games have no more.
const FEW: usize = 4;
/// Lookups in vain, one after the other, after which nobody looks any more: the game remembers its past.
const PATIENCE: u32 = 64;

/// The resets of one cartridge and configuration. Environments that were cloned from one another share them.
#[derive(Default)]
pub(super) struct Restarts {
    known: RwLock<Known>,
    in_vain: AtomicU32,
}

#[derive(Default)]
struct Known {
    places: HashMap<Box<[u8]>, Arc<Restart>>,
    /// Numbers that were given; none is given twice, since states after waits are known by them.
    numbers: u32,
}

/// Where a reset ended.
struct Restart {
    number: u32,
    course: Course,
    /// The pictures, packed, if they were drawn.
    pictures: Option<Box<[u8]>>,
    state: GameState,
    paddles: Paddles,
    /// Frames that were counted.
    frames: u64,
    episode_frame_number: u64,
    /// Memory that this takes.
    claim: Option<Claim>,
}

impl Restart {
    fn bytes(&self, key: &[u8]) -> usize {
        // What a machine has outside of itself is not longer than its key.
        size_of::<Self>() + 2 * key.len() + self.pictures.as_ref().map_or(0, |bytes| bytes.len())
    }
}

impl Restarts {
    /// Brings a reset whose first frames have been run to its end; its number if it is kept.
    pub(super) fn go_on(&self, env: &mut Env) -> Result<Option<u32>, Error> {
        // An averaged screen is a third picture, and the sound of the past plays on: rare, and not worth the care.
        if env.config.color_averaging || env.config.sound || self.in_vain.load(Ordering::Relaxed) > PATIENCE {
            return env.finish_reset().map(|()| None);
        }
        let key = env.reset_key();
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner).places.get(&*key).cloned();
        if let Some(restart) = &known
            && (restart.pictures.is_some() || !env.drawing)
        {
            self.in_vain.store(0, Ordering::Relaxed);
            env.begin_like(restart);
            return Ok(Some(restart.number));
        }
        let restart = env.finish_and_keep()?;
        let number = restart.and_then(|restart| self.keep(key, restart));
        if self.in_vain.load(Ordering::Relaxed) > PATIENCE {
            self.known.write().unwrap_or_else(PoisonError::into_inner).places = HashMap::new();
            env.templates.waits.forget();
        }
        Ok(number)
    }

    /// Takes the end of a reset in, if there is room; its number.
    fn keep(&self, key: Box<[u8]>, mut restart: Restart) -> Option<u32> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = restart.bytes(&key);
        if let Some(place) = known.places.get_mut(&key) {
            // It lacked the pictures, or somebody else was first.
            restart.number = place.number;
            restart.claim = KEPT.claim(bytes);
            if restart.claim.is_some() {
                *place = Arc::new(restart);
            }
            return Some(place.number);
        }
        let taken = known.places.len();
        restart.claim = if taken < FEW { Some(KEPT.insist(bytes)) } else { Some(KEPT.claim(bytes)?) };
        if self.in_vain.fetch_add(1, Ordering::Relaxed) >= PATIENCE || taken >= MOST {
            return None;
        }
        known.numbers += 1;
        restart.number = FIRST_RESET + known.numbers;
        Some(known.places.entry(key).or_insert(Arc::new(restart)).number)
    }
}

impl Env {
    /// All that the rest of a reset depends on.
    fn reset_key(&self) -> Box<[u8]> {
        let mut key = self.console.machine().bytes_but_generator();
        key.extend(self.mode.to_le_bytes());
        key.extend(self.difficulty.to_le_bytes());
        // A restored state brings the stops of its paddles along.
        key.extend(self.paddles.min.to_le_bytes());
        key.extend(self.paddles.max.to_le_bytes());
        key.into()
    }

    /// The rest of a reset, and where it ended unless chance played a part.
    fn finish_and_keep(&mut self) -> Result<Option<Restart>, Error> {
        let (machine, rng) = (self.console.machine().clone(), self.rng.clone());
        let frame_number = self.frame_number;
        self.console.forget_picture();
        self.finish_reset()?;
        if rng != self.rng || !machine.has_generator_of(self.console.machine()) {
            return Ok(None);
        }
        let picture = self.picture();
        let covered = self.drawing && picture.current_is_exact() && picture.previous_is_exact();
        Ok(Some(Restart {
            number: 0,
            pictures: covered.then(|| self.console.packed_pictures().into()),
            course: self.console.machine().course(),
            state: self.state,
            paddles: self.paddles,
            frames: self.frame_number.wrapping_sub(frame_number),
            episode_frame_number: self.episode_frame_number,
            claim: None,
        }))
    }

    fn begin_like(&mut self, restart: &Restart) {
        self.console.follow(&restart.course);
        self.console.set_drawing(self.drawing);
        if let Some(pictures) = restart.pictures.as_ref().filter(|_| self.drawing) {
            self.console.unpack_pictures(pictures);
        }
        self.state = restart.state;
        self.full_lives = self.game.full_lives(&self.state);
        self.latched = NOBODY;
        self.paddles = restart.paddles;
        self.frame_number = self.frame_number.wrapping_add(restart.frames);
        self.episode_frame_number = restart.episode_frame_number;
        self.show_copy = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::env::EnvConfig;
    use crate::env::controls::Held;
    use crate::game::Game;
    use crate::rng::Mt19937;
    use crate::rom::Rom;

    fn envs() -> impl Iterator<Item = Env> {
        crate::embedded::GAMES.iter().map(|game| {
            let facts = Game::by_name(game.name).expect("it has a sheet");
            let config = EnvConfig { repeat_action_probability: 0.25, ..EnvConfig::default() };
            Env::load(&Rom::new(game.image), &facts, &config).expect("it starts")
        })
    }

    fn play(env: &mut Env, seed: u32) {
        let mut chance = Mt19937::new(seed);
        for _ in 0..chance.below(200) {
            env.act(Action::ALL[chance.below(18) as usize], 1.0);
        }
    }

    /// Every frame of a reset.
    fn reset_slowly(env: &mut Env) {
        env.episode_frame_number = 0;
        env.paddles.center();
        env.console.system_reset();
        env.run_part(Held::Moves(NOBODY), 0..FIRST_FRAMES);
        env.finish_reset().expect("it has one mode");
    }

    #[test]
    fn a_reset_that_is_looked_up_is_the_reset_that_is_run() {
        for mut env in envs() {
            let mut twin = env.clone();
            let resets = 40;
            for seed in 0..resets {
                play(&mut env, seed);
                play(&mut twin, seed);
                // Every third is not drawn, so that pictures come later than the rest, or from elsewhere.
                env.set_drawing(seed % 3 != 1);
                env.reset().expect("it has one mode");
                env.set_drawing(true);
                reset_slowly(&mut twin);
                let name = env.game.name();
                assert!(env.console.machine() == twin.console.machine(), "{name}");
                if seed % 3 != 1 {
                    assert!(env.screen() == twin.screen(), "{name}");
                    assert!(env.console.previous_screen() == twin.console.previous_screen(), "{name}");
                }
                assert!(env.rng == twin.rng && env.latched == twin.latched && env.paddles == twin.paddles);
                assert_eq!(env.frame_number, twin.frame_number, "{name}");
                assert_eq!(env.episode_frame_number, twin.episode_frame_number, "{name}");
                assert_eq!(env.lives(), twin.lives(), "{name}");
            }
            let known = env.templates.restarts.known.read().expect("nobody failed").places.len();
            assert!(known > 0 && known <= resets as usize, "{known}");
        }
    }

    #[test]
    fn a_game_that_remembers_its_past_is_given_up_and_its_resets_are_forgotten() {
        let mut env = envs().next().expect("there are games");
        let restarts = Restarts::default();
        for past in 0..PATIENCE {
            let restart = env.finish_and_keep().expect("it has one mode").expect("no chance in it");
            assert_eq!(restarts.keep(past.to_le_bytes().into(), restart), Some(FIRST_RESET + 1 + past));
        }
        assert_eq!(restarts.known.read().expect("nobody failed").places.len(), PATIENCE as usize);
        env.console.system_reset();
        env.run_part(Held::Moves(NOBODY), 0..FIRST_FRAMES);
        assert_eq!(restarts.go_on(&mut env), Ok(None));
        assert!(restarts.known.read().expect("nobody failed").places.is_empty());
    }

    #[test]
    fn modes_and_difficulties_are_told_apart() {
        for mut env in envs() {
            for difficulty in [0, 1, 0, 1] {
                if env.set_difficulty(difficulty).is_err() {
                    continue;
                }
                let mut twin = env.clone();
                env.reset().expect("it has one mode");
                reset_slowly(&mut twin);
                assert!(env.console == twin.console, "{}, difficulty {difficulty}", env.game.name());
            }
        }
    }
}
