//! Slots: the entries of the scanline cache, one for each row of the picture.

use ale_jit::TiaWrite;

use super::super::object;
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::super::registers::*;
use super::bits::{self, Byte, NONE, Registers};
use super::effects::{ALWAYS, AT_END, EFFECTS, SHOWING, one_of};

/// Lines with more writes are not cached.
pub(super) const MAX_WRITES: usize = 12;
/// So many misses in a row are counted, and so often a line is left alone at most.
const MAX_MISSES: u8 = 10;
pub(super) const MAX_SLOT_BACKOFF: u8 = 15;
/// Exponential backoff: if most lines of so many frames were misses, the cache is not used for a while, and for twice as
/// long each time.
const TRIAL_FRAMES: u32 = 8;
const MIN_BACKOFF: u32 = 16;
const MAX_BACKOFF: u32 = 512;

/// Lines and their writes.
// Small, since all slots together are about as large as the first-level data cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// The registers at its begin and after it.
    pub(super) begin: Registers,
    pub(super) end: Registers,
    /// The writes: see [`key`].
    pub(super) writes: [u32; MAX_WRITES],
    /// A unique number, new with each recording.
    pub(super) id: u32,
    /// 0 for an empty slot.
    pub(super) lines: u16,
    /// The latches that are set on these lines; `known` are those that were open when they were recorded.
    pub(super) set: u16,
    pub(super) known: u16,
    /// Its [`Class`], and whether that is certain.
    pub(super) class: u8,
    pub(super) classified: bool,
    pub(super) count: u8,
    /// The clock of the last HMOVE, 0 for none.
    pub(super) hmove: u8,
    /// Misses in a row, and how many more lines are not recorded for that.
    pub(super) misses: u8,
    pub(super) backoff: u8,
    pub(super) moves_late: bool,
    /// The objects that the lines show, and the registers of the chip that are written to.
    pub(super) shown: u8,
    pub(super) written: u64,
}

pub(super) const EMPTY_SLOT: Slot = Slot {
    begin: NONE,
    end: NONE,
    writes: [0; MAX_WRITES],
    id: 0,
    lines: 0,
    set: 0,
    known: 0,
    class: 0,
    classified: false,
    count: 0,
    hmove: 0,
    misses: 0,
    backoff: 0,
    moves_late: false,
    shown: 0,
    written: 0,
};

/// What many lines have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    /// What the others are derived from: see [`Slot::class_key`].
    pub(super) key: [u64; 2],
    /// The registers that matter to the lines, and those that they set.
    pub(super) uses: Registers,
    pub(super) sets: Registers,
}

/// With more classes than this, all are dropped.
const MAX_CLASSES: usize = 128;

/// The scanline cache of a picture.
#[derive(Debug)]
pub(crate) struct ScanlineCache {
    /// By row of the picture.
    pub(super) slots: Vec<Slot>,
    pub(super) classes: Vec<Class>,
    pub(super) last_id: u32,
    /// The last line of the picture is another one than that of a higher picture.
    pub(super) height: i32,
    /// Slots that were hits, and misses.
    pub(super) hits: u32,
    pub(super) missed: u32,
    /// Frames in which that was counted; and how many frames more the cache is not used.
    pub(super) tried: u32,
    pub(super) backoff: u32,
    next_backoff: u32,
}

impl ScanlineCache {
    pub(crate) fn new(rows: usize) -> Self {
        let classes = Vec::with_capacity(MAX_CLASSES);
        Self {
            slots: vec![EMPTY_SLOT; rows],
            classes,
            last_id: 0,
            height: 0,
            hits: 0,
            missed: 0,
            tried: 0,
            backoff: 0,
            next_backoff: MIN_BACKOFF,
        }
    }

    pub(crate) fn set_height(&mut self, height: i32) {
        if height != self.height {
            self.height = height;
            self.slots.fill(EMPTY_SLOT);
        }
    }

    /// Whether a frame that begins uses the cache.
    pub(crate) fn begin(&mut self) -> bool {
        if self.backoff > 0 {
            self.backoff -= 1;
            return false;
        }
        true
    }

    pub(super) fn end(&mut self) {
        self.tried += 1;
        if self.tried == TRIAL_FRAMES {
            if 2 * self.hits < self.missed {
                self.backoff = self.next_backoff;
                self.next_backoff = (2 * self.next_backoff).min(MAX_BACKOFF);
            } else {
                self.next_backoff = MIN_BACKOFF;
            }
            (self.tried, self.hits, self.missed) = (0, 0, 0);
        }
    }

