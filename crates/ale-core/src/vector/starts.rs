//! The start of an episode: reset, FIRE, idle frames.

use super::batch::Facts;
use super::config::{Autoreset, VectorConfig};
use super::past::{CALM, Kept, Past, Replay};
use super::steps::covered;
use super::sub::{Sub, Workspace};
use crate::action::Action;
use crate::console::Picture;
use crate::error::Error;
use crate::rng::Mt19937;

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
            self.env.swap_picture(&mut Picture::default());
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
        if config.keep_pictures || !self.begin_undrawn(start, work) {
            self.begin_drawn(start, work)?;
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

    /// Starts an episode of which only the last two frames are drawn. `false` when that does not do; nothing has
    /// changed then.
    fn begin_undrawn(&mut self, start: Start, work: &mut Workspace) -> bool {
        // Seeded starts are copied; there is little to win.
        if start.seed.is_some() || start.next_life || start.idle < 2 || !self.view.needs_pictures() {
            return false;
        }
        let now = self.env.moment();
        let mut picture = work.spare.take(self.height);
        self.env.swap_picture(&mut picture);
        self.env.set_drawing(false);
        let result = self.env.reset();
        if start.fires {
            self.env.act(Action::Fire, 1.0);
        }
        let mut replay = None;
        for left in (1..=start.idle).rev() {
            if left == 2 {
                self.env.set_drawing(true);
                let start = self.env.moment();
                let pooled = false;
                replay = Some(Replay { start, action: Action::Noop, strength: 1.0, frames: 2, pooled });
            }
            self.env.act(Action::Noop, 1.0);
            if self.env.game_over() {
                replay = None;
                break;
            }
        }
        self.env.set_drawing(true);
        let replay = replay.filter(|_| covered(&self.env) && result.is_ok());
        let done = replay.is_some();
        if let Some(replay) = replay {
            self.view.start(&self.env, &mut work.scratch);
            self.past = Past::Replay(Box::new(replay));
        } else {
            self.env.go_to(&now);
        }
        self.env.swap_picture(&mut picture);
        work.spare.give(picture);
        done
    }

    /// Starts an episode and keeps its pictures.
    fn begin_drawn(&mut self, start: Start, work: &mut Workspace) -> Result<(), Error> {
        let mut kept = match &mut self.past {
            Past::Kept(kept) => std::mem::take(kept),
            Past::Replay(_) if start.next_life => Box::new(self.play_again(work)),
            // A reset clears the buffers.
            Past::Replay(_) => Box::new(Kept { picture: work.spare.take(self.height), ..Kept::default() }),
        };
        self.env.swap_picture(&mut kept.picture);
        let result = self.begin_with_picture(start);
        self.view.start(&self.env, &mut work.scratch);
        kept.remember(self.env.screen(), None);
        kept.calm = CALM - 1;
        self.env.swap_picture(&mut kept.picture);
        self.past = Past::Kept(kept);
        result
    }

    fn begin_with_picture(&mut self, start: Start) -> Result<(), Error> {
        if let Some(seed) = start.seed {
            self.env.reload(seed)?;
            self.choose()?;
        }
        if !start.next_life {
            self.env.reset()?;
        }
        if start.fires {
            self.env.act(Action::Fire, 1.0);
        }
        for _ in 0..start.idle {
            self.env.act(Action::Noop, 1.0);
            if self.env.game_over() && !start.next_life {
                self.env.reset()?;
            }
        }
        Ok(())
    }
}
