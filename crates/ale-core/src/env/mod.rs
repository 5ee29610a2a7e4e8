//! LAYER 3, the agent's view: actions in, rewards and pictures out.
//!
//! ```text
//! load    power-on, then one reset
//! reset   60 idle frames · RESET · mode steps · RESET · starting actions          reset.rs
//! act     sticky draws · controls · frame · what the game makes of it             this file
//! ```

mod cache_budget;
mod config;
mod controls;
mod core_state;
mod core_state_bytes;
mod model;
mod moment;
mod noop_start_cache;
mod paddles;
mod reset;
mod reset_cache;
mod settings;
mod skip_render;
mod snapshot;
mod state;
mod sticky;

use std::sync::Arc;

pub use config::{EnvConfig, six_digits};
pub use core_state::CoreState;
pub use model::EnvModel;
pub use moment::Moment;
pub use settings::Settings;
pub use skip_render::SkipRenderer;
pub use snapshot::Snapshot;
pub use state::State;

use crate::action::Action;
use crate::catalogue;
use crate::console::{Console, Properties, Television};
use crate::error::Error;
use crate::frame::WIDTH;
use crate::game::{Game, GameState};
use crate::palette::{self, Palette};
use crate::rng::Mt19937;
use crate::rom::Rom;
use moment::Now;
use reset::Caches;
use sticky::{Moves, Sticky};

/// Samples of sound that an act makes.
pub const SOUND_LEN: usize = 512;

/// One game played by one agent. Cloning it is an exact snapshot; ROM and facts are shared.
///
/// ```no_run
/// # use ale_core::{Action, Rom, env::{Env, EnvConfig}, game::Game};
/// # fn main() -> Result<(), ale_core::Error> {
/// let rom = Rom::new(std::fs::read("pong.bin").expect("a ROM"));
/// let mut env = Env::load(&rom, &Game::by_name("pong")?, &EnvConfig { frame_skip: 4, ..Default::default() })?;
/// while !env.game_over() {
///     let reward = env.act(Action::Up, 1.0);
///     println!("{reward} {}", env.lives());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Env {
    shared: Shared,
    /// Everything that play changes.
    now: Now,
    /// No frame has run since the machine was loaded.
    fresh: bool,
    /// Frames store pixels.
    drawing: bool,
    /// Frames leave an averaged screen as it was: more of them follow before the caller reads it.
    averages_later: bool,
}

/// A caller that waits for the end, however long it takes.
fn never() -> bool {
    false
}

/// What stays the same while a game is played; clones share what is large.
#[derive(Clone)]
struct Shared {
    game: Arc<Game>,
    config: EnvConfig,
    caches: Arc<Caches>,
    sticky: Sticky,
    /// Bit n: action n is legal.
    legal: u32,
    has_paddles: bool,
}

/// What one step of an agent brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// Sum of the rewards, clamped as configured.
    pub reward: i32,
    /// The game has ended.
    pub terminated: bool,
    /// The episode has been cut short.
    pub truncated: bool,
}

impl Env {
    /// Powers a machine on with this cartridge and brings the game to its start.
    ///
    /// # Errors
    /// When the image is no cartridge, or the game's mode steps do not come to an end on it.
    pub fn load(rom: &Rom, game: &Arc<Game>, config: &EnvConfig) -> Result<Self, Error> {
        Self::load_polled(rom, game, config, &mut never)
    }

