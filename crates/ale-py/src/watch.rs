//! What looks at an interface while it acts: the recorder of screens, the window, the loudspeaker.

use std::path::PathBuf;

use ale_core::env::{Env, SOUND_LEN, Settings};
use numpy::{PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::logger::{Level, log};

/// Called before every frame of an act.
pub(crate) struct Watch {
    /// Where the next screens go and the number of the next one.
    recording: Option<(PathBuf, u32)>,
    /// `ale_rs.window.Window`, with a picture.
    window: Option<Py<PyAny>>,
    /// `ale_rs.window.Speaker`.
    speaker: Option<Py<PyAny>>,
}

impl Watch {
    /// What the settings ask for; `None` when nobody watches.
    pub(crate) fn new(py: Python<'_>, settings: &Settings, env: &Env) -> PyResult<Option<Self>> {
        let directory = settings.text("record_screen_dir");
        let recording = (!directory.is_empty()).then(|| (PathBuf::from(directory), 0));
        if let Some((directory, _)) = &recording {
            log(Level::Info, || format!("Recording screens to directory: {}", directory.display()));
        }
        let module = || py.import("ale_rs.window");
        let rate =
            if matches!(env.console().television(), ale_core::console::Television::Ntsc) { 60 } else { 50 };
        let window = settings
            .flag("display_screen")
            .then(|| module()?.getattr("Window")?.call1((env.height(), rate)).map(Bound::unbind))
            .transpose()?;
        let speaker = settings
            .flag("sound")
            .then(|| {
                let file = settings.text("record_sound_filename");
                let arguments = (rate, settings.int("volume"), (!file.is_empty()).then_some(file));
                module()?.getattr("Speaker")?.call1(arguments).map(Bound::unbind)
            })
            .transpose()?;
        let watched = recording.is_some() || window.is_some() || speaker.is_some();
        Ok(watched.then_some(Self { recording, window, speaker }))
    }

    /// Shows the environment as it is.
    pub(crate) fn look(&mut self, py: Python<'_>, env: &mut Env) -> PyResult<()> {
        if let Some(window) = &self.window {
            window.call_method1(py, "show", (rgb(py, env)?,))?;
        }
        if let Some(speaker) = &self.speaker {
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
    pub(crate) fn close(&self, py: Python<'_>) -> PyResult<()> {
        for object in [&self.window, &self.speaker].into_iter().flatten() {
            object.call_method0(py, "close")?;
        }
        Ok(())
    }
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
