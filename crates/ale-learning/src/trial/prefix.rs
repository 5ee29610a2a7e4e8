//! What a deterministic game did before need not be played again.
//!
//! The Brute repeats its best episode up to some decision. As long as history and action are in its tree, rewards and ends
//! come from there and no frame is emulated. Where the episode leaves the tree, the nearest stored state on the path is
//! restored and the few decisions since then are played. Frames are counted as if all had been played.

use std::collections::HashMap;

use ale_core::Error;
use ale_core::env::CoreState;

use super::{Agent, Episode, Stop, Trial};
use crate::brute::Brute;

/// Decisions between two stored states, at first; doubled whenever there are too many.
const SPACING: u64 = 16;
/// States that are stored at most: about 1.2 KB each.
const MAX_STATES: usize = 1 << 17;

/// How a known episode ended.
#[derive(Debug, Clone, Copy)]
struct Ending {
    /// Frames of the last decision.
    frames: u64,
    terminated: bool,
    truncated: bool,
}

/// States on the way, and ends that were reached.
pub(super) struct Prefixes {
    start: Option<CoreState>,
    /// By history: decisions so far, and the state.
    states: HashMap<u32, (u64, CoreState)>,
    spacing: u64,
    /// By the id of the recorded decision.
    endings: HashMap<u32, Ending>,
    /// Actions of this episode.
    actions: Vec<usize>,
}

impl Default for Prefixes {
    fn default() -> Self {
        Self {
            start: None,
            states: HashMap::new(),
            spacing: SPACING,
            endings: HashMap::new(),
            actions: Vec::new(),
        }
    }
}

impl Prefixes {
    /// The nearest stored state before the decision now, and how many decisions were before it.
    fn nearest(&self, brute: &Brute) -> Option<(u64, &CoreState)> {
        let now = brute.history().and_then(|history| self.states.get(&history));
        let found = now.or_else(|| brute.histories().rev().find_map(|history| self.states.get(&history)));
        found.map(|(steps, state)| (*steps, state)).or(self.start.as_ref().map(|state| (0, state)))
    }

    fn store(&mut self, history: u32, steps: u64, state: impl FnOnce() -> CoreState) {
        if !steps.is_multiple_of(self.spacing) || steps == 0 {
            return;
        }
        if self.states.len() >= MAX_STATES {
            self.spacing *= 2;
            self.states.retain(|_, (steps, _)| steps.is_multiple_of(self.spacing));
        }
        self.states.entry(history).or_insert_with(|| (steps, state()));
    }
}

impl Trial {
    /// [`Trial::episode`] of the Brute without sticky actions. Agent and records are as if every frame had been played.
    pub(super) fn episode_skipping_known(
        &mut self,
        prefixes: &mut Prefixes,
        stop: &Stop,
    ) -> Result<Option<Episode>, Error> {
        if prefixes.start.is_none() {
            self.reset(Some(self.seed))?;
            prefixes.start = Some(self.env.core_state());
        }
        prefixes.actions.clear();
        let skip = u64::from(self.env.config().frame_skip);
        let mut episode = Episode::default();
        let mut action = self.agent.begin(None);
        while let Some(known) = self.memory().known() {
            if known.over {
                let Some(ending) = prefixes.endings.get(&known.id) else {
                    break;
                };
                self.agent.end(known.reward);
                episode.score += known.reward;
                episode.steps += 1;
                episode.frames += ending.frames;
                (episode.terminated, episode.truncated) = (ending.terminated, ending.truncated);
                return Ok(Some(episode));
            }
            prefixes.actions.push(action);
            episode.score += known.reward;
            episode.steps += 1;
            episode.frames += skip;
            action = self.agent.step(known.reward, None);
        }
        self.catch_up(prefixes);
        let mut last = (None, 0);
        let played = self.play(episode, action, stop, |trial, steps| {
            if let Some(history) = trial.memory().history() {
                prefixes.store(history, steps, || trial.env.core_state());
            }
            last = (trial.memory().decision(), trial.env.frame_number());
        });
        if let (Some(decision), Some(episode)) = (last.0, &played)
            && let Some(id) = self.memory().ending(decision)
        {
            let (terminated, truncated) = (episode.terminated, episode.truncated);
            let frames = self.env.frame_number() - last.1;
            prefixes.endings.insert(id, Ending { frames, terminated, truncated });
        }
        Ok(played)
    }

    /// Brings the environment to the decision at which the episode leaves the recorded ones.
    fn catch_up(&mut self, prefixes: &Prefixes) {
        let (steps, state) = prefixes.nearest(self.memory()).expect("the start is stored");
        self.env.set_core_state(state);
        for &action in &prefixes.actions[steps as usize..] {
            self.env.act(self.actions[action], 1.0);
        }
    }

    fn memory(&self) -> &Brute {
        match &self.agent {
            Agent::Brute(memory) => memory.learner(),
            _ => unreachable!("only the Brute skips recorded decisions"),
        }
    }
}
