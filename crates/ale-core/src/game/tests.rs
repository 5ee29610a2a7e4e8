//! What sheets mean, without any ROM.

use proptest::prelude::*;

use super::*;

/// 128 bytes of RAM; the rest of the address space shows the low byte of its address.
struct Bytes([u8; 128]);

impl Memory for Bytes {
    fn ram(&self, index: u8) -> u8 {
        self.0[usize::from(index)]
    }

    fn peek(&self, address: u16) -> u8 {
        address as u8
    }
}

fn ram(cells: &[(usize, u8)]) -> Bytes {
    let mut bytes = [0; 128];
    for &(index, value) in cells {
        bytes[index] = value;
    }
    Bytes(bytes)
}

const HEAD: &str = "title = 'T'\nmd5 = '0123456789abcdef0123456789ABCDEF'\nminimal_actions = ['NOOP']\n";

fn parse(body: &str) -> Result<Game, Error> {
    Game::parse("t.toml", &format!("{HEAD}{body}"))
}

fn sheet(body: &str) -> Game {
    parse(body).unwrap_or_else(|error| panic!("{error}"))
}

fn complaint(body: &str) -> String {
    match parse(body) {
        Ok(_) => panic!("{body} was accepted"),
        Err(error) => error.to_string(),
    }
}

/// The value of an expression on its first frame.
fn value(expression: &str, cells: &[(usize, u8)]) -> i32 {
    let game = sheet(&format!("score = '{expression}'"));
    let mut state = game.new_state();
    game.observe(&mut state, &ram(cells));
    state.score()
}

#[test]
fn operators_bind_in_the_documented_order() {
    for (expression, expected) in [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 3 - 2", 5),
        ("100 / 10 / 2", 5),
        ("1 << 2 + 1", 8),
        ("5 & 1 << 2", 4),
        ("6 ^ 3 & 1", 7),
        ("1 | 6 ^ 2", 5),
        ("1 | 2 == 3", 1),
        ("1 == 2 | 3", 0),
        ("not 1 == 2", 1),
        ("not 0 and 0", 0),
        ("1 or 0 and 0", 1),
        ("0 and 0 or 1", 1),
        ("not not 7", 1),
        ("if 0 then 1 else 2 + 3", 5),
        ("if 1 or 0 then 4 else 5", 4),
        ("if 0 then 1 else if 1 then 2 else 3", 2),
        ("if if 1 then 0 else 1 then 1 else 2", 2),
        ("-2 * 3", -6),
        ("- -2", 2),
        ("1 - -1", 2),
        ("(if 1 then 1 else 2) + 10", 11),
        ("10 + (if 0 then 1 else 2)", 12),
    ] {
        assert_eq!(value(expression, &[]), expected, "{expression}");
    }
}

#[test]
fn every_operator_and_function_has_its_meaning() {
    let cells = [(0, 0x5B), (1, 0xFF), (2, 0x12), (3, 0x34), (4, 0x80)];
    for (expression, expected) in [
        ("ram[0]", 0x5B),
        ("ram[0x01]", 255),
        ("peek(0xF0B4)", 0xB4),
        ("lo(ram[0])", 11),
        ("hi(ram[0])", 5),
        ("hi(0x123)", 2),
        ("bcd(ram[0])", 61),
        ("bcd(0x123)", 183),
        ("bcd2(ram[2], ram[3])", 3412),
        ("bcd3(ram[2], ram[3], ram[0])", 613_412),
        ("s8(ram[1])", -1),
        ("s8(ram[4])", -128),
        ("s8(0x17F)", 127),
        ("min(3, -4)", -4),
        ("max(3, ram[2])", 18),
        ("abs(3 - 10)", 7),
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("7 % 3", 1),
        ("-7 % 3", -1),
        ("7 % -3", 1),
        ("6 & 3", 2),
        ("6 | 3", 7),
        ("6 ^ 3", 5),
        ("3 << 4", 48),
        ("-16 >> 2", -4),
        ("3 == 3", 1),
        ("3 != 3", 0),
        ("2 < 3", 1),
        ("3 <= 2", 0),
        ("3 > 2", 1),
        ("2 >= 3", 0),
        ("5 and 7", 1),
        ("5 and 0", 0),
        ("0 or 7", 1),
        ("0 or 0", 0),
        ("9 or 0", 1),
        ("true + true", 2),
        ("false", 0),
        ("not 3", 0),
        ("1 and 2 and 3 and 0", 0),
        ("0 or 0 or 4 or 0", 1),
    ] {
        assert_eq!(value(expression, &cells), expected, "{expression}");
    }
}

