//! What holds for every scheme: nothing panics, `peek` moves nothing, and a saved state continues.

use ale_sim::bytes::Reader;
use proptest::prelude::*;

use super::*;
use crate::console::Properties;
use crate::error::Error;

fn schemes() -> impl Strategy<Value = Scheme> {
    prop::sample::select(Scheme::ALL.to_vec())
}

/// Any access; hot spots and the first page are likely.
fn accesses() -> impl Strategy<Value = Vec<(u16, Option<u8>, u8)>> {
    let address = prop_oneof![
        any::<u16>(),
        0xFFE0..=0xFFFF_u16,
        0x1000..0x1100_u16,
        0..0x40_u16,
        Just(0x0220),
        Just(0x0240)
    ];
    prop::collection::vec((address, any::<Option<u8>>(), any::<u8>()), 0..200)
}

fn run(bench: &mut Bench, accesses: &[(u16, Option<u8>, u8)]) -> Vec<u8> {
    let mut seen = Vec::new();
    for &(address, value, cycles) in accesses {
        bench.now = bench.now.wrapping_add(u32::from(cycles));
        seen.push(match value {
            Some(value) => u8::from(bench.write(address, value)),
            None => bench.read(address),
        });
    }
    seen
}

fn saved(cart: &Cart) -> Vec<u8> {
    let mut bytes = Vec::new();
    cart.save(&mut bytes);
    bytes
}

proptest! {
    #[test]
    fn a_restored_cartridge_continues(scheme in schemes(), before in accesses(), after in accesses()) {
        let mut bench = Bench::new(scheme);
        let template = bench.cart.clone();
        run(&mut bench, &before);
        let bytes = [saved(&bench.cart), vec![1, 2, 3]].concat();
        let mut rest = Reader::new(&bytes);
        let mut twin = bench.clone();
        twin.cart = template.restore(&mut rest)?;
        prop_assert_eq!(rest.rest(), [1, 2, 3]);
        prop_assert!(twin.cart == bench.cart);
        prop_assert_eq!(run(&mut twin, &after), run(&mut bench, &after));
        prop_assert!(twin.cart == bench.cart);
    }

    #[test]
    fn garbage_is_refused_or_gives_a_cartridge_that_runs(
        scheme in schemes(),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        after in accesses(),
    ) {
        let mut bench = Bench::new(scheme);
        let mut state = saved(&bench.cart);
        let end = state.len().min(1 + bytes.len());
        state[1..end].copy_from_slice(&bytes[..end - 1]);
        if let Ok(cart) = bench.cart.restore(&mut Reader::new(&state)) {
            bench.cart = cart;
            run(&mut bench, &after);
        }
    }

    #[test]
    fn peek_shows_what_a_read_would_give(scheme in schemes(), before in accesses(), address in any::<u16>()) {
        let address = address | 0x1000;
        let mut bench = Bench::new(scheme);
        run(&mut bench, &before);
        let unmoved = bench.cart.clone();
        let seen = bench.peek(address);
        prop_assert!(bench.cart == unmoved);
        let mut reader = bench.clone();
        let read = reader.read(address);
        // Time passes for a DPC's music, and a Supercharger's pending byte may land at this very address.
        let timed = scheme == Scheme::Dpc && address & 0xFFF < 0x08;
        if !timed && scheme != Scheme::Ar {
            prop_assert_eq!(seen, read);
        }
    }

    #[test]
    fn random_images_load_and_can_be_accessed_anywhere(
        size in prop::sample::select(vec![
            2048, 4096, 8192, 8448, 10240, 10495, 10496, 12288, 16384, 16896, 32768, 65536, 131_072,
        ]),
        seed in any::<u32>(),
        accesses in accesses(),
    ) {
        let mut rng = Mt19937::new(seed);
        let image: Vec<u8> = (0..size).map(|_| rng.next_u32() as u8).collect();
        let scheme = Scheme::detect(&Rom::new(image.clone()), &Properties::default())?;
        run(&mut Bench::with(scheme, image), &accesses);
    }

    #[test]
    fn images_of_any_size_with_3f_or_3e_load(
        size in 8..20_000_usize,
        with_ram in any::<bool>(),
        accesses in accesses(),
    ) {
        let mut image = vec![0; size];
        let pattern = if with_ram { [0x85, 0x3E, 0xA9, 0x00, 0x00] } else { [0x85, 0x3F, 0x00, 0x85, 0x3F] };
        image[..5].copy_from_slice(&pattern);
        let rom = Rom::new(image.clone());
        let scheme = Scheme::detect(&rom, &Properties::default())?;
        run(&mut Bench::with(scheme, image), &accesses);
    }
}

