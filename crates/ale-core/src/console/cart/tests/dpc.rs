//! The DPC's registers, random numbers and music.

use super::*;

const FLAG: u16 = 0x1038;
const DISPLAY: u16 = 0x1008;
const MASKED: u16 = 0x1010;
const LOUDNESS: u16 = 0x1004;
const TOP: u16 = 0x1040;
const BOTTOM: u16 = 0x1048;
const LOW: u16 = 0x1050;
const HIGH: u16 = 0x1058;
const RESTART: u16 = 0x1070;

/// The display byte that a counter points to.
fn display(counter: usize) -> u8 {
    stamp(8192 + 2047 - counter)
}

fn voice(bench: &mut Bench, fetcher: u16, top: u8, bottom: u8) {
    bench.write(TOP + fetcher, top);
    bench.write(BOTTOM + fetcher, bottom);
    bench.write(HIGH + fetcher, 0x10);
    bench.write(LOW + fetcher, 0); // loads the top
}

#[test]
fn random_numbers_follow_the_published_sequence() {
    let mut bench = Bench::new(Scheme::Dpc);
    let numbers: Vec<u8> = (0..16).map(|i| bench.read(0x1000 + i % 4)).collect();
    let published =
        [0x03, 0x07, 0x0F, 0x1E, 0x3D, 0x7A, 0xF4, 0xE8, 0xD0, 0xA1, 0x43, 0x87, 0x0E, 0x1C, 0x39, 0x72];
    assert_eq!(numbers, published);
}

#[test]
fn random_numbers_repeat_after_255() {
    let mut bench = Bench::new(Scheme::Dpc);
    let numbers: Vec<u8> = (0..510).map(|_| bench.read(0x1000)).collect();
    assert_eq!(numbers[..255], numbers[255..]);
    assert_eq!(numbers.iter().position(|&number| number == 1), Some(254));
}

#[test]
fn accesses_of_the_chip_clock_the_generator_and_plain_rom_does_not() {
    let clocks = |access: &dyn Fn(&mut Bench)| {
        let mut bench = Bench::new(Scheme::Dpc);
        access(&mut bench);
        bench.read(0x1000) != 0x03
    };
    for a in 0..0x1000_u16 {
        let through_chip = !(0x080..0xFC0).contains(&a);
        assert_eq!(clocks(&|bench| _ = bench.read(0xF000 | a)), through_chip, "read {a:03X}");
        if !(0x070..0x078).contains(&a) {
            assert!(clocks(&|bench| _ = bench.write(0xF000 | a, 0)), "write {a:03X}");
        }
    }
}

#[test]
fn a_write_restarts_the_random_numbers() {
    let mut bench = Bench::new(Scheme::Dpc);
    for fetcher in 0..8 {
        (0..7).for_each(|_| _ = bench.read(0x1000));
        bench.write(RESTART + fetcher, 0);
        assert_eq!(bench.read(0x1000), 0x03);
    }
}

#[test]
fn banks_switch_as_in_f8() {
    let mut bench = Bench::new(Scheme::Dpc);
    assert_eq!(bench.bank(), 1);
    assert_eq!(bench.read(0xFFF8), stamp(0xFF8));
    assert_eq!(bench.bank(), 0);
    bench.write(0xFFF9, 0);
    assert_eq!(bench.bank(), 1);
    bench.write(0xFFF8, 0);
    assert_eq!(bench.read(0x1045), stamp(0x045), "$040 to $07F read as program");
    bench.reset();
    assert_eq!(bench.bank(), 1);
}

#[test]
fn a_fetcher_walks_down_its_counter() {
    let mut bench = Bench::new(Scheme::Dpc);
    for fetcher in 0..8 {
        bench.write(LOW + fetcher, 0x01);
        bench.write(HIGH + fetcher, 0x0A); // only three bits count
        let bytes: Vec<u8> = (0..3).map(|_| bench.read(DISPLAY + fetcher)).collect();
        assert_eq!(bytes, [display(0x201), display(0x200), display(0x1FF)]);
    }
    bench.write(LOW, 0);
    bench.write(HIGH, 0);
    assert_eq!([bench.read(DISPLAY), bench.read(DISPLAY)], [display(0), display(0x7FF)]);
}

