//! Every bound that the code generator emits, one case each: at the bound the code leaves the instruction to the caller, or
//! cuts an index. Around it are canaries: memory that must stay as it was.

use super::programs::{jump, plain};
use crate::kind;
#[allow(clippy::wildcard_imports, reason = "the instruction set")]
use crate::opcode::*;
use crate::{BlockEntry, CYCLE_BITS, Exit, Instruction, JitCode, RomWindow, State};

/// What is in ROM where nothing else is said.
const FILL: u8 = 0x5A;
/// What masked indices find.
const FOUND: u8 = 0x77;

/// The ROM: two places that are found by indices that go once around, and the rest.
fn rom() -> Box<[u8; 0x1_0000]> {
    let mut rom: Box<[u8; 0x1_0000]> =
        vec![FILL; 0x1_0000].into_boxed_slice().try_into().expect("as long as that");
    (rom[0x7F], rom[8192], rom[0x2FFF]) = (FOUND, FOUND, FOUND);
    rom
}

/// A program whose instruction 1 is looked at, in 4 KiB of ROM at 0xF000; places from 0x800 on are entered at `entry`.
fn code(instructions: &[Instruction], entry: u16) -> Option<JitCode> {
    let there = BlockEntry { op: entry, cycles_to_end: -(1 << CYCLE_BITS) };
    let block_entries: Vec<_> =
        (0..0x1000).map(|offset| if offset < 0x800 { BlockEntry::default() } else { there }).collect();
    JitCode::compile(instructions, &block_entries, &rom())
}

/// A state in which an instruction runs: the stack is in RAM, and the program in its ROM.
fn state() -> State {
    let mut state =
        State { time: (1000 << CYCLE_BITS) + 5000, sp: 0xF0, pins_stale: false, ..State::default() };
    state.timer.value = 100;
    state.timer.shift = 10;
    state.set_rom_span(0xF000, 0x1000, 0);
    state.ram[0x80..0x100].fill(0xF8);
    state
}

/// Runs instruction 1 and those behind it; the windows behind the write log are canaries.
fn run(instructions: &[Instruction], entry: u16, change: impl Fn(&mut State)) -> Option<(Exit, State)> {
    let mut all = vec![plain(kind::EXIT, 0)];
    all.extend(instructions);
    all.push(plain(kind::EXIT, 0));
    let code = code(&all, entry)?;
    let mut state = state();
    change(&mut state);
    let before = state.clone();
    let exit = code.run(&mut state, 1);
    assert_eq!(state.windows, before.windows, "the canaries behind the write log");
    assert_eq!(state.pins, before.pins, "what code only reads");
    assert!(state.write_log.len() >= state.log_len as usize, "room in the write log");
    assert!(state.write_log().iter().all(|write| write.register() < 64), "registers of the video chip");
    assert!(state.carry < 0x200 && state.timer.shift < 32, "fields beside those that are written");
    Some((exit, state))
}

/// The instruction is left to the caller, and nothing has changed.
fn bails(name: &str, instruction: Instruction, change: impl Fn(&mut State)) {
    let Some((exit, after)) = run(&[instruction], 2, &change) else { return };
    assert_eq!(exit, Exit::Bailout(1), "{name}");
    let mut before = state();
    change(&mut before);
    assert_eq!(after.ram, before.ram, "{name}: RAM");
    assert_eq!((after.sp, after.registers), (before.sp, before.registers), "{name}: registers");
    assert_eq!(after.rom_span(), before.rom_span(), "{name}: the ROM span");
}

/// The instruction runs, and the program goes on behind it.
fn runs(name: &str, instruction: Instruction, change: impl Fn(&mut State), check: impl Fn(&State) -> bool) {
    let Some((exit, after)) = run(&[instruction], 2, change) else { return };
    assert_eq!(exit, Exit::Bailout(2), "{name}");
    assert!(check(&after), "{name}: {:02X?}", after.registers);
}

fn sp(sp: u8) -> impl Fn(&mut State) {
    move |state| state.sp = sp
}

fn x(x: u8) -> impl Fn(&mut State) {
    move |state| state.registers[1] = x
}

fn y(y: u8) -> impl Fn(&mut State) {
    move |state| state.registers[2] = y
}

/// Two bytes of RAM.
fn word(at: usize, word: u16) -> impl Fn(&mut State) {
    move |state| state.ram[at..at + 2].copy_from_slice(&word.to_le_bytes())
}

