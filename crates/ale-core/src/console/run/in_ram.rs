//! Code in RAM: a few instructions of programs that change themselves, run without the reference interpreter.

#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use ale_jit::opcode::*;
use ale_jit::{Kind, TiaWrite};

use super::super::tia::registers::{VBLANK, VSYNC, WSYNC};
use super::Threaded;
use super::access::clock_before;
use super::operations::{A, X, Y};
use super::program::{EXIT_OP, packed};

impl Threaded<'_, '_> {
    /// Runs the program at an address of RAM as long as it loads and stores; goes on where it jumps to, or leaves the
    /// loop with the first instruction that it does not know.
    #[inline(never)]
    pub(super) fn run_in_ram(&mut self, mut address: u16) -> u16 {
        let mut wrote = false;
        // Two bytes behind the opcode have to be RAM, too.
        while self.left() > 0 && (0x80..0xFE).contains(&(address & 0x12FF)) {
            let at = usize::from(address & 0xFF);
            let [opcode, low, high] = [self.state.ram[at], self.state.ram[at + 1], self.state.ram[at + 2]];
            let word = u16::from_le_bytes([low, high]);
            let register = match opcode & 3 {
                0 => Y,
                1 => A,
                _ => X,
            };
            let (length, cycles) = match Kind::from(opcode) {
                JMP_ABS => {
                    self.state.time += packed(-1, 3);
                    address = word;
                    if address & 0x1280 == 0x80 {
                        continue;
                    }
                    break;
                }
                LDA_IMM | LDX_IMM | LDY_IMM => {
                    self.set(register, low);
                    (2, 2)
                }
                LDY_ZP..=LDX_ZP if low & 0x80 != 0 => {
                    self.set(register, self.state.ram[usize::from(low)]);
                    (2, 3)
                }
                LDY_ABS..=LDX_ABS => {
                    let Some(value) = self.read_memory(word) else { break };
                    self.set(register, value);
                    (3, 4)
                }
                STY_ZP..=STX_ZP => {
                    let value = self.state.registers[register];
                    if low & 0x80 != 0 {
                        self.state.ram[usize::from(low)] = value;
                    } else if matches!(low & 0x3F, VSYNC | VBLANK | WSYNC) {
                        break;
                    } else {
                        let now = clock_before(self.state.time + 3, 0);
                        self.board.tia.write_all(&[TiaWrite::new(low & 0x3F, value, now)], self.picture);
                        wrote = true;
                    }
                    (2, 3)
                }
                NOP => (1, 2),
                _ => break,
            };
            self.state.time += packed(-1, cycles);
            address = address.wrapping_add(length);
        }
        if wrote {
            // None of them was VBLANK.
            let pins_stale = self.state.pins_stale;
            self.invalidate_tia_shadow();
            self.state.pins_stale = pins_stale;
        }
        self.jump_from_ram(address)
    }

    /// RAM or plain ROM.
    #[inline(always)]
    fn read_memory(&self, address: u16) -> Option<u8> {
        if address & 0x1000 != 0 {
            self.board.cart.read_plain(self.image, address)
        } else if address & 0x280 == 0x80 {
            Some(self.state.ram[usize::from(address as u8)])
        } else {
            None
        }
    }

    /// Goes on in plain ROM, or leaves the loop.
    fn jump_from_ram(&mut self, address: u16) -> u16 {
        let last = (address >> 8) as u8;
        if address & 0x1000 == 0 {
            self.exit = address;
            self.latch = last;
            return EXIT_OP;
        }
        self.jump(self.ops, address, last)
    }
}
