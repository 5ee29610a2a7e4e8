//! Exact snapshots: everything that makes a difference later, pictures and sound included.

use ale_sim::bytes::Reader;

use super::state::{part, read_part};
use super::{Env, SOUND_LEN, State};
use crate::error::Error;
use crate::frame::WIDTH;

/// An environment as it was at one moment. [`Env::restore`] brings it back any number of times.
#[derive(Clone)]
pub struct Snapshot(Box<Env>);

impl Snapshot {
    /// The environment as it was.
    pub fn env(&self) -> &Env {
        &self.0
    }

    /// The snapshot as bytes, for [`Env::restore_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let env = &self.0;
        let mut bytes = Vec::new();
        part(&mut bytes, if env.now.show_copy { &env.now.screen_copy } else { &[] });
        part(&mut bytes, env.now.sound.as_slice());
        let state = env.save_state(true);
        part(&mut bytes, &state.machine());
        state.with_machine(&bytes).to_bytes()
    }
}

impl Env {
    /// The environment as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(Box::new(self.clone()))
    }

    /// Continues exactly where the snapshot was taken: machine, screen, sound, generator and counters.
    /// The options stay those of this environment.
    ///
    /// # Errors
    /// [`Error::State`] when the snapshot is of another cartridge or game; nothing has changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let from = &snapshot.0;
        self.check_same_game(from.rom().md5(), from.game().identity())?;
        self.now.copy_from(&from.now, self.drawing);
        self.fresh = false;
        Ok(())
    }

    /// [`Env::restore`] of [`Snapshot::to_bytes`].
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged or of another game; nothing has changed then.
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let no_snapshot = || Error::State("the snapshot is damaged".to_owned());
        let damaged = |_| no_snapshot();
        let state = State::from_bytes(bytes)?;
        let content = state.machine();
        let mut reader = Reader::new(&content);
        let screen = read_part(&mut reader).map_err(damaged)?;
        let sound = read_part(&mut reader).map_err(damaged)?;
        let machine = read_part(&mut reader).map_err(damaged)?;
        reader.finish().map_err(damaged)?;
        let is_whole = screen.is_empty() || screen.len() == self.height() * WIDTH;
        if !is_whole || sound.len() != SOUND_LEN {
            return Err(no_snapshot());
        }
        self.restore_state(&state.with_machine(machine))?;
        self.now.show_copy = !screen.is_empty();
        if self.now.show_copy {
            self.now.screen_copy.clear();
            self.now.screen_copy.extend_from_slice(screen);
        }
        self.now.sound.copy_from_slice(sound);
        Ok(())
    }

    pub(super) fn check_same_game(&self, md5: &[u8; 16], game: &str) -> Result<(), Error> {
        let own_game = self.shared.game.identity();
        if md5 == self.rom().md5() && game == own_game {
            return Ok(());
        }
        let md5 = u128::from_be_bytes(*md5);
        Err(Error::State(format!(
            "the state is of \"{game}\" (ROM {md5:032x}), the environment plays \"{own_game}\" (ROM {})",
            self.rom().md5_hex()
        )))
    }
}
