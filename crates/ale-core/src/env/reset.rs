//! Power-up, mode steps and starting actions.
//!
//! A machine after power-on depends on the cartridge and the system seed only, and mostly so does the start of a
//! game. Both are kept, so that seeding an environment again costs a copy instead of some 200 frames.

use std::sync::{Arc, OnceLock};

use super::controls::Held;
use super::moment::{Now, Progress};
use super::noop_start_cache::NoopStartCache;
use super::paddles::Paddles;
use super::reset_cache::{FIRST_FRAMES, FIRST_RESET, ResetCache};
use super::sticky::{Sticky, UNTOUCHED};
use super::{Env, EnvConfig, SOUND_LEN, Shared, never};
use crate::action::Action;
use crate::console::Console;
use crate::error::Error;
use crate::frame::WIDTH;
use crate::game::{Game, GameState, Memory, ModeHost, StartingAction};
use crate::rng::Mt19937;
use crate::rom::Rom;

/// Frames without input after a system reset.
const IDLE_FRAMES: u32 = 60;
/// Frames that a soft reset holds the RESET switch.
const SOFT_RESET_FRAMES: u32 = 4;

/// States of one cartridge and configuration that no seed has touched, shared by all clones of an environment.
pub(super) struct Caches {
    /// The machine after power-on.
    power_on: Console,
    /// The state after the reset that belongs to loading; `None` when it drew from the generator.
    loaded: OnceLock<Option<Now>>,
    /// The state after one more reset, for the mode and difficulty first asked for.
    reset: OnceLock<(u32, u32, Option<Now>)>,
    /// Resets in the middle of play.
    pub(super) resets: ResetCache,
    /// The no-op starts after them.
    pub(super) noop_starts: NoopStartCache,
}

