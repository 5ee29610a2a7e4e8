//! The agents of a trial: what each looks at, and how what it sees becomes what its learner takes.

use ale_features::{Active, FeatureSet, Input, InputKind};
use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer};
use ale_sim::rng::Xoshiro256;

use super::View;
use crate::baselines::{Baseline, generator};
use crate::brute::Brute;
use crate::sarsa::{Features, Sarsa};

/// One of the native agents.
pub enum Agent {
    /// Random, Const or Perturb.
    Baseline(Baseline),
    /// SARSA over a set of features.
    Sarsa(Box<Linear>),
    /// The Brute.
    Brute(Box<Memory>),
}

impl Agent {
    /// What it looks at.
    pub fn view(&self) -> View {
        match self {
            Self::Sarsa(agent) => match agent.set.input() {
                InputKind::Ram => View::Ram,
                InputKind::Screen => View::Screen,
            },
            Self::Brute(agent) if agent.looks => View::Screen,
            Self::Baseline(_) | Self::Brute(_) => View::Nothing,
        }
    }

    /// Whether its pictures are the average of two frames.
    pub fn averages_colours(&self) -> bool {
        matches!(self, Self::Sarsa(agent) if agent.averages_colours)
    }

    /// Whether every episode must begin at the same state.
    pub fn restarts(&self) -> bool {
        matches!(self, Self::Brute(agent) if !agent.looks)
    }

    /// Whether what it knows of the game need not be played again.
    pub fn skips_known(&self) -> bool {
        matches!(self, Self::Brute(agent) if agent.skips_known && !agent.looks)
    }

    /// Whether it learns in the episodes that follow.
    pub fn set_learning(&mut self, learning: bool) {
        match self {
            Self::Baseline(_) => {}
            Self::Sarsa(agent) => agent.learner.set_learning(learning),
            Self::Brute(agent) => agent.learner.set_learning(learning),
        }
    }

    /// The first action of an episode.
    pub fn begin(&mut self, seen: Option<Input<'_>>) -> usize {
        match self {
            Self::Baseline(agent) => agent.act(),
            Self::Sarsa(agent) => {
                agent.set.reset();
                agent.look(seen);
                agent.learner.begin(Features { indices: &agent.seen.indices, counts: &agent.seen.counts })
            }
            Self::Brute(agent) => agent.learner.begin(observation(seen)),
        }
    }

    /// The next action, after what the last one brought.
    pub fn step(&mut self, reward: f64, seen: Option<Input<'_>>) -> usize {
        match self {
            Self::Baseline(agent) => agent.act(),
            Self::Sarsa(agent) => {
                agent.look(seen);
                agent
                    .learner
                    .step(reward, Features { indices: &agent.seen.indices, counts: &agent.seen.counts })
            }
            Self::Brute(agent) => agent.learner.step(reward, observation(seen)),
        }
    }

    /// The last action of an episode brought this.
    pub fn end(&mut self, reward: f64) {
        match self {
            Self::Baseline(_) => {}
            Self::Sarsa(agent) => agent.learner.end(reward),
            Self::Brute(agent) => agent.learner.end(reward),
        }
    }

    /// Writes everything that it has learnt, and its generators.
    pub fn save(&self, out: &mut Writer) {
        match self {
            Self::Baseline(agent) => agent.save(out),
            Self::Sarsa(agent) => {
                agent.learner.save(out);
                let words = agent.shuffle.as_ref().map_or([1; 4], Xoshiro256::words);
                for word in words {
                    out.u64(word);
                }
            }
            Self::Brute(agent) => agent.learner.save(out),
        }
    }

    /// Reads [`Agent::save`] of an agent with the same parameters.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged.
    pub fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        match self {
            Self::Baseline(agent) => agent.load(bytes),
            Self::Sarsa(agent) => {
                agent.learner.load(bytes)?;
                let words = generator(bytes)?;
                agent.shuffle = agent.shuffle.is_some().then_some(words);
                Ok(())
            }
            Self::Brute(agent) => agent.learner.load(bytes),
        }
    }
}

/// SARSA and the features that it looks at.
pub struct Linear {
    set: Box<dyn FeatureSet>,
    learner: Sarsa,
    averages_colours: bool,
    seen: Active,
    /// The negative control: features are numbered anew at every decision.
    shuffle: Option<Xoshiro256>,
}

impl Linear {
    /// An agent from a set at the start of an episode and a learner with as many features, the bias included.
    pub fn new(set: Box<dyn FeatureSet>, learner: Sarsa, averages_colours: bool, shuffled: bool) -> Self {
        let shuffle = shuffled.then(|| Xoshiro256::new(learner.config().seed ^ 0x5348_5546));
        Self { set, learner, averages_colours, seen: Active::default(), shuffle }
    }

    /// The learner.
    pub fn learner(&self) -> &Sarsa {
        &self.learner
    }

    fn look(&mut self, seen: Option<Input<'_>>) {
        let input = seen.expect("an agent with features looks");
        self.set.active(input, &mut self.seen).expect("the view is of the kind that the set wants");
        if let Some(rng) = &mut self.shuffle {
            let count = self.learner.config().num_features as u64;
            let offset = rng.below(count);
            for index in &mut self.seen.indices {
                *index = ((u64::from(*index) + offset) % count) as u32;
            }
        }
    }
}

/// The Brute and how it sees.
pub struct Memory {
    learner: Brute,
    /// It sees pictures. Without sticky actions they add nothing: actions and rewards determine them.
    looks: bool,
    skips_known: bool,
}

impl Memory {
    /// An agent. In a deterministic game it need not look, and what it knows need not be played again.
    pub fn new(learner: Brute, looks: bool, skips_known: bool) -> Self {
        Self { learner, looks, skips_known }
    }

    /// The learner.
    pub fn learner(&self) -> &Brute {
        &self.learner
    }
}

/// A hash of a picture, eight pixels at a time: multiply and fold.
fn observation(seen: Option<Input<'_>>) -> u64 {
    let Some(Input::Screen(screen)) = seen else {
        return 0;
    };
    let (words, _) = screen.pixels().as_chunks();
    words.iter().fold(0x9E37_79B9_7F4A_7C15, |hash, word| {
        let product = u128::from(hash ^ u64::from_le_bytes(*word)) * 0xA076_1D64_78BD_642F;
        product as u64 ^ (product >> 64) as u64
    })
}
