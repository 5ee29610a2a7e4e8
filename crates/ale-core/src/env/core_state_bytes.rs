//! Core states as bytes, for files.
//!
//! ```text
//! actions and strengths of both players · paddles · counters · game · machine without its generator
//! ```

use ale_sim::bytes::{Reader, Writer};

use super::moment::Progress;
use super::paddles::Paddles;
use super::sticky::UNTOUCHED;
use super::{CoreState, Env};
use crate::action::Action;
use crate::error::Error;

impl Env {
    /// Whether states of the other environment can be restored in this one.
    ///
    /// # Errors
    /// [`Error::State`] when it plays another cartridge or game.
    pub fn check_same_game_as(&self, other: &Self) -> Result<(), Error> {
        self.check_same_game(other.rom().md5(), other.game().identity())
    }

    /// A core state of this environment as bytes. The environment goes on from that state.
    pub fn core_state_bytes(&mut self, state: &CoreState) -> Vec<u8> {
        self.set_core_state(state);
        let Progress {
            game,
            latched,
            paddles: Paddles { positions, min, max },
            frame_number,
            episode_frame_number,
            mode,
            difficulty,
            full_lives,
        } = &state.progress;
        let mut writer = Writer::new();
        for (action, strength) in latched {
            writer.u8(*action as u8).u32(strength.to_bits());
        }
        for number in [positions[0], positions[1], *min, *max, *full_lives] {
            writer.i32(number);
        }
        writer.u64(*frame_number).u64(*episode_frame_number).u32(*mode).u32(*difficulty);
        let mut counters = Vec::new();
        self.shared.game.save(game, &mut counters);
        writer.part(&counters).raw(&self.now.console.machine().bytes_but_generator());
        writer.finish()
    }

    /// Reads [`Env::core_state_bytes`] of an environment with the same cartridge and game, and goes on from that state.
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are damaged.
    pub fn read_core_state(&mut self, bytes: &[u8]) -> Result<CoreState, Error> {
        let (fields, counters, machine) = fields(bytes, &self.now.progress).ok_or_else(damaged)?;
        if !self.shared.game.modes().contains(&fields.mode) || fields.difficulty > 3 {
            return Err(damaged());
        }
        let game = self.shared.game.restore(counters)?;
        self.now.console.read_machine(machine)?;
        self.now.console.set_drawing(self.drawing);
        self.now.progress = Progress { game, ..fields };
        self.fresh = false;
        Ok(self.core_state())
    }
}

/// The numbers, the counters of the game and the machine.
fn fields<'a>(bytes: &'a [u8], own: &Progress) -> Option<(Progress, &'a [u8], &'a [u8])> {
    let mut reader = Reader::new(bytes);
    let mut latched = UNTOUCHED;
    for (action, strength) in &mut latched {
        *action = Action::from_number(usize::from(reader.u8().ok()?))?;
        *strength = f32::from_bits(reader.u32().ok()?);
    }
    let mut int = || reader.i32().ok();
    let paddles = Paddles { positions: [int()?, int()?], min: int()?, max: int()? };
    let progress = Progress {
        game: own.game,
        latched,
        paddles,
        full_lives: int()?,
        frame_number: reader.u64().ok()?,
        episode_frame_number: reader.u64().ok()?,
        mode: reader.u32().ok()?,
        difficulty: reader.u32().ok()?,
    };
    let counters = reader.part().ok()?;
    Some((progress, counters, reader.rest()))
}

fn damaged() -> Error {
    Error::State("the saved state is damaged".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::action::Action;
    use crate::env::{Env, EnvConfig};
    use crate::game::Game;
    use crate::rom::Rom;

    #[test]
    fn bytes_bring_back_the_state_and_damaged_ones_are_refused() {
        for own in &crate::embedded::GAMES {
            let game = Game::by_name(own.name).expect("it has a sheet");
            let mut env = Env::load(&Rom::new(own.image), &game, &EnvConfig::default()).expect("it starts");
            let mut other = env.clone();
            (0..50).for_each(|frame| _ = env.act(Action::ALL[frame * 7 % 18], 0.5));
            let state = env.core_state();
            let bytes = env.core_state_bytes(&state);
            assert!(env.core_state() == state);
            let read = other.read_core_state(&bytes).expect("they are whole");
            assert!(read == state && read.key(true) == state.key(true), "{}", own.name);
            assert_eq!(other.core_state_bytes(&read), bytes);
            for len in 0..bytes.len() {
                assert!(other.read_core_state(&bytes[..len]).is_err(), "{len} of {} bytes", bytes.len());
            }
            assert!(other.read_core_state(&[&bytes[..], &[0]].concat()).is_err());
        }
    }
}
