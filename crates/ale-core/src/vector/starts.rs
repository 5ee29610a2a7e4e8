//! The start of an episode: reset, FIRE, no-ops.

use ale_batch::{Context, Error};

use super::atari::{Atari, Workspace};
use super::options::VectorOptions;
use super::pictures::{MIN_COVERED_STEPS, Pictures, Replay, Stored};
use super::steps::covered;
use crate::action::Action;
use crate::rng::Mt19937;

/// Frames at the end of a start that are drawn: as many as there are picture buffers.
const LAST: u32 = 2;

/// How an episode starts.
#[derive(Clone, Copy, Default)]
pub(super) struct EpisodeStart {
    /// Of the machine.
    pub(super) seed: Option<u32>,
    /// Of the generator that wrappers draw from.
    pub(super) numpy_seed: Option<u32>,
    /// The game goes on with the next life instead of a reset.
    pub(super) next_life: bool,
    pub(super) fires: bool,
    pub(super) noops: u32,
}

impl Atari {
    /// Starts an episode.
    pub(super) fn begin(&mut self, seed: Option<u32>, context: &mut Context<'_, Self>) -> Result<(), Error> {
        let options = &context.options.options;
        let Context { workspace, poll, .. } = context;
        if let Some(seed) = seed {
            self.noops = Mt19937::new(seed);
        }
        let next_life = self.continues && seed.is_none();
        let fires = options.use_fire_reset && self.has_fire;
        let noops = if next_life {
            u32::from(!fires)
        } else {
            // Drawn in every reset; FIRE counts as one of the no-ops.
            self.noops.below(options.noop_max.max(1)).saturating_sub(u32::from(fires))
        };
        let start = EpisodeStart { seed, next_life, fires, noops, ..EpisodeStart::default() };
        self.start_episode(start, options, workspace, poll)?;
        self.elapsed = 0;
        self.continues = false;
        self.lives = self.env.lives();
        self.raw_reward = 0;
        self.episode_length = 0;
        self.episode_return = 0.0;
        Ok(())
    }

    /// Runs a start, most of it without pictures if that does.
    pub(super) fn start_episode(
        &mut self,
        start: EpisodeStart,
        options: &VectorOptions,
        workspace: &mut Workspace,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        // The first start of all is drawn, so that it can be stored.
        let known = start.seed.is_none() || self.env.knows_first_reset();
        let undrawn = known && !start.next_life && start.noops >= LAST && !options.keep_pictures;
        let done = undrawn && self.begin_with_picture(start, false, options, workspace, poll)?;
        if !done {
            self.begin_with_picture(start, true, options, workspace, poll)?;
        }
        Ok(())
    }

    /// Starts an episode, with all frames drawn or only the last two. `false` when the picture depends on frames that
    /// were not drawn; nothing has changed then.
    fn begin_with_picture(
        &mut self,
        start: EpisodeStart,
        drawn: bool,
        options: &VectorOptions,
        workspace: &mut Workspace,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        let now = (!drawn).then(|| self.env.moment());
        let mut picture = match &mut self.pictures {
            Pictures::Replay(_) if start.next_life => self.play_again(workspace).picture,
            Pictures::Stored(stored) if stored.picture.rows() == self.height => {
                std::mem::take(&mut stored.picture)
            }
            // A reset clears the buffers.
            _ => workspace.pictures.take(self.height),
        };
        self.env.swap_picture(&mut picture);
        self.env.set_drawing(drawn);
        let result = self.begin_frames(start, poll);
        self.env.set_drawing(true);

        let replay = result.as_ref().ok().cloned().flatten().filter(|_| covered(&self.env));
        let replay = replay.filter(|_| !options.keep_pictures);
        if let (None, Some(now)) = (&replay, &now) {
            self.env.go_to(now);
            self.env.swap_picture(&mut picture);
            workspace.pictures.give(picture);
            return Ok(false);
        }
        self.view.start(&self.env, &mut workspace.scratch);
        self.view.keep_screen(&self.env);
        let last = if replay.is_none() { self.env.screen().to_vec() } else { Vec::new() };
        self.env.swap_picture(&mut picture);
        self.pictures = match replay {
            Some(replay) => {
                workspace.pictures.give(picture);
                Pictures::Replay(Box::new(replay))
            }
            None => Pictures::Stored(Box::new(Stored {
                picture,
                last,
                before: None,
                covered_steps: MIN_COVERED_STEPS - 1,
            })),
        };
        result.map(|_| true)
    }

    /// Runs the frames of a start. Gives the last two if they can be played again.
    fn begin_frames(
        &mut self,
        start: EpisodeStart,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Replay>, Error> {
        self.seed_machine(start.seed, poll)?;
        let last = if start.noops >= LAST { LAST } else { 0 };
        if self.wrapped.is_some() {
            self.wait_wrapped(start, last, poll)?;
        } else if start.next_life {
            if start.fires {
                self.env.act(Action::Fire, 1.0);
            }
            for _ in last..start.noops {
                self.env.act(Action::Noop, 1.0);
            }
        } else {
            self.env.reset_and_wait(start.fires, start.noops - last, poll)?;
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
            if self.wrapped.is_some() {
                if self.wait_step(start, poll)? {
                    replay = None;
                }
                continue;
            }
            self.env.act(Action::Noop, 1.0);
            if self.env.game_over() && !start.next_life {
                self.env.reset_polled(poll)?;
                replay = None;
            }
        }
        Ok(replay)
    }

    /// Loads the machine anew, if there is a seed.
    pub(super) fn seed_machine(
        &mut self,
        seed: Option<u32>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        if let Some(seed) = seed {
            self.env.reload_polled(seed, poll)?;
            self.choose()?;
        }
        Ok(())
    }
}
