//! A buffer as a file: a header, the numbers, the frames that are stored, and a checksum over everything.
//!
//! The file is written beside its place and renamed, so that a killed process leaves the old one as it was.

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;

use super::{Error, Padding, Replay, Shape};
use ale_sim::rng::Xoshiro256;
use crc32fast::Hasher;

const MAGIC: &[u8; 8] = b"ALEREPLY";
const VERSION: u32 = 1;

/// Bytes of a slot's numbers.
const NUMBERS: u64 = 9;
/// Bytes of numbers that a buffer may have however few of its frames are in a file.
const LITTLE: u64 = 1 << 30;
/// More frames than a stream can ever have written.
const COUNTED: u64 = 1 << 60;

fn problem(path: &Path, what: impl std::fmt::Display) -> Error {
    Error::File(format!("{}: {what}", path.display()))
}

/// Writes and sums.
struct Sink<W> {
    file: W,
    sum: Hasher,
}

impl<W: Write> Sink<W> {
    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.sum.update(bytes);
        self.file.write_all(bytes)
    }

    fn number(&mut self, number: u64) -> std::io::Result<()> {
        self.put(&number.to_le_bytes())
    }
}

/// Reads and sums.
struct Source<R> {
    file: R,
    sum: Hasher,
}

impl<R: Read> Source<R> {
    fn fill(&mut self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.file.read_exact(bytes)?;
        self.sum.update(bytes);
        Ok(())
    }

    fn number(&mut self) -> std::io::Result<u64> {
        let mut bytes = [0; 8];
        self.fill(&mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }
}

impl Replay {
    /// Writes everything, the generator included.
    ///
    /// # Errors
    /// [`Error::File`] with the path and the reason.
    pub fn save(&self, path: &Path) -> Result<(), Error> {
        let mut name = path.as_os_str().to_owned();
        name.push(".part");
        let part = Path::new(&name);
        let write = || -> std::io::Result<()> {
            let mut sink = Sink { file: BufWriter::new(File::create(part)?), sum: Hasher::new() };
            self.write(&mut sink)?;
            let sum = sink.sum.finalize();
            sink.file.write_all(&sum.to_le_bytes())?;
            sink.file.into_inner()?.sync_all()?;
            std::fs::rename(part, path)
        };
        write().map_err(|error| problem(path, error))
    }

    /// What [`Replay::save`] writes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut sink = Sink { file: Vec::new(), sum: Hasher::new() };
        // A vector takes all bytes.
        let _ = self.write(&mut sink);
        sink.file.extend(sink.sum.finalize().to_le_bytes());
        sink.file
    }

    fn write<W: Write>(&self, sink: &mut Sink<W>) -> std::io::Result<()> {
        sink.put(MAGIC)?;
        sink.put(&VERSION.to_le_bytes())?;
        let shape = self.shape;
        let numbers = [shape.capacity, shape.frame, shape.stack, shape.streams];
        for number in numbers {
            sink.number(number as u64)?;
        }
        sink.number(u64::from(shape.padding == Padding::First))?;
        for word in self.rng.words() {
            sink.number(word)?;
        }
        for stream in 0..shape.streams {
            let written = self.rings[stream].written;
            sink.number(written)?;
            for number in written - self.stored(stream)..written {
                let slot = self.slot(stream, number);
                sink.put(&[self.flags[slot]])?;
                sink.put(&self.actions[slot].to_le_bytes())?;
                sink.put(&self.rewards[slot].to_le_bytes())?;
                sink.put(self.frames.read(slot))?;
            }
        }
        Ok(())
    }

