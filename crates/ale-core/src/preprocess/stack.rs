//! The last few frames an agent sees, oldest first.

/// A ring of frames: a push overwrites the oldest, nothing is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stack {
    bytes: Box<[u8]>,
    frame_len: usize,
    /// Where the oldest frame begins; the next push goes there.
    oldest: usize,
}

impl Stack {
    /// `frames` frames of `frame_len` bytes, all zero. Neither may be 0.
    pub fn new(frames: usize, frame_len: usize) -> Self {
        Self { bytes: vec![0; frames * frame_len].into(), frame_len, oldest: 0 }
    }

    /// Makes all frames zero.
    pub fn clear(&mut self) {
        self.bytes.fill(0);
    }

    /// Drops the oldest frame and gives its place, to be filled with the newest one.
    pub fn push(&mut self) -> &mut [u8] {
        let at = self.oldest;
        self.oldest = (at + self.frame_len) % self.bytes.len();
        &mut self.bytes[at..][..self.frame_len]
    }

    /// Drops the oldest frame and repeats the newest one.
    pub fn push_again(&mut self) {
        let newest = (self.oldest + self.bytes.len() - self.frame_len) % self.bytes.len();
        let at = self.oldest;
        self.bytes.copy_within(newest..newest + self.frame_len, at);
        self.oldest = (at + self.frame_len) % self.bytes.len();
    }

    /// The newest frame.
    pub fn newest(&self) -> &[u8] {
        let at = (self.oldest + self.bytes.len() - self.frame_len) % self.bytes.len();
        &self.bytes[at..][..self.frame_len]
    }

    /// Makes all frames but the newest one zero.
    pub fn forget(&mut self) {
        for _ in 1..self.bytes.len() / self.frame_len {
            self.push().fill(0);
        }
        // Around the ring: the place of the newest frame is the oldest again.
        self.oldest = (self.oldest + self.frame_len) % self.bytes.len();
    }

    /// Makes every frame a copy of the newest one.
    pub fn fill(&mut self) {
        for _ in 1..self.bytes.len() / self.frame_len {
            self.push_again();
        }
    }

    /// Bytes of all frames.
    #[expect(clippy::len_without_is_empty, reason = "a stack has at least one frame")]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Takes all frames, oldest first. `false` when they are of another size; nothing has changed then.
    pub fn read(&mut self, frames: &[u8]) -> bool {
        let fits = frames.len() == self.bytes.len();
        if fits {
            self.bytes.copy_from_slice(frames);
            self.oldest = 0;
        }
        fits
    }

    /// Writes all frames, oldest first.
    pub fn write(&self, out: &mut [u8]) {
        let (newer, older) = self.bytes.split_at(self.oldest);
        out[..older.len()].copy_from_slice(older);
        out[older.len()..].copy_from_slice(newer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(stack: &Stack) -> Vec<u8> {
        let mut out = vec![9; stack.bytes.len()];
        stack.write(&mut out);
        out
    }

    #[test]
    fn frames_come_out_oldest_first() {
        let mut stack = Stack::new(3, 2);
        assert_eq!(seen(&stack), [0; 6]);
        for value in 1..=4 {
            stack.push().fill(value);
        }
        assert_eq!(seen(&stack), [2, 2, 3, 3, 4, 4]);
        stack.push_again();
        assert_eq!(seen(&stack), [3, 3, 4, 4, 4, 4]);
        stack.push().fill(7);
        stack.fill();
        assert_eq!(seen(&stack), [7; 6]);
        stack.clear();
        assert_eq!(seen(&stack), [0; 6]);
        for value in 1..=2 {
            stack.push().fill(value);
        }
        assert_eq!(stack.newest(), [2; 2]);
        stack.forget();
        assert_eq!(seen(&stack), [0, 0, 0, 0, 2, 2]);
        stack.push().fill(3);
        assert_eq!(seen(&stack), [0, 0, 2, 2, 3, 3]);
    }

    #[test]
    fn a_stack_of_one_is_the_newest_frame() {
        let mut stack = Stack::new(1, 2);
        stack.push().fill(5);
        stack.push_again();
        assert_eq!(seen(&stack), [5, 5]);
    }
}
