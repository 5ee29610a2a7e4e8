//! SARSA(lambda) with linear function approximation over binary features, replacing traces, and first-reward scaling.
//!
//! ```text
//! Q(F, a) = sum of w[f][a] over f in F
//! step    delta = r / scale + discount * Q(F', a') - Q(F, a)
//!         w += step_size / (most features ever active) * delta * trace        for all live traces
//! ```
//!
//! Traces are lazy, and sums follow what changes (`sarsa/weights.rs`). A replacing trace is a function of its age alone, so
//! what a weight has gained since its trace was set at step `m` is `gains[m]`: one number for all weights with that mark.
//! A step adds to the newest [`life`](Sarsa::trace_life) gains, and touches the weights of features that come or go. The
//! eager twin is `crates/ale-learning/tests/sarsa.rs`.

mod approximator;
mod file;
mod slots;
mod weights;

use ale_sim::rng::Xoshiro256;
use approximator::Approximator;

/// A trace below this is dropped.
const THRESHOLD: f64 = 0.01;
/// The greatest `discount * trace_decay` below 1: traces live for 46,050 decisions. Memory grows with that number.
const SLOWEST_DECAY: f64 = 0.9999;
/// The most actions that a learner can have.
pub const MAX_ACTIONS: usize = 32;

/// Parameters of [`Sarsa`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    /// Number of features; indices are below it.
    pub num_features: usize,
    /// Number of actions, at most [`MAX_ACTIONS`].
    pub num_actions: usize,
    /// The step size, to be divided by the largest number of features ever active.
    pub step_size: f64,
    /// Discount of a decision.
    pub discount: f64,
    /// Lambda.
    pub trace_decay: f64,
    /// Probability of a uniform action.
    pub exploration: f64,
    /// Seed of exploration and of ties.
    pub seed: u64,
    /// Setting a trace clears those of the other actions for the same feature.
    pub clear_other_actions: bool,
}

impl Config {
    /// Refuses what makes no sense, with what is accepted.
    ///
    /// # Errors
    /// The text for the user.
    pub fn check(&self) -> Result<(), String> {
        let unit = |name: &str, value: f64| {
            if (0.0..=1.0).contains(&value) {
                return Ok(());
            }
            Err(format!("{name} is {value}; accepted: 0 to 1"))
        };
        if !(1..=u32::MAX as usize - 1).contains(&self.num_features) {
            return Err(format!("num_features is {}; accepted: 1 to 4294967294", self.num_features));
        }
        if !(1..=MAX_ACTIONS).contains(&self.num_actions) {
            return Err(format!("num_actions is {}; accepted: 1 to {MAX_ACTIONS}", self.num_actions));
        }
        if !(self.step_size >= 0.0 && self.step_size.is_finite()) {
            return Err(format!("step_size is {}; accepted: a number of 0 and more", self.step_size));
        }
        unit("discount", self.discount)?;
        unit("trace_decay", self.trace_decay)?;
        let decay = self.discount * self.trace_decay;
        if decay > SLOWEST_DECAY && decay < 1.0 {
            return Err(format!("discount * trace_decay is {decay}; accepted: 0 to {SLOWEST_DECAY}, and 1"));
        }
        unit("exploration", self.exploration)
    }
}

/// The features that are on at one decision.
#[derive(Debug, Clone, Copy)]
pub struct Features<'a> {
    /// Their indices, each once.
    pub indices: &'a [u32],
    /// How often each is on; empty when every count is 1.
    pub counts: &'a [u32],
}

/// The decision that waits for its reward.
#[derive(Debug, Clone, Default, PartialEq)]
struct Pending {
    action: usize,
    /// The value of the action when its trace was set.
    value: f64,
    /// Features that were active.
    active: usize,
}

/// The learner.
#[derive(Debug, Clone)]
pub struct Sarsa {
    config: Config,
    rng: Xoshiro256,
    weights: Box<dyn Approximator>,
    trace_life: Option<usize>,
    max_active: usize,
    /// The size of the first reward that was not 0.
    scale: Option<f64>,
    pending: Option<Pending>,
    values: Vec<f64>,
    learning: bool,
}

