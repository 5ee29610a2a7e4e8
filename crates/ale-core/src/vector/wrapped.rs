//! Resets and steps as gymnasium's usual wrappers make them: no-op starts, the maximum of two frames, the loss of a
//! life as the end, FIRE at the start.
//!
//! ```text
//! FireReset       a start is FIRE and the third action, each a step of an agent          reset_wrapped
//!   EpisodicLife  the loss of a life is the end; a reset then is a step without action   start_life, step_life
//!     MaxAndSkip  frameskip frames with one action; the brighter colours of the last two  play (steps.rs)
//!       NoopReset 1 to noop_max steps without action, drawn from numpy's generator      start_game
//!         Sticky  a step repeats the action of the one before, by that generator          act_wrapped
//!           Monitor counts steps of the environment and sums its rewards                  elapsed, episode_return
//!             AtariEnv one frame, or as many as the id says
//! ```
//!
//! With the same seeds and actions the results are those of `stable_baselines3.common.atari_wrappers.AtariWrapper`.

use ale_batch::{Context, Error, Step};
use ale_sim::bytes::{Reader, Writer, damaged};

use super::atari::{Atari, Workspace};
use super::options::Wrappers;
use super::pictures::{Pictures, Stored};
use super::starts::EpisodeStart;
use crate::action::Action;
use crate::frame::WIDTH;
use crate::rng::{Pcg64, SeedSequence};

/// What the wrappers keep between calls.
#[derive(Clone)]
pub(super) struct Wrapped {
    options: Wrappers,
    /// The generator of the environment, which wrappers draw from.
    rng: Pcg64,
    /// The last step of an agent ended the game, not only a life.
    ended: bool,
    /// The action that sticky frames repeat.
    repeated: Action,
    /// The last two frames that `MaxAndSkip` saw, from before the start of this game: the second-to-last one first.
    /// A step that ends early shows them again. `None` once the game has filled both anew.
    pub(super) stale: Option<[Vec<u8>; 2]>,
}

impl Wrapped {
    pub(super) fn new(options: Wrappers, seed: u32) -> Self {
        Self { options, rng: Pcg64::new(seed.into()), ended: true, repeated: Action::Noop, stale: None }
    }

    /// The action of a step of the environment, and its number of frames.
    fn draw(&mut self, action: Action) -> (Action, u32) {
        let Wrappers { action_repeat_probability, frames: (low, high), .. } = self.options;
        if action_repeat_probability == 0.0 || self.rng.next_double() >= action_repeat_probability {
            self.repeated = action;
        }
        (self.repeated, low + self.rng.below(high - low))
    }

    /// Whether a step of the environment is one frame, always.
    pub(super) fn steps_are_frames(&self) -> bool {
        self.options.frames == (1, 2)
    }

    /// The two frames that a step shows which ended before its last frame. `drawn` is its second-to-last one, if it got
    /// so far; the others are of the step before.
    pub(super) fn shown_early(
        &mut self,
        stored: &Stored,
        drawn: Option<&[u8]>,
        height: usize,
    ) -> &[Vec<u8>; 2] {
        let stale = self.stale.get_or_insert_with(|| frames_of(stored, height));
        if let Some(drawn) = drawn {
            drawn.clone_into(&mut stale[0]);
        }
        stale
    }

    /// The next reset is one of the machine.
    pub(super) fn forget(&mut self) {
        self.ended = true;
        self.stale = None;
    }

    pub(super) fn write(&self, out: &mut Writer) {
        let (state, increment, half) = self.rng.parts();
        out.raw(&state.to_le_bytes()).raw(&increment.to_le_bytes());
        out.flag(half.is_some()).u32(half.unwrap_or(0));
        out.flag(self.ended).u8(self.repeated as u8);
        let [before, last] = self.stale.as_ref().map_or([&[][..]; 2], |stale| [&stale[0], &stale[1]]);
        out.part(before).part(last);
    }

    /// Reads what [`Wrapped::write`] wrote; `screen` is the number of pixels of a frame.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>, screen: usize) -> Result<(), Error> {
        let [state, increment] = [reader.array()?, reader.array()?].map(u128::from_le_bytes);
        let half = (reader.flag()?, reader.u32()?);
        self.rng = Pcg64::from_parts(state, increment, half.0.then_some(half.1));
        self.ended = reader.flag()?;
        self.repeated = *Action::ALL.get(usize::from(reader.u8()?)).ok_or_else(damaged)?;
        let stale = [reader.part()?, reader.part()?];
        self.stale = match stale.map(<[u8]>::len) {
            [0, 0] => None,
            lens if lens == [screen; 2] => Some(stale.map(<[u8]>::to_vec)),
            _ => return Err(damaged()),
        };
        Ok(())
    }
}

/// The last two frames of a step; black ones where there are none.
fn frames_of(stored: &Stored, height: usize) -> [Vec<u8>; 2] {
    let black = || vec![0; height * WIDTH];
    match &stored.before {
        Some(before) => [before.clone(), stored.last.clone()],
        None => [black(), black()],
    }
}

