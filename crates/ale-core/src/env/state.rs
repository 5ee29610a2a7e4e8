//! Saved states: what the reference's `cloneState` keeps, and its bytes.
//!
//! A state holds the machine with its pictures, the game, the executed actions and, if asked, the generator; so
//! the game goes on exactly as it would have. What is shown, the screen and the last sound, is not part of it.
//!
//! ```text
//! bytes     "ALERS" · version · fields · machine · MD5 of all before
//! machine   MD5 of the ROM · name of the game · executed actions · game · console · generator or nothing
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use ale_sim::bytes::{self, Reader};
use md5::{Digest, Md5};

use super::Env;
use super::moment::Progress;
use super::paddles::Paddles;
use super::sticky::{Moves, UNTOUCHED};
use crate::action::Action;
use crate::error::Error;
use crate::rng::Mt19937;

const MAGIC: &[u8; 5] = b"ALERS";
const VERSION: u8 = 1;

/// A saved state. The default one is empty and cannot be restored.
#[derive(Debug, Clone)]
pub struct State {
    paddles: Paddles,
    frame_number: u64,
    episode_frame_number: u64,
    mode: u32,
    difficulty: u32,
    machine: SavedMachine,
}

/// What a state knows of the machine.
#[derive(Clone)]
enum SavedMachine {
    /// Nothing.
    Empty,
    /// All of it, and whether the generator belongs to the state. Bytes are made when asked for.
    Live(Arc<Env>, bool),
    /// As written; checked when it is restored.
    Bytes(Vec<u8>),
}

impl std::fmt::Debug for SavedMachine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "empty",
            Self::Live(_, true) => "live, with its generator",
            Self::Live(_, false) => "live",
            Self::Bytes(_) => "bytes",
        })
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            paddles: Paddles::new(None, None),
            frame_number: 0,
            episode_frame_number: 0,
            mode: 0,
            difficulty: 0,
            machine: SavedMachine::Empty,
        }
    }
}

/// Equal when the game goes on the same; the stops of the paddles do not count.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |state: &Self| {
            (
                state.frame_number,
                state.episode_frame_number,
                state.mode,
                state.difficulty,
                state.paddles.positions,
            )
        };
        numbers(self) == numbers(other) && self.machine() == other.machine()
    }
}

impl State {
    /// Frames since the machine was loaded.
    pub fn frame_number(&self) -> u64 {
        self.frame_number
    }

    /// Frames since the last reset.
    pub fn episode_frame_number(&self) -> u64 {
        self.episode_frame_number
    }

    /// The mode.
    pub fn mode(&self) -> u32 {
        self.mode
    }

    /// The difficulty.
    pub fn difficulty(&self) -> u32 {
        self.difficulty
    }

    /// The same numbers with another machine, as [`State::machine`] gives it. It is checked when it is restored.
    #[must_use]
    pub fn with_machine(&self, machine: &[u8]) -> Self {
        Self { machine: SavedMachine::Bytes(machine.to_owned()), ..self.clone() }
    }

    /// The bytes of the machine, none for an empty state.
    pub fn machine(&self) -> Cow<'_, [u8]> {
        match &self.machine {
            SavedMachine::Empty => Cow::Borrowed(&[]),
            SavedMachine::Live(env, include_rng) => Cow::Owned(env.machine_bytes(*include_rng)),
            SavedMachine::Bytes(bytes) => Cow::Borrowed(bytes),
        }
    }

    /// All of it as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let machine = self.machine();
        let mut bytes = Vec::with_capacity(machine.len() + 80);
        bytes.extend_from_slice(MAGIC);
        bytes.push(VERSION);
        let Paddles { positions, min, max } = self.paddles;
        for number in [positions[0], positions[1], min, max, self.mode as i32, self.difficulty as i32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.frame_number, self.episode_frame_number] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(&machine);
        let checksum: [u8; 16] = Md5::digest(&bytes).into();
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Reads [`State::to_bytes`].
    ///
    /// # Errors
    /// [`Error::State`] when the bytes are not those of a state or have been changed.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let refuse =
            |reason: &str| Error::State(format!("{} bytes are no saved state: {reason}", bytes.len()));
        let Some((content, checksum)) = bytes.split_last_chunk::<16>() else {
            return Err(refuse("too short"));
        };
        let mut reader = Reader::new(content);
        if reader.raw(MAGIC.len()) != Ok(MAGIC) {
            return Err(refuse("they do not begin with \"ALERS\""));
        }
        let version = reader.u8().unwrap_or(0);
        if version != VERSION {
            return Err(refuse(&format!("version {version}; accepted: {VERSION}")));
        }
        let found: [u8; 16] = Md5::digest(content).into();
        if found != *checksum {
            return Err(refuse("the checksum is wrong"));
        }
        let mut fields = || {
            Ok(Self {
                paddles: Paddles {
                    positions: [reader.i32()?, reader.i32()?],
                    min: reader.i32()?,
                    max: reader.i32()?,
                },
                mode: reader.u32()?,
                difficulty: reader.u32()?,
                frame_number: reader.u64()?,
                episode_frame_number: reader.u64()?,
                machine: if reader.rest().is_empty() {
                    SavedMachine::Empty
                } else {
                    SavedMachine::Bytes(reader.rest().to_owned())
                },
            })
        };
        fields().map_err(|_: ale_sim::Error| refuse("too short"))
    }
}

