//! Mode scripts on a console that only counts.

use super::*;

/// SELECT steps RAM cell 0 through 0..8; moves are written down.
struct Fake {
    ram: [u8; 128],
    state: GameState,
    log: Vec<String>,
    draws: u32,
}

impl Memory for Fake {
    fn ram(&self, index: u8) -> u8 {
        self.ram[usize::from(index)]
    }

    fn peek(&self, address: u16) -> u8 {
        self.ram[usize::from(address & 0x7F)]
    }
}

impl ModeHost for Fake {
    fn select(&mut self, frames: u32) {
        self.ram[0] = (self.ram[0] + 1) % 8;
        self.log.push(format!("select {frames}"));
    }

    fn soft_reset(&mut self) {
        self.log.push("reset".to_owned());
    }

    fn act(&mut self, action: Action) {
        if action == Action::Down {
            self.ram[1] = self.ram[1].wrapping_add(1);
        }
        self.log.push(action.name().to_owned());
    }

    fn random(&mut self) -> u32 {
        self.draws += 1;
        0xFFFF_FF00_u32.wrapping_add(self.draws)
    }

    fn game_state(&mut self) -> &mut GameState {
        &mut self.state
    }
}

fn play(game: &Game, mode: u32) -> Result<Fake, Error> {
    let mut host = Fake { ram: [0; 128], state: game.new_state(), log: vec![], draws: 0 };
    game.set_mode(mode, &mut host)?;
    Ok(host)
}

fn log(body: &str, mode: u32) -> String {
    match play(&sheet(&format!("modes = [0, 1, 2, 3, 4, 5, 6, 7, 8]\n{body}")), mode) {
        Ok(host) => host.log.join(", "),
        Err(error) => error.to_string(),
    }
}

#[test]
fn select_is_pressed_until_the_mode_shows() {
    let body = "set_mode = ['require m < 8', 'until ram[0] == m: select(2)', 'soft_reset']";
    assert_eq!(log(body, 0), "reset");
    assert_eq!(log(body, 3), "select 2, select 2, select 2, reset");
    assert_eq!(log(body, 8), "mode 8 of \"t\" does not exist; available: 0, 1, 2, 3, 4, 5, 6, 7, 8");
    assert_eq!(log(body, 9), "mode 9 of \"t\" does not exist; available: 0, 1, 2, 3, 4, 5, 6, 7, 8");
}

#[test]
fn loops_branches_and_values_work() {
    assert_eq!(log("set_mode = ['repeat m + 1: act(UP); act(NOOP)']", 1), "UP, NOOP, UP, NOOP");
    assert_eq!(
        log(
            "set_mode = ['let s = ram[1]', 'until ram[1] != s: act(DOWN); act(NOOP)', 'let s = s + 5', 'select(s)']",
            0
        ),
        "DOWN, NOOP, select 5"
    );
    let both = "set_mode = ['if (m & 1) != 0 then until ram[0] == 1: select(1); act(LEFT) else repeat 2: act(RIGHT); act(UP)']";
    assert_eq!(log(both, 1), "select 1, LEFT");
    assert_eq!(log(both, 2), "RIGHT, UP, RIGHT, UP");
    assert_eq!(
        log("set_mode = ['until peek(0x80) == 5 max 3: select(4)', 'act(FIRE)']", 1),
        "select 4, select 4, select 4, FIRE"
    );
}

#[test]
fn a_mode_that_is_not_reached_is_an_error() {
    let body = "set_mode = ['until ram[0] == 7 max 3: select(1)', 'fail unless ram[0] == 7']";
    assert_eq!(
        log(body, 1),
        "mode 1 of \"t\" was not reached: the console does not show it after the last step"
    );
    assert_eq!(
        log("set_mode = ['select(m)']", 0),
        "mode 0 of \"t\" was not reached: select(0) must be at least 1"
    );
}

#[test]
fn scripts_that_never_end_give_up() {
    let endless = "mode 0 of \"t\" was not reached: gave up after 100000 frames and rounds";
    for body in [
        "until ram[9] == 1: select(1)",
        "until false: let x = 1",
        "until 0: repeat 0: soft_reset",
        "repeat 2147483647: repeat 2147483647: let x = 1",
        "select(2147483647)",
        "until 0: act(NOOP)",
    ] {
        assert_eq!(log(&format!("set_mode = ['{body}']"), 0), endless, "{body}");
    }
}

#[test]
fn rng_is_never_negative() {
    let game = sheet("set_mode = ['select(2 + rng() % 256)', 'select(2 + rng() % 256)']");
    let host = play(&game, 0).expect("reached");
    assert_eq!((host.log.join(", ").as_str(), host.draws), ("select 3, select 4", 2));
}

#[test]
fn let_sets_a_latch_and_reads_what_is_remembered() {
    let game = sheet(
        "modes = [0, 5]\nset_mode = ['let side = m * 2', 'repeat side: act(UP)', 'repeat lives: act(DOWN)']\n\
         lives_initial = 3\n[latches]\nside = { init = 1, update = 'prev(side)' }",
    );
    let host = play(&game, 5).expect("reached");
    assert_eq!(host.log.len(), 13);
    assert_eq!(game.values(&host.state).last(), Some(("side", 10)));
}

#[test]
fn every_shipped_script_ends_on_any_console() {
    for game in Game::all() {
        for &mode in game.modes() {
            let _ = play(&game, mode);
        }
    }
}