    /// [`Env::load`] that ends early when `poll` says yes, which it is asked in every frame of a mode script.
    ///
    /// # Errors
    /// As [`Env::load`], and [`Error::Interrupted`].
    pub fn load_polled(
        rom: &Rom,
        game: &Arc<Game>,
        config: &EnvConfig,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Error> {
        let game = &game.rules(config.corrected);
        // Reference: the properties of the games that it knows belong to the image, whatever its file is called.
        let own = game.properties().filter(|_| catalogue::find(game.name()).is_none());
        let properties = own.cloned().unwrap_or_else(|| Properties::of(rom));
        let console = Console::load_with_jit(rom, &properties, config.system_seed, config.jit)?;
        Self::power_on(console, properties.has_paddles(), game, config, poll)
    }

    /// One act of the agent: `frame_skip` frames, sticky actions included. Returns the clamped sum of rewards.
    ///
    /// `strength` is how far a paddle turns; joysticks ignore it. When the episode is over nothing moves but
    /// the generator.
    pub fn act(&mut self, action: Action, strength: f32) -> i32 {
        self.play([(action, strength), (Action::Noop, 0.0)], |_| ())
    }

    /// [`Env::act`] that shows the environment to `before_frame` before each of its frames.
    pub fn act_watched(&mut self, action: Action, strength: f32, before_frame: impl FnMut(&mut Self)) -> i32 {
        self.play([(action, strength), (Action::Noop, 0.0)], before_frame)
    }

    /// [`Env::act`] at full strength, with what it led to.
    pub fn step(&mut self, action: Action) -> Step {
        let reward = self.act(action, 1.0);
        Step { reward, terminated: self.terminal(), truncated: self.truncated() }
    }

    fn play(&mut self, wanted: Moves, mut before_frame: impl FnMut(&mut Self)) -> i32 {
        let mut reward = 0_i32;
        for _ in 0..self.shared.config.frame_skip {
            self.shared.sticky.latch(&mut self.now.progress.latched, wanted, &mut self.now.rng);
            before_frame(self);
            if self.game_over() {
                continue;
            }
            let [(action, strength), player_b] = self.now.progress.latched;
            self.run_moves([(self.legalized(action), strength), player_b]);
            self.count_frame();
            reward = reward.wrapping_add(self.now.progress.game.reward());
        }
        if self.shared.config.sound {
            self.now.console.make_sound(&mut self.now.sound);
        }
        reward.max(self.shared.config.reward_min).min(self.shared.config.reward_max)
    }

    fn legalized(&self, action: Action) -> Action {
        if self.shared.legal >> action as u32 & 1 == 1 { action } else { Action::Noop }
    }

    fn count_frame(&mut self) {
        // A forged state may begin at any number.
        self.now.progress.frame_number = self.now.progress.frame_number.wrapping_add(1);
        self.now.progress.episode_frame_number = self.now.progress.episode_frame_number.wrapping_add(1);
    }

    /// Whether the game has ended.
    pub fn terminal(&self) -> bool {
        self.now.progress.game.terminal()
    }

    /// Whether the episode has been cut short, by its length or by the loss of a life.
    pub fn truncated(&self) -> bool {
        let limit = u64::from(self.shared.config.max_num_frames_per_episode);
        (limit > 0 && self.now.progress.episode_frame_number >= limit)
            || (self.shared.config.truncate_on_loss_of_life && self.lives() < self.now.progress.full_lives)
    }

    /// Whether the episode is over, one way or the other.
    pub fn game_over(&self) -> bool {
        self.terminal() || self.truncated()
    }

    /// Lives left.
    pub fn lives(&self) -> i32 {
        self.now.progress.game.lives()
    }

    /// Frames since the machine was loaded, as the reference counts them.
    pub fn frame_number(&self) -> u64 {
        self.now.progress.frame_number
    }

    /// Frames since the last reset; mode steps of the reset count.
    pub fn episode_frame_number(&self) -> u64 {
        self.now.progress.episode_frame_number
    }

    /// The action that the last frame executed: sticky, and NOOP for an illegal one.
    pub fn executed_action(&self) -> Action {
        self.legalized(self.now.progress.latched[0].0)
    }

    /// The game's facts.
    pub fn game(&self) -> &Arc<Game> {
        &self.shared.game
    }

    /// The cartridge.
    pub fn rom(&self) -> &Rom {
        self.now.console.rom()
    }

    /// The options in effect.
    pub fn config(&self) -> &EnvConfig {
        &self.shared.config
    }

    /// The machine.
    pub fn console(&self) -> &Console {
        &self.now.console
    }

    /// What has been observed of the game.
    pub fn game_state(&self) -> &GameState {
        &self.now.progress.game
    }

    /// The mode that the next reset sets.
    pub fn mode(&self) -> u32 {
        self.now.progress.mode
    }

    /// Chooses the mode; it takes effect at the next reset.
    ///
    /// # Errors
    /// [`Error::Mode`] when the game has no such mode.
    pub fn set_mode(&mut self, mode: u32) -> Result<(), Error> {
        self.shared.game.check_mode(mode)?;
        self.now.progress.mode = mode;
        Ok(())
    }

    /// Whether the game is played with paddles.
    pub fn has_paddles(&self) -> bool {
        self.shared.has_paddles
    }

    /// The position of the difficulty switches: bit 0 left, bit 1 right, 1 for A.
    pub fn difficulty(&self) -> u32 {
        self.now.progress.difficulty
    }

    /// Sets the difficulty switches from the next frame on.
    ///
    /// # Errors
    /// [`Error::Difficulty`] when the game has no such difficulty.
    pub fn set_difficulty(&mut self, difficulty: u32) -> Result<(), Error> {
        self.shared.game.check_difficulty(difficulty)?;
        self.now.progress.difficulty = difficulty;
        Ok(())
    }

    /// The generator that sticky actions are drawn from.
    pub fn generator(&self) -> &Mt19937 {
        &self.now.rng
    }

    /// Draws sticky actions from another generator from now on.
    pub fn set_generator(&mut self, generator: Mt19937) {
        self.fresh = false;
        self.now.rng = generator;
    }

    /// Whether frames store pixels from now on. Without them play is the same, only the pictures are not.
    pub fn set_drawing(&mut self, on: bool) {
        self.drawing = on;
        self.now.console.set_drawing(on);
    }

    /// Whether frames store gray values from now on instead of palette indices.
    pub(crate) fn set_gray(&mut self, on: bool) {
        self.now.console.set_shades(on.then_some(&self.palette().gray));
    }

    /// Rows of the screen.
    pub fn height(&self) -> usize {
        self.now.console.height()
    }

    /// The colours of the screen.
    pub fn palette(&self) -> &'static Palette {
        match self.now.console.television() {
            Television::Ntsc => &palette::NTSC,
            Television::Pal | Television::Pal60 => &palette::PAL,
            Television::Secam => &palette::SECAM,
        }
    }