#[test]
fn numbers_wrap_at_32_bits_and_nothing_traps() {
    for (expression, expected) in [
        ("2147483647 + 1", i32::MIN),
        ("0 - 2147483647 - 2", i32::MAX),
        ("65536 * 65536", 0),
        ("-(0 - 2147483647 - 1)", i32::MIN),
        ("abs(0 - 2147483647 - 1)", i32::MIN),
        ("(0 - 2147483647 - 1) / -1", i32::MIN),
        ("(0 - 2147483647 - 1) % -1", 0),
        ("5 / 0", 0),
        ("5 % 0", 0),
        ("1 << 31", i32::MIN),
        ("1 << 32", 0),
        ("1 << -1", 0),
        ("-8 >> 99", -1),
        ("8 >> -1", 0),
    ] {
        assert_eq!(value(expression, &[]), expected, "{expression}");
    }
}

#[test]
fn reward_is_the_change_of_the_score_by_default() {
    let game = sheet("score = 'ram[0]'\ninitial = { score = 5 }");
    let mut state = game.new_state();
    assert_eq!((state.reward(), state.score(), state.terminal(), state.lives()), (0, 5, false, 1));
    game.observe(&mut state, &ram(&[(0, 7)]));
    assert_eq!((state.reward(), state.score()), (2, 7));
    game.observe(&mut state, &ram(&[(0, 3)]));
    assert_eq!((state.reward(), state.score()), (-4, 3));
    game.reset(&mut state);
    assert_eq!(state, game.new_state());
}

#[test]
fn a_score_that_wraps_keeps_its_reward() {
    let game = sheet("score = 'bcd(ram[0]) * 10'\nwraps_at = 1000");
    let mut state = game.new_state();
    for (byte, reward) in [(0x95, 950), (0x02, 70), (0x50, 480), (0x00, -500), (0x89, 890), (0x00, -890)] {
        game.observe(&mut state, &ram(&[(0, byte)]));
        assert_eq!(state.reward(), reward, "{byte:02x}");
    }
    assert_eq!(
        complaint("wraps_at = 100\nreward = '1'"),
        "t.toml: wraps_at: needs the usual reward; leave reward out"
    );
    assert_eq!(complaint("wraps_at = 1"), "t.toml: wraps_at: 1 is too small; it must be at least 10");
    let game = sheet("score = 'ram[0]'\nreward = '7'\n[corrected]\nwraps_at = 100");
    let corrected = game.corrected().expect("a variant");
    let mut state = corrected.new_state();
    corrected.observe(&mut state, &ram(&[(0, 3)]));
    assert_eq!(state.reward(), 3);
}

#[test]
fn lives_follow_the_end_by_default() {
    let game = sheet("terminal = 'ram[0] == 9'\nlives_initial = 4");
    let mut state = game.new_state();
    assert_eq!((game.full_lives(&state), state.lives()), (4, 4));
    game.observe(&mut state, &ram(&[]));
    assert_eq!((state.terminal(), state.lives()), (false, 1));
    game.observe(&mut state, &ram(&[(0, 9)]));
    assert_eq!((state.terminal(), state.lives()), (true, 0));
}

