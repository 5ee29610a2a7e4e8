//! Sub-environments as they were at one moment: to go back, to try several futures, to keep on a disk.

use ale_sim::bytes::{seal, unseal};

use super::sub::{Sub, Workspace};
use super::{Rows, VectorEnv};
use crate::error::Error;

/// Some sub-environments as they were at one moment.
#[derive(Clone)]
pub struct VectorSnapshot {
    subs: Vec<(usize, Sub)>,
}

impl VectorSnapshot {
    /// The numbers of the sub-environments it has.
    pub fn ids(&self) -> impl Iterator<Item = usize> + '_ {
        self.subs.iter().map(|(index, _)| *index)
    }

    /// The snapshot as bytes, for [`VectorEnv::parse_snapshot`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut work = Workspace::default();
        let mut bytes = Vec::new();
        for (index, sub) in &self.subs {
            let state = sub.clone().into_bytes(&mut work);
            bytes.extend_from_slice(&(*index as u64).to_le_bytes());
            bytes.extend_from_slice(&(state.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&state);
        }
        seal(KIND, VERSION, &bytes)
    }
}

/// First letters of the bytes of a snapshot.
const KIND: [u8; 8] = *b"ale-rs v";
/// Changes with every change of the format.
const VERSION: u32 = 2;

impl VectorEnv {
    /// The sub-environments with these numbers as they are now.
    ///
    /// # Errors
    /// [`Error::Env`] when there is none, [`Error::Order`] when one is at work or none was ever reset.
    pub fn snapshot(&self, ids: &[usize]) -> Result<VectorSnapshot, Error> {
        self.check_ready("snapshot")?;
        let subs = ids.iter().map(|&index| {
            self.check_whole(index)?;
            Ok((index, self.crew.clone_of(index)))
        });
        Ok(VectorSnapshot { subs: subs.collect::<Result<_, Error>>()? })
    }

    /// Brings sub-environments back: those with the same numbers, or those in `ids`, one for each in the snapshot.
    ///
    /// # Errors
    /// As [`VectorEnv::snapshot`]; [`Error::Count`] when the numbers are not as many; [`Error::State`] when one plays
    /// another game or observes something else. Nothing has changed then.
    pub fn restore(&mut self, snapshot: &VectorSnapshot, ids: Option<&[usize]>) -> Result<(), Error> {
        let own: Vec<_> = snapshot.ids().collect();
        let ids = ids.unwrap_or(&own);
        if ids.len() != own.len() {
            return Err(Error::Count(format!(
                "the snapshot has {} sub-environments, and {} are to be restored",
                own.len(),
                ids.len()
            )));
        }
        for (&index, (_, sub)) in ids.iter().zip(&snapshot.subs) {
            self.check_idle(index)?;
            self.crew.check_like(index, sub)?;
        }
        for (&index, (_, sub)) in ids.iter().zip(&snapshot.subs) {
            self.crew.put(index, sub.clone());
            self.settle(index);
        }
        if ids.len() == self.num_envs() {
            self.forgive();
        }
        Ok(())
    }

    /// Copies one sub-environment into others.
    ///
    /// # Errors
    /// As [`VectorEnv::restore`].
    pub fn branch(&mut self, index: usize, targets: &[usize]) -> Result<(), Error> {
        let snapshot = self.snapshot(&[index])?;
        for &target in targets {
            self.check_idle(target)?;
            self.crew.check_like(target, &snapshot.subs[0].1)?;
        }
        for &target in targets {
            self.crew.put(target, snapshot.subs[0].1.clone());
            self.settle(target);
        }
        Ok(())
    }

    /// Reads [`VectorSnapshot::to_bytes`] of an environment like this one.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged or do not fit.
    pub fn parse_snapshot(&self, bytes: &[u8]) -> Result<VectorSnapshot, Error> {
        let content = unseal(KIND, VERSION, bytes).map_err(|error| Error::State(error.to_string()))?;
        let mut reader = Reader(content);
        let mut work = Workspace::default();
        let mut subs = Vec::new();
        while !reader.0.is_empty() {
            let index = reader.number()? as usize;
            let len = reader.number()? as usize;
            let state = reader.take(len)?;
            self.check_known(index)?;
            let mut sub = self.crew.clone_of(index);
            sub.restore_bytes(state, &mut work)?;
            subs.push((index, sub));
        }
        Ok(VectorSnapshot { subs })
    }

    /// Writes what all sub-environments show now.
    ///
    /// # Errors
    /// [`Error::Order`] before the first reset and while steps are in flight; [`Error::Config`] when a batch has fewer
    /// rows than there are sub-environments.
    pub fn observe(&mut self, rows: Rows<'_>, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        self.check_ready("observe")?;
        if !self.synchronous() {
            return Err(Error::Config(format!(
                "a batch has {} rows, too few to show {} sub-environments; accepted: synchronous mode, \
                 where batch_size is num_envs",
                self.batch_size,
                self.num_envs()
            )));
        }
        for index in 0..self.num_envs() {
            self.check_idle(index)?;
        }
        self.report_all();
        self.run(rows, poll)
    }
}

/// Reads numbers and parts of bytes.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(taken)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (taken, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(super) fn number(&mut self) -> Result<u64, Error> {
        self.array().map(u64::from_le_bytes)
    }

    /// A number of bytes, then the bytes.
    pub(super) fn part(&mut self) -> Result<&'a [u8], Error> {
        let len = self.number()? as usize;
        self.take(len)
    }
}

pub(super) fn damaged() -> Error {
    Error::State("the snapshot is damaged".to_owned())
}
