//! One image for every row of the detection table.

use super::*;
use crate::console::Properties;
use crate::error::Error;

/// No bytes of any pattern, and no two banks alike.
fn filler(size: usize) -> Vec<u8> {
    (0..size).map(|i| 1 + (i % 7) as u8 + 8 * (i / 2048 % 14) as u8).collect()
}

fn with(size: usize, at: usize, pattern: &[u8]) -> Vec<u8> {
    let mut image = filler(size);
    image[at..at + pattern.len()].copy_from_slice(pattern);
    image
}

/// Images whose banks begin with 256 equal bytes.
fn with_ram_ports(size: usize) -> Vec<u8> {
    let mut image = filler(size);
    image.chunks_exact_mut(4096).for_each(|bank| bank[..256].fill(0x80));
    image
}

fn detect(image: Vec<u8>) -> Result<Scheme, Error> {
    Scheme::detect(&Rom::new(image), &Properties::default())
}

#[track_caller]
fn is(image: Vec<u8>, scheme: Scheme) {
    assert_eq!(detect(image), Ok(scheme));
}

const TWO_3F: [u8; 5] = [0x85, 0x3F, 0x00, 0x85, 0x3F];
const ONE_3E: [u8; 4] = [0x85, 0x3E, 0xA9, 0x00];

#[test]
fn sizes_without_patterns_have_their_plain_scheme() {
    let plain = [
        (2048, Scheme::TwoK),
        (4096, Scheme::FourK),
        (8192, Scheme::F8),
        (8448, Scheme::Ar),
        (3 * 8448, Scheme::Ar),
        (10240, Scheme::Dpc),
        (10495, Scheme::Dpc),
        (10496, Scheme::Dpc),
        (12288, Scheme::Fasc),
        (16384, Scheme::F6),
        (32768, Scheme::F4),
        (65536, Scheme::Mb),
        (131_072, Scheme::Mc),
    ];
    for (size, scheme) in plain {
        is(filler(size), scheme);
    }
}

#[test]
fn other_sizes_are_refused_with_their_size() {
    for size in [0, 1, 2, 3, 100, 2047, 2049, 4095, 4097, 8191, 10241, 24576, 131_073] {
        assert_eq!(detect(filler(size)), Err(Error::RomSize { size }));
    }
    assert_eq!(detect(vec![0; 1 << 20]), Err(Error::RomSize { size: 1 << 20 }));
}

#[test]
fn other_sizes_are_accepted_with_3e_or_3f() {
    for size in [100, 2049, 6144, 7000, 24576, 1 << 20] {
        is(with(size, 10, &TWO_3F), Scheme::ThreeF);
        is(with(size, 10, &ONE_3E), Scheme::ThreeE);
    }
}

#[test]
fn equal_halves_are_one_half() {
    is(filler(2048).repeat(2), Scheme::TwoK);
    is(filler(4096).repeat(2), Scheme::FourK);
}

#[test]
fn cv_is_told_by_its_stores_to_ram() {
    for size in [2048, 4096] {
        is(with(size, 500, &[0x9D, 0xFF, 0xF3]), Scheme::Cv);
        is(with(size, 500, &[0x99, 0x00, 0xF4]), Scheme::Cv);
    }
    is(with(2048, 500, &[0x9D, 0xFF, 0xF3]).repeat(2), Scheme::Cv);
}

#[test]
fn ram_ports_come_before_everything_else() {
    is(with_ram_ports(8192), Scheme::F8Sc);
    is(with_ram_ports(16384), Scheme::F6Sc);
    is(with_ram_ports(32768), Scheme::F4Sc);
    is(vec![0; 8192], Scheme::F8Sc);
    let mut image = with_ram_ports(8192);
    image[0x1800..0x1803].copy_from_slice(&[0x8D, 0xE0, 0x1F]);
    is(image.clone(), Scheme::F8Sc);
    image[0x10FF] = 0; // the ports of one bank are in use
    is(image, Scheme::E0);
}

