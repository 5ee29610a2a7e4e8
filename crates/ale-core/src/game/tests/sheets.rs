//! The embedded sheets and the registry.

use super::*;
use crate::catalogue::GAMES;

#[test]
fn all_embedded_sheets_parse_and_the_folder_holds_no_other() {
    let games = Game::all();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the sheets")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    files.sort();
    let mut names: Vec<String> = games.iter().map(|game| format!("{}.toml", game.name())).collect();
    names.extend(GAMES.iter().filter(|game| game.players > 1).map(|game| format!("{}.toml", game.name)));
    names.sort();
    names.retain(|name| files.contains(name));
    assert_eq!(files, names);
    for own in crate::embedded::GAMES {
        assert_eq!(Game::by_name(own.name).expect("a sheet").md5(), crate::Rom::new(own.image).md5_hex());
    }
}

#[test]
fn the_order_is_that_of_the_reference() {
    let games = Game::all();
    let known = GAMES.iter().filter(|game| game.players == 1).count();
    let names: Vec<_> = games.iter().map(|game| game.name()).take(known).collect();
    let at = |name| names.iter().position(|known| *known == name).expect(name);
    assert_eq!((at("adventure"), at("zaxxon")), (0, names.len() - 1));
    assert_eq!(at("atlantis") + 1, at("atlantis2"));
    assert_eq!(at("turmoil") + 1, at("trondead"));
    assert_eq!(at("koolaid") + 1, at("keystone_kapers"));
    let mut sorted = names.clone();
    sorted.sort_unstable();
    let moved = sorted.iter().zip(&names).filter(|(a, b)| a != b).count();
    // koolaid moves past keystone_kapers, king_kong and klax; turmoil and trondead swap.
    assert_eq!(moved, 4 + 2);
}

#[test]
fn games_are_found_by_name_and_checksum() {
    let pong = Game::by_name("pong").expect("known");
    assert_eq!(pong.title(), "Pong");
    assert!(std::sync::Arc::ptr_eq(&pong, &Game::by_md5(pong.md5()).expect("known")));
    assert!(std::sync::Arc::ptr_eq(&pong, &Game::by_md5(&pong.md5().to_uppercase()).expect("known")));
    assert!(Game::by_md5("").is_none());
    assert!(Game::by_md5("00000000000000000000000000000000").is_none());
    for game in Game::all() {
        assert_eq!(Game::by_md5(game.md5()).expect("known").md5(), game.md5());
    }
    // The first that matches by either: how the reference treats a misnamed file.
    let breakout = Game::by_name("breakout").expect("known");
    assert_eq!(Game::for_rom(pong.md5(), "breakout").expect("known").name(), "breakout");
    assert_eq!(Game::for_rom(breakout.md5(), "pong").expect("known").name(), "breakout");
    let hint = |name| Game::by_name(name).expect_err("unknown").to_string();
    assert_eq!(hint("pnog"), "no game is known as \"pnog\" (did you mean \"pong\"?)");
    assert_eq!(
        hint("SpaceInvaders"),
        "no game is known as \"SpaceInvaders\" (did you mean \"space_invaders\"?)"
    );
    assert_eq!(hint("quake"), "no game is known as \"quake\"");
}

#[test]
fn a_users_game_is_known_after_registration() {
    let parse = |score| {
        let text = format!("{HEAD}score = '{score}'").replace("0123", "ffff");
        Game::parse("registered_one.toml", &text).expect("good")
    };
    assert!(Game::by_name("registered_one").is_err());
    Game::register(parse("1")).expect("new");
    let game = Game::register(parse("2")).expect("replaced");
    assert!(std::sync::Arc::ptr_eq(&game, &Game::by_name("registered_one").expect("known")));
    assert!(std::sync::Arc::ptr_eq(&game, &Game::by_md5(game.md5()).expect("known")));
    assert_eq!(Game::all().iter().filter(|known| known.name() == "registered_one").count(), 1);
    let taken = Game::parse("pong.toml", HEAD).expect("good");
    assert_eq!(
        Game::register(taken).expect_err("taken").to_string(),
        "pong.toml: \"pong\" is an embedded game; choose another file name"
    );
}

#[test]
fn modes_and_difficulties_that_do_not_exist_are_refused_with_the_list() {
    let pong = Game::by_name("pong").expect("known");
    assert_eq!(pong.modes(), [0, 1]);
    assert!(pong.check_mode(1).is_ok());
    assert_eq!(
        pong.check_mode(7).expect_err("no").to_string(),
        "mode 7 of \"pong\" does not exist; available: 0, 1"
    );
    assert_eq!(
        pong.check_difficulty(9).expect_err("no").to_string(),
        "difficulty 9 of \"pong\" does not exist; available: 0, 1, 2, 3"
    );
}

#[test]
fn video_checkers_turns_its_reward_round_in_the_upper_modes() {
    let game = Game::by_name("video_checkers").expect("known");
    for (reverse, reward) in [(0, -1), (1, 1)] {
        let mut state = game.new_state();
        let slot = game.values(&state).position(|(name, _)| name == "reverse").expect("a latch");
        state.values[slot] = reverse;
        game.observe(&mut state, &ram(&[(0, 0x90)]));
        assert_eq!((state.reward(), state.terminal()), (reward, true));
    }
}

#[test]
fn the_worked_example_of_the_manual_is_a_sheet() {
    let manual = include_str!("../../../../../docs/games-format.md");
    let example = manual.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    let game = Game::parse("my_game.toml", example.expect("an example")).expect("a sheet");
    let own = Game::by_name("glowdelve").expect("known");
    assert_eq!(game.modes(), own.modes());
    let mut state = game.new_state();
    for (stage, ended) in [(2, false), (1, false), (2, true)] {
        game.observe(&mut state, &ram(&[(1, stage), (3, 2), (4, 0x12), (5, 0x34), (6, 0x56)]));
        assert_eq!((state.terminal(), state.lives(), state.score()), (ended, 2, 123_456));
    }
}
