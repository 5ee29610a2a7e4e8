//! A step: some frames with one action, and what is shown of them.

use std::mem::swap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::config::VectorConfig;
use super::past::{CALM, Kept, Past, Replay};
use super::sub::{Sub, Workspace};
use super::view::{Shown, View};
use crate::action::Action;
use crate::env::Env;

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

impl Sub {
    pub(super) fn step(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
    ) {
        match &mut work.start {
            Some(start) => self.env.write_moment(start),
            start => *start = Some(Box::new(self.env.moment())),
        }
        let lean = matches!(self.past, Past::Replay(_));
        let ran = lean.then(|| self.step_lean(action, strength, config, stop, work)).flatten();
        let ran = ran.unwrap_or_else(|| self.step_drawn(action, strength, config, stop, work));

        let calm = match &self.past {
            Past::Replay(_) => true,
            Past::Kept(kept) => may_forget(kept, config),
        };
        if calm || !(self.view.needs_pictures() || config.keep_pictures) {
            let frames = config.frameskip - ran.left + u32::from(ran.left > 0);
            self.remember_start(action, strength, frames, pools(config) && ran.left == 0, work);
        }
        self.elapsed = ran.elapsed;
        self.over = ran.over;
        self.continues = ran.continues;
        self.facts.raw_reward = ran.reward;
        self.facts.episode_length = self.facts.episode_length.wrapping_add(1);
        self.episode_return += f64::from(ran.reward);
    }

    /// A step of which only the last two frames are drawn, into buffers of the worker. `None` when that does not do;
    /// the pictures are kept then and nothing else has changed.
    fn step_lean(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
    ) -> Option<Ran> {
        let mut picture = work.spare.take(self.height);
        self.env.swap_picture(&mut picture);
        let drawn = if self.view.needs_pictures() { 2 } else { 0 };
        self.env.set_gray(self.view.is_gray());
        let ran = self.run_frames(action, strength, config, stop, drawn, &mut work.before);
        self.env.set_gray(false);
        let done = match (&self.view, ran.left) {
            (View::Ram, _) => true,
            (_, 0) => covered(&self.env),
            (View::Screen { .. }, _) => false,
            // Brightening needs the pictures of the step before.
            (View::Frames { .. }, left) => left > 1 || !pools(config),
        };
        if done && ran.left == 0 {
            let before = pools(config).then(|| self.env.console().previous_screen());
            self.view.push_lean(&self.env, &Shown { last: self.env.screen(), before }, &mut work.scratch);
        } else if done {
            self.view.push_again();
        }
        if done {
            self.view.keep_screen(&self.env);
        }
        self.env.swap_picture(&mut picture);
        work.spare.give(picture);
        if done {
            return Some(ran);
        }
        self.past = Past::Kept(Box::new(self.play_again(work)));
        if let Some(start) = &work.start {
            self.env.go_to(start);
        }
        None
    }

    /// A step of which every frame is drawn into buffers that are kept.
    fn step_drawn(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        work: &mut Workspace,
    ) -> Ran {
        if matches!(self.past, Past::Replay(_)) {
            self.past = Past::Kept(Box::new(self.play_again(work)));
        }
        let mut picture = self.past.take_picture().unwrap_or_else(|| work.spare.take(self.height));
        // Not because they are wrong, but to see whether this step covers them.
        picture.forget();
        self.env.swap_picture(&mut picture);
        let ran = self.run_frames(action, strength, config, stop, u32::MAX, &mut work.before);
        if let Past::Kept(kept) = &mut self.past {
            let Workspace { scratch, native, before, .. } = work;
            let before = if ran.copied { before.as_slice() } else { self.env.console().previous_screen() };
            match (ran.left, pools(config).then_some(before)) {
                (0, before) => {
                    let last = self.env.screen();
                    self.view.push(&self.env, &Shown { last, before }, scratch);
                    kept.calm = if covered(&self.env) { kept.calm.saturating_add(1) } else { 0 };
                    if !may_forget(kept, config) {
                        kept.remember(last, before);
                    }
                }
                (1, Some(before)) => self.view.push_brightened(&self.env, kept, before, scratch, native),
                _ => self.view.push_again(),
            }
            if ran.left > 0 {
                kept.calm = 0;
            }
            self.view.keep_screen(&self.env);
            self.env.swap_picture(&mut picture);
            kept.picture = picture;
        }
        ran
    }

    /// Makes the pictures of the last step again. The state is that after the step.
    pub(super) fn play_again(&mut self, work: &mut Workspace) -> Kept {
        let mut picture = work.spare.take(self.height);
        self.env.swap_picture(&mut picture);
        let mut kept = match &self.past {
            Past::Replay(replay) => replay.play(&mut self.env),
            Past::Kept(kept) => (**kept).clone(),
        };
        self.env.swap_picture(&mut picture);
        kept.picture = picture;
        kept
    }

    /// Gives the pictures up: this step can be played again from `work.start`.
    fn remember_start(
        &mut self,
        action: Action,
        strength: f32,
        frames: u32,
        pooled: bool,
        work: &mut Workspace,
    ) {
        let Some(start) = &mut work.start else { return };
        match &mut self.past {
            Past::Replay(replay) => {
                swap(&mut replay.start, start);
                (replay.action, replay.strength) = (action, strength);
                (replay.frames, replay.pooled) = (frames, pooled);
            }
            Past::Kept(kept) => {
                work.spare.give(std::mem::take(&mut kept.picture));
                let start = start.clone();
                self.past = Past::Replay(Box::new(Replay { start, action, strength, frames, pooled }));
            }
        }
    }

    /// Runs the frames of a step, the last `drawn` of them with pixels.
    fn run_frames(
        &mut self,
        action: Action,
        strength: f32,
        config: &VectorConfig,
        stop: &AtomicBool,
        drawn: u32,
        before: &mut Vec<u8>,
    ) -> Ran {
        let mut ran = Ran {
            left: config.frameskip,
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
            ran.reward = ran.reward.wrapping_add(self.env.act(action, strength));
            ran.elapsed = ran.elapsed.saturating_add(1);
            let limited = ran.elapsed >= config.max_num_frames_per_episode;
            let life_ended = config.episodic_life && self.lost_life();
            if self.env.game_over() || limited || life_ended {
                ran.over = true;
                ran.continues = config.continue_lives && !self.env.game_over() && !limited;
                break;
            }
            // The next call would go on drawing this very frame.
            if ran.left == 2 && pools(config) && self.env.console().unfinished() {
                before.clear();
                before.extend_from_slice(self.env.screen());
                ran.copied = true;
            }
            ran.left -= 1;
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.env.set_drawing(true);
        ran
    }
}

/// Whether two frames of a step are shown as one. With one frame there is no other.
fn pools(config: &VectorConfig) -> bool {
    config.maxpool && config.frameskip > 1
}

/// Whether the pictures of a step that covered both buffers are of no more use: it can be played again.
fn may_forget(kept: &Kept, config: &VectorConfig) -> bool {
    kept.calm >= CALM && config.frameskip > 1 && !config.keep_pictures
}

/// Whether both buffers hold frames that were drawn since they were forgotten, and nothing older.
pub(super) fn covered(env: &Env) -> bool {
    env.picture().current_is_exact() && env.picture().previous_is_exact()
}
