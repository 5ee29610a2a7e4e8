//! Code in RAM: a few instructions of programs that change themselves, run without the plain bus.

use ale_native::Note;

use super::super::program::{LEAVING, packed};
use super::super::tia::registers::{VBLANK, VSYNC, WSYNC};
use super::Hot;
use super::access::clock_before;
use super::operations::{A, X, Y};

impl Hot<'_, '_> {
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
            let (length, cycles) = match opcode {
                // JMP.
                0x4C => {
                    self.state.time += packed(-1, 3);
                    address = word;
                    if address & 0x1280 == 0x80 {
                        continue;
                    }
                    break;
                }
                0xA9 | 0xA2 | 0xA0 => {
                    self.set(register, low);
                    (2, 2)
                }
                0xA4..=0xA6 if low & 0x80 != 0 => {
                    self.set(register, self.state.ram[usize::from(low)]);
                    (2, 3)
                }
                0xAC..=0xAE => {
                    let Some(value) = self.read_memory(word) else { break };
                    self.set(register, value);
                    (3, 4)
                }
                0x84..=0x86 => {
                    let value = self.state.registers[register];
                    if low & 0x80 != 0 {
                        self.state.ram[usize::from(low)] = value;
                    } else if matches!(low & 0x3F, VSYNC | VBLANK | WSYNC) {
                        break;
                    } else {
                        let now = clock_before(self.state.time + 3, 0);
                        self.board.tia.write_all(&[Note::new(low & 0x3F, value, now)], self.picture);
                        wrote = true;
                    }
                    (2, 3)
                }
                0xEA => (1, 2),
                _ => break,
            };
            self.state.time += packed(-1, cycles);
            address = address.wrapping_add(length);
        }
        if wrote {
            // None of them was VBLANK.
            let stale = self.state.stale;
            self.forget_registers();
            self.state.stale = stale;
        }
        self.go_on_at(address)
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
    fn go_on_at(&mut self, address: u16) -> u16 {
        let last = (address >> 8) as u8;
        if address & 0x1000 == 0 {
            self.exit = address;
            self.latch = last;
            return LEAVING;
        }
        self.jump(self.entries, address, last)
    }
}
