//! A store of states: for searches and archives that are written elsewhere, with networks for example.

use std::collections::HashMap;

use ale_sim::rng::SplitMix64;
use ale_sim::{Model, Outcome};

use crate::planner::Error;

/// A thread is worth starting for this many rows.
const SHARE: usize = 8;

/// States by number, and a model for each thread.
pub struct States<M: Model> {
    models: Vec<M>,
    stored: Vec<Stored<M::State>>,
    most: usize,
    seed: u64,
    calls: u64,
}

#[derive(Clone)]
struct Stored<S> {
    state: S,
    over: bool,
}

/// What an expansion gave, row by row; the children's numbers begin with `first`.
#[derive(Debug, Clone, PartialEq)]
pub struct Expanded {
    /// The number of the first child; the others follow.
    pub first: usize,
    /// Rewards and ends of the decisions.
    pub outcomes: Vec<Outcome>,
}

impl<M: Model + Clone + Send> States<M>
where
    M::State: Send + Sync,
{
    /// An empty store of at most so many states, with as many threads.
    pub fn new(model: M, threads: usize, max_states: usize, seed: u64) -> Self {
        let models = vec![model; threads.max(1)];
        Self { models, stored: Vec::new(), most: max_states, seed, calls: 0 }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }

    /// Adds a state; its number.
    ///
    /// # Errors
    /// [`Error::StoreFull`].
    pub fn add(&mut self, state: M::State, over: bool) -> Result<usize, Error> {
        self.check_room(1)?;
        self.stored.push(Stored { state, over });
        Ok(self.stored.len() - 1)
    }

    /// A state, if there is one with this number.
    pub fn state(&self, index: usize) -> Option<&M::State> {
        self.stored.get(index).map(|stored| &stored.state)
    }

    /// Whether the game has ended in a state.
    pub fn is_over(&self, index: usize) -> bool {
        self.stored.get(index).is_some_and(|stored| stored.over)
    }

    /// The model of the calling thread.
    pub fn model(&self) -> &M {
        &self.models[0]
    }

    /// Keeps these states only; state `order[i]` gets number `i`.
    pub fn keep(&mut self, order: &[usize]) {
        self.stored = order.iter().map(|&index| self.stored[index].clone()).collect();
    }

    /// Takes an action in each of some states and adds where they lead. `observe` writes the row of a child.
    ///
    /// Chance depends on the call and the row and not on the thread.
    ///
    /// # Errors
    /// [`Error::StoreFull`]; nothing has changed then.
    ///
    /// # Panics
    /// When there is no state or action with such a number, or the rows are too few.
    pub fn expand(
        &mut self,
        parents: &[usize],
        actions: &[usize],
        rows: &mut [u8],
        observe: impl Fn(&M, &mut [u8]) + Sync,
    ) -> Result<Expanded, Error> {
        self.check_room(parents.len())?;
        self.calls += 1;
        let seed = SplitMix64::new(self.seed ^ self.calls.wrapping_mul(0x9E37_79B9_7F4A_7C15)).next_u64();
        let row_bytes = rows.len() / parents.len().max(1);
        let share = parents.len().div_ceil(self.models.len()).max(SHARE);
        let (stored, observe) = (&self.stored, &observe);
        let mut shares = Vec::new();
        let mut rest = rows;
        for (index, (parents, actions)) in parents.chunks(share).zip(actions.chunks(share)).enumerate() {
            let (own, others) = rest.split_at_mut(row_bytes * parents.len());
            rest = others;
            shares.push((index * share, parents, actions, own));
        }
        let work =
            |model: &mut M, (first, parents, actions, rows): (usize, &[usize], &[usize], &mut [u8])| {
                let mut children = Vec::with_capacity(parents.len());
                let mut rows = rows.chunks_exact_mut(row_bytes.max(1));
                for (row, (&parent, &action)) in parents.iter().zip(actions).enumerate() {
                    model.seed(seed ^ ((first + row) as u64).wrapping_mul(0xD134_2543_DE82_EF95));
                    model.restore(&stored[parent].state);
                    let outcome = model.act(action);
                    if let Some(row) = rows.next() {
                        observe(model, row);
                    }
                    children.push((Stored { state: model.snapshot(), over: outcome.over }, outcome));
                }
                children
            };
        let children = std::thread::scope(|scope| {
            let mut jobs = shares.into_iter().zip(&mut self.models);
            let first = jobs.next();
            let others: Vec<_> = jobs.map(|(share, model)| scope.spawn(move || work(model, share))).collect();
            let mut all = first.map(|(share, model)| work(model, share)).unwrap_or_default();
            for other in others {
                all.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            all
        });
        let first = self.stored.len();
        let (children, outcomes): (Vec<_>, Vec<_>) = children.into_iter().unzip();
        self.stored.extend(children);
        Ok(Expanded { first, outcomes })
    }

    /// The key of a state's future.
    ///
    /// # Panics
    /// When there is no such state.
    pub fn key(&self, index: usize) -> u64 {
        self.models[0].key(&self.stored[index].state)
    }

    fn check_room(&self, more: usize) -> Result<(), Error> {
        if self.stored.len() + more > self.most {
            return Err(Error::StoreFull(self.most));
        }
        Ok(())
    }
}

/// Gives equal records the same number: the different ones in the order of their first appearance, and the number of
/// each.
pub fn deduplicate(records: impl Iterator<Item = Vec<u8>>) -> (Vec<Vec<u8>>, Vec<u32>) {
    let mut numbers: HashMap<Vec<u8>, u32> = HashMap::new();
    let order = records
        .map(|record| {
            let next = numbers.len() as u32;
            *numbers.entry(record).or_insert(next)
        })
        .collect();
    let mut different: Vec<_> = numbers.into_iter().collect();
    different.sort_unstable_by_key(|&(_, number)| number);
    (different.into_iter().map(|(record, _)| record).collect(), order)
}
