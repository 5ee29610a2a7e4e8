//! The start of an episode: reset, FIRE, idle frames.

use super::batch::Facts;
use super::config::{Autoreset, VectorConfig};
use super::past::{CALM, Kept, Past, Replay};
use super::steps::covered;
use super::sub::{Sub, Workspace};
use crate::action::Action;
use crate::error::Error;
use crate::rng::Mt19937;

/// Frames at the end of a start that are drawn: as many as there are picture buffers.
const LAST: u32 = 2;

/// How an episode starts.
#[derive(Clone, Copy)]
struct Start {
    seed: Option<u32>,
    /// The game goes on with the next life instead of a reset.
    next_life: bool,
    fires: bool,
    idle: u32,
}

impl Sub {
    /// Starts an episode.
    pub(super) fn begin(
        &mut self,
        seed: Option<u32>,
        config: &VectorConfig,
        work: &mut Workspace,
    ) -> Result<(), Error> {
        if self.broken {
            self.env = (*self.prototype).clone();
            self.choose()?;
            self.broken = false;
        }
        if let Some(seed) = seed {
            self.idle = Mt19937::new(seed);
        }
        let next_life = self.continues && seed.is_none();
        let fires = config.use_fire_reset && self.has_fire;
        let idle = if next_life {
            u32::from(!fires)
        } else {
            // Drawn in every reset; FIRE counts as one of the idle frames.
            self.idle.below(config.noop_max.max(1)).saturating_sub(u32::from(fires))
        };
        let start = Start { seed, next_life, fires, idle };
        // The first start of all is drawn, so that it can be kept.
        let known = seed.is_none() || self.env.knows_first_reset();
        let undrawn = known && !next_life && idle >= LAST && !config.keep_pictures;
        let done = undrawn && self.begin_with_picture(start, false, config, work)?;
        if !done {
            self.begin_with_picture(start, true, config, work)?;
        }
        self.elapsed = 0;
        // Reference: with a limit of no frames at all every step is a reset that is truncated at once.
        self.over = config.autoreset == Autoreset::NextStep && config.max_num_frames_per_episode <= 0;
        self.continues = false;
        self.lives = self.env.lives();
        self.facts = Facts::default();
        self.episode_return = 0.0;
        Ok(())
    }

    /// Starts an episode, with all frames drawn or only the last two. `false` when the picture depends on frames that
    /// were not drawn; nothing has changed then.
    fn begin_with_picture(
        &mut self,
        start: Start,
        drawn: bool,
        config: &VectorConfig,
        work: &mut Workspace,
    ) -> Result<bool, Error> {
        let now = (!drawn).then(|| self.env.moment());
        let mut picture = match &mut self.past {
            Past::Replay(_) if start.next_life => self.play_again(work).picture,
            Past::Kept(kept) if kept.picture.rows() == self.height => std::mem::take(&mut kept.picture),
            // A reset clears the buffers.
            _ => work.spare.take(self.height),
        };
        self.env.swap_picture(&mut picture);
        self.env.set_drawing(drawn);
        let result = self.begin_frames(start);
        self.env.set_drawing(true);

        let replay = result.as_ref().ok().cloned().flatten().filter(|_| covered(&self.env));
        let replay = replay.filter(|_| !config.keep_pictures);
        if let (None, Some(now)) = (&replay, &now) {
            self.env.go_to(now);
            self.env.swap_picture(&mut picture);
            work.spare.give(picture);
            return Ok(false);
        }
        self.view.start(&self.env, &mut work.scratch);
        self.view.keep_screen(&self.env);
        let last = if replay.is_none() { self.env.screen().to_vec() } else { Vec::new() };
        self.env.swap_picture(&mut picture);
        self.past = match replay {
            Some(replay) => {
                work.spare.give(picture);
                Past::Replay(Box::new(replay))
            }
            None => Past::Kept(Box::new(Kept { picture, last, before: None, calm: CALM - 1 })),
        };
        result.map(|_| true)
    }

    /// Runs the frames of a start. Gives the last two if they can be played again.
    fn begin_frames(&mut self, start: Start) -> Result<Option<Replay>, Error> {
        if let Some(seed) = start.seed {
            self.env.reload(seed)?;
            self.choose()?;
        }
        let last = if start.idle >= LAST { LAST } else { 0 };
        if start.next_life {
            if start.fires {
                self.env.act(Action::Fire, 1.0);
            }
            for _ in last..start.idle {
                self.env.act(Action::Noop, 1.0);
            }
        } else {
            self.env.reset_and_wait(start.fires, start.idle - last)?;
        }
        let mut replay = None;
        for left in (1..=last).rev() {
            if left == LAST {
                self.env.set_drawing(true);
                self.env.forget_picture();
                let start = Box::new(self.env.moment());
                let pooled = false;
                replay = Some(Replay { start, action: Action::Noop, strength: 1.0, frames: LAST, pooled });
            }
            self.env.act(Action::Noop, 1.0);
            if self.env.game_over() && !start.next_life {
                self.env.reset()?;
                replay = None;
            }
        }
        Ok(replay)
    }
}
