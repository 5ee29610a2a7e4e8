//! Random writes on the chip and on its twin, which goes clock by clock: where the objects are, what HMOVE leaves behind,
//! collisions and pixels, with the renderer that ships, the exact one and the literal one.
//!
//! `ALE_SEED` is the seed of the test with a fresh one, which prints it.

use std::collections::BTreeSet;

use ale_jit::TiaWrite;

use super::super::motion::ArkMissile;
use super::super::write_log::apply_write_log;
use super::twin::{Missile, Twin};
use super::*;
use crate::rng::Mt19937;

const LINE_CYCLES: u32 = 76;
const ROWS: u16 = 12;

/// What the rules of motion decide about.
#[derive(Debug, PartialEq)]
struct Moved {
    positions: [i64; 5],
    nibbles: [u8; 5],
    suppressed: [bool; 2],
    blank: bool,
    /// The Cosmic Ark state, its counter and what it makes of missile 0.
    ark: (bool, u8, Missile),
    since_hmove: i64,
    locked: [bool; 2],
    collisions: u16,
    reflected: bool,
}

impl Moved {
    fn of_chip(tia: &Tia, now: i64) -> Self {
        Self {
            positions: tia.positions.map(i64::from),
            nibbles: std::array::from_fn(|object| tia.motion.get(object)),
            suppressed: tia.suppressed,
            blank: tia.hmove_blank,
            ark: (
                tia.ark.on,
                tia.ark.counter,
                match tia.ark.missile {
                    ArkMissile::Plain => Missile::Normal,
                    ArkMissile::Widened => Missile::Wider,
                    ArkMissile::Invisible => Missile::Hidden,
                },
            ),
            since_hmove: now - i64::from(tia.hmove_time),
            locked: tia.resmp,
            collisions: tia.collisions,
            reflected: tia.reflected,
        }
    }

    fn of_twin(twin: &Twin, now: i64) -> Self {
        Self {
            positions: twin.positions,
            nibbles: twin.nibbles,
            suppressed: twin.first_is_hidden,
            blank: twin.blanks,
            ark: (twin.drifts, twin.step, twin.missile),
            since_hmove: now - twin.hmove_time,
            locked: twin.locked,
            collisions: twin.latches,
            reflected: twin.reflected,
        }
    }
}

/// A chip in one of its ways to draw.
struct Chip {
    name: &'static str,
    is_speculative: bool,
    tia: Tia,
    picture: Picture,
}

impl Chip {
    fn all(properties: &Properties) -> [Self; 4] {
        [
            ("literal", false, true),
            ("exact", false, true),
            ("speculative", true, true),
            ("blind", true, false),
        ]
        .map(|(name, is_speculative, drawing)| {
            let mut tia = Tia::new(properties);
            tia.literal = name == "literal";
            tia.drawing = drawing;
            tia.begin_frame(0);
            tia.speculative = is_speculative;
            Self { name, is_speculative, tia, picture: Picture::new(usize::from(properties.height)) }
        })
    }

    fn write(&mut self, register: u8, value: u8, cycle: u32) {
        if self.is_speculative && register != VSYNC {
            apply_write_log(&mut self.tia, &mut self.picture, &[TiaWrite::new(register, value, cycle)]);
        } else {
            self.tia.write(register, value, cycle, &mut self.picture);
        }
    }

    fn end_frame(&mut self, cycle: u32) {
        if self.is_speculative {
            assert!(self.tia.finish_speculative(cycle, &mut self.picture), "the frame is complete");
            self.tia.speculative = false;
        } else {
            self.tia.finish(&mut self.picture);
        }
    }

    fn begin_frame(&mut self, cycle: u32) {
        let phase = self.tia.horizontal(clock(cycle));
        self.tia.rebase(cycle);
        self.tia.begin_frame(phase as i32);
        self.tia.speculative = self.is_speculative;
    }
}

/// Where the strobes and HMM0 do something special, so many cycles after an HMOVE at a cycle of the line.
const SPECIAL: [(u32, u32, u8, u8); 9] = [
    (3, 20, RESM0, 0),
    (3, 3, RESM1, 0),
    (2, 18, RESBL, 0),
    (5, 18, RESBL, 0),
    (3, 3, RESBL, 0),
    (3, 7, RESBL, 0),
    (3, 6, RESBL, 0),
    (7, 21, HMM0, 0x60),
    (70, 21, HMM0, 0x60),
];

