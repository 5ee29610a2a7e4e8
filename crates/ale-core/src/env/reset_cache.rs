//! The reset cache: resets in the middle of play that end as an earlier one did.
//!
//! A reset runs 70 frames and more without input from the agent, so where it ends depends only on the machine it
//! starts with. The system reset leaves RAM as it was and takes the timer from the machine's generator, one of 75
//! values; but most games clear RAM first, and two frames later they depend on nothing older, or only on the timer
//! they read. So the machine after two frames, generator apart, is the key of the cache. On a hit all bytes of the key
//! are equal, all that follows is equal as well, and the end of that reset is copied.
//!
//! What the key leaves out makes no difference to what is copied:
//!
//! - Both generators: a reset that draws from one of them after its first frames is not cached.
//! - The state of the game, the last actions, the paddles: the rest of a reset sets them without reading them.
//! - The frame counter: a reset adds to it, and a hit adds the same number.
//! - The pictures: they are cached only if frames after the lookup have covered both buffers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::Env;
use super::cache_budget::{CACHES, Claim};
use super::moment::Progress;
use crate::console::MachineCore;
use crate::error::Error;

/// Frames of a reset that are always run.
pub(super) const FIRST_FRAMES: u32 = 2;
/// The number of the reset that follows loading; the others are counted from 1.
pub(super) const FIRST_RESET: u32 = 0;
/// Cached resets of a cartridge: more than the values of the timer.
const MAX_ENTRIES: usize = 128;
/// Cached resets of a cartridge that are granted even if others have used up the memory; many games have no more.
const MIN_ENTRIES: usize = 4;
/// Misses in a row after which the cache is emptied and not asked again: the game's resets depend on older state.
const MAX_MISSES: u32 = 64;

/// The resets of one cartridge and configuration. Environments that were cloned from one another share them.
#[derive(Default)]
pub(super) struct ResetCache {
    entries: RwLock<Entries>,
    /// Misses since the last hit.
    misses: AtomicU32,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<Box<[u8]>, Arc<ResetEnd>>,
    /// Numbers that were given; none is given twice, since the keys of no-op starts contain them.
    numbers: u32,
}

/// Where a reset ended.
struct ResetEnd {
    number: u32,
    core: MachineCore,
    /// The state after the reset; its `frame_number` is that of frames the reset counted.
    progress: Progress,
    /// The pictures, packed, if they were drawn.
    pictures: Option<Box<[u8]>>,
    /// Memory that this takes.
    claim: Option<Claim>,
}

impl ResetEnd {
    fn bytes(&self, key: &[u8]) -> usize {
        // What a machine has outside of itself is not longer than its key.
        size_of::<Self>() + 2 * key.len() + self.pictures.as_ref().map_or(0, |bytes| bytes.len())
    }
}

impl ResetCache {
    /// Brings a reset whose first frames have been run to its end; its number if it is cached.
    pub(super) fn finish(&self, env: &mut Env, poll: &mut dyn FnMut() -> bool) -> Result<Option<u32>, Error> {
        let config = &env.shared.config;
        // An averaged screen is a third picture, and sound depends on older samples: such resets are not cached.
        if config.color_averaging || config.sound || self.misses.load(Ordering::Relaxed) > MAX_MISSES {
            env.now.console.count_reset(false);
            return env.finish_reset(poll).map(|()| None);
        }
        let key = env.reset_key();
        let found = self.entries.read().unwrap_or_else(PoisonError::into_inner).by_key.get(&*key).cloned();
        if let Some(end) = &found
            && (end.pictures.is_some() || !env.drawing)
        {
            self.misses.store(0, Ordering::Relaxed);
            env.begin_like(end);
            env.now.console.count_reset(true);
            return Ok(Some(end.number));
        }
        env.now.console.count_reset(false);
        let end = env.finish_and_record(poll)?;
        let number = end.and_then(|end| self.insert(key, end));
        if self.misses.load(Ordering::Relaxed) > MAX_MISSES {
            self.entries.write().unwrap_or_else(PoisonError::into_inner).by_key = HashMap::new();
            env.shared.caches.noop_starts.clear();
        }
        Ok(number)
    }

    /// Inserts the end of a reset, if there is room; its number.
    fn insert(&self, key: Box<[u8]>, mut end: ResetEnd) -> Option<u32> {
        let mut entries = self.entries.write().unwrap_or_else(PoisonError::into_inner);
        let bytes = end.bytes(&key);
        if let Some(entry) = entries.by_key.get_mut(&key) {
            // It lacked the pictures, or another thread inserted it first.
            end.number = entry.number;
            end.claim = CACHES.claim(bytes);
            if end.claim.is_some() {
                *entry = Arc::new(end);
            }
            return Some(entry.number);
        }
        let taken = entries.by_key.len();
        end.claim = if taken < MIN_ENTRIES { Some(CACHES.insist(bytes)) } else { Some(CACHES.claim(bytes)?) };
        if self.misses.fetch_add(1, Ordering::Relaxed) >= MAX_MISSES || taken >= MAX_ENTRIES {
            return None;
        }
        entries.numbers += 1;
        end.number = FIRST_RESET + entries.numbers;
        Some(entries.by_key.entry(key).or_insert(Arc::new(end)).number)
    }
}