#[test]
fn lives_can_be_measured_after_each_reset() {
    let game = sheet("lives = 'ram[0]'\nlives_initial = 'reset'");
    let mut state = game.new_state();
    assert_eq!((game.lives_initial(), game.full_lives(&state)), (None, 0));
    game.observe(&mut state, &ram(&[(0, 5)]));
    assert_eq!(game.full_lives(&state), 5);
    assert_eq!(sheet("lives_initial = 3").lives_initial(), Some(3));
    assert_eq!(complaint("lives_initial = 'many'"), "t.toml: lives_initial: must be a number");
}

#[test]
fn latches_remember_and_prev_of_a_helper_is_its_last_value() {
    let game = sheet(
        "score = 'count'\nterminal = 'seen and prev(shown) == 3'\n\
         [vars]\nshown = 'ram[1]'\nunused = 'prev(idle) + ram[2]'\nidle = '1'\n\
         [latches]\nseen = { init = false, update = 'prev(seen) or ram[0] == 5' }\n\
         count = { init = 10, update = 'prev(count) + 1' }",
    );
    let names: Vec<_> = game.values(&game.new_state()).map(|(name, _)| name.to_owned()).collect();
    assert_eq!(names, ["reward", "score", "terminal", "lives", "count", "seen", "shown"]);
    let mut state = game.new_state();
    for (cells, score, terminal) in [
        (&[(0, 5), (1, 0)][..], 11, false),
        (&[(0, 0), (1, 3)], 12, false),
        (&[(0, 0), (1, 4)], 13, true),
        (&[(0, 0), (1, 4)], 14, false),
    ] {
        game.observe(&mut state, &ram(cells));
        assert_eq!((state.score(), state.terminal()), (score, terminal));
    }
}

#[test]
fn quantities_may_be_given_in_any_order() {
    let game = sheet("score = 'a'\n[vars]\na = 'b + 1'\nb = 'c * 2'\nc = 'd'\nd = 'ram[0]'");
    let mut state = game.new_state();
    game.observe(&mut state, &ram(&[(0, 20)]));
    assert_eq!(state.score(), 41);
}