impl Env {
    /// The state of the game, with the generator if asked.
    pub fn save_state(&self, include_rng: bool) -> State {
        let Progress { paddles, frame_number, episode_frame_number, mode, difficulty, .. } =
            self.now.progress;
        State {
            paddles,
            frame_number,
            episode_frame_number,
            mode,
            difficulty,
            machine: SavedMachine::Live(Arc::new(self.clone()), include_rng),
        }
    }

    fn machine_bytes(&self, include_rng: bool) -> Vec<u8> {
        let mut bytes = self.rom().md5().to_vec();
        part(&mut bytes, self.shared.game.identity().as_bytes());
        for (action, strength) in self.now.progress.latched {
            bytes.push(action as u8);
            bytes.extend_from_slice(&strength.to_le_bytes());
        }
        let mut game = Vec::with_capacity(self.shared.game.saved_len());
        self.shared.game.save(&self.now.progress.game, &mut game);
        part(&mut bytes, &game);
        part(&mut bytes, &self.now.console.save_bytes());
        if include_rng {
            let (words, next) = self.now.rng.parts();
            for word in words.iter().chain([&next]) {
                bytes.extend_from_slice(&word.to_le_bytes());
            }
        }
        bytes
    }

    /// Goes on from a state of the same game; the generator too if the state has it.
    ///
    /// The screen and the last sound stay as they are until the next act, as in the reference.
    ///
    /// # Errors
    /// [`Error::State`] when the state is empty, damaged or of another game; nothing has changed then.
    pub fn restore_state(&mut self, state: &State) -> Result<(), Error> {
        // A fresh environment has difficulty 0 also where it cannot be chosen.
        if !self.shared.game.modes().contains(&state.mode) || state.difficulty > 3 {
            return Err(damaged(()));
        }
        match &state.machine {
            SavedMachine::Empty => return Err(Error::State("the saved state is empty".to_owned())),
            SavedMachine::Live(env, include_rng) => self.restore_live(env, *include_rng)?,
            SavedMachine::Bytes(bytes) => self.restore_machine(bytes)?,
        }
        // Reference: the lives that "loss of life" is measured against are no part of a state.
        self.now.progress = Progress {
            paddles: state.paddles,
            frame_number: state.frame_number,
            episode_frame_number: state.episode_frame_number,
            mode: state.mode,
            difficulty: state.difficulty,
            ..self.now.progress
        };
        self.fresh = false;
        Ok(())
    }

    fn restore_live(&mut self, from: &Self, include_rng: bool) -> Result<(), Error> {
        self.check_same_game(from.rom().md5(), from.game().identity())?;
        self.copy_screen();
        self.now.console.clone_from(&from.now.console);
        self.now.console.set_drawing(self.drawing);
        self.now.progress.game = from.now.progress.game;
        self.now.progress.latched = from.now.progress.latched;
        if include_rng {
            self.now.rng.clone_from(&from.now.rng);
        }
        Ok(())
    }

    fn restore_machine(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let mut reader = Reader::new(bytes);
        let md5 = reader.array::<16>().map_err(damaged)?;
        let name = std::str::from_utf8(read_part(&mut reader).map_err(damaged)?).map_err(damaged)?;
        self.check_same_game(&md5, name)?;
        let latched = read_moves(&mut reader).map_err(damaged)?;
        let state = self.shared.game.restore(read_part(&mut reader).map_err(damaged)?)?;
        let console = read_part(&mut reader).map_err(damaged)?;
        let rng =
            if reader.rest().is_empty() { None } else { Some(read_generator(&mut reader).map_err(damaged)?) };
        reader.finish().map_err(damaged)?;
        let shown = self.now.show_copy;
        self.copy_screen();
        self.now.console.restore_bytes(console).inspect_err(|_| self.now.show_copy = shown)?;
        self.now.progress.game = state;
        self.now.progress.latched = latched;
        if let Some(rng) = rng {
            self.now.rng = rng;
        }
        Ok(())
    }
}

/// Whatever the reason.
fn damaged<E>(_: E) -> Error {
    Error::State("the saved state is damaged".to_owned())
}

pub(super) fn part(bytes: &mut Vec<u8>, part: &[u8]) {
    bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
    bytes.extend_from_slice(part);
}

/// What [`part`] appended.
pub(super) fn read_part<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], ale_sim::Error> {
    let len = reader.u32()?;
    reader.raw(len as usize)
}

fn read_moves(reader: &mut Reader<'_>) -> Result<Moves, ale_sim::Error> {
    let mut moves = UNTOUCHED;
    for (action, strength) in &mut moves {
        *action = Action::from_number(usize::from(reader.u8()?)).ok_or_else(bytes::damaged)?;
        *strength = f32::from_le_bytes(reader.array()?);
    }
    Ok(moves)
}

fn read_generator(reader: &mut Reader<'_>) -> Result<Mt19937, ale_sim::Error> {
    let mut words = [0; 624];
    for word in &mut words {
        *word = reader.u32()?;
    }
    Ok(Mt19937::from_parts(words, reader.u32()?))
}
