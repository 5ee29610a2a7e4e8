//! What Python gives when it builds a vector environment.

use std::sync::Arc;

use ale_core::Rom;
use ale_core::game::Game;
use ale_core::preprocess::Size;
use ale_core::vector::{BatchOptions, EnvSpec, Observation, VectorOptions, Wrappers};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::batch::autoreset;
use crate::errors::vector_error;
use crate::vector_info::InfoSchema;

/// A sub-environment: image, game, mode, difficulty.
pub(crate) type SpecArguments = (PyBackedBytes, String, Option<u32>, Option<u32>);

/// The options, by the names that `AtariVectorEnv` has for them; what they mean says [`VectorOptions`].
pub(crate) struct OptionArguments<'py>(pub(crate) Bound<'py, PyAny>);

impl<'py> OptionArguments<'py> {
    /// One of them.
    fn get<T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(&self, name: &str) -> PyResult<T> {
        let value = self.0.get_item(name)?;
        value.extract().map_err(|error| PyTypeError::new_err(format!("{name} is {value}: {error}")))
    }

    /// One that need not be given.
    fn get_or<T: for<'a> FromPyObject<'a, 'py, Error = PyErr>>(&self, name: &str, default: T) -> PyResult<T> {
        if self.0.contains(name)? { self.get(name) } else { Ok(default) }
    }

    fn index(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let value = self.0.get_item(name)?;
        value
            .call_method0("__index__")
            .map_err(|_| PyTypeError::new_err(format!("{name} is {value}; accepted: a whole number")))
    }

    /// A whole number from `least` on that fits into `T`.
    fn whole<T: TryFrom<i128>>(&self, name: &str, least: i128) -> PyResult<T> {
        let index = self.index(name)?;
        let number = index.extract::<i128>().ok().filter(|&number| number >= least);
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            let bits = 8 * size_of::<T>();
            PyValueError::new_err(format!("{name} is {index}; accepted: {least} and more, in {bits} bits"))
        })
    }

    /// A whole number, where one that is too small means `least` and one that is too large the largest.
    fn clamped(&self, name: &str, least: i128, largest: i128) -> PyResult<i128> {
        let index = self.index(name)?;
        let number = match index.extract::<i128>() {
            Ok(number) => number,
            Err(_) if index.lt(0)? => least,
            Err(_) => largest,
        };
        Ok(number.clamp(least, largest))
    }

    /// The keys of `info`.
    pub(crate) fn info(&self) -> PyResult<InfoSchema> {
        let first = if self.0.contains("first_env_index")? { self.whole("first_env_index", 0)? } else { 0 };
        InfoSchema::new(&self.get_or::<Vec<String>>("extra_info", Vec::new())?, first)
    }

    /// The options of the core.
    pub(crate) fn options(&self, info: &InfoSchema) -> PyResult<VectorOptions> {
        let offset = self.clamped("thread_affinity_offset", -1, i64::MAX.into())?;
        Ok(VectorOptions {
            batch: BatchOptions {
                batch_size: self.whole("batch_size", 0)?,
                num_threads: self.clamped("num_threads", 0, i64::MAX.into())? as usize,
                thread_affinity_offset: usize::try_from(offset).ok(),
                shared_pool: self.get_or("shared_pool", false)?,
                autoreset: autoreset(&self.get::<String>("autoreset_mode")?)?,
            },
            observation: self.observation()?,
            frameskip: self.whole("frameskip", 1)?,
            maxpool: self.get("maxpool")?,
            noop_max: self.clamped("noop_max", 0, u32::MAX.into())? as u32,
            use_fire_reset: self.get("use_fire_reset")?,
            episodic_life: self.get("episodic_life")?,
            continue_lives: self.get_or("continue_lives", false)?,
            life_loss_info: self.get("life_loss_info")?,
            reward_clipping: self.get("reward_clipping")?,
            max_num_frames_per_episode: self.clamped(
                "max_num_frames_per_episode",
                i64::MIN.into(),
                i64::MAX.into(),
            )? as i64,
            repeat_action_probability: self.get("repeat_action_probability")?,
            full_action_space: self.get("full_action_space")?,
            jit: self.get_or("jit", true)?,
            ram: info.ram,
            sound: info.sound,
            keep_pictures: false,
            entropy: self.get("entropy")?,
            wrappers: self.wrappers()?,
        })
    }

    /// `(frames, noop_max, terminal_on_life_loss, action_repeat_probability)`, or nothing.
    fn wrappers(&self) -> PyResult<Option<Wrappers>> {
        let given: Option<((u32, u32), u32, bool, f64)> = self.get_or("wrappers", None)?;
        let Some((frames, noop_max, terminal_on_life_loss, action_repeat_probability)) = given else {
            return Ok(None);
        };
        Ok(Some(Wrappers {
            frames,
            noop_max,
            terminal_on_life_loss,
            action_repeat_probability,
            max_num_frames_per_episode: self.whole("max_num_frames_per_episode", 0)?,
        }))
    }

    fn observation(&self) -> PyResult<Observation> {
        let obs_type = self.get_or("obs_type", "frames".to_owned())?;
        match obs_type.as_str() {
            "frames" => Ok(Observation::Frames {
                size: Size { height: self.whole("img_height", 1)?, width: self.whole("img_width", 1)? },
                color: !self.get::<bool>("grayscale")?,
                stack: self.whole("stack_num", 1)?,
                padded: self.get_or("pad_stack", false)?,
            }),
            "rgb" => Ok(Observation::Screen { color: true }),
            "grayscale" => Ok(Observation::Screen { color: false }),
            "indices" => Ok(Observation::Indices),
            "ram" => Ok(Observation::Ram),
            other => Err(PyValueError::new_err(format!(
                "obs_type is {other:?}; accepted: frames, rgb, grayscale, indices, ram"
            ))),
        }
    }

    /// What each sub-environment plays. Images that are the same object are taken once.
    pub(crate) fn specs(&self, given: &[SpecArguments]) -> PyResult<Vec<EnvSpec>> {
        let corrected = self.get_or("corrected", false)?;
        let mut specs = Vec::<EnvSpec>::with_capacity(given.len());
        for (index, (image, name, mode, difficulty)) in given.iter().enumerate() {
            let same = |(other, other_name, ..): &SpecArguments| {
                other.as_ptr() == image.as_ptr() && other_name == name
            };
            let (rom, game) = if let Some(earlier) = given[..index].iter().position(same) {
                (specs[earlier].rom.clone(), Arc::clone(&specs[earlier].game))
            } else {
                let rom = Rom::new(&**image);
                let game = Game::for_rom(&rom.md5_hex(), name).map_or_else(|| Game::by_name(name), Ok);
                let game = game.map_err(vector_error)?;
                (rom, game.rules(corrected))
            };
            specs.push(EnvSpec { rom, game, mode: *mode, difficulty: *difficulty });
        }
        Ok(specs)
    }
}
