//! Memory for frames, taken chunk by chunk, and what can go wrong.

use super::Shape;

/// A mistake of the caller, or no memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number of the shape is not accepted.
    #[error("{name} is {value}; accepted: {accepted}")]
    Shape {
        /// Which number.
        name: &'static str,
        /// What came.
        value: usize,
        /// What is accepted.
        accepted: String,
    },
    /// A frame of another size.
    #[error("a frame of {got} bytes; this buffer stores frames of {wanted} bytes")]
    Frame {
        /// Bytes that came.
        got: usize,
        /// Bytes of a frame.
        wanted: usize,
    },
    /// No such stream.
    #[error("there is no stream {stream}; accepted: 0 to {}", streams - 1)]
    Stream {
        /// What came.
        stream: usize,
        /// Streams of the buffer.
        streams: usize,
    },
    /// A transition without a frame before it.
    #[error("stream {stream} has no episode under way; call begin() with its first frame first")]
    Order {
        /// The stream.
        stream: usize,
    },
    /// Nothing can be sampled yet.
    #[error("the buffer has no transition with all its frames yet; append() some first")]
    Empty,
    /// Rows of the batch do not fit together.
    #[error(
        "room for {frames} bytes of frames; these rows need {wanted}, and one action, reward, end and slot each"
    )]
    Batch {
        /// Bytes that came.
        frames: usize,
        /// Bytes that are needed.
        wanted: usize,
    },
    /// The system gives no more memory.
    #[error("no memory for {bytes} more bytes of the replay buffer")]
    Memory {
        /// What was asked for.
        bytes: usize,
    },
    /// A file cannot be read or written; the text says why.
    #[error("{0}")]
    File(String),
}

impl Shape {
    /// Checks all numbers.
    pub(super) fn check(self) -> Result<(), Error> {
        let refuse =
            |name, value, accepted: &str| Err(Error::Shape { name, value, accepted: accepted.to_owned() });
        if self.frame == 0 {
            return refuse("frame", 0, "1 byte and more");
        }
        if self.stack == 0 || self.stack > 64 {
            return refuse("stack", self.stack, "1 to 64");
        }
        if self.streams == 0 {
            return refuse("streams", 0, "1 and more");
        }
        let least = (self.stack + 2).saturating_mul(self.streams);
        if self.capacity < least {
            return refuse("capacity", self.capacity, &format!("{least} frames and more for this stack"));
        }
        if self.capacity.checked_mul(self.frame).is_none_or(|bytes| bytes > isize::MAX as usize) {
            return refuse("capacity", self.capacity, "as many frames as memory can address");
        }
        Ok(())
    }
}

/// A vector of zeros, or [`Error::Memory`]. The system gives the memory when it is written.
pub(super) fn zeros<T: Default + Clone>(len: usize) -> Result<Vec<T>, Error> {
    let memory = |_| Error::Memory { bytes: len.saturating_mul(size_of::<T>()) };
    // Only zeros that were not asked for one by one stay unwritten, and that way does not tell when there is no room.
    Vec::<T>::new().try_reserve_exact(len).map_err(memory)?;
    Ok(vec![T::default(); len])
}

/// Frames in a chunk.
const CHUNK: usize = 256;

/// Frames of equal size. A chunk is allocated when its first frame is written, and so is the list of chunks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Frames {
    len: usize,
    slots: usize,
    chunks: Vec<Vec<u8>>,
}

impl Frames {
    pub(super) fn new(slots: usize, len: usize) -> Self {
        Self { len, slots, chunks: Vec::new() }
    }

    pub(super) fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::len).sum()
    }

    pub(super) fn write(&mut self, slot: usize, frame: &[u8]) -> Result<(), Error> {
        if self.chunks.len() <= slot / CHUNK {
            self.chunks.resize(slot / CHUNK + 1, Vec::new());
        }
        let chunk = &mut self.chunks[slot / CHUNK];
        if chunk.is_empty() {
            let frames = CHUNK.min(self.slots - slot / CHUNK * CHUNK);
            *chunk = zeros(frames * self.len)?;
        }
        chunk[slot % CHUNK * self.len..][..self.len].copy_from_slice(frame);
        Ok(())
    }

    /// The frame of a slot that was written.
    pub(super) fn read(&self, slot: usize) -> &[u8] {
        &self.chunks[slot / CHUNK][slot % CHUNK * self.len..][..self.len]
    }
    /// `count` frames from `slot` on, if they lie side by side.
    pub(super) fn read_run(&self, slot: usize, count: usize) -> Option<&[u8]> {
        let place = slot % CHUNK;
        (place + count <= CHUNK).then(|| &self.chunks[slot / CHUNK][place * self.len..][..count * self.len])
    }
}
