//! `EnvConfig`: the options of an environment.

use super::Settings;

/// What can be chosen when an environment is built.
///
/// ```
/// use ale_core::env::EnvConfig;
/// let config = EnvConfig { frame_skip: 4, seed: 7, ..EnvConfig::default() };
/// assert_eq!(config.repeat_action_probability, 0.25);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EnvConfig {
    /// Seed of the environment's generator, which sticky actions are drawn from.
    pub seed: u32,
    /// Seed of the machine's generator, which the RAM at power-on is drawn from.
    pub system_seed: u32,
    /// Probability that a frame repeats the action before. Kept with six digits, see [`six_digits`].
    pub repeat_action_probability: f32,
    /// Frames per act; 0 counts as 1.
    pub frame_skip: u32,
    /// Frames after which an episode is truncated; 0 for no limit.
    pub max_num_frames_per_episode: u32,
    /// Truncate when a life is lost.
    pub truncate_on_loss_of_life: bool,
    /// Least value that an act returns.
    pub reward_min: i32,
    /// Greatest value that an act returns; it wins over `reward_min`.
    pub reward_max: i32,
    /// The screen is the average of this picture and the one before.
    pub color_averaging: bool,
    /// Paddle position of the right stop, instead of the usual one.
    pub paddle_min: Option<i32>,
    /// Paddle position of the left stop, instead of the usual one.
    pub paddle_max: Option<i32>,
    /// Make 512 samples of sound after each act.
    pub sound: bool,
    /// Play by the corrected rules of the game's sheet where it has them, instead of the reference's.
    pub corrected: bool,
    /// Compile the program to machine code, unless `ALE_RS_JIT=0`. The results are the same.
    pub jit: bool,
}

/// Those of [`Settings`], which are the one list of names and defaults; the seed is 0.
impl Default for EnvConfig {
    fn default() -> Self {
        Settings::default().config(0)
    }
}

impl EnvConfig {
    /// The options that take effect, with those that a game forces.
    pub(super) fn normalized(&self, forced: &[(String, i32)]) -> Self {
        let mut config = self.clone();
        config.repeat_action_probability = through_text(config.repeat_action_probability);
        config.frame_skip = config.frame_skip.max(1);
        for (key, value) in forced {
            match key.as_str() {
                "paddle_min" => config.paddle_min = Some(*value),
                "paddle_max" => config.paddle_max = Some(*value),
                _ => {}
            }
        }
        config
    }
}

/// A number as text of six significant digits, like C's `%g`.
pub fn six_digits(value: f32) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{:.5e}", f64::from(value));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        trimmed(&format!("{:.decimals$}", f64::from(value))).to_owned()
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(mantissa), exponent.abs())
    }
}

fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// The probability that takes effect: the reference keeps options as text of six digits.
fn through_text(probability: f32) -> f32 {
    six_digits(probability).parse().unwrap_or(probability)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the very same number is meant")]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_text_of_six_digits() {
        let rows = [
            (0.25, "0.25"),
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.123_456_79, "0.123457"),
            (0.0001, "0.0001"),
            (1e-5, "1e-05"),
            (1e-9, "1e-09"),
            (123_456.7, "123457"),
            (1_234_567.0, "1.23457e+06"),
            (100_000.0, "100000"),
            (999_999.9, "1e+06"),
            (1e30, "1e+30"),
            (f32::INFINITY, "inf"),
            (f32::NAN, "nan"),
        ];
        for (value, text) in rows {
            assert_eq!(six_digits(value), text);
        }
    }

    #[test]
    fn the_probability_is_rounded_once() {
        assert_eq!(through_text(0.123_456_79), 0.123_457);
        assert_eq!(through_text(through_text(0.333_333_34)), through_text(0.333_333_34));
        assert_eq!(through_text(0.25), 0.25);
        assert!(through_text(f32::NAN).is_nan());
    }
}
