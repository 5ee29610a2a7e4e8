//! Novelty: the atoms that are true in a state, and tables of those seen before.

use ale_features::{Active, FeatureSet, Input, InputKind, Screen};
use ale_sim::Model;

use crate::planner::Error;

/// What novelty is measured on: the atoms that are true in the state of a model.
pub trait Atoms<M: Model>: Send + Sync {
    /// Replaces `out` by the atoms of the model's state now. `parent` has those of the state before the decision.
    ///
    /// # Errors
    /// [`Error::Atoms`] when they cannot be computed.
    fn active(&mut self, model: &M, parent: &[u32], out: &mut Vec<u32>) -> Result<(), Error>;

    /// The same atoms for another thread.
    fn fork(&self) -> Box<dyn Atoms<M>>;
}

/// The largest atom. Tables of atoms grow to the largest that was seen.
pub const MAX_ATOM: u32 = (1 << 27) - 1;

/// One atom for each byte of RAM and its value: (byte i, value v) is atom 256·i + v.
#[derive(Debug, Clone, Copy, Default)]
pub struct RamAtoms;

impl<M: Model> Atoms<M> for RamAtoms {
    fn active(&mut self, model: &M, _parent: &[u32], out: &mut Vec<u32>) -> Result<(), Error> {
        out.clear();
        out.extend(model.ram().iter().enumerate().map(|(byte, &value)| byte as u32 * 256 + u32::from(value)));
        Ok(())
    }

    fn fork(&self) -> Box<dyn Atoms<M>> {
        Box::new(*self)
    }
}

/// The features of any set. Sets that compare with the previous decision compare with the parent, whose features are
/// its atoms. Sets that look at the screen need a model that draws; a state that was restored has no picture and then no
/// atoms.
pub struct FeatureAtoms {
    features: Box<dyn FeatureSet>,
    active: Active,
}

impl FeatureAtoms {
    /// Atoms over this feature set.
    pub fn new(features: Box<dyn FeatureSet>) -> Self {
        Self { features, active: Active::default() }
    }
}

impl<M: Model> Atoms<M> for FeatureAtoms {
    fn active(&mut self, model: &M, parent: &[u32], out: &mut Vec<u32>) -> Result<(), Error> {
        out.clear();
        let input = match self.features.input() {
            InputKind::Ram => Input::ram(model.ram()),
            InputKind::Screen => {
                let Some(frame) = model.frame() else { return Ok(()) };
                Screen::new(frame.pixels).map(Input::Screen)
            }
        };
        self.features.continue_from(parent);
        input
            .and_then(|input| self.features.active(input, &mut self.active))
            .map_err(|error| Error::Atoms(error.to_string()))?;
        out.clone_from(&self.active.indices);
        Ok(())
    }

    fn fork(&self) -> Box<dyn Atoms<M>> {
        Box::new(Self::new(self.features.fork()))
    }
}

/// Atoms that were seen in this search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    words: Vec<u64>,
    /// Words with a bit in them.
    used: Vec<u32>,
}

impl Seen {
    /// Takes time in proportion to what was marked.
    pub(crate) fn clear(&mut self) {
        self.used.drain(..).for_each(|word| self.words[word as usize] = 0);
    }

    /// Whether an atom is new.
    pub(crate) fn is_novel(&self, atoms: &[u32]) -> bool {
        atoms
            .iter()
            .any(|&atom| self.words.get(atom as usize / 64).is_none_or(|word| word >> (atom % 64) & 1 == 0))
    }

    pub(crate) fn mark(&mut self, atoms: &[u32]) {
        for &atom in atoms {
            let index = atom as usize / 64;
            if index >= self.words.len() {
                self.words.resize((index + 1).next_power_of_two(), 0);
            }
            let word = &mut self.words[index];
            if *word == 0 {
                self.used.push(index as u32);
            }
            *word |= 1 << (atom % 64);
        }
    }
}

/// The least depth at which each atom was seen in this search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Depths {
    depths: Vec<u16>,
    /// Atoms that were seen.
    used: Vec<u32>,
}

impl Depths {
    /// Takes time in proportion to what was marked.
    pub(crate) fn clear(&mut self) {
        self.used.drain(..).for_each(|atom| self.depths[atom as usize] = u16::MAX);
    }

    pub(crate) fn get(&self, atom: u32) -> u16 {
        self.depths.get(atom as usize).copied().unwrap_or(u16::MAX)
    }

    /// Whether an atom was seen only deeper than this, or never.
    pub(crate) fn is_novel(&self, atoms: &[u32], depth: u16) -> bool {
        atoms.iter().any(|&atom| self.get(atom) > depth)
    }

    /// Whether every atom was seen at a lesser depth than this.
    pub(crate) fn is_shadowed(&self, atoms: &[u32], depth: u16) -> bool {
        atoms.iter().all(|&atom| self.get(atom) < depth)
    }

    pub(crate) fn mark(&mut self, atoms: &[u32], depth: u16) {
        for &atom in atoms {
            let index = atom as usize;
            if index >= self.depths.len() {
                self.depths.resize((index + 1).next_power_of_two(), u16::MAX);
            }
            let least = &mut self.depths[index];
            if *least == u16::MAX {
                self.used.push(atom);
            }
            *least = depth.min(*least);
        }
    }
}
