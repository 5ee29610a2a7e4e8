//! A step: some frames with one action, and what is shown of them.

use std::mem::swap;

use ale_batch::Context;

use super::atari::{Atari, Workspace};
use super::options::VectorOptions;
use super::pictures::{MIN_COVERED_STEPS, Pictures, Replay, Stored};
use super::view::{Shown, View};
use crate::action::Action;
use crate::env::Env;

/// What a step is to do.
#[derive(Clone, Copy)]
struct Request<'a> {
    action: Action,
    strength: f32,
    options: &'a VectorOptions,
}

/// How the frames of a step went.
struct Ran {
    /// Frames that were to come when the step ended.
    left: u32,
    reward: i32,
    elapsed: i64,
    over: bool,
    continues: bool,
    /// The frame before the last one had to be copied.
    copied: bool,
}

impl Atari {
    /// Plays a step and says whether the episode is over.
    pub(super) fn play(&mut self, action: Action, strength: f32, context: &mut Context<'_, Self>) -> bool {
        let Context { options, workspace, poll } = context;
        let options = &options.options;
        let request = Request { action, strength, options };
        match &mut workspace.start {
            Some(start) => self.env.write_moment(start),
            start => *start = Some(Box::new(self.env.moment())),
        }
        let replayed = matches!(self.pictures, Pictures::Replay(_));
        let ran = replayed.then(|| self.step_skipping(request, workspace, poll)).flatten();
        let ran = ran.unwrap_or_else(|| self.step_drawn(request, workspace, poll));

        let replayable = match &self.pictures {
            Pictures::Replay(_) => true,
            Pictures::Stored(stored) => can_drop(stored, options),
        };
        if replayable || !(self.view.needs_pictures() || options.keep_pictures) {
            let frames = options.frameskip - ran.left + u32::from(ran.left > 0);
            self.drop_pictures(request, frames, pools(options) && ran.left == 0, workspace);
        }
        if let Some(wrapped) = self.wrapped.as_mut().filter(|_| ran.left == 0) {
            wrapped.stale = None;
        }
        self.elapsed = ran.elapsed;
        self.continues = ran.continues;
        self.raw_reward = ran.reward;
        self.episode_length = self.episode_length.wrapping_add(1);
        self.episode_return += f64::from(ran.reward);
        ran.over
    }

    /// A step of which only the last two frames are drawn, into buffers of the thread. `None` when that does not do;
    /// the pictures are stored then and nothing else has changed.
    fn step_skipping(
        &mut self,
        request: Request<'_>,
        workspace: &mut Workspace,
        poll: &mut dyn FnMut() -> bool,
    ) -> Option<Ran> {
        let options = request.options;
        let mut picture = workspace.pictures.take(self.height);
        self.env.swap_picture(&mut picture);
        let drawn = if self.view.needs_pictures() { 2 } else { 0 };
        self.env.set_gray(self.view.is_gray());
        let ran = self.run_frames(request, drawn, &mut workspace.before, poll);
        self.env.set_gray(false);
        let done = match (&self.view, ran.left) {
            (View::Ram, _) => true,
            (_, 0) => covered(&self.env),
            (View::Screen { .. }, _) => false,
            // Brightening needs the pictures of the step before.
            (View::Frames { .. }, left) => self.wrapped.is_none() && (left > 1 || !pools(options)),
        };
        if done && ran.left == 0 {
            let before = pools(options).then(|| self.env.console().previous_screen());
            self.view.push_drawn(
                &self.env,
                &Shown { last: self.env.screen(), before },
                &mut workspace.scratch,
            );
        } else if done {
            self.view.push_again();
        }
        if done {
            self.view.keep_screen(&self.env);
        }
        self.env.swap_picture(&mut picture);
        workspace.pictures.give(picture);
        if done {
            return Some(ran);
        }
        self.pictures = Pictures::Stored(Box::new(self.play_again(workspace)));
        if let Some(start) = &workspace.start {
            self.env.go_to(start);
        }
        None
    }

