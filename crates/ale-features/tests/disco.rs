//! DISCO: synthetic sprites, its definition on made-up pictures, and bytes of classes.

use std::collections::BTreeSet;
use std::sync::Arc;

use ale_features::disco::Discovery;
use ale_features::{Active, Background, Classes, Disco, FeatureSet, Input, Screen};
use ale_sim::rng::Xoshiro256;
use twins::disco::{self as twin, Pixels};
use twins::{COLUMNS, ROWS};

#[allow(dead_code, reason = "other tests use the other sets")]
mod twins;

const L: [&str; 6] = ["#...", "#...", "#...", "#...", "####", "####"];
const BACKWARDS: [&str; 6] = ["...#", "...#", "...#", "...#", "####", "####"];
const BLOCK: [&str; 3] = ["#####", "#####", "#####"];

fn paint(pixels: &mut [u8], sprite: &[&str], x: usize, y: usize, colour: u8) {
    for (row, text) in sprite.iter().enumerate() {
        for (column, _) in text.bytes().enumerate().filter(|&(_, letter)| letter == b'#') {
            pixels[(y + row) * COLUMNS + x + column] = colour;
        }
    }
}

/// Two sprites that move towards each other on a plain picture; the L is mirrored on every fourth screen.
fn screens(count: usize) -> Vec<Vec<u8>> {
    let screen = |time: usize| {
        let mut pixels = vec![0; ROWS * COLUMNS];
        let sprite = if time % 4 == 3 { &BACKWARDS } else { &L };
        paint(&mut pixels, sprite, 10 + 2 * time, 50, 30);
        paint(&mut pixels, &BLOCK, 140 - time, 90 - time, 80);
        pixels
    };
    (0..count).map(screen).collect()
}

fn screen(pixels: &[u8]) -> Screen<'_> {
    Screen::new(pixels).expect("a screen")
}

fn discover(screens: &[Vec<u8>], ground: u8) -> Classes {
    let mut discovery = Discovery::new(Background::plain(ground));
    for pixels in screens {
        discovery.observe(screen(pixels));
    }
    discovery.finish()
}

fn pixels_of(classes: &Classes) -> Vec<Vec<Pixels>> {
    let of_shape = |(width, bits): (usize, Vec<bool>)| -> Pixels {
        let set = bits.iter().enumerate().filter(|(_, set)| **set);
        set.map(|(at, _)| ((at / width) as i32, (at % width) as i32)).collect()
    };
    (0..classes.len()).map(|class| classes.shapes(class).map(of_shape).collect()).collect()
}

#[test]
fn two_sprites_give_two_classes_and_a_mirrored_one_joins_its_class() {
    let classes = discover(&screens(40), 0);
    let shapes: Vec<usize> = (0..classes.len()).map(|class| classes.shapes(class).count()).collect();
    assert_eq!(shapes, [2, 1]);
    let mut disco = Disco::new(Arc::new(classes));
    assert_eq!(disco.len(), 2 * 649 + 2592);
    let mut out = Active::default();
    for pixels in screens(6) {
        disco.active(Input::Screen(screen(&pixels)), &mut out).expect("a screen");
    }
    let found: Vec<_> = disco.instances().iter().map(|one| (one.class, one.centre(), one.velocity)).collect();
    assert_eq!(found, [(0, (22, 53), (2, 0)), (1, (137, 86), (-1, -1))]);
    let facts: Vec<_> = out.indices.iter().map(|&index| disco.describe(index).expect("a fact")).collect();
    let relations: Vec<_> = facts.iter().filter(|fact| fact.kind == "relation").collect();
    assert_eq!(relations.len(), 8, "one tile of each tiling");
    // The L is to the left and moves right; the block is below and moves up, so it comes nearer in y too.
    assert!(relations.iter().all(|fact| fact.numbers[..4] == [0, 1, 1, 1]));
    assert_eq!(facts.iter().filter(|fact| fact.kind == "position").count(), 16);
    disco.reset();
    disco.active(Input::Screen(screen(&screens(1)[0])), &mut out).expect("a screen");
    assert!(disco.instances().iter().all(|one| one.velocity == (0, 0)));
}

#[test]
fn sprites_that_rest_or_are_rare_are_no_classes() {
    let mut resting = screens(40);
    for (time, pixels) in resting.iter_mut().enumerate() {
        paint(pixels, &["###", "#.#"], 60, 150, 40);
        if time < 5 {
            paint(pixels, &["##", "##", "##", "##"], 20 + 5 * time, 180, 40);
        }
    }
    assert_eq!(discover(&resting, 0).len(), 2);
    let empty = discover(&vec![vec![6; ROWS * COLUMNS]; 3], 6);
    assert!(empty.is_empty());
    let mut disco = Disco::new(Arc::new(empty));
    let mut out = Active::default();
    disco.active(Input::Screen(screen(&screens(1)[0])), &mut out).expect("a screen");
    assert_eq!((disco.len(), out.indices.len(), out.counts.len()), (0, 0, 0));
    assert_eq!(disco.describe(0), None);
}

