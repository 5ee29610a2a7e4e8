//! IW(1): breadth-first search that expands only nodes which bring a new atom.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use ale_sim::rng::Xoshiro256;
use ale_sim::{Model, Outcome};

use crate::Budget;
use crate::expand::{Child, Job, Sources, WAVE, expand};
use crate::novelty::{Atoms, Seen};
use crate::planner::{Error, OneTree, Planner, Stats};
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
    /// Threads that expand; the result does not depend on them.
    pub threads: usize,
}

/// IW(1) over some atoms.
pub struct Iw<M: Model> {
    options: IwOptions,
    rng: Xoshiro256,
    /// One for each thread.
    atoms: Sources<M>,
    seen: Seen,
    tree: Tree<M::State>,
    searches: u64,
    stats: Stats,
}

impl<M: Model> Iw<M> {
    /// A planner without a tree.
    pub fn new(options: IwOptions, atoms: Box<dyn Atoms<M>>) -> Self {
        let rng = Xoshiro256::new(options.seed);
        let mut sources: Sources<M> = (1..options.threads).map(|_| atoms.fork()).collect();
        sources.push(atoms);
        Self {
            options,
            rng,
            atoms: sources,
            seen: Seen::default(),
            tree: Tree::new(),
            searches: 0,
            stats: Stats::default(),
        }
    }
}

impl<M: Model + Clone + Send> Iw<M>
where
    M::State: Send + Sync,
{
    /// The actions that were not tried yet, in random order, as many as the frames may allow.
    fn job(&mut self, model: &M, node: usize, left: u64) -> Job {
        let tried = self.tree.node(node).tried;
        let mut actions: Vec<usize> =
            (0..model.actions()).filter(|action| tried >> action & 1 == 0).collect();
        shuffle(&mut actions, &mut self.rng);
        actions.truncate(left.div_ceil(model.frames_per_decision().max(1)) as usize);
        Job { node, actions, seed: Job::seed(self.options.seed, self.searches, node) }
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

    /// Adds a child to the tree; its number.
    fn adopt(&mut self, parent: usize, child: Child<M::State>) -> usize {
        let Child { action, outcome: Outcome { reward, over }, frames, key, state, atoms } = child;
        self.stats.frames += frames;
        self.stats.nodes += 1;
        let index = self.tree.add(parent, action, reward, over, frames, key, (!over).then_some(state));
        let novel = self.seen.is_novel(&atoms);
        if novel {
            self.seen.mark(&atoms);
        }
        self.tree.set_atoms(index, &atoms);
        let node = self.tree.node_mut(index);
        node.pruned = !novel;
        self.stats.depth = self.stats.depth.max(node.depth);
        index
    }
}

/// Fisher–Yates.
fn shuffle(order: &mut [usize], rng: &mut Xoshiro256) {
    for last in (1..order.len()).rev() {
        order.swap(last, rng.below(last as u64 + 1) as usize);
    }
}

impl<M: Model + Clone + Send> OneTree<M> for Iw<M>
where
    M::State: Send + Sync,
{
    fn parts(&mut self) -> (&mut Tree<M::State>, &mut Stats, &mut Xoshiro256, f64) {
        (&mut self.tree, &mut self.stats, &mut self.rng, self.options.discount)
    }

    fn grow(&mut self, model: &mut M, root: &M::State, stop: &AtomicBool) -> Result<(), Error> {
        let budget = self.options.budget.start();
        self.searches += 1;
        if self.tree.len() == 1 && self.tree.atoms(0).is_empty() {
            let mut found = Vec::new();
            model.restore(root);
            self.atoms[0].active(model, &[], &mut found)?;
            self.tree.set_atoms(0, &found);
        }
        let mut branch = Vec::new();
        let mut sizes = vec![0_usize; model.actions()];
        let mut queue = self.mark_kept(&mut branch, &mut sizes);
        let mut spent = 0;
        let most = (model.actions() as u64 * model.frames_per_decision()).max(1);
        while !queue.is_empty() && !budget.is_spent(spent) {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            let left = budget.left(spent);
            let mut jobs = Vec::new();
            while (jobs.len() as u64) < (left / most).clamp(1, WAVE)
                && let Some(node) = queue.pop_front()
            {
                let crowded = node > 0 && sizes[branch[node]] >= self.options.max_branch;
                if !self.tree.node(node).over && !crowded {
                    jobs.push(self.job(model, node, left));
                }
            }
            let actions: usize = jobs.iter().map(|job| job.actions.len()).sum();
            if self.tree.len() + actions > self.options.max_nodes {
                return Err(Error::TreeFull(self.options.max_nodes));
            }
            let expanded = expand(model, &self.tree, &jobs, self.options.threads, &mut self.atoms)?;
            for (Job { node: parent, .. }, children) in jobs.iter().zip(expanded) {
                for child in children {
                    spent += child.frames;
                    branch.push(if *parent == 0 { child.action } else { branch[*parent] });
                    let child = self.adopt(*parent, child);
                    sizes[branch[child]] += 1;
                    if !self.tree.node(child).pruned {
                        queue.push_back(child);
                    }
                }
                if self.tree.node(*parent).tried.count_ones() as usize == model.actions() {
                    self.tree.drop_state(*parent);
                } else {
                    // The last of the budget was too little for all actions, and games that ended have left some.
                    queue.push_front(*parent);
                }
            }
        }
        Ok(())
    }
}

impl<M: Model + Clone + Send> Planner<M> for Iw<M>
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
