//! What the player holds: joysticks, paddles and the console's switches.
//!
//! Inputs are set between frames and constant while one runs, so the levels of all pins are
//! computed once a frame.

use super::properties::{Controller, Properties};
use crate::action::pressed;

/// The state of everything a player can touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Input {
    /// Joysticks 0 and 1: bits of [`crate::action::pressed`].
    pub joysticks: [u8; 2],
    /// Buttons of paddles 0 to 3.
    pub paddle_fire: [bool; 4],
    /// Resistances of paddles 0 to 3.
    pub paddle_resistance: [i32; 4],
    /// The RESET switch is held.
    pub reset: bool,
    /// The SELECT switch is held.
    pub select: bool,
    /// Position of the left difficulty switch, `Some(true)` for A; `None` leaves it where it is.
    pub left_difficulty_a: Option<bool>,
    /// Position of the right difficulty switch, `Some(true)` for A; `None` leaves it where it is.
    pub right_difficulty_a: Option<bool>,
}

/// What one port's pins carry.
struct Port {
    /// Pins 1 to 4 in bits 0 to 3.
    digital: u8,
    /// Pin 6 is high.
    trigger: bool,
    /// Pins 9 and 5.
    charge: [Charge; 2],
}

/// How a dumped input comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Charge {
    /// Resistance 0: always high.
    Always,
    /// Nothing connected: always low.
    Never,
    /// High this many cycles after the dump was released.
    After(u32),
}

impl Charge {
    fn of(resistance: i32) -> Self {
        match resistance {
            0 => Self::Always,
            i32::MAX => Self::Never,
            // Reference: these doubles, in this order.
            ohm => Self::After(((1.6 * f64::from(ohm)) * 1e-8 * 1.19e6) as u32),
        }
    }
}

/// The level of every pin and switch during a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Levels {
    pub(crate) swcha: u8,
    pub(crate) swchb: u8,
    /// INPT4 and INPT5 are high.
    pub(crate) trigger: [bool; 2],
    /// INPT0 to INPT3.
    pub(crate) charge: [Charge; 4],
}

impl Default for Levels {
    fn default() -> Self {
        Self { swcha: 0xFF, swchb: 0x3F, trigger: [true; 2], charge: [Charge::Never; 4] }
    }
}

impl Levels {
    /// Nothing touched; the switches as the properties have them.
    pub(crate) fn new(properties: &Properties) -> Self {
        let mut levels = Self::default();
        levels.swchb |= u8::from(properties.left_difficulty_a) << 6;
        levels.swchb |= u8::from(properties.right_difficulty_a) << 7;
        levels.set(&Input::default(), properties);
        levels
    }

    /// Follows the inputs.
    pub(crate) fn set(&mut self, input: &Input, properties: &Properties) {
        let mut ports = [port(0, input, properties), port(1, input, properties)];
        if properties.swap_ports {
            ports.reverse();
        }
        let [left, right] = ports;
        self.swcha = left.digital << 4 | right.digital;
        self.trigger = [left.trigger, right.trigger];
        self.charge = [left.charge[0], left.charge[1], right.charge[0], right.charge[1]];
        for (bit, position) in [(6, input.left_difficulty_a), (7, input.right_difficulty_a)] {
            if let Some(a) = position {
                self.swchb = self.swchb & !(1 << bit) | u8::from(a) << bit;
            }
        }
        self.swchb = self.swchb & !3 | u8::from(!input.select) << 1 | u8::from(!input.reset);
    }
}

