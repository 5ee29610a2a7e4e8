//! Exact snapshots: everything that makes a difference later, pictures and sound included.

use super::Env;
use crate::error::Error;

/// An environment as it was at one moment. [`Env::restore`] brings it back any number of times.
#[derive(Clone)]
pub struct Snapshot(Box<Env>);

impl Snapshot {
    /// The environment as it was.
    pub fn env(&self) -> &Env {
        &self.0
    }
}

impl Env {
    /// The environment as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(Box::new(self.clone()))
    }

    /// Continues exactly where the snapshot was taken: machine, screen, generator, counters and options.
    ///
    /// # Errors
    /// [`Error::State`] when the snapshot is of another cartridge or game; nothing has changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        self.check_same_game(&snapshot.0.rom().md5_hex(), snapshot.0.game.name())?;
        self.copy_from(&snapshot.0);
        Ok(())
    }

    pub(super) fn check_same_game(&self, md5: &str, game: &str) -> Result<(), Error> {
        let (own_md5, own_game) = (self.rom().md5_hex(), self.game.name());
        if md5 == own_md5 && game == own_game {
            return Ok(());
        }
        Err(Error::State(format!(
            "the state is of \"{game}\" (ROM {md5}), the environment plays \"{own_game}\" (ROM {own_md5})"
        )))
    }

    /// A clone into memory that is there already. The pattern names every field, so none can be forgotten.
    fn copy_from(&mut self, other: &Self) {
        let Self {
            game,
            config,
            templates,
            sticky,
            legal,
            full_lives,
            has_paddles,
            fresh,
            drawing,
            console,
            state,
            rng,
            latched,
            paddles,
            frame_number,
            episode_frame_number,
            mode,
            difficulty,
            screen_copy,
            show_copy,
            sound,
        } = self;
        game.clone_from(&other.game);
        config.clone_from(&other.config);
        templates.clone_from(&other.templates);
        *sticky = other.sticky;
        *legal = other.legal;
        *full_lives = other.full_lives;
        *has_paddles = other.has_paddles;
        *fresh = other.fresh;
        *drawing = other.drawing;
        console.clone_from(&other.console);
        state.clone_from(&other.state);
        rng.clone_from(&other.rng);
        *latched = other.latched;
        *paddles = other.paddles;
        *frame_number = other.frame_number;
        *episode_frame_number = other.episode_frame_number;
        *mode = other.mode;
        *difficulty = other.difficulty;
        screen_copy.clone_from(&other.screen_copy);
        *show_copy = other.show_copy;
        sound.clone_from(&other.sound);
    }
}
