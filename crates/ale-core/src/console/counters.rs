//! What the engine did since a console was built: why a frame is slow.

/// Events of one console. They are no part of its state: copies and snapshots leave them alone.
///
/// The loops count in registers of their own and add to these once a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frame calls.
    pub frames: u64,
    /// Instructions of the 6507, those of rolled-back frames included.
    pub instructions: u64,
    /// Instructions that the JIT code left to the interpreter.
    pub bailouts: u64,
    /// Instructions that the threaded or the reference interpreter ran, bail-outs included.
    pub interpreted: u64,
    /// Frames that ran speculatively and were run again exactly.
    pub rolled_back_frames: u64,
    /// Frames that ran exactly, rolled-back frames included.
    pub exact_frames: u64,
    /// Rows of pictures that the scanline cache gave.
    pub scanline_cache_hits: u64,
    /// Resets in the middle of play.
    pub resets: u64,
    /// Those of them that the reset cache ended.
    pub reset_cache_hits: u64,
}

impl Counters {
    /// The counters by name, in the order in which they are shown.
    pub fn rows(&self) -> [(&'static str, u64); 9] {
        [
            ("frames", self.frames),
            ("instructions", self.instructions),
            ("JIT bail-outs", self.bailouts),
            ("interpreted instructions", self.interpreted),
            ("rolled-back frames", self.rolled_back_frames),
            ("exact frames", self.exact_frames),
            ("scanline-cache hits", self.scanline_cache_hits),
            ("resets", self.resets),
            ("reset-cache hits", self.reset_cache_hits),
        ]
    }
}