    /// The class of a row.
    #[inline(never)]
    pub(super) fn classify(&mut self, row: usize) {
        let key = self.slots[row].class_key();
        self.slots[row].classified = true;
        // It is often that of the slot before, or of the line above.
        let above = self.slots[row.saturating_sub(1)].class;
        for class in [self.slots[row].class, above] {
            if self.classes.get(usize::from(class)).is_some_and(|class| class.key == key) {
                self.slots[row].class = class;
                return;
            }
        }
        let known = self.classes.iter().position(|class| class.key == key);
        let class = known.unwrap_or_else(|| {
            if self.classes.len() == MAX_CLASSES {
                self.classes.clear();
                self.slots.iter_mut().for_each(|slot| slot.classified = false);
                self.slots[row].classified = true;
            }
            self.classes.push(self.slots[row].to_class(key));
            self.classes.len() - 1
        });
        self.slots[row].class = class as u8;
    }

    /// Whether there may be no new numbers left.
    pub(crate) fn is_out_of_ids(&self) -> bool {
        self.last_id > u32::MAX / 2
    }

    pub(super) fn new_id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }
}

/// A write as it is cached: value, register, cycles since the line began. More cycles than fit in do not pass in a frame.
#[inline(always)]
pub(super) fn key(write: TiaWrite, cycles: u32) -> u32 {
    u32::from(write.value()) | u32::from(write.register()) << 8 | write.now().wrapping_sub(cycles) << 14
}

#[inline(always)]
pub(super) fn of_key(key: u32, cycles: u32) -> TiaWrite {
    TiaWrite::new((key >> 8) as u8 & 63, key as u8, cycles.wrapping_add(key >> 14))
}

/// What decides about the class of a slot, beside the writes.
mod class_bits {
    /// Bits 0 to 4: the objects that are shown. Then those that an HMOVE may move.
    pub(super) const MOVED: u64 = 5;
    /// Playfield and players have the same colours.
    pub(super) const SCORE: u64 = 1 << 10;
    /// Delayed graphics, or the delayed ball, are not the same as others.
    pub(super) const GRAPHICS: u64 = 1 << 11;
    pub(super) const BALL: u64 = 1 << 12;
    /// There is something that has the colour of the playfield.
    pub(super) const FIELD: u64 = 1 << 13;
}

impl Slot {
    /// After a miss: whether to record the new line. A single miss may be an exception, and slots that always miss back off
    /// exponentially.
    pub(super) fn should_record(&mut self) -> bool {
        if self.backoff > 0 {
            self.backoff -= 1;
            return false;
        }
        if self.lines == 0 {
            return true;
        }
        self.misses += 1;
        if self.misses % 2 == 1 {
            self.backoff = (1 << (self.misses / 2)) - 1;
            return false;
        }
        self.misses = self.misses.min(MAX_MISSES - 2);
        true
    }

    fn class_key(&self) -> [u64; 2] {
        let is = |byte: Byte| self.begin[byte.0] & byte.1 != 0;
        let of = |is: bool, class_bits: u64| if is { class_bits } else { 0 };
        let mut key = u64::from(self.shown & 31)
            | of(self.begin[0] & bits::SCORE != 0, class_bits::SCORE)
            | of((self.begin[1] >> 48) as u16 != (self.begin[1] >> 32) as u16, class_bits::GRAPHICS)
            | of(is(bits::ENABL) != is(bits::ENABL_DELAYED), class_bits::BALL);
        let field = is(bits::PLAYFIELD) || self.written & one_of(&[PF0, PF1, PF2]) != 0;
        key |= of(field || self.shown & object::BL != 0, class_bits::FIELD);
        if self.hmove != 0 {
            let told = self.written >> HMP0 & 31;
            let moving = (0..5).fold(told, |moving, i| moving | u64::from(is(bits::MOTION[i])) << i);
            key |= if self.moves_late { 31 } else { moving } << class_bits::MOVED;
        }
        [self.written, key]
    }

    /// Which registers matter to the lines, and which they set.
    fn to_class(self, key: [u64; 2]) -> Class {
        let [mut written, others] = key;
        let mut sets = AT_END;
        let mut uses = ALWAYS;
        while written != 0 {
            let effect = &EFFECTS[written.trailing_zeros() as usize];
            written &= written - 1;
            for i in 0..6 {
                sets[i] |= effect.sets[i];
                uses[i] |= effect.uses[i];
            }
        }
        let showing = &SHOWING[usize::from(self.shown & 31)];
        for i in 0..6 {
            uses[i] |= showing[i];
        }
        let mut also = |is: u64, byte: Byte| {
            if others & is != 0 {
                uses[byte.0] |= byte.1;
            }
        };
        for n in 0..2 {
            also(class_bits::SCORE, bits::COLORS[n]);
            // Delayed graphics are the same as others unless there are others.
            also(class_bits::GRAPHICS, bits::VDELP[n]);
        }
        also(class_bits::BALL, bits::VDELBL);
        also(class_bits::FIELD, bits::COLORS[2]);
        for (i, (word, bits)) in bits::POSITIONS.into_iter().enumerate() {
            also(1 << (class_bits::MOVED + i as u64), (word, bits));
            if others >> (class_bits::MOVED + i as u64) & 1 != 0 {
                sets[word] |= bits;
            }
        }
        Class { key, uses, sets }
    }
}
