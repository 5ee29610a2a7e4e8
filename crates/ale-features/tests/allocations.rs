//! In steady state a set allocates nothing per screen.

use std::alloc::System;
use std::sync::Arc;

use ale_features::disco::Discovery;
use ale_features::{
    Active, BPros, BProst, Background, Basic, Bass, BlobProst, Disco, FeatureSet, Input, InputKind, Lsh, Ram,
    Screen,
};
use ale_sim::rng::Xoshiro256;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn main() {
    let mut rng = Xoshiro256::new(7);
    let screens: Vec<Vec<u8>> = (0..8)
        .map(|_| {
            let noise = rng.below(100) as usize;
            let mut pixels = vec![0; 160 * 210];
            for _ in 0..noise {
                let at = rng.below(160 * 200) as usize;
                pixels[at..at + 1 + rng.below(60) as usize].fill(rng.below(20) as u8 * 2);
            }
            pixels
        })
        .collect();
    let ram: [u8; 128] = std::array::from_fn(|_| rng.next_u64() as u8);
    let background = Background::plain(0);
    let mut discovery = Discovery::new(background.clone());
    for time in 0..60 {
        // Two sprites that move on: classes of one shape each, which the noise above has many of.
        let mut pixels = vec![0; 160 * 210];
        pixels[160 * 50 + time..160 * 50 + time + 4].fill(10);
        pixels[160 * (time + 80) + 20..160 * (time + 80) + 22].fill(20);
        discovery.observe(Screen::new(&pixels).expect("a screen"));
    }
    let disco = Disco::new(Arc::new(discovery.finish()));
    assert_eq!(disco.classes().len(), 2);
    let sets: [(&str, Box<dyn FeatureSet>); 8] = [
        ("disco", Box::new(disco)),
        ("basic", Box::new(Basic::new(background.clone()))),
        ("bass", Box::new(Bass::new(background))),
        ("ram", Box::new(Ram)),
        ("lsh", Box::new(Lsh::new(0))),
        ("b-pros", Box::new(BPros::new(None))),
        ("b-prost", Box::new(BProst::new(None))),
        ("blob-prost", Box::new(BlobProst::default())),
    ];
    for (name, mut set) in sets {
        let mut out = Active::default();
        let mut play = || {
            for pixels in &screens {
                let input = match set.input() {
                    InputKind::Screen => Input::Screen(Screen::new(pixels).expect("a screen")),
                    InputKind::Ram => Input::Ram(&ram),
                };
                set.active(input, &mut out).expect("the right kind");
            }
        };
        play();
        play();
        let region = Region::new(ALLOCATOR);
        play();
        let change = region.change();
        assert_eq!(change.allocations + change.reallocations, 0, "{name}: {change:?}");
    }
    println!("no allocation per screen in any set");
}
