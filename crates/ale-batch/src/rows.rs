//! The results of a batch: bytes of observations and a record a row.

use std::array::from_fn;

use ale_sim::Simulator;
use ale_sim::simulator::{PARTS, Parts};

/// Numbers of one row, with rewards of type `R` and facts of type `I`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Record<R, I> {
    /// The sub-environment.
    pub env_id: i32,
    /// The reward of the step.
    pub reward: R,
    /// The episode has ended, as the agent sees it.
    pub terminated: bool,
    /// The episode was cut short.
    pub truncated: bool,
    /// What the sub-environment is now.
    pub now: I,
    /// What it was at the end of the episode, if it started another one within the step.
    pub last: Option<I>,
}

/// The record of a world.
pub type RecordOf<S> = Record<<S as Simulator>::Reward, <S as Simulator>::Info>;

/// Bytes of a row of each part; a part that is not wanted has 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    /// The observation.
    pub obs: [usize; PARTS],
    /// The last observation of an episode: as `obs` with same-step autoreset, otherwise 0.
    pub final_obs: [usize; PARTS],
    /// Byte arrays of `info`.
    pub extra: [usize; PARTS],
}

impl Layout {
    /// Parts of so many bytes, with last observations if wanted.
    pub fn new(obs: [usize; PARTS], extra: [usize; PARTS], with_final: bool) -> Self {
        Self { obs, final_obs: if with_final { obs } else { [0; PARTS] }, extra }
    }

    /// Bytes of a row, all parts together.
    pub fn row_bytes(&self) -> usize {
        [self.obs, self.final_obs, self.extra].iter().flatten().fold(0, |sum, &part| sum.saturating_add(part))
    }
}

/// The memory of a batch with records of type `T`. Parts are separate, so that each can have its own owner.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch<T> {
    /// Observations, a row each.
    pub obs: [Vec<u8>; PARTS],
    /// Last observations of episodes that ended; rows of others are what they were.
    pub final_obs: [Vec<u8>; PARTS],
    /// Byte arrays of `info`, a row each.
    pub extra: [Vec<u8>; PARTS],
    /// Numbers, a row each.
    pub records: Vec<T>,
}

impl<T: Clone + Default> Batch<T> {
    /// Memory for `rows` rows.
    pub fn new(layout: Layout, rows: usize) -> Self {
        let memory = |parts: [usize; PARTS]| parts.map(|part| vec![0; part * rows]);
        Self {
            obs: memory(layout.obs),
            final_obs: memory(layout.final_obs),
            extra: memory(layout.extra),
            records: vec![T::default(); rows],
        }
    }

    /// The rows, to be written.
    pub fn rows(&mut self) -> Rows<'_, T> {
        Rows {
            obs: self.obs.each_mut().map(Vec::as_mut_slice),
            final_obs: self.final_obs.each_mut().map(Vec::as_mut_slice),
            extra: self.extra.each_mut().map(Vec::as_mut_slice),
            records: &mut self.records,
        }
    }
}

/// Rows of a batch that are written now, whoever owns the memory.
#[derive(Debug)]
pub struct Rows<'a, T> {
    /// Observations.
    pub obs: Parts<'a>,
    /// Last observations of episodes.
    pub final_obs: Parts<'a>,
    /// Byte arrays of `info`.
    pub extra: Parts<'a>,
    /// Numbers.
    pub records: &'a mut [T],
}

impl<'a, T> Rows<'a, T> {
    /// Whether the memory is that of so many rows.
    pub(crate) fn fit(&self, layout: Layout, rows: usize) -> bool {
        let fits = |parts: &Parts<'a>, lens: [usize; PARTS]| {
            parts.iter().zip(lens).all(|(part, len)| part.len() == len * rows)
        };
        fits(&self.obs, layout.obs)
            && fits(&self.final_obs, layout.final_obs)
            && fits(&self.extra, layout.extra)
            && self.records.len() == rows
    }

    /// One row.
    pub(crate) fn row(&mut self, layout: Layout, row: usize) -> Rows<'_, T> {
        fn of<'r>(parts: &'r mut Parts<'_>, lens: [usize; PARTS], row: usize) -> Parts<'r> {
            let mut lens = lens.into_iter();
            parts.each_mut().map(|part| {
                let len = lens.next().unwrap_or(0);
                &mut part[row * len..][..len]
            })
        }
        Rows {
            obs: of(&mut self.obs, layout.obs, row),
            final_obs: of(&mut self.final_obs, layout.final_obs, row),
            extra: of(&mut self.extra, layout.extra, row),
            records: &mut self.records[row..=row],
        }
    }

    /// Gives the first `count` rows away. The memory must be [`Rows::fit`].
    #[inline]
    pub(crate) fn split_off(&mut self, layout: &Layout, count: usize) -> Rows<'a, T> {
        #[inline]
        fn of<'r>(parts: &mut Parts<'r>, lens: &[usize; PARTS], count: usize) -> Parts<'r> {
            from_fn(|part| match lens[part] {
                0 => &mut [],
                len => parts[part].split_off_mut(..count * len).unwrap_or_default(),
            })
        }
        Rows {
            obs: of(&mut self.obs, &layout.obs, count),
            final_obs: of(&mut self.final_obs, &layout.final_obs, count),
            extra: of(&mut self.extra, &layout.extra, count),
            records: self.records.split_off_mut(..count).unwrap_or_default(),
        }
    }
}
