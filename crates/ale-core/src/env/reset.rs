//! Power-up, mode steps and starting actions.
//!
//! A machine after power-on depends on the cartridge and the system seed only, and mostly so does the start of a
//! game. Both are kept, so that seeding an environment again costs a copy instead of some 200 frames.

use std::sync::{Arc, OnceLock};

use super::controls::Held;
use super::paddles::Paddles;
use super::restarts::{FIRST_FRAMES, FIRST_RESET, Restarts};
use super::sticky::{NOBODY, Sticky};
use super::waits::Waits;
use super::{Env, EnvConfig, SOUND_LEN};
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

/// States of one cartridge and configuration that no seed has touched.
pub(super) struct Templates {
    /// The machine after power-on.
    power_on: Console,
    /// The environment after the reset that belongs to loading; `None` when it drew from the generator.
    loaded: OnceLock<Option<Start>>,
    /// The environment after one more reset, for the mode and difficulty first asked for.
    reset: OnceLock<(u32, u32, Option<Start>)>,
    /// How resets in the middle of play went.
    pub(super) restarts: Restarts,
    /// What came after.
    pub(super) waits: Waits,
}

/// All of an environment that a reset sets, except the generator.
struct Start {
    console: Console,
    state: GameState,
    paddles: Paddles,
    frame_number: u64,
    episode_frame_number: u64,
    screen_copy: Vec<u8>,
}

impl Env {
    pub(super) fn power_on(
        console: Console,
        has_paddles: bool,
        game: &Arc<Game>,
        config: &EnvConfig,
    ) -> Result<Self, Error> {
        let config = config.normalized(game.settings_overrides());
        let state = game.new_state();
        let screen_len = if config.color_averaging { console.height() * WIDTH } else { 0 };
        let templates = Templates {
            power_on: console.clone(),
            loaded: OnceLock::new(),
            reset: OnceLock::new(),
            restarts: Restarts::default(),
            waits: Waits::default(),
        };
        let mut env = Self {
            game: Arc::clone(game),
            templates: Arc::new(templates),
            sticky: Sticky::new(config.repeat_action_probability),
            legal: game.legal_actions().iter().fold(0, |bits, &action| bits | 1 << action as u32),
            full_lives: game.full_lives(&state),
            has_paddles,
            fresh: true,
            drawing: true,
            console,
            state,
            rng: Mt19937::new(config.seed),
            latched: NOBODY,
            paddles: Paddles::new(config.paddle_min, config.paddle_max),
            frame_number: 0,
            episode_frame_number: 0,
            mode: game.default_mode(),
            difficulty: 0,
            screen_copy: vec![0; screen_len],
            show_copy: false,
            sound: Box::new([0; SOUND_LEN]),
            config,
        };
        env.first_reset()?;
        Ok(env)
    }

    /// [`Env::load`] in the place of this environment; what no seed has touched is used again.
    ///
    /// # Errors
    /// As [`Env::load`]; nothing has changed then, except when only the seed differs.
    pub fn load_again(&mut self, rom: &Rom, game: &Arc<Game>, config: &EnvConfig) -> Result<(), Error> {
        let game = &game.rules(config.corrected);
        let normalized = config.normalized(game.settings_overrides());
        let same = EnvConfig { seed: self.config.seed, ..normalized } == self.config;
        if same && rom == self.rom() && Arc::ptr_eq(game, &self.game) {
            return self.reload(config.seed);
        }
        *self = Self::load(rom, game, config)?;
        Ok(())
    }

    /// Loads the machine again with another seed, as if it had been built with it.
    ///
    /// # Errors
    /// When the mode steps of the default mode do not come to an end, which depends on the seed in few games.
    pub fn reload(&mut self, seed: u32) -> Result<(), Error> {
        self.config.seed = seed;
        self.rng = Mt19937::new(seed);
        self.mode = self.game.default_mode();
        self.difficulty = 0;
        self.latched = NOBODY;
        self.frame_number = 0;
        self.sound.fill(0);
        self.fresh = true;
        let templates = Arc::clone(&self.templates);
        if let Some(Some(start)) = templates.loaded.get() {
            self.begin_at(start);
            return Ok(());
        }
        self.console.clone_from(&templates.power_on);
        self.console.set_drawing(self.drawing);
        self.state = self.game.new_state();
        self.paddles = Paddles::new(self.config.paddle_min, self.config.paddle_max);
        self.first_reset()
    }

