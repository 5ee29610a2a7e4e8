//! The replay buffer of DQN: every frame is stored once, states are assembled from it by index.
//!
//! A slot is one frame of a stream (one environment's play) with the transition that left it: the action, its reward and
//! whether the game ended. The next slot of the same stream is the frame that the action led to. A state is a stack of
//! the newest frames, never across the start of an episode: frames before the start are zeros or repeat the first one.
//!
//! Streams are rings of equal size. Memory is taken chunk by chunk as frames arrive.

mod file;
mod store;

pub use store::Error;

use ale_sim::rng::Xoshiro256;
use store::Frames;

/// What stands before the first frame of an episode in a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Padding {
    /// Black frames.
    Zeros,
    /// Copies of the first frame.
    First,
}

/// The shape of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Frames in all streams together; each stream has an equal part.
    pub capacity: usize,
    /// Bytes of a frame.
    pub frame: usize,
    /// Frames of a state.
    pub stack: usize,
    /// Streams: one for each environment that plays into the buffer.
    pub streams: usize,
    /// What stands before the first frame of an episode.
    pub padding: Padding,
}

/// One transition without its frames.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Transition {
    /// Index of the action.
    pub action: i32,
    /// Reward as the learner wants it.
    pub reward: f32,
    /// The game ended: nothing comes after the next state.
    pub terminal: bool,
}

/// Where sampled transitions are written, one row each.
#[derive(Debug)]
pub struct Batch<'a> {
    /// `stack + 1` frames a row: the first `stack` are the state, the last `stack` the next state.
    pub frames: &'a mut [u8],
    /// Actions.
    pub actions: &'a mut [i32],
    /// Rewards.
    pub rewards: &'a mut [f32],
    /// Ends of games.
    pub terminals: &'a mut [bool],
    /// Slots, for whoever wants to know which transitions these are.
    pub slots: &'a mut [u64],
}

/// The first frame of an episode.
const STARTS: u8 = 1;
/// The slot has a transition to the next slot.
const LEAVES: u8 = 2;
/// The transition ends the game.
const TERMINAL: u8 = 4;
/// The last frame of a game: no transition leaves it.
const ENDED: u8 = 8;

/// A ring of slots for one stream.
#[derive(Debug, Clone, Default, PartialEq)]
struct Ring {
    /// Slots ever written; the newest is `written - 1`, modulo the ring's size.
    written: u64,
}

/// The replay buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    shape: Shape,
    /// Slots of a stream.
    size: usize,
    frames: Frames,
    actions: Vec<i32>,
    rewards: Vec<f32>,
    flags: Vec<u8>,
    rings: Vec<Ring>,
    /// Transitions that are stored now.
    transitions: usize,
    rng: Xoshiro256,
}

