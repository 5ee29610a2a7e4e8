//! Screens of random play, for backgrounds and for the classes of DISCO.
//!
//! The agent is Random of the first paper: all 18 actions, a new one on every frame, no sticky actions, episodes of at
//! most 18,000 frames. With a trajectory every episode first follows it for a random number of frames.

use std::sync::Arc;

use ale_core::env::{Env, EnvConfig};
use ale_core::game::Game;
use ale_core::{Action, Error, Rom};
use ale_features::disco::Discovery;
use ale_features::{Background, Classes, Histogram, Screen};
use ale_sim::rng::Xoshiro256;

/// Frames that are played before the first screen counts.
const DROPPED: u32 = 1000;
/// Frames of an episode.
const EPISODE: u32 = 18_000;
/// Screens between two reports.
const REPORT: u32 = 256;
/// Screens of which the background of classes is gathered, at most.
const BACKGROUND: u32 = 18_000;

/// Screens that classes can be gathered from.
const MOST_SCREENS: u32 = 10_000_000;

/// A screen of a survey.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The picture.
    pub screen: Screen<'a>,
    /// How many screens were seen before.
    pub number: u32,
    /// It is the first one of an episode.
    pub begins: bool,
}

/// Which screens are seen; with a ROM and the rules of its game they are determined.
#[derive(Debug, Clone, Copy)]
pub struct Survey<'a> {
    /// Number of screens, every frame one.
    pub screens: u32,
    /// Seed of the actions.
    pub seed: u64,
    /// Actions that episodes begin with, one a frame.
    pub trajectory: &'a [Action],
}

impl Survey<'_> {
    /// Plays and shows every screen to `visit`, until that returns `false`.
    ///
    /// # Errors
    /// When the environment cannot be made or reset, or a picture has less than 210 rows.
    pub fn play(
        &self,
        rom: &Rom,
        game: &Arc<Game>,
        mut visit: impl FnMut(Seen<'_>) -> bool,
    ) -> Result<(), Error> {
        let config = EnvConfig {
            repeat_action_probability: 0.0,
            max_num_frames_per_episode: EPISODE,
            ..EnvConfig::default()
        };
        let mut env = Env::load(rom, game, &config)?;
        Screen::new(env.screen()).map_err(|error| Error::Config(error.to_string()))?;
        let mut rng = Xoshiro256::new(self.seed);
        let mut followed = self.prefix(&mut rng);
        env.set_drawing(false);
        for frame in 0..DROPPED + self.screens {
            let begins = frame == DROPPED || env.game_over();
            if env.game_over() {
                env.reset()?;
                followed = self.prefix(&mut rng);
            }
            // The picture of a frame may show through what the two before it drew.
            env.set_drawing(frame + 3 > DROPPED);
            let action = match followed.split_first() {
                Some((&action, rest)) => {
                    followed = rest;
                    action
                }
                None => Action::ALL[rng.below(18) as usize],
            };
            env.act(action, 1.0);
            if frame >= DROPPED {
                let screen = Screen::new(env.screen()).map_err(|error| Error::Config(error.to_string()))?;
                if !visit(Seen { screen, number: frame - DROPPED, begins }) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The part of the trajectory that an episode follows.
    fn prefix(&self, rng: &mut Xoshiro256) -> &[Action] {
        let length = if self.trajectory.is_empty() { 0 } else { rng.below(self.trajectory.len() as u64 + 1) };
        &self.trajectory[..length as usize]
    }

    /// The most frequent colour of every pixel. `report` hears how many screens were seen and may stop it.
    ///
    /// # Errors
    /// As [`Survey::play`]; [`Error::Interrupted`] when `report` returns `false`.
    pub fn background(
        &self,
        rom: &Rom,
        game: &Arc<Game>,
        mut report: impl FnMut(u32) -> bool,
    ) -> Result<Background, Error> {
        if !(1..=Histogram::MAX_SCREENS).contains(&self.screens) {
            let text = format!("a background of {} screens; accepted: 1 to 65535", self.screens);
            return Err(Error::Config(text));
        }
        let mut histogram = Histogram::default();
        let mut go_on = true;
        self.play(rom, game, |seen| {
            histogram.add(seen.screen);
            go_on = !(seen.number + 1).is_multiple_of(REPORT) || report(seen.number + 1);
            go_on
        })?;
        if go_on { Ok(histogram.background()) } else { Err(Error::Interrupted) }
    }

    /// The classes of DISCO. The background comes from the first half of the screens, at most 18,000 of them, which are
    /// then played again. `report` hears how many screens were seen in all, and may stop it.
    ///
    /// # Errors
    /// As [`Survey::background`].
    pub fn classes(
        &self,
        rom: &Rom,
        game: &Arc<Game>,
        mut report: impl FnMut(u32) -> bool,
    ) -> Result<Classes, Error> {
        if !(2..=MOST_SCREENS).contains(&self.screens) {
            let text = format!("classes of {} screens; accepted: 2 to {MOST_SCREENS}", self.screens);
            return Err(Error::Config(text));
        }
        let first = Self { screens: self.background_screens(), ..*self };
        let mut discovery = Discovery::new(first.background(rom, game, &mut report)?);
        let mut go_on = true;
        self.play(rom, game, |seen| {
            if seen.begins {
                discovery.reset();
            }
            go_on = !(seen.number + 1).is_multiple_of(REPORT) || report(first.screens + seen.number + 1);
            discovery.observe(seen.screen) && go_on
        })?;
        if go_on { Ok(discovery.finish()) } else { Err(Error::Interrupted) }
    }

    /// How many screens [`Survey::classes`] plays for the background.
    pub fn background_screens(&self) -> u32 {
        (self.screens / 2).min(BACKGROUND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ale_core::embedded;

    fn background(seed: u64, trajectory: &[Action]) -> Background {
        let rom = Rom::new(embedded::find("glowdelve").expect("a game of our own").image);
        let game = Game::by_name("glowdelve").expect("a game of our own");
        Survey { screens: 300, seed, trajectory }.background(&rom, &game, |_| true).expect("a background")
    }

    #[test]
    fn a_background_depends_on_rom_seed_and_count_only() {
        assert_eq!(background(1, &[]), background(1, &[]));
        assert_ne!(background(1, &[]), background(1, &[Action::Right; 1500]));
    }

    #[test]
    fn a_survey_can_be_stopped_and_refuses_counters_that_would_overflow() {
        let rom = Rom::new(embedded::find("glowdelve").expect("a game of our own").image);
        let game = Game::by_name("glowdelve").expect("a game of our own");
        let survey = Survey { screens: 1000, seed: 0, trajectory: &[] };
        assert!(matches!(survey.background(&rom, &game, |_| false), Err(Error::Interrupted)));
        for screens in [0, 65_536] {
            assert!(Survey { screens, ..survey }.background(&rom, &game, |_| true).is_err());
        }
    }
}
