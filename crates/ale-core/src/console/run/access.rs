//! Accesses to what is neither RAM nor the current ROM span.

use super::super::riot::Timer;
use super::super::tia::registers::{ENABL, ENAM0, ENAM1, WSYNC};
use super::Threaded;
use super::program::{CYCLE_BITS, Op, ThreadedCode, cycles_after, packed, wait_loop};

/// The clock so many cycles before the end of the block.
#[inline(always)]
pub(super) fn clock_before(time: i64, cycles: u32) -> u32 {
    (time as u32).wrapping_sub(cycles) & ((1 << CYCLE_BITS) - 1)
}

impl Threaded<'_, '_> {
    /// The clock after this instruction.
    #[inline(always)]
    pub(super) fn now(&self, op: Op) -> u32 {
        clock_before(self.state.time, cycles_after(op))
    }

    /// A program that waits for the timer in a loop of two instructions, a load of the timer and a branch
    /// back to it, goes round many times. The rounds that are certain to go on need not be run. The load then
    /// reads the timer in the last round.
    #[inline(always)]
    pub(super) fn skip_wait_loop(&mut self, op: Op) {
        let least = u32::from(wait_loop(op) & 7);
        let round = 7 + u32::from(wait_loop(op) >> 3);
        let left = self.left().max(0) as u32;
        let timer = Timer::unpacked(self.state.timer);
        let rounds = timer.rounds(self.now(op), round, least).min(left / 2);
        self.state.time += packed(-2 * i64::from(rounds), i64::from(rounds * round));
    }

    #[inline(always)]
    pub(super) fn read_tia(&mut self, address: u16, now: u32, shown: u8) -> u8 {
        let board = &mut *self.board;
        board.tia.read(address, now, &board.levels, self.picture) | shown & 0x3F
    }

    /// A register of the TIA that tells no collisions: while lines are drawn as wholes, reading it has no effect.
    #[inline(always)]
    pub(super) fn read_pins(&mut self, address: u16, now: u32, shown: u8) -> u8 {
        self.board.tia.peek(address | 8, now, &self.board.levels) | shown & 0x3F
    }

    #[inline(always)]
    pub(super) fn read_riot(&mut self, address: u16, now: u32) -> u8 {
        self.store_timer();
        let board = &mut *self.board;
        let value = board.riot.read(address, &board.levels, now);
        self.load_timer();
        value
    }

    /// The same by the instruction before `next`.
    #[inline(always)]
    pub(super) fn read_pins_before(&mut self, address: u16, next: u16) -> u8 {
        let tail = self.tail_of(next);
        let last = self.rom[usize::from(tail.offset.wrapping_sub(1))];
        self.read_pins(address, clock_before(self.state.time, u32::from(tail.cycles)), last)
    }

    /// Display data of a DPC, if JIT code does not read them.
    #[inline(always)]
    pub(super) fn read_display(&mut self, address: u16) -> Option<u8> {
        if self.jit.is_some() { None } else { self.board.cart.read_display(self.rom, address) }
    }

    /// Anything but RAM and plain ROM, by the instruction before `next`. On the bus was
    /// the high byte of a pointer, or the last byte of the instruction.
    #[inline(never)]
    pub(super) fn read_elsewhere(&mut self, address: u16, next: u16, pointer_high: Option<u8>) -> u8 {
        let tail = self.tail_of(next);
        let now = clock_before(self.state.time, u32::from(tail.cycles));
        if address & 0x1080 == 0 {
            let last = self.rom[usize::from(tail.offset.wrapping_sub(1))];
            return self.read_tia(address, now, pointer_high.unwrap_or(last));
        }
        if address & 0x1000 == 0 {
            return self.read_riot(address, now);
        }
        self.store_display();
        let value = self.board.cart.read(self.image, address, now);
        self.load_display();
        self.check_banks_after(address);
        self.latch = value;
        value
    }

    /// After an access to the cartridge: all hot spots lie at the end of the window.
    #[inline]
    fn check_banks_after(&mut self, address: u16) {
        if address & 0xFFF >= 0xFE0 {
            self.check_banks();
        }
    }

    /// After an access that may have switched banks.
    #[inline]
    pub(super) fn check_banks(&mut self) {
        if *self.board.cart.bases() != self.bases {
            // Where the program is must still be known.
            self.span.bytes = &[];
            self.span.block_entries = &[];
            self.span.returns = &[];
        }
    }

    /// A write to anything but RAM, by the instruction before `next`, and on.
    #[inline(never)]
    pub(super) fn write_slow(&mut self, _entries: &ThreadedCode, next: u16, address: u32, value: u8) -> u16 {
        let address = address as u16;
        let now = clock_before(self.state.time, u32::from(self.tail_of(next).cycles));
        if address & 0x1080 == 0 && address & 0x3F != u16::from(WSYNC) {
            let tia = &mut self.board.tia;
            tia.write((address & 0x3F) as u8, value, now, self.picture);
            let stops = tia.stop;
            self.invalidate_tia_shadow();
            if stops {
                self.stopped = true;
                self.latch = value;
                return self.exit_at(next);
            }
            return self.dispatch(self.ops, next);
        }
        let then = self.write_elsewhere(address, value, now);
        self.state.time += i64::from(then.wrapping_sub(now));
        if self.stopped { self.exit_at(next) } else { self.dispatch_unless_bank_switched(next) }
    }

