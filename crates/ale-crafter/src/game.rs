//! A game of Crafter: episodes of one base seed, step by step.

use crate::balance;
use crate::chance::Chance;
use crate::creatures;
use crate::daylight::daylight;
use crate::layers::{Fast, Layers};
use crate::noise::Simplex;
use crate::options::{NightNoise, Options};
use crate::player::{PLAYER, Player};
use crate::seed::world_seed;
use crate::tables::Direction;
use crate::terrain;
use crate::world::{Cell, Kind, World, distance};

/// What a step gave.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// Change of health in tenths, plus 1 if something was achieved for the first time.
    pub reward: f64,
    /// The player died.
    pub dead: bool,
    /// The time limit was reached.
    pub over: bool,
    /// Achievements reached for the first time in this step, one bit each.
    pub unlocked: u32,
}

/// All state of a game; a snapshot is its clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    pub(crate) options: Options,
    /// Hash of the base seed.
    pub(crate) base: i64,
    pub(crate) episode: u64,
    pub(crate) step: u64,
    pub(crate) chance: Chance,
    /// The generator of the night's noise with [`NightNoise::Own`].
    pub(crate) night: Chance,
    pub(crate) world: World,
    pub(crate) player: Player,
    /// Achievements reached in this episode.
    pub(crate) unlocked: u32,
    /// Health at the end of the last step.
    pub(crate) last_health: i8,
    /// The night noise of the picture that belongs to this state has been drawn.
    pub(crate) night_drawn: bool,
}

impl Game {
    /// A game before its first episode; `base` is the hash of the base seed. The options have been checked.
    pub fn new(options: Options, base: i64) -> Self {
        Self {
            options,
            base,
            episode: 0,
            step: 0,
            chance: Chance::new(0),
            night: Chance::new(0),
            world: World::new(options.area),
            player: Player::default(),
            unlocked: 0,
            last_health: 9,
            night_drawn: false,
        }
    }

    /// The game goes on with another base seed: the next reset starts its episode 1.
    pub fn seed(&mut self, base: i64) {
        (self.base, self.episode) = (base, 0);
    }

    /// The next reset starts the episode after this one.
    pub(crate) fn skip_to(&mut self, episode: u64) {
        self.episode = episode;
    }

    /// Starts the next episode, its world from the literal noise.
    pub fn reset(&mut self) {
        self.start(|world, seed, chance| {
            let simplex = Simplex::new(i64::from(seed));
            let mut noise = terrain::Exact { simplex: &simplex, player: middle(world.area()) };
            terrain::generate(world, &mut noise, chance, &mut Vec::new());
        });
    }

    /// Starts the next episode: the same world, many times as fast. `layers` is memory.
    pub fn reset_with(&mut self, layers: &mut Layers) {
        self.start(|world, seed, chance| {
            let simplex = Simplex::new(i64::from(seed));
            let exact = terrain::Exact { simplex: &simplex, player: middle(world.area()) };
            let mut tunnels = std::mem::take(&mut layers.tunnels);
            let mut noise = Fast::new(layers, exact, world.area());
            terrain::generate(world, &mut noise, chance, &mut tunnels);
            layers.tunnels = tunnels;
        });
    }

    fn start(&mut self, generate: impl FnOnce(&mut World, u32, &mut Chance)) {
        self.episode = self.episode.wrapping_add(1);
        self.step = 0;
        let seed = world_seed(self.base, self.episode);
        self.chance = Chance::new(seed);
        if self.options.noise == NightNoise::Own {
            self.night = Chance::new(!seed);
        }
        self.player = Player::default();
        self.unlocked = 0;
        self.last_health = self.player.health();
        self.night_drawn = false;
        let (x, y) = middle(self.options.area);
        self.world.clear();
        self.world.add(Kind::Player, (x as i32, y as i32), Direction::Down);
        let noise_seed = self.chance.pick((1 << 31) - 1);
        generate(&mut self.world, noise_seed, &mut self.chance);
    }

    /// Plays one action, 0 to 16. The picture that belongs to it is drawn, or its noise skipped, before the next step.
    pub fn step(&mut self, action: u8) -> Outcome {
        self.finish_picture();
        self.step = self.step.saturating_add(1);
        self.night_drawn = false;
        let daylight = self.daylight();
        // What is added from here on waits for the next step.
        let count = self.world.objects().len();
        self.player.update(action, &mut self.world, &mut self.chance);
        let radius = 2 * self.options.view.0.max(self.options.view.1) as i32;
        for slot in 1..count {
            let player = self.world.objects()[PLAYER].cell();
            if distance(self.world.objects()[slot].cell(), player) < radius {
                creatures::update(slot, &mut self.world, &mut self.player, &mut self.chance);
            }
        }
        if self.step.is_multiple_of(balance::EVERY) {
            balance::balance(&mut self.world, daylight, &mut self.chance);
        }
        self.world.compact();
        self.outcome()
    }

    fn outcome(&mut self) -> Outcome {
        let health = self.player.health();
        let unlocked = self.player.unlocked();
        let new = unlocked & !self.unlocked;
        let change = f64::from(health - self.last_health) / 10.0;
        (self.unlocked, self.last_health) = (unlocked, health);
        Outcome {
            reward: if new == 0 { change } else { change + 1.0 },
            dead: health <= 0,
            over: self.options.length > 0 && self.step >= self.options.length,
            unlocked: new,
        }
    }

    /// Draws the noise of the night into `out`, one number in [0, 1) per pixel of the local view, column by column;
    /// the game moves on as if the reference had rendered its observation. Only once per step.
    pub(crate) fn draw_night(&mut self, out: &mut [f64]) {
        self.night_drawn = true;
        match self.options.noise {
            NightNoise::World => self.chance.fill(out),
            NightNoise::Own => self.night.fill(out),
        }
    }

    /// Skips the noise of a picture that was not drawn.
    pub fn finish_picture(&mut self) {
        if !self.night_drawn && self.is_night() && self.options.noise == NightNoise::World {
            let (width, height) = self.options.local_size();
            self.chance.skip(width * height);
        }
        self.night_drawn = true;
    }

    /// The generator that the noise of a picture comes from.
    pub(crate) fn night_generator(&self) -> &Chance {
        match self.options.noise {
            NightNoise::World => &self.chance,
            NightNoise::Own => &self.night,
        }
    }

    /// Daylight now.
    pub fn daylight(&self) -> f64 {
        daylight(self.step)
    }

    /// Dark enough that pictures are noisy.
    pub fn is_night(&self) -> bool {
        self.daylight() < 0.5
    }

    /// Options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Hash of the base seed.
    pub fn base(&self) -> i64 {
        self.base
    }

    /// Number of the episode; 0 before the first reset.
    pub fn episode(&self) -> u64 {
        self.episode
    }

    /// Steps of the episode.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The player.
    pub fn player(&self) -> &Player {
        &self.player
    }

    /// Where the player is.
    pub fn position(&self) -> Cell {
        self.world.objects()[PLAYER].cell()
    }

    /// The generator of the world.
    pub fn chance(&self) -> &Chance {
        &self.chance
    }
}

/// Where the player starts.
pub(crate) fn middle((width, height): (usize, usize)) -> (usize, usize) {
    (width / 2, height / 2)
}
