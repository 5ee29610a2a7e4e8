//! Where the program goes on.

use super::program::{BlockTail, EXIT_OP, Op, ThreadedCode, last_byte, operand, target, time_delta};
use super::{RomSpan, Threaded};

impl Threaded<'_, '_> {
    /// Runs an op and those that follow it until it is out of budget; gives the op after that.
    // Handlers end with this, so the compiler makes a jump of it and each handler has its own, which the
    // processor can predict. Where it does not, handlers call each other no deeper than [`SLICE`].
    #[inline(always)]
    pub(super) fn dispatch(&mut self, ops: &ThreadedCode, next: u16) -> u16 {
        let entry = &ops[usize::from(next)];
        (entry.handler)(self, ops, entry.op, next.wrapping_add(1))
    }

    /// The same after an access that may have switched banks.
    #[inline(always)]
    pub(super) fn dispatch_unless_bank_switched(&mut self, next: u16) -> u16 {
        if self.span.bytes.is_empty() {
            self.dispatch_in_new_bank(next)
        } else {
            self.dispatch(self.ops, next)
        }
    }

    /// Goes on with the instruction at the address of this op, which is another one now.
    #[inline(never)]
    fn dispatch_in_new_bank(&mut self, next: u16) -> u16 {
        let tail = self.tail_of(next);
        self.state.time -= i64::from(tail.cycles_to_end);
        self.jump_outside_span(self.address_of(tail), self.latch)
    }

    /// Goes on at an address outside of the plain ROM where the program was, or leaves the loop. `last` was the last
    /// byte on the bus.
    #[inline(never)]
    fn jump_outside_span(&mut self, address: u16, last: u8) -> u16 {
        if address & 0x1280 == 0x80 && self.left() > 0 {
            self.latch = last;
            return self.run_in_ram(address);
        }
        let span = RomSpan::around(address, self.board, self.image, self.program);
        let start = span.start(address);
        if start.op == EXIT_OP {
            self.exit = address;
            self.latch = last;
            return EXIT_OP;
        }
        self.set_rom_span(span);
        self.enter_block(self.ops, start.op, i64::from(start.cycles_to_end))
    }

    /// Leaves the loop; the program goes on with the instruction of this op.
    #[cold]
    #[inline(never)]
    pub(super) fn exit_at(&mut self, next: u16) -> u16 {
        let tail = self.tail_of(next);
        self.state.time -= i64::from(tail.cycles_to_end);
        self.exit = self.address_of(tail);
        EXIT_OP
    }

    /// Leaves the loop before this instruction; the reference interpreter is to run it.
    #[cold]
    #[inline(never)]
    pub(super) fn bail_out(&mut self, next: u16) -> u16 {
        self.bailed_out = true;
        self.exit_at(next.wrapping_sub(1))
    }

    /// The block ends.
    #[cold]
    pub(super) fn end(&mut self, op: Op, next: u16) -> u16 {
        self.latch = last_byte(op);
        self.exit_at(next.wrapping_sub(1))
    }

    #[inline(always)]
    pub(super) fn branch(&mut self, ops: &ThreadedCode, op: Op, next: u16, taken: bool) -> u16 {
        if taken { self.go(ops, op) } else { self.dispatch(ops, next) }
    }

    /// Goes on where an op jumps to.
    #[inline(always)]
    pub(super) fn go(&mut self, ops: &ThreadedCode, op: Op) -> u16 {
        self.enter_block(ops, target(op), time_delta(op))
    }

    #[inline(always)]
    fn enter_block(&mut self, ops: &ThreadedCode, op: u16, cycles_to_end: i64) -> u16 {
        self.state.time += cycles_to_end;
        if self.state.time < 0 { op } else { self.dispatch(ops, op) }
    }

    /// Goes on at an address. `last` was the last byte on the bus.
    #[inline(always)]
    pub(super) fn jump(&mut self, ops: &ThreadedCode, address: u16, last: u8) -> u16 {
        let start = self.span.start(address);
        if start.op == EXIT_OP {
            return self.jump_outside_span(address, last);
        }
        self.enter_block(ops, start.op, i64::from(start.cycles_to_end))
    }

    /// Whether an address lies in the mirror of the window where the program is.
    #[inline(always)]
    fn in_same_mirror(&self, address: u32) -> bool {
        (address ^ self.span.first) & 0xE000 == 0
    }

    /// JMP within a bank. `next` is the op after it.
    #[inline(always)]
    pub(super) fn jmp_near(&mut self, ops: &ThreadedCode, op: Op, next: u16) -> u16 {
        if self.in_same_mirror(operand(op)) { self.go(ops, op) } else { self.jmp_far(ops, next) }
    }