impl Sarsa {
    /// A learner whose weights are 0.
    ///
    /// # Errors
    /// As [`Config::check`].
    pub fn new(config: Config) -> Result<Self, String> {
        config.check()?;
        let decay = config.discount * config.trace_decay;
        let ages = |age: &u32| decay.powi(*age as i32) >= THRESHOLD;
        let decay = if decay >= 1.0 {
            Vec::new()
        } else {
            (0..u32::MAX).take_while(ages).map(|age| decay.powi(age as i32)).collect()
        };
        Ok(Self {
            rng: Xoshiro256::new(config.seed),
            trace_life: (!decay.is_empty()).then_some(decay.len()),
            weights: approximator::new(config.num_features, config.num_actions, decay),
            max_active: 0,
            scale: None,
            pending: None,
            values: vec![0.0; config.num_actions],
            learning: true,
            config,
        })
    }

    /// Its parameters.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Updates that a trace takes part in once it is set; `None` when traces never die.
    pub fn trace_life(&self) -> Option<usize> {
        self.trace_life
    }

    /// Whether the episodes that follow are learnt from. Exploration stays as it is.
    pub fn set_learning(&mut self, learning: bool) {
        self.learning = learning;
    }

    /// Changes the probability of a uniform action.
    pub fn set_exploration(&mut self, exploration: f64) {
        self.config.exploration = exploration;
    }

    /// Features that have a row of weights.
    pub fn rows_in_use(&self) -> usize {
        self.weights.rows()
    }

    /// Begins an episode: the first action.
    pub fn begin(&mut self, active: Features<'_>) -> usize {
        self.weights.begin();
        let action = self.choose(active);
        self.set_trace(action, active);
        action
    }

    /// The action after `reward`, which the one before brought.
    pub fn step(&mut self, reward: f64, active: Features<'_>) -> usize {
        let reward = self.scaled(reward);
        let last = self.pending.take();
        let action = self.choose(active);
        if let Some(last) = last {
            self.update(&last, reward + self.config.discount * self.values[action]);
        }
        self.set_trace(action, active);
        action
    }

    /// Ends an episode: the last action brought `reward`.
    pub fn end(&mut self, reward: f64) {
        let reward = self.scaled(reward);
        if let Some(last) = self.pending.take() {
            self.update(&last, reward);
        }
        self.weights.begin();
    }

    /// The value of every action.
    pub fn q(&self, active: Features<'_>, values: &mut [f64]) {
        values.fill(0.0);
        for (place, &feature) in active.indices.iter().enumerate() {
            let count = active.counts.get(place).map_or(1.0, |&count| f64::from(count));
            for (action, value) in values.iter_mut().enumerate() {
                *value += self.weights.weight(feature, action) * count;
            }
        }
    }

    /// The weight of a feature and an action.
    pub fn weight(&self, feature: u32, action: usize) -> f64 {
        self.weights.weight(feature, action)
    }

    fn scaled(&mut self, reward: f64) -> f64 {
        if self.scale.is_none() && reward != 0.0 && self.learning {
            self.scale = Some(reward.abs());
        }
        reward / self.scale.unwrap_or(1.0)
    }

    /// An action by the values of all, which stay in `values`.
    fn choose(&mut self, active: Features<'_>) -> usize {
        self.weights.look(active);
        self.weights.values(&mut self.values);
        if self.rng.next_double() < self.config.exploration {
            return self.rng.below(self.config.num_actions as u64) as usize;
        }
        greedy(&self.values, &mut self.rng)
    }

    fn set_trace(&mut self, action: usize, active: Features<'_>) {
        if !self.learning {
            return;
        }
        let value = self.weights.set_trace(action, self.config.clear_other_actions);
        self.pending = Some(Pending { action, value, active: active.indices.len() });
    }

    fn update(&mut self, last: &Pending, target: f64) {
        self.max_active = self.max_active.max(last.active);
        let step = self.config.step_size / self.max_active.max(1) as f64 * (target - last.value);
        self.weights.update(step);
    }
}

/// The action of the greatest value; of several one by chance.
pub fn greedy(values: &[f64], rng: &mut Xoshiro256) -> usize {
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let equal = |&(_, value): &(usize, &f64)| *value >= best;
    let ties = values.iter().enumerate().filter(equal).count();
    let chosen = if ties > 1 { rng.below(ties as u64) as usize } else { 0 };
    values.iter().enumerate().filter(equal).nth(chosen).map_or(0, |(action, _)| action)
}
