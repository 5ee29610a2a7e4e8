//! What all planners share: the interface, counts, choosing among equals.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ale_sim::Model;
use ale_sim::rng::Xoshiro256;

use crate::tree::{Node, Tree, TreeView};

/// Why a search could not be finished.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The tree has as many nodes as were allowed.
    #[error("the tree has reached max_nodes = {0}; raise max_nodes or lower the budget of a decision")]
    TreeFull(usize),
    /// The store has as many states as were allowed.
    #[error("the store would hold more than max_states = {0}; raise max_states or keep fewer")]
    StoreFull(usize),
    /// The caller has asked the search to end.
    #[error("the search was stopped")]
    Stopped,
    /// The atoms of a state could not be computed.
    #[error("the atoms of a state could not be computed: {0}")]
    Atoms(String),
}

/// Counts since a planner was made.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stats {
    /// Frames really emulated.
    pub frames: u64,
    /// Nodes generated.
    pub nodes: u64,
    /// Nodes with the same future as a sibling.
    pub duplicates: u64,
    /// Depth of the deepest node below the root of its search, in decisions.
    pub depth: u32,
    /// Wall-clock time of all searches.
    pub seconds: f64,
}

/// A planner over models `M`.
pub trait Planner<M: Model>: Send {
    /// Searches from `root`, the state of the environment now, and says which action to take.
    ///
    /// The tree of the decision before is continued if its root has the future of `root`, and dropped if not. Another
    /// thread may set `stop`: the search ends soon after.
    ///
    /// # Errors
    /// [`Error`] when the tree is full, atoms cannot be computed, or the search was stopped; the tree is dropped then.
    fn plan(
        &mut self,
        model: &mut M,
        root: &M::State,
        root_over: bool,
        stop: &AtomicBool,
    ) -> Result<usize, Error>;

    /// The environment has taken `action`: its subtree is kept for the next search.
    fn advance(&mut self, action: usize);

    /// Counts since construction.
    fn stats(&self) -> Stats;

    /// The tree of the last search.
    fn tree(&self) -> TreeView<'_>;
}

/// A planner with one tree of states, which it continues or begins anew for each decision.
pub(crate) trait OneTree<M: Model> {
    /// Its tree, counts, generator and discount.
    fn parts(&mut self) -> (&mut Tree<M::State>, &mut Stats, &mut Xoshiro256, f64);

    /// The search itself: adds nodes until the budget is spent.
    fn grow(&mut self, model: &mut M, root: &M::State, stop: &AtomicBool) -> Result<(), Error>;

    /// [`Planner::plan`].
    fn decide(
        &mut self,
        model: &mut M,
        root: &M::State,
        root_over: bool,
        stop: &AtomicBool,
    ) -> Result<usize, Error> {
        let started = Instant::now();
        let key = model.key(root);
        let (tree, ..) = self.parts();
        if !tree.has_root(key) {
            *tree = Tree::with_root(root.clone(), key, root_over);
        }
        let result = self.grow(model, root, stop);
        let (tree, stats, rng, discount) = self.parts();
        stats.seconds += started.elapsed().as_secs_f64();
        if let Err(error) = result {
            *tree = Tree::new();
            return Err(error);
        }
        tree.back_up(discount);
        Ok(best_action(tree, model.actions(), rng))
    }
}

/// One of the best, chosen uniformly: `score` is `None` for candidates that do not count.
pub(crate) fn argmax<T: Copy>(
    candidates: impl Iterator<Item = T>,
    score: impl Fn(T) -> Option<f64>,
    rng: &mut Xoshiro256,
) -> Option<T> {
    let mut best = None;
    let mut ties = 0;
    for candidate in candidates {
        let Some(score) = score(candidate) else { continue };
        match best {
            Some((top, _)) if score < top => {}
            Some((top, _)) if score > top => (best, ties) = (Some((score, candidate)), 1),
            None => (best, ties) = (Some((score, candidate)), 1),
            // A tie: the k-th of equals replaces the others with probability 1/k.
            Some(_) => {
                ties += 1;
                if rng.below(ties) == 0 {
                    best = Some((score, candidate));
                }
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The child of the root with the highest backed-up value, ties at random; any action when there is none.
pub(crate) fn best_action<S>(tree: &Tree<S>, actions: usize, rng: &mut Xoshiro256) -> usize {
    let value = |child: usize| {
        let node: &Node = tree.node(child);
        (!node.duplicate && node.value > f64::NEG_INFINITY).then_some(node.value)
    };
    match argmax(tree.children(0), value, rng) {
        Some(child) => usize::from(tree.node(child).action),
        None => rng.below(actions as u64) as usize,
    }
}