/// The next writes: each so many cycles after the one before.
fn next_writes(rng: &mut Mt19937, cycle_of_line: u32) -> Vec<(u32, u8, u8)> {
    const MOTION: [u8; 16] = [
        HMOVE, HMOVE, HMOVE, HMP0, HMP1, HMM0, HMM1, HMBL, RESP0, RESP1, RESM0, RESM1, RESBL, RESMP0, RESMP1,
        HMCLR,
    ];
    let mut below = |bound: u32| rng.below(bound);
    let until = |cycle: u32| 3 + (cycle + 2 * LINE_CYCLES - 3 - cycle_of_line) % LINE_CYCLES;
    match below(10) {
        0 => {
            let (start, later, register, value) = SPECIAL[below(9) as usize];
            let apart = later + [0, 0, 0, 1][below(4) as usize];
            let setting = (until(start + LINE_CYCLES - 4), HMM0, 0x70);
            vec![setting, (4, HMOVE, 0), (apart, register, value)]
        }
        1 => vec![(until(below(LINE_CYCLES)), HMOVE, 0)],
        2..=5 => {
            let longest = [3, 12, 80][below(3) as usize];
            vec![(3 + below(longest), MOTION[below(16) as usize], below(256) as u8)]
        }
        _ => {
            // The gap of the vertical blank is long, so it is rare.
            let register =
                [VBLANK, 4, 5, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 27, 28, 29, 30, 31, 37, 38, 39, 44]
                    [below(24) as usize];
            let value = [below(256) as u8, below(256) as u8, 0x02, 0][below(4) as usize];
            let value = if register == VBLANK && below(8) > 0 { 0 } else { value };
            let longest = [2, 10, 60][below(3) as usize];
            vec![(3 + below(longest), register, value)]
        }
    }
}

/// Plays some frames on the chips and the twin; gives the cases that were met.
fn compare(seed: u32) -> BTreeSet<String> {
    let mut rng = Mt19937::new(seed);
    let properties = Properties {
        ystart: rng.below(4) as u16,
        height: ROWS,
        hmove_blanks: rng.below(4) > 0,
        ..Properties::default()
    };
    let first = i64::from(properties.ystart);
    let mut twin = Twin::new([first, first + i64::from(ROWS)], properties.hmove_blanks);
    let mut chips = Chip::all(&properties);
    // The cycle of the frame, and the clock at which its counter began.
    let (mut cycle, mut origin) = (0, 0);
    let mut number = 0;
    let mut write =
        |chips: &mut [Chip; 4], twin: &mut Twin, origin: i64, cycle: u32, register: u8, value: u8| {
            number += 1;
            let place =
                format!("ALE_SEED={seed}: write {number}, {register:#04X} = {value:#04X} at cycle {cycle}");
            let now = origin + i64::from(clock(cycle));
            twin.write(register, value, now);
            for chip in chips.iter_mut() {
                chip.write(register, value, cycle);
            }
            let got = Moved::of_chip(&chips[0].tia, i64::from(clock(cycle)));
            assert_eq!(got, Moved::of_twin(twin, now), "{place}, literal");
        };
    for register in COLUP0..=COLUBK {
        cycle += 3;
        write(&mut chips, &mut twin, origin, cycle, register, 0x1A + 0x22 * (register - COLUP0));
    }
    for frame in 0..4 {
        while origin + i64::from(clock(cycle)) < twin.end_of_display() {
            let cycle_of_line = twin.clock_of_line(origin + i64::from(clock(cycle))) as u32 / 3;
            for (gap, register, value) in next_writes(&mut rng, cycle_of_line) {
                cycle += gap;
                write(&mut chips, &mut twin, origin, cycle, register, value);
            }
        }
        for value in [2, 0] {
            cycle += 2 * LINE_CYCLES + rng.below(LINE_CYCLES);
            write(&mut chips, &mut twin, origin, cycle, VSYNC, value);
        }
        let now = origin + i64::from(clock(cycle));
        for chip in &mut chips {
            let place = format!("ALE_SEED={seed}: end of frame {frame}, {}", chip.name);
            chip.end_frame(cycle);
            let got = Moved::of_chip(&chip.tia, i64::from(clock(cycle)));
            assert_eq!(got, Moved::of_twin(&twin, now), "{place}");
            for (row, expected) in (0..).zip(&twin.rows).filter(|_| chip.tia.drawing) {
                let got = runs(chip.picture.row(row).expect("a row of the picture"));
                assert_eq!(got, runs(expected), "{place}, row {row}");
            }
            chip.begin_frame(cycle);
        }
        twin.begin_frame(now);
        origin += i64::from(clock(cycle));
        cycle = 0;
    }
    twin.met
}

#[test]
fn random_writes_do_the_same_on_the_twin() {
    let met: BTreeSet<String> = (1..=600).flat_map(compare).collect();
    for cycle in 0..76 {
        for nibble in 0..16 {
            assert!(met.contains(&format!("HMOVE at {cycle} by {nibble}")), "HMOVE at {cycle} by {nibble}");
        }
    }
    // 48 of RESP, 6 of RESMP, 6 strobes after HMOVE, 1 start and 4 steps of the Cosmic Ark state.
    let others: Vec<&String> = met.iter().filter(|case| !case.starts_with("HMOVE")).collect();
    assert_eq!(others.len(), 48 + 6 + 7 + 1 + 4, "{others:?}");
}

#[test]
fn random_writes_of_a_fresh_seed_do_the_same_on_the_twin() {
    let now = std::time::UNIX_EPOCH.elapsed().map_or(1, |now| now.subsec_nanos());
    let seed = std::env::var("ALE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(now);
    for seed in seed..seed.saturating_add(100) {
        compare(seed);
    }
}
