//! A sub-environment as bytes and back.

use super::batch::Facts;
use super::past::{Kept, Past};
use super::snapshot::{Reader, damaged};
use super::sub::{Sub, Workspace};
use super::view::View;
use crate::error::Error;
use crate::frame::WIDTH;
use crate::rng::Mt19937;

impl Sub {
    /// All that makes a difference later.
    pub(super) fn into_bytes(mut self, work: &mut Workspace) -> Vec<u8> {
        // The pictures have to be there to be written.
        if let Past::Replay(_) = self.past {
            let now = self.env.moment();
            let kept = self.play_again(work);
            self.env.go_to(&now);
            self.past = Past::Kept(Box::new(kept));
        }
        let env = self.show(work, |env| env.snapshot().to_bytes());
        let mut out = Vec::new();
        part(&mut out, &env);
        if let Past::Kept(kept) = &self.past {
            part(&mut out, &kept.last);
            part(&mut out, kept.before.as_deref().unwrap_or(&[]));
        }
        let stack = match &self.view {
            View::Frames { stack, .. } => {
                let mut frames = vec![0; stack.len()];
                stack.write(&mut frames);
                frames
            }
            _ => Vec::new(),
        };
        part(&mut out, &stack);
        let (words, next) = self.idle.parts();
        out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        out.extend(next.to_le_bytes());
        let flags = [self.over, self.continues, self.broken];
        out.extend(flags.map(u8::from));
        out.extend(self.elapsed.to_le_bytes());
        out.extend(self.lives.to_le_bytes());
        out.extend(self.episode_return.to_le_bytes());
        out.extend(self.facts.raw_reward.to_le_bytes());
        out.extend(self.facts.episode_length.to_le_bytes());
        out
    }

    /// Continues where [`Sub::into_bytes`] was.
    pub(super) fn restore_bytes(&mut self, bytes: &[u8], work: &mut Workspace) -> Result<(), Error> {
        let mut reader = Reader(bytes);
        let env = reader.part()?;
        let mut kept = Kept { picture: work.spare.take(self.height), ..Kept::default() };
        self.env.swap_picture(&mut kept.picture);
        let restored = self.env.restore_bytes(env);
        self.view.keep_screen(&self.env);
        self.env.swap_picture(&mut kept.picture);
        restored?;
        kept.last = reader.part()?.to_vec();
        let before = reader.part()?;
        kept.before = (!before.is_empty()).then(|| before.to_vec());
        let screen = self.height * WIDTH;
        if kept.last.len() != screen || ![0, screen].contains(&before.len()) {
            return Err(damaged());
        }
        self.past = Past::Kept(Box::new(kept));
        let frames = reader.part()?;
        if let View::Frames { stack, .. } = &mut self.view {
            stack.read(frames).then_some(()).ok_or_else(damaged)?;
        }
        let mut words = [0; 624];
        for word in &mut words {
            *word = u32::from_le_bytes(reader.array()?);
        }
        self.idle = Mt19937::from_parts(words, u32::from_le_bytes(reader.array()?));
        [self.over, self.continues, self.broken] = reader.array::<3>()?.map(|flag| flag != 0);
        self.elapsed = i64::from_le_bytes(reader.array()?);
        self.lives = i32::from_le_bytes(reader.array()?);
        self.episode_return = f64::from_le_bytes(reader.array()?);
        self.facts = Facts {
            raw_reward: i32::from_le_bytes(reader.array()?),
            episode_length: i32::from_le_bytes(reader.array()?),
            ..Facts::default()
        };
        reader.0.is_empty().then_some(()).ok_or_else(damaged)
    }

    /// Whether another one can take this one's place.
    pub(super) fn check_like(&self, other: &Self) -> Result<(), Error> {
        let same_game =
            self.env.rom() == other.env.rom() && self.env.game().identity() == other.env.game().identity();
        if !same_game {
            return Err(Error::State(format!(
                "the snapshot is of \"{}\", the sub-environment plays \"{}\"",
                other.env.game().identity(),
                self.env.game().identity()
            )));
        }
        let same_view = match (&self.view, &other.view) {
            (View::Frames { resize: a, stack: s, .. }, View::Frames { resize: b, stack: t, .. }) => {
                a.target() == b.target() && s.len() == t.len()
            }
            (View::Screen { color: a, .. }, View::Screen { color: b, .. }) => a == b,
            (View::Ram, View::Ram) => true,
            _ => false,
        };
        if same_view {
            return Ok(());
        }
        Err(Error::State("the snapshot has observations of another kind or size".to_owned()))
    }
}

fn part(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u64).to_le_bytes());
    out.extend_from_slice(bytes);
}
