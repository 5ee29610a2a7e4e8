//! What the reference made of memory, replayed on the sheets: `tests/golden/games.json`.
//!
//! The traces hold play, bytes written into memory, and restored states; `record_games.py` beside them tells
//! their notation and records them anew.

use ale_core::game::{Game, GameState, Memory};
use serde_json::Value;

/// The cells a trace shows; everything else is 0.
struct Cells {
    addresses: Vec<u16>,
    values: Vec<u8>,
}

impl Cells {
    fn at(&self, address: u16) -> u8 {
        self.addresses.iter().position(|known| *known == address).map_or(0, |index| self.values[index])
    }

    /// Takes in `index:value` pairs.
    fn change(&mut self, pairs: &str) {
        for pair in pairs.split_whitespace() {
            let (index, value) = pair.split_once(':').expect("index:value");
            self.values[index.parse::<usize>().expect("an index")] = value.parse().expect("a byte");
        }
    }
}

impl Memory for Cells {
    fn ram(&self, index: u8) -> u8 {
        self.at(index.into())
    }

    fn peek(&self, address: u16) -> u8 {
        self.at(address)
    }
}

fn numbers(text: &str) -> Vec<i32> {
    text.split(',').map(|number| number.parse().expect("a number")).collect()
}

fn outcome(state: &GameState) -> [i32; 2] {
    [state.terminal().into(), state.lives()]
}

/// Replays a trace; returns the number of frames compared.
fn replay(game: &Game, trace: &Value) -> usize {
    let addresses: Vec<u16> = trace["cells"]
        .as_array()
        .expect("cells")
        .iter()
        .map(|cell| cell.as_u64().expect("an address") as u16)
        .collect();
    let mut cells = Cells { values: vec![0; addresses.len()], addresses };
    let mut state = game.new_state();
    let mut saves = Vec::new();
    let mut frames = 0;
    for (number, event) in trace["events"].as_array().expect("events").iter().enumerate() {
        let event = event.as_str().expect("a text");
        let place = format!("{} event {number} ({event})", game.name());
        if event == "S" {
            saves.push(state);
        } else if let Some(count) = event.strip_prefix('+') {
            let before = outcome(&state);
            for _ in 0..count.parse().expect("a count") {
                game.observe(&mut state, &cells);
                assert_eq!((state.reward(), outcome(&state)), (0, before), "{place}");
                frames += 1;
            }
        } else if let Some(restore) = event.strip_prefix('L') {
            let (save, expected) = restore.split_once('=').expect("number=outcome");
            let saved: GameState = saves[save.parse::<usize>().expect("a number")];
            game.restore_like_reference(&mut state, &saved);
            assert_eq!(outcome(&state)[..], numbers(expected), "{place}");
        } else {
            let (pairs, expected) = event.split_once('=').expect("cells=outcome");
            let reset = pairs.strip_prefix('R');
            cells.change(reset.unwrap_or(pairs));
            if reset.is_some() {
                // The frames inside a reset cannot be seen; what they leave behind, seen twice, stands for them.
                game.reset(&mut state);
                game.observe(&mut state, &cells);
                game.observe(&mut state, &cells);
                assert_eq!(outcome(&state)[..], numbers(expected), "{place}");
            } else {
                game.observe(&mut state, &cells);
                let [terminal, lives] = outcome(&state);
                assert_eq!([state.reward(), terminal, lives][..], numbers(expected), "{place}");
                frames += 1;
            }
        }
    }
    frames
}

#[test]
fn rewards_ends_and_lives_are_those_of_the_reference() {
    let text = include_str!("../../../tests/golden/games.json");
    let traces: Value = serde_json::from_str(text).expect("the golden file is JSON");
    let traces = traces.as_object().expect("a table");
    assert_eq!(traces.len(), 104);
    let mut frames = 0;
    for (name, trace) in traces {
        frames += replay(&Game::by_name(name).expect("a sheet"), trace);
    }
    assert!(frames > 10_000, "only {frames} frames were compared");
}
