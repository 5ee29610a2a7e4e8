//! Random programs in random states: code must return and stay within its bounds, whatever they are. `ALE_SEED` repeats a
//! fresh seed. State, ROM and table of entry points lie between guard pages (see [`super::guard`]); within the state, what is
//! only read must stay as it was, and the write log is between such fields.
//!
//! That it does what instructions do is compared with the reference interpreter of the console: `instructions.rs` and `renderers.rs` of
//! `ale-core`.

#![expect(clippy::field_reassign_with_default, reason = "fields in the order in which they are drawn")]

#[cfg(unix)]
use super::guard::lean;
use crate::{BlockEntry, CYCLE_BITS, Exit, Fetcher, Instruction, JitCode, RomWindow, State, Timer, kind};

/// A generator of numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    /// One way seven times of eight, otherwise the other.
    fn often<T>(&mut self, usual: impl Fn(&mut Self) -> T, other: impl Fn(&mut Self) -> T) -> T {
        if self.below(8) > 0 { usual(self) } else { other(self) }
    }

    fn instruction(&mut self, count: u64) -> Instruction {
        // Every jump uses up instructions, as those of a console do.
        let used = 1 + self.below(9) as i32;
        Instruction {
            kind: match self.below(4) {
                3 => self.next() as u16,
                0 => kind::STORE_TIA + self.below(0xC0) as u16,
                1 => self.below(0xA00) as u16,
                _ => self.below(0x100) as u16,
            },
            operand: self.next() as u16,
            offset: self.next() as u16,
            cycles_after: self.often(|random| random.below(400) as u16, |random| random.next() as u16),
            last_byte: self.next() as u8,
            wait_loop: self.next() as u8,
            target: self.often(|random| random.below(count + 3) as u16, |random| random.next() as u16),
            time_delta: (-used << CYCLE_BITS) + self.below(500) as i32,
        }
    }

    fn state(&mut self) -> State {
        let mut state = State::default();
        state.time = (self.below(300) << CYCLE_BITS | self.below(19_000)) as i64;
        // What a console makes of them, or all that their types allow.
        state.line = self.often(|random| random.below(19_000) as u32, |random| random.next() as u32);
        state.carry = self.often(|random| (random.below(2) << 8) as u32, |random| random.next() as u32);
        state.nz = self.often(|random| random.below(0x400) as u32, |random| random.next() as u32);
        state.set_colors_logged(self.below(2) == 0);
        state.ports = std::array::from_fn(|_| self.next() as u8);
        (state.overflow, state.interrupt) = (self.next() as u8, self.below(2) == 0);
        state.registers = [self.next() as u8, self.next() as u8, self.next() as u8];
        state.sp = self.next() as u8;
        state.decimal = self.below(4) == 0;
        state.pins_stale = self.below(4) == 0;
        state.pins = std::array::from_fn(|_| self.below(19_000) as u32);
        for fetcher in &mut state.display.fetchers {
            let [counter, rest] = [self.next(), self.next()];
            *fetcher = Fetcher {
                counter: counter as u16,
                top: rest as u8,
                bottom: (rest >> 8) as u8,
                flag: (rest >> 16) as u8,
                music: rest & 0x80_0000 != 0,
            };
        }
        state.display.music_cycle = [self.below(19_000) as u32, self.next() as u32][self.below(2) as usize];
        state.display.fraction =
            [0.5, -0.5, 1e300, f64::NAN, f64::from_bits(self.next())][self.below(5) as usize];
        state.timer = Timer {
            value: [self.below(0x100) as u32, self.next() as u32][self.below(2) as usize],
            shift: [0, 3, 6, 10, self.next() as u32][self.below(5) as usize],
            set: [self.below(19_000) as u32, self.next() as u32][self.below(2) as usize],
            late_read: self.next() as u32,
            late: self.below(2) == 0,
        };
        for byte in &mut state.ram {
            *byte = self.next() as u8;
        }
        // Pieces of ROM that may or may not exist.
        let len = [0, 1, 0x400, 0x1000, 0x2000, u32::MAX][self.below(6) as usize];
        let offset = [0, 0x400, 0xF000, 0xFFFF, u32::MAX][self.below(5) as usize];
        state.set_rom_span(self.below(0x1_0000) as u32, len, offset);
        state.set_windows(std::array::from_fn(|n| {
            let len = [0, 1, 0x400, 0x1000][self.below(4) as usize];
            RomWindow::new(0x1000 + 0x400 * n as u16, len, self.below(0x1_1000) as usize)
        }));
        state.invalidate_tia_shadow([self.next() as u8, self.next() as u8]);
        state
    }
}

