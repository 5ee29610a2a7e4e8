//! A sub-environment as bytes and back.

use ale_batch::Error;
use ale_sim::bytes::{Reader, Writer, damaged};

use super::atari::{Atari, Workspace};
use super::pictures::{Pictures, Stored};
use super::view::View;
use crate::frame::WIDTH;
use crate::rng::Mt19937;

impl Atari {
    /// All that makes a difference later.
    pub(super) fn into_bytes(mut self, workspace: &mut Workspace) -> Vec<u8> {
        // The pictures have to be there to be written.
        if let Pictures::Replay(_) = self.pictures {
            let now = self.env.moment();
            let stored = self.play_again(workspace);
            self.env.go_to(&now);
            self.pictures = Pictures::Stored(Box::new(stored));
        }
        let mut out = Writer::new();
        out.part(&self.show(workspace, |env| env.snapshot().to_bytes()));
        if let Pictures::Stored(stored) = &self.pictures {
            out.part(&stored.last);
            out.part(stored.before.as_deref().unwrap_or(&[]));
        }
        let mut frames = Vec::new();
        if let View::Frames { stack, .. } = &self.view {
            frames.resize(stack.len(), 0);
            stack.write(&mut frames);
        }
        out.part(&frames);
        let (words, next) = self.noops.parts();
        for &word in words {
            out.u32(word);
        }
        out.u32(next).flag(self.continues);
        out.i64(self.elapsed).i32(self.lives).f64(self.episode_return);
        out.i32(self.raw_reward).i32(self.episode_length);
        if let Some(wrapped) = &self.wrapped {
            wrapped.write(&mut out);
        }
        out.finish()
    }

    /// Goes on where [`Atari::into_bytes`] was.
    pub(super) fn read_bytes(&mut self, bytes: &[u8], workspace: &mut Workspace) -> Result<(), Error> {
        let mut reader = Reader::new(bytes);
        let env = reader.part()?;
        let mut stored = Stored { picture: workspace.pictures.take(self.height), ..Stored::default() };
        self.env.swap_picture(&mut stored.picture);
        let restored = self.env.restore_bytes(env);
        self.view.keep_screen(&self.env);
        self.env.swap_picture(&mut stored.picture);
        restored?;
        stored.last = reader.part()?.to_vec();
        let before = reader.part()?;
        stored.before = (!before.is_empty()).then(|| before.to_vec());
        let screen = self.height * WIDTH;
        if stored.last.len() != screen || ![0, screen].contains(&before.len()) {
            return Err(damaged());
        }
        self.pictures = Pictures::Stored(Box::new(stored));
        let frames = reader.part()?;
        match &mut self.view {
            View::Frames { stack, .. } => stack.read(frames).then_some(()).ok_or_else(damaged)?,
            _ if frames.is_empty() => {}
            _ => return Err(damaged()),
        }
        let mut words = [0; 624];
        for word in &mut words {
            *word = reader.u32()?;
        }
        self.noops = Mt19937::from_parts(words, reader.u32()?);
        self.continues = reader.flag()?;
        self.elapsed = reader.i64()?;
        self.lives = reader.i32()?;
        self.episode_return = reader.f64()?;
        self.raw_reward = reader.i32()?;
        self.episode_length = reader.i32()?;
        if let Some(wrapped) = &mut self.wrapped {
            wrapped.read(&mut reader, screen)?;
        }
        reader.finish()
    }
}
