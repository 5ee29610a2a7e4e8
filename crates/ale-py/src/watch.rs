//! What looks at an interface while it acts: the recorder of screens, the window, the loudspeaker.

use std::path::PathBuf;

use ale_core::console::Television;
use ale_core::env::{Env, SOUND_LEN, Settings};
use numpy::{PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::logger::{Level, log};

/// Called before every frame of an act.
#[derive(Default)]
pub(crate) struct Watch {
    /// Where the next screens go and the number of the next one.
    recording: Option<(PathBuf, u32)>,
    /// `ale_rs.window.Window`, and what it was made with.
    window: Option<(Py<PyAny>, (usize, u32))>,
    /// `ale_rs.window.Speaker`, and what it was made with.
    speaker: Option<(Py<PyAny>, (u32, i32, String))>,
}

impl Watch {
    /// What the settings ask for. A window and a speaker that fit stay open.
    pub(crate) fn renew(&mut self, py: Python<'_>, settings: &Settings, env: &Env) -> PyResult<()> {
        let directory = settings.text("record_screen_dir");
        self.recording = (!directory.is_empty()).then(|| (PathBuf::from(directory), 0));
        if self.recording.is_some() {
            log(Level::Info, || format!("Recording screens to directory: {directory}"));
        }
        let rate = if matches!(env.console().television(), Television::Ntsc) { 60 } else { 50 };
        let window = (env.height(), rate);
        if self.window.as_ref().is_some_and(|(_, made_with)| *made_with != window) {
            close(py, self.window.take())?;
        }
        if settings.flag("display_screen") && self.window.is_none() {
            let object = py.import("ale_rs.window")?.getattr("Window")?.call1(window)?;
            self.window = Some((object.unbind(), window));
        }
        let speaker = (rate, settings.int("volume"), settings.text("record_sound_filename").to_owned());
        let new_file = !speaker.2.is_empty();
        if self.speaker.as_ref().is_some_and(|(_, made_with)| *made_with != speaker || new_file) {
            close(py, self.speaker.take())?;
        }
        if settings.flag("sound") && self.speaker.is_none() {
            let object = py.import("ale_rs.window")?.getattr("Speaker")?.call1(speaker.clone())?;
            self.speaker = Some((object.unbind(), speaker));
        }
        Ok(())
    }

    /// Whether there is no recording, window or loudspeaker.
    pub(crate) fn is_idle(&self) -> bool {
        self.recording.is_none() && self.window.is_none() && self.speaker.is_none()
    }

    /// Shows the environment as it is.
    pub(crate) fn look(&mut self, py: Python<'_>, env: &mut Env) -> PyResult<()> {
        if let Some((window, _)) = &self.window {
            window.call_method1(py, "show", (rgb(py, env)?,))?;
        }
        if let Some((speaker, _)) = &self.speaker {
            let mut samples = [0; SOUND_LEN];
            env.make_sound(&mut samples);
            speaker.call_method1(py, "play", (PyBytes::new(py, &samples),))?;
        }
        if let Some((directory, number)) = &mut self.recording {
            let path = directory.join(format!("{number:06}.png"));
            save_png(py, &path.to_string_lossy(), env)?;
            *number += 1;
        }
        Ok(())
    }

    /// Closes the window and the sound file.
    pub(crate) fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        close(py, self.window.take())?;
        close(py, self.speaker.take())
    }
}

fn close<T>(py: Python<'_>, open: Option<(Py<PyAny>, T)>) -> PyResult<()> {
    open.map_or(Ok(()), |(object, _)| object.call_method0(py, "close").map(|_| ()))
}

fn rgb<'py>(py: Python<'py>, env: &Env) -> PyResult<Bound<'py, PyArray3<u8>>> {
    let array = PyArray3::zeros(py, [env.height(), ale_core::frame::WIDTH, 3], false);
    env.write_rgb(array.readwrite().as_slice_mut()?);
    Ok(array)
}

/// Saves the screen, every pixel two wide. A file that cannot be written is a message, no exception.
pub(crate) fn save_png(py: Python<'_>, path: &str, env: &Env) -> PyResult<()> {
    let wide = rgb(py, env)?.call_method1("repeat", (2, 1))?;
    let file = py.import("pathlib")?.call_method1("Path", (path,))?;
    match py.import("ale_rs._png")?.call_method1("save", (file, wide)) {
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyOSError>(py) => {
            log(Level::Error, || format!("Could not write the screen to {path}: {error}"));
            Ok(())
        }
        result => result.map(|_| ()),
    }
}
