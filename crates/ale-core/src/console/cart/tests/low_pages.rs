//! Schemes that watch addresses outside the window (3F, 3E, UA, MC), and the Supercharger.

use super::*;

#[test]
fn a_write_to_the_first_page_selects_a_3f_bank_and_reaches_the_tia() {
    let mut bench = Bench::new(Scheme::ThreeF);
    for address in [0x0000, 0x0002, 0x003F, 0x203F] {
        for bank in [1, 3, 0] {
            assert!(bench.write(address, bank));
            assert_eq!(bench.read(0xF123), stamp(0x800 * usize::from(bank) + 0x123));
            assert_eq!(bench.read(0xF923), stamp(0x1800 + 0x123), "the last bank stays");
        }
    }
}

#[test]
fn mirrors_of_the_first_page_do_not_select() {
    for scheme in [Scheme::ThreeF, Scheme::ThreeE] {
        let mut bench = Bench::new(scheme);
        for address in [0x0040, 0x007F, 0x013F, 0x023F, 0x00BF, 0x083F] {
            assert!(bench.write(address, 1));
            assert_eq!(bench.read(0xF000), stamp(0), "{address:04X}");
            assert_eq!(bench.read(address), 0xEE, "{address:04X}: not the cartridge's");
        }
    }
}

#[test]
fn the_first_page_reads_as_rom() {
    let mut bench = Bench::new(Scheme::ThreeF);
    bench.write(0x3F, 2);
    assert!((0..0x40).all(|address| bench.read(address) == stamp(0x1000 + usize::from(address))));
}

#[test]
fn writes_into_a_3f_window_reach_the_tia_and_its_first_bytes_switch() {
    let mut bench = Bench::new(Scheme::ThreeF);
    assert!(bench.write(0xF03F, 1));
    assert_eq!(bench.read(0xF000), stamp(0x800));
    assert!(bench.write(0x1000, 2));
    assert_eq!(bench.read(0xF000), stamp(0x1000));
    for address in [0xF040, 0xF802, 0xFFFF] {
        assert!(bench.write(address, 3));
        assert_eq!(bench.read(0xF000), stamp(0x1000));
    }
    bench.reset();
    assert_eq!(bench.read(0xF000), stamp(0));
}

#[test]
fn a_bank_beyond_the_image_is_taken_modulo_the_whole_banks() {
    for scheme in [Scheme::ThreeF, Scheme::ThreeE] {
        let mut bench = Bench::with(scheme, stamped(7424)); // three banks and 1280 bytes
        for (value, bank) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 1), (5, 2), (6, 0), (255, 0)] {
            bench.write(0x3F, value);
            assert_eq!(bench.read(0xF000), stamp(0x800 * bank), "{value}");
        }
        assert_eq!(bench.read(0xF800), stamp(7424 - 2048), "the last 2 KiB need not be a whole bank");
        assert_eq!(bench.read(0xFFFF), stamp(7423));
    }
}

#[test]
fn in_3e_only_two_addresses_select() {
    let mut bench = Bench::new(Scheme::ThreeE);
    for address in (0..0x3E).chain([0xF000, 0xF002, 0xF040, 0xF802]) {
        assert!(bench.write(address, 1));
        assert_eq!(bench.read(0xF000), stamp(0), "{address:04X}");
    }
    assert!(bench.write(0xF03F, 1));
    assert_eq!(bench.read(0xF000), stamp(0x800));
    assert!(bench.write(0x003F, 2));
    assert_eq!(bench.read(0xF000), stamp(0x1000));
}

#[test]
fn ram_of_3e_lies_over_the_rom_until_a_rom_bank_is_selected() {
    let mut bench = Bench::new(Scheme::ThreeE);
    assert!(bench.write(0xF03E, 5));
    assert!(!bench.write(0xF410, 0x77), "a write to RAM does not reach the TIA");
    assert!(bench.write(0xF010, 0x11), "one to the read port does");
    assert_eq!([bench.read(0xF010), bench.read(0xF410), bench.read(0x0010)], [0x77; 3]);
    bench.write(0x3E, 6);
    assert_ne!(bench.read(0xF010), 0x77);
    bench.write(0x3E, 37);
    assert_eq!(bench.read(0xF010), 0x77, "there are 32 banks of RAM");
    assert!(!bench.write(0xF43F, 1));
    assert_eq!(bench.read(0xF03F), 1, "the write port holds no register");
    assert_eq!(bench.read(0xF923), stamp(0x1800 + 0x123));
    bench.write(0x3F, 1);
    assert_eq!(bench.read(0xF000), stamp(0x800));
}