#[test]
fn complaints_name_file_key_and_column() {
    for (body, expected) in [
        ("terminal = 'or ends'", "t.toml: terminal: unexpected 'or' at column 1"),
        ("terminal = '   ends'", "t.toml: terminal: unknown name 'ends' at column 4"),
        ("score = '1 +'", "t.toml: score: expected a value, found the end at column 4"),
        ("score = '1 2'", "t.toml: score: unexpected '2' at column 3"),
        ("score = 'é'", "t.toml: score: unexpected character 'é' at column 1"),
        (
            "score = 'ram[0x80]'",
            "t.toml: score: ram index '128' is not a number from 0x00 to 0x7F at column 5",
        ),
        (
            "score = 'ram[lives]'",
            "t.toml: score: ram index 'lives' is not a number from 0x00 to 0x7F at column 5",
        ),
        ("score = '(1'", "t.toml: score: expected ')', found the end at column 3"),
        ("score = 'min(1)'", "t.toml: score: expected ',', found ')' at column 6"),
        ("score = 'lo(1, 2)'", "t.toml: score: expected ')', found ',' at column 5"),
        ("score = 'if 1 then 2'", "t.toml: score: expected 'else', found the end at column 12"),
        (
            "score = '99999999999'",
            "t.toml: score: '99999999999' is no number from 0 to 2147483647 at column 1",
        ),
        ("score = '0xG'", "t.toml: score: '0xG' is no number from 0 to 2147483647 at column 1"),
        ("score = '1 == 2 == 3'", "t.toml: score: unexpected '==' at column 8"),
        ("score = 'prev(missing)'", "t.toml: score: unknown name 'missing' in prev at column 6"),
        ("score = 'rng()'", "t.toml: score: rng() can only be used in set_mode at column 1"),
        ("score = 'm'", "t.toml: score: unknown name 'm' at column 1"),
        ("score = 'score'", "t.toml: score: is defined by itself: score -> score"),
        (
            "score = 'a'\n[vars]\na = 'lives'",
            "t.toml: lives: is defined by itself: lives -> terminal -> lives",
        ),
        ("scor = '1'", "t.toml: unknown key 'scor' (did you mean 'score'?)"),
        ("[vars]\nram = '1'", "t.toml: vars.ram: 'ram' cannot name a quantity"),
        ("[vars]\nscore = '1'", "t.toml: vars.score: 'score' is defined twice"),
        ("[latches]\na = { init = 0 }", "t.toml: latches.a: update is missing"),
        (
            "[latches]\na = { init = 0, update = '1', sawed = 1 }",
            "t.toml: latches.a: unknown key 'sawed' (accepted: init, update, saved)",
        ),
        (
            "initial = { a = 1 }",
            "t.toml: initial.a: nothing is remembered under this name; use prev(a) or a latch",
        ),
        ("modes = [0, 1]", "t.toml: set_mode: is missing; without steps the only mode is 0"),
        ("modes = []", "t.toml: modes: must be a list of distinct numbers from 0 to 2147483647"),
        ("difficulties = [4]", "t.toml: difficulties: must be a list of distinct numbers from 0 to 3"),
        ("default_mode = 2", "t.toml: default_mode: 2 is not one of the modes"),
        (
            "starting_actions = ['JUMP x2']",
            "t.toml: starting_actions: 'JUMP x2' is not of the form 'FIRE x16' or 'RESET x1'",
        ),
        ("starting_actions = ['FIRE x4294967295']", "t.toml: starting_actions: more than 10000 frames"),
        ("illegal_actions = ['NOOP']", "t.toml: illegal_actions: NOOP is always legal"),
        (
            "set_mode = ['dance']",
            "t.toml: set_mode: step 1: unknown step 'dance' (accepted: require, fail unless, select, soft_reset, act, let, until, repeat, if) at column 1",
        ),
        (
            "set_mode = ['soft_reset', 'act(JUMP)']",
            "t.toml: set_mode: step 2: 'JUMP' is none of the 18 actions at column 5",
        ),
        (
            "set_mode = ['until ram[0] == q: select(1)']",
            "t.toml: set_mode: step 1: unknown name 'q' at column 17",
        ),
        (
            "set_mode = ['let score = 1']",
            "t.toml: set_mode: step 1: 'score' is no latch, it cannot be set at column 5",
        ),
        ("console = { height = 999 }", "t.toml: console.height: must be a number from 100 to 256"),
        (
            "settings_overrides = { volume = 3 }",
            "t.toml: settings_overrides: unknown setting 'volume' (accepted: paddle_min, paddle_max)",
        ),
        ("corrected = { md5 = '0' }", "t.toml: corrected.md5: cannot be corrected"),
        ("corrected = { score = 'x' }", "t.toml: corrected: score: unknown name 'x' at column 1"),
    ] {
        if body.starts_with("score = 'a'") {
            let text = complaint(&format!("lives = 'terminal'\nterminal = 'lives'\n{body}"));
            assert!(text.contains("is defined by itself: "), "{text}");
        } else {
            assert_eq!(complaint(body), expected);
        }
    }
    let error = Game::parse("games/x.toml", "title = 'T'\nmd5 = \n").expect_err("no value");
    assert!(error.to_string().starts_with("games/x.toml: line 2, column "), "{error}");
    let error = Game::parse("My Game.toml", HEAD).expect_err("bad name");
    assert!(error.to_string().starts_with("My Game.toml: a game is named by its file"), "{error}");
    let error = Game::parse("x.toml", "title = 'T'\nmd5 = '12'").expect_err("bad digest");
    assert_eq!(error.to_string(), "x.toml: md5: '12' is not 32 hexadecimal digits");
}