    /// RIOT, cartridge or WSYNC. The clock when the program goes on.
    #[inline(never)]
    fn write_elsewhere(&mut self, address: u16, value: u8, now: u32) -> u32 {
        self.latch = value;
        if address & 0x1000 != 0 {
            self.store_display();
            self.board.cart.write(self.image, address, value, now);
            self.load_display();
            self.check_banks_after(address);
        } else if address & 0x80 != 0 {
            self.store_timer();
            self.board.riot.write(address, value, now);
            self.load_timer();
        } else {
            let tia = &mut self.board.tia;
            tia.write(WSYNC, value, now, self.picture);
            self.stopped = tia.stop;
            return self.next_line(now);
        }
        now
    }

    /// The clock when the line after `now` begins.
    #[inline(always)]
    pub(super) fn next_line(&mut self, now: u32) -> u32 {
        let passed = now.wrapping_sub(self.state.line);
        // Mostly less than a line has passed since the last WSYNC.
        self.state.line = match passed {
            0 => now,
            1..=76 => self.state.line.wrapping_add(76),
            77..=0xFFFF => self.state.line.wrapping_add(passed.div_ceil(76) * 76),
            _ => self.board.next_line(now),
        };
        self.state.line
    }

    #[inline(always)]
    pub(super) fn push(&mut self, ops: &ThreadedCode, op: Op, next: u16, value: u8) -> u16 {
        if self.state.sp & 0x80 == 0 {
            return self.push_elsewhere(ops, op, next, value);
        }
        *self.ram(self.state.sp) = value;
        self.state.sp -= 1;
        self.dispatch(ops, next)
    }

    #[inline(always)]
    pub(super) fn push_status(&mut self, ops: &ThreadedCode, op: Op, next: u16) -> u16 {
        if self.state.sp & 0x80 == 0 {
            return self.push_status_elsewhere(ops, op, next);
        }
        *self.ram(self.state.sp) = self.status();
        self.state.sp -= 1;
        self.dispatch(ops, next)
    }

    /// Programs enable missiles and the ball by pushing Z into their registers.
    #[inline(never)]
    fn push_status_elsewhere(&mut self, ops: &ThreadedCode, op: Op, next: u16) -> u16 {
        let (on, time) = (u8::from(self.state.nz & 0xFF == 0) << 1, self.state.time);
        let now = || clock_before(time, cycles_after(op));
        let tia = &mut self.board.tia;
        tia.detach_cursor(now, self.picture);
        let done = match self.state.sp & 0x3F {
            ENAM0 => tia.try_write_fast::<ENAM0>(on, now),
            ENAM1 => tia.try_write_fast::<ENAM1>(on, now),
            ENABL => tia.try_write_fast::<ENABL>(on, now),
            _ => false,
        };
        if done {
            self.invalidate_tia_shadow();
            self.state.sp = self.state.sp.wrapping_sub(1);
            self.dispatch(ops, next)
        } else {
            self.push_elsewhere(ops, op, next, self.status())
        }
    }

    #[inline(never)]
    fn push_elsewhere(&mut self, ops: &ThreadedCode, _op: Op, next: u16, value: u8) -> u16 {
        if self.state.sp & 0x3F == WSYNC {
            return self.bail_out(next);
        }
        let address = 0x100 | u32::from(self.state.sp);
        self.state.sp = self.state.sp.wrapping_sub(1);
        self.write_slow(ops, next, address, value)
    }

    /// The byte that PLA or PLP pulls from somewhere else than RAM.
    #[inline(never)]
    pub(super) fn pull_elsewhere(&mut self, next: u16) -> u8 {
        let tail = self.tail_of(next);
        let now = clock_before(self.state.time, u32::from(tail.cycles));
        // It reads the byte at SP before the one above it.
        let opcode = self.rom[usize::from(tail.offset.wrapping_sub(1))];
        let shown = self.read_stack(now, opcode);
        self.state.sp = self.state.sp.wrapping_add(1);
        self.read_stack(now, shown)
    }

    #[inline(always)]
    fn read_stack(&mut self, now: u32, shown: u8) -> u8 {
        if self.state.sp & 0x80 == 0 {
            self.read_tia(u16::from(self.state.sp), now, shown)
        } else {
            *self.ram(self.state.sp)
        }
    }

    /// Whether the reference interpreter is not needed to pull so many bytes. (The byte at SP is read, too.)
    #[inline(always)]
    pub(super) fn can_pull(&self, count: u8) -> bool {
        (0x80..=0xFF - count).contains(&self.state.sp)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn add_decimally(&mut self, _entries: &ThreadedCode, value: u8, next: u16) -> u16 {
        self.store_registers();
        self.cpu.adc(value);
        self.load_registers();
        self.dispatch_unless_bank_switched(next)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn subtract_decimally(&mut self, _entries: &ThreadedCode, value: u8, next: u16) -> u16 {
        self.store_registers();
        self.cpu.sbc(value);
        self.load_registers();
        self.dispatch_unless_bank_switched(next)
    }
}