    /// A step of which every frame is drawn into buffers that are stored.
    fn step_drawn(
        &mut self,
        request: Request<'_>,
        workspace: &mut Workspace,
        poll: &mut dyn FnMut() -> bool,
    ) -> Ran {
        let options = request.options;
        if matches!(self.pictures, Pictures::Replay(_)) {
            self.pictures = Pictures::Stored(Box::new(self.play_again(workspace)));
        }
        let mut picture =
            self.pictures.take_picture().unwrap_or_else(|| workspace.pictures.take(self.height));
        // Not because they are wrong, but to see whether this step covers them.
        picture.forget();
        self.env.swap_picture(&mut picture);
        let ran = self.run_frames(request, u32::MAX, &mut workspace.before, poll);
        if let Pictures::Stored(stored) = &mut self.pictures {
            let Workspace { scratch, native, before, .. } = workspace;
            let before = if ran.copied { before.as_slice() } else { self.env.console().previous_screen() };
            match (ran.left, pools(options).then_some(before)) {
                (left @ 1.., _) if let Some(wrapped) = &mut self.wrapped => {
                    let drawn = (left == 1).then(|| self.env.screen());
                    let [before, last] = wrapped.shown_early(stored, drawn, self.height);
                    self.view.push(&self.env, &Shown { last, before: Some(before) }, scratch);
                }
                (0, before) => {
                    let last = self.env.screen();
                    self.view.push(&self.env, &Shown { last, before }, scratch);
                    stored.covered_steps =
                        if covered(&self.env) { stored.covered_steps.saturating_add(1) } else { 0 };
                    if !can_drop(stored, options) {
                        stored.remember(last, before);
                    }
                }
                (1, Some(before)) => self.view.push_brightened(&self.env, stored, before, scratch, native),
                _ => self.view.push_again(),
            }
            if ran.left > 0 {
                stored.covered_steps = 0;
            }
            self.view.keep_screen(&self.env);
            self.env.swap_picture(&mut picture);
            stored.picture = picture;
        }
        ran
    }

    /// Makes the pictures of the last step again. The state is that after the step.
    pub(super) fn play_again(&mut self, workspace: &mut Workspace) -> Stored {
        let mut picture = workspace.pictures.take(self.height);
        self.env.swap_picture(&mut picture);
        let mut stored = match &self.pictures {
            Pictures::Replay(replay) => replay.play(&mut self.env),
            Pictures::Stored(stored) => (**stored).clone(),
        };
        self.env.swap_picture(&mut picture);
        stored.picture = picture;
        stored
    }

    /// Gives the pictures up: this step can be played again from `workspace.start`.
    fn drop_pictures(&mut self, request: Request<'_>, frames: u32, pooled: bool, workspace: &mut Workspace) {
        let Some(start) = &mut workspace.start else { return };
        let Request { action, strength, .. } = request;
        match &mut self.pictures {
            Pictures::Replay(replay) => {
                swap(&mut replay.start, start);
                (replay.action, replay.strength) = (action, strength);
                (replay.frames, replay.pooled) = (frames, pooled);
            }
            Pictures::Stored(stored) => {
                workspace.pictures.give(std::mem::take(&mut stored.picture));
                let start = start.clone();
                self.pictures =
                    Pictures::Replay(Box::new(Replay { start, action, strength, frames, pooled }));
            }
        }
    }

    /// Runs the frames of a step, the last `drawn` of them with pixels.
    fn run_frames(
        &mut self,
        request: Request<'_>,
        drawn: u32,
        before: &mut Vec<u8>,
        poll: &mut dyn FnMut() -> bool,
    ) -> Ran {
        let Request { action, strength, options } = request;
        let mut ran = Ran {
            left: options.frameskip,
            reward: 0,
            elapsed: self.elapsed,
            over: false,
            continues: false,
            copied: false,
        };
        self.env.set_drawing(drawn >= ran.left);
        while ran.left > 0 {
            if ran.left == drawn {
                self.env.set_drawing(true);
            }
            ran.reward = ran.reward.wrapping_add(self.act_wrapped(action, strength));
            ran.elapsed = ran.elapsed.saturating_add(1);
            let limited = ran.elapsed >= options.max_num_frames_per_episode;
            let life_ended = options.episodic_life && self.lost_life();
            if self.env.game_over() || limited || life_ended {
                ran.over = true;
                ran.continues = options.continue_lives && !self.env.game_over() && !limited;
                // Reference: a step that ends with its last frame does not show it. Wrappers do.
                ran.left -= u32::from(self.wrapped.is_some());
                break;
            }
            // The next call would go on drawing this very frame, or draw more than one.
            let overwritten = || {
                self.env.console().unfinished()
                    || self.wrapped.as_ref().is_some_and(|w| !w.steps_are_frames())
            };
            if ran.left == 2 && pools(options) && overwritten() {
                before.clear();
                before.extend_from_slice(self.env.screen());
                ran.copied = true;
            }
            ran.left -= 1;
            if poll() {
                break;
            }
        }
        self.env.set_drawing(true);
        ran
    }
}

/// Whether two frames of a step are shown as one. With one frame there is no other.
fn pools(options: &VectorOptions) -> bool {
    options.maxpool && options.frameskip > 1
}

/// Whether the pictures of a step that covered both buffers are of no more use: it can be played again.
fn can_drop(stored: &Stored, options: &VectorOptions) -> bool {
    stored.covered_steps >= MIN_COVERED_STEPS && options.frameskip > 1 && !options.keep_pictures
}

/// Whether both buffers hold frames that were drawn since they were forgotten, and nothing older.
pub(super) fn covered(env: &Env) -> bool {
    env.picture().current_is_exact() && env.picture().previous_is_exact()
}
