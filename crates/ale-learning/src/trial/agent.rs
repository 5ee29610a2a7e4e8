//! The agents of a trial: what each looks at, and how what it sees becomes what its learner takes.

use ale_features::Input;
use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer};

use super::View;
use crate::baselines::Baseline;

/// One of the native agents.
pub enum Agent {
    /// Random, Const or Perturb.
    Baseline(Baseline),
}

impl Agent {
    /// What it looks at.
    pub fn view(&self) -> View {
        match self {
            Self::Baseline(_) => View::Nothing,
        }
    }

    /// Whether its pictures are the average of two frames.
    pub fn averages_colours(&self) -> bool {
        match self {
            Self::Baseline(_) => false,
        }
    }

    /// Whether it learns in the episodes that follow.
    pub fn set_learning(&mut self, _learning: bool) {
        match self {
            Self::Baseline(_) => {}
        }
    }

    /// The first action of an episode.
    pub fn begin(&mut self, _seen: Option<Input<'_>>) -> usize {
        match self {
            Self::Baseline(agent) => agent.act(),
        }
    }

    /// The next action, after what the last one brought.
    pub fn step(&mut self, _reward: f64, _seen: Option<Input<'_>>) -> usize {
        match self {
            Self::Baseline(agent) => agent.act(),
        }
    }

    /// The last action of an episode brought this.
    pub fn end(&mut self, _reward: f64) {
        match self {
            Self::Baseline(_) => {}
        }
    }

    /// Writes everything that it has learnt, and its generator.
    pub fn save(&self, out: &mut Writer) {
        match self {
            Self::Baseline(agent) => agent.save(out),
        }
    }

    /// Reads [`Agent::save`] of an agent with the same parameters.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged.
    pub fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        match self {
            Self::Baseline(agent) => agent.load(bytes),
        }
    }
}
