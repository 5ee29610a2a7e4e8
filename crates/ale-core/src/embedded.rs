//! The games that come with the library: cartridge images written for this project and their fact sheets.
//!
//! The files, their sources and the rules of the games are in `roms/` at the top of the repository.

/// A game inside the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedded {
    /// The game's id.
    pub name: &'static str,
    /// The cartridge image.
    pub image: &'static [u8],
    /// The fact sheet, TOML.
    pub sheet: &'static str,
}

macro_rules! embedded {
    ($($name:literal)*) => {
        [$(Embedded {
            name: $name,
            image: include_bytes!(concat!("../../../roms/", $name, ".bin")),
            sheet: include_str!(concat!("../../../roms/", $name, ".toml")),
        }),*]
    };
}

/// All of them, by name: one for the joystick, one for the paddle.
pub const GAMES: [Embedded; 2] = embedded!["glowdelve" "windfall"];

/// The embedded game of this name.
pub fn find(name: &str) -> Option<&'static Embedded> {
    const { &GAMES }.iter().find(|game| game.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rom::Rom;

    #[test]
    fn every_sheet_names_the_checksum_of_its_image() {
        for game in GAMES {
            let md5 = Rom::new(game.image).md5_hex();
            assert!(game.sheet.contains(&format!("md5 = \"{md5}\"")), "{}: {md5}", game.name);
        }
    }

    #[test]
    fn names_are_found_and_sorted() {
        assert!(GAMES.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(GAMES.iter().all(|game| find(game.name) == Some(game)));
        assert_eq!(find("pong"), None);
    }
}