impl Env {
    pub(super) fn power_on(
        console: Console,
        has_paddles: bool,
        game: &Arc<Game>,
        config: &EnvConfig,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Error> {
        let config = config.normalized(game.settings_overrides());
        let state = game.new_state();
        let screen_len = if config.color_averaging { console.height() * WIDTH } else { 0 };
        let caches = Caches {
            power_on: console.clone(),
            loaded: OnceLock::new(),
            reset: OnceLock::new(),
            resets: ResetCache::default(),
            noop_starts: NoopStartCache::default(),
        };
        let progress = Progress {
            game: state,
            latched: UNTOUCHED,
            paddles: Paddles::new(config.paddle_min, config.paddle_max),
            frame_number: 0,
            episode_frame_number: 0,
            mode: game.default_mode(),
            difficulty: 0,
            full_lives: game.full_lives(&state),
        };
        let now = Now {
            console,
            rng: Mt19937::new(config.seed),
            progress,
            screen_copy: vec![0; screen_len],
            show_copy: false,
            sound: Box::new([0; SOUND_LEN]),
        };
        let shared = Shared {
            game: Arc::clone(game),
            caches: Arc::new(caches),
            sticky: Sticky::new(config.repeat_action_probability),
            legal: game.legal_actions().iter().fold(0, |bits, &action| bits | 1 << action as u32),
            has_paddles,
            config,
        };
        let mut env = Self { shared, now, fresh: true, drawing: true, averages_later: false };
        env.first_reset(poll)?;
        Ok(env)
    }

    /// [`Env::load_polled`] in the place of this environment; what no seed has touched is used again.
    ///
    /// # Errors
    /// As [`Env::load_polled`]; nothing has changed then, except when only the seed differs.
    pub fn load_again(
        &mut self,
        rom: &Rom,
        game: &Arc<Game>,
        config: &EnvConfig,
        poll: &mut dyn FnMut() -> bool,
    ) -> Result<(), Error> {
        let game = &game.rules(config.corrected);
        let normalized = config.normalized(game.settings_overrides());
        let same = EnvConfig { seed: self.shared.config.seed, ..normalized } == self.shared.config;
        if same && rom == self.rom() && Arc::ptr_eq(game, &self.shared.game) {
            return self.reload_polled(config.seed, poll);
        }
        *self = Self::load_polled(rom, game, config, poll)?;
        Ok(())
    }

    /// Loads the machine again with another seed, as if it had been built with it.
    ///
    /// # Errors
    /// When the mode steps of the default mode do not come to an end, which depends on the seed in few games.
    pub fn reload(&mut self, seed: u32) -> Result<(), Error> {
        self.reload_polled(seed, &mut never)
    }

    /// [`Env::reload`] that ends early when `poll` says yes. Another one is needed then.
    ///
    /// # Errors
    /// As [`Env::reload`], and [`Error::Interrupted`].
    pub fn reload_polled(&mut self, seed: u32, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        self.shared.config.seed = seed;
        self.now.rng = Mt19937::new(seed);
        self.now.progress.mode = self.shared.game.default_mode();
        self.now.progress.difficulty = 0;
        self.now.progress.latched = UNTOUCHED;
        self.now.progress.frame_number = 0;
        self.now.sound.fill(0);
        self.fresh = true;
        let caches = Arc::clone(&self.shared.caches);
        if let Some(Some(end)) = caches.loaded.get() {
            self.begin_at(end);
            return Ok(());
        }
        self.now.console.clone_from(&caches.power_on);
        self.now.console.set_drawing(self.drawing);
        self.now.progress.game = self.shared.game.new_state();
        self.now.progress.paddles =
            Paddles::new(self.shared.config.paddle_min, self.shared.config.paddle_max);
        self.first_reset(poll)
    }

    fn first_reset(&mut self, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        let before = self.now.rng.clone();
        self.reset_from_scratch(poll)?;
        let end = (self.now.rng == before).then(|| self.now.clone());
        // A second environment may have been first; its value is the same.
        let _ = self.shared.caches.loaded.set(end);
        self.fresh = true;
        Ok(())
    }

    /// Starts a new episode: system reset, mode steps, starting actions.
    ///
    /// The frame counter, both generators and the 128 bytes of RAM go on as they are, as in the reference.
    ///
    /// # Errors
    /// When the mode steps do not come to an end. The episode has begun all the same, in a mode of chance.
    pub fn reset(&mut self) -> Result<(), Error> {
        self.reset_polled(&mut never)
    }

    /// [`Env::reset`] that ends early when `poll` says yes, which it is asked in every frame of a mode script. Another
    /// reset is needed then.
    ///
    /// # Errors
    /// As [`Env::reset`], and [`Error::Interrupted`].
    pub fn reset_polled(&mut self, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        self.reset_known(poll).map(|_| ())
    }

    /// [`Env::reset_polled`], and the number of the state it ended with if that one is known.
    pub(super) fn reset_known(&mut self, poll: &mut dyn FnMut() -> bool) -> Result<Option<u32>, Error> {
        if !self.fresh {
            return self.reset_from_scratch(poll);
        }
        let caches = Arc::clone(&self.shared.caches);
        match caches.reset.get() {
            Some((mode, difficulty, Some(end)))
                if (*mode, *difficulty) == (self.now.progress.mode, self.now.progress.difficulty) =>
            {
                self.begin_at(end);
                self.fresh = false;
                Ok(Some(FIRST_RESET))
            }
            // Pictures that were not drawn must not be kept.
            None if self.drawing && matches!(caches.loaded.get(), Some(Some(_))) => {
                let before = self.now.rng.clone();
                self.reset_from_scratch(poll)?;
                let end = (self.now.rng == before).then(|| self.now.clone());
                let _ = caches.reset.set((self.now.progress.mode, self.now.progress.difficulty, end));
                Ok(None)
            }
            _ => self.reset_from_scratch(poll),
        }
    }

    /// Whether the reset that follows [`Env::reload`] has been kept, or cannot be.
    pub fn knows_first_reset(&self) -> bool {
        self.shared.caches.reset.get().is_some()
    }

    fn reset_from_scratch(&mut self, poll: &mut dyn FnMut() -> bool) -> Result<Option<u32>, Error> {
        self.now.progress.episode_frame_number = 0;
        self.now.progress.paddles.center();
        self.now.console.system_reset();
        self.run_part(Held::Moves(UNTOUCHED), 0..FIRST_FRAMES);
        let caches = Arc::clone(&self.shared.caches);
        caches.resets.finish(self, poll)
    }

    /// A reset from its first frames on.
    pub(super) fn finish_reset(&mut self, poll: &mut dyn FnMut() -> bool) -> Result<(), Error> {
        let game = Arc::clone(&self.shared.game);
        self.run_part(Held::Moves(UNTOUCHED), FIRST_FRAMES..IDLE_FRAMES);
        self.end_part();
        self.soft_reset();
        game.reset(&mut self.now.progress.game);
        self.now.progress.full_lives = game.full_lives(&self.now.progress.game);
        let result = game.set_mode(self.now.progress.mode, &mut Resetting { env: self, poll });
        self.soft_reset();
        for &action in game.starting_actions() {
            let held = match action {
                StartingAction::Act(action) => Held::Moves([(action, 1.0), UNTOUCHED[1]]),
                StartingAction::Reset => Held::Reset,
            };
            self.run_held(held, 1);
        }
        self.now.progress.full_lives = game.full_lives(&self.now.progress.game);
        result
    }

    fn soft_reset(&mut self) {
        self.run_held(Held::Reset, SOFT_RESET_FRAMES);
        self.now.progress.latched = UNTOUCHED;
    }

    /// Continues at the end of a reset of an earlier load. The generator, which that reset did not draw from, stays.
    fn begin_at(&mut self, end: &Now) {
        let rng = self.now.rng.clone();
        self.now.copy_from(end, self.drawing);
        self.now.rng = rng;
    }
}

/// An environment whose mode is being set, and who asks for it.
struct Resetting<'a> {
    env: &'a mut Env,
    poll: &'a mut dyn FnMut() -> bool,
}

impl ModeHost for Resetting<'_> {
    fn select(&mut self, frames: u32) {
        self.env.run_select(frames, self.poll);
    }

    fn soft_reset(&mut self) {
        self.env.soft_reset();
    }

    fn act(&mut self, action: Action) {
        self.env.play([(action, 1.0), (Action::Noop, 1.0)], |_| ());
    }

    fn random(&mut self) -> u32 {
        self.env.now.rng.next_u32()
    }

    fn game_state(&mut self) -> &mut GameState {
        &mut self.env.now.progress.game
    }

    fn stopped(&mut self) -> bool {
        (self.poll)()
    }
}

impl Memory for Resetting<'_> {
    fn ram(&self, index: u8) -> u8 {
        Memory::ram(&self.env.now.console, index)
    }

    fn peek(&self, address: u16) -> u8 {
        self.env.now.console.peek(address)
    }
}
