//! Tests of the 6507.
//!
//! | file | proves |
//! |---|---|
//! | `registers.rs` | reset, status register, stack, jam, and the oddities of single opcodes |
//! | `results.rs` | every opcode's registers and memory, against the naive twin in `twin.rs` |
//! | `accesses.rs` | every opcode's bus accesses and the time each of them sees |
//! | `decimal.rs` | decimal mode, exhaustively |
//!
//! `table.rs` is the instruction set as a page of text; the twin and the access lists are derived from it.

use std::fmt::Write;

use proptest::prelude::*;

use super::{Bus, Cpu};

mod accesses;
mod decimal;
mod registers;
mod results;
mod table;
mod twin;

/// 64 KiB of RAM, a clock and a record of all accesses.
#[derive(Clone)]
struct Recorder {
    memory: Vec<u8>,
    time: u32,
    accesses: Vec<Access>,
}

/// What happened on the bus, where, and at which time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Access {
    Read { address: u16, time: u32 },
    Write { address: u16, time: u32 },
}

impl Recorder {
    fn new(memory: Vec<u8>) -> Self {
        Self { memory, time: 0, accesses: Vec::new() }
    }

    /// Zeros everywhere but at the places given.
    fn with(parts: &[(u16, &[u8])]) -> Self {
        let mut memory = vec![0; 0x1_0000];
        for &(address, bytes) in parts {
            let start = usize::from(address);
            memory[start..start + bytes.len()].copy_from_slice(bytes);
        }
        Self::new(memory)
    }

    /// The record as text: time, kind and address of each access.
    fn text(&self) -> String {
        let mut text = String::new();
        for access in &self.accesses {
            let (Access::Read { address, time } | Access::Write { address, time }) = *access;
            let kind = if matches!(access, Access::Read { .. }) { "read" } else { "write" };
            let separator = if text.is_empty() { "" } else { ", " };
            write!(text, "{separator}{time} {kind} {address:04X}").expect("a string takes any text");
        }
        text
    }
}

impl Bus for Recorder {
    fn read(&mut self, address: u16) -> u8 {
        self.accesses.push(Access::Read { address, time: self.time });
        self.memory[usize::from(address)]
    }

    fn write(&mut self, address: u16, value: u8) {
        self.accesses.push(Access::Write { address, time: self.time });
        self.memory[usize::from(address)] = value;
    }

    fn tick(&mut self, cpu_cycles: u32) {
        self.time += cpu_cycles;
    }
}

/// Where the programs of the tests lie.
const PROGRAM: u16 = 0xF000;

/// A CPU about to run what lies at [`PROGRAM`].
fn cpu() -> Cpu {
    Cpu { pc: PROGRAM, ..Cpu::new() }
}

/// A CPU with the given status register.
fn with_p(p: u8, mut cpu: Cpu) -> Cpu {
    cpu.set_p(p);
    cpu
}

/// The CPU after one instruction.
fn after(mut cpu: Cpu, bytes: &[u8]) -> Cpu {
    cpu.run_instruction(&mut Recorder::with(&[(cpu.pc, bytes)]));
    cpu
}

/// The flags of a CPU as letters, bits 5 and 4 left out.
fn flags(cpu: &Cpu) -> String {
    let letters = [(0x80, 'N'), (0x40, 'V'), (0x08, 'D'), (0x04, 'I'), (0x02, 'Z'), (0x01, 'C')];
    letters.iter().filter(|(bit, _)| cpu.p() & bit != 0).map(|&(_, letter)| letter).collect()
}

/// Bytes at which something wraps, crosses or changes its sign come up often.
fn any_byte() -> impl Strategy<Value = u8> {
    prop_oneof![3 => any::<u8>(), 1 => prop::sample::select(vec![0x00, 0x01, 0x7F, 0x80, 0xFE, 0xFF])]
}

/// Any registers and flags.
fn any_cpu() -> impl Strategy<Value = Cpu> {
    (any_byte(), any_byte(), any_byte(), any_byte(), any_byte(), any_byte(), any::<u8>()).prop_map(
        |(a, x, y, sp, pc_low, pc_high, p)| {
            with_p(p, Cpu { a, x, y, sp, pc: u16::from_le_bytes([pc_low, pc_high]), ..Cpu::new() })
        },
    )
}

/// 64 KiB of any bytes, a fifth of them edge cases.
fn any_memory() -> impl Strategy<Value = Vec<u8>> {
    any::<u32>().prop_map(|seed| {
        let mut state = seed | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 8) as u8
        };
        let mut byte = || match next() {
            0..50 => [0x00, 0x01, 0x7F, 0x80, 0xFF][usize::from(next()) % 5],
            _ => next(),
        };
        (0..0x1_0000).map(|_| byte()).collect()
    })
}