/// Sprites of random shapes that wander over a plain picture, with some noise.
fn wandering(rng: &mut Xoshiro256, count: usize) -> Vec<Vec<u8>> {
    let kinds = 1 + rng.below(14) as usize;
    let random = |rng: &mut Xoshiro256| -> Vec<String> {
        let width = 1 + rng.below(7);
        let row = |rng: &mut Xoshiro256| {
            (0..width).map(|_| if rng.below(4) == 0 { '.' } else { '#' }).collect::<String>()
        };
        (0..=rng.below(8)).map(|_| row(rng)).collect()
    };
    let sprites: Vec<Vec<String>> = (0..kinds).map(|_| random(rng)).collect();
    let mut places: Vec<(usize, i64, i64, u8)> = (0..3 + rng.below(12))
        .map(|_| {
            let (x, y) = (rng.below(140) as i64, rng.below(190) as i64);
            (rng.below(kinds as u64) as usize, x, y, 2 + 2 * rng.below(4) as u8)
        })
        .collect();
    let mut all = Vec::new();
    for _ in 0..count {
        let mut pixels = vec![0; ROWS * COLUMNS];
        for (kind, x, y, colour) in &mut places {
            *x = (*x + rng.below(7) as i64 - 2).rem_euclid(150);
            *y = (*y + rng.below(5) as i64 - 2).rem_euclid(200);
            let rows: Vec<String> = match rng.below(6) {
                0 => sprites[*kind].iter().map(|row| row.chars().rev().collect()).collect(),
                _ => sprites[*kind].clone(),
            };
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            paint(&mut pixels, &rows, *x as usize, *y as usize, *colour);
        }
        all.push(pixels);
    }
    all
}

fn seeds() -> [u64; 2] {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let fresh = now.expect("after 1970").as_secs();
    println!("fresh seed: {fresh}");
    [1, fresh]
}

#[test]
fn discovery_and_features_equal_their_definition() {
    for seed in seeds() {
        let mut rng = Xoshiro256::new(seed ^ 0xD15C0);
        for round in 0..6 {
            let screens = wandering(&mut rng, 30);
            let background = vec![0; ROWS * COLUMNS];
            let classes = discover(&screens, 0);
            let shapes = pixels_of(&classes);
            let sets: Vec<BTreeSet<Pixels>> =
                shapes.iter().map(|shapes| shapes.iter().cloned().collect()).collect();
            assert_eq!(sets, twin::classes(&screens, &background), "{seed} {round}");
            let restored = Classes::from_bytes(&classes.to_bytes()).expect("its own bytes");
            assert_eq!(restored, classes);
            let mut disco = Disco::new(Arc::new(restored));
            let mut before = Vec::new();
            let mut out = Active::default();
            for pixels in screens.iter().take(8) {
                disco.active(Input::Screen(screen(pixels)), &mut out).expect("a screen");
                let mut now = twin::instances(pixels, &background, &shapes);
                twin::set_velocities(&mut now, &before);
                let fact = |index: &u32| {
                    let fact = disco.describe(*index).expect("an active index is described");
                    (fact.kind, fact.numbers)
                };
                let found: std::collections::BTreeMap<_, _> =
                    out.indices.iter().map(fact).zip(out.counts.iter().copied()).collect();
                assert_eq!(found.len(), out.indices.len(), "an index came twice");
                assert_eq!(found, twin::facts(&now, shapes.len()), "{seed} {round}");
                before = now;
            }
        }
    }
}

#[test]
fn every_index_is_described_once_and_damaged_bytes_are_refused() {
    let classes = discover(&wandering(&mut Xoshiro256::new(4), 30), 0);
    assert!(classes.len() > 2);
    let bytes = classes.to_bytes();
    let disco = Disco::new(Arc::new(classes));
    let count = disco.classes().len();
    assert_eq!(disco.len(), count * 649 + count * (count - 1) / 2 * 2592);
    let facts: BTreeSet<_> = (0..disco.len() as u32)
        .map(|index| disco.describe(index).map(|fact| (fact.kind, fact.numbers)).expect("a fact"))
        .collect();
    assert_eq!(facts.len(), disco.len());
    assert_eq!(disco.describe(disco.len() as u32), None);
    for cut in [0, 7, 30, bytes.len() / 2, bytes.len() - 1] {
        assert!(Classes::from_bytes(&bytes[..cut]).is_err());
    }
    let mut changed = bytes;
    changed[40] ^= 1;
    assert!(Classes::from_bytes(&changed).is_err());
}
