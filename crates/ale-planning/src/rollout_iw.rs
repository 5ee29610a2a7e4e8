//! Rollout-IW(1): rollouts from the root that continue while they bring an atom earlier than any rollout before.

use std::sync::atomic::{AtomicBool, Ordering};

use ale_sim::rng::Xoshiro256;
use ale_sim::{Model, Outcome};

use crate::Budget;
use crate::budget::Running;
use crate::novelty::{Atoms, Depths};
use crate::planner::{Error, OneTree, Planner, Stats};
use crate::tree::{Tree, TreeView};

/// What a negative reward is multiplied by, and what a lost life costs, in the risk-averse variant.
const NEGATIVE: f64 = 50_000.0;
const LOST_LIFE: f64 = 500_000.0;

/// Options of [`RolloutIw`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RolloutIwOptions {
    /// What a decision may spend; kept nodes are not charged.
    pub budget: Budget,
    /// Discount per decision.
    pub discount: f64,
    /// Decisions from the root after which a rollout ends.
    pub max_depth: u32,
    /// A decision that does not change the atoms is repeated, without branching, so often.
    pub max_repeats: u16,
    /// A kept subtree of this many nodes is searched no further.
    pub max_kept: usize,
    /// Nodes the tree may have.
    pub max_nodes: usize,
    /// Negative rewards weigh 50,000 times as much and a lost life costs 500,000.
    pub risk_averse: bool,
    /// Seed of the choice of actions, of ties and of the model's chance.
    pub seed: u64,
}

/// Rollout-IW(1) over some atoms.
pub struct RolloutIw<M: Model> {
    options: RolloutIwOptions,
    rng: Xoshiro256,
    atoms: Box<dyn Atoms<M>>,
    depths: Depths,
    tree: Tree<M::State>,
    search: u32,
    found: Vec<u32>,
    stats: Stats,
}

impl<M: Model> RolloutIw<M> {
    /// A planner without a tree.
    pub fn new(options: RolloutIwOptions, atoms: Box<dyn Atoms<M>>) -> Self {
        Self {
            options,
            rng: Xoshiro256::new(options.seed),
            atoms,
            depths: Depths::default(),
            tree: Tree::new(),
            search: 0,
            found: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// The actions that are searched from a node.
    fn branches(&self, index: usize, actions: usize) -> u64 {
        let node = self.tree.node(index);
        if (1..=self.options.max_repeats).contains(&node.repeats) {
            1 << node.action
        } else {
            (1 << actions) - 1
        }
    }

    fn roll_out(&mut self, model: &mut M, budget: &Running, begun: u64) -> Result<(), Error> {
        let mut node = 0;
        // Whether the model is in the state of the node.
        let mut there = false;
        while !budget.is_spent(model.frames() - begun) {
            let open = self.branches(node, model.actions()) & !self.tree.node(node).solved;
            let chosen = self.rng.below(u64::from(open.count_ones()).max(1));
            let Some(action) = (0..64).filter(|action| open >> action & 1 == 1).nth(chosen as usize) else {
                self.solve(node, model.actions());
                return Ok(());
            };
            let child = if let Some(child) = self.tree.child(node, action) {
                there = false;
                child
            } else {
                if self.tree.len() >= self.options.max_nodes {
                    return Err(Error::TreeFull(self.options.max_nodes));
                }
                let child = self.generate(model, node, action, there)?;
                there = true;
                child
            };
            let here = self.tree.node_mut(child);
            let first = here.search != self.search;
            here.search = self.search;
            let (over, depth) = (here.over, here.depth);
            let depth16 = depth.min(u32::from(u16::MAX - 1)) as u16;
            let atoms = self.tree.atoms(child);
            if over || depth >= self.options.max_depth {
                self.solve(child, model.actions());
                return Ok(());
            }
            if self.depths.is_novel(atoms, depth16) {
                if first {
                    self.depths.mark(atoms, depth16);
                }
            } else if first {
                // Pruned: nothing new, or not earlier.
                self.solve(child, model.actions());
                return Ok(());
            } else if self.depths.is_shadowed(atoms, depth16) {
                self.tree.node_mut(child).value = f64::NEG_INFINITY;
                self.solve(child, model.actions());
                return Ok(());
            }
            node = child;
        }
        Ok(())
    }

    fn generate(&mut self, model: &mut M, parent: usize, action: usize, there: bool) -> Result<usize, Error> {
        if !there && let Some(state) = self.tree.state(parent) {
            model.restore(state);
        }
        let (before, lives) = (model.frames(), model.lives());
        let Outcome { mut reward, over } = model.act(action);
        let frames = model.frames() - before;
        self.stats.frames += frames;
        self.stats.nodes += 1;
        if self.options.risk_averse {
            reward = if reward < 0.0 { NEGATIVE * reward } else { reward };
            reward -= if model.lives() < lives { LOST_LIFE } else { 0.0 };
        }
        self.atoms.active(model, self.tree.atoms(parent), &mut self.found)?;
        let state = model.snapshot();
        let key = model.key(&state);
        let repeats =
            if self.tree.atoms(parent) == self.found { self.tree.node(parent).repeats + 1 } else { 0 };
        let child = self.tree.add(parent, action, reward, over, frames, key, (!over).then_some(state));
        self.tree.set_atoms(child, &self.found);
        let node = self.tree.node_mut(child);
        node.repeats = repeats;
        self.stats.depth = self.stats.depth.max(node.depth);
        let all = self.branches(parent, model.actions());
        if self.tree.node(parent).tried & all == all {
            self.tree.drop_state(parent);
        }
        Ok(child)
    }

    /// Nothing is left to explore below the node; so for its parents whose other children are solved.
    fn solve(&mut self, mut index: usize, actions: usize) {
        loop {
            self.tree.node_mut(index).pruned = true;
            if index == 0 {
                return;
            }
            let action = self.tree.node(index).action;
            index = self.tree.parent(index);
            let all = self.branches(index, actions);
            let parent = self.tree.node_mut(index);
            parent.solved |= 1 << action;
            if parent.solved & all != all {
                return;
            }
        }
    }
}

impl<M: Model> OneTree<M> for RolloutIw<M>
where
    M::State: Send,
{
    fn parts(&mut self) -> (&mut Tree<M::State>, &mut Stats, &mut Xoshiro256, f64) {
        (&mut self.tree, &mut self.stats, &mut self.rng, self.options.discount)
    }

    fn grow(&mut self, model: &mut M, root: &M::State, stop: &AtomicBool) -> Result<(), Error> {
        let budget = self.options.budget.start();
        let begun = model.frames();
        model.seed(self.rng.next_u64());
        self.search += 1;
        self.depths.clear();
        if self.tree.len() == 1 && self.tree.atoms(0).is_empty() {
            model.restore(root);
            self.atoms.active(model, &[], &mut self.found)?;
            self.tree.set_atoms(0, &self.found);
        }
        for index in 0..self.tree.len() {
            let node = self.tree.node_mut(index);
            (node.solved, node.pruned, node.value) = (0, false, 0.0);
        }
        self.depths.mark(self.tree.atoms(0), 0);
        if self.tree.len() >= self.options.max_kept {
            return Ok(());
        }
        while !self.tree.node(0).pruned && !self.tree.node(0).over && !budget.is_spent(model.frames() - begun)
        {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            self.roll_out(model, &budget, begun)?;
        }
        Ok(())
    }
}

impl<M: Model> Planner<M> for RolloutIw<M>
where
    M::State: Send,
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