    fn first_reset(&mut self) -> Result<(), Error> {
        let before = self.rng.clone();
        self.reset_from_scratch()?;
        let start = (self.rng == before).then(|| self.start());
        // A second environment may have been first; its value is the same.
        let _ = self.templates.loaded.set(start);
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
        self.reset_known().map(|_| ())
    }

    /// [`Env::reset`], and the number of the state it ended with if that one is known.
    pub(super) fn reset_known(&mut self) -> Result<Option<u32>, Error> {
        if !self.fresh {
            return self.reset_from_scratch();
        }
        let templates = Arc::clone(&self.templates);
        match templates.reset.get() {
            Some((mode, difficulty, Some(start))) if (*mode, *difficulty) == (self.mode, self.difficulty) => {
                self.begin_at(start);
                self.fresh = false;
                Ok(Some(FIRST_RESET))
            }
            // Pictures that were not drawn must not be kept.
            None if self.drawing && matches!(templates.loaded.get(), Some(Some(_))) => {
                let before = self.rng.clone();
                self.reset_from_scratch()?;
                let start = (self.rng == before).then(|| self.start());
                let _ = templates.reset.set((self.mode, self.difficulty, start));
                Ok(None)
            }
            _ => self.reset_from_scratch(),
        }
    }

    /// Whether the reset that follows [`Env::reload`] has been kept, or cannot be.
    pub fn knows_first_reset(&self) -> bool {
        self.templates.reset.get().is_some()
    }

    fn reset_from_scratch(&mut self) -> Result<Option<u32>, Error> {
        self.episode_frame_number = 0;
        self.paddles.center();
        self.console.system_reset();
        self.run_part(Held::Moves(NOBODY), 0..FIRST_FRAMES);
        let templates = Arc::clone(&self.templates);
        templates.restarts.go_on(self)
    }

    /// A reset from its first frames on.
    pub(super) fn finish_reset(&mut self) -> Result<(), Error> {
        let game = Arc::clone(&self.game);
        self.run_part(Held::Moves(NOBODY), FIRST_FRAMES..IDLE_FRAMES);
        self.end_part();
        self.soft_reset();
        game.reset(&mut self.state);
        self.full_lives = game.full_lives(&self.state);
        let result = game.set_mode(self.mode, self);
        self.soft_reset();
        for &action in game.starting_actions() {
            let held = match action {
                StartingAction::Act(action) => Held::Moves([(action, 1.0), NOBODY[1]]),
                StartingAction::Reset => Held::Reset,
            };
            self.run_held(held, 1);
        }
        self.full_lives = game.full_lives(&self.state);
        result
    }

    fn start(&self) -> Start {
        Start {
            console: self.console.clone(),
            state: self.state,
            paddles: self.paddles,
            frame_number: self.frame_number,
            episode_frame_number: self.episode_frame_number,
            screen_copy: self.screen_copy.clone(),
        }
    }

    fn begin_at(&mut self, start: &Start) {
        self.console.clone_from(&start.console);
        self.console.set_drawing(self.drawing);
        self.state = start.state;
        self.full_lives = self.game.full_lives(&self.state);
        self.latched = NOBODY;
        self.paddles = start.paddles;
        self.frame_number = start.frame_number;
        self.episode_frame_number = start.episode_frame_number;
        self.screen_copy.clone_from(&start.screen_copy);
        self.show_copy = self.config.color_averaging;
    }
}

impl ModeHost for Env {
    fn select(&mut self, frames: u32) {
        self.run_select(frames);
    }

    fn soft_reset(&mut self) {
        self.run_held(Held::Reset, SOFT_RESET_FRAMES);
        self.latched = NOBODY;
    }

    fn act(&mut self, action: Action) {
        self.play([(action, 1.0), (Action::Noop, 1.0)], |_| ());
    }

    fn random(&mut self) -> u32 {
        self.rng.next_u32()
    }

    fn game_state(&mut self) -> &mut GameState {
        &mut self.state
    }
}

impl Memory for Env {
    fn ram(&self, index: u8) -> u8 {
        Memory::ram(&self.console, index)
    }

    fn peek(&self, address: u16) -> u8 {
        self.console.peek(address)
    }
}