#[test]
fn loads_stay_within_ram_and_plain_rom() {
    bails("a byte behind the span, and no window", plain(LDA_ABX, 0xE000), x(1));
    bails("a byte before the span", plain(LDA_ABX, 0xEF00), x(0xFF));
    bails("neither RAM nor ROM", plain(LDA_ABX, 0x0280), x(0));
    bails("a register of the video chip that is no input", plain(LDA_ABX, 0x0010), x(0x10));
    runs("an input of the video chip", plain(LDA_ABX, 0x0038), x(0), |state| state.registers[0] & 0x80 == 0);
    bails("the same by a zero page index", plain(LDA_ZPX, 0x00), x(0x10));
    bails("a pointer at a register", plain(LDA_IZX, 0x10), x(0));
    bails("a pointer whose second byte is not RAM", plain(LDA_IZX, 0xFF), x(0));
    bails("through a pointer to nowhere", plain(LDA_IZY, 0x90), word(0x90, 0xD000));
    let windowed = |len| {
        move |state: &mut State| {
            let mut windows = [RomWindow::default(); 12];
            windows[11] = RomWindow::new(0x3C00, len, 0x2C00);
            state.set_windows(windows);
            state.ram[0x90..0x92].copy_from_slice(&0xFFFF_u16.to_le_bytes());
            state.set_rom_span(0xF000, 0x100, 0);
        }
    };
    bails("behind the window", plain(LDA_IZY, 0x90), windowed(0x3FF));
    let found = |state: &State| state.registers[0] == FOUND;
    runs("the last byte of the last window", plain(LDA_IZY, 0x90), windowed(0x400), found);
    runs("an index goes once around ROM", plain(LDA_ROMY, 0xFF80), y(0xFF), found);
}

#[test]
fn inputs_are_those_of_the_table() {
    let low = |state: &State| state.registers[0] & 0x80 == 0;
    let pin = plain(LDA_ZPX, 0x38);
    runs(
        "the last of eight inputs",
        pin,
        |state| {
            x(7)(state);
            state.ram.fill(0);
        },
        low,
    );
    bails("inputs that VBLANK may have changed", pin, |state| state.pins_stale = true);
    bails("the same by name", plain(kind::TIA + LDA_ZP, 0x38), |state| state.pins_stale = true);
    let timer = plain(kind::TIMER + LDA_ZP, 0x284);
    bails("the timer has run out", timer, |state| state.timer.value = 0);
    let wait = Instruction { wait_loop: 1, ..plain(kind::TIMER_WAIT + LDA_ZP, 0x284) };
    bails("there is no time to wait", wait, |state| state.time -= 1001 << CYCLE_BITS);
    // Loops that must not be cut short: too much or too little is left, or it was read after it had run out.
    let waits = |name: &str, change: fn(&mut State), instructions: i64| {
        let Some((_, after)) = run(&[wait], 2, change) else { return };
        assert_eq!(after.time >> CYCLE_BITS, instructions, "{name}");
    };
    waits("a timer above 127", |state| state.timer.value = 200, 1000);
    waits("a timer below the least", |state| state.timer.value = 1, 1000);
    waits("a timer that was read late", |state| state.timer.late = true, 1000);
    waits("more rounds than there is time for", |state| state.timer.value = 100, 0);
}

#[test]
fn arithmetic_in_decimal_is_left_to_the_caller() {
    bails("ADC", plain(ADC_IMM, 1), |state| state.decimal = true);
}

#[test]
fn the_stack_stays_in_ram() {
    let call = jump(kind::CALL, 0xF123, 2);
    bails("a call without room", call, sp(0x80));
    bails("a call far below", call, sp(0x20));
    bails("a far call without room", plain(JSR, 0xF900), sp(0x80));
    bails("PLP at the end", plain(PLP, 0), sp(0xFF));
    bails("PLP below RAM", plain(PLP, 0), sp(0x7E));
    bails("RTS at the end", plain(RTS, 0), sp(0xFE));
    bails("RTI at the end", plain(RTI, 0), sp(0xFD));
    bails("BRK without room", plain(BRK, 0xF900), sp(0x81));
    bails("PHP to no register", plain(PHP, 0), sp(0x20));
    bails("PLA from no input", plain(PLA, 0), sp(0x36));
    bails("PLA at the begin of RAM", plain(PLA, 0), sp(0x7F));
    bails("PLA at the end of RAM", plain(PLA, 0), sp(0xFF));
    bails("INC outside of RAM", plain(INC_ZPX, 0x00), x(0));
    bails("a store outside of RAM", plain(STA_ABX, 0x0280), x(0));
    bails("a store through a pointer outside of RAM", plain(STA_IZY, 0x90), word(0x90, 0x1080));
    let pushed = |state: &State| matches!(state.write_log(), [write] if write.register() == 0x3F);
    runs("PHA to the last register", plain(PHA, 0), sp(0x7F), pushed);
    runs("a store to the last register", plain(STA_ZPX, 0x00), x(0x7F), pushed);
}

#[test]
fn jumps_lead_to_entry_points() {
    bails("through a pointer to RAM", plain(JMP_IND, 0x90), word(0x90, 0x0080));
    bails("through a pointer to no window", plain(JMP_IND, 0x90), word(0x90, 0xD800));
    bails("through a pointer to no instruction", plain(JMP_IND, 0x90), word(0x90, 0xF100));
    bails("a far jump to no instruction", plain(JMP_ABS, 0xF100), |_| ());
    bails("a call to another mirror", jump(kind::CALL, 0xD123, 2), |_| ());
    bails("BRK to other ROM", plain(BRK, 0xD900), |_| ());
    bails("BRK to no instruction", plain(BRK, 0xF100), |_| ());
    bails("RTI to other ROM", plain(RTI, 0), word(0xF2, 0xD900));
    bails("RTI to no instruction", plain(RTI, 0), word(0xF2, 0xF100));
    bails("RTS to other ROM", plain(RTS, 0), word(0xF1, 0xD900));
    bails("RTS behind the last byte", plain(RTS, 0), word(0xF1, 0xFFFF));
    bails("RTS to no instruction", plain(RTS, 0), word(0xF1, 0xF100));
}

