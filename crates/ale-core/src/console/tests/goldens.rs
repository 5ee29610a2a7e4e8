//! Measured with the reference: the generator's draws, and programs after the environment's reset.

use super::{Console, DEFAULT_SEED, Properties, Rom, Television, booted, cycles, fresh, pc, rom};
use crate::rom::hex;

const JAM: [u8; 1] = [0x02];

fn timer(console: &Console) -> u32 {
    console.machine.board.riot.timer.value
}

/// The timer's value at creation cannot be seen any more; after load, and after each of some resets, it can.
fn timers(rom: &Rom, properties: &Properties, seed: u32, resets: usize) -> Vec<u32> {
    let mut console = Console::load(rom, properties, seed).expect("a cartridge");
    let mut values = vec![timer(&console)];
    for _ in 0..resets {
        console.system_reset();
        values.push(timer(&console));
    }
    values
}

fn measured() -> Properties {
    Properties::default()
}

/// Without the measurement, its reset is the last of power-on.
fn given() -> Properties {
    Properties { television: Some(Television::Ntsc), ..Properties::default() }
}

#[test]
fn power_on_fills_ram_from_the_generator() {
    assert_eq!(
        hex(fresh(&JAM).ram()),
        "b896c049cb55c87ffbb445662b3410cab9ceff8f4f44a18a04c5cdfc75e70aad\
         2d9b609eaa171e54f984513e34977c5e50b68685be77458b6d04b5ee4239c14b\
         9c33524749b3ee6b70ac246bd4fefed617dc389a498e21acd61c0d5cdaad0b77\
         a36c283851c5895c5a169855955baf4aaf990d4bec0aba5ea7bde6f7ab146fc0"
    );
    let other = Console::load(&rom(&JAM), &given(), 1).expect("4 KiB");
    assert_eq!(hex(&other.ram()[..8]), "25eb8c48ff89cb85");
}

#[test]
fn every_reset_draws_a_timer() {
    assert_eq!(timers(&rom(&JAM), &given(), DEFAULT_SEED, 0), [51]);
    assert_eq!(timers(&rom(&JAM), &measured(), DEFAULT_SEED, 7), [32, 74, 65, 64, 78, 39, 92, 49]);
    assert_eq!(timers(&rom(&JAM), &given(), 1, 2), [76, 49, 81]);
}

#[test]
fn a_cartridge_with_ram_draws_its_bytes_after_the_timer() {
    let mut image = vec![0xFF; 8192];
    image[0x1FFC..].copy_from_slice(&[0x00, 0xF2, 0x00, 0xF2]);
    image[0x1200] = 0x02;
    let rom = Rom::new(image);
    assert_eq!(timers(&rom, &given(), DEFAULT_SEED, 0), [51]);
    assert_eq!(timers(&rom, &measured(), DEFAULT_SEED, 3), [70, 40, 66, 63]);
    let ram = |console: &Console| -> Vec<u8> { (0x1080..0x1088).map(|at| console.peek(at)).collect() };
    let console = Console::load(&rom, &given(), DEFAULT_SEED).expect("F8SC");
    assert_eq!(hex(&ram(&console)), "c3391d728922ab50");
    let mut console = Console::load(&rom, &measured(), DEFAULT_SEED).expect("F8SC");
    for bytes in ["ec8d61e9b1b2514e", "6de0422b0d155e90", "ef047fe4c7be241d"] {
        assert_eq!(hex(&ram(&console)), bytes);
        console.system_reset();
    }
}

#[test]
fn a_jump_to_itself_takes_75_000_cycles_a_frame() {
    let console = booted(&rom(&[0x4C, 0x00, 0xF0]), &measured());
    let cpu = &console.machine.cpu;
    assert_eq!(cycles(&console), 5_100_000);
    assert_eq!((cpu.a, cpu.x, cpu.y, cpu.sp), (0, 0, 0, 0xFF));
}

#[test]
fn a_program_that_reads_intim_first_finds_the_drawn_value() {
    let console = booted(&rom(&[0xAD, 0x84, 0x02, 0x85, 0x80, 0x02]), &measured()); // LDA INTIM, STA $80, jam
    assert_eq!(console.ram()[0], 0x49);
}

#[test]
fn a_jammed_program_stays_where_it_is() {
    let console = booted(&rom(&[0xA9, 0x11, 0x85, 0x80, 0x02]), &measured());
    assert_eq!(
        (cycles(&console), pc(&console), console.machine.cpu.a, console.ram()[0]),
        (7, 0xF005, 0x11, 0x11)
    );
}
