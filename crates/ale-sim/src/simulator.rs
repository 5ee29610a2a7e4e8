//! The world that a batch runs.

use std::fmt::Debug;

use crate::error::Error;

/// Byte arrays that an observation can consist of, and that `info` can have besides numbers.
pub const PARTS: usize = 4;

/// Memory for the parts of one row; a part that is not used is empty.
pub type Parts<'a> = [&'a mut [u8]; PARTS];

/// What one step of a world brought.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Step<R> {
    /// The reward.
    pub reward: R,
    /// The episode has ended, as the agent sees it.
    pub terminated: bool,
    /// The episode was cut short.
    pub truncated: bool,
    /// The next step needs another episode. A world may report an end and go on (the loss of a life).
    pub over: bool,
}

/// What a world can use while it works.
pub struct Context<'a, S: Simulator> {
    /// Options of the batch that all its worlds share.
    pub options: &'a S::Options,
    /// Memory of the thread that works; what it holds is unknown.
    pub workspace: &'a mut S::Workspace,
    /// Whether the caller wants to stop. A reset or step that takes long asks every few milliseconds and returns early;
    /// what it leaves behind must be good for another reset.
    pub poll: &'a mut dyn FnMut() -> bool,
}

/// A world that a batch can run beside many others of its kind.
///
/// What a world does depends on its seed and its actions only, never on the thread or on its neighbours. A clone is an
/// exact copy: it goes on as the original does. The batch does the rest: autoreset, rows, threads, snapshots.
pub trait Simulator: Clone + Send + 'static {
    /// What an agent does.
    type Action: Copy + Send + Sync + 'static;
    /// What it gets for it.
    type Reward: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// Numbers that describe a world: those of `info`.
    type Info: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// What all worlds of a batch share.
    type Options: Send + Sync + 'static;
    /// Memory that the worlds of a thread share, such as picture buffers.
    type Workspace: Send + 'static;

    /// Working memory for one more thread; taken when a batch is built, so that steps do not allocate.
    fn new_workspace(&self) -> Self::Workspace;

    /// Starts an episode: as if newly built with this seed, or with the generators as they are. Says whether the
    /// episode is over before it began.
    ///
    /// # Errors
    /// When the world cannot start. The next reset tries again.
    fn reset(&mut self, seed: Option<u64>, context: &mut Context<'_, Self>) -> Result<bool, Error>;

    /// One step of the episode.
    fn step(&mut self, action: Self::Action, context: &mut Context<'_, Self>) -> Step<Self::Reward>;

    /// What the world is now.
    fn info(&self) -> Self::Info;

    /// Writes what the agent sees, each part in full.
    fn write_obs(&self, options: &Self::Options, obs: &mut Parts<'_>);

    /// Writes the byte arrays of `info`, each part in full.
    fn write_extra(&self, options: &Self::Options, extra: &mut Parts<'_>);

    /// Replaces a world that panicked in the middle of something by a new one like it.
    ///
    /// # Errors
    /// When there is none; the next step or reset tries again.
    fn rebuild(&mut self) -> Result<(), Error>;

    /// Whether `other` may take the place of this world: the same game, observations of the same size.
    ///
    /// # Errors
    /// [`Error::State`] with the difference.
    fn check_like(&self, other: &Self) -> Result<(), Error>;

    /// Everything that makes a difference later, as bytes. The batch adds version and checksum.
    fn to_bytes(&self, workspace: &mut Self::Workspace) -> Vec<u8>;

    /// Goes on where [`Simulator::to_bytes`] was. This world is a clone of one that the batch keeps, so that it may be
    /// left half restored by an error.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes cannot be read or are of another world.
    fn restore_bytes(&mut self, bytes: &[u8], workspace: &mut Self::Workspace) -> Result<(), Error>;

    /// Makes the memory that so many threads need for [`Simulator::work_ahead`], so that the work allocates nothing.
    fn prepare_ahead(options: &Self::Options, threads: usize) {
        let _ = (options, threads);
    }

    /// Work for a thread that has no other: something that a later reset can use, whatever the worlds do until then. Says
    /// whether there was any. Worlds do the same with and without it.
    fn work_ahead(options: &Self::Options) -> bool {
        let _ = options;
        false
    }

    /// About how long a step takes, in nanoseconds. Calls that take long are left to the workers, while the calling
    /// thread looks for signals.
    fn step_nanoseconds(options: &Self::Options) -> u64;

    /// About how long a reset takes at most, in nanoseconds.
    fn reset_nanoseconds(options: &Self::Options) -> u64;
}
