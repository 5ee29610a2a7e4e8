//! Unit tests of the 6507.

use super::{Bus, Cpu};

struct Memory {
    bytes: Vec<u8>,
    cycles: u32,
}

impl Bus for Memory {
    fn read(&mut self, address: u16) -> u8 {
        self.bytes[usize::from(address)]
    }
    fn write(&mut self, address: u16, value: u8) {
        self.bytes[usize::from(address)] = value;
    }
    fn tick(&mut self, cpu_cycles: u32) {
        self.cycles += cpu_cycles;
    }
}

#[test]
fn a_program_runs_from_the_reset_vector_until_it_jams() {
    let mut bus = Memory { bytes: vec![0; 0x1_0000], cycles: 0 };
    // LDA #$11; STA $80; jam
    bus.bytes[0xF000..0xF005].copy_from_slice(&[0xA9, 0x11, 0x85, 0x80, 0x02]);
    bus.bytes[0xFFFC..0xFFFE].copy_from_slice(&[0x00, 0xF0]);
    let mut cpu = Cpu::new();
    cpu.reset(&mut bus);
    for _ in 0..10 {
        cpu.run_instruction(&mut bus);
    }
    assert!(cpu.jammed());
    assert_eq!((bus.cycles, cpu.pc, cpu.a, bus.bytes[0x80]), (7, 0xF005, 0x11, 0x11));
}
