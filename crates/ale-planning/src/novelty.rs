//! Novelty: the atoms that are true in a state, and tables of those seen before.

use ale_features::{Active, BProst, FeatureSet, Input, Screen};
use ale_sim::Model;

use crate::planner::Error;

/// What novelty is measured on: the atoms that are true in the state of a model.
pub trait Atoms<M: Model>: Send {
    /// Replaces `out` by the atoms of the model's state now. `parent` has those of the state before the decision.
    ///
    /// # Errors
    /// [`Error::Atoms`] when they cannot be computed.
    fn active(&mut self, model: &M, parent: &[u32], out: &mut Vec<u32>) -> Result<(), Error>;
}

/// One atom for each byte of RAM and its value: (byte i, value v) is atom 256·i + v.
#[derive(Debug, Clone, Copy, Default)]
pub struct RamAtoms;

impl<M: Model> Atoms<M> for RamAtoms {
    fn active(&mut self, model: &M, _parent: &[u32], out: &mut Vec<u32>) -> Result<(), Error> {
        out.clear();
        out.extend(model.ram().iter().enumerate().map(|(byte, &value)| byte as u32 * 256 + u32::from(value)));
        Ok(())
    }
}

/// The B-PROST features of the screen; the model has to draw.
///
/// Each state is seen by itself, so there are no atoms of offsets in time: those depend on the path to a state, and a
/// search reaches it on many. A state that was restored has no picture and no atoms.
pub struct BProstAtoms {
    features: BProst,
    active: Active,
}

impl BProstAtoms {
    /// Atoms over this feature set.
    pub fn new(features: BProst) -> Self {
        Self { features, active: Active::default() }
    }
}

impl<M: Model> Atoms<M> for BProstAtoms {
    fn active(&mut self, model: &M, _parent: &[u32], out: &mut Vec<u32>) -> Result<(), Error> {
        out.clear();
        let Some(frame) = model.frame() else { return Ok(()) };
        let screen = Screen::new(frame.pixels).map_err(|error| Error::Atoms(error.to_string()))?;
        self.features.reset();
        self.features
            .active(Input::Screen(screen), &mut self.active)
            .map_err(|error| Error::Atoms(error.to_string()))?;
        out.clone_from(&self.active.indices);
        Ok(())
    }
}

/// Atoms that were seen in this search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen(Vec<u64>);

impl Seen {
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Whether an atom is new.
    pub(crate) fn is_novel(&self, atoms: &[u32]) -> bool {
        atoms
            .iter()
            .any(|&atom| self.0.get(atom as usize / 64).is_none_or(|word| word >> (atom % 64) & 1 == 0))
    }

    pub(crate) fn mark(&mut self, atoms: &[u32]) {
        for &atom in atoms {
            let word = atom as usize / 64;
            if word >= self.0.len() {
                self.0.resize((word + 1).next_power_of_two(), 0);
            }
            self.0[word] |= 1 << (atom % 64);
        }
    }
}

/// The least depth at which each atom was seen in this search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Depths(Vec<u16>);

impl Depths {
    pub(crate) fn clear(&mut self) {
        self.0.fill(u16::MAX);
    }

    pub(crate) fn get(&self, atom: u32) -> u16 {
        self.0.get(atom as usize).copied().unwrap_or(u16::MAX)
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
            let atom = atom as usize;
            if atom >= self.0.len() {
                self.0.resize((atom + 1).next_power_of_two(), u16::MAX);
            }
            self.0[atom] = self.0[atom].min(depth);
        }
    }
}
