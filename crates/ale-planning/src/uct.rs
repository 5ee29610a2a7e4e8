//! UCT: Monte-Carlo tree search with UCB1, random rollouts and pruned duplicates.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use ale_sim::rng::{SplitMix64, Xoshiro256};
use ale_sim::{Model, Outcome};

use crate::planner::{Error, Planner, Stats, argmax};
use crate::tree::{Tree, TreeView};

/// Options of [`Uct`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UctOptions {
    /// Visits of the root after which a search ends; those of a kept subtree count.
    pub simulations: u32,
    /// Decisions from the root to the horizon.
    pub depth: u32,
    /// The constant C of UCB1.
    pub exploration: f64,
    /// Discount per decision.
    pub discount: f64,
    /// Prune a child with the same future as a sibling.
    pub duplicates: bool,
    /// Nodes a tree may have.
    pub max_nodes: usize,
    /// Seed of everything random.
    pub seed: u64,
    /// Independent trees, one per thread, that share the simulations: root parallelisation, another algorithm.
    pub threads: usize,
}

/// UCB1: the mean return of a child plus C · √(ln visits(parent) / visits(child)).
pub fn ucb(mean: f64, visits: u32, parent_visits: u32, exploration: f64) -> f64 {
    mean + exploration * (f64::from(parent_visits).ln() / f64::from(visits)).sqrt()
}

/// Monte-Carlo tree search.
pub struct Uct<M: Model> {
    options: UctOptions,
    rng: Xoshiro256,
    searches: Vec<Search<M>>,
    seconds: f64,
}

/// One tree and its chance.
struct Search<M: Model> {
    options: UctOptions,
    rng: Xoshiro256,
    tree: Tree<M::State>,
    /// |first non-zero reward|; 0 before.
    scale: f64,
    stats: Stats,
}

impl<M: Model> Uct<M> {
    /// A planner without a tree.
    pub fn new(options: UctOptions) -> Self {
        let threads = options.threads.clamp(1, options.simulations.max(1) as usize) as u32;
        let mut seeds = SplitMix64::new(options.seed);
        let rng = Xoshiro256::new(seeds.next_u64());
        let searches = (0..threads).map(|thread| {
            let simulations =
                options.simulations / threads + u32::from(thread < options.simulations % threads);
            let rng = Xoshiro256::new(seeds.next_u64());
            let options = UctOptions { simulations, ..options };
            Search { options, rng, tree: Tree::new(), scale: 0.0, stats: Stats::default() }
        });
        Self { options, rng, searches: searches.collect(), seconds: 0.0 }
    }
}

impl<M: Model + Clone + Send> Planner<M> for Uct<M>
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
        let started = Instant::now();
        let actions = model.actions();
        let (first, others) = self.searches.split_first_mut().expect("at least one thread");
        let result = std::thread::scope(|scope| {
            let others: Vec<_> = others
                .iter_mut()
                .map(|search| {
                    let mut model = model.clone();
                    scope.spawn(move || search.run(&mut model, root, root_over, stop))
                })
                .collect();
            let mut result = first.run(model, root, root_over, stop);
            for other in others {
                result = result.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            result
        });
        self.seconds += started.elapsed().as_secs_f64();
        if let Err(error) = result {
            self.searches.iter_mut().for_each(|search| search.tree = Tree::new());
            return Err(error);
        }
        let mut visits = vec![0.0; actions];
        for search in &self.searches {
            for child in search.tree.children(0) {
                let node = search.tree.node(child);
                visits[usize::from(node.action)] += f64::from(node.visits);
            }
        }
        let most =
            argmax(0..actions, |action| Some(visits[action]).filter(|&count| count > 0.0), &mut self.rng);
        Ok(most.unwrap_or_else(|| self.rng.below(actions as u64) as usize))
    }

    fn advance(&mut self, action: usize) {
        self.searches.iter_mut().for_each(|search| _ = search.tree.advance(action));
    }

    fn stats(&self) -> Stats {
        let mut sum = Stats { seconds: self.seconds, ..Stats::default() };
        for Search { stats, .. } in &self.searches {
            sum.frames += stats.frames;
            sum.nodes += stats.nodes;
            sum.duplicates += stats.duplicates;
            sum.depth = sum.depth.max(stats.depth);
        }
        sum
    }

    /// The tree of the first thread.
    fn tree(&self) -> TreeView<'_> {
        self.searches[0].tree.view()
    }
}

impl<M: Model> Uct<M> {
    /// The options it was made with.
    pub fn options(&self) -> &UctOptions {
        &self.options
    }
}