#[test]
fn the_flag_is_set_at_the_top_and_cleared_at_the_bottom() {
    let mut bench = Bench::new(Scheme::Dpc);
    bench.write(TOP + 2, 0x12);
    bench.write(BOTTOM + 2, 0x10);
    bench.write(LOW + 2, 0x13);
    let flags: Vec<u8> = (0..5).map(|_| bench.read(FLAG + 2)).collect(); // at 13 12 11 10 0F
    assert_eq!(flags, [0x00, 0xFF, 0xFF, 0x00, 0x00]);

    bench.write(LOW + 2, 0x13);
    let masked: Vec<u8> = (0..4).map(|_| bench.read(MASKED + 2)).collect();
    assert_eq!(masked, [0x00, display(0x12), display(0x11), 0x00]);

    bench.write(LOW + 2, 0x12);
    bench.read(FLAG + 2);
    bench.write(TOP + 2, 0x12);
    assert_eq!(bench.read(FLAG + 2), 0x00, "writing the top clears the flag");
}

#[test]
fn unused_functions_read_zero_and_still_count() {
    let mut bench = Bench::new(Scheme::Dpc);
    bench.write(LOW, 4);
    for a in [0x1018, 0x1020, 0x1028, 0x1030] {
        assert_eq!(bench.read(a), 0);
    }
    assert_eq!(bench.read(DISPLAY), display(0));
}

#[test]
fn a_voice_is_heard_above_its_bottom() {
    let mut bench = Bench::new(Scheme::Dpc);
    voice(&mut bench, 5, 3, 1); // counts 3 2 1 0 3 …: off at 1 and 0
    // A music clock passes every 75.76 cycles.
    let heard: Vec<u8> = (0..8)
        .map(|_| {
            bench.now += 76;
            bench.read(LOUDNESS)
        })
        .collect();
    assert_eq!(heard, [4, 0, 0, 4, 4, 0, 0, 4]);
}

#[test]
fn loudness_follows_the_set_of_voices() {
    for set in 0..8_usize {
        let mut bench = Bench::new(Scheme::Dpc);
        for fetcher in (5..8).filter(|fetcher| set >> (fetcher - 5) & 1 == 1) {
            voice(&mut bench, fetcher, 0xFF, 0);
        }
        bench.now = 80;
        assert_eq!(bench.read(LOUDNESS), [0x00, 0x04, 0x05, 0x09, 0x06, 0x0A, 0x0B, 0x0F][set]);
    }
}

#[test]
fn a_voice_does_not_count_reads_and_reloads_its_top() {
    let mut bench = Bench::new(Scheme::Dpc);
    voice(&mut bench, 6, 0x20, 0x10);
    bench.write(LOW + 6, 0x55);
    assert_eq!([bench.read(DISPLAY + 6), bench.read(DISPLAY + 6)], [display(0x20); 2]);
    bench.write(HIGH + 4, 0x10);
    bench.write(LOW + 4, 0x55);
    assert_eq!([bench.read(DISPLAY + 4), bench.read(DISPLAY + 4)], [display(0x55), display(0x54)]);
}

#[test]
fn a_voice_with_top_zero_is_silent() {
    let mut bench = Bench::new(Scheme::Dpc);
    voice(&mut bench, 7, 0, 0);
    bench.now = 1000;
    assert_eq!(bench.read(LOUDNESS), 0);
}

#[test]
fn the_fraction_of_a_music_clock_is_kept_between_reads_and_over_a_rebase() {
    let mut bench = Bench::new(Scheme::Dpc);
    voice(&mut bench, 5, 0xFF, 0);
    let mut twin = bench.clone();
    for _ in 0..40 {
        bench.now += 19;
        bench.read(LOUDNESS);
    }
    for _ in 0..4 {
        twin.now += 190;
        twin.read(LOUDNESS);
        twin.cart.rebase(twin.now);
        twin.now = 0;
    }
    let counter = |bench: &Bench| bench.peek(DISPLAY + 5);
    // 760 cycles are 10.03 clocks.
    assert_eq!([counter(&bench), counter(&twin)], [display(0xFF - 10); 2]);
}

#[test]
fn a_reset_keeps_the_fetchers_and_the_random_number() {
    let mut bench = Bench::new(Scheme::Dpc);
    bench.write(LOW, 0x33);
    bench.read(0x1001);
    bench.read(0xFFF8);
    let mut twin = bench.clone();
    twin.reset();
    assert_eq!(twin.bank(), 1);
    assert_eq!(twin.read(DISPLAY), bench.read(DISPLAY));
    assert_eq!(twin.read(0x1000), bench.read(0x1000));
}
