//! The games that are known: the embedded sheets, and those a user registers.
//!
//! Sheets are parsed when first asked for. The lock is only taken to look a game up.

use std::sync::{Arc, LazyLock, OnceLock, PoisonError, RwLock};

use super::Game;
use crate::catalogue;
use crate::embedded;
use crate::error::Error;

struct Sheet {
    name: &'static str,
    text: &'static str,
    game: OnceLock<Arc<Game>>,
}

/// The known games with rules, in the order of the catalogue, then the games of our own.
static SHEETS: LazyLock<Vec<Sheet>> = LazyLock::new(|| {
    let known = catalogue::GAMES.iter().filter(|game| game.players == 1).map(|game| (game.name, game.sheet));
    let own = embedded::GAMES.iter().map(|own| (own.name, own.sheet));
    known.chain(own).map(|(name, text)| Sheet { name, text, game: OnceLock::new() }).collect()
});

/// All sheets that come with the library.
fn sheets() -> impl Iterator<Item = &'static Sheet> {
    SHEETS.iter()
}

static REGISTERED: RwLock<Vec<Arc<Game>>> = RwLock::new(Vec::new());

fn registered() -> Vec<Arc<Game>> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Sheet {
    fn game(&self) -> Arc<Game> {
        let parse = || {
            let game = Game::parse(&format!("{}.toml", self.name), self.text);
            Arc::new(game.expect("the embedded sheets parse, as a test shows"))
        };
        self.game.get_or_init(parse).clone()
    }
}

impl Game {
    /// The game with this name.
    ///
    /// # Errors
    /// [`Error::UnknownGame`] with a hint if a similar name is known.
    pub fn by_name(name: &str) -> Result<Arc<Self>, Error> {
        if let Some(sheet) = sheets().find(|sheet| sheet.name == name) {
            return Ok(sheet.game());
        }
        let registered = registered();
        if let Some(game) = registered.iter().find(|game| game.name() == name) {
            return Ok(game.clone());
        }
        let names = sheets().map(|sheet| sheet.name).chain(registered.iter().map(|game| game.name()));
        let hint = nearest(name, names).map(|near| format!(" (did you mean \"{near}\"?)"));
        Err(Error::UnknownGame { name: name.to_owned(), hint: hint.unwrap_or_default() })
    }

    /// The game whose image has this MD5.
    pub fn by_md5(md5_hex: &str) -> Option<Arc<Self>> {
        Self::for_rom(md5_hex, "")
    }

    /// The first game that has this MD5 or this name: how the reference chooses the rules for an image.
    pub fn for_rom(md5_hex: &str, name: &str) -> Option<Arc<Self>> {
        let md5 = md5_hex.to_ascii_lowercase();
        let embedded = sheets().find_map(|sheet| {
            // A sheet without the digits anywhere need not be parsed.
            let worth = sheet.name == name || (md5.len() == 32 && sheet.text.contains(&md5));
            worth.then(|| sheet.game()).filter(|game| game.name() == name || game.md5() == md5)
        });
        embedded.or_else(|| registered().into_iter().find(|game| game.name() == name || game.md5() == md5))
    }

    /// All games: the reference's in its order, then our own, then those registered.
    pub fn all() -> Vec<Arc<Self>> {
        sheets().map(Sheet::game).chain(registered()).collect()
    }

    /// Makes a user's game known to the whole process. A game registered before under the same name is
    /// replaced; environments that play it keep the old one.
    ///
    /// # Errors
    /// [`Error::Sheet`] when the name is that of an embedded game.
    pub fn register(game: Self) -> Result<Arc<Self>, Error> {
        if sheets().any(|sheet| sheet.name == game.name()) {
            let name = game.name();
            return Err(Error::Sheet(format!(
                "{name}.toml: \"{name}\" is an embedded game; choose another file name"
            )));
        }
        let game = Arc::new(game);
        let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
        registered.retain(|known| known.name() != game.name());
        registered.push(game.clone());
        Ok(game)
    }
}

/// The candidate most like `text`, if one is like enough.
pub(super) fn nearest<'c>(text: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '-', ' '], "");
    // A name longer than this is no misspelling, and need not be compared.
    let wanted = Some(plain(text)).filter(|wanted| wanted.len() <= 64)?;
    let (distance, best) = candidates
        .map(|candidate| (edits(&wanted, &plain(candidate)), candidate))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= 2.max(wanted.chars().count() / 4)).then_some(best)
}

/// Letters to insert, delete or replace to make `a` into `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
