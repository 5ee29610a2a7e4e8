//! 2K, 4K, FE; F8, F6, F4 and their kin; MB; UA is in `low_pages.rs`.

use super::*;

const MIRRORS: [u16; 4] = [0x1000, 0x3000, 0xD000, 0xF000];

/// Scheme, first hot spot, number of banks, bank after reset.
const FAMILY: [(Scheme, u16, usize, usize); 8] = [
    (Scheme::F8, 0xFF8, 2, 1),
    (Scheme::F8Swapped, 0xFF8, 2, 0),
    (Scheme::F8Sc, 0xFF8, 2, 1),
    (Scheme::F6, 0xFF6, 4, 0),
    (Scheme::F6Sc, 0xFF6, 4, 0),
    (Scheme::F4, 0xFF4, 8, 0),
    (Scheme::F4Sc, 0xFF4, 8, 0),
    (Scheme::Fasc, 0xFF8, 3, 2),
];

#[test]
fn two_kib_are_mirrored_and_four_fill_the_window() {
    let (mut two, mut four) = (Bench::new(Scheme::TwoK), Bench::new(Scheme::FourK));
    for a in 0..0x1000_u16 {
        assert_eq!(two.read(0xF000 | a), stamp(usize::from(a & 0x7FF)));
        assert_eq!(four.read(0x1000 | a), stamp(usize::from(a)));
    }
}

#[test]
fn a_two_kib_image_given_twice_is_mirrored_too() {
    let mut bench = Bench::with(Scheme::TwoK, stamped(2048).repeat(2));
    assert_eq!(bench.read(0xFC00), stamp(0x400));
}

#[test]
fn an_eight_kib_image_given_as_four_shows_its_first_half() {
    let mut bench = Bench::with(Scheme::FourK, stamped(4096).repeat(2));
    assert_eq!(bench.read(0xF123), stamp(0x123));
}

#[test]
fn a_read_of_a_hot_spot_gives_the_byte_of_the_new_bank() {
    for (scheme, first, banks, _) in FAMILY {
        for mirror in MIRRORS {
            let mut bench = Bench::new(scheme);
            for bank in (0..banks).rev() {
                let spot = first + bank as u16;
                let byte = bench.read(mirror | spot);
                assert_eq!(byte, stamp(0x1000 * bank + usize::from(spot)), "{scheme:?} {spot:03X}");
                assert_eq!(bench.bank(), bank, "{scheme:?}");
            }
        }
    }
}

#[test]
fn a_write_to_a_hot_spot_switches_except_in_f4sc() {
    for (scheme, first, banks, initial) in FAMILY {
        for mirror in MIRRORS {
            let mut bench = Bench::new(scheme);
            for bank in (0..banks).rev() {
                bench.write(mirror + first + bank as u16, 0x5A);
                let expected = if scheme == Scheme::F4Sc { initial } else { bank };
                assert_eq!(bench.bank(), expected, "{scheme:?}");
            }
        }
    }
}

#[test]
fn only_hot_spots_switch() {
    for (scheme, first, banks, initial) in FAMILY {
        let mut bench = Bench::new(scheme);
        for a in (0..0x1000).filter(|&a| a < first || a >= first + banks as u16) {
            bench.read(0xF000 | a);
            bench.write(0xF000 | a, 0);
            assert_eq!(bench.bank(), initial, "{scheme:?} {a:03X}");
        }
    }
}

#[test]
fn a_reset_selects_the_first_bank_again() {
    for (scheme, first, banks, initial) in FAMILY {
        let mut bench = Bench::new(scheme);
        assert_eq!(bench.bank(), initial);
        bench.read(0xF000 + first + ((initial + 1) % banks) as u16);
        assert_ne!(bench.bank(), initial);
        bench.reset();
        assert_eq!(bench.bank(), initial, "{scheme:?}");
    }
}

