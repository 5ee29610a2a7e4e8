//! Every set against its definition on made-up pictures, the hand cases of the specification, and sizes.

use std::collections::BTreeSet;

use ale_features::{
    Active, BPros, BProst, Background, Basic, Bass, BlobProst, FeatureSet, Input, Lsh, Ram, Screen, blobs,
};
use ale_sim::rng::Xoshiro256;
use twins::{COLUMNS, Facts, ROWS};

#[allow(dead_code, reason = "another test uses those of DISCO")]
mod twins;

fn active(set: &mut dyn FeatureSet, pixels: &[u8]) -> Vec<u32> {
    let mut out = Active::default();
    set.active(Input::Screen(Screen::new(pixels).expect("a screen")), &mut out).expect("a set of screens");
    out.indices
}

fn unique(indices: &[u32]) -> BTreeSet<u32> {
    let unique: BTreeSet<u32> = indices.iter().copied().collect();
    assert_eq!(unique.len(), indices.len(), "an index came twice");
    unique
}

fn facts(set: &mut dyn FeatureSet, pixels: &[u8]) -> Facts {
    let indices = active(set, pixels);
    unique(&indices);
    let fact = |index: &u32| {
        let fact = set.describe(*index).expect("an active index is described");
        (fact.kind, fact.numbers)
    };
    indices.iter().map(fact).collect()
}

/// Pictures from noise to large boxes of few colours, some with the row above repeated.
fn picture(rng: &mut Xoshiro256) -> Vec<u8> {
    let many = rng.below(8) == 0;
    let colours = 1 + rng.below(if many { 128 } else { 12 });
    let palette: Vec<u8> = (0..colours).map(|_| rng.below(256) as u8).collect();
    let mut pixels = vec![palette[0]; ROWS * COLUMNS];
    let boxes = rng.below(400);
    for _ in 0..boxes {
        let colour = palette[rng.below(colours) as usize];
        let (row, column) = (rng.below(ROWS as u64) as usize, rng.below(COLUMNS as u64) as usize);
        let (height, width) = (1 + rng.below(12) as usize, 1 + rng.below(20) as usize);
        for row in row..(row + height).min(ROWS) {
            pixels[row * COLUMNS + column..row * COLUMNS + (column + width).min(COLUMNS)].fill(colour);
        }
    }
    if rng.below(4) == 0 {
        for pixel in &mut pixels {
            if rng.below(30) == 0 {
                *pixel = palette[rng.below(colours) as usize];
            }
        }
    }
    pixels
}

/// A fixed seed and, in continuous integration, a fresh one.
fn seeds() -> Vec<u64> {
    let fresh =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970").as_secs();
    println!("fresh seed: {fresh}");
    vec![1, fresh]
}

#[test]
fn sizes_are_those_of_the_papers() {
    let background = || Background::plain(0);
    assert_eq!(Basic::new(background()).len(), 28_672);
    assert_eq!(Bass::new(background()).len(), 1_606_528);
    assert_eq!(Ram.len(), 524_800);
    assert_eq!(Lsh::new(0).len(), 100_000);
    assert_eq!(BPros::new(None).len(), 6_885_440);
    assert_eq!(BProst::new(None).len(), 20_598_848);
    assert_eq!(BlobProst::default().len(), 114_702_400);
}

#[test]
fn tiles_and_offsets_equal_their_definition() {
    for seed in seeds() {
        let mut rng = Xoshiro256::new(seed);
        let (mut pros, mut prost) = (BPros::new(None), BProst::new(None));
        let mut before = None;
        for round in 0..12 {
            let (pixels, back) = (picture(&mut rng), picture(&mut rng));
            let background = Background::new(&back).expect("a background");
            let mut basic = Basic::new(background.clone());
            let indices = active(&mut basic, &pixels);
            let index = |(_, fact): &(&str, Vec<i32>)| ((fact[1] * 16 + fact[2]) * 128 + fact[0]) as u32;
            let expected = twins::basic(&pixels, Some(&back));
            assert_eq!(unique(&indices), expected.iter().map(index).collect(), "{seed} {round}");
            assert_eq!(facts(&mut basic, &pixels), expected, "{seed} {round}");
            let indices = active(&mut Bass::new(background.clone()), &pixels);
            assert_eq!(unique(&indices), twins::bass(&pixels, &back), "{seed} {round}");
            let places = twins::tile_places(&pixels, None);
            assert_eq!(facts(&mut pros, &pixels), twins::offsets(&places, None), "{seed} {round}");
            assert_eq!(
                facts(&mut prost, &pixels),
                twins::offsets(&places, before.as_ref()),
                "{seed} {round}"
            );
            let front = twins::tile_places(&pixels, Some(&back));
            let mut fresh = BProst::new(Some(background));
            assert_eq!(facts(&mut fresh, &pixels), twins::offsets(&front, None), "{seed} {round}");
            before = Some(places);
            if round % 5 == 4 {
                prost.reset();
                before = None;
            }
        }
    }
}

#[test]
fn blobs_and_their_offsets_equal_their_definition() {
    for seed in seeds() {
        let mut rng = Xoshiro256::new(seed ^ 0xB10B);
        let mut set = BlobProst::default();
        let mut finder = blobs::BlobFinder::default();
        let mut before = None;
        for round in 0..25 {
            let pixels = picture(&mut rng);
            let mut found = Vec::new();
            finder.find(Screen::new(&pixels).expect("a screen"), |blob| found.push(blob));
            let found: BTreeSet<[i32; 5]> = found
                .iter()
                .map(|blob| [blob.colour, blob.top, blob.bottom, blob.left, blob.right].map(i32::from))
                .collect();
            assert_eq!(found, twins::blobs(&pixels), "{seed} {round}");
            let places = twins::blob_places(&pixels);
            assert_eq!(facts(&mut set, &pixels), twins::offsets(&places, before.as_ref()), "{seed} {round}");
            before = Some(places);
        }
    }
}