    /// JMP to anywhere.
    #[inline(never)]
    pub(super) fn jmp_far(&mut self, ops: &ThreadedCode, next: u16) -> u16 {
        let tail = self.tail_of(next.wrapping_sub(1));
        let [low, high] = self.operand_at(tail);
        self.jump(ops, u16::from_le_bytes([low, high]), high)
    }

    /// JSR within a bank.
    #[inline(always)]
    pub(super) fn jsr_near(&mut self, ops: &ThreadedCode, op: Op, next: u16) -> u16 {
        if self.state.sp <= 0x80 || !self.in_same_mirror(operand(op)) {
            return self.jsr_far(ops, next);
        }
        self.push_return(operand(op) as u16);
        self.go(ops, op)
    }

    /// JSR to anywhere.
    #[inline(never)]
    pub(super) fn jsr_far(&mut self, ops: &ThreadedCode, next: u16) -> u16 {
        if self.state.sp <= 0x80 {
            return self.bail_out(next);
        }
        let tail = self.tail_of(next.wrapping_sub(1));
        self.push_return(self.address_of(tail).wrapping_add(2));
        let [low, high] = self.operand_at(tail);
        self.jump(ops, u16::from_le_bytes([low, high]), high)
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
    pub(super) fn rts(&mut self, ops: &ThreadedCode, next: u16) -> u16 {
        if !self.can_pull(2) {
            return self.bail_out(next);
        }
        let sp = usize::from(self.state.sp);
        let back = u16::from_le_bytes([self.state.ram[sp + 1], self.state.ram[sp + 2]]);
        // It reads the byte before the one where it goes on, so that has to be plain ROM, too.
        let index = u32::from(back).wrapping_sub(self.span.first);
        match self.span.returns.get(index as usize) {
            Some(start) if start.op != EXIT_OP => {
                self.state.sp = self.state.sp.wrapping_add(2);
                self.enter_block(ops, start.op, i64::from(start.cycles_to_end))
            }
            _ => self.rts_elsewhere(back, next),
        }
    }

    /// RTS to other plain ROM.
    #[inline(never)]
    fn rts_elsewhere(&mut self, back: u16, next: u16) -> u16 {
        let plain = if back & 0x1000 == 0 { None } else { self.board.cart.read_plain(self.image, back) };
        match plain {
            Some(byte) => {
                self.state.sp = self.state.sp.wrapping_add(2);
                self.jump_outside_span(back.wrapping_add(1), byte)
            }
            None => self.bail_out(next),
        }
    }

    /// JMP through a pointer in RAM.
    #[inline(always)]
    pub(super) fn jmp_indirect(&mut self, ops: &ThreadedCode, pointer: u32) -> u16 {
        let at = usize::from(pointer as u8);
        let address = u16::from_le_bytes([self.state.ram[at], self.state.ram[at + 1]]);
        self.jump(ops, address, (address >> 8) as u8)
    }

    /// BRK.
    #[inline(always)]
    pub(super) fn brk(&mut self, ops: &ThreadedCode, op: Op, next: u16) -> u16 {
        if self.state.sp < 0x82 {
            return self.bail_out(next);
        }
        let tail = self.tail_of(next.wrapping_sub(1));
        self.push_return(self.address_of(tail).wrapping_add(2));
        *self.ram(self.state.sp) = self.status();
        self.state.sp -= 1;
        self.state.interrupt = true;
        let target = operand(op) as u16;
        self.jump(ops, target, (target >> 8) as u8)
    }

    /// RTI.
    #[inline(always)]
    pub(super) fn rti(&mut self, ops: &ThreadedCode, next: u16) -> u16 {
        if !self.can_pull(3) {
            return self.bail_out(next);
        }
        let sp = usize::from(self.state.sp);
        let address = u16::from_le_bytes([self.state.ram[sp + 2], self.state.ram[sp + 3]]);
        self.set_status(self.state.ram[sp + 1]);
        self.state.sp += 3;
        self.jump(ops, address, (address >> 8) as u8)
    }

    /// Where an op lies and what is left of its block.
    #[inline(always)]
    pub(super) fn tail_of(&self, op: u16) -> BlockTail {
        self.program.tails.get(usize::from(op)).copied().unwrap_or_default()
    }

    /// The address at which an op lies.
    #[inline(always)]
    fn address_of(&self, tail: BlockTail) -> u16 {
        (self.span.first as u16).wrapping_add(tail.offset.wrapping_sub(self.span.offset))
    }

    /// The two bytes behind the opcode.
    #[inline(always)]
    fn operand_at(&self, tail: BlockTail) -> [u8; 2] {
        let place = usize::from(tail.offset);
        [self.rom[(place + 1) & 0xFFFF], self.rom[(place + 2) & 0xFFFF]]
    }
}
