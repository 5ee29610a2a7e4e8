//! The chip follows what is remembered, and stops.

use ale_jit::TiaWrite;

use super::super::lines::FAR;
use super::super::motion::Motions;
use super::super::noted::write_in_turn;
use super::super::{LINE, Tia, clock};
use super::bits::{NONE, Registers, differ};
use super::effects::SHAPES;
use super::slots::{MOST, Recall, key, of_key};
use super::{LATCHES, LONG_AGO, Picture};

impl Tia {
    /// Compares writes with those that are remembered, line by line; gives those that are left.
    #[inline(always)]
    pub(super) fn follow_on<'a>(
        &mut self,
        mut notes: &'a [TiaWrite],
        recall: &mut Recall,
        picture: &mut Picture,
    ) -> &'a [TiaWrite] {
        loop {
            let Some(slot) = recall.slots.get(self.row as usize) else { return notes };
            let cycles = self.follower.cycles;
            let mut count = usize::from(self.follower.count);
            let expected = slot.notes.get(count..usize::from(slot.count)).unwrap_or_default();
            let alike =
                notes.iter().zip(expected).take_while(|(note, other)| key(**note, cycles) == **other).count();
            count += alike;
            notes = notes.get(alike..).unwrap_or_default();
            let passes = notes.first().is_some_and(|next| {
                let passed = next.now().wrapping_sub(cycles) as i32;
                passed > i32::from(slot.lines) * (LINE / 3)
            });
            if !passes || count != usize::from(slot.count) || !self.take_lines(recall, picture) {
                if self.follower.follows {
                    self.follower.count = count as u8;
                }
                return notes;
            }
        }
    }

    /// Whether what is remembered holds for this line, which begins with these registers.
    // Not from memory, where they are stored just before: the processor waits for loads of what was stored in other pieces.
    #[inline(always)]
    pub(super) fn can_follow(
        &mut self,
        registers: Registers,
        recall: &mut Recall,
        picture: &Picture,
    ) -> bool {
        let row = self.row as usize;
        let Some(slot) = recall.slots.get(row) else { return false };
        let unknown = u32::from(!self.collisions & !slot.known & LATCHES) | u32::from(slot.lines == 0);
        if unknown != 0 {
            return false;
        }
        self.follower.exact = !differ(&registers, &slot.begin, &[u64::MAX; 6]);
        if !self.follower.exact {
            if !slot.classified {
                recall.classify(row);
            }
            let slot = &recall.slots[row];
            let Some(class) = recall.classes.get(usize::from(slot.class)) else { return false };
            if differ(&registers, &slot.begin, &class.uses) {
                return false;
            }
        }
        let slot = &recall.slots[row];
        !self.drawing || picture.has_rows(self.row, slot.lines, slot.id)
    }

    /// The lines that are followed are done. Whether the next one is followed, too.
    // Not inlined: what lines have in common is best kept in memory.
    #[inline(never)]
    pub(super) fn take_lines(&mut self, recall: &mut Recall, picture: &mut Picture) -> bool {
        let Some(slot) = recall.slots.get_mut(self.row as usize) else { return false };
        slot.misses = 0;
        let registers = if self.follower.exact {
            slot.end
        } else {
            let Some(class) = recall.classes.get(usize::from(slot.class)) else { return false };
            std::array::from_fn(|i| {
                let now = self.follower.registers[i];
                now ^ (now ^ slot.end[i]) & class.sets[i]
            })
        };
        self.follower.registers = registers;
        self.collisions |= slot.set;
        if slot.hmove != 0 {
            self.hmove_time = self.lines.start.wrapping_add(i32::from(slot.hmove));
        }
        let (row, lines) = (self.row, u32::from(slot.lines));
        if self.drawing {
            picture.take_rows(row, slot.lines, slot.id);
        }
        recall.followed += 1;
        self.row = row + lines;
        self.lines.start += lines as i32 * LINE;
        self.follower.cycles = self.follower.cycles.wrapping_add(lines * (LINE as u32 / 3));
        self.follower.begin = Some(self.lines.start);
        self.follower.count = 0;
        if self.row < self.height as u32 && self.can_follow(registers, recall, picture) {
            return true;
        }
        self.stop_following(recall, picture);
        false
    }

    #[inline(never)]
    fn stop_following(&mut self, recall: &mut Recall, picture: &mut Picture) {
        self.set_registers();
        if self.row < self.height as u32 {
            recall.missed += 1;
            self.record_if_worth_while(recall, picture);
        } else {
            // The last line does not end.
            self.row -= 1;
            self.lines.start = FAR;
            self.drawn = self.window[1];
            self.follower.begin = None;
        }
    }

    /// Ends all lines that end before the clock `now`, which lies on a later line.
    #[inline(never)]
    pub(super) fn pass_to(&mut self, now: i32, recall: &mut Recall, picture: &mut Picture) {
        while self.follower.follows && now.wrapping_sub(self.lines.start) > LINE {
            let Some(slot) = recall.slots.get(self.row as usize) else { return };
            let left = now.wrapping_sub(self.lines.start) - i32::from(slot.lines) * LINE;
            if self.follower.count != slot.count || left <= 0 {
                self.wake(recall, picture);
            } else {
                self.take_lines(recall, picture);
            }
        }
        if now.wrapping_sub(self.lines.start) > LINE {
            if self.follower.records {
                self.finish_and_record(now, recall, picture);
            } else {
                self.finish_lines(now, picture);
            }
        }
    }

    /// The writes differ from those that are remembered: the registers as they were when the line began, then the
    /// writes so far.
    #[inline(never)]
    pub(super) fn wake(&mut self, recall: &mut Recall, picture: &mut Picture) {
        let count = usize::from(self.follower.count).min(MOST);
        recall.missed += 1;
        self.set_registers();
        self.record_if_worth_while(recall, picture);
        let slot = &mut recall.slots[self.row as usize];
        let mut again = [TiaWrite::NONE; MOST];
        for (i, again) in again.iter_mut().enumerate().take(count) {
            let note = of_key(slot.notes[i], self.follower.cycles);
            *again = note;
            if self.follower.records {
                let at = clock(note.now()).wrapping_sub(self.lines.start);
                self.follower.record(note, at, slot);
            }
        }
        write_in_turn(self, picture, &again[..count]);
    }

    #[inline(always)]
    fn since_hmove(&self) -> u8 {
        self.lines.start.wrapping_sub(self.hmove_time).clamp(0, LONG_AGO) as u8
    }

    /// The registers at the begin of a line.
    // The fields stand in memory in this order: the compiler copies them in large pieces.
    #[inline(always)]
    pub(super) fn registers(&self) -> Registers {
        let [c0, c1, c2, c3] = self.colors;
        let [p0, p1, m0, m1, bl] = self.positions;
        let byte = u8::from;
        let second = u64::from(self.playfield)
            | u64::from(u32::from_le_bytes([
                self.grp[0],
                self.grp[1],
                self.grp_delayed[0],
                self.grp_delayed[1],
            ])) << 32;
        [
            u64::from_le_bytes([self.vblank, self.nusiz[0], self.nusiz[1], self.ctrlpf, c0, c1, c2, c3]),
            second,
            u64::from_le_bytes([
                byte(self.refp[0]),
                byte(self.refp[1]),
                byte(self.enam[0]),
                byte(self.enam[1]),
                byte(self.enabl),
                byte(self.enabl_delayed),
                byte(self.vdelp[0]),
                byte(self.vdelp[1]),
            ]),
            u64::from_le_bytes([
                byte(self.vdelbl),
                byte(self.resmp[0]),
                byte(self.resmp[1]),
                byte(self.suppressed[0]),
                byte(self.suppressed[1]),
                byte(self.reflected),
                byte(self.hmove_blank),
                self.since_hmove(),
            ]),
            u64::from_le_bytes([p0, p1, m0, m1, bl, 0, 0, 0]) | self.motion.0 << 40,
            self.motion.0 >> 24 | u64::from(self.follower.chip) << 56,
        ]
    }

    /// The shapes of objects that are not what they were when the chip began to follow.
    fn spoil_changed(&mut self) {
        let mut changed = NONE;
        for (i, word) in changed.iter_mut().enumerate() {
            *word = self.follower.old[i] ^ self.follower.registers[i];
        }
        for (object, set) in (0..).zip(&SHAPES) {
            let mut differs = 0;
            for i in 0..6 {
                differs |= changed[i] & set[i];
            }
            self.shapes.spoil(u8::from(differs != 0) << object);
        }
        self.shapes.forget_reach();
    }

    /// Stops following, at the begin of this line.
    fn set_registers(&mut self) {
        let [.., fifth, sixth] = self.follower.registers;
        let [one, two, three, four, five, _] = self.follower.registers.map(u64::to_le_bytes);
        self.follower.follows = false;
        let [vblank, nusiz0, nusiz1, ctrlpf, c0, c1, c2, c3] = one;
        self.vblank = vblank;
        self.nusiz = [nusiz0, nusiz1];
        self.ctrlpf = ctrlpf;
        self.colors = [c0, c1, c2, c3];
        let [pf0, pf1, pf2, pf3, grp0, grp1, delayed0, delayed1] = two;
        self.playfield = u32::from_le_bytes([pf0, pf1, pf2, pf3]);
        self.grp = [grp0, grp1];
        self.grp_delayed = [delayed0, delayed1];
        let [refp0, refp1, enam0, enam1, enabl, enabl_delayed, vdelp0, vdelp1] = three.map(|byte| byte != 0);
        self.refp = [refp0, refp1];
        self.enam = [enam0, enam1];
        self.enabl = enabl;
        self.enabl_delayed = enabl_delayed;
        self.vdelp = [vdelp0, vdelp1];
        let [vdelbl, resmp0, resmp1, suppressed0, suppressed1, reflected, blank, _] =
            four.map(|byte| byte != 0);
        self.vdelbl = vdelbl;
        self.resmp = [resmp0, resmp1];
        self.suppressed = [suppressed0, suppressed1];
        self.reflected = reflected;
        self.hmove_blank = blank;
        let [p0, p1, m0, m1, bl, ..] = five;
        self.positions = [p0, p1, m0, m1, bl];
        self.motion = Motions((fifth >> 40 | sixth << 24) & Motions::BITS);
        self.spoil_changed();
        self.shapes.split = 0;
        self.paint.spoiled = true;
        self.drawn = self.lines.start;
        self.lines.begin_anew();
    }
}
