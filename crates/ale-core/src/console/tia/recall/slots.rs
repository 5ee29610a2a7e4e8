//! Slots: what is remembered of lines.

use ale_jit::TiaWrite;

use super::super::object;
#[allow(clippy::wildcard_imports, reason = "the names of the registers")]
use super::super::registers::*;
use super::bits::{self, Byte, NONE, Registers};
use super::effects::{ALWAYS, AT_END, EFFECTS, SHOWING, one_of};

/// Writes to a line that are remembered.
pub(super) const MOST: usize = 12;
/// So many misses in a row are counted, and so often a line is left alone at most.
const MISSES: u8 = 10;
pub(super) const LONGEST_REST: u8 = 15;
/// If after so many frames most lines had to be put together anew, that is not tried for a while: for so many frames,
/// and for twice as many each time.
const TRIED: u32 = 8;
const LEAST_REST: u32 = 16;
const MOST_REST: u32 = 512;

/// Lines and their writes.
// As small as can be: all slots together are about as large as the fastest memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// The registers at its begin and after it.
    pub(super) begin: Registers,
    pub(super) end: Registers,
    /// The writes: see [`key`].
    pub(super) notes: [u32; MOST],
    /// A number of its own, which changes with what is remembered.
    pub(super) id: u32,
    /// 0 if nothing is remembered.
    pub(super) lines: u16,
    /// The latches that are set on these lines, of those of which it is known.
    pub(super) set: u16,
    pub(super) known: u16,
    /// Its [`Class`], and whether that is certain.
    pub(super) class: u8,
    pub(super) classified: bool,
    pub(super) count: u8,
    /// The clock of the last HMOVE, 0 for none.
    pub(super) hmove: u8,
    /// How often in a row something else came, and how often more nothing is to be remembered for that.
    pub(super) misses: u8,
    pub(super) rest: u8,
    pub(super) moves_late: bool,
    /// The objects that the lines show, and the registers of the chip that are written to.
    pub(super) shown: u8,
    pub(super) written: u64,
}

pub(super) const NOTHING: Slot = Slot {
    begin: NONE,
    end: NONE,
    notes: [0; MOST],
    id: 0,
    lines: 0,
    set: 0,
    known: 0,
    class: 0,
    classified: false,
    count: 0,
    hmove: 0,
    misses: 0,
    rest: 0,
    moves_late: false,
    shown: 0,
    written: 0,
};

/// What many lines have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Class {
    /// What the rest follows from: see [`Slot::facts`].
    pub(super) facts: [u64; 2],
    /// The registers that matter to the lines, and those that they set.
    pub(super) uses: Registers,
    pub(super) sets: Registers,
}

/// More classes than this are not remembered.
const CLASSES: usize = 128;

/// What is remembered of the lines of a picture.
#[derive(Debug)]
pub(crate) struct Recall {
    /// By row of the picture.
    pub(super) slots: Vec<Slot>,
    pub(super) classes: Vec<Class>,
    pub(super) last_id: u32,
    /// The last line of the picture is another one than that of a higher picture.
    pub(super) height: i32,
    /// Slots that were followed, and that were not.
    pub(super) followed: u32,
    pub(super) missed: u32,
    /// Frames in which that was counted; and so many more in which lines are not remembered.
    pub(super) tried: u32,
    pub(super) rest: u32,
    next_rest: u32,
}

impl Recall {
    pub(crate) fn new(rows: usize) -> Self {
        let classes = Vec::with_capacity(CLASSES);
        Self {
            slots: vec![NOTHING; rows],
            classes,
            last_id: 0,
            height: 0,
            followed: 0,
            missed: 0,
            tried: 0,
            rest: 0,
            next_rest: LEAST_REST,
        }
    }

    pub(crate) fn set_height(&mut self, height: i32) {
        if height != self.height {
            self.height = height;
            self.slots.fill(NOTHING);
        }
    }

