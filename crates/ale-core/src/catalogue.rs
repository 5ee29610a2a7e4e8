//! The games that are known: name, MD5, number of players and fact sheet, from `games/*.toml`.
//!
//! The table is made when the library is built: one more sheet is one more row.

use crate::rom::Rom;

/// A row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownGame {
    /// The game's id: the name of its sheet.
    pub name: &'static str,
    /// The MD5 of its image in lower-case hexadecimal.
    pub md5: &'static str,
    /// The least number of players. Games for more than one have no rules in their sheet.
    pub players: u8,
    /// The sheet, TOML.
    pub sheet: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));

/// The game of this name.
pub fn find(name: &str) -> Option<&'static KnownGame> {
    GAMES.iter().find(|game| game.name == name)
}

/// The game whose image has this MD5 in lower-case hexadecimal.
pub fn find_md5(md5: &str) -> Option<&'static KnownGame> {
    GAMES.iter().find(|game| game.md5 == md5)
}

/// The name of the known image that has exactly these bytes.
pub fn name_of(rom: &Rom) -> Option<&'static str> {
    find_md5(&rom.md5_hex()).map(|game| game.name)
}

/// All of them in the order in which images are listed: by name, and a name before its own beginning.
pub fn by_image() -> Vec<&'static KnownGame> {
    let mut games: Vec<_> = GAMES.iter().collect();
    games.sort_by_key(|game| format!("{}~", game.name));
    games
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_checksums_are_distinct_and_well_formed() {
        let names: HashSet<_> = GAMES.iter().map(|game| game.name).collect();
        let sums: HashSet<_> = GAMES.iter().map(|game| game.md5).collect();
        assert_eq!((names.len(), sums.len()), (GAMES.len(), GAMES.len()));
        for KnownGame { name, md5, players, .. } in &GAMES {
            let plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
            assert!(name.bytes().all(plain), "{name}");
            assert!(md5.len() == 32 && md5.bytes().all(|c| matches!(c, b'0'..=b'9' | b'a'..=b'f')), "{md5}");
            assert!((1..=4).contains(players), "{name}");
        }
    }

    #[test]
    fn images_are_listed_by_name_and_sequels_first() {
        let names: Vec<_> = by_image().iter().map(|game| game.name).collect();
        let at = |name| names.iter().position(|known| *known == name).expect(name);
        assert_eq!(at("atlantis2") + 1, at("atlantis"));
        assert_eq!(at("pitfall2") + 1, at("pitfall"));
        assert!(at("combat") < at("joust") && at("maze_craze") < at("warlords"));
    }
}