/// The controller that uses input set `set`.
fn port(set: usize, input: &Input, properties: &Properties) -> Port {
    match properties.controllers[set] {
        Controller::Joystick => {
            let held = input.joysticks[set];
            let pin = |bit: u8| held & bit == 0;
            Port {
                digital: u8::from(pin(pressed::UP))
                    | u8::from(pin(pressed::DOWN)) << 1
                    | u8::from(pin(pressed::LEFT)) << 2
                    | u8::from(pin(pressed::RIGHT)) << 3,
                trigger: pin(pressed::FIRE),
                charge: [Charge::Never; 2],
            }
        }
        Controller::Paddles => {
            let mut pair = [2 * set, 2 * set + 1];
            if properties.swap_paddles {
                pair.reverse();
            }
            let [first, second] = pair;
            Port {
                digital: 0b0011
                    | u8::from(!input.paddle_fire[second]) << 2
                    | u8::from(!input.paddle_fire[first]) << 3,
                trigger: true,
                charge: [
                    Charge::of(input.paddle_resistance[first]),
                    Charge::of(input.paddle_resistance[second]),
                ],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(input: Input, properties: &Properties) -> Levels {
        let mut levels = Levels::new(properties);
        levels.set(&input, properties);
        levels
    }

    fn paddles(swap_paddles: bool) -> Properties {
        let controllers = [Controller::Paddles, Controller::Joystick];
        Properties { controllers, swap_paddles, ..Properties::default() }
    }

    #[test]
    fn an_untouched_console_reads_all_ones_and_difficulty_b() {
        let idle = Levels::new(&Properties::default());
        assert_eq!((idle.swcha, idle.swchb, idle.trigger), (0xFF, 0x3F, [true, true]));
    }

    #[test]
    fn each_direction_clears_its_bit_of_swcha() {
        let normal = Properties::default();
        let swapped = Properties { swap_ports: true, ..Properties::default() };
        for (bit, left) in
            [(pressed::UP, 0xEF), (pressed::DOWN, 0xDF), (pressed::LEFT, 0xBF), (pressed::RIGHT, 0x7F)]
        {
            let first = Input { joysticks: [bit, 0], ..Input::default() };
            let second = Input { joysticks: [0, bit], ..Input::default() };
            let right = left >> 4 | 0xF0;
            assert_eq!(levels(first, &normal).swcha, left);
            assert_eq!(levels(second, &normal).swcha, right);
            assert_eq!(levels(first, &swapped).swcha, right);
            assert_eq!(levels(second, &swapped).swcha, left);
        }
    }

    #[test]
    fn swapped_ports_swap_the_triggers() {
        let swapped = Properties { swap_ports: true, ..Properties::default() };
        let fire = Input { joysticks: [pressed::FIRE, 0], ..Input::default() };
        assert_eq!(levels(fire, &Properties::default()).trigger, [false, true]);
        assert_eq!(levels(fire, &swapped).trigger, [true, false]);
    }

    #[test]
    fn paddles_charge_as_measured() {
        let needed = [
            (27_450, 522),
            (385_823, 7346),
            (408_823, 7783),
            (431_823, 8221),
            (790_196, 15_045),
            (795_000, 15_136),
            (1_000_000, 19_040),
        ];
        for (resistance, cycles) in needed {
            assert_eq!(Charge::of(resistance), Charge::After(cycles));
        }
    }

    #[test]
    fn paddle_buttons_are_pins_four_and_three_and_swap_with_the_pair() {
        let first = Input { paddle_fire: [true, false, false, false], ..Input::default() };
        let second = Input { paddle_fire: [false, true, false, false], ..Input::default() };
        assert_eq!(levels(first, &paddles(false)).swcha, 0x7F);
        assert_eq!(levels(second, &paddles(false)).swcha, 0xBF);
        assert_eq!(levels(first, &paddles(true)).swcha, 0xBF);
        let turned = Input { paddle_resistance: [27_450, 0, 0, 0], ..Input::default() };
        assert_eq!(levels(turned, &paddles(false)).charge[..2], [Charge::After(522), Charge::Always]);
        assert_eq!(levels(turned, &paddles(true)).charge[..2], [Charge::Always, Charge::After(522)]);
    }

    #[test]
    fn switches_follow_the_inputs_and_difficulties_stay_where_they_were_put() {
        let mut levels = Levels::new(&Properties::default());
        let normal = Properties::default();
        levels.set(&Input { left_difficulty_a: Some(true), reset: true, ..Input::default() }, &normal);
        assert_eq!(levels.swchb, 0x7E);
        levels.set(&Input { select: true, ..Input::default() }, &normal);
        assert_eq!(levels.swchb, 0x7D);
        levels.set(&Input { left_difficulty_a: Some(false), ..Input::default() }, &normal);
        assert_eq!(levels.swchb, 0x3F);
    }
}
