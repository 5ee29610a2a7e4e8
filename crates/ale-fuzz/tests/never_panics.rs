//! Any bytes as a ROM and any bytes as a state: a clear error, or a machine that runs.

#[path = "../../ale-core/tests/support/mod.rs"]
mod support;

use ale_core::console::{DEFAULT_SEED, Properties, Television};
use ale_core::rng::Mt19937;
use ale_core::{Console, Error, Rom};
use ale_fuzz::cartridges::{SIZES, hold, one_of_each_scheme, random_bytes, random_program};
use proptest::prelude::*;
use support::{find_rom, torture_roms};

/// Runs with random inputs, resets, snapshots and reads of every address.
fn play(console: &mut Console, frames: u32, rng: &mut Mt19937) {
    let mut kept = console.clone();
    for _ in 0..frames {
        hold(console, rng);
        console.run_frame();
        match rng.below(12) {
            0 => console.system_reset(),
            1 => kept.clone_from(console),
            2 => console.clone_from(&kept),
            3 => console.restore_bytes(&kept.save_bytes()).expect("its own bytes"),
            4 => console.make_sound(&mut [0; 512]),
            5 => console.write_ram(rng.next_u32() as usize, rng.next_u32() as u8),
            _ => {}
        }
    }
    let _: u32 = (0..=0xFFFF).map(|address| u32::from(console.peek(address))).sum();
    assert!(console.screen().len() == console.height() * 160);
}

/// With a norm nothing is measured at power-on, which takes most of the time of a short game.
fn properties(television: Option<Television>) -> Properties {
    Properties { television, ..Properties::default() }
}

#[test]
fn impossible_sizes_are_an_error_that_tells_the_size() {
    let mut rng = Mt19937::new(1);
    for size in [0, 1, 2, 100, 2047, 2049, 3000, 4095, 4097, 6144, 8191, 8447, 9999, 20_480, 131_073, 1 << 20]
    {
        let mut random = random_bytes(size, &mut rng);
        // Without STA zp there is no trace of 3F or 3E bank switching.
        random.iter_mut().filter(|byte| **byte == 0x85).for_each(|byte| *byte = 0);
        for image in [vec![0; size], random] {
            let error = Console::load(&Rom::new(image), &properties(None), DEFAULT_SEED).err();
            assert_eq!(error, Some(Error::RomSize { size }));
            let text = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(text.contains(&format!("{size} bytes")) && text.contains("accepted"), "{text}");
        }
    }
}

#[test]
fn odd_sizes_with_bank_switching_of_their_own_run() {
    let mut rng = Mt19937::new(2);
    for size in [10, 100, 2047, 2049, 5000, 300_000, 1 << 20] {
        for code in [&[0x85, 0x3F, 0, 0x85, 0x3F, 0, 0][..], &[0x85, 0x3E, 0xA9, 0x00, 0]] {
            let mut image = vec![0; size];
            image[..code.len()].copy_from_slice(code);
            match Console::load(&Rom::new(image), &properties(None), DEFAULT_SEED) {
                Ok(mut console) => play(&mut console, 4, &mut rng),
                Err(error) => assert!(error.to_string().contains("accepted"), "{error}"),
            }
        }
    }
}

#[test]
fn random_bytes_of_every_legal_size_run() {
    let mut rng = Mt19937::new(3);
    for size in SIZES {
        let raw = Rom::new(random_bytes(size, &mut rng));
        for (rom, norm) in [
            (Rom::new(vec![0; size]), None),
            (Rom::new(vec![0xFF; size]), Some(Television::Ntsc)),
            (raw.clone(), None),
            (raw, Some(Television::Pal)),
            (random_program(size, &mut rng), Some(Television::Ntsc)),
        ] {
            let console = Console::load(&rom, &properties(norm), DEFAULT_SEED);
            play(&mut console.expect("a legal size"), 10, &mut rng);
        }
    }
}

#[test]
fn every_scheme_runs_random_programs() {
    let mut rng = Mt19937::new(4);
    for _ in 0..3 {
        for mut console in one_of_each_scheme(&mut rng) {
            play(&mut console, 25, &mut rng);
        }
    }
}

/// Consoles in the middle of something, for their states to be changed.
fn busy_consoles() -> Vec<Console> {
    let mut rng = Mt19937::new(5);
    let mut consoles = one_of_each_scheme(&mut rng);
    for (_, rom) in torture_roms().into_iter().step_by(8) {
        consoles.push(Console::load(&rom, &properties(None), DEFAULT_SEED).expect("4 KiB"));
    }
    for md5 in ["6d842c96d5a01967be9680080dd5be54", "f34f08e5eb96e500e851a80be3277a56"] {
        let found =
            find_rom(md5).and_then(|rom| Console::load(&rom, &Properties::of(&rom), DEFAULT_SEED).ok());
        consoles.extend(found);
    }
    for console in &mut consoles {
        play(console, 7, &mut rng);
    }
    consoles
}

const HEAD: usize = 26;
const TAIL: usize = 8;

/// Makes length and checksum right again.
fn seal(bytes: &mut [u8]) {
    if bytes.len() < HEAD + TAIL {
        return;
    }
    let length = (bytes.len() - HEAD - TAIL) as u32;
    bytes[6..10].copy_from_slice(&length.to_le_bytes());
    let (all, tail) = bytes.split_at_mut(bytes.len() - TAIL);
    let hash = all.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    tail.copy_from_slice(&hash.to_le_bytes());
}

