//! Toy problems: a world of paths, with rewards, ends and RAM as functions of the path.

use ale_sim::{Model, Outcome};

/// A world whose state is the list of actions taken.
#[derive(Debug, Clone)]
pub(crate) struct Toy {
    pub(crate) actions: usize,
    /// Frames of a decision.
    pub(crate) skip: u64,
    pub(crate) reward: fn(&[u8]) -> f64,
    pub(crate) over: fn(&[u8]) -> bool,
    /// What the state looks like; equal looks are equal futures.
    pub(crate) ram: fn(&[u8]) -> Vec<u8>,
    path: Vec<u8>,
    seen: Vec<u8>,
    frames: u64,
}

impl Toy {
    pub(crate) fn new(actions: usize, reward: fn(&[u8]) -> f64, over: fn(&[u8]) -> bool) -> Self {
        let ram = |path: &[u8]| path.to_vec();
        Self { actions, skip: 1, reward, over, ram, path: Vec::new(), seen: Vec::new(), frames: 0 }
    }

    pub(crate) fn with_ram(self, ram: fn(&[u8]) -> Vec<u8>) -> Self {
        Self { ram, seen: ram(&[]), ..self }
    }
}

impl Model for Toy {
    type State = Vec<u8>;

    fn actions(&self) -> usize {
        self.actions
    }

    fn snapshot(&mut self) -> Vec<u8> {
        self.path.clone()
    }

    fn restore(&mut self, state: &Vec<u8>) {
        self.path.clone_from(state);
        self.seen = (self.ram)(state);
    }

    fn act(&mut self, action: usize) -> Outcome {
        self.path.push(action as u8);
        self.frames += self.skip;
        self.seen = (self.ram)(&self.path);
        Outcome { reward: (self.reward)(&self.path), over: (self.over)(&self.path) }
    }

    fn key(&self, state: &Vec<u8>) -> u64 {
        (self.ram)(state)
            .iter()
            .fold(7, |key: u64, &byte| (key ^ u64::from(byte) ^ 0x100).wrapping_mul(0x0100_0000_01B3))
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn frames_per_decision(&self) -> u64 {
        self.skip
    }

    fn seed(&mut self, _seed: u64) {}

    fn ram(&self) -> &[u8] {
        &self.seen
    }
}

/// A number in 0..100 that depends on the whole path.
pub(crate) fn scramble(path: &[u8]) -> u64 {
    let mut word =
        path.iter().fold(1_u64, |word, &action| word.wrapping_mul(31).wrapping_add(u64::from(action) + 1));
    word ^= word >> 7;
    word = word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (word >> 33) % 100
}

/// The best discounted return from a state within some decisions, by trying everything.
pub(crate) fn exhaustive(toy: &Toy, path: &mut Vec<u8>, depth: usize, discount: f64) -> f64 {
    if depth == 0 || (!path.is_empty() && (toy.over)(path)) {
        return 0.0;
    }
    let mut best = f64::NEG_INFINITY;
    for action in 0..toy.actions {
        path.push(action as u8);
        best = best.max((toy.reward)(path) + discount * exhaustive(toy, path, depth - 1, discount));
        path.pop();
    }
    best
}