impl Replay {
    /// An empty buffer.
    ///
    /// # Errors
    /// [`Error::Shape`] when a stream would have too few slots for one state, or a number is 0; [`Error::Memory`].
    pub fn new(shape: Shape, seed: u64) -> Result<Self, Error> {
        shape.check()?;
        let size = shape.capacity / shape.streams;
        let slots = size * shape.streams;
        Ok(Self {
            shape,
            size,
            frames: Frames::new(slots, shape.frame),
            actions: store::zeros(slots)?,
            rewards: store::zeros(slots)?,
            flags: store::zeros(slots)?,
            rings: vec![Ring::default(); shape.streams],
            transitions: 0,
            rng: Xoshiro256::new(seed),
        })
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Transitions that are stored now.
    pub fn len(&self) -> usize {
        self.transitions
    }

    /// Whether no transition is stored.
    pub fn is_empty(&self) -> bool {
        self.transitions == 0
    }

    /// Bytes of memory that the buffer holds now.
    pub fn bytes(&self) -> usize {
        self.frames.bytes() + self.flags.len() * (4 + 4 + 1)
    }

    /// Starts an episode of a stream with its first frame.
    ///
    /// # Errors
    /// [`Error::Stream`], [`Error::Frame`] or [`Error::Memory`]; nothing has changed then.
    pub fn begin(&mut self, stream: usize, frame: &[u8]) -> Result<(), Error> {
        self.push(stream, frame, STARTS)
    }

    /// Adds a transition from the newest frame of a stream to `frame`.
    ///
    /// # Errors
    /// As [`Replay::begin`], and [`Error::Order`] before the stream's first frame or after the end of its game.
    pub fn append(&mut self, stream: usize, transition: Transition, frame: &[u8]) -> Result<(), Error> {
        let newest = self.newest(stream)?.ok_or(Error::Order { stream })?;
        if self.flags[newest] & ENDED != 0 {
            return Err(Error::Order { stream });
        }
        self.push(stream, frame, if transition.terminal { ENDED } else { 0 })?;
        self.flags[newest] |= if transition.terminal { LEAVES | TERMINAL } else { LEAVES };
        self.actions[newest] = transition.action;
        self.rewards[newest] = transition.reward;
        self.transitions += 1;
        Ok(())
    }

    fn newest(&self, stream: usize) -> Result<Option<usize>, Error> {
        let ring = self.rings.get(stream).ok_or(Error::Stream { stream, streams: self.shape.streams })?;
        Ok(ring.written.checked_sub(1).map(|number| self.slot(stream, number)))
    }

    fn slot(&self, stream: usize, number: u64) -> usize {
        stream * self.size + (number % self.size as u64) as usize
    }

    fn push(&mut self, stream: usize, frame: &[u8], flags: u8) -> Result<(), Error> {
        self.newest(stream)?;
        if frame.len() != self.shape.frame {
            return Err(Error::Frame { got: frame.len(), wanted: self.shape.frame });
        }
        let slot = self.slot(stream, self.rings[stream].written);
        self.frames.write(slot, frame)?;
        if self.flags[slot] & LEAVES != 0 {
            self.transitions -= 1;
        }
        self.flags[slot] = flags;
        self.rings[stream].written += 1;
        Ok(())
    }

    /// Draws transitions uniformly, with replacement, and writes them. A transition whose state needs a frame that was
    /// overwritten is not drawn.
    ///
    /// # Errors
    /// [`Error::Empty`] when there is none to draw; [`Error::Batch`] when the rows differ in length.
    pub fn sample(&mut self, batch: &mut Batch<'_>) -> Result<(), Error> {
        let count = batch.actions.len();
        let row = (self.shape.stack + 1) * self.shape.frame;
        let even = batch.frames.len() == count * row
            && batch.rewards.len() == count
            && batch.terminals.len() == count
            && batch.slots.len() == count;
        if !even {
            return Err(Error::Batch { frames: batch.frames.len(), wanted: count * row });
        }
        if count == 0 {
            return Ok(());
        }
        if !self.any_complete() {
            return Err(Error::Empty);
        }
        for slot in &mut *batch.slots {
            *slot = self.draw() as u64;
        }
        let rows = batch.frames.chunks_exact_mut(row).zip(&*batch.slots);
        for (index, (frames, &slot)) in rows.enumerate() {
            let slot = slot as usize;
            self.assemble(slot, frames);
            batch.actions[index] = self.actions[slot];
            batch.rewards[index] = self.rewards[slot];
            batch.terminals[index] = self.flags[slot] & TERMINAL != 0;
        }
        Ok(())
    }

    /// A slot whose transition is stored with all frames of its state.
    fn draw(&mut self) -> usize {
        loop {
            let stream = self.rng.below(self.shape.streams as u64) as usize;
            let stored = self.stored(stream);
            if stored == 0 {
                continue;
            }
            let number = self.rings[stream].written - 1 - self.rng.below(stored);
            if self.is_complete(stream, number) {
                return self.slot(stream, number);
            }
        }
    }

    fn stored(&self, stream: usize) -> u64 {
        self.rings[stream].written.min(self.size as u64)
    }

    fn any_complete(&self) -> bool {
        let complete = |stream: usize| {
            let newest = self.rings[stream].written;
            (newest - self.stored(stream)..newest).rev().any(|number| self.is_complete(stream, number))
        };
        self.transitions > 0 && (0..self.shape.streams).any(complete)
    }

    /// Whether the slot has a transition and no frame of its state was overwritten.
    fn is_complete(&self, stream: usize, number: u64) -> bool {
        if self.flags[self.slot(stream, number)] & LEAVES == 0 {
            return false;
        }
        let oldest = self.rings[stream].written - self.stored(stream);
        let back = number - oldest;
        back + 1 >= self.shape.stack as u64
            || (oldest..=number).any(|number| self.flags[self.slot(stream, number)] & STARTS != 0)
    }

    /// Writes the `stack + 1` frames of a transition.
    fn assemble(&self, slot: usize, out: &mut [u8]) {
        let (len, stack) = (self.shape.frame, self.shape.stack);
        let base = slot - slot % self.size;
        let place = slot - base;
        let at = |back: usize| base + (place + self.size - back) % self.size;
        // How many frames of the state belong to this episode.
        let own = (0..stack - 1).take_while(|&back| self.flags[at(back)] & STARTS == 0).count() + 1;
        let missing = stack - own;
        let (before, rest) = out.split_at_mut(missing * len);
        match self.shape.padding {
            Padding::Zeros => before.fill(0),
            Padding::First => {
                let first = self.frames.read(at(own - 1));
                before.chunks_exact_mut(len).for_each(|frame| frame.copy_from_slice(first));
            }
        }
        // The common case: all frames lie side by side, one copy.
        if let Some(run) = (place + 1 >= own && place + 1 < self.size)
            .then(|| self.frames.read_run(slot + 1 - own, own + 1))
            .flatten()
        {
            rest.copy_from_slice(run);
            return;
        }
        for (index, frame) in rest.chunks_exact_mut(len).enumerate() {
            let source = if index == own { base + (place + 1) % self.size } else { at(own - 1 - index) };
            frame.copy_from_slice(self.frames.read(source));
        }
    }
}
