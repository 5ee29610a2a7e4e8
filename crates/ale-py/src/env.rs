//! `ALEInterface`: one game behind the reference's names.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use ale_core::env::{Env, SOUND_LEN, Settings, SkipRenderer};
use ale_core::frame::WIDTH;
use ale_core::game::Game;
use ale_core::{Action, Rom};
use numpy::PyArrayDyn;
use pyo3::exceptions::{PyFileNotFoundError, PyIsADirectoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use crate::arguments::{
    ActionNumber, Byte, FilePath, Flag, Int, LogLevel, Optional, Real, Text, Unsigned, action_list,
    action_member,
};
use crate::arrays::{Mismatch, write_bytes};
use crate::errors::{incompatible, rom_not_set, to_py_err};
use crate::logger::{self, Level, log};
use crate::signals::{check_signals, interruptible};
use crate::state::{AleState, Snapshot, state_argument};
use crate::watch::{self, Watch};

/// The number of the action "console reset", which agents may not take.
const RESET_ACTION: u32 = 40;
const RAM_LEN: usize = 128;
/// Acts of [`AleInterface::act_many`] between two looks for Ctrl-C.
const ACTS_UNWATCHED: u32 = 1000;

type Array<'py> = PyResult<Option<Bound<'py, PyArrayDyn<u8>>>>;

/// One game, its options and its machine.
#[pyclass(name = "ALEInterface", module = "ale_rs")]
pub(crate) struct AleInterface {
    settings: Settings,
    env: Option<Env>,
    skip_renderer: SkipRenderer,
    watch: Watch,
    path: Option<PathBuf>,
}

impl AleInterface {
    pub(crate) fn env(&self) -> PyResult<&Env> {
        self.env.as_ref().ok_or_else(rom_not_set)
    }

    pub(crate) fn env_mut(&mut self) -> PyResult<&mut Env> {
        self.env.as_mut().ok_or_else(rom_not_set)
    }

    fn act_once(&mut self, py: Python<'_>, action: Action, strength: f32) -> PyResult<i32> {
        let env = self.env.as_mut().ok_or_else(rom_not_set)?;
        if self.watch.is_idle() {
            return Ok(env.act_skip_rendering(action, strength, &mut self.skip_renderer));
        }
        let mut result = Ok(());
        let reward = env.act_watched(action, strength, |env| {
            if result.is_ok() {
                result = self.watch.look(py, env);
            }
        });
        result.map(|()| reward)
    }

    /// The move with this number. The reference ends the process where this raises.
    fn action(&self, number: u32) -> PyResult<Action> {
        match Action::from_number(number as usize) {
            Some(action) => Ok(action),
            None if number == RESET_ACTION || self.env()?.has_paddles() => Ok(Action::Noop),
            None => {
                log(Level::Error, || format!("Invalid Player A Action: {number}"));
                Err(PyValueError::new_err(format!("Invalid Player A Action: {number}; accepted: 0 to 17")))
            }
        }
    }

    fn load(&mut self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let path = match (path.as_os_str().is_empty(), &self.path) {
            (false, _) => path,
            (true, Some(last)) => last.clone(),
            (true, None) => return Err(failure("No ROM File specified.".to_owned())),
        };
        let rom = read_rom(py, &path)?;
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().to_lowercase());
        let md5 = rom.md5_hex();
        let Some(game) = Game::for_rom(&md5, &name) else {
            return Err(failure(format!(
                "Attempt to wrap ROM {} failed.\nIf you're using an MD5 mismatched ROM, please make sure the \
                 filename is in snake_case (e.g., space_invaders.bin)",
                path.display()
            )));
        };
        if game.md5() != md5 {
            log(Level::Warning, || {
                format!(
                    "Possibly unsupported ROM: mismatched MD5.\nExpected MD5:  {}\nActual MD5:    {md5}\n\
                     Cartridge Name: {}",
                    game.md5(),
                    game.title()
                )
            });
        }
        for (key, value) in game.settings_overrides() {
            self.settings.set_int(key, *value).map_err(to_py_err)?;
        }
        if self.settings.int("frame_skip") < 1 {
            log(Level::Warning, || "Warning: frame skip set to < 1. Setting to 1.".to_owned());
        }
        let config = self.settings.config(clock());
        interruptible(py, |poll| match &mut self.env {
            Some(env) => env.load_again(&rom, &game, &config, poll),
            None => Env::load_polled(&rom, &game, &config, poll).map(|env| self.env = Some(env)),
        })?;
        let env = self.env.as_ref().ok_or_else(rom_not_set)?;
        log(Level::Info, || banner(&path, &game, env));
        self.watch.renew(py, &self.settings, env)?;
        self.settings.set_text("rom_file", &path.to_string_lossy()).map_err(to_py_err)?;
        self.path = Some(path);
        Ok(())
    }
}