    /// Reads a buffer that [`Replay::save`] has written.
    ///
    /// # Errors
    /// [`Error::File`] with the path and the reason: another kind of file, another version, damage.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| problem(path, error))?;
        let size = file.metadata().map_err(|error| problem(path, error))?.len();
        Self::read(BufReader::new(file), size, path)
    }

    /// Reads what would be in such a file.
    ///
    /// # Errors
    /// As [`Replay::load`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::read(bytes, bytes.len() as u64, Path::new("bytes"))
    }

    fn read(file: impl Read, size: u64, path: &Path) -> Result<Self, Error> {
        let mut source = Source { file, sum: Hasher::new() };
        let cut = |_| problem(path, "the file ends too early; it was cut");
        let (mut magic, mut version) = ([0; 8], [0; 4]);
        source.fill(&mut magic).map_err(cut)?;
        source.fill(&mut version).map_err(cut)?;
        if magic != *MAGIC {
            return Err(problem(path, "not a replay buffer of ale_rs"));
        }
        if version != VERSION.to_le_bytes() {
            let version = u32::from_le_bytes(version);
            return Err(problem(path, format!("version {version} of the format; accepted: {VERSION}")));
        }
        let mut numbers = [0_u64; 9];
        for number in &mut numbers {
            *number = source.number().map_err(cut)?;
        }
        let [capacity, frame, stack, streams, padding, words @ ..] = numbers;
        let damaged = || problem(path, "damaged: a number is out of range");
        let whole = |number: u64| usize::try_from(number).map_err(|_| damaged());
        let shape = Shape {
            capacity: whole(capacity)?,
            frame: whole(frame)?,
            stack: whole(stack)?,
            streams: whole(streams)?,
            padding: if padding == 1 { Padding::First } else { Padding::Zeros },
        };
        shape.check().map_err(|error| problem(path, format!("damaged: {error}")))?;
        // Before memory is taken: numbers beyond the file's own size are damage.
        let numbers = capacity.saturating_mul(NUMBERS) > LITTLE.max(size.saturating_mul(64));
        if padding > 1 || streams.saturating_mul(8) > size || numbers {
            return Err(damaged());
        }
        let mut replay = Self::new(shape, 0)?;
        replay.rng = Xoshiro256::from_words(words).ok_or_else(damaged)?;
        replay.read_streams(&mut source, path, size)?;
        let sum = source.sum.clone().finalize();
        let mut stored = [0; 4];
        source.file.read_exact(&mut stored).map_err(cut)?;
        if stored != sum.to_le_bytes() || source.file.read(&mut [0]).map_err(cut)? != 0 {
            return Err(problem(path, "damaged: the checksum does not match"));
        }
        Ok(replay)
    }

    fn read_streams<R: Read>(&mut self, source: &mut Source<R>, path: &Path, size: u64) -> Result<(), Error> {
        let cut = |_| problem(path, "the file ends too early; it was cut");
        let mut frame =
            super::store::zeros(self.shape.frame.min(usize::try_from(size).unwrap_or(usize::MAX)))?;
        if frame.len() != self.shape.frame {
            return Err(problem(path, "damaged: a number is out of range"));
        }
        for stream in 0..self.shape.streams {
            let written = source.number().map_err(cut)?;
            if written >= COUNTED {
                return Err(problem(path, "damaged: a number is out of range"));
            }
            self.rings[stream].written = written;
            for number in written - self.stored(stream)..written {
                let slot = self.slot(stream, number);
                let (mut flags, mut action, mut reward) = ([0], [0; 4], [0; 4]);
                for number in [&mut flags[..], &mut action, &mut reward] {
                    source.fill(number).map_err(cut)?;
                }
                source.fill(&mut frame).map_err(cut)?;
                self.frames.write(slot, &frame)?;
                self.flags[slot] = flags[0];
                self.actions[slot] = i32::from_le_bytes(action);
                self.rewards[slot] = f32::from_le_bytes(reward);
                self.transitions += usize::from(flags[0] & super::LEAVES != 0);
            }
            // A transition leads to a frame that is there.
            if self.newest(stream)?.is_some_and(|newest| self.flags[newest] & super::LEAVES != 0) {
                return Err(problem(path, "damaged: the newest frame leads to another one"));
            }
        }
        Ok(())
    }
}