impl Atari {
    /// A reset of the outermost wrapper.
    pub(super) fn reset_wrapped(
        &mut self,
        seed: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Result<(), Error> {
        let earlier = self.episode_return;
        let mut new_game = self.start_life(seed, context)?;
        if self.has_fire {
            if self.step_life(Action::Fire, context).over {
                new_game |= self.start_life(seed, context)?;
            }
            let third = context.options.actions.get(2).copied().unwrap_or(Action::Noop);
            if self.step_life(third, context).over {
                // What is shown is still the step.
                let newest = self.view.newest().to_vec();
                new_game |= self.start_life(seed, context)?;
                self.view.push_frame(&newest);
            }
        }
        self.view.start_with_newest();
        self.raw_reward = (self.episode_return - if new_game { 0.0 } else { earlier }) as i32;
        Ok(())
    }

    /// The game goes on with the next life, or a new one begins. Says whether it is new.
    fn start_life(&mut self, seed: Option<u64>, context: &mut Context<'_, Self>) -> Result<bool, Error> {
        let Some(Wrapped { options, ended, .. }) = &self.wrapped else { return Ok(false) };
        let goes_on = options.terminal_on_life_loss && !ended && {
            self.play(Action::Noop, 1.0, context);
            !self.env.game_over()
        };
        if !goes_on {
            self.start_game(seed, context)?;
        }
        self.lives = self.env.lives();
        Ok(!goes_on)
    }

    /// A step of an agent. The reward is not clipped.
    pub(super) fn step_life(&mut self, action: Action, context: &mut Context<'_, Self>) -> Step<i32> {
        self.play(action, 1.0, context);
        let mut terminated = self.env.terminal();
        let truncated = self.env.truncated();
        if let Some(Wrapped { options: Wrappers { terminal_on_life_loss: true, .. }, ended, .. }) =
            &mut self.wrapped
        {
            *ended = terminated || truncated;
            terminated |= self.lost_life();
        }
        self.lives = self.env.lives();
        Step { reward: self.raw_reward, terminated, truncated, over: terminated || truncated }
    }

    /// Resets the machine and waits.
    fn start_game(&mut self, seed: Option<u64>, context: &mut Context<'_, Self>) -> Result<(), Error> {
        self.keep_frames(context.workspace);
        let Some(wrapped) = &mut self.wrapped else { return Ok(()) };
        // Two seeds are made of one, for numpy and for the machine.
        let seeds = seed.map(|seed| SeedSequence::new(seed).words::<2>());
        if let Some([numpy, _]) = seeds {
            wrapped.rng = Pcg64::new(numpy.into());
        }
        wrapped.repeated = Action::Noop;
        let noop_max = wrapped.options.noop_max;
        let noops = if noop_max > 0 { 1 + wrapped.rng.below(noop_max) } else { 0 };
        let start = EpisodeStart {
            seed: seeds.map(|[_, seed]| seed),
            numpy_seed: seeds.map(|[seed, _]| seed),
            noops,
            ..EpisodeStart::default()
        };
        self.start_episode(start, &context.options.options, context.workspace, context.poll)
    }

    /// Keeps the frames of the last step, which the first step of the next game may show once more.
    fn keep_frames(&mut self, workspace: &mut Workspace) {
        if self.wrapped.as_ref().is_none_or(|wrapped| wrapped.stale.is_some()) {
            return;
        }
        let stale = match &self.pictures {
            Pictures::Stored(stored) => stored.before.is_some().then(|| frames_of(stored, self.height)),
            Pictures::Replay(replay) if replay.pooled => {
                let now = self.env.moment();
                let stored = self.play_again(workspace);
                self.env.go_to(&now);
                let frames = frames_of(&stored, self.height);
                workspace.pictures.give(stored.picture);
                Some(frames)
            }
            Pictures::Replay(_) => None,
        };
        if let Some(wrapped) = &mut self.wrapped {
            wrapped.stale = stale;
        }
    }

    /// A step of the environment below the wrappers, or a frame if there are none.
    pub(super) fn act_wrapped(&mut self, action: Action, strength: f32) -> i32 {
        let Some(wrapped) = &mut self.wrapped else { return self.env.act(action, strength) };
        let (action, frames) = wrapped.draw(action);
        (0..frames).fold(0, |reward, _| self.env.act(action, strength).wrapping_add(reward))
    }

    /// Runs the steps of a start but the last `left`; the sum of rewards and their count begin anew with it.
    pub(super) fn wait_wrapped(
        &mut self,
        start: EpisodeStart,
        left: u32,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        self.env.reset_polled(poll)?;
        (self.elapsed, self.episode_return) = (0, 0.0);
        for _ in left..start.noops {
            if poll() {
                return Err(Error::Interrupted);
            }
            self.wait_step(start, poll)?;
        }
        Ok(())
    }

    /// A step of a start. Says whether the game ended with it and was reset.
    pub(super) fn wait_step(
        &mut self,
        start: EpisodeStart,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        self.episode_return += f64::from(self.act_wrapped(Action::Noop, 1.0));
        self.elapsed += 1;
        let over = self.env.game_over();
        if over {
            if let (Some(wrapped), Some(seed)) = (&mut self.wrapped, start.numpy_seed) {
                wrapped.rng = Pcg64::new(seed.into());
            }
            self.seed_machine(start.seed, poll)?;
            self.env.reset_polled(poll)?;
            (self.elapsed, self.episode_return) = (0, 0.0);
        }
        Ok(over)
    }
}