impl<M: Model> Search<M> {
    fn run(
        &mut self,
        model: &mut M,
        root: &M::State,
        root_over: bool,
        stop: &AtomicBool,
    ) -> Result<(), Error> {
        let key = model.key(root);
        if !self.tree.has_root(key) {
            self.tree = Tree::with_root(root.clone(), key, root_over);
        }
        model.seed(self.rng.next_u64());
        let frames = model.frames();
        let mut result = Ok(());
        while !root_over && self.tree.node(0).visits < self.options.simulations && result.is_ok() {
            result = if stop.load(Ordering::Relaxed) { Err(Error::Stopped) } else { self.simulate(model) };
        }
        self.stats.frames += model.frames() - frames;
        result
    }

    /// One simulation: descend, add a node, roll out, back up.
    fn simulate(&mut self, model: &mut M) -> Result<(), Error> {
        let all = (1_u64 << model.actions()) - 1;
        let mut node = 0;
        let beyond = loop {
            let here = self.tree.node(node);
            if here.over || here.depth >= self.options.depth {
                break 0.0;
            }
            if here.tried != all {
                if self.tree.len() >= self.options.max_nodes {
                    return Err(Error::TreeFull(self.options.max_nodes));
                }
                match self.try_action(model, node, all & !here.tried) {
                    Some(child) => {
                        node = child;
                        break self.roll_out(model, child);
                    }
                    // A duplicate: its frames are spent, the simulation is not.
                    None => continue,
                }
            }
            let Search { options, tree, rng, .. } = self;
            let visits = here_visits(tree, node);
            let score = |child: usize| {
                let node = tree.node(child);
                let mean = node.value / f64::from(node.visits.max(1));
                (!node.duplicate).then(|| ucb(mean, node.visits.max(1), visits, options.exploration))
            };
            node = argmax(tree.children(node), score, rng).expect("a node has a child that is no duplicate");
        };
        self.back_up(node, beyond);
        Ok(())
    }

    /// Emulates one of the untried actions; `None` when it leads where a sibling is already.
    fn try_action(&mut self, model: &mut M, node: usize, untried: u64) -> Option<usize> {
        let chosen = self.rng.below(u64::from(untried.count_ones()));
        let action = (0..64).filter(|action| untried >> action & 1 == 1).nth(chosen as usize)?;
        if let Some(state) = self.tree.state(node) {
            model.restore(state);
        }
        let before = model.frames();
        let Outcome { reward, over } = model.act(action);
        let frames = model.frames() - before;
        self.learn_scale(reward);
        let state = model.snapshot();
        let key = model.key(&state);
        let duplicate = self.options.duplicates && self.tree.twin(node, key, reward, over).is_some();
        let state = (!over && !duplicate).then_some(state);
        let child = self.tree.add(node, action, reward, over, frames, key, state);
        self.stats.nodes += 1;
        self.stats.duplicates += u64::from(duplicate);
        self.stats.depth = self.stats.depth.max(self.tree.node(child).depth);
        self.tree.node_mut(child).duplicate = duplicate;
        if untried.is_power_of_two() {
            self.tree.drop_state(node);
        }
        (!duplicate).then_some(child)
    }

    /// The discounted return of uniformly random actions to the horizon, from the model's state.
    fn roll_out(&mut self, model: &mut M, child: usize) -> f64 {
        let node = self.tree.node(child);
        if node.over {
            return 0.0;
        }
        let (mut sum, mut discount) = (0.0, 1.0);
        for _ in node.depth..self.options.depth {
            let action = self.rng.below(model.actions() as u64) as usize;
            let Outcome { reward, over } = model.act(action);
            self.learn_scale(reward);
            sum += discount * self.scaled(reward);
            discount *= self.options.discount;
            if over {
                break;
            }
        }
        sum
    }

    /// Adds a return to all nodes on the way to the root; `beyond` is the return after the last of them.
    fn back_up(&mut self, mut node: usize, beyond: f64) {
        let mut value = beyond;
        loop {
            value = self.scaled(self.tree.node(node).reward) + self.options.discount * value;
            let here = self.tree.node_mut(node);
            here.visits += 1;
            here.value += value;
            if node == 0 {
                break;
            }
            node = self.tree.parent(node);
        }
    }

    fn learn_scale(&mut self, reward: f64) {
        if self.scale == 0.0 {
            self.scale = reward.abs();
        }
    }

    fn scaled(&self, reward: f64) -> f64 {
        if self.scale == 0.0 { 0.0 } else { reward / self.scale }
    }
}

fn here_visits<S>(tree: &Tree<S>, node: usize) -> u32 {
    tree.node(node).visits.max(1)
}