    /// Whether it is worth while in a frame that begins.
    pub(crate) fn begin(&mut self) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            return false;
        }
        true
    }

    pub(super) fn end(&mut self) {
        self.tried += 1;
        if self.tried == TRIED {
            if 2 * self.followed < self.missed {
                self.rest = self.next_rest;
                self.next_rest = (2 * self.next_rest).min(MOST_REST);
            } else {
                self.next_rest = LEAST_REST;
            }
            (self.tried, self.followed, self.missed) = (0, 0, 0);
        }
    }

    /// The class of a row.
    #[inline(never)]
    pub(super) fn classify(&mut self, row: usize) {
        let facts = self.slots[row].facts();
        self.slots[row].classified = true;
        // It is often that of what was remembered here before, or of the line above.
        let above = self.slots[row.saturating_sub(1)].class;
        for class in [self.slots[row].class, above] {
            if self.classes.get(usize::from(class)).is_some_and(|class| class.facts == facts) {
                self.slots[row].class = class;
                return;
            }
        }
        let known = self.classes.iter().position(|class| class.facts == facts);
        let class = known.unwrap_or_else(|| {
            if self.classes.len() == CLASSES {
                self.classes.clear();
                self.slots.iter_mut().for_each(|slot| slot.classified = false);
                self.slots[row].classified = true;
            }
            self.classes.push(self.slots[row].to_class(facts));
            self.classes.len() - 1
        });
        self.slots[row].class = class as u8;
    }

    /// Whether there may be no new numbers left.
    pub(crate) fn is_used_up(&self) -> bool {
        self.last_id > u32::MAX / 2
    }

    pub(super) fn new_id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }
}

/// A write as it is remembered: value, register, cycles since the line began. More cycles than fit in do not pass in a
/// frame.
#[inline(always)]
pub(super) fn key(note: TiaWrite, cycles: u32) -> u32 {
    u32::from(note.value()) | u32::from(note.register()) << 8 | note.now().wrapping_sub(cycles) << 14
}

#[inline(always)]
pub(super) fn of_key(key: u32, cycles: u32) -> TiaWrite {
    TiaWrite::new((key >> 8) as u8 & 63, key as u8, cycles.wrapping_add(key >> 14))
}

/// What decides about the class of a slot, beside the writes.
mod fact {
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
    /// Something else came than what is remembered: whether that is to be remembered instead. Once it may be an exception,
    /// and a line that is never the same is tried more and more seldom.
    pub(super) fn is_worth_while(&mut self) -> bool {
        if self.rest > 0 {
            self.rest -= 1;
            return false;
        }
        if self.lines == 0 {
            return true;
        }
        self.misses += 1;
        if self.misses % 2 == 1 {
            self.rest = (1 << (self.misses / 2)) - 1;
            return false;
        }
        self.misses = self.misses.min(MISSES - 2);
        true
    }

    fn facts(&self) -> [u64; 2] {
        let is = |byte: Byte| self.begin[byte.0] & byte.1 != 0;
        let of = |is: bool, fact: u64| if is { fact } else { 0 };
        let mut facts = u64::from(self.shown & 31)
            | of(self.begin[0] & bits::SCORE != 0, fact::SCORE)
            | of((self.begin[1] >> 48) as u16 != (self.begin[1] >> 32) as u16, fact::GRAPHICS)
            | of(is(bits::ENABL) != is(bits::ENABL_DELAYED), fact::BALL);
        let field = is(bits::PLAYFIELD) || self.written & one_of(&[PF0, PF1, PF2]) != 0;
        facts |= of(field || self.shown & object::BL != 0, fact::FIELD);
        if self.hmove != 0 {
            let told = self.written >> HMP0 & 31;
            let moving = (0..5).fold(told, |moving, i| moving | u64::from(is(bits::MOTION[i])) << i);
            facts |= if self.moves_late { 31 } else { moving } << fact::MOVED;
        }
        [self.written, facts]
    }

    /// Which registers matter to the lines, and which they set.
    fn to_class(self, facts: [u64; 2]) -> Class {
        let [mut written, others] = facts;
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
            also(fact::SCORE, bits::COLORS[n]);
            // Delayed graphics are the same as others unless there are others.
            also(fact::GRAPHICS, bits::VDELP[n]);
        }
        also(fact::BALL, bits::VDELBL);
        also(fact::FIELD, bits::COLORS[2]);
        for (i, (word, bits)) in bits::POSITIONS.into_iter().enumerate() {
            also(1 << (fact::MOVED + i as u64), (word, bits));
            if others >> (fact::MOVED + i as u64) & 1 != 0 {
                sets[word] |= bits;
            }
        }
        Class { facts, uses, sets }
    }
}
