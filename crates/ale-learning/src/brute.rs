//! The Brute: a tree over histories of actions and observations, and the best action that was ever seen in each.
//!
//! ```text
//! q(h, a)   = sum over the outcomes o of (h, a): count(o) / count * (reward(o) + discount * max q(h a o, .))
//! play      with probability epsilon(visits) a uniform action, else the best tried one; in a new history any
//! learn     at the end of an episode, from its last decision back to its first
//! ```
//!
//! It memorises. In a deterministic game it repeats the best episode it has seen and looks for a better end; with
//! sticky actions the same history hardly ever comes back, and nothing is learnt.

mod file;

use ale_sim::rng::Xoshiro256;

/// No node, edge or outcome.
const NONE: u32 = u32::MAX;

/// How the probability of exploring falls with the visits of a history. The paper prints two formulas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exploration {
    /// `min(0.05 / log(n + 1), 1)`: appendix A.
    A,
    /// `0.005 / log(n + 2)`: appendix B.2, the parameters of the experiment.
    B2,
}

impl Exploration {
    /// The probability after `visits` visits.
    pub fn epsilon(self, visits: u32) -> f64 {
        match self {
            Self::A => (0.05 / (f64::from(visits) + 1.0).ln()).min(1.0),
            Self::B2 => 0.005 / (f64::from(visits) + 2.0).ln(),
        }
    }
}

/// Parameters of [`Brute`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Config {
    /// Number of actions, at most 256.
    pub num_actions: usize,
    /// Discount of a decision.
    pub discount: f64,
    /// How much it explores.
    pub exploration: Exploration,
    /// Histories that are kept, 64 bytes each. Then the tree stops growing; nothing is forgotten.
    pub max_nodes: usize,
    /// Seed of exploration and of ties.
    pub seed: u64,
}

impl Config {
    /// Refuses what makes no sense, with what is accepted.
    ///
    /// # Errors
    /// The text for the user.
    pub fn check(&self) -> Result<(), String> {
        if !(1..=256).contains(&self.num_actions) {
            return Err(format!("num_actions is {}; accepted: 1 to 256", self.num_actions));
        }
        if !(0.0..=1.0).contains(&self.discount) {
            return Err(format!("discount is {}; accepted: 0 to 1", self.discount));
        }
        if !(1..NONE as usize).contains(&self.max_nodes) {
            return Err(format!("max_nodes is {}; accepted: 1 to {}", self.max_nodes, NONE - 1));
        }
        Ok(())
    }
}

/// A history: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Node {
    visits: u32,
    /// The first action that was tried.
    edge: u32,
    /// The greatest `q` of the tried actions; 0 before one is known.
    value: f64,
}

/// What followed an action: an observation with its reward, and the history that it leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Outcome {
    observation: u64,
    reward: f64,
    count: u32,
    /// [`NONE`]: the episode ended.
    child: u32,
    /// Another outcome of the same action.
    next: u32,
}

/// A tried action, with its first outcome: 48 bytes. Most have no other.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    q: f64,
    outcome: Outcome,
    /// Another tried action of the same history.
    next: u32,
    action: u32,
}

/// The recorded successor of a decision, where there was only ever one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// The reward.
    pub reward: f64,
    /// The observation; 0 at the end of an episode.
    pub observation: u64,
    /// The episode ends.
    pub over: bool,
    /// A number for this history and action.
    pub id: u32,
}

/// The learner.
#[derive(Debug, Clone, PartialEq)]
pub struct Brute {
    config: Config,
    rng: Xoshiro256,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Outcomes beyond the first.
    outcomes: Vec<Outcome>,
    /// Histories of length 0, by what was seen first.
    roots: Vec<(u64, u32)>,
    /// Histories of this episode, and the edges that were taken.
    path: Vec<(u32, u32)>,
    /// The history now; [`NONE`] where it is not in the tree.
    node: u32,
    action: u32,
    learning: bool,
}

impl Brute {
    /// A learner that has seen nothing.
    ///
    /// # Errors
    /// As [`Config::check`].
    pub fn new(config: Config) -> Result<Self, String> {
        config.check()?;
        Ok(Self {
            rng: Xoshiro256::new(config.seed),
            nodes: Vec::new(),
            edges: Vec::new(),
            outcomes: Vec::new(),
            roots: Vec::new(),
            path: Vec::new(),
            node: NONE,
            action: 0,
            learning: true,
            config,
        })
    }

