//! E0, E7 and CV.

use super::*;

fn e0_slices(bench: &Bench) -> [usize; 4] {
    [0x1100, 0x1500, 0x1900, 0x1D00].map(|address| {
        let byte = bench.peek(address);
        (0..8).find(|slice| stamp(0x400 * slice + 0x100) == byte).expect("the byte is stamped")
    })
}

#[test]
fn e0_starts_with_its_last_four_slices() {
    let mut bench = Bench::new(Scheme::E0);
    assert_eq!(e0_slices(&bench), [4, 5, 6, 7]);
    bench.read(0xFFE0);
    bench.reset();
    assert_eq!(e0_slices(&bench), [4, 5, 6, 7]);
}

#[test]
fn e0_hot_spots_choose_a_slice_for_each_of_three_windows() {
    for mirror in [0x1000, 0x5000, 0xF000] {
        for slice in 0..8_u16 {
            let mut bench = Bench::new(Scheme::E0);
            let byte = bench.read(mirror + 0xFE0 + slice);
            assert_eq!(byte, stamp(0x1C00 + 0x3E0 + usize::from(slice)), "hot spots lie in slice 7");
            assert_eq!(e0_slices(&bench), [usize::from(slice), 5, 6, 7]);
            bench.write(mirror + 0xFE8 + slice, 0);
            assert_eq!(e0_slices(&bench), [usize::from(slice), usize::from(slice), 6, 7]);
            bench.read(mirror + 0xFF0 + (7 - slice));
            assert_eq!(e0_slices(&bench), [slice, slice, 7 - slice, 7].map(usize::from));
        }
    }
}

#[test]
fn e0_has_no_other_hot_spots() {
    let mut bench = Bench::new(Scheme::E0);
    for a in (0..0xFE0).chain(0xFF8..0x1000) {
        bench.read(0xF000 | a);
        bench.write(0xF000 | a, 0xFF);
        assert_eq!(e0_slices(&bench), [4, 5, 6, 7], "{a:03X}");
    }
}

#[test]
fn e7_shows_a_slice_below_and_the_last_slice_above() {
    let mut bench = Bench::new(Scheme::E7);
    for slice in 0..7_u16 {
        bench.read(0xFFE0 + slice);
        assert_eq!(bench.read(0xF012), stamp(0x800 * usize::from(slice) + 0x12));
        assert_eq!(bench.read(0xF412), stamp(0x800 * usize::from(slice) + 0x412));
        bench.write(0xF012, 0x99);
        assert_eq!(bench.read(0xF012), stamp(0x800 * usize::from(slice) + 0x12), "ROM takes nothing");
        assert_eq!(bench.read(0xFB00), stamp(0x800 * 7 + 0x300));
    }
    bench.reset();
    assert_eq!(bench.read(0xF012), stamp(0x12));
}

#[test]
fn e7_slice_seven_is_a_kib_of_ram() {
    let mut bench = Bench::new(Scheme::E7);
    bench.write(0xFFE7, 0);
    bench.write(0xF013, 0x66);
    bench.write(0xF414, 0x67); // the read port
    assert_eq!(bench.read(0xF413), 0x66);
    assert_ne!(bench.read(0xF414), 0x67);
    assert_eq!(bench.read(0xF013), stamp(0x800 * 7 + 0x13), "the write port shows the ROM of slice 7");
    bench.read(0xFFE2);
    assert_eq!(bench.read(0xF413), stamp(0x1413));
}

#[test]
fn e7_has_four_small_banks_of_ram() {
    let mut bench = Bench::new(Scheme::E7);
    for bank in 0..4 {
        bench.read(0xFFE8 + bank);
        bench.write(0xF810, 0x40 + bank as u8);
        bench.write(0xF911, 0x40);
    }
    for bank in 0..4 {
        bench.write(0xFFE8 + bank, 0);
        assert_eq!(bench.read(0xF910), 0x40 + bank as u8);
    }
    assert_eq!(bench.read(0xF810), stamp(0x3810), "the write port shows the ROM");
    bench.read(0xFFEC);
    assert_eq!(bench.read(0xF910), 0x43, "$FEC is no hot spot");
    bench.reset();
    bench.write(0xF810, 0x77);
    bench.read(0xFFE8);
    assert_eq!(bench.read(0xF910), 0x77, "bank 0 after a reset");
}

#[test]
fn e7_ram_is_drawn_with_the_large_block_first() {
    let mut bench = Bench::new(Scheme::E7);
    let mut rng = Mt19937::new(DEFAULT_SEED);
    let draws: Vec<u8> = (0..2048).map(|_| rng.next_u32() as u8).collect();
    bench.read(0xFFE7);
    assert_eq!(bench.read(0xF412), draws[0x12]);
    bench.read(0xFFE9);
    assert_eq!(bench.read(0xF910), draws[1024 + 256 + 0x10]);
}

#[test]
fn cv_has_rom_above_and_a_kib_of_ram_below() {
    let mut bench = Bench::new(Scheme::Cv);
    assert_eq!(bench.read(0xF800), stamp(0));
    assert_eq!(bench.read(0xFFFF), stamp(0x7FF));
    bench.write(0xF410, 0x5A);
    bench.write(0xF010, 0x11); // the read port
    assert_eq!(bench.read(0xF010), 0x5A);
    assert_eq!(bench.read(0xF410), stamp(0x410), "the write port shows the ROM");
}

#[test]
fn a_cv_image_of_four_kib_brings_its_ram() {
    let mut bench = Bench::with(Scheme::Cv, stamped(4096));
    let untouched = Mt19937::new(DEFAULT_SEED);
    assert_eq!(bench.rng, untouched);
    assert_eq!(bench.read(0xF3FF), stamp(0x3FF));
    assert_eq!(bench.read(0xF400), stamp(0xC00));
    assert_eq!(bench.read(0xF800), stamp(0x800));
    bench.write(0xF7FF, 1);
    bench.reset();
    assert_eq!(bench.read(0xF3FF), stamp(0x3FF));
}