impl Env {
    /// All that the rest of a reset depends on.
    fn reset_key(&self) -> Box<[u8]> {
        let Progress { mode, difficulty, paddles, .. } = &self.now.progress;
        let mut key = self.now.console.machine().bytes_but_generator();
        key.extend(mode.to_le_bytes());
        key.extend(difficulty.to_le_bytes());
        // A restored state brings the stops of its paddles along.
        key.extend(paddles.min.to_le_bytes());
        key.extend(paddles.max.to_le_bytes());
        key.into()
    }

    /// The rest of a reset, and where it ended unless chance played a part.
    fn finish_and_record(&mut self, poll: &mut dyn FnMut() -> bool) -> Result<Option<ResetEnd>, Error> {
        let (machine, rng) = (self.now.console.machine().clone(), self.now.rng.clone());
        let frame_number = self.now.progress.frame_number;
        self.now.console.forget_picture();
        self.finish_reset(poll)?;
        if rng != self.now.rng || !machine.has_generator_of(self.now.console.machine()) {
            return Ok(None);
        }
        let picture = self.picture();
        let covered = self.drawing && picture.current_is_exact() && picture.previous_is_exact();
        let progress = self.now.progress;
        let counted = progress.frame_number.wrapping_sub(frame_number);
        Ok(Some(ResetEnd {
            number: 0,
            core: self.now.console.machine().core(),
            progress: Progress { frame_number: counted, ..progress },
            pictures: covered.then(|| self.now.console.packed_pictures().into()),
            claim: None,
        }))
    }

    fn begin_like(&mut self, end: &ResetEnd) {
        self.now.console.set_core(&end.core);
        self.now.console.set_drawing(self.drawing);
        if let Some(pictures) = end.pictures.as_ref().filter(|_| self.drawing) {
            self.now.console.unpack_pictures(pictures);
        }
        let frame_number = self.now.progress.frame_number.wrapping_add(end.progress.frame_number);
        self.now.progress = Progress { frame_number, ..end.progress };
        self.now.show_copy = false;
    }
}

#[cfg(test)]
mod tests {
    use super::super::never;
    use super::super::sticky::UNTOUCHED;
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
        env.now.progress.episode_frame_number = 0;
        env.now.progress.paddles.center();
        env.now.console.system_reset();
        env.run_part(Held::Moves(UNTOUCHED), 0..FIRST_FRAMES);
        env.finish_reset(&mut never).expect("it has one mode");
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
                let name = env.shared.game.name();
                assert!(env.now.console.machine() == twin.now.console.machine(), "{name}");
                if seed % 3 != 1 {
                    assert!(env.screen() == twin.screen(), "{name}");
                    assert!(
                        env.now.console.previous_screen() == twin.now.console.previous_screen(),
                        "{name}"
                    );
                }
                assert!(env.now.rng == twin.now.rng && env.now.progress == twin.now.progress);
                assert_eq!(env.now.progress.frame_number, twin.now.progress.frame_number, "{name}");
                assert_eq!(
                    env.now.progress.episode_frame_number, twin.now.progress.episode_frame_number,
                    "{name}"
                );
                assert_eq!(env.lives(), twin.lives(), "{name}");
            }
            let known = env.shared.caches.resets.entries.read().expect("no thread panicked").by_key.len();
            assert!(known > 0 && known <= resets as usize, "{known}");
        }
    }

    #[test]
    fn after_too_many_misses_in_a_row_the_cache_is_emptied() {
        let mut env = envs().next().expect("there are games");
        let cache = ResetCache::default();
        for past in 0..MAX_MISSES {
            let end = env.finish_and_record(&mut never).expect("it has one mode").expect("no chance in it");
            assert_eq!(cache.insert(past.to_le_bytes().into(), end), Some(FIRST_RESET + 1 + past));
        }
        assert_eq!(cache.entries.read().expect("no thread panicked").by_key.len(), MAX_MISSES as usize);
        env.now.console.system_reset();
        env.run_part(Held::Moves(UNTOUCHED), 0..FIRST_FRAMES);
        assert_eq!(cache.finish(&mut env, &mut never), Ok(None));
        assert!(cache.entries.read().expect("no thread panicked").by_key.is_empty());
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
                assert!(
                    env.now.console == twin.now.console,
                    "{}, difficulty {difficulty}",
                    env.shared.game.name()
                );
            }
        }
    }
}