#[test]
fn ram_is_written_through_the_first_port_and_read_through_the_second() {
    for scheme in [Scheme::F8Sc, Scheme::F6Sc, Scheme::F4Sc, Scheme::Fasc] {
        let size: u16 = if scheme == Scheme::Fasc { 256 } else { 128 };
        let mut bench = Bench::new(scheme);
        for i in 0..size {
            bench.write(0xF000 | i, !(i as u8));
        }
        bench.read(0xFFF9); // the RAM is the same in every bank
        let bank = bench.bank();
        for i in 0..size {
            assert_eq!(bench.read(0x1000 | size | i), !(i as u8), "{scheme:?}");
            let rom = stamp(0x1000 * bank + usize::from(i));
            assert_eq!(bench.read(0x1000 | i), rom, "{scheme:?}: the write port shows the ROM");
            bench.write(0x1000 | size | i, 0x99);
            assert_eq!(bench.read(0x1000 | size | i), !(i as u8), "{scheme:?}: the read port takes nothing");
        }
        let rom = stamp(0x1000 * bank + usize::from(2 * size));
        assert_eq!(bench.read(0x1000 + 2 * size), rom, "{scheme:?}: ROM follows the ports");
    }
}

#[test]
fn sc_ram_is_drawn_anew_at_each_reset_of_the_machine() {
    let mut bench = Bench::new(Scheme::F8Sc);
    let mut rng = Mt19937::new(DEFAULT_SEED);
    (0..129).for_each(|_| _ = rng.next_u32()); // RIOT RAM and timer
    bench.rng = rng;
    let mut heads = Vec::new();
    for _ in 0..4 {
        bench.rng.next_u32(); // the RIOT's timer comes first
        bench.reset();
        heads.push(std::array::from_fn(|i| bench.read(0xF080 + i as u16)));
    }
    let measured: [u64; 4] =
        [0xC339_1D72_8922_AB50, 0xEC8D_61E9_B1B2_514E, 0x6DE0_422B_0D15_5E90, 0xEF04_7FE4_C7BE_241D];
    assert_eq!(heads, measured.map(u64::to_be_bytes));
}

#[test]
fn a_reset_draws_one_number_for_each_byte_of_ram() {
    for scheme in Scheme::ALL {
        let draws = match scheme {
            Scheme::F8Sc | Scheme::F6Sc | Scheme::F4Sc => 128,
            Scheme::Fasc => 256,
            Scheme::Cv => 1024,
            Scheme::E7 => 2048,
            Scheme::Ar => 6144,
            Scheme::ThreeE | Scheme::Mc => 32768,
            _ => 0,
        };
        let mut bench = Bench::new(scheme);
        let mut rng = bench.rng.clone();
        bench.reset();
        (0..draws).for_each(|_| _ = rng.next_u32());
        assert_eq!(bench.rng, rng, "{scheme:?}");
    }
}

#[test]
fn fe_takes_its_bank_from_address_line_13() {
    let mut bench = Bench::new(Scheme::Fe);
    for a in 0..0x1000_u16 {
        for address in [0xF000, 0xB000, 0x7000, 0x3000] {
            assert_eq!(bench.read(address | a), stamp(usize::from(a)));
        }
        for address in [0xD000, 0x9000, 0x5000, 0x1000] {
            assert_eq!(bench.read(address | a), stamp(0x1000 + usize::from(a)));
        }
    }
}

#[test]
fn mb_steps_to_the_next_bank_and_begins_again_after_the_last() {
    let mut bench = Bench::new(Scheme::Mb);
    assert_eq!(bench.bank(), 1);
    assert_eq!(bench.read(0xFFF0), stamp(0x2FF0));
    bench.write(0x1FF0, 0);
    assert_eq!(bench.bank(), 3);
    (0..13).for_each(|_| _ = bench.read(0xFFF0));
    assert_eq!(bench.bank(), 0);
    bench.read(0xFFF1);
    assert_eq!(bench.bank(), 0);
}

#[test]
fn stubs_read_zero() {
    for scheme in [Scheme::Stub4A50, Scheme::Stub0840] {
        let mut bench = Bench::new(scheme);
        assert!((0x1000..0x2000).all(|address| bench.read(address) == 0));
    }
}
