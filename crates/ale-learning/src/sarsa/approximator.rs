//! What the learner asks of its weights, whatever their layout.

use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer};

use super::weights::{Mark, Weights};
use super::{Features, MAX_ACTIONS};

/// Traces that live longer need wide marks.
const LONG: usize = 30_000;

/// A linear function of features, with traces.
pub(super) trait Approximator: std::fmt::Debug + Send + Sync {
    /// An episode begins or ends: no feature is on, and no trace lives.
    fn begin(&mut self);
    /// These features are on now.
    fn look(&mut self, active: Features<'_>);
    /// The values of all actions for the features that are on.
    fn values(&self, values: &mut [f64]);
    /// Sets the trace of an action for the features that are on; the value of the action.
    fn set_trace(&mut self, action: usize, clear_others: bool) -> f64;
    /// All weights with a trace move by this much times their trace.
    fn update(&mut self, step: f64);
    /// The weight of a feature and an action.
    fn weight(&self, feature: u32, action: usize) -> f64;
    /// Features that have a row of weights.
    fn rows(&self) -> usize;
    /// Writes everything.
    fn save(&self, out: &mut Writer);
    /// Reads [`Approximator::save`] of one with the same parameters.
    fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error>;
    /// A copy.
    fn boxed(&self) -> Box<dyn Approximator>;
}

impl Clone for Box<dyn Approximator> {
    fn clone(&self) -> Self {
        self.boxed()
    }
}

impl<const A: usize, M: Mark> Approximator for Weights<A, M> {
    fn begin(&mut self) {
        self.begin();
    }

    fn look(&mut self, active: Features<'_>) {
        self.look(active);
    }

    fn values(&self, values: &mut [f64]) {
        values.copy_from_slice(&self.values()[..values.len()]);
    }

    fn set_trace(&mut self, action: usize, clear_others: bool) -> f64 {
        self.set_trace(action, clear_others);
        self.values()[action]
    }

    fn update(&mut self, step: f64) {
        self.update(step);
    }

    fn weight(&self, feature: u32, action: usize) -> f64 {
        self.weight(feature, action)
    }

    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn save(&self, out: &mut Writer) {
        self.save(out);
    }

    fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        self.load(bytes)
    }

    fn boxed(&self) -> Box<dyn Approximator> {
        Box::new(self.clone())
    }
}

/// Weights of 0, in the smallest rows that hold the actions.
pub(super) fn new(num_features: usize, num_actions: usize, decay: Vec<f64>) -> Box<dyn Approximator> {
    let short = !decay.is_empty() && decay.len() <= LONG;
    match num_actions {
        0..=8 if short => Box::new(Weights::<8, u16>::new(num_features, num_actions, decay)),
        9..=18 if short => Box::new(Weights::<18, u16>::new(num_features, num_actions, decay)),
        _ => Box::new(Weights::<MAX_ACTIONS, u32>::new(num_features, num_actions, decay)),
    }
}
