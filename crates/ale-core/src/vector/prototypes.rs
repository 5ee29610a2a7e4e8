//! Building sub-environments: each cartridge is loaded once, the rest are copies that share what they can.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::batch::{Layout, Record};
use super::config::{Observation, Player, VectorConfig};
use super::past::Replay;
use super::sub::Sub;
use super::view::{View, resize_of};
use crate::action::Action;
use crate::console::Picture;
use crate::env::{Env, EnvConfig};
use crate::error::Error;
use crate::frame::WIDTH;
use crate::preprocess::Resize;

/// The set that an action index selects from: the common one, or all legal ones when the games differ.
pub(super) fn action_set(players: &[Player], full: bool) -> Arc<[Action]> {
    let first = &players[0].game;
    let minimal = first.minimal_actions();
    if !full && players.iter().all(|player| player.game.minimal_actions() == minimal) {
        return minimal.into();
    }
    let legal = first.legal_actions();
    let same = players.iter().all(|player| player.game.legal_actions() == legal);
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
    pub(super) fn load(players: &[Player], config: &VectorConfig) -> Result<Self, Error> {
        let env_config = EnvConfig {
            repeat_action_probability: config.repeat_action_probability,
            sound: config.sound,
            seed: seed_of(config.entropy, 0),
            ..EnvConfig::default()
        };
        let (mut envs, mut pictures) = (Vec::new(), Vec::new());
        let mut which = Vec::with_capacity(players.len());
        for (index, player) in players.iter().enumerate() {
            let same = |other: &Player| {
                other.rom == player.rom
                    && other.game.identity() == player.game.identity()
                    && (other.mode, other.difficulty) == (player.mode, player.difficulty)
            };
            if let Some(earlier) = players[..index].iter().position(same) {
                which.push(which[earlier]);
                continue;
            }
            let mut env = Env::load(&player.rom, &player.game, &env_config)?;
            player.mode.map_or(Ok(()), |mode| env.set_mode(mode))?;
            player.difficulty.map_or(Ok(()), |difficulty| env.set_difficulty(difficulty))?;
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
            Observation::Screen { .. } => {
                vec![self.pictures.iter().map(Picture::rows).max().unwrap_or(0), WIDTH]
            }
            Observation::Ram => vec![128],
        };
        if let Observation::Frames { color: true, .. } | Observation::Screen { color: true } = observation {
            shape.push(3);
        }
        (shape.iter().product(), shape)
    }

    /// Asks the system for the memory of all sub-environments and two batches, and gives it back at once.
    ///
    /// A refusal in the middle of a step would end the process; here it is an error.
    pub(super) fn check_memory(
        &self,
        num_envs: usize,
        batch_size: usize,
        layout: Layout,
        config: &VectorConfig,
    ) -> Result<(), Error> {
        let pictures = self.pictures.iter().map(Picture::rows).max().unwrap_or(0) * WIDTH * 4;
        let stack = match config.observation {
            Observation::Frames { .. } => layout.obs,
            Observation::Screen { .. } => pictures / 4,
            Observation::Ram => 0,
        };
        // Most keep a moment instead of their pictures, some both for a while.
        let kept = if config.keep_pictures { pictures } else { pictures / 8 };
        let sub = size_of::<Mutex<Sub>>() + size_of::<Replay>() + stack + kept + SMALL_PARTS;
        let row = layout.obs + layout.final_obs + layout.ram + layout.sound + size_of::<Record>();
        let bytes = num_envs.saturating_mul(sub).saturating_add(batch_size.saturating_mul(2 * row));
        Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| {
            let megabytes = bytes / 1_000_000;
            Error::Memory(format!(
                "{num_envs} environments need about {megabytes} MB of memory, which the system refuses; \
                 accepted: fewer environments, smaller observations, or a higher limit"
            ))
        })
    }

    pub(super) fn into_subs(
        mut self,
        players: &[Player],
        config: &VectorConfig,
        actions: &[Action],
    ) -> Result<Vec<Sub>, Error> {
        let has_fire = actions.contains(&Action::Fire);
        let mut resizes = BTreeMap::<usize, Arc<Resize>>::new();
        let mut subs = Vec::with_capacity(players.len());
        for (index, (player, &which)) in players.iter().zip(&self.which).enumerate() {
            let prototype = &self.envs[which];
            let mut env = (**prototype).clone();
            let picture = &mut self.pictures[which];
            let height = picture.rows();
            if index > 0 {
                env.swap_picture(picture);
                env.reload(seed_of(config.entropy, index))?;
                env.swap_picture(picture);
            }
            let resize = match config.observation {
                Observation::Frames { size, color, .. } => {
                    let make = || Arc::new(resize_of(height, size, color));
                    Some(Arc::clone(resizes.entry(height).or_insert_with(make)))
                }
                _ => None,
            };
            let idle_seed = seed_of(config.entropy, index);
            let view = View::new(config.observation, resize);
            let mut sub = Sub::new(env, Arc::clone(prototype), player, view, height);
            sub.prepare(has_fire, idle_seed);
            sub.choose()?;
            subs.push(sub);
        }
        Ok(subs)
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