    /// The screen: rows of 160 palette indices. A frame refreshes it, [`Env::restore_state`] does not.
    pub fn screen(&self) -> &[u8] {
        if self.now.show_copy {
            &self.now.screen_copy
        } else {
            &self.now.console.screen()[..self.height() * WIDTH]
        }
    }

    /// Writes the screen as red, green, blue bytes.
    pub fn write_rgb(&self, out: &mut [u8]) {
        self.palette().write_rgb(self.screen(), out);
    }

    /// Writes the screen as gray bytes.
    pub fn write_gray(&self, out: &mut [u8]) {
        self.palette().write_gray(self.screen(), out);
    }

    /// The 128 bytes of RAM.
    pub fn ram(&self) -> &[u8; 128] {
        self.now.console.ram()
    }

    /// Writes one byte of RAM; `index` is taken modulo 128.
    pub fn write_ram(&mut self, index: usize, value: u8) {
        self.fresh = false;
        self.now.console.write_ram(index, value);
    }

    /// The sound of the last act: zeros before the first one and when it is not configured.
    pub fn sound(&self) -> &[u8; SOUND_LEN] {
        &self.now.sound
    }

    /// Makes the next samples of sound whether or not acts do; for playing it aloud.
    pub fn make_sound(&mut self, samples: &mut [u8; SOUND_LEN]) {
        self.now.console.make_sound(samples);
    }
}