fn failure(message: String) -> PyErr {
    log(Level::Error, || message.clone());
    PyRuntimeError::new_err(message)
}

fn clock() -> u32 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as u32)
}

fn read_rom(py: Python<'_>, path: &PathBuf) -> PyResult<Rom> {
    if !path.exists() {
        let message = format!("ROM file {} not found.", path.display());
        log(Level::Error, || message.clone());
        return Err(PyFileNotFoundError::new_err(message));
    }
    if path.is_dir() {
        return Err(PyIsADirectoryError::new_err(format!("{} is a directory, no ROM file", path.display())));
    }
    let file = py.import("pathlib")?.call_method1("Path", (path,))?;
    let bytes = py.import("ale_rs._images")?.call_method1("read_image", (file,))?;
    Ok(Rom::new(bytes.cast_into::<PyBytes>()?.as_bytes().to_vec()))
}

fn banner(path: &std::path::Path, game: &Game, env: &Env) -> String {
    format!(
        "Game console created:\n  ROM file:  {}\n  Cart Name: {}\n  Cart MD5:  {}\n  Display Format: {:?}\n  \
         ROM Size:        {}\n\nRunning ROM file...\nRandom seed is {}",
        path.display(),
        game.title(),
        env.rom().md5_hex(),
        env.console().television(),
        env.rom().bytes().len(),
        env.config().seed
    )
}

#[pymethods]
impl AleInterface {
    #[new]
    fn new() -> Self {
        log(Level::Info, || {
            format!("A.L.E: Arcade Learning Environment (ale_rs {})", env!("CARGO_PKG_VERSION"))
        });
        Self {
            settings: Settings::default(),
            env: None,
            skip_renderer: SkipRenderer::default(),
            watch: Watch::default(),
            path: None,
        }
    }

    /// The text of an option, empty when there is none of this name.
    #[pyo3(name = "getString", signature = (key, /))]
    fn get_string(&self, key: Text<'_>) -> String {
        self.settings.text(key.0).to_owned()
    }

    /// The number of an option, -1 when there is none of this name.
    #[pyo3(name = "getInt", signature = (key, /))]
    fn get_int(&self, key: Text<'_>) -> i32 {
        self.settings.int(key.0)
    }

    /// The number of an option, -1 when there is none of this name.
    #[pyo3(name = "getFloat", signature = (key, /))]
    fn get_float(&self, key: Text<'_>) -> f32 {
        self.settings.float(key.0)
    }

    /// Whether an option is on.
    #[pyo3(name = "getBool", signature = (key, /))]
    fn get_bool(&self, key: Text<'_>) -> bool {
        self.settings.flag(key.0)
    }

    /// Sets an option of type `str`. It takes effect with the next `loadROM`, like all options.
    #[pyo3(name = "setString", signature = (key, value, /))]
    fn set_string(&mut self, key: Text<'_>, value: Text<'_>) -> PyResult<()> {
        self.settings.set_text(key.0, value.0).map_err(to_py_err)
    }

    /// Sets an option of type `int`.
    #[pyo3(name = "setInt", signature = (key, value, /))]
    fn set_int(&mut self, key: Text<'_>, value: Int) -> PyResult<()> {
        self.settings.set_int(key.0, value.0).map_err(to_py_err)
    }

    /// Sets an option of type `float`; six digits are kept.
    #[pyo3(name = "setFloat", signature = (key, value, /))]
    fn set_float(&mut self, key: Text<'_>, value: Real) -> PyResult<()> {
        self.settings.set_float(key.0, value.0).map_err(to_py_err)
    }

