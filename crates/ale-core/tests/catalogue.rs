//! A game is one file: one more sheet is one more row of the table, without a change of Rust.

#[expect(dead_code, reason = "only the function that makes the table is called")]
#[path = "../build.rs"]
mod build_script;

use std::fs;
use std::path::Path;

use ale_core::catalogue::GAMES;
use ale_core::game::Game;

const SHEET: &str = r#"
title = "A new game"
md5 = "0123456789abcdef0123456789abcdef"
score = "bcd(ram[0x00])"
terminal = "ram[0x01] == 0"
minimal_actions = ["NOOP", "FIRE"]
[console]
controllers = ["paddles", "joystick"]
"#;

fn lines_of(folder: &Path) -> Vec<String> {
    build_script::table(folder).expect("the sheets are read").lines().map(str::to_owned).collect()
}

#[test]
fn one_more_sheet_is_one_more_row() {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("games");
    let folder = std::env::temp_dir().join(format!("ale-rs-sheets-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for a while");
    for entry in fs::read_dir(&games).expect("the sheets") {
        let path = entry.expect("an entry").path();
        fs::copy(&path, folder.join(path.file_name().expect("a file"))).expect("a copy");
    }
    let before = lines_of(&folder);
    fs::write(folder.join("a_new_game.toml"), SHEET).expect("a new sheet");
    let after = lines_of(&folder);
    fs::remove_dir_all(&folder).expect("it is ours");

    assert_eq!(before.len(), GAMES.len() + 3);
    assert_eq!(after.len(), before.len() + 1);
    let new: Vec<_> = after.iter().filter(|line| line.contains("a_new_game")).collect();
    let row = "    KnownGame { name: \"a_new_game\", md5: \"0123456789abcdef0123456789abcdef\", players: 1, ";
    assert!(matches!(&new[..], [line] if line.starts_with(row)), "{new:?}");
    // The same text as a game: what the registry makes of a row.
    let game = Game::parse("a_new_game.toml", SHEET).expect("a sheet");
    assert!(game.properties().expect("its console").has_paddles());
}

#[test]
fn a_sheet_without_a_checksum_is_named() {
    let folder = std::env::temp_dir().join(format!("ale-rs-bad-sheet-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for a while");
    fs::write(folder.join("nameless.toml"), "title = \"No checksum\"\n").expect("a sheet");
    let mistake = build_script::table(&folder).expect_err("no checksum");
    fs::remove_dir_all(&folder).expect("it is ours");
    assert!(mistake.ends_with("nameless.toml: md5 is missing"), "{mistake}");
}

#[test]
fn rows_say_what_their_sheets_say() {
    for known in &GAMES {
        let table: toml::Table = known.sheet.parse().expect(known.name);
        assert_eq!(table["md5"].as_str(), Some(known.md5), "{}", known.name);
        let players = table.get("players").and_then(toml::Value::as_integer).unwrap_or(1);
        assert_eq!(players, i64::from(known.players), "{}", known.name);
        assert_eq!(Game::by_name(known.name).is_ok(), known.players == 1, "{}", known.name);
    }
}
