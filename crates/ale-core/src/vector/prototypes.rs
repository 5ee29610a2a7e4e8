//! Building sub-environments: each cartridge is loaded once, the rest are copies that share what they can.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ale_batch::{Layout, memory};

use super::Record;
use super::atari::Atari;
use super::options::{EnvSpec, Observation, VectorOptions};
use super::pictures::Replay;
use super::view::{View, resize_of};
use super::wrapped::Wrapped;
use crate::action::Action;
use crate::console::Picture;
use crate::env::{Env, EnvConfig};
use crate::error::Error;
use crate::frame::WIDTH;
use crate::preprocess::Resize;

/// The set that an action index selects from: the common one, or all legal ones when the games differ.
pub(super) fn action_set(specs: &[EnvSpec], full: bool) -> Arc<[Action]> {
    let first = &specs[0].game;
    let minimal = first.minimal_actions();
    if !full && specs.iter().all(|spec| spec.game.minimal_actions() == minimal) {
        return minimal.into();
    }
    let legal = first.legal_actions();
    let same = specs.iter().all(|spec| spec.game.legal_actions() == legal);
    if same { legal.into() } else { Action::ALL.into() }
}

/// Sound, cartridge memory and what the allocator adds, for each sub-environment.
const SMALL_PARTS: usize = 2048;

/// One loaded environment for each cartridge, game and mode.
pub(super) struct Prototypes {
    /// Without their picture buffers, which copies do not need either.
    envs: Vec<Arc<Env>>,
    pictures: Vec<Picture>,
    /// The prototype of each sub-environment.
    which: Vec<usize>,
}

impl Prototypes {
    pub(super) fn load(specs: &[EnvSpec], options: &VectorOptions) -> Result<Self, Error> {
        let env_options = EnvConfig {
            repeat_action_probability: options.repeat_action_probability,
            sound: options.sound,
            jit: options.jit,
            seed: seed_of(options.entropy, 0),
            max_num_frames_per_episode: options
                .wrappers
                .map_or(0, |wrappers| wrappers.max_num_frames_per_episode),
            ..EnvConfig::default()
        };
        let (mut envs, mut pictures) = (Vec::new(), Vec::new());
        let mut which = Vec::with_capacity(specs.len());
        for (index, spec) in specs.iter().enumerate() {
            let same = |other: &EnvSpec| {
                other.rom == spec.rom
                    && other.game.identity() == spec.game.identity()
                    && (other.mode, other.difficulty) == (spec.mode, spec.difficulty)
            };
            if let Some(earlier) = specs[..index].iter().position(same) {
                which.push(which[earlier]);
                continue;
            }
            let mut env = Env::load(&spec.rom, &spec.game, &env_options)?;
            spec.mode.map_or(Ok(()), |mode| env.set_mode(mode))?;
            spec.difficulty.map_or(Ok(()), |difficulty| env.set_difficulty(difficulty))?;
            which.push(envs.len());
            let mut picture = Picture::default();
            env.swap_picture(&mut picture);
            envs.push(Arc::new(env));
            pictures.push(picture);
        }
        Ok(Self { envs, pictures, which })
    }

    /// Length and shape of an observation; screens are as tall as the tallest.
    pub(super) fn observation(&self, observation: Observation) -> (usize, Vec<usize>) {
        let mut shape = match observation {
            Observation::Frames { size, stack, .. } => vec![stack, size.height, size.width],
            Observation::Screen { .. } | Observation::Indices => {
                vec![self.pictures.iter().map(Picture::rows).max().unwrap_or(0), WIDTH]
            }
            Observation::Ram => vec![128],
        };
        if let Observation::Frames { color: true, .. } | Observation::Screen { color: true } = observation {
            shape.push(3);
        }
        (shape.iter().product(), shape)
    }

    /// Refuses what would not fit into memory: all worlds and two batches.
    pub(super) fn check_memory(
        &self,
        num_envs: usize,
        rows: usize,
        layout: &Layout,
        options: &VectorOptions,
    ) -> Result<(), Error> {
        let pictures = self.pictures.iter().map(Picture::rows).max().unwrap_or(0) * WIDTH * 4;
        let stack = match options.observation {
            Observation::Frames { .. } => layout.obs[0],
            Observation::Screen { .. } | Observation::Indices => pictures / 4,
            Observation::Ram => 0,
        };
        // Most keep a moment instead of their pictures, some both for a while.
        let stored = if options.keep_pictures { pictures } else { pictures / 8 };
        let world = size_of::<Mutex<Atari>>() + size_of::<Replay>() + stack + stored + SMALL_PARTS;
        let row = layout.row_bytes().saturating_add(size_of::<Record>()).saturating_mul(2);
        Ok(memory::check(num_envs, num_envs.saturating_mul(world).saturating_add(rows.saturating_mul(row)))?)
    }

    /// A world for each of `specs`.
    pub(super) fn into_worlds(
        mut self,
        specs: &[EnvSpec],
        options: &VectorOptions,
        actions: &[Action],
    ) -> Result<Vec<Atari>, Error> {
        let has_fire = actions.contains(&Action::Fire);
        let mut resizes = BTreeMap::<usize, Arc<Resize>>::new();
        let mut worlds = Vec::with_capacity(specs.len());
        for (index, (spec, &which)) in specs.iter().zip(&self.which).enumerate() {
            let picture = &mut self.pictures[which];
            let height = picture.rows();
            let resize = match options.observation {
                Observation::Frames { size, color, .. } => {
                    let make = || Arc::new(resize_of(height, size, color));
                    Some(Arc::clone(resizes.entry(height).or_insert_with(make)))
                }
                _ => None,
            };
            let seed = seed_of(options.entropy, index);
            let view = View::new(options.observation, resize, options.wrappers.is_some());
            // A game without FIRE starts without it in company, too.
            let fires = has_fire && spec.game.legal_actions().contains(&Action::Fire);
            let mut world = Atari::new(&self.envs[which], spec, view, height, fires, seed);
            world.wrapped = options.wrappers.map(|wrappers| Wrapped::new(wrappers, seed));
            if index > 0 {
                world.env.swap_picture(picture);
                world.env.reload(seed)?;
                world.env.swap_picture(picture);
                world.lives = world.env.lives();
            }
            world.choose()?;
            worlds.push(world);
        }
        Ok(worlds)
    }
}

/// The seed of a sub-environment that the caller never seeded.
fn seed_of(entropy: u64, index: usize) -> u32 {
    // SplitMix64: neighbouring inputs give unrelated outputs.
    let mut z = entropy.wrapping_add((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (z ^ (z >> 31)) as u32
}
