//! IW(1): breadth-first search that expands only nodes which bring a new atom.

use std::collections::VecDeque;
use std::time::Instant;

use ale_sim::rng::Xoshiro256;
use ale_sim::{Model, Outcome};

use crate::Budget;
use crate::novelty::{Atoms, Seen};
use crate::planner::{Error, Planner, Stats, best_action};
use crate::tree::{Tree, TreeView};

/// Options of [`Iw`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IwOptions {
    /// What a decision may spend; kept nodes are not charged.
    pub budget: Budget,
    /// Discount per decision.
    pub discount: f64,
    /// Nodes below one child of the root after which it is not grown any more.
    pub max_branch: usize,
    /// Nodes the tree may have.
    pub max_nodes: usize,
    /// Seed of the order of actions, of ties and of the model's chance.
    pub seed: u64,
}

/// IW(1) over some atoms.
pub struct Iw<M: Model> {
    options: IwOptions,
    rng: Xoshiro256,
    atoms: Box<dyn Atoms<M>>,
    seen: Seen,
    tree: Tree<M::State>,
    stats: Stats,
}

impl<M: Model> Iw<M> {
    /// A planner without a tree.
    pub fn new(options: IwOptions, atoms: Box<dyn Atoms<M>>) -> Self {
        let rng = Xoshiro256::new(options.seed);
        Self { options, rng, atoms, seen: Seen::default(), tree: Tree::new(), stats: Stats::default() }
    }

    fn grow(&mut self, model: &mut M, root: &M::State) -> Result<(), Error> {
        let budget = self.options.budget.start();
        let begun = model.frames();
        model.seed(self.rng.next_u64());
        let mut found = Vec::new();
        if self.tree.len() == 1 && self.tree.atoms(0).is_empty() {
            model.restore(root);
            self.atoms.active(model, &[], &mut found)?;
            self.tree.set_atoms(0, &found);
        }
        let mut branch = Vec::new();
        let mut sizes = vec![0_usize; model.actions()];
        let mut queue = self.mark_kept(&mut branch, &mut sizes);
        let mut order: Vec<usize> = (0..model.actions()).collect();
        while let Some(parent) = queue.pop_front() {
            if self.tree.node(parent).over || (parent > 0 && sizes[branch[parent]] >= self.options.max_branch)
            {
                continue;
            }
            shuffle(&mut order, &mut self.rng);
            for &action in &order {
                if self.tree.node(parent).tried >> action & 1 == 1 {
                    continue;
                }
                if budget.is_spent(model.frames() - begun) {
                    return Ok(());
                }
                if self.tree.len() >= self.options.max_nodes {
                    return Err(Error::TreeFull(self.options.max_nodes));
                }
                let child = self.generate(model, parent, action, &mut found)?;
                branch.push(if parent == 0 { action } else { branch[parent] });
                sizes[branch[child]] += 1;
                if !self.tree.node(child).pruned {
                    queue.push_back(child);
                }
            }
            self.tree.drop_state(parent);
        }
        Ok(())
    }

    /// Marks the atoms of the kept nodes anew, breadth-first, and returns those that grow.
    fn mark_kept(&mut self, branch: &mut Vec<usize>, sizes: &mut [usize]) -> VecDeque<usize> {
        self.seen.clear();
        let mut queue = VecDeque::new();
        for index in 0..self.tree.len() {
            let parent = self.tree.parent(index);
            let action = usize::from(self.tree.node(index).action);
            branch.push(if parent == 0 { action } else { branch[parent] });
            if index > 0 {
                sizes[branch[index]] += 1;
            }
            let below_pruned = index > 0 && self.tree.node(parent).pruned;
            let novel = !below_pruned && (index == 0 || self.seen.is_novel(self.tree.atoms(index)));
            if novel {
                self.seen.mark(self.tree.atoms(index));
            }
            let grows = novel && self.tree.state(index).is_some();
            self.tree.node_mut(index).pruned = !novel;
            if grows {
                queue.push_back(index);
            }
        }
        queue
    }

    fn generate(
        &mut self,
        model: &mut M,
        parent: usize,
        action: usize,
        found: &mut Vec<u32>,
    ) -> Result<usize, Error> {
        if let Some(state) = self.tree.state(parent) {
            model.restore(state);
        }
        let before = model.frames();
        let Outcome { reward, over } = model.act(action);
        let frames = model.frames() - before;
        self.stats.frames += frames;
        self.stats.nodes += 1;
        self.atoms.active(model, self.tree.atoms(parent), found)?;
        let state = model.snapshot();
        let key = model.key(&state);
        let child = self.tree.add(parent, action, reward, over, frames, key, (!over).then_some(state));
        let novel = self.seen.is_novel(found);
        if novel {
            self.seen.mark(found);
        }
        self.tree.set_atoms(child, found);
        let node = self.tree.node_mut(child);
        node.pruned = !novel;
        self.stats.depth = self.stats.depth.max(node.depth);
        Ok(child)
    }
}

/// Fisher–Yates.
fn shuffle(order: &mut [usize], rng: &mut Xoshiro256) {
    for last in (1..order.len()).rev() {
        order.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

impl<M: Model> Planner<M> for Iw<M>
where
    M::State: Send,
{
    fn plan(&mut self, model: &mut M, root: &M::State, root_over: bool) -> Result<usize, Error> {
        let started = Instant::now();
        let key = model.key(root);
        if !self.tree.has_root(key) {
            self.tree = Tree::with_root(root.clone(), key, root_over);
        }
        let result = self.grow(model, root);
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
