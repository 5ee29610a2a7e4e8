//! Options by name, kept as text like in the reference's interface.
//!
//! Any reader may read any key; a setter must fit the key's type, except for the free keys, which take every type.

use super::{EnvConfig, config};
use crate::error::Error;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Float,
    Flag,
    Text,
    /// Any type; the text is replaced by the default when it makes no sense.
    Free,
}

use Kind::{Flag, Float, Free, Int, Text};

/// Every option of an environment with its default, then keys that only the reference's interface has.
const ROWS: [(&str, Kind, &str); 30] = [
    ("random_seed", Int, "-1"),
    ("system_random_seed", Int, "4753849"),
    ("repeat_action_probability", Float, "0.25"),
    ("frame_skip", Int, "1"),
    ("max_num_frames_per_episode", Int, "0"),
    ("truncate_on_loss_of_life", Flag, "0"),
    ("reward_min", Int, "-2147483648"),
    ("reward_max", Int, "2147483647"),
    ("color_averaging", Flag, "0"),
    ("paddle_min", Int, "-1"),
    ("paddle_max", Int, "-1"),
    ("sound_obs", Flag, "0"),
    ("corrected", Flag, "0"),
    ("jit", Flag, "1"),
    ("cpu", Text, "low"),
    ("display_screen", Flag, "0"),
    ("record_screen_dir", Text, ""),
    ("record_sound_filename", Text, ""),
    ("rom_file", Text, ""),
    ("max_num_frames", Int, "0"),
    ("run_length_encoding", Flag, "1"),
    ("restricted_action_set", Flag, "0"),
    ("send_rgb", Flag, "0"),
    ("palette", Free, "standard"),
    ("sound", Free, "false"),
    ("fragsize", Free, "64"),
    ("freq", Free, "31400"),
    ("tiafreq", Free, "31400"),
    ("volume", Free, "100"),
    ("clipvol", Free, "true"),
];

/// The options of one interface, by name.
#[derive(Debug, Clone)]
pub struct Settings {
    texts: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { texts: ROWS.iter().map(|&(_, _, default)| default.to_owned()).collect() }
    }
}

impl Settings {
    /// The text of a key; empty when there is no such key.
    pub fn text(&self, key: &str) -> &str {
        Self::find(key).map_or("", |(index, _)| &self.texts[index])
    }

    /// The number that the text begins with, 0 when there is none; -1 when there is no such key.
    pub fn int(&self, key: &str) -> i32 {
        Self::find(key).map_or(-1, |(index, _)| leading_int(&self.texts[index]))
    }

    /// The number that the text begins with, 0 when there is none; -1 when there is no such key.
    pub fn float(&self, key: &str) -> f32 {
        Self::find(key).map_or(-1.0, |(index, _)| leading_float(&self.texts[index]))
    }

    /// Whether the text is `1` or `true`.
    pub fn flag(&self, key: &str) -> bool {
        Self::find(key).is_some_and(|(index, kind)| match self.texts[index].as_str() {
            "1" | "true" => true,
            "True" => kind == Free,
            _ => false,
        })
    }

    /// Sets a key of type int.
    ///
    /// # Errors
    /// [`Error::Config`] when there is no such key of this type; so for the setters below.
    pub fn set_int(&mut self, key: &str, value: i32) -> Result<(), Error> {
        self.set(key, Int, value.to_string())
    }

    /// Sets a key of type float; six digits are kept.
    ///
    /// # Errors
    /// See [`Settings::set_int`].
    pub fn set_float(&mut self, key: &str, value: f32) -> Result<(), Error> {
        self.set(key, Float, config::six_digits(value))
    }

    /// Sets a key of type bool.
    ///
    /// # Errors
    /// See [`Settings::set_int`].
    pub fn set_flag(&mut self, key: &str, value: bool) -> Result<(), Error> {
        self.set(key, Flag, u8::from(value).to_string())
    }

    /// Sets a key of type text.
    ///
    /// # Errors
    /// See [`Settings::set_int`].
    pub fn set_text(&mut self, key: &str, value: &str) -> Result<(), Error> {
        self.set(key, Text, value.to_owned())
    }

    /// The options that they amount to. `clock` is the seed when none is set.
    pub fn config(&self, clock: u32) -> EnvConfig {
        let seed = self.int("random_seed");
        let stop = |key| Some(self.int(key)).filter(|&position| position != -1);
        EnvConfig {
            seed: if seed == -1 { clock } else { seed as u32 },
            system_seed: self.int("system_random_seed") as u32,
            repeat_action_probability: self.float("repeat_action_probability"),
            // A negative count makes the reference hang.
            frame_skip: self.int("frame_skip").max(1) as u32,
            max_num_frames_per_episode: self.int("max_num_frames_per_episode").max(0) as u32,
            truncate_on_loss_of_life: self.flag("truncate_on_loss_of_life"),
            reward_min: self.int("reward_min"),
            reward_max: self.int("reward_max"),
            color_averaging: self.flag("color_averaging"),
            paddle_min: stop("paddle_min"),
            paddle_max: stop("paddle_max"),
            // Reference: sound that is played aloud is not observed.
            sound: self.flag("sound_obs") && !self.flag("sound"),
            corrected: self.flag("corrected"),
            jit: self.flag("jit"),
        }
    }

