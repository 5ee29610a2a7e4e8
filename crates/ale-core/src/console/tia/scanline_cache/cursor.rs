//! The cursor of a frame in the scanline cache: hits, and misses within a line.

use ale_jit::TiaWrite;

use super::super::motion::Motions;
use super::super::scanline::FAR;
use super::super::write_log::apply_write_log;
use super::super::{LINE, Tia, clock};
use super::bits::{NONE, Registers, differ};
use super::effects::SHAPES;
use super::slots::{MAX_WRITES, ScanlineCache, key, of_key};
use super::{LATCHES, LONG_AGO, Picture};

impl Tia {
    /// Compares writes with those of the slots, line by line; gives those that are left.
    #[inline(always)]
    pub(super) fn compare_writes<'a>(
        &mut self,
        mut writes: &'a [TiaWrite],
        cache: &mut ScanlineCache,
        picture: &mut Picture,
    ) -> &'a [TiaWrite] {
        loop {
            let Some(slot) = cache.slots.get(self.row as usize) else { return writes };
            let cycles = self.cursor.cycles;
            let mut count = usize::from(self.cursor.count);
            let expected = slot.writes.get(count..usize::from(slot.count)).unwrap_or_default();
            let alike = writes
                .iter()
                .zip(expected)
                .take_while(|(write, other)| key(**write, cycles) == **other)
                .count();
            count += alike;
            writes = writes.get(alike..).unwrap_or_default();
            let passes = writes.first().is_some_and(|next| {
                let passed = next.now().wrapping_sub(cycles) as i32;
                passed > i32::from(slot.lines) * (LINE / 3)
            });
            if !passes || count != usize::from(slot.count) || !self.take_hit(cache, picture) {
                if self.cursor.hit {
                    self.cursor.count = count as u8;
                }
                return writes;
            }
        }
    }

    /// Whether the slot of this line is a hit for these registers at its begin.
    // By value: loads of what was just stored in smaller pieces would miss store-to-load forwarding.
    #[inline(always)]
    pub(super) fn is_hit(
        &mut self,
        registers: Registers,
        cache: &mut ScanlineCache,
        picture: &Picture,
    ) -> bool {
        let row = self.row as usize;
        let Some(slot) = cache.slots.get(row) else { return false };
        let unknown = u32::from(!self.collisions & !slot.known & LATCHES) | u32::from(slot.lines == 0);
        if unknown != 0 {
            return false;
        }
        self.cursor.exact = !differ(&registers, &slot.begin, &[u64::MAX; 6]);
        if !self.cursor.exact {
            if !slot.classified {
                cache.classify(row);
            }
            let slot = &cache.slots[row];
            let Some(class) = cache.classes.get(usize::from(slot.class)) else { return false };
            if differ(&registers, &slot.begin, &class.uses) {
                return false;
            }
        }
        let slot = &cache.slots[row];
        !self.drawing || picture.has_rows(self.row, slot.lines, slot.id)
    }

    /// Ends the lines of a hit. Whether the next one is a hit, too.
    // Not inlined: the loop around it would spill its registers.
    #[inline(never)]
    pub(super) fn take_hit(&mut self, cache: &mut ScanlineCache, picture: &mut Picture) -> bool {
        let Some(slot) = cache.slots.get_mut(self.row as usize) else { return false };
        slot.misses = 0;
        let registers = if self.cursor.exact {
            slot.end
        } else {
            let Some(class) = cache.classes.get(usize::from(slot.class)) else { return false };
            std::array::from_fn(|i| {
                let now = self.cursor.registers[i];
                now ^ (now ^ slot.end[i]) & class.sets[i]
            })
        };
        self.cursor.registers = registers;
        self.collisions |= slot.set;
        if slot.hmove != 0 {
            self.hmove_time = self.scanline.start.wrapping_add(i32::from(slot.hmove));
        }
        let (row, lines) = (self.row, u32::from(slot.lines));
        if self.drawing {
            picture.take_rows(row, slot.lines, slot.id);
        }
        cache.hits += 1;
        picture.count_hit(lines);
        self.row = row + lines;
        self.scanline.start += lines as i32 * LINE;
        self.cursor.cycles = self.cursor.cycles.wrapping_add(lines * (LINE as u32 / 3));
        self.cursor.begin = Some(self.scanline.start);
        self.cursor.count = 0;
        if self.row < self.height as u32 && self.is_hit(registers, cache, picture) {
            return true;
        }
        self.end_hit(cache, picture);
        false
    }

    #[inline(never)]
    fn end_hit(&mut self, cache: &mut ScanlineCache, picture: &mut Picture) {
        self.set_registers();
        if self.row < self.height as u32 {
            cache.missed += 1;
            self.record_unless_backing_off(cache, picture);
        } else {
            // The last line does not end.
            self.row -= 1;
            self.scanline.start = FAR;
            self.drawn = self.window[1];
            self.cursor.begin = None;
        }
    }

    /// Ends all lines that end before the clock `now`, which lies on a later line.
    #[inline(never)]
    pub(super) fn advance_cursor(&mut self, now: i32, cache: &mut ScanlineCache, picture: &mut Picture) {
        while self.cursor.hit && now.wrapping_sub(self.scanline.start) > LINE {
            let Some(slot) = cache.slots.get(self.row as usize) else { return };
            let left = now.wrapping_sub(self.scanline.start) - i32::from(slot.lines) * LINE;
            if self.cursor.count != slot.count || left <= 0 {
                self.replay_miss(cache, picture);
            } else {
                self.take_hit(cache, picture);
            }
        }
        if now.wrapping_sub(self.scanline.start) > LINE {
            if self.cursor.records {
                self.finish_and_store(now, cache, picture);
            } else {
                self.finish_lines(now, picture);
            }
        }
    }

    /// A miss within a line: sets the registers as they were when the line began, and replays the writes so far.
    #[inline(never)]
    pub(super) fn replay_miss(&mut self, cache: &mut ScanlineCache, picture: &mut Picture) {
        let count = usize::from(self.cursor.count).min(MAX_WRITES);
        cache.missed += 1;
        self.set_registers();
        self.record_unless_backing_off(cache, picture);
        let slot = &mut cache.slots[self.row as usize];
        let mut again = [TiaWrite::NONE; MAX_WRITES];
        for (i, again) in again.iter_mut().enumerate().take(count) {
            let write = of_key(slot.writes[i], self.cursor.cycles);
            *again = write;
            if self.cursor.records {
                let at = clock(write.now()).wrapping_sub(self.scanline.start);
                self.cursor.record(write, at, slot);
            }
        }
        apply_write_log(self, picture, &again[..count]);
    }

    #[inline(always)]
    fn since_hmove(&self) -> u8 {
        self.scanline.start.wrapping_sub(self.hmove_time).clamp(0, LONG_AGO) as u8
    }

    /// The registers at the begin of a line.
    // The fields stand in memory in this order: the compiler copies them in large pieces.
    #[inline(always)]
    pub(in super::super) fn registers(&self) -> Registers {
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
            self.motion.0 >> 24 | u64::from(self.cursor.chip) << 56,
        ]
    }

    /// Marks the objects as dirty whose registers are not those of the chip when the hits began.
    fn mark_changed_dirty(&mut self) {
        let mut changed = NONE;
        for (i, word) in changed.iter_mut().enumerate() {
            *word = self.cursor.old[i] ^ self.cursor.registers[i];
        }
        for (object, set) in (0..).zip(&SHAPES) {
            let mut differs = 0;
            for i in 0..6 {
                differs |= changed[i] & set[i];
            }
            self.shapes.mark_dirty(u8::from(differs != 0) << object);
        }
        self.shapes.forget_reach();
    }

    /// The chip gets the registers of the cursor, at the begin of this line.
    fn set_registers(&mut self) {
        let [.., fifth, sixth] = self.cursor.registers;
        let [one, two, three, four, five, _] = self.cursor.registers.map(u64::to_le_bytes);
        self.cursor.hit = false;
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
        self.mark_changed_dirty();
        self.shapes.split = 0;
        self.paint.dirty = true;
        self.drawn = self.scanline.start;
        self.scanline.begin_anew();
    }
}
