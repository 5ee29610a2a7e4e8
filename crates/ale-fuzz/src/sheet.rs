//! Fact sheets: a complaint that names file and reason, or a game whose rules come to an end on any memory.

use ale_core::game::{Explain, Game, GameState, Memory, ModeHost};
use ale_core::rng::Mt19937;
use ale_core::{Action, Error};

/// A console that shows noise.
struct Noise {
    rng: Mt19937,
    ram: [u8; 128],
    state: GameState,
    frames: u64,
}

impl Noise {
    fn new(seed: u32, state: GameState) -> Self {
        let mut noise = Self { rng: Mt19937::new(seed), ram: [0; 128], state, frames: 0 };
        noise.change();
        noise
    }

    fn change(&mut self) {
        self.frames += 1;
        for _ in 0..4 {
            let index = self.rng.below(128) as usize;
            self.ram[index] = [0, 1, 2, 0xFF, self.rng.next_u32() as u8][self.rng.below(5) as usize];
        }
    }
}

impl Memory for Noise {
    fn ram(&self, index: u8) -> u8 {
        self.ram[usize::from(index & 0x7F)]
    }

    fn peek(&self, address: u16) -> u8 {
        self.ram[usize::from(address & 0x7F)] ^ (address >> 8) as u8
    }
}

impl ModeHost for Noise {
    fn select(&mut self, frames: u32) {
        self.frames += u64::from(frames);
        self.change();
    }

    fn soft_reset(&mut self) {
        self.change();
    }

    fn act(&mut self, _: Action) {
        self.change();
    }

    fn random(&mut self) -> u32 {
        self.rng.next_u32()
    }

    fn game_state(&mut self) -> &mut GameState {
        &mut self.state
    }
}

/// Runs one input.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let game = match Game::parse("stranger.toml", &text) {
        Ok(game) => game,
        Err(Error::Sheet(complaint)) => {
            assert!(complaint.starts_with("stranger.toml: ") && complaint.len() > 17, "{complaint:?}");
            return;
        }
        Err(error) => panic!("{error:?}"),
    };
    assert!(Game::parse("stranger.toml", game.source()).as_ref() == Ok(&game), "the same text, another game");
    for game in [Some(&game), game.corrected().as_deref()].into_iter().flatten() {
        play(game, data.len() as u32);
    }
}

fn play(game: &Game, seed: u32) {
    let explain = Explain::of(game);
    let mut noise = Noise::new(seed, game.new_state());
    let mut state = game.new_state();
    for frame in 0..24 {
        noise.change();
        let values = explain.values(&state, &noise);
        assert_eq!(values.is_empty(), game.values(&state).count() == 0 && values.is_empty());
        game.observe(&mut state, &noise);
        let mut bytes = Vec::new();
        game.save(&state, &mut bytes);
        assert_eq!(bytes.len(), game.saved_len());
        assert!(game.restore(&bytes).as_ref() == Ok(&state), "a state goes through bytes");
        bytes.push(0);
        assert!(game.restore(&bytes).is_err(), "too many bytes");
        let mut live = game.new_state();
        game.restore_like_reference(&mut live, &state);
        _ = game.equal_like_reference(&live, &state);
        if frame == 12 {
            game.reset(&mut state);
        }
    }
    for &mode in game.modes().iter().take(3).chain([&7777]) {
        let mut host = Noise::new(seed ^ mode, game.new_state());
        let result = game.set_mode(mode, &mut host);
        assert!(host.frames < 500_000, "{} frames for a mode", host.frames);
        assert!(
            matches!(result, Ok(()) | Err(Error::Mode { .. } | Error::Config(_))),
            "mode {mode}: {result:?}"
        );
    }
}

/// Keys with values that go through most of the reader.
const KEYS: [&str; 22] = [
    "score = \"bcd3(ram[6], ram[5], ram[4])\"",
    "score = \"(ram[0x7F] << 8 | ram[1]) * 10 - 2147483647\"\nwraps_at = 10000",
    "reward = \"if score > prev(score) then 1 else -abs(score)\"",
    "terminal = \"ram[1] == 2 and not (ram[3] != 0)\"",
    "terminal = \"peek(0xF000) >= 0x80 or s8(ram[2]) < 0\"",
    "lives = \"min(lo(ram[3]), max(hi(ram[3]), 4))\"\nlives_initial = 4",
    "lives_initial = \"reset\"",
    "illegal_actions = [\"UPFIRE\"]",
    "starting_actions = [\"FIRE x16\", \"NOOP x5\", \"RESET x1\"]",
    "modes = [0, 1, 2]\ndefault_mode = 1\nset_mode = [\"until ram[2] == m max 9: select(1); act(FIRE)\"]",
    "modes = [0, 4]\nset_mode = [\"require m < 9\", \"let x = rng() % 7\", \"repeat x: soft_reset\"]",
    "set_mode = [\"if m == 0 then select(2) else fail unless ram[1] == 3\"]",
    "difficulties = [0, 1, 2, 3]",
    "settings_overrides = { paddle_min = 1, paddle_max = 2 }",
    "unsaved = [\"score\"]",
    "notes = [\"one\", \"two\"]",
    "[initial]\nscore = 7",
    "[vars]\na = \"b + prev(c) / 0\"\nb = \"ram[9] % 3 ^ 1\"\nc = \"a >> 40\"",
    "[latches]\nseen = { init = false, update = \"prev(seen) or ram[1] == 1\" }",
    "[console]\ncontrollers = [\"paddles\", \"joystick\"]\nheight = 210",
    "[console]\ncartridge_type = \"F8\"\ntelevision = \"PAL\"\nystart = 30",
    "[corrected]\nterminal = \"false\"\nwhy = \"because\"",
];

/// Where to begin: the sheets of the games, and small ones, which are quicker and changed more densely.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let start =
        "title = \"T\"\nmd5 = \"00000000000000000000000000000000\"\nminimal_actions = [\"NOOP\", \"FIRE\"]\n";
    let mut seeds: Vec<Vec<u8>> = Game::all().iter().map(|game| game.source().as_bytes().to_vec()).collect();
    seeds.push(Vec::new());
    for (index, key) in KEYS.iter().enumerate() {
        seeds.push(format!("{start}{key}\n").into_bytes());
        // Tables come last, so pairs are in this order.
        for other in KEYS[index + 1..].iter().step_by(2) {
            seeds.push(format!("{start}{key}\n{other}\n").into_bytes());
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_seeds_are_sheets() {
        let seeds = seeds();
        let complaint = |seed: &Vec<u8>| Game::parse("seed.toml", &String::from_utf8_lossy(seed)).err();
        let refused: Vec<_> = seeds.iter().filter_map(complaint).map(|error| error.to_string()).collect();
        assert!(refused.len() * 3 < seeds.len(), "{} of {}: {refused:#?}", refused.len(), seeds.len());
    }
}
