//! Where in the image each KiB of the window lies, and which of its addresses are plain ROM.

use ale_jit::RomWindow;

/// A range of window offsets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    first: u16,
    len: u16,
}

impl Span {
    pub(super) const ALL: Self = Self::new(0, 0x1000);
    pub(super) const NONE: Self = Self::new(0, 0);

    /// The offsets from `first` up to, but not including, `end`.
    pub(super) const fn new(first: u16, end: u16) -> Self {
        Self { first, len: end - first }
    }

    #[inline(always)]
    pub(super) const fn has(self, address: u16) -> bool {
        (address & 0xFFF).wrapping_sub(self.first) < self.len
    }
}

/// Addresses `first .. first + len`, found in the image from `offset` on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stretch {
    pub(crate) first: u16,
    pub(crate) len: u16,
    pub(crate) offset: usize,
}

/// The parts of an image that are plain ROM wherever and whenever they are mapped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// Pieces of this many bytes are mapped as a whole.
    granule: usize,
    len: usize,
    /// What of a piece is plain, and what of the last one.
    each: Span,
    last: Span,
    /// A piece fills the window: whatever its program reads there is of the same piece.
    whole: bool,
    /// There are data fetchers at the begin of the window.
    pub(crate) has_fetchers: bool,
}

impl Plain {
    pub(super) const fn new(granule: usize, len: usize, each: Span, last: Span) -> Self {
        Self {
            granule,
            len: len / granule * granule,
            each,
            last,
            whole: granule == 0x1000,
            has_fetchers: false,
        }
    }

    pub(super) const fn none() -> Self {
        Self::new(0x1000, 0, Span::NONE, Span::NONE)
    }

    /// The same where A13 decides which piece is seen.
    pub(super) const fn not_whole(self) -> Self {
        Self { whole: false, ..self }
    }

    /// The same with data fetchers.
    pub(super) const fn with_fetchers(self) -> Self {
        Self { has_fetchers: true, ..self }
    }

    /// The begin of the piece around an offset of the image, if a program there sees nothing else in the window.
    pub(crate) fn bank(&self, offset: usize) -> Option<usize> {
        self.whole.then_some(offset / self.granule * self.granule)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether something of the image lies behind the piece around an offset, wherever it is mapped.
    pub(crate) fn is_followed(&self, offset: usize) -> bool {
        let piece = offset / self.granule * self.granule;
        let whole = piece..piece + self.granule;
        self.granule < 0x1000 && self.around(offset).is_some_and(|area| area == whole)
    }

    /// The plain part of the piece around an offset of the image, if the offset lies in it.
    pub(crate) fn around(&self, offset: usize) -> Option<std::ops::Range<usize>> {
        if offset >= self.len {
            return None;
        }
        let piece = offset / self.granule * self.granule;
        let span = if piece + self.granule == self.len { self.last } else { self.each };
        let first = piece + usize::from(span.first);
        let range = first..first + usize::from(span.len);
        range.contains(&offset).then_some(range)
    }
}

/// The plain part of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Map {
    /// Image offset of each KiB, indexed by A10 to A13.
    pub(super) base: [u32; 16],
    /// Reads here are ROM and have no effect.
    pub(super) reads: Span,
    /// Writes here have no effect.
    pub(super) writes: Span,
}

impl Map {
    pub(super) const fn new() -> Self {
        Self { base: [0; 16], reads: Span::NONE, writes: Span::NONE }
    }

    /// The byte of the image that is mapped at an address.
    #[inline(always)]
    pub(super) fn byte(&self, image: &[u8], address: u16) -> u8 {
        image[self.base[usize::from(address >> 10 & 15)] as usize + usize::from(address & 0x3FF)]
    }

    /// The largest stretch of addresses around `address` that lies in one piece in the image and is plain ROM.
    pub(super) fn stretch(&self, address: u16) -> Stretch {
        if address & 0x1000 == 0 || !self.reads.has(address) {
            return Stretch::default();
        }
        let window = address & !0xFFF;
        let base = |kib: u16| self.base[usize::from(window >> 10 & 15 | kib)];
        let own = address >> 10 & 3;
        let mut first = own;
        while first > 0 && base(first) == base(first - 1) + 0x400 {
            first -= 1;
        }
        let mut last = own;
        while last < 3 && base(last + 1) == base(last) + 0x400 {
            last += 1;
        }
        let from = (first * 0x400).max(self.reads.first);
        let to = ((last + 1) * 0x400).min(self.reads.first + self.reads.len);
        let len = to.saturating_sub(from);
        let offset = base(first) + u32::from(from) - u32::from(first) * 0x400;
        Stretch { first: window | from, len, offset: offset as usize }
    }

    /// The stretches by A10, A11 and A13, as JIT code looks for them.
    pub(super) fn windows(&self) -> [RomWindow; 12] {
        let mut windows = [RomWindow::default(); 12];
        for half in [0x1000, 0x3000] {
            let mut last = Stretch::default();
            for kib in 0..4 {
                let begin = half + kib * 0x400;
                let from = begin.max(half | self.reads.first);
                if from >= last.first + last.len {
                    last = if from < begin + 0x400 { self.stretch(from) } else { Stretch::default() };
                }
                let Stretch { first, len, offset } = last;
                windows[usize::from(begin >> 10 & 0b1011)] = RomWindow::new(first, len, offset);
            }
        }
        windows
    }

    /// Maps 4 KiB of the image into the whole window.
    pub(super) fn set_window(&mut self, offset: u32) {
        for kib in 0..4 {
            self.set_kib(kib, offset + 0x400 * kib as u32);
        }
    }

    /// Maps 2 KiB of the image into the lower (0) or upper (1) half of the window.
    pub(super) fn set_half(&mut self, half: usize, offset: u32) {
        self.set_kib(2 * half, offset);
        self.set_kib(2 * half + 1, offset + 0x400);
    }

    /// Maps 1 KiB of the image at window offset `kib` * $400.
    pub(super) fn set_kib(&mut self, kib: usize, offset: u32) {
        for mirror in [0, 4, 8, 12] {
            self.base[mirror + kib] = offset;
        }
    }

    /// Maps 4 KiB of the image into the window where A13 is 0.
    pub(super) fn set_window_without_a13(&mut self, offset: u32) {
        for kib in 0..8 {
            self.base[kib] = offset + 0x400 * (kib as u32 & 3);
        }
    }
}