    /// Sets an option of type `bool`.
    #[pyo3(name = "setBool", signature = (key, value, /))]
    fn set_bool(&mut self, key: Text<'_>, value: Flag) -> PyResult<()> {
        self.settings.set_flag(key.0, value.0).map_err(to_py_err)
    }

    /// Loads a ROM file, plain or gzip, and brings the game to its start.
    #[pyo3(name = "loadROM", signature = (path=None, /), text_signature = "($self, path, /)")]
    fn load_rom(&mut self, py: Python<'_>, path: Option<FilePath>) -> PyResult<()> {
        let path = path.ok_or_else(|| incompatible("str or os.PathLike", "nothing"))?;
        self.load(py, path.0)
    }

    /// The name of the game in a ROM file, `None` when its checksum is not that of a supported game.
    #[staticmethod]
    #[pyo3(name = "isSupportedROM", signature = (path, /))]
    fn is_supported_rom(path: FilePath) -> PyResult<Option<String>> {
        let path = path.0;
        if !path.exists() {
            return Err(PyRuntimeError::new_err("ROM file doesn't exist"));
        }
        let bytes = std::fs::read(&path)
            .map_err(|error| PyRuntimeError::new_err(format!("cannot read {}: {error}", path.display())))?;
        let md5 = Rom::new(bytes).md5_hex();
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().to_lowercase());
        Ok(Game::for_rom(&md5, &name).filter(|game| game.md5() == md5).map(|game| game.name().to_owned()))
    }

    /// Takes an action for `frame_skip` frames and returns the reward.
    #[pyo3(signature = (action, paddle_strength=Real(1.0)), text_signature = "($self, action, paddle_strength=1.0)")]
    fn act(&mut self, py: Python<'_>, action: ActionNumber, paddle_strength: Real) -> PyResult<i32> {
        let action = self.action(action.0)?;
        self.act_once(py, action, paddle_strength.0)
    }

    /// Acts `count` times and returns the sum of the rewards.
    #[pyo3(
        signature = (action, count, paddle_strength=Real(1.0)),
        text_signature = "($self, action, count, paddle_strength=1.0)"
    )]
    fn act_many(
        &mut self,
        py: Python<'_>,
        action: ActionNumber,
        count: Unsigned,
        paddle_strength: Real,
    ) -> PyResult<i64> {
        let action = self.action(action.0)?;
        let mut reward = 0;
        for act in 0..count.0 {
            if act % ACTS_UNWATCHED == ACTS_UNWATCHED - 1 {
                check_signals(py)?;
            }
            reward += i64::from(self.act_once(py, action, paddle_strength.0)?);
        }
        Ok(reward)
    }

    /// The action that the last frame executed: sticky actions repeat, illegal ones are NOOP.
    fn executed_action(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        action_member(py, self.env()?.executed_action())
    }

    /// Whether the game has ended or, unless asked not to, has been cut short.
    #[pyo3(signature = (with_truncation=Flag(true)), text_signature = "($self, with_truncation=True)")]
    fn game_over(&self, with_truncation: Flag) -> PyResult<bool> {
        let env = self.env()?;
        Ok(if with_truncation.0 { env.game_over() } else { env.terminal() })
    }

    /// Whether the game has been cut short, by its length or by the loss of a life.
    fn game_truncated(&self) -> PyResult<bool> {
        Ok(self.env()?.truncated())
    }

    /// Starts a new game. Ctrl-C ends a mode script that takes long; the game needs another reset then.
    fn reset_game(&mut self, py: Python<'_>) -> PyResult<()> {
        let env = self.env_mut()?;
        interruptible(py, |poll| env.reset_polled(poll))
    }

    /// The modes of the game.
    #[pyo3(name = "getAvailableModes")]
    fn available_modes(&self) -> PyResult<Vec<u32>> {
        Ok(self.env()?.game().modes().to_owned())
    }

    /// Chooses the mode; it takes effect with the next reset.
    #[pyo3(name = "setMode", signature = (mode, /))]
    fn set_mode(&mut self, mode: Unsigned) -> PyResult<()> {
        self.env_mut()?.set_mode(mode.0).map_err(to_py_err)
    }

    /// The difficulties of the game.
    #[pyo3(name = "getAvailableDifficulties")]
    fn available_difficulties(&self) -> PyResult<Vec<u32>> {
        Ok(self.env()?.game().difficulties().to_owned())
    }

    /// Chooses the difficulty; it takes effect with the next frame.
    #[pyo3(name = "setDifficulty", signature = (difficulty, /))]
    fn set_difficulty(&mut self, difficulty: Unsigned) -> PyResult<()> {
        self.env_mut()?.set_difficulty(difficulty.0).map_err(to_py_err)
    }

    /// All actions that are allowed.
    #[pyo3(name = "getLegalActionSet")]
    fn legal_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        action_list(py, self.env()?.game().legal_actions())
    }

    /// The actions that make a difference in the game.
    #[pyo3(name = "getMinimalActionSet")]
    fn minimal_actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        action_list(py, self.env()?.game().minimal_actions())
    }

    /// Frames since the ROM was loaded.
    #[pyo3(name = "getFrameNumber")]
    fn frame_number(&self) -> PyResult<u64> {
        Ok(self.env()?.frame_number())
    }

    /// Frames since the last reset.
    #[pyo3(name = "getEpisodeFrameNumber")]
    fn episode_frame_number(&self) -> PyResult<u64> {
        Ok(self.env()?.episode_frame_number())
    }

    /// Lives left.
    fn lives(&self) -> PyResult<i32> {
        Ok(self.env()?.lives())
    }

    /// Height and width of the screen.
    #[pyo3(name = "getScreenDims")]
    fn screen_dims(&self) -> PyResult<(usize, usize)> {
        Ok((self.env()?.height(), WIDTH))
    }

    /// The screen as palette indices, new or written into `buffer`.
    #[pyo3(name = "getScreen", signature = (buffer=Optional::Missing), text_signature = "($self, buffer=...)")]
    fn screen<'py>(&self, py: Python<'py>, buffer: Optional<'py>) -> Array<'py> {
        let env = self.env()?;
        let write = |out: &mut [u8]| out.copy_from_slice(env.screen());
        write_bytes(py, buffer, &[env.height(), WIDTH], Mismatch::Runtime, write)
    }

    /// The screen in colours, new or written into `buffer`.
    #[pyo3(name = "getScreenRGB", signature = (buffer=Optional::Missing), text_signature = "($self, buffer=...)")]
    fn screen_rgb<'py>(&self, py: Python<'py>, buffer: Optional<'py>) -> Array<'py> {
        let env = self.env()?;
        let write = |out: &mut [u8]| env.write_rgb(out);
        write_bytes(py, buffer, &[env.height(), WIDTH, 3], Mismatch::Runtime, write)
    }

    /// The screen in gray, new or written into `buffer`.
    #[pyo3(name = "getScreenGrayscale", signature = (buffer=Optional::Missing), text_signature = "($self, buffer=...)")]
    fn screen_grayscale<'py>(&self, py: Python<'py>, buffer: Optional<'py>) -> Array<'py> {
        let env = self.env()?;
        let write = |out: &mut [u8]| env.write_gray(out);
        write_bytes(py, buffer, &[env.height(), WIDTH], Mismatch::Runtime, write)
    }

    /// Red, green and blue of the 256 palette indices that `getScreen` gives.
    fn palette<'py>(&self, py: Python<'py>) -> Array<'py> {
        let palette = self.env()?.palette();
        let write = |out: &mut [u8]| out.copy_from_slice(palette.rgb.as_flattened());
        write_bytes(py, Optional::Missing, &[256, 3], Mismatch::Runtime, write)
    }

    /// Number of bytes of RAM.
    #[pyo3(name = "getRAMSize")]
    #[expect(clippy::unused_self, reason = "a method in the reference")]
    fn ram_size(&self) -> usize {
        RAM_LEN
    }

    /// The RAM, new or written into `buffer`.
    #[pyo3(name = "getRAM", signature = (buffer=Optional::Missing), text_signature = "($self, buffer=...)")]
    fn ram<'py>(&self, py: Python<'py>, buffer: Optional<'py>) -> Array<'py> {
        let env = self.env()?;
        write_bytes(py, buffer, &[RAM_LEN], Mismatch::Type, |out| out.copy_from_slice(env.ram()))
    }

    /// Writes one byte of RAM.
    #[pyo3(name = "setRAM", signature = (index, value, /))]
    fn set_ram(&mut self, index: Unsigned, value: Byte) -> PyResult<()> {
        if index.0 as usize >= RAM_LEN {
            return Err(PyRuntimeError::new_err("setRAM index out of bounds."));
        }
        self.env_mut()?.write_ram(index.0 as usize, value.0);
        Ok(())
    }

    /// Number of samples of sound that an act makes.
    #[pyo3(name = "getAudioSize")]
    fn audio_size(&self) -> PyResult<usize> {
        self.env().map(|_| SOUND_LEN)
    }

    /// The sound of the last act, new or written into `buffer`; zeros unless the option `sound_obs` is on.
    #[pyo3(name = "getAudio", signature = (buffer=Optional::Missing), text_signature = "($self, buffer=...)")]
    fn audio<'py>(&self, py: Python<'py>, buffer: Optional<'py>) -> Array<'py> {
        let env = self.env()?;
        write_bytes(py, buffer, &[SOUND_LEN], Mismatch::Type, |out| out.copy_from_slice(env.sound()))
    }

    /// The state of the game, with the generator of sticky actions if asked.
    #[pyo3(name = "cloneState", signature = (include_rng=Flag(false)), text_signature = "($self, include_rng=False)")]
    fn clone_state(&self, include_rng: Flag) -> PyResult<AleState> {
        Ok(AleState::of(self.env()?.save_state(include_rng.0)))
    }

    /// Continues from a state. Screen and sound are shown anew by the next act.
    #[pyo3(name = "restoreState", signature = (state, /))]
    fn restore_state(&mut self, state: &Bound<'_, PyAny>) -> PyResult<()> {
        let state = state_argument(state)?;
        self.env_mut()?.restore_state(state).map_err(to_py_err)
    }

    /// `cloneState(True)`.
    #[pyo3(name = "cloneSystemState")]
    fn clone_system_state(&self) -> PyResult<AleState> {
        self.clone_state(Flag(true))
    }

    /// `restoreState(state)`.
    #[pyo3(name = "restoreSystemState", signature = (state, /))]
    fn restore_system_state(&mut self, state: &Bound<'_, PyAny>) -> PyResult<()> {
        self.restore_state(state)
    }

    /// Everything at this moment, screen, sound and generator included.
    fn snapshot(&self) -> PyResult<Snapshot> {
        Ok(Snapshot::of(self.env()?))
    }

    /// Continues exactly where the snapshot was taken; unless asked not to, sticky actions too.
    #[pyo3(
        signature = (snapshot, /, *, include_rng=Flag(true)),
        text_signature = "($self, snapshot, /, *, include_rng=True)"
    )]
    fn restore(&mut self, snapshot: &Bound<'_, Snapshot>, include_rng: Flag) -> PyResult<()> {
        snapshot.get().restore(self.env_mut()?, include_rng.0)
    }

    /// Writes the screen to a PNG file, every pixel two wide.
    #[pyo3(name = "saveScreenPNG", signature = (path, /))]
    fn save_screen_png(&self, py: Python<'_>, path: Text<'_>) -> PyResult<()> {
        watch::save_png(py, path.0, self.env()?)
    }

    /// What the engine did since the ROM was loaded, by name: JIT bail-outs, interpreted instructions, cache hits.
    fn counters(&self) -> PyResult<Vec<(&'static str, u64)>> {
        Ok(self.env()?.console().counters().rows().to_vec())
    }

    /// Closes the window and the sound, if there are any; the game can go on without them.
    fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.watch.close(py)
    }

    /// Least level of messages that are written to stderr, in the whole process.
    #[staticmethod]
    #[pyo3(name = "setLoggerMode", signature = (mode, /))]
    fn set_logger_mode(mode: LogLevel) {
        logger::set_level(mode.0);
    }
}
