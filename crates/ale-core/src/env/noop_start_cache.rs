//! The no-op start cache: what a vector environment does after each reset, FIRE and then a random number of no-ops.
//!
//! From a cached reset (see [`super::reset_cache`]) the frames that follow depend on the executed actions only. Sticky
//! actions make them uncertain, but within limits: FIRE a number of times, perhaps none, and then no-ops. So a state
//! is found by the number of its reset, of its frames with FIRE, and of all its frames; a longer start continues from
//! the longest cached one. All draws are made as if the frames were run.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::cache_budget::{CACHES, Claim};
use super::core_state::CoreState;
use super::moment::Progress;
use super::sticky::Moves;
use super::{Env, Shared};
use crate::action::Action;
use crate::error::Error;

/// Cached states of a cartridge, a kilobyte each; when there are more, or no memory for more, the cache is emptied. A
/// reset may begin with 75 values of the timer, and a start has up to 30 frames by default.
const MAX_ENTRIES: usize = 4096;

/// Number of the reset, frames with FIRE, frames.
type StartKey = (u32, u32, u32);

/// States at the end of no-op starts.
#[derive(Default)]
pub(super) struct NoopStartCache(RwLock<BTreeMap<StartKey, Arc<Entry>>>);

struct Entry {
    state: CoreState,
    /// Memory that this takes.
    _claim: Claim,
}

impl NoopStartCache {
    /// The longest cached start of this kind that is not longer.
    fn find(&self, (reset, fired, frames): StartKey) -> Option<(u32, Arc<Entry>)> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let ((.., frames), entry) = entries.range((reset, fired, 0)..=(reset, fired, frames)).next_back()?;
        Some((*frames, Arc::clone(entry)))
    }

    fn insert(&self, key: StartKey, state: CoreState) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match CACHES.claim(size_of::<Entry>()).filter(|_| entries.len() < MAX_ENTRIES) {
            Some(claim) => {
                entries.insert(key, Arc::new(Entry { state, _claim: claim }));
            }
            None => entries.clear(),
        }
    }

    pub(super) fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// The actions of both players that a frame of the start asks for.
fn wanted(fires: bool, frame: u32) -> Moves {
    let action = if fires && frame == 0 { Action::Fire } else { Action::Noop };
    [(action, 1.0), (Action::Noop, 0.0)]
}

impl Env {
    /// [`Env::reset`], then perhaps FIRE for a frame, then `idle` frames; a game that ends meanwhile is reset again.
    ///
    /// The same as these calls one by one. While nothing is drawn it looks up what it has seen before.
    ///
    /// # Errors
    /// As [`Env::reset_polled`].
    pub fn reset_and_wait(
        &mut self,
        fires: bool,
        idle: u32,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let frames = idle + u32::from(fires);
        let mut reset = None;
        let (mut done, mut fired) = (0, 0);
        if let Some(number) = self.reset_known(poll)?.filter(|_| self.may_look_up()) {
            let all_fired = self.frames_with_fire(fires, frames, poll).ok_or(Error::Interrupted)?;
            let caches = Arc::clone(&self.shared.caches);
            if let Some((cached, entry)) = caches.noop_starts.find((number, all_fired, frames)) {
                self.begin_at_start(&entry.state, fires, cached);
                (done, fired) = (cached, all_fired);
            }
            reset = Some(number);
        }
        for frame in done..frames {
            if poll() {
                return Err(Error::Interrupted);
            }
            self.play(wanted(fires, frame), |_| ());
            // Reference: FIRE alone does not end a game that is over.
            if self.game_over() && !(fires && frame == 0) {
                self.reset_polled(poll)?;
                reset = None;
            }
            fired += u32::from(self.now.progress.latched[0].0 == Action::Fire);
            if let Some(reset) = reset.filter(|_| !self.game_over()) {
                self.shared.caches.noop_starts.insert((reset, fired, frame + 1), self.core_state());
            }
        }
        Ok(())
    }

