//! Where the program goes on.

use super::super::program::{Entries, LEAVING, Op, Rest, detour, last_byte, operand, target};
use super::{Code, Hot};

impl Hot<'_, '_> {
    /// Runs an op and those that follow it until it is time to pause; gives the op after that.
    // Handlers end with this, so the compiler makes a jump of it and each handler has its own, which the
    // processor can predict. Where it does not, handlers call each other no deeper than [`SLICE`].
    #[inline(always)]
    pub(super) fn go_on(&mut self, entries: &Entries, next: u16) -> u16 {
        let entry = &entries[usize::from(next)];
        (entry.handler)(self, entries, entry.op, next.wrapping_add(1))
    }

    /// The same after an access that may have switched banks.
    #[inline(always)]
    pub(super) fn go_on_if_known(&mut self, next: u16) -> u16 {
        if self.code.bytes.is_empty() { self.go_on_in_bank(next) } else { self.go_on(self.entries, next) }
    }

    /// Goes on with the instruction at the address of this op, which is another one now.
    #[inline(never)]
    fn go_on_in_bank(&mut self, next: u16) -> u16 {
        let rest = self.rest_of(next);
        self.state.time -= i64::from(rest.ahead);
        self.arrive(self.address_of(rest), self.latch)
    }

    /// Goes on at an address outside of the plain ROM where the program was, or leaves the loop. `last` was the last
    /// byte on the bus.
    #[inline(never)]
    fn arrive(&mut self, address: u16, last: u8) -> u16 {
        if address & 0x1280 == 0x80 && self.left() > 0 {
            self.latch = last;
            return self.run_in_ram(address);
        }
        let code = Code::around(address, self.board, self.image, self.program);
        let start = code.start(address);
        if start.op == LEAVING {
            self.exit = address;
            self.latch = last;
            return LEAVING;
        }
        self.set_code(code);
        self.start(self.entries, start.op, i64::from(start.ahead))
    }

    /// Leaves the loop; the program goes on with the instruction of this op.
    #[cold]
    #[inline(never)]
    pub(super) fn leave(&mut self, next: u16) -> u16 {
        let rest = self.rest_of(next);
        self.state.time -= i64::from(rest.ahead);
        self.exit = self.address_of(rest);
        LEAVING
    }

    /// Leaves the loop before this instruction; the plain bus is to run it.
    #[cold]
    #[inline(never)]
    pub(super) fn give_up(&mut self, next: u16) -> u16 {
        self.gave_up = true;
        self.leave(next.wrapping_sub(1))
    }

    /// The stream ends.
    #[cold]
    pub(super) fn end(&mut self, op: Op, next: u16) -> u16 {
        self.latch = last_byte(op);
        self.leave(next.wrapping_sub(1))
    }

    #[inline(always)]
    pub(super) fn branch(&mut self, entries: &Entries, op: Op, next: u16, taken: bool) -> u16 {
        if taken { self.go(entries, op) } else { self.go_on(entries, next) }
    }

    /// Goes on where an op jumps to.
    #[inline(always)]
    pub(super) fn go(&mut self, entries: &Entries, op: Op) -> u16 {
        self.start(entries, target(op), detour(op))
    }

    #[inline(always)]
    fn start(&mut self, entries: &Entries, op: u16, ahead: i64) -> u16 {
        self.state.time += ahead;
        if self.state.time < 0 { op } else { self.go_on(entries, op) }
    }

    /// Goes on at an address. `last` was the last byte on the bus.
    #[inline(always)]
    pub(super) fn jump(&mut self, entries: &Entries, address: u16, last: u8) -> u16 {
        let start = self.code.start(address);
        if start.op == LEAVING {
            return self.arrive(address, last);
        }
        self.start(entries, start.op, i64::from(start.ahead))
    }

    /// Whether an address lies in the mirror of the window where the program is.
    #[inline(always)]
    fn is_near(&self, address: u32) -> bool {
        (address ^ self.code.first) & 0xE000 == 0
    }

    /// JMP within a bank. `next` is the op after it.
    #[inline(always)]
    pub(super) fn jump_near(&mut self, entries: &Entries, op: Op, next: u16) -> u16 {
        if self.is_near(operand(op)) { self.go(entries, op) } else { self.jump_far(entries, next) }
    }

    /// JMP to anywhere.
    #[inline(never)]
    pub(super) fn jump_far(&mut self, entries: &Entries, next: u16) -> u16 {
        let rest = self.rest_of(next.wrapping_sub(1));
        let [low, high] = self.operand_at(rest);
        self.jump(entries, u16::from_le_bytes([low, high]), high)
    }