    fn find(key: &str) -> Option<(usize, Kind)> {
        ROWS.iter().position(|row| row.0 == key).map(|index| (index, ROWS[index].1))
    }

    fn set(&mut self, key: &str, kind: Kind, text: String) -> Result<(), Error> {
        match Self::find(key) {
            Some((index, known)) if known == kind => self.texts[index] = text,
            Some((index, Free)) => {
                self.texts[index] = if sensible(key, &text) { text } else { ROWS[index].2.to_owned() };
            }
            _ => {
                return Err(Error::Config(format!(
                    "The key {key} you are trying to set does not exist or has incorrect value type.\n"
                )));
            }
        }
        Ok(())
    }
}

fn sensible(key: &str, text: &str) -> bool {
    match key {
        "palette" => ["standard", "z26", "user"].contains(&text),
        "volume" => (0..=100).contains(&leading_int(text)),
        "freq" | "tiafreq" => (0..=48_000).contains(&leading_int(text)),
        _ => true,
    }
}

/// Like C's `atoi`.
fn leading_int(text: &str) -> i32 {
    let text = text.trim_start();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let value = digits
        .bytes()
        .take_while(u8::is_ascii_digit)
        .fold(0_i64, |value, digit| value.saturating_mul(10).saturating_add(i64::from(digit - b'0')));
    (if negative { -value } else { value }) as i32
}

/// Like C's `atof`, narrowed: the longest beginning that is a number. Hexadecimal is not read.
fn leading_float(text: &str) -> f32 {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(text.len());
    (1..=end).rev().find_map(|end| text.get(..end)?.parse::<f64>().ok()).unwrap_or(0.0) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_reader_reads_any_key() {
        let mut settings = Settings::default();
        let rows = [
            ("  12abc", 12, 12.0),
            ("99999999999", 1_215_752_191, 99_999_997_952.0),
            ("1e5z", 1, 100_000.0),
            ("1e", 1, 1.0),
            ("infx", 0, f32::INFINITY),
            (".5", 0, 0.5),
            ("+.5e-2x", 0, 0.005),
            ("-", 0, 0.0),
            ("e5", 0, 0.0),
            ("ü", 0, 0.0),
            ("", 0, 0.0),
        ];
        for (text, int, float) in rows {
            settings.set_text("rom_file", text).expect("a text key");
            assert_eq!((settings.int("rom_file"), settings.float("rom_file")), (int, float), "{text}");
        }
        assert_eq!((settings.int("no"), settings.float("no"), settings.flag("no")), (-1, -1.0, false));
        assert_eq!(settings.text("no"), "");
    }

    #[test]
    fn a_setter_must_fit_the_key_except_for_free_keys() {
        let mut settings = Settings::default();
        for result in
            [settings.set_int("foo", 1), settings.set_int("cpu", 1), settings.set_float("frame_skip", 1.0)]
        {
            let message = result.expect_err("the type is wrong").to_string();
            assert!(message.ends_with("does not exist or has incorrect value type.\n"));
        }
        settings.set_float("volume", 50.5).expect("a free key");
        assert_eq!((settings.text("volume"), settings.int("volume")), ("50.5", 50));
        settings.set_int("volume", 500).expect("a free key");
        assert_eq!(settings.text("volume"), "100");
        settings.set_text("palette", "gray").expect("a free key");
        assert_eq!(settings.text("palette"), "standard");
    }

    #[test]
    fn only_free_keys_know_true_with_a_capital() {
        let mut settings = Settings::default();
        settings.set_text("sound", "True").expect("a free key");
        settings.set_text("rom_file", "True").expect("a text key");
        assert_eq!((settings.flag("sound"), settings.flag("rom_file")), (true, false));
    }

    #[test]
    fn a_seed_is_taken_as_unsigned_and_minus_one_is_the_clock() {
        let mut settings = Settings::default();
        assert_eq!(settings.config(77).seed, 77);
        settings.set_int("random_seed", -5).expect("an int key");
        settings.set_int("frame_skip", -3).expect("an int key");
        assert_eq!(settings.config(77).seed, 4_294_967_291);
        assert_eq!(settings.config(77).frame_skip, 1);
    }
}
