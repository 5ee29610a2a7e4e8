//! Full-tree search: breadth-first expansion of all actions until the frames are spent.

use std::collections::VecDeque;
use std::time::Instant;

use ale_sim::rng::{SplitMix64, Xoshiro256};
use ale_sim::{Model, Outcome};

use crate::Budget;
use crate::planner::{Error, Planner, Stats, best_action};
use crate::tree::{Tree, TreeView};

/// Options of [`FullTree`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FullTreeOptions {
    /// What a decision may spend.
    pub budget: Budget,
    /// Discount per decision.
    pub discount: f64,
    /// Do not expand a child with the same future as a sibling.
    pub duplicates: bool,
    /// Nodes of the kept subtree count against the budget, which then bounds the tree and not the new work.
    pub charge_reused: bool,
    /// Nodes the tree may have.
    pub max_nodes: usize,
    /// Seed of ties and of the model's chance.
    pub seed: u64,
    /// Threads that expand; the result does not depend on them.
    pub threads: usize,
}

/// Breadth-first search over all actions.
pub struct FullTree<M: Model> {
    options: FullTreeOptions,
    rng: Xoshiro256,
    tree: Tree<M::State>,
    searches: u64,
    stats: Stats,
}

/// What one action from a node gave.
struct Child<S> {
    outcome: Outcome,
    frames: u64,
    key: u64,
    state: S,
}

impl<M: Model> FullTree<M> {
    /// A planner without a tree.
    pub fn new(options: FullTreeOptions) -> Self {
        let rng = Xoshiro256::new(options.seed);
        Self { options, rng, tree: Tree::new(), searches: 0, stats: Stats::default() }
    }
}

impl<M: Model + Clone + Send> Planner<M> for FullTree<M>
where
    M::State: Send + Sync,
{
    fn plan(&mut self, model: &mut M, root: &M::State, root_over: bool) -> Result<usize, Error> {
        let started = Instant::now();
        let key = model.key(root);
        if !self.tree.has_root(key) {
            self.tree = Tree::with_root(root.clone(), key, root_over);
        }
        let result = self.grow(model);
        self.stats.seconds += started.elapsed().as_secs_f64();
        if let Err(error) = result {
            self.tree = Tree::new();
            return Err(error);
        }
        self.tree.back_up(self.options.discount);
        Ok(best_action(&self.tree, model.actions(), &mut self.rng))
    }

    fn advance(&mut self, action: usize) {
        self.tree.advance(action);
    }

    fn stats(&self) -> Stats {
        self.stats
    }

    fn tree(&self) -> TreeView<'_> {
        self.tree.view()
    }
}

impl<M: Model + Clone + Send> FullTree<M>
where
    M::State: Send + Sync,
{
    fn grow(&mut self, model: &mut M) -> Result<(), Error> {
        let budget = self.options.budget.start();
        self.searches += 1;
        let tree = &self.tree;
        // The arena is breadth-first, also after re-rooting.
        let grows = |index: &usize| {
            let node = tree.node(*index);
            tree.is_leaf(*index) && !node.over && !node.duplicate
        };
        let mut queue: VecDeque<usize> = (0..tree.len()).filter(grows).collect();
        let reused: u64 = tree.view().nodes[1..].iter().map(|node| u64::from(node.frames)).sum();
        let mut charged = if self.options.charge_reused { reused } else { 0 };
        let actions = model.actions() as u64;
        let most = actions * model.frames_per_decision();
        while !queue.is_empty() && !budget.is_spent(charged) {
            // A wave cannot overspend by more than the last of single expansions would: results do not depend on it.
            let wave = (budget.left(charged) / most.max(1)).clamp(1, 256) as usize;
            let wave: Vec<usize> = queue.drain(..wave.min(queue.len())).collect();
            if self.tree.len() + wave.len() * actions as usize > self.options.max_nodes {
                return Err(Error::TreeFull(self.options.max_nodes));
            }
            for (parent, children) in wave.iter().zip(self.expand(model, &wave)) {
                for (action, child) in children.into_iter().enumerate() {
                    charged += child.frames;
                    self.stats.frames += child.frames;
                    self.stats.nodes += 1;
                    let Outcome { reward, over } = child.outcome;
                    let twin = self.tree.twin(*parent, child.key, reward, over).is_some();
                    let duplicate = self.options.duplicates && twin;
                    let state = (!over && !duplicate).then_some(child.state);
                    let index = self.tree.add(*parent, action, reward, over, child.frames, child.key, state);
                    let node = self.tree.node_mut(index);
                    node.duplicate = duplicate;
                    self.stats.duplicates += u64::from(duplicate);
                    self.stats.depth = self.stats.depth.max(node.depth);
                    if !over && !duplicate {
                        queue.push_back(index);
                    }
                }
                self.tree.drop_state(*parent);
            }
        }
        Ok(())
    }

    /// The children of some nodes, on as many threads as there are.
    fn expand(&self, model: &mut M, wave: &[usize]) -> Vec<Vec<Child<M::State>>> {
        let share = wave.len().div_ceil(self.options.threads.max(1)).max(8);
        if share >= wave.len() {
            return wave.iter().map(|&index| self.expand_one(model, index)).collect();
        }
        std::thread::scope(|scope| {
            let mut shares = wave.chunks(share);
            let first = shares.next().unwrap_or_default();
            let others: Vec<_> = shares
                .map(|share| {
                    let mut model = model.clone();
                    scope.spawn(move || {
                        share.iter().map(|&index| self.expand_one(&mut model, index)).collect::<Vec<_>>()
                    })
                })
                .collect();
            let mut all: Vec<_> = first.iter().map(|&index| self.expand_one(model, index)).collect();
            for other in others {
                all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            all
        })
    }

    fn expand_one(&self, model: &mut M, index: usize) -> Vec<Child<M::State>> {
        let Some(state) = self.tree.state(index) else { return Vec::new() };
        // Chance depends on the node and not on the thread.
        let place = self.searches << 32 | index as u64;
        model.seed(SplitMix64::new(self.options.seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15)).next_u64());
        (0..model.actions())
            .map(|action| {
                model.restore(state);
                let before = model.frames();
                let outcome = model.act(action);
                let state = model.snapshot();
                Child { outcome, frames: model.frames() - before, key: model.key(&state), state }
            })
            .collect()
    }
}
