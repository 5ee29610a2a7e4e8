//! Checkpoints: a trial between two episodes as a file.
//!
//! The file is written beside its place and renamed, so that a killed process leaves the old one as it was.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use ale_core::Error;
use ale_sim::bytes::{Reader, Writer, seal, unseal};

use super::Trial;

const KIND: [u8; 8] = *b"ALETRIAL";
const VERSION: u32 = 2;

fn at(path: &Path, what: impl std::fmt::Display) -> Error {
    Error::State(format!("{}: {what}", path.display()))
}

/// A checkpoint that has been read and not yet been loaded.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    bytes: Vec<u8>,
    identity: String,
    progress: String,
}

impl Checkpoint {
    /// Reads a file and checks that nothing in it was changed.
    ///
    /// # Errors
    /// [`Error::State`] with path and reason.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|error| at(path, error))?;
        let found = || {
            let mut reader = Reader::new(unseal(KIND, VERSION, &bytes)?);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Ok((text(reader.part()?), text(reader.part()?)))
        };
        let (identity, progress) = found().map_err(|error: ale_sim::Error| at(path, error))?;
        Ok(Self { path: path.to_owned(), bytes, identity, progress })
    }

    /// The text that says of which trial it is.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// The text that says how far the trial had come.
    pub fn progress(&self) -> &str {
        &self.progress
    }
}

impl Trial {
    /// Writes the trial between two episodes, with two texts of the caller: of which trial this is and how far it has
    /// come.
    ///
    /// # Errors
    /// When an episode was given up in its middle, or the file cannot be written; an older one is still there then.
    pub fn save(&self, path: &Path, identity: &str, progress: &str) -> Result<(), Error> {
        if self.broken {
            return Err(Error::Order("a trial can be saved between two episodes only".to_owned()));
        }
        let mut out = Writer::new();
        out.part(identity.as_bytes()).part(progress.as_bytes()).part(&self.env.snapshot().to_bytes());
        self.agent.save(&mut out);
        let bytes = seal(KIND, VERSION, &out.finish());
        let beside = path.with_extension("tmp");
        let write = || {
            let mut file = File::create(&beside)?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            std::fs::rename(&beside, path)
        };
        write().map_err(|error| {
            let _ = std::fs::remove_file(&beside);
            at(path, error)
        })
    }

    /// Goes on from a checkpoint of a trial that was made with the same arguments.
    ///
    /// # Errors
    /// [`Error::State`] with path and reason when it is of another game, or its content makes no sense. The trial cannot go on then.
    pub fn load(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        self.broken = true;
        self.read(&checkpoint.bytes).map_err(|error| at(&checkpoint.path, error))?;
        self.broken = false;
        Ok(())
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let read = |error: ale_sim::Error| Error::State(error.to_string());
        let mut reader = Reader::new(unseal(KIND, VERSION, bytes).map_err(read)?);
        reader.part().and_then(|_| reader.part()).map_err(read)?;
        let env = reader.part().map_err(read)?;
        self.env.restore_bytes(env)?;
        self.agent.load(&mut reader).map_err(read)?;
        reader.finish().map_err(read)
    }
}
