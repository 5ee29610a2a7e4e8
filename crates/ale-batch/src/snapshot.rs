//! Sub-environments as they were at one moment: to go back, to try several futures, to keep on a disk.

use ale_sim::bytes::{Reader, Writer, damaged, seal, unseal};
use ale_sim::{Error, Simulator};

use crate::env::VectorEnv;
use crate::pool::lock;
use crate::slot::Episode;

/// First letters of the bytes of a snapshot.
const KIND: [u8; 8] = *b"ale-rs v";
/// Changes with every change of the format.
const VERSION: u32 = 2;

/// The sealed content of a snapshot's bytes.
fn content(bytes: &[u8]) -> Result<&[u8], Error> {
    // Version 1 had one byte for the version and no letters before it; the number of a sub-environment followed.
    if let [1, _, _, _, _, 0, 0, 0, 0, ..] = bytes {
        let name = KIND.escape_ascii();
        return Err(Error::State(format!("\"{name}\" has version 1; accepted: {VERSION}")));
    }
    unseal(KIND, VERSION, bytes)
}

/// Some sub-environments as they were at one moment.
#[derive(Clone)]
pub struct VectorSnapshot<S> {
    worlds: Vec<World<S>>,
}

/// One of them.
#[derive(Clone)]
struct World<S> {
    index: usize,
    sim: S,
    /// Its episode is over.
    over: bool,
}

impl<S> VectorSnapshot<S> {
    /// The numbers of the sub-environments it has.
    pub fn ids(&self) -> impl Iterator<Item = usize> + '_ {
        self.worlds.iter().map(|world| world.index)
    }
}

impl<S: Simulator> VectorSnapshot<S> {
    /// The snapshot as bytes, for [`VectorEnv::parse_snapshot`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut content = Writer::new();
        let mut workspace = self.worlds.first().map(|world| world.sim.new_workspace());
        for World { index, sim, over } in &self.worlds {
            if let Some(workspace) = &mut workspace {
                content.u64(*index as u64).flag(*over).part(&sim.to_bytes(workspace));
            }
        }
        seal(KIND, VERSION, &content.finish())
    }
}

/// Whether bytes can be those of a snapshot: kind, version, length and checksum.
///
/// # Errors
/// [`Error::State`] with the reason.
pub fn check_sealed(bytes: &[u8]) -> Result<Vec<usize>, Error> {
    let mut reader = Reader::new(content(bytes)?);
    let mut ids = Vec::new();
    while !reader.rest().is_empty() {
        let (index, ..) = entry(&mut reader)?;
        ids.push(index);
    }
    Ok(ids)
}

fn entry<'a>(reader: &mut Reader<'a>) -> Result<(usize, bool, &'a [u8]), Error> {
    let index = usize::try_from(reader.u64()?).map_err(|_| damaged())?;
    Ok((index, reader.flag()?, reader.part()?))
}

impl<S: Simulator> VectorEnv<S> {
    /// The sub-environments with these numbers as they are now.
    ///
    /// # Errors
    /// [`Error::Env`] when there is none, [`Error::Order`] when one is at work or none was ever reset.
    pub fn snapshot(&self, ids: &[usize]) -> Result<VectorSnapshot<S>, Error> {
        self.check_ready("snapshot")?;
        let worlds = ids.iter().map(|&index| {
            self.check_whole(index)?;
            let slot = lock(&self.pool.slots[index]);
            Ok(World { index, sim: slot.sim.clone(), over: slot.episode == Episode::Over })
        });
        Ok(VectorSnapshot { worlds: worlds.collect::<Result<_, Error>>()? })
    }

    /// Brings sub-environments back: those with the same numbers, or those in `ids`, one for each in the snapshot.
    ///
    /// # Errors
    /// As [`VectorEnv::snapshot`]; [`Error::Count`] when the numbers are not as many; [`Error::State`] when one is
    /// another world or observes something else. Nothing has changed then.
    pub fn restore(&mut self, snapshot: &VectorSnapshot<S>, ids: Option<&[usize]>) -> Result<(), Error> {
        let own: Vec<_> = snapshot.ids().collect();
        let ids = ids.unwrap_or(&own);
        if ids.len() != own.len() {
            return Err(Error::Count(format!(
                "the snapshot has {} sub-environments, and {} are to be restored",
                own.len(),
                ids.len()
            )));
        }
        for (&index, world) in ids.iter().zip(&snapshot.worlds) {
            self.check_place(index, world)?;
        }
        for (&index, world) in ids.iter().zip(&snapshot.worlds) {
            self.put(index, world);
        }
        if ids.len() == self.num_envs() {
            self.set_ready();
        }
        Ok(())
    }

    /// Copies one sub-environment into others.
    ///
    /// # Errors
    /// As [`VectorEnv::restore`].
    pub fn branch(&mut self, index: usize, targets: &[usize]) -> Result<(), Error> {
        let snapshot = self.snapshot(&[index])?;
        let world = &snapshot.worlds[0];
        for &target in targets {
            self.check_place(target, world)?;
        }
        for &target in targets {
            self.put(target, world);
        }
        Ok(())
    }

    fn check_place(&self, index: usize, world: &World<S>) -> Result<(), Error> {
        self.check_idle(index)?;
        lock(&self.pool.slots[index]).sim.check_like(&world.sim)
    }

    fn put(&mut self, index: usize, world: &World<S>) {
        let episode = if world.over { Episode::Over } else { Episode::Running };
        lock(&self.pool.slots[index]).put(world.sim.clone(), episode);
        self.mark_returned(index);
    }

    /// Reads [`VectorSnapshot::to_bytes`] of an environment like this one.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged or do not fit.
    pub fn parse_snapshot(&self, bytes: &[u8]) -> Result<VectorSnapshot<S>, Error> {
        let mut reader = Reader::new(content(bytes)?);
        let mut worlds = Vec::new();
        while !reader.rest().is_empty() {
            let (index, over, state) = entry(&mut reader)?;
            self.check_known(index)?;
            let mut sim = lock(&self.pool.slots[index]).sim.clone();
            self.pool.with_workspace(|workspace| sim.restore_bytes(state, workspace))?;
            worlds.push(World { index, sim, over });
        }
        Ok(VectorSnapshot { worlds })
    }
}