    /// Whether all that counts is the machine and what the game makes of it.
    fn may_look_up(&self) -> bool {
        let config = &self.shared.config;
        !self.drawing
            && !config.sound
            && !config.color_averaging
            && config.frame_skip == 1
            && config.max_num_frames_per_episode == 0
            && !config.truncate_on_loss_of_life
    }

    /// How many of the frames of a start will hold FIRE; `None` when the caller wants to stop.
    fn frames_with_fire(&self, fires: bool, frames: u32, poll: &mut dyn FnMut() -> bool) -> Option<u32> {
        let (mut latched, mut rng) = (self.now.progress.latched, self.now.rng.clone());
        let mut count = 0;
        for frame in 0..frames {
            if poll() {
                return None;
            }
            self.shared.sticky.latch(&mut latched, wanted(fires, frame), &mut rng);
            count += u32::from(latched[0].0 == Action::Fire);
        }
        Some(count)
    }

    /// Continues at a cached state, with the draws and counters of `frames` frames.
    fn begin_at_start(&mut self, state: &CoreState, fires: bool, frames: u32) {
        let Shared { sticky, .. } = self.shared;
        for frame in 0..frames {
            sticky.latch(&mut self.now.progress.latched, wanted(fires, frame), &mut self.now.rng);
            self.count_frame();
        }
        // The counters and latched actions are this environment's own, the rest is the cached state's.
        let Progress { latched, frame_number, episode_frame_number, .. } = self.now.progress;
        self.set_core_state(state);
        self.now.progress = Progress { latched, frame_number, episode_frame_number, ..self.now.progress };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::EnvConfig;
    use crate::game::Game;
    use crate::rng::Mt19937;
    use crate::rom::Rom;

    /// The calls one by one.
    fn reset_and_wait_slowly(env: &mut Env, fires: bool, idle: u32) {
        env.reset().expect("it has one mode");
        if fires {
            env.act(Action::Fire, 1.0);
        }
        for _ in 0..idle {
            env.act(Action::Noop, 1.0);
            if env.game_over() {
                env.reset().expect("it has one mode");
            }
        }
    }

    #[test]
    fn a_cached_start_is_the_start_that_is_run() {
        for game in &crate::embedded::GAMES {
            let facts = Game::by_name(game.name).expect("it has a sheet");
            for repeat_action_probability in [0.0, 0.25, 0.9] {
                let config = EnvConfig { repeat_action_probability, ..EnvConfig::default() };
                let mut env = Env::load(&Rom::new(game.image), &facts, &config).expect("it starts");
                env.reset().expect("it has one mode");
                let mut chance = Mt19937::new(1);
                let mut frames = 0;
                for round in 0..60 {
                    // Every third starts from loading.
                    if round % 3 == 0 {
                        env.reload(chance.below(5)).expect("it has one mode");
                    } else {
                        (0..chance.below(50)).for_each(|_| _ = env.act(Action::UpLeft, 1.0));
                    }
                    let (fires, idle) = (chance.below(2) == 0, chance.below(12));
                    frames += idle as usize + usize::from(fires);
                    let mut twin = env.clone();
                    env.set_drawing(false);
                    env.reset_and_wait(fires, idle, &mut || false).expect("it has one mode");
                    env.set_drawing(true);
                    reset_and_wait_slowly(&mut twin, fires, idle);
                    let what = format!("{}, round {round}: {fires} {idle}", game.name);
                    assert!(env.now.console.machine() == twin.now.console.machine(), "{what}");
                    assert!(env.now.rng == twin.now.rng && env.now.progress == twin.now.progress, "{what}");
                    assert_eq!(env.now.progress.frame_number, twin.now.progress.frame_number, "{what}");
                    assert_eq!(
                        env.now.progress.episode_frame_number, twin.now.progress.episode_frame_number,
                        "{what}"
                    );
                }
                let cached = env.shared.caches.noop_starts.0.read().expect("no thread panicked").len();
                assert!(cached > 3 && 2 * cached < frames, "{}: {cached} of {frames} frames", game.name);
            }
        }
    }
}