    /// Its parameters.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Histories in the tree.
    pub fn nodes(&self) -> usize {
        self.edges.len() + self.outcomes.len()
    }

    /// Whether the tree has stopped growing.
    pub fn is_full(&self) -> bool {
        self.nodes() >= self.config.max_nodes
    }

    /// Whether the episodes that follow are learnt from. Exploration stays as it is.
    pub fn set_learning(&mut self, learning: bool) {
        self.learning = learning;
    }

    /// Begins an episode: the first action.
    pub fn begin(&mut self, observation: u64) -> usize {
        self.path.clear();
        let root = self.roots.iter().find(|(seen, _)| *seen == observation);
        self.node = match root {
            Some(&(_, node)) => node,
            None if self.learning => {
                let node = self.add_node();
                self.roots.push((observation, node));
                node
            }
            None => NONE,
        };
        self.decide()
    }

    /// The action after `reward` and `observation`, which the one before brought.
    pub fn step(&mut self, reward: f64, observation: u64) -> usize {
        self.node = self.follow(reward, observation, false);
        self.decide()
    }

    /// Ends an episode: the last action brought `reward`.
    pub fn end(&mut self, reward: f64) {
        self.follow(reward, 0, true);
        self.node = NONE;
        if !self.learning {
            return;
        }
        for (node, edge) in self.path.drain(..).rev() {
            let q = expected(&self.nodes, &self.outcomes, &self.edges[edge as usize], self.config.discount);
            self.edges[edge as usize].q = q;
            let mut value = f64::NEG_INFINITY;
            let mut at = self.nodes[node as usize].edge;
            while at != NONE {
                let edge = &self.edges[at as usize];
                value = value.max(edge.q);
                at = edge.next;
            }
            self.nodes[node as usize].value = value;
        }
    }

    /// What the action that was chosen last will bring, where it was tried before and always brought the same.
    pub fn known(&self) -> Option<Known> {
        let id = self.edge_of(self.node, self.action)?;
        let Outcome { observation, reward, child, next, .. } = self.edges[id as usize].outcome;
        (next == NONE).then_some(Known { reward, observation, over: child == NONE, id })
    }

    /// The history now and the action chosen there, for [`Brute::ending`].
    pub fn decision(&self) -> Option<(u32, u32)> {
        self.history().map(|history| (history, self.action))
    }

    /// The id of the recorded successor of a decision, if it is the end of an episode.
    pub fn ending(&self, (history, action): (u32, u32)) -> Option<u32> {
        let id = self.edge_of(history, action)?;
        (self.edges[id as usize].outcome.child == NONE).then_some(id)
    }

    /// A number for the history now, if it is in the tree.
    pub fn history(&self) -> Option<u32> {
        (self.node != NONE).then_some(self.node)
    }

    /// The histories of this episode before the one now.
    pub fn histories(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
        self.path.iter().map(|&(node, _)| node)
    }

    /// The value of every action in the history now; minus infinity for actions that were not tried.
    pub fn q(&self, values: &mut [f64]) {
        values.fill(f64::NEG_INFINITY);
        let mut at = self.nodes.get(self.node as usize).map_or(NONE, |node| node.edge);
        while at != NONE {
            let edge = &self.edges[at as usize];
            values[edge.action as usize] = edge.q;
            at = edge.next;
        }
    }

    /// The value of the history that an episode begins with.
    pub fn start_value(&self, observation: u64) -> Option<f64> {
        let found = self.roots.iter().find(|(seen, _)| *seen == observation);
        found.map(|&(_, node)| self.nodes[node as usize].value)
    }

    fn add_node(&mut self) -> u32 {
        self.nodes.push(Node { visits: 0, edge: NONE, value: 0.0 });
        (self.nodes.len() - 1) as u32
    }

    fn edge_of(&self, node: u32, action: u32) -> Option<u32> {
        let mut at = self.nodes.get(node as usize)?.edge;
        while at != NONE && self.edges[at as usize].action != action {
            at = self.edges[at as usize].next;
        }
        (at != NONE).then_some(at)
    }

