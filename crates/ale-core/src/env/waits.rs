//! What a vector environment does after each reset: FIRE, then some idle frames, their number drawn by lot.
//!
//! From a known state (see [`super::restarts`]) the frames that follow depend on the executed actions only. Sticky
//! actions make them uncertain, but within limits: FIRE a number of times, perhaps none, and then nothing. So a state
//! is known by the number of its reset, of its frames with FIRE, and of all its frames; sub-environments that wait for
//! longer go on from where others have been. All draws are made as if the frames were run.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::Env;
use super::budget::{Claim, KEPT};
use super::paddles::Paddles;
use super::sticky::Moves;
use crate::action::Action;
use crate::console::Course;
use crate::error::Error;
use crate::game::GameState;

/// Kept states of a cartridge, a kilobyte each; when there are more, or no memory for more, all are forgotten. A reset
/// may begin with 75 values of the timer, and a wait has 30 frames by default.
const MOST: usize = 4096;

/// Number of the reset, frames with FIRE, frames.
type Place = (u32, u32, u32);

/// States that environments waited for.
#[derive(Default)]
pub(super) struct Waits(RwLock<BTreeMap<Place, Arc<Waited>>>);

struct Waited {
    course: Course,
    state: GameState,
    paddles: Paddles,
    /// Memory that this takes.
    _claim: Claim,
}

impl Waits {
    /// The longest wait of this kind that is known and not longer.
    fn find(&self, (reset, fired, frames): Place) -> Option<(u32, Arc<Waited>)> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let ((.., frames), waited) = known.range((reset, fired, 0)..=(reset, fired, frames)).next_back()?;
        Some((*frames, Arc::clone(waited)))
    }

    fn keep(&self, place: Place, course: Course, state: GameState, paddles: Paddles) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match KEPT.claim(size_of::<Waited>()).filter(|_| known.len() < MOST) {
            Some(claim) => {
                known.insert(place, Arc::new(Waited { course, state, paddles, _claim: claim }));
            }
            None => known.clear(),
        }
    }

    pub(super) fn forget(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What is wanted in a frame of the wait, of both players.
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
    /// As [`Env::reset`].
    pub fn reset_and_wait(&mut self, fires: bool, idle: u32) -> Result<(), Error> {
        let frames = idle + u32::from(fires);
        let mut reset = None;
        let (mut done, mut fired) = (0, 0);
        if let Some(number) = self.reset_known()?.filter(|_| self.may_look_up()) {
            let all_fired = self.frames_with_fire(fires, frames);
            let templates = Arc::clone(&self.templates);
            if let Some((known, waited)) = templates.waits.find((number, all_fired, frames)) {
                self.go_on_like(&waited, fires, known);
                (done, fired) = (known, all_fired);
            }
            reset = Some(number);
        }
        for frame in done..frames {
            self.play(wanted(fires, frame), |_| ());
            // Reference: FIRE alone does not end a game that is over.
            if self.game_over() && !(fires && frame == 0) {
                self.reset()?;
                reset = None;
            }
            fired += u32::from(self.latched[0].0 == Action::Fire);
            if let Some(reset) = reset.filter(|_| !self.game_over()) {
                let course = self.console.machine().course();
                self.templates.waits.keep((reset, fired, frame + 1), course, self.state, self.paddles);
            }
        }
        Ok(())
    }

    /// Whether all that counts is the machine and what the game makes of it.
    fn may_look_up(&self) -> bool {
        let config = &self.config;
        !self.drawing
            && !config.sound
            && !config.color_averaging
            && config.frame_skip == 1
            && config.max_num_frames_per_episode == 0
            && !config.truncate_on_loss_of_life
    }

    /// How many of the frames of a wait will hold FIRE.
    fn frames_with_fire(&self, fires: bool, frames: u32) -> u32 {
        let (mut latched, mut rng) = (self.latched, self.rng.clone());
        let mut count = 0;
        for frame in 0..frames {
            self.sticky.latch(&mut latched, wanted(fires, frame), &mut rng);
            count += u32::from(latched[0].0 == Action::Fire);
        }
        count
    }

    fn go_on_like(&mut self, waited: &Waited, fires: bool, frames: u32) {
        for frame in 0..frames {
            self.sticky.latch(&mut self.latched, wanted(fires, frame), &mut self.rng);
            self.count_frame();
        }
        self.console.follow(&waited.course);
        self.console.set_drawing(self.drawing);
        self.state = waited.state;
        self.paddles = waited.paddles;
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
    fn a_wait_that_is_looked_up_is_the_wait_that_is_run() {
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
                    env.reset_and_wait(fires, idle).expect("it has one mode");
                    env.set_drawing(true);
                    reset_and_wait_slowly(&mut twin, fires, idle);
                    let what = format!("{}, round {round}: {fires} {idle}", game.name);
                    assert!(env.console.machine() == twin.console.machine(), "{what}");
                    assert!(env.rng == twin.rng && env.latched == twin.latched, "{what}");
                    assert!(env.paddles == twin.paddles && env.lives() == twin.lives(), "{what}");
                    assert_eq!(env.frame_number, twin.frame_number, "{what}");
                    assert_eq!(env.episode_frame_number, twin.episode_frame_number, "{what}");
                }
                let known = env.templates.waits.0.read().expect("nobody failed").len();
                assert!(known > 3 && 2 * known < frames, "{}: {known} of {frames} frames", game.name);
            }
        }
    }
}
