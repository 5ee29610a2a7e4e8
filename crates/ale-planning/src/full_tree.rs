//! Full-tree search: breadth-first expansion of all actions until the frames are spent.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use ale_sim::rng::Xoshiro256;
use ale_sim::{Model, Outcome};

use crate::Budget;
use crate::expand::{Child, Job, WAVE, expand};
use crate::planner::{Error, OneTree, Planner, Stats};
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

impl<M: Model> FullTree<M> {
    /// A planner without a tree.
    pub fn new(options: FullTreeOptions) -> Self {
        let rng = Xoshiro256::new(options.seed);
        Self { options, rng, tree: Tree::new(), searches: 0, stats: Stats::default() }
    }
}

impl<M: Model + Clone + Send> OneTree<M> for FullTree<M>
where
    M::State: Send + Sync,
{
    fn parts(&mut self) -> (&mut Tree<M::State>, &mut Stats, &mut Xoshiro256, f64) {
        (&mut self.tree, &mut self.stats, &mut self.rng, self.options.discount)
    }

    fn grow(&mut self, model: &mut M, _: &M::State, stop: &AtomicBool) -> Result<(), Error> {
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
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            // A wave cannot overspend by more than the last of single expansions would: results do not depend on it.
            let wave = (budget.left(charged) / most.max(1)).clamp(1, WAVE) as usize;
            let jobs: Vec<Job> = queue
                .drain(..wave.min(queue.len()))
                .map(|node| Job {
                    node,
                    actions: (0..model.actions()).collect(),
                    seed: Job::seed(self.options.seed, self.searches, node),
                })
                .collect();
            if self.tree.len() + jobs.len() * actions as usize > self.options.max_nodes {
                return Err(Error::TreeFull(self.options.max_nodes));
            }
            let expanded = expand(model, &self.tree, &jobs, self.options.threads, &mut Vec::new())?;
            for (Job { node: parent, .. }, children) in jobs.iter().zip(expanded) {
                for child in children {
                    charged += child.frames;
                    if let Some(index) = self.adopt(*parent, child) {
                        queue.push_back(index);
                    }
                }
                self.tree.drop_state(*parent);
            }
        }
        Ok(())
    }
}

impl<M: Model + Clone + Send> Planner<M> for FullTree<M>
where
    M::State: Send + Sync,
{
    fn plan(
        &mut self,
        model: &mut M,
        root: &M::State,
        root_over: bool,
        stop: &AtomicBool,
    ) -> Result<usize, Error> {
        self.decide(model, root, root_over, stop)
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
    /// Adds a child to the tree; its number if it is to be expanded.
    fn adopt(&mut self, parent: usize, child: Child<M::State>) -> Option<usize> {
        let Child { action, outcome: Outcome { reward, over }, frames, key, state, .. } = child;
        let duplicate = self.options.duplicates && self.tree.twin(parent, key, reward, over).is_some();
        let grows = !over && !duplicate;
        let index = self.tree.add(parent, action, reward, over, frames, key, grows.then_some(state));
        let node = self.tree.node_mut(index);
        node.duplicate = duplicate;
        self.stats.frames += frames;
        self.stats.nodes += 1;
        self.stats.duplicates += u64::from(duplicate);
        self.stats.depth = self.stats.depth.max(node.depth);
        grows.then_some(index)
    }
}
