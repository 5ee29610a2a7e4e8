//! A tree as bytes.

use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer, damaged, seal, unseal};

use super::{Brute, Config, Edge, Exploration, NONE, Node, Outcome};
use crate::baselines::generator;

const KIND: [u8; 8] = *b"ALEBRUTE";
const VERSION: u32 = 1;

fn put_outcome(out: &mut Writer, outcome: &Outcome) {
    out.u64(outcome.observation).f64(outcome.reward).u32(outcome.count).u32(outcome.child).u32(outcome.next);
}

fn outcome(bytes: &mut Reader<'_>) -> Result<Outcome, Error> {
    Ok(Outcome {
        observation: bytes.u64()?,
        reward: bytes.f64()?,
        count: bytes.u32()?,
        child: bytes.u32()?,
        next: bytes.u32()?,
    })
}

/// As many values as the number before them says, each of at least `least` bytes.
fn list<T>(
    bytes: &mut Reader<'_>,
    least: u64,
    mut read: impl FnMut(&mut Reader<'_>) -> Result<T, Error>,
) -> Result<Vec<T>, Error> {
    let count = bytes.u64()?;
    if count > bytes.rest().len() as u64 / least {
        return Err(damaged());
    }
    (0..count).map(|_| read(bytes)).collect()
}

impl Brute {
    /// Everything but the parameters.
    pub fn save(&self, out: &mut Writer) {
        self.rng.words().into_iter().for_each(|word| _ = out.u64(word));
        out.u32(self.node).u32(self.action).flag(self.learning);
        out.u64(self.nodes.len() as u64);
        for node in &self.nodes {
            out.u32(node.visits).u32(node.edge).f64(node.value);
        }
        out.u64(self.edges.len() as u64);
        for edge in &self.edges {
            out.f64(edge.q).u32(edge.next).u32(edge.action);
            put_outcome(out, &edge.outcome);
        }
        out.u64(self.outcomes.len() as u64);
        self.outcomes.iter().for_each(|outcome| put_outcome(out, outcome));
        out.u64(self.roots.len() as u64);
        for &(observation, node) in &self.roots {
            out.u64(observation).u32(node);
        }
        out.u64(self.path.len() as u64);
        for &(node, edge) in &self.path {
            out.u32(node).u32(edge);
        }
    }

    /// Reads [`Brute::save`] of a learner with the same parameters.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged.
    pub fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        let rng = generator(bytes)?;
        let (node, action, learning) = (bytes.u32()?, bytes.u32()?, bytes.flag()?);
        let nodes = list(bytes, 16, |bytes| {
            Ok(Node { visits: bytes.u32()?, edge: bytes.u32()?, value: bytes.f64()? })
        })?;
        let edges = list(bytes, 44, |bytes| {
            let (q, next, action) = (bytes.f64()?, bytes.u32()?, bytes.u32()?);
            Ok(Edge { q, outcome: outcome(bytes)?, next, action })
        })?;
        let outcomes = list(bytes, 28, outcome)?;
        let roots = list(bytes, 12, |bytes| Ok((bytes.u64()?, bytes.u32()?)))?;
        let path = list(bytes, 8, |bytes| Ok((bytes.u32()?, bytes.u32()?)))?;
        let inside = |index: u32, len: usize| index == NONE || (index as usize) < len;
        let is_action = |action: u32| (action as usize) < self.config.num_actions;
        let is_outcome = |outcome: &Outcome| {
            outcome.count > 0 && inside(outcome.child, nodes.len()) && inside(outcome.next, outcomes.len())
        };
        // Every list leads to smaller numbers, so none has a circle.
        let sound = inside(node, nodes.len())
            && is_action(action)
            && nodes.iter().all(|node| inside(node.edge, edges.len()))
            && edges.iter().enumerate().all(|(number, edge)| {
                is_action(edge.action)
                    && (edge.next == NONE || (edge.next as usize) < number)
                    && is_outcome(&edge.outcome)
            })
            && outcomes.iter().enumerate().all(|(number, outcome)| {
                is_outcome(outcome) && (outcome.next == NONE || (outcome.next as usize) < number)
            })
            && roots.iter().all(|&(_, node)| (node as usize) < nodes.len())
            && path
                .iter()
                .all(|&(node, edge)| (node as usize) < nodes.len() && (edge as usize) < edges.len());
        if !sound {
            return Err(damaged());
        }
        *self =
            Self { config: self.config, rng, nodes, edges, outcomes, roots, path, node, action, learning };
        Ok(())
    }

    /// The learner with its parameters, sealed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let config = &self.config;
        let mut out = Writer::new();
        out.u64(config.num_actions as u64).f64(config.discount).flag(config.exploration == Exploration::A);
        out.u64(config.max_nodes as u64).u64(config.seed);
        self.save(&mut out);
        seal(KIND, VERSION, &out.finish())
    }

    /// Reads [`Brute::to_bytes`].
    ///
    /// # Errors
    /// [`Error::State`] with the reason.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut bytes = Reader::new(unseal(KIND, VERSION, bytes)?);
        let config = Config {
            num_actions: bytes.u64()? as usize,
            discount: bytes.f64()?,
            exploration: if bytes.flag()? { Exploration::A } else { Exploration::B2 },
            max_nodes: bytes.u64()? as usize,
            seed: bytes.u64()?,
        };
        let mut learner = Self::new(config).map_err(Error::State)?;
        learner.load(&mut bytes)?;
        bytes.finish()?;
        Ok(learner)
    }
}