#[test]
fn ram_and_hashes_equal_their_definition() {
    let tables = twins::lsh_tables(5);
    let mut lsh = Lsh::new(5);
    for seed in seeds() {
        let mut rng = Xoshiro256::new(seed ^ 0x7A3);
        for _ in 0..5 {
            let ram: [u8; 128] = std::array::from_fn(|_| (rng.next_u64() & rng.next_u64()) as u8);
            let mut out = Active::default();
            Ram.active(Input::Ram(&ram), &mut out).expect("RAM");
            assert_eq!(unique(&out.indices), twins::ram(&ram));
            let pixels = picture(&mut rng);
            let indices = active(&mut lsh, &pixels);
            assert_eq!(indices.len(), 2000);
            assert_eq!(unique(&indices), twins::lsh(&pixels, &tables));
        }
    }
    assert_eq!(active(&mut *lsh.fork(), &vec![0; ROWS * COLUMNS])[1], 50);
}

/// Two blobs of colour 5 at tiles (2, 3) and (4, 1), one of colour 7 at (2, 3); everything else is colour 0.
fn hand_case() -> Vec<u8> {
    let mut pixels = vec![0; ROWS * COLUMNS];
    // Row 4 of 7 and column 2 of 4 of the tile; colour 7 is beside it in the same tile.
    pixels[(2 * 7 + 3) * COLUMNS + 3 * 4 + 1] = 10;
    pixels[(4 * 7 + 3) * COLUMNS + 4 + 1] = 10;
    pixels[(2 * 7 + 4) * COLUMNS + 3 * 4 + 2] = 14;
    pixels
}

#[test]
fn the_hand_case_of_the_specification_has_17_facts_besides_those_of_the_ground() {
    let mut set = BlobProst::default();
    let pixels = hand_case();
    let without_ground = |facts: Facts| -> Facts {
        let grounded = |(kind, numbers): &(&str, Vec<i32>)| match *kind {
            "basic" => numbers[0] == 0,
            "bias" => false,
            _ => numbers[0] == 0 || numbers[1] == 0,
        };
        facts.into_iter().filter(|fact| !grounded(fact)).collect()
    };
    let first = without_ground(facts(&mut set, &pixels));
    let space: Facts = [
        ("basic", vec![5, 2, 3]),
        ("basic", vec![5, 4, 1]),
        ("basic", vec![7, 2, 3]),
        ("space", vec![5, 5, 0, 0]),
        ("space", vec![5, 5, 2, -2]),
        ("space", vec![7, 7, 0, 0]),
        ("space", vec![5, 7, 0, 0]),
        ("space", vec![5, 7, 2, -2]),
        ("bias", vec![]),
    ]
    .into();
    assert_eq!(first, space);
    let second = without_ground(facts(&mut set, &pixels));
    let time = [
        [5, 5, 0, 0],
        [5, 5, 2, -2],
        [5, 5, -2, 2],
        [5, 7, 0, 0],
        [5, 7, 2, -2],
        [7, 5, 0, 0],
        [7, 5, -2, 2],
    ];
    let mut expected = space;
    expected.extend(time.map(|numbers| ("time", numbers.to_vec())));
    expected.insert(("time", vec![7, 7, 0, 0]));
    assert_eq!(second, expected);
    assert_eq!(second.len(), 17);
    set.reset();
    assert!(facts(&mut set, &pixels).iter().all(|(kind, _)| *kind != "time"));
}

#[test]
fn every_index_is_described_once_and_nothing_beyond() {
    let background = Background::plain(0);
    let sets: [Box<dyn FeatureSet>; 7] = [
        Box::new(Basic::new(background.clone())),
        Box::new(Bass::new(background)),
        Box::new(Ram),
        Box::new(Lsh::new(0)),
        Box::new(BPros::new(None)),
        Box::new(BProst::new(None)),
        Box::new(BlobProst::default()),
    ];
    for set in sets {
        let len = set.len() as u32;
        let mut seen = BTreeSet::new();
        for index in (0..len).step_by(1 + len as usize / 20_011) {
            let fact = set.describe(index).expect("an index below len");
            assert!(seen.insert((fact.kind, fact.numbers)), "{index} of {len}");
        }
        assert_eq!(set.describe(len).map(|fact| fact.kind), set.has_bias().then_some("bias"));
        assert_eq!(set.describe(len + 1), None);
        assert_eq!(set.describe(u32::MAX), None);
    }
}

#[test]
fn rows_beyond_210_are_cut_off_and_other_inputs_are_refused() {
    let mut rng = Xoshiro256::new(3);
    let mut tall = picture(&mut rng);
    let first = active(&mut BlobProst::default(), &tall);
    tall.extend([46; 20 * COLUMNS]);
    assert_eq!(active(&mut BlobProst::default(), &tall), first);
    assert!(Screen::new(&tall[..209 * COLUMNS]).is_err());
    assert!(Screen::new(&tall[..=210 * COLUMNS]).is_err());
    assert!(Background::new(&[]).is_err());
    assert!(Input::ram(&[0; 127]).is_err());
    let mut out = Active::default();
    assert!(Ram.active(Input::Screen(Screen::new(&tall).expect("a screen")), &mut out).is_err());
    let error = BlobProst::default().active(Input::Ram(&[0; 128]), &mut out).expect_err("RAM is no screen");
    assert_eq!(error.to_string(), "Blob-PROST looks at a screen, and RAM came");
}