#[test]
fn sheets_that_need_too_much_are_refused() {
    let many = |count: usize| {
        let latches = (0..count)
            .fold(String::new(), |all, i| all + &format!("l{i} = {{ init = 0, update = 'prev(l{i})' }}\n"));
        parse(&format!("[latches]\n{latches}"))
    };
    assert!(many(12).is_ok());
    let error = many(13).expect_err("one latch too many").to_string();
    assert!(error.starts_with("t.toml: 17 quantities are remembered"), "{error}");

    let deep = |depth: usize| parse(&format!("score = '{}1{}'", "(".repeat(depth), ")".repeat(depth)));
    assert!(deep(60).is_ok());
    assert!(deep(1900).expect_err("deep").to_string().contains("nested too deeply"));
    let right = (0..40).map(|_| "ram[0] + (").collect::<String>() + "1" + &")".repeat(40);
    assert!(complaint(&format!("score = '{right}'")).contains("nested too deeply"));
    let long = vec!["1"; 5000].join(" + ");
    assert!(complaint(&format!("score = '{long}'")).contains("more than 4000 words"));
    let chain = vec!["ram[1]"; 700].join(" + ");
    assert!(parse(&format!("score = '{chain}'")).is_ok());
    let vars = (0..30).fold(String::new(), |all, i| all + &format!("v{i} = '{chain}'\n"));
    let sum = (0..30).map(|i| format!("v{i}")).collect::<Vec<_>>().join(" + ");
    let error = complaint(&format!("score = '{sum}'\n[vars]\n{vars}"));
    assert!(error.contains("operations; at most 8192 fit"), "{error}");
}

#[test]
fn a_state_survives_its_bytes_and_other_bytes_are_refused() {
    let game = Game::by_name("miniature_golf").expect("known");
    let mut state = game.new_state();
    game.observe(&mut state, &ram(&[(7, 0x12), (0x2F, 3)]));
    let mut bytes = vec![];
    game.save(&state, &mut bytes);
    assert_eq!(bytes.len(), game.saved_len());
    assert_eq!(game.restore(&bytes).expect("own bytes"), state);
    let error = game.restore(&bytes[1..]).expect_err("short").to_string();
    assert_eq!(error, "the state of \"miniature_golf\" has 36 bytes; 35 came");
}

#[test]
fn the_reference_restores_only_what_it_saves() {
    let game = sheet(
        "terminal = 'kept == 1'\nunsaved = ['lives']\nlives = 'ram[3]'\n\
         [latches]\nkept = { init = 0, update = 'ram[0]' }\n\
         live = { init = 0, update = 'ram[1]', saved = false }\n\
         flag = { init = 0, update = 'ram[2]', saved = 'flag' }\n\
         [on_restore]\nterminal = 'live == 7'",
    );
    let look = |a, b, c, d| {
        let mut state = game.new_state();
        game.observe(&mut state, &ram(&[(0, a), (1, b), (2, c), (3, d)]));
        state
    };
    let named = |state: &GameState, wanted: &str| {
        game.values(state).find(|(name, _)| *name == wanted).map(|(_, value)| value)
    };
    let saved = look(1, 2, 3, 4);
    let mut live = look(5, 7, 0, 8);
    assert!(!game.equal_like_reference(&saved, &live));
    game.restore_like_reference(&mut live, &saved);
    assert_eq!(named(&live, "kept"), Some(1));
    assert_eq!(named(&live, "live"), Some(7));
    assert_eq!(named(&live, "flag"), Some(-88_999_246));
    assert_eq!(live.lives(), 8);
    assert!(live.terminal());
    assert!(game.equal_like_reference(&saved, &live));
    game.restore_like_reference(&mut live, &look(1, 2, 0, 4));
    assert_eq!(named(&live, "flag"), Some(-1_160_660_270));
}

#[test]
fn a_corrected_variant_puts_its_keys_over_the_others() {
    let game = sheet(
        "score = 'a'\nterminal = 'b'\n[vars]\na = '1'\nb = '0'\n[corrected]\nnotes = ['why']\n[corrected.vars]\na = '2'",
    );
    let corrected = game.corrected().expect("a variant");
    let score = |game: &Game| {
        let mut state = game.new_state();
        game.observe(&mut state, &ram(&[]));
        state.score()
    };
    assert_eq!((score(&game), score(&corrected)), (1, 2));
    assert_eq!((corrected.name(), corrected.notes()), ("t", &["why".to_owned()][..]));
    assert!(corrected.corrected().is_none());
}

