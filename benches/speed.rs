//! All measurements; `benches/README.md` says how they are made. A word after `--` chooses:
//! `cargo bench -p ale-bench -- frame::game`.

mod cartridges;
mod crafter;
mod env;
mod features;
mod frame;
mod kernel;
mod state;
mod vector;

fn main() {
    cartridges::print_found();
    state::print_sizes();
    divan::main();
}
