//! `BatchOptions`: what can be chosen for a batch of any world.

use ale_sim::Error;

/// When a sub-environment whose episode is over starts the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Autoreset {
    /// With the next step, whose action is ignored.
    #[default]
    NextStep,
    /// At once; the last observation is kept apart.
    SameStep,
    /// When the caller says so.
    Disabled,
}

/// Threads, batches and autoreset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchOptions {
    /// Results per batch; 0 for one of each sub-environment. Fewer make it asynchronous.
    pub batch_size: usize,
    /// Threads that work; 0 for as many as the machine runs at once.
    pub num_threads: usize,
    /// Binds worker `i` to core `offset + i`.
    pub thread_affinity_offset: Option<usize>,
    /// Use the workers that all such environments of the process share.
    pub shared_pool: bool,
    /// When the next episode starts.
    pub autoreset: Autoreset,
}

impl BatchOptions {
    /// The rows of a batch of so many sub-environments.
    ///
    /// # Errors
    /// [`Error::Config`] when there are none or fewer than rows.
    pub fn rows(&self, num_envs: usize) -> Result<usize, Error> {
        let refuse = |text: String| Err(Error::Config(text));
        if num_envs == 0 {
            return refuse("num_envs is 0; accepted: 1 and more".to_owned());
        }
        if self.batch_size > num_envs {
            return refuse(format!(
                "batch_size is {}; accepted: 1 to num_envs, which is {num_envs}, or 0 for num_envs",
                self.batch_size
            ));
        }
        Ok(if self.batch_size == 0 { num_envs } else { self.batch_size })
    }
}