#[test]
fn every_address_can_be_read_and_written_under_every_scheme() {
    for scheme in Scheme::ALL {
        let mut bench = Bench::new(scheme);
        for address in 0..=0xFFFF {
            bench.read(address);
            bench.write(address, address as u8);
            if address & 0x1000 != 0 {
                bench.peek(address);
            }
        }
    }
}

#[test]
fn the_number_of_a_scheme_in_a_state_is_its_place_in_the_list() {
    for (number, scheme) in Scheme::ALL.into_iter().enumerate() {
        assert_eq!(usize::from(saved(&Bench::new(scheme).cart)[0]), number);
    }
}

#[test]
fn a_truncated_state_is_refused() {
    for scheme in Scheme::ALL {
        let bench = Bench::new(scheme);
        let bytes = saved(&bench.cart);
        for end in (0..bytes.len()).step_by(1 + bytes.len() / 50) {
            let error = bench.cart.restore(&mut Reader::new(&bytes[..end])).expect_err("it is cut");
            assert!(matches!(&error, Error::State(text) if text.contains("it ends")), "{error}");
        }
    }
}

#[test]
fn a_state_of_another_scheme_is_refused() {
    let (f8, f6) = (Bench::new(Scheme::F8), Bench::new(Scheme::F6));
    let error = f8.cart.restore(&mut Reader::new(&saved(&f6.cart))).expect_err("it is another scheme");
    assert_eq!(
        error.to_string(),
        "the saved state of the cartridge is damaged: cartridge type 4 (F6) where F8 was expected"
    );
}

#[test]
fn impossible_fields_are_refused() {
    for (scheme, at, value) in [
        (Scheme::F8, 1, 2),
        (Scheme::F6, 1, 4),
        (Scheme::Fasc, 1, 3),
        (Scheme::E0, 2, 8),
        (Scheme::E7, 1, 8),
        (Scheme::E7, 2, 4),
        (Scheme::ThreeF, 1, 4),
        (Scheme::ThreeF, 2, 1),
        (Scheme::ThreeE, 2, 33),
        (Scheme::Mc, 5, 2),
        (Scheme::Ar, 3, 6),
        (Scheme::Ar, 5, 0x10),
        (Scheme::Dpc, 1, 2),
        (Scheme::Dpc, 14, 0x7F), // the fraction is huge
        (Scheme::Dpc, 18, 0x08), // a counter of twelve bits
        (Scheme::Dpc, 19, 2),
        (Scheme::Dpc, 20, 1), // fetcher 0 is no voice
    ] {
        let bench = Bench::new(scheme);
        let mut bytes = saved(&bench.cart);
        bytes[at] = value;
        assert!(bench.cart.restore(&mut Reader::new(&bytes)).is_err(), "{scheme:?} byte {at} = {value}");
    }
    let dpc = Bench::new(Scheme::Dpc);
    let mut bytes = saved(&dpc.cart);
    bytes[7..15].copy_from_slice(&f64::NAN.to_le_bytes());
    assert!(dpc.cart.restore(&mut Reader::new(&bytes)).is_err(), "the fraction is no number");
}