#[test]
fn ua_selects_by_any_access_to_two_addresses() {
    let mut bench = Bench::new(Scheme::Ua);
    assert_eq!(bench.bank(), 0);
    assert_eq!(bench.read(0x0240), 0xEE, "TIA and RIOT answer");
    assert_eq!(bench.bank(), 1);
    assert!(bench.write(0x0220, 0));
    assert_eq!(bench.bank(), 0);
    bench.read(0x2240);
    assert_eq!(bench.bank(), 1);
    for address in [0x0221, 0x0320, 0x0020, 0x0222, 0x0620, 0x1220] {
        bench.read(address);
        bench.write(address, 0);
        assert_eq!(bench.bank(), 1, "{address:04X}");
    }
    bench.reset();
    assert_eq!(bench.bank(), 0);
}

#[test]
fn mc_windows_show_blocks_of_rom_or_ram() {
    let mut bench = Bench::new(Scheme::Mc);
    assert!(!bench.write(0x3C, 0x81));
    assert_eq!(bench.read(0xF000), stamp(0x400));
    bench.write(0x3D, 0xFE);
    assert_eq!(bench.read(0xF400), stamp(0x400 * 0x7E));
    bench.write(0x3E, 0x05);
    bench.write(0xF810, 0x44);
    bench.write(0xFA11, 0x45); // the read port
    assert_eq!(bench.read(0xFA10), 0x44);
    assert_ne!(bench.read(0xFA11), 0x45);
    bench.write(0x3E, 0x45);
    assert_eq!(bench.read(0xFA10), 0x44, "bit 6 does not count");
    assert_eq!(bench.read(0xF810), 0);
    assert_eq!(bench.read(0xFA10), 0, "reading the write port stores 0");
    bench.reset();
    assert_eq!(bench.read(0xF000), stamp(0x400), "a reset keeps the registers");
}

#[test]
fn mc_locks_its_last_window_while_vectors_are_read() {
    let mut bench = Bench::new(Scheme::Mc);
    bench.write(0x3F, 0x82);
    assert_eq!(bench.read(0xFC00), stamp(0x800));
    assert_eq!(bench.read(0xFFFC), stamp(0x1_FFFC));
    assert_eq!(bench.read(0xFC00), stamp(0x1_FC00));
    bench.write(0x3F, 0x83);
    assert_eq!(bench.read(0xFC00), stamp(0x1_FC00), "still locked");
    bench.read(0xFBFF);
    assert_eq!(bench.read(0xFC00), stamp(0xC00));
}

#[test]
fn mc_keeps_the_first_page_from_the_tia() {
    let mut bench = Bench::new(Scheme::Mc);
    for address in 0..0x40 {
        assert_eq!(bench.read(address), 0);
        assert!(!bench.write(address, 0));
    }
    assert_eq!(bench.read(0x40), 0xEE);
    assert!(bench.write(0x42, 0));
}

#[test]
fn a_short_mc_image_lies_at_the_end() {
    let mut bench = Bench::with(Scheme::Mc, vec![7; 1024]);
    assert_eq!(bench.read(0xFFFC), 7);
    bench.write(0x3C, 0xFE);
    assert_eq!(bench.read(0xF000), 0);
}

#[test]
fn a_supercharger_starts_in_its_rom_with_the_first_load_in_ram() {
    let mut bench = Bench::new(Scheme::Ar);
    assert_eq!([bench.read(0xFFFC), bench.read(0xFFFD)], [0x00, 0xF8]);
    assert_eq!([0xF800, 0xF801, 0xF802].map(|address| bench.read(address)), [0x4C, 0x00, 0xF8]);
    assert_eq!(bench.read(0xF123), stamp(0x1123), "bank 2 lies below");
}

#[test]
fn a_supercharger_takes_its_configuration_from_the_address_of_an_access() {
    let mut bench = Bench::new(Scheme::Ar);
    bench.read(0xF000 | 0b0_1000);
    assert_eq!(bench.read(0xF900), 0, "not yet");
    bench.read(0xFFF8);
    assert_eq!(bench.read(0xF900), stamp(0x100), "configuration 2: bank 0 above");
    assert_eq!(bench.read(0xF100), stamp(0x1100), "and bank 2 below");
}

#[test]
fn a_supercharger_writes_at_the_fifth_access_when_it_may() {
    let mut bench = Bench::new(Scheme::Ar);
    for enabled in [false, true] {
        bench.read(0xF000 | 0b0_1000 | u16::from(enabled) << 1);
        bench.read(0xFFF8);
        bench.read(0xF042);
        for address in [0xF901, 0xF901, 0xF902, 0xF903, 0xF904, 0xFA00] {
            bench.read(address); // two in a row at the same address count once
        }
        assert_eq!(bench.peek(0xFA00), if enabled { 0x42 } else { stamp(0x200) });
        assert_eq!(bench.peek(0xF904), stamp(0x104));
    }
}