fn image(byte: u8) -> Box<[u8; 0x1_0000]> {
    vec![byte; 0x1_0000].into_boxed_slice().try_into().expect("it is as long as that")
}

#[cfg(not(unix))]
fn lean(_: bool) {}

#[test]
fn random_code_returns() {
    run_random_code(0x9E37_79B9_7F4A_7C15);
}

#[test]
fn random_code_of_a_fresh_seed_returns() {
    let now = std::time::UNIX_EPOCH.elapsed().map_or(1, |now| now.as_nanos() as u64);
    let seed = std::env::var("ALE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(now) | 1;
    println!("ALE_SEED={seed}");
    run_random_code(seed);
}

fn run_random_code(seed: u64) {
    let mut random = Random(seed);
    let rom = image(0x5A);
    for number in 0..400 {
        lean(number % 2 == 0);
        let count = 1 + random.below(300);
        let instructions: Vec<_> = (0..count).map(|_| random.instruction(count)).collect();
        let block_entries: Vec<_> = (0..random.below(0x2000))
            .map(|_| BlockEntry { op: random.below(count + 3) as u16, cycles_to_end: -(1 << CYCLE_BITS) })
            .collect();
        // Where there can be no code there is nothing to test.
        let Some(code) = JitCode::compile(&instructions, &block_entries, &rom) else { return };
        for _ in 0..60 {
            let before = random.state();
            let mut state = Box::new(before.clone());
            let op = random.below(count + 3) as u16;
            let exit = code.run(&mut state, op);
            let (Exit::OutOfBudget(then) | Exit::Bailout(then)) = exit;
            let known = u64::from(then) < count + 3 || instructions.iter().any(|other| other.target == then);
            assert!(known, "{exit:?} of {count}");
            assert!(state.write_log().iter().all(|write| write.register() < 64));
            assert!(state.carry < 0x200 || before.carry >= 0x200, "carry {:x}", state.carry);
            assert!(state.log_len as usize <= state.write_log.len(), "room in the write log");
            assert_eq!(state.windows, before.windows, "what lies behind the write log");
            let read = |state: &State| (state.pins, state.ports, state.color_step);
            assert_eq!(read(&state), read(&before), "what code only reads");
        }
    }
}

#[test]
fn what_is_not_there_is_left_to_the_caller() {
    let rom = image(0);
    let Some(code) = JitCode::compile(&[], &[], &rom) else { return };
    let mut state = State::default();
    assert_eq!(code.run(&mut state, 0), Exit::Bailout(0));
    assert_eq!(code.run(&mut state, 0xFFFF), Exit::Bailout(0xFFFF));
}

#[test]
fn too_many_instructions_are_refused() {
    let rom = image(0);
    assert!(JitCode::compile(&vec![Instruction::default(); 0x1_0001], &[], &rom).is_none());
}

#[test]
fn a_loop_runs_until_its_time_is_over() {
    // INX, and back: 2 and 3 cycles.
    let two = (-2 << CYCLE_BITS) + 5;
    let instructions = [
        Instruction { kind: kind::EXIT, ..Instruction::default() },
        Instruction { kind: 0xE8, cycles_after: 3, ..Instruction::default() },
        Instruction { kind: kind::NEXT_BLOCK, target: 1, time_delta: two, ..Instruction::default() },
    ];
    let rom = image(0);
    let Some(code) = JitCode::compile(&instructions, &[], &rom) else { return };
    let mut state = State::default();
    state.time = 20 << CYCLE_BITS;
    assert_eq!(code.run(&mut state, 1), Exit::OutOfBudget(1));
    // Ten rounds use up all instructions, and the next one more than that.
    assert_eq!(state.registers, [0, 11, 0]);
    assert_eq!(state.nz, 11);
    assert_eq!(state.time, i64::from(11 * two) + (20 << CYCLE_BITS));
}