#[test]
fn e0_ua_and_fe_are_told_by_their_accesses() {
    let e0 = [[0x8D, 0xE0, 0x1F], [0x8D, 0xE0, 0x5F], [0x8D, 0xE9, 0xFF], [0xAD, 0xE9, 0xFF]];
    for access in e0.into_iter().chain([[0xAD, 0xED, 0xFF], [0xAD, 0xF3, 0xBF]]) {
        is(with(8192, 5000, &access), Scheme::E0);
    }
    is(with(8192, 5000, &[0x8D, 0x40, 0x02]), Scheme::Ua);
    for call in [
        [0x20, 0x00, 0xD0, 0xC6, 0xC5],
        [0x20, 0xC3, 0xF8, 0xA5, 0x82],
        [0xD0, 0xFB, 0x20, 0x73, 0xFE],
        [0x20, 0x00, 0xF0, 0x84, 0xD6],
    ] {
        is(with(8192, 0, &call), Scheme::Fe);
    }
}

#[test]
fn patterns_of_eight_kib_are_tried_in_order() {
    let patterns: [(&[u8], Scheme); 5] = [
        (&[0x20, 0x00, 0xD0, 0xC6, 0xC5], Scheme::Fe),
        (&[0x8D, 0x40, 0x02], Scheme::Ua),
        (&TWO_3F, Scheme::ThreeF),
        (&ONE_3E, Scheme::ThreeE),
        (&[0x8D, 0xE0, 0x1F], Scheme::E0),
    ];
    let mut image = filler(8192);
    for (i, (pattern, scheme)) in patterns.into_iter().enumerate() {
        image[300 * (i + 1)..][..pattern.len()].copy_from_slice(pattern);
        is(image.clone(), scheme);
    }
}

#[test]
fn large_images_may_use_3e_or_3f() {
    for size in [8192, 16384, 32768, 65536, 131_072] {
        is(with(size, 700, &TWO_3F), Scheme::ThreeF);
        is(with(size, 700, &ONE_3E), Scheme::ThreeE);
        assert_ne!(detect(with(size, 700, &[0x85, 0x3F])), Ok(Scheme::ThreeF), "once is not enough");
    }
}

#[test]
fn e7_has_filler_under_its_ports_and_something_around() {
    for around in [0x37E0, 0x37FF, 0x3A00, 0x3A1F] {
        let mut image = filler(16384);
        image[0x37E0..0x3A20].fill(0xFF);
        image[around] = 0;
        is(image, Scheme::E7);
    }
    let mut image = filler(16384);
    image[0x37E0..0x3A20].fill(0xFF);
    is(image.clone(), Scheme::F6);
    image[0x37E0] = 0;
    image[0x3900] = 0;
    is(image, Scheme::F6);
}

#[test]
fn the_last_position_is_not_examined() {
    is(with(8192, 8192 - 3, &[0x8D, 0xE0, 0x1F]), Scheme::F8);
    is(with(8192, 8192 - 4, &[0x8D, 0xE0, 0x1F]), Scheme::E0);
    is(with(2048, 2048 - 3, &[0x9D, 0xFF, 0xF3]), Scheme::TwoK);
}

#[test]
fn a_byte_is_passed_over_after_a_hit() {
    is(with(8192, 700, &[0x85, 0x3F, 0x85, 0x3F]), Scheme::F8);
    is(with(8192, 700, &[0x85, 0x3F, 0x85, 0x3F, 0x85, 0x3F]), Scheme::ThreeF);
}

#[test]
fn the_properties_may_name_the_scheme() {
    let named = |name: &str| Properties { cartridge_type: Some(name.into()), ..Properties::default() };
    let rom = Rom::new(filler(8192));
    assert_eq!(Scheme::detect(&rom, &named("E0")), Ok(Scheme::E0));
    assert_eq!(Scheme::detect(&rom, &named("4a50")), Ok(Scheme::Stub4A50));
    let message = Scheme::detect(&rom, &named("F9")).expect_err("there is no such scheme").to_string();
    assert!(message.starts_with("cartridge type \"F9\" does not exist; accepted: 2K, 4K, F8, "), "{message}");
}

#[test]
fn a_scheme_of_another_size_is_refused() {
    let error = Cart::load(&Rom::new(filler(2048)), Scheme::F6).expect_err("it is too short");
    assert_eq!(error.to_string(), "a cartridge of type F6 has 16384 bytes; this image has 2048");
}

#[test]
fn names_are_unique_and_read_back() {
    for scheme in Scheme::ALL {
        assert_eq!(Scheme::from_name(scheme.name()), Ok(scheme));
    }
}
