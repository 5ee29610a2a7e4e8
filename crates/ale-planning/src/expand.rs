//! Expanding many nodes at once, on as many threads as there are. The result does not depend on their number.

use ale_sim::rng::SplitMix64;
use ale_sim::{Model, Outcome};

use crate::novelty::Atoms;
use crate::planner::Error;
use crate::tree::Tree;

/// Nodes that are expanded at once, at most.
pub(crate) const WAVE: u64 = 64;
/// A thread is worth starting for this many nodes.
const SHARE: usize = 8;

/// A node and the actions to take from it, in this order.
pub(crate) struct Job {
    pub(crate) node: usize,
    pub(crate) actions: Vec<usize>,
    /// Seed of the model's chance. It belongs to the node, so that chance does not depend on the thread.
    pub(crate) seed: u64,
}

impl Job {
    /// A seed for this node in this search.
    pub(crate) fn seed(seed: u64, search: u64, node: usize) -> u64 {
        let place = search << 32 | node as u64;
        SplitMix64::new(seed ^ place.wrapping_mul(0x9E37_79B9_7F4A_7C15)).next_u64()
    }
}

/// What one action from a node gave.
pub(crate) struct Child<S> {
    pub(crate) action: usize,
    pub(crate) outcome: Outcome,
    pub(crate) frames: u64,
    pub(crate) key: u64,
    pub(crate) state: S,
    pub(crate) atoms: Vec<u32>,
}

/// Atoms of the children, if the planner wants them: one source for each thread.
pub(crate) type Sources<M> = Vec<Box<dyn Atoms<M>>>;

/// The children of some nodes of a tree, in the order of the jobs. `sources` is empty or has one for each thread.
pub(crate) fn expand<M: Model + Clone + Send>(
    model: &mut M,
    tree: &Tree<M::State>,
    jobs: &[Job],
    threads: usize,
    sources: &mut Sources<M>,
) -> Result<Vec<Vec<Child<M::State>>>, Error>
where
    M::State: Send + Sync,
{
    let share = jobs.len().div_ceil(threads.max(1)).max(SHARE);
    let mut sources = sources.iter_mut();
    if share >= jobs.len() {
        return expand_share(model, tree, jobs, sources.next());
    }
    std::thread::scope(|scope| {
        let mut shares = jobs.chunks(share);
        let (first, first_source) = (shares.next().unwrap_or_default(), sources.next());
        let others: Vec<_> = shares
            .map(|share| {
                let (mut model, source) = (model.clone(), sources.next());
                scope.spawn(move || expand_share(&mut model, tree, share, source))
            })
            .collect();
        let mut all = expand_share(model, tree, first, first_source);
        for other in others {
            let share = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            all = all.and_then(|mut all| share.map(|share| all.extend(share)).map(|()| all));
        }
        all
    })
}

type Expanded<S> = Result<Vec<Vec<Child<S>>>, Error>;

fn expand_share<M: Model>(
    model: &mut M,
    tree: &Tree<M::State>,
    jobs: &[Job],
    mut source: Option<&mut Box<dyn Atoms<M>>>,
) -> Expanded<M::State> {
    let mut all = Vec::with_capacity(jobs.len());
    for Job { node, actions, seed } in jobs {
        let mut children = Vec::with_capacity(actions.len());
        model.seed(*seed);
        if let Some(state) = tree.state(*node) {
            for &action in actions {
                model.restore(state);
                let before = model.frames();
                let outcome = model.act(action);
                let frames = model.frames() - before;
                let mut atoms = Vec::new();
                if let Some(source) = &mut source {
                    source.active(model, tree.atoms(*node), &mut atoms)?;
                }
                let state = model.snapshot();
                children.push(Child { action, outcome, frames, key: model.key(&state), state, atoms });
            }
        }
        all.push(children);
    }
    Ok(all)
}