#[test]
fn far_jumps_stay_within_windows_and_the_table() {
    // The window of 0xD400 to 0xD7FF.
    let at = |len, offset| {
        move |state: &mut State| {
            let mut windows = [RomWindow::default(); 12];
            windows[1] = RomWindow::new(0x1400, len, offset);
            state.set_windows(windows);
            state.ram[0xF1..0xF3].copy_from_slice(&0xD7FF_u16.to_le_bytes());
        }
    };
    bails("a far jump behind its window", plain(JMP_ABS, 0xD700), at(0x300, 0x800));
    bails("a far return behind its window", plain(RTS, 0), at(0x400, 0x800));
    bails("a far return from behind its window", plain(RTS, 0), at(0x3FF, 0x800));
    // Its begin has entry points and its end has none: later jumps within the span would miss the table.
    bails("a far jump to no instruction of its window", plain(JMP_ABS, 0xD400), at(0x400, 0x100));
    bails("a window of addresses that are no ROM", plain(JMP_IND, 0x90), |state| {
        let mut windows = [RomWindow::default(); 12];
        windows[1] = RomWindow::new(0x0400, 0x400, 0x800);
        state.set_windows(windows);
        word(0x90, 0x0480)(state);
    });
    let Some((exit, after)) = run(&[plain(RTS, 0)], 2, |state| {
        at(0x400, 0xC00)(state);
        word(0xF1, 0xD5FF)(state);
    }) else {
        return;
    };
    assert_eq!((exit, after.rom_span()), (Exit::Bailout(2), [0xD400, 0x400, 0xC00]), "a far return");
    bails("a window that reaches behind the table", plain(JMP_ABS, 0xD400), at(0x400, 0xE00));
    bails("a window behind the table", plain(JMP_ABS, 0xD400), at(0x400, 0x8000));
    let Some((exit, after)) = run(&[plain(JMP_ABS, 0xD400)], 2, at(0x400, 0xC00)) else { return };
    assert_eq!((exit, after.rom_span()), (Exit::Bailout(2), [0xD400, 0x400, 0xC00]));
}

#[test]
fn loops_end_when_time_or_the_write_log_does() {
    let store = plain(kind::STORE_TIA + 0x10, 0x10);
    // More writes in one block than there is room for.
    let Some((exit, after)) = run(&vec![store; 700], 2, |_| ()) else { return };
    assert!(matches!(exit, Exit::OutOfBudget(_)) && after.write_log().len() > 200, "{exit:?}");
    // Writes in loops: by a branch back, and by a jump through the table of entry points.
    for back in [jump(kind::NEXT_BLOCK, 0, 1), plain(JMP_IND, 0x90), plain(JMP_ABS, 0xF900)] {
        let windowed = |state: &mut State| {
            let mut windows = [RomWindow::default(); 12];
            windows[10] = RomWindow::new(0x3800, 0x400, 0x800);
            state.set_windows(windows);
        };
        let forever = |state: &mut State| {
            windowed(state);
            state.time = i64::from(i32::MAX) << CYCLE_BITS;
        };
        let Some((exit, after)) = run(&[store, back], 1, forever) else { return };
        assert_eq!(exit, Exit::OutOfBudget(1));
        assert!(after.write_log().len() > 200);
        // The same without writes until the time is over.
        let Some((exit, after)) = run(&[plain(INX, 0), back], 1, windowed) else { return };
        assert!(matches!(exit, Exit::OutOfBudget(_)) && after.time < 0, "{exit:?}");
    }
}

#[test]
fn display_data_and_music_stay_within_their_tables() {
    let fetch = plain(kind::FETCH + LDA_ZP, 0x1008);
    let counter = |state: &mut State| state.display.fetchers[0].counter = 0x0FFF;
    runs("a counter of 16 bits", fetch, counter, |state| state.registers[0] == FOUND);
    let music = plain(kind::FETCH + LDA_ZP, 0x1004);
    let later = |cycles: u32| move |state: &mut State| state.display.music_cycle = 5000 - 7 - cycles;
    bails("more cycles than the table has", music, later(256));
    for cycles in (256..4900).step_by(58) {
        bails("many more", music, later(cycles));
    }
    bails("music that was played later than now", music, |state| state.display.music_cycle = 6000);
    bails("more than one clock of the music", music, |state| {
        later(100)(state);
        state.display.fraction = 0.9;
    });
    bails("a part of a clock that is no number", music, |state| {
        later(1)(state);
        state.display.fraction = f64::NAN;
    });
}
