//! Facts of the machine that a sheet holds: its table `[console]` → [`Properties`].

use toml::{Table, Value};

use crate::catalogue;
use crate::console::properties::Controller;
use crate::console::{Properties, Television};
use crate::rom::Rom;

impl Properties {
    /// The properties known for this image, or the defaults. Only the checksum counts: another version of a
    /// game, or a file of the same name, has the defaults.
    pub fn of(rom: &Rom) -> Self {
        Self::of_md5(&rom.md5_hex())
    }

    /// The properties known for the image with this MD5 in lower-case hexadecimal, or the defaults.
    pub fn of_md5(md5: &str) -> Self {
        // All sheets of the catalogue can be read, as a test shows.
        catalogue::find_md5(md5).and_then(|known| in_sheet(known.sheet).ok()).unwrap_or_default()
    }
}

/// The properties in a sheet, or the defaults.
fn in_sheet(sheet: &str) -> Result<Properties, String> {
    let table: Table = sheet.parse().map_err(|error: toml::de::Error| error.to_string())?;
    Ok(table.get("console").map(properties).transpose()?.unwrap_or_default())
}

/// Reads the table `[console]`.
pub(super) fn properties(table: &Value) -> Result<Properties, String> {
    let Value::Table(table) = table else { return Err("console: must be a table".to_owned()) };
    let mut properties = Properties::default();
    for (name, value) in table {
        let key = format!("console.{name}");
        match name.as_str() {
            "controllers" => properties.controllers = controllers(&key, value)?,
            "swap_ports" => properties.swap_ports = flag(&key, value)?,
            "swap_paddles" => properties.swap_paddles = flag(&key, value)?,
            "left_difficulty_a" => properties.left_difficulty_a = flag(&key, value)?,
            "right_difficulty_a" => properties.right_difficulty_a = flag(&key, value)?,
            "hmove_blanks" => properties.hmove_blanks = flag(&key, value)?,
            "ystart" => properties.ystart = within(&key, value, 0, 64)?,
            "height" => properties.height = within(&key, value, 100, 256)?,
            "television" => {
                properties.television = Some(match value.as_str() {
                    Some("NTSC") => Television::Ntsc,
                    Some("PAL") => Television::Pal,
                    Some("SECAM") => Television::Secam,
                    _ => return Err(format!("{key}: must be \"NTSC\", \"PAL\" or \"SECAM\"")),
                });
            }
            "cartridge_type" => {
                let text = value.as_str().ok_or_else(|| format!("{key}: must be a text"))?;
                properties.cartridge_type = Some(text.to_owned());
            }
            _ => {
                return Err(format!(
                    "console: unknown key '{name}' (accepted: controllers, swap_ports, swap_paddles, \
                     left_difficulty_a, right_difficulty_a, television, ystart, height, cartridge_type, hmove_blanks)"
                ));
            }
        }
    }
    Ok(properties)
}

fn within(key: &str, value: &Value, min: u16, max: u16) -> Result<u16, String> {
    let number = value.as_integer().and_then(|number| u16::try_from(number).ok());
    number
        .filter(|number| (min..=max).contains(number))
        .ok_or_else(|| format!("{key}: must be a number from {min} to {max}"))
}

fn flag(key: &str, value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("{key}: must be true or false"))
}

fn controllers(key: &str, value: &Value) -> Result<[Controller; 2], String> {
    let one = |value: &Value| match value.as_str() {
        Some("joystick") => Some(Controller::Joystick),
        Some("paddles") => Some(Controller::Paddles),
        _ => None,
    };
    match value.as_array().map(Vec::as_slice) {
        Some([left, right]) => one(left).zip(one(right)).map(Into::into),
        _ => None,
    }
    .ok_or_else(|| format!("{key}: must be two of \"joystick\" and \"paddles\", left and right"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_consoles_of_all_known_games_are_right() {
        for game in &catalogue::GAMES {
            let properties = in_sheet(game.sheet).expect(game.name);
            let special = game.sheet.contains("\n[console]\n");
            assert_eq!(properties != Properties::default(), special, "{}", game.name);
            assert_eq!(properties, Properties::of_md5(game.md5), "{}", game.name);
        }
    }

    #[test]
    fn unknown_images_have_the_defaults() {
        assert_eq!(Properties::of(&Rom::new([0; 2048])), Properties::default());
    }
}
