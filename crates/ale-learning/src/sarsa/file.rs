//! A learner as bytes.

use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer, damaged, seal, unseal};

use super::{Config, Pending, Sarsa};
use crate::baselines::generator;

const KIND: [u8; 8] = *b"ALESARSA";
const VERSION: u32 = 2;

impl Sarsa {
    /// Everything but the parameters.
    pub fn save(&self, out: &mut Writer) {
        self.rng.words().into_iter().for_each(|word| _ = out.u64(word));
        out.u64(self.max_active as u64).f64(self.scale.unwrap_or(0.0));
        let pending = self.pending.clone().unwrap_or_default();
        out.flag(self.pending.is_some()).u64(pending.action as u64).f64(pending.value);
        out.u64(pending.active as u64).flag(self.learning);
        self.weights.save(out);
    }

    /// Reads [`Sarsa::save`] of a learner with the same parameters.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged.
    pub fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        let rng = generator(bytes)?;
        let (max_active, scale, is_pending) = (bytes.u64()?, bytes.f64()?, bytes.flag()?);
        let pending =
            Pending { action: bytes.u64()? as usize, value: bytes.f64()?, active: bytes.u64()? as usize };
        let learning = bytes.flag()?;
        if pending.action >= self.config.num_actions {
            return Err(damaged());
        }
        self.weights.load(bytes)?;
        self.rng = rng;
        self.max_active = max_active as usize;
        self.scale = (scale != 0.0).then_some(scale);
        self.pending = is_pending.then_some(pending);
        self.learning = learning;
        Ok(())
    }

    /// The learner with its parameters, sealed.
    pub fn to_bytes(&self) -> Vec<u8> {
        let config = &self.config;
        let mut out = Writer::new();
        out.u64(config.num_features as u64).u64(config.num_actions as u64).f64(config.step_size);
        out.f64(config.discount).f64(config.trace_decay).f64(config.exploration).u64(config.seed);
        out.flag(config.clear_other_actions);
        self.save(&mut out);
        seal(KIND, VERSION, &out.finish())
    }

    /// Reads [`Sarsa::to_bytes`].
    ///
    /// # Errors
    /// [`Error::State`] with the reason.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut bytes = Reader::new(unseal(KIND, VERSION, bytes)?);
        let config = Config {
            num_features: bytes.u64()? as usize,
            num_actions: bytes.u64()? as usize,
            step_size: bytes.f64()?,
            discount: bytes.f64()?,
            trace_decay: bytes.f64()?,
            exploration: bytes.f64()?,
            seed: bytes.u64()?,
            clear_other_actions: bytes.flag()?,
        };
        let mut learner = Self::new(config).map_err(Error::State)?;
        learner.load(&mut bytes)?;
        bytes.finish()?;
        Ok(learner)
    }
}
