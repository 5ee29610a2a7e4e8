//! Twelve frames of the bare machine, a fifth of a second of play.

use ale_core::Console;
use ale_core::env::EnvConfig;
use divan::Bencher;
use divan::counter::ItemsCount;

const FRAMES: u32 = 12;

fn run(console: &mut Console) {
    for _ in 0..FRAMES {
        console.run_frame();
    }
}

/// Measures from the same state again and again.
fn measure(bencher: Bencher<'_, '_>, start: &Console) {
    bencher.counter(ItemsCount::new(FRAMES)).with_inputs(|| start.clone()).bench_local_refs(run);
}

#[divan::bench_group(sample_count = 200, max_time = 0.5)]
mod scheme {
    use ale_core::console::cart::Scheme;

    use super::{Bencher, measure};
    use crate::kernel;

    /// The same program in every cartridge type.
    #[divan::bench(args = kernel::schemes().map(Scheme::name))]
    fn with_pixels(bencher: Bencher<'_, '_>, name: &str) {
        measure(bencher, &kernel::console(Scheme::from_name(name).expect("it is one of them")));
    }
}

#[divan::bench_group(sample_count = 200, max_time = 0.5)]
mod game {
    use super::{Bencher, Console, EnvConfig, measure, run};
    use crate::cartridges::{self, Cartridge};

    /// The machine in the middle of a game, with a drawing twin to show that pixels change nothing else.
    fn start(cartridge: &Cartridge, drawing: bool) -> Console {
        let mut console = cartridge.played(&EnvConfig::default()).console().clone();
        let mut twin = console.clone();
        console.set_drawing(drawing);
        let mut end = console.clone();
        run(&mut end);
        run(&mut twin);
        assert_eq!(end.ram(), twin.ram(), "{cartridge} depends on its picture");
        console
    }

    #[divan::bench(args = cartridges::all())]
    fn with_pixels(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
        measure(bencher, &start(cartridge, true));
    }

    #[divan::bench(args = cartridges::all())]
    fn without_pixels(bencher: Bencher<'_, '_>, cartridge: &Cartridge) {
        measure(bencher, &start(cartridge, false));
    }
}