    /// JSR within a bank.
    #[inline(always)]
    pub(super) fn call_near(&mut self, entries: &Entries, op: Op, next: u16) -> u16 {
        if self.state.sp <= 0x80 || !self.is_near(operand(op)) {
            return self.call_far(entries, next);
        }
        self.push_return(operand(op) as u16);
        self.go(entries, op)
    }

    /// JSR to anywhere.
    #[inline(never)]
    pub(super) fn call_far(&mut self, entries: &Entries, next: u16) -> u16 {
        if self.state.sp <= 0x80 {
            return self.give_up(next);
        }
        let rest = self.rest_of(next.wrapping_sub(1));
        self.push_return(self.address_of(rest).wrapping_add(2));
        let [low, high] = self.operand_at(rest);
        self.jump(entries, u16::from_le_bytes([low, high]), high)
    }

    #[inline(always)]
    fn push_return(&mut self, address: u16) {
        let [low, high] = address.to_le_bytes();
        *self.ram(self.state.sp) = high;
        *self.ram(self.state.sp.wrapping_sub(1)) = low;
        self.state.sp = self.state.sp.wrapping_sub(2);
    }

    /// RTS.
    #[inline(always)]
    pub(super) fn give_back(&mut self, entries: &Entries, next: u16) -> u16 {
        if !self.can_pull(2) {
            return self.give_up(next);
        }
        let sp = usize::from(self.state.sp);
        let back = u16::from_le_bytes([self.state.ram[sp + 1], self.state.ram[sp + 2]]);
        // It reads the byte before the one where it goes on, so that has to be plain ROM, too.
        let index = u32::from(back).wrapping_sub(self.code.first);
        match self.code.returns.get(index as usize) {
            Some(start) if start.op != LEAVING => {
                self.state.sp = self.state.sp.wrapping_add(2);
                self.start(entries, start.op, i64::from(start.ahead))
            }
            _ => self.give_back_elsewhere(back, next),
        }
    }

    /// RTS to other plain ROM.
    #[inline(never)]
    fn give_back_elsewhere(&mut self, back: u16, next: u16) -> u16 {
        let plain = if back & 0x1000 == 0 { None } else { self.board.cart.read_plain(self.image, back) };
        match plain {
            Some(byte) => {
                self.state.sp = self.state.sp.wrapping_add(2);
                self.arrive(back.wrapping_add(1), byte)
            }
            None => self.give_up(next),
        }
    }

    /// JMP through a pointer in RAM.
    #[inline(always)]
    pub(super) fn jump_through(&mut self, entries: &Entries, pointer: u32) -> u16 {
        let at = usize::from(pointer as u8);
        let address = u16::from_le_bytes([self.state.ram[at], self.state.ram[at + 1]]);
        self.jump(entries, address, (address >> 8) as u8)
    }

    /// BRK.
    #[inline(always)]
    pub(super) fn break_off(&mut self, entries: &Entries, op: Op, next: u16) -> u16 {
        if self.state.sp < 0x82 {
            return self.give_up(next);
        }
        let rest = self.rest_of(next.wrapping_sub(1));
        self.push_return(self.address_of(rest).wrapping_add(2));
        *self.ram(self.state.sp) = self.status();
        self.state.sp -= 1;
        self.state.interrupt = true;
        let target = operand(op) as u16;
        self.jump(entries, target, (target >> 8) as u8)
    }

    /// RTI.
    #[inline(always)]
    pub(super) fn return_from_break(&mut self, entries: &Entries, next: u16) -> u16 {
        if !self.can_pull(3) {
            return self.give_up(next);
        }
        let sp = usize::from(self.state.sp);
        let address = u16::from_le_bytes([self.state.ram[sp + 2], self.state.ram[sp + 3]]);
        self.set_status(self.state.ram[sp + 1]);
        self.state.sp += 3;
        self.jump(entries, address, (address >> 8) as u8)
    }

    /// Where an op lies and what is left of its stream.
    #[inline(always)]
    pub(super) fn rest_of(&self, op: u16) -> Rest {
        self.program.rests.get(usize::from(op)).copied().unwrap_or_default()
    }

    /// The address at which an op lies.
    #[inline(always)]
    fn address_of(&self, rest: Rest) -> u16 {
        (self.code.first as u16).wrapping_add(rest.place.wrapping_sub(self.code.offset))
    }

    /// The two bytes behind the opcode.
    #[inline(always)]
    fn operand_at(&self, rest: Rest) -> [u8; 2] {
        let place = usize::from(rest.place);
        [self.rom[(place + 1) & 0xFFFF], self.rom[(place + 2) & 0xFFFF]]
    }
}
