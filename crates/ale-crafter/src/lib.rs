//! The Crafter world: a survival game with 22 achievements, seed for seed that of the public package.
//!
//! A [`Game`] is one plain value: maps, objects, the player and the generator. Stepping it cannot fail.
#![forbid(unsafe_code)]

mod ahead;
mod art;
mod atlas;
mod balance;
mod chance;
mod creatures;
mod daylight;
mod game;
mod layers;
mod noise;
mod observe;
mod options;
mod player;
mod render;
mod seed;
mod shade;
mod simulator;
mod snapshot;
mod splat;
pub mod tables;
mod terrain;
mod textures;
mod world;

pub use ahead::Ahead;
pub use atlas::Atlas;
pub use chance::Chance;
pub use daylight::daylight;
pub use game::{Game, Outcome};
pub use layers::Layers;
pub use noise::Simplex;
pub use observe::symbolic_len;
pub use options::{MAX_SIZE, NightNoise, OptionError, Options};
pub use player::Player;
pub use render::Renderer;
pub use seed::{hash_integer, hash_pair, world_seed};
pub use simulator::{Crafter, Info, MAP, PIXELS, Playing, SEMANTIC, SYMBOLIC, Sights, Workspace};
pub use textures::{Image, NAMES as TEXTURE_NAMES, Textures};
pub use world::{Cell, Chunk, Kind, MAX_CELLS, Object, World};