/// Either an error that leaves the console as it was, or a state that runs and can be saved.
fn restore(console: &mut Console, bytes: &[u8]) -> Result<(), Error> {
    let before = console.clone();
    let result = console.restore_bytes(bytes);
    if let Err(error) = &result {
        assert!(matches!(error, Error::State(text) if text.len() > 20), "{error:?}");
        assert!(*console == before, "a refused state changed the console: {error}");
    } else {
        let saved = console.save_bytes();
        console.restore_bytes(&saved).expect("its own bytes");
        console.run_frame();
        console.make_sound(&mut [0; 512]);
        console.system_reset();
        console.run_frame();
    }
    console.clone_from(&before);
    result
}

#[test]
fn a_damaged_state_is_refused_with_the_reason() {
    let [mut console, mut other] = [1, 2].map(|seed| {
        let rom = random_program(4096, &mut Mt19937::new(seed));
        Console::load(&rom, &properties(Some(Television::Ntsc)), DEFAULT_SEED).expect("4 KiB")
    });
    let good = console.save_bytes();
    let mut refusal = |bytes: &[u8]| restore(&mut console, bytes).expect_err("damaged").to_string();
    assert_eq!(
        refusal(b"hello"),
        "these 5 bytes are no saved state of a console: they begin with \"68656c6c\", a state with \"41524353\""
    );
    assert!(refusal(b"").contains("these 0 bytes"));
    assert!(refusal(&good[..20]).contains("cut short: 20 bytes"));
    let cut = &good[..good.len() - 1];
    assert!(refusal(cut).contains(&format!("cut short: {} bytes, its head says {}", cut.len(), good.len())));
    assert!(refusal(&[&good[..], &[0]].concat()).contains("too long"));
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        bytes
    };
    assert_eq!(refusal(&with(4, 9)), "the saved state has version 9; accepted: version 1");
    assert!(refusal(&with(100, good[100] ^ 1)).contains("its checksum is"));
    let foreign = other.save_bytes();
    let text = refusal(&foreign);
    assert!(text.contains(&other.rom().md5_hex()) && text.contains("accepted"), "{text}");
    assert!(restore(&mut other, &foreign).is_ok());
}

#[test]
fn a_state_of_another_picture_or_norm_is_refused() {
    let mut rng = Mt19937::new(7);
    let rom = random_program(4096, &mut rng);
    let load = |properties: &Properties| Console::load(&rom, properties, DEFAULT_SEED).expect("4 KiB");
    let usual = properties(Some(Television::Ntsc));
    for (properties, what) in [
        (Properties { height: 220, ..usual.clone() }, "Ntsc, 220 rows from line 34, HMOVE blanks on"),
        (Properties { ystart: 30, ..usual.clone() }, "Ntsc, 210 rows from line 30, HMOVE blanks on"),
        (
            Properties { hmove_blanks: false, ..usual.clone() },
            "Ntsc, 210 rows from line 34, HMOVE blanks off",
        ),
        (properties(Some(Television::Pal)), "Pal, 250 rows from line 34, HMOVE blanks on"),
    ] {
        let bytes = load(&properties).save_bytes();
        let text = restore(&mut load(&usual), &bytes).expect_err(what).to_string();
        assert!(text.contains(what) && text.contains("accepted: Ntsc, 210 rows"), "{text}");
    }
}

#[test]
fn extreme_values_at_every_place_of_a_state_are_refused_or_run() {
    // The generator's 2496 bytes take any value; all before them is short.
    const TRIED: usize = 480;
    let mut rng = Mt19937::new(8);
    let mut thorough = true;
    for mut console in busy_consoles() {
        let good = console.save_bytes();
        let step = if thorough { 1 } else { 29 };
        thorough = false;
        for at in (HEAD + rng.below(step) as usize..good.len().min(HEAD + TRIED)).step_by(step as usize) {
            for value in [&[0xFF][..], &[0x00], &[0xFF, 0xFF, 0xFF, 0x7F], &[0, 0, 0, 0x80], &[0xFF; 4]] {
                let mut bytes = good.clone();
                let end = (at + value.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&value[..end - at]);
                seal(&mut bytes);
                let _ = restore(&mut console, &bytes);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_no_state(bytes: Vec<u8>, seed: u32) {
        let mut rng = Mt19937::new(seed);
        let rom = random_program(2048, &mut rng);
        let mut console = Console::load(&rom, &properties(Some(Television::Ntsc)), seed).expect("2 KiB");
        prop_assert!(restore(&mut console, &bytes).is_err());
        // With a right envelope too.
        let mut body = console.save_bytes()[..HEAD].to_vec();
        body.extend(bytes);
        body.extend([0; TAIL]);
        seal(&mut body);
        prop_assert!(restore(&mut console, &body).is_err());
    }

    #[test]
    fn changed_states_are_refused_or_run(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in prop::option::weighted(0.2, any::<prop::sample::Index>()),
        more in prop::collection::vec(any::<u8>(), 0..3),
        sealed: bool,
        seed: u32,
    ) {
        let mut rng = Mt19937::new(seed);
        let mut consoles = one_of_each_scheme(&mut rng);
        let console = &mut consoles[rng.below(23) as usize];
        play(console, 3, &mut rng);
        let mut bytes = console.save_bytes();
        if let Some(cut) = &cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(&more);
        bytes.push(0);
        for (at, value) in &changes {
            let at = at.index(bytes.len());
            bytes[at] = *value;
        }
        bytes.pop();
        if sealed {
            seal(&mut bytes);
        }
        let _ = restore(console, &bytes);
    }
}