#[test]
fn every_quantity_can_be_looked_at() {
    let body = "score = 'b'\n[vars]\na = 'ram[0] + 1'\nb = 'a * 2 + prev(c)'\nc = 'ram[1]'\nidle = 'prev(a)'\n\
                [corrected.vars]\na = 'ram[0]'";
    let game = sheet(body);
    let mut before = game.new_state();
    game.observe(&mut before, &ram(&[(1, 100)]));
    let values = |game: &Game| {
        let explain = Explain::of(game);
        let mut values = explain.values(&before, &ram(&[(0, 3)]));
        values.sort_unstable();
        values.into_iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(values(&game), "a 4, b 108, c 0, lives 1, reward 106, score 108, terminal 0");
    let corrected = game.corrected().expect("a variant");
    assert!(corrected.is_corrected() && !game.is_corrected());
    assert_eq!(values(&corrected), "a 3, b 106, c 0, lives 1, reward 104, score 106, terminal 0");
    assert_eq!(Explain::of(&game).unused(), ["idle"]);
}

#[test]
fn facts_of_the_machine_can_be_given() {
    let game = sheet(
        "settings_overrides = { paddle_max = 1000 }\nillegal_actions = ['FIRE']\n\
         starting_actions = ['UP x2', 'RESET x1', 'NOOP']\n\
         [console]\ncontrollers = ['paddles', 'joystick']\nswap_paddles = true\ntelevision = 'PAL'\nystart = 30\n\
         height = 220\ncartridge_type = 'F8'\nhmove_blanks = false\nswap_ports = false",
    );
    let properties = game.properties().expect("given");
    assert!(properties.has_paddles() && properties.swap_paddles && !properties.hmove_blanks);
    assert_eq!(properties.television, Some(crate::console::Television::Pal));
    assert_eq!((properties.ystart, properties.height), (30, 220));
    assert_eq!(properties.cartridge_type.as_deref(), Some("F8"));
    assert_eq!(game.settings_overrides(), [("paddle_max".to_owned(), 1000)]);
    assert_eq!(game.legal_actions().len(), 17);
    assert!(!game.is_legal(Action::Fire) && game.is_legal(Action::UpFire));
    let up = StartingAction::Act(Action::Up);
    let noop = StartingAction::Act(Action::Noop);
    assert_eq!(game.starting_actions(), [up, up, StartingAction::Reset, noop]);
    assert_eq!(game.md5(), "0123456789abcdef0123456789abcdef");
}

mod scripts;
mod sheets;

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = Game::parse("t.toml", &text);
        let _ = parse(&text);
    }

    #[test]
    fn any_expression_is_read_or_refused(
        words in prop::collection::vec(prop::sample::select(vec![
            "if", "then", "else", "and", "or", "not", "(", ")", "ram", "[", "]", "0x7F", "3", "-", "+", "*", "/",
            "%", "<<", "<", "==", "prev", "score", "lives", ",", "min", "bcd3", "peek", "s8", "&", "|", "rng",
            "until", "repeat", "select", "act", "NOOP", "let", ":", ";", "=", "max", "1000000000", "x", "fail",
            "unless", "require",
        ]), 0..30),
        bytes in any::<[u8; 16]>(),
    ) {
        let text = words.join(" ");
        let _ = parse(&format!("set_mode = ['{text}']"));
        if let Ok(game) = parse(&format!("terminal = '{text}'")) {
            let mut state = game.new_state();
            let cells: Vec<_> = bytes.into_iter().enumerate().collect();
            game.observe(&mut state, &ram(&cells));
            game.observe(&mut state, &ram(&cells));
        }
    }
}
