//! A learner as bytes. Weights and gains are written as they are, not added up: what is loaded goes on bit for bit.

use ale_sim::Error;
use ale_sim::bytes::{Reader, Writer, damaged, seal, unseal};

use super::rows::Rows;
use super::{Config, Pending, Sarsa};
use crate::baselines::generator;

const KIND: [u8; 8] = *b"ALESARSA";
const VERSION: u32 = 1;

impl Sarsa {
    /// Everything but the parameters.
    pub fn save(&self, out: &mut Writer) {
        self.rng.words().into_iter().for_each(|word| _ = out.u64(word));
        out.u64(self.max_active as u64).f64(self.scale.unwrap_or(0.0)).u64(self.episode as u64);
        let pending = self.pending.clone().unwrap_or_default();
        out.flag(self.pending.is_some()).u64(pending.action as u64).f64(pending.value);
        out.u64(pending.active as u64).flag(self.learning);
        out.u64(self.gains.len() as u64);
        for &gain in &self.gains {
            out.f64(gain);
        }
        out.u64(self.rows.touched().count() as u64);
        for (feature, weights, marked, marks) in self.rows.touched() {
            out.u32(feature).u32(marked);
            for weight in weights {
                out.u32(weight.to_bits());
            }
            let mut bits = marked;
            while bits != 0 {
                out.u32(marks[bits.trailing_zeros() as usize]);
                bits &= bits - 1;
            }
        }
    }

    /// Reads [`Sarsa::save`] of a learner with the same parameters.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged.
    pub fn load(&mut self, bytes: &mut Reader<'_>) -> Result<(), Error> {
        let actions = self.config.num_actions;
        let rng = generator(bytes)?;
        let (max_active, scale, episode) = (bytes.u64()?, bytes.f64()?, bytes.u64()?);
        let is_pending = bytes.flag()?;
        let pending =
            Pending { action: bytes.u64()? as usize, value: bytes.f64()?, active: bytes.u64()? as usize };
        let learning = bytes.flag()?;
        let count = bytes.u64()?;
        if count == 0 || count > bytes.rest().len() as u64 / 8 || episode > count || pending.action >= actions
        {
            return Err(damaged());
        }
        let gains = (0..count).map(|_| bytes.f64()).collect::<Result<Vec<_>, _>>()?;
        let mut rows = Rows::new(self.config.num_features, actions);
        let (mut weights, mut marks) = (vec![0.0; actions], vec![0; actions]);
        for _ in 0..bytes.u64()? {
            let (feature, marked) = (bytes.u32()?, bytes.u32()?);
            if feature as usize >= self.config.num_features || u64::from(marked) >> actions != 0 {
                return Err(damaged());
            }
            for weight in &mut weights {
                *weight = f32::from_bits(bytes.u32()?);
            }
            for (action, mark) in marks.iter_mut().enumerate() {
                *mark = if marked >> action & 1 == 1 { bytes.u32()? } else { 0 };
                if u64::from(*mark) >= count {
                    return Err(damaged());
                }
            }
            rows.put(feature, &weights, marked, &marks);
        }
        self.rng = rng;
        self.max_active = max_active as usize;
        self.scale = (scale != 0.0).then_some(scale);
        self.episode = episode as usize;
        self.pending = is_pending.then_some(pending);
        (self.learning, self.gains, self.rows) = (learning, gains, rows);
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