    fn decide(&mut self) -> usize {
        let num_actions = self.config.num_actions as u64;
        let node = self.nodes.get(self.node as usize).copied();
        let Some(node) = node.filter(|node| node.edge != NONE || self.learning) else {
            self.action = self.rng.below(num_actions) as u32;
            return self.action as usize;
        };
        if self.learning {
            self.nodes[self.node as usize].visits = node.visits.saturating_add(1);
        }
        let explores = self.rng.next_double() < self.config.exploration.epsilon(node.visits);
        self.action = if explores || node.edge == NONE {
            self.rng.below(num_actions) as u32
        } else {
            self.best(node.edge)
        };
        self.action as usize
    }

    /// The tried action of the greatest `q`; of several one by chance. What is no number is less than all numbers.
    fn best(&mut self, first: u32) -> u32 {
        let q = |edge: &Edge| if edge.q.is_nan() { f64::NEG_INFINITY } else { edge.q };
        let (mut best, mut ties, mut at) = (f64::NEG_INFINITY, 0, first);
        while at != NONE {
            let edge = &self.edges[at as usize];
            if q(edge) > best {
                (best, ties) = (q(edge), 0);
            }
            ties += u64::from(q(edge) >= best);
            at = edge.next;
        }
        let mut left = if ties > 1 { self.rng.below(ties) } else { 0 };
        at = first;
        loop {
            let edge = &self.edges[at as usize];
            if q(edge) >= best {
                if left == 0 {
                    return edge.action;
                }
                left -= 1;
            }
            at = edge.next;
        }
    }

    /// Counts an outcome of the action that waits; the history it leads to.
    fn follow(&mut self, reward: f64, observation: u64, over: bool) -> u32 {
        if self.node == NONE {
            return NONE;
        }
        let same = |outcome: &Outcome| {
            (outcome.child == NONE) == over
                && outcome.observation == observation
                && outcome.reward.to_bits() == reward.to_bits()
        };
        let Some(edge) = self.edge_of(self.node, self.action) else {
            return self.grow(
                |brute, child| {
                    let outcome = Outcome { observation, reward, count: 1, child, next: NONE };
                    let (node, action) = (brute.node as usize, brute.action);
                    brute.edges.push(Edge { q: 0.0, outcome, next: brute.nodes[node].edge, action });
                    let edge = (brute.edges.len() - 1) as u32;
                    brute.nodes[node].edge = edge;
                    edge
                },
                over,
            );
        };
        let mut outcome = &mut self.edges[edge as usize].outcome;
        loop {
            if same(outcome) {
                let child = outcome.child;
                if self.learning {
                    outcome.count = outcome.count.saturating_add(1);
                    self.path.push((self.node, edge));
                }
                return child;
            }
            if outcome.next == NONE {
                break;
            }
            let next = outcome.next as usize;
            outcome = &mut self.outcomes[next];
        }
        self.grow(
            |brute, child| {
                let first = &mut brute.edges[edge as usize].outcome;
                let next = std::mem::replace(&mut first.next, brute.outcomes.len() as u32);
                brute.outcomes.push(Outcome { observation, reward, count: 1, child, next });
                edge
            },
            over,
        )
    }

    /// Adds an outcome with its history, if there is room; `add` gives back its edge.
    fn grow(&mut self, add: impl FnOnce(&mut Self, u32) -> u32, over: bool) -> u32 {
        if !self.learning || self.is_full() {
            return NONE;
        }
        let child = if over { NONE } else { self.add_node() };
        let edge = add(self, child);
        self.path.push((self.node, edge));
        child
    }
}

/// The mean over the outcomes of an action, by their counts.
fn expected(nodes: &[Node], outcomes: &[Outcome], edge: &Edge, discount: f64) -> f64 {
    let value = |outcome: &Outcome| {
        let next = nodes.get(outcome.child as usize).map_or(0.0, |node| node.value);
        outcome.reward + discount * next
    };
    if edge.outcome.next == NONE {
        return value(&edge.outcome);
    }
    let (mut sum, mut count, mut outcome) = (0.0, 0.0, &edge.outcome);
    loop {
        sum += f64::from(outcome.count) * value(outcome);
        count += f64::from(outcome.count);
        match outcomes.get(outcome.next as usize) {
            Some(next) => outcome = next,
            None => return sum / count,
        }
    }
}

#[cfg(test)]
mod tests;
