//! The two paddles: positions that LEFT and RIGHT move and stops that end the way.

use crate::action::{Action, pressed};

/// Position of the right stop.
const MIN: i32 = 27_450;
/// Position of the left stop.
const MAX: i32 = 790_196;
/// Change per frame at strength 1.
const SPEED: f64 = 23_000.0;

/// Positions of paddles 0 and 1 between their stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Paddles {
    pub positions: [i32; 2],
    pub min: i32,
    pub max: i32,
}

impl Paddles {
    pub(super) fn new(min: Option<i32>, max: Option<i32>) -> Self {
        let mut paddles = Self { positions: [0; 2], min: min.unwrap_or(MIN), max: max.unwrap_or(MAX) };
        paddles.center();
        paddles
    }

    /// Both paddles to the middle.
    pub(super) fn center(&mut self) {
        self.positions = [self.min.wrapping_add(self.max) / 2; 2];
    }

    /// One frame of turning.
    pub(super) fn turn(&mut self, moves: [(Action, f32); 2]) {
        for (position, (action, strength)) in self.positions.iter_mut().zip(moves) {
            let delta = delta(action, strength);
            *position = position.wrapping_add(delta).max(self.min).min(self.max);
        }
    }
}

fn delta(action: Action, strength: f32) -> i32 {
    let direction = match action.pressed() & (pressed::LEFT | pressed::RIGHT) {
        0 => return 0,
        pressed::RIGHT => -1.0,
        _ => 1.0,
    };
    let distance = SPEED * f64::from(strength).abs();
    // Reference: a strength that is no number or too great for an integer ends at the lower stop.
    if distance < f64::from(i32::MAX) { (direction * distance) as i32 } else { i32::MIN }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turned(action: Action, strength: f32) -> i32 {
        let mut paddles = Paddles::new(None, None);
        paddles.turn([(action, strength), (Action::Noop, 0.0)]);
        assert_eq!(paddles.positions[1], 408_823);
        paddles.positions[0]
    }

    #[test]
    fn a_paddle_moves_by_its_strength_and_stops_at_its_limits() {
        assert_eq!(turned(Action::Fire, 1.0), 408_823);
        assert_eq!(turned(Action::UpRightFire, 1.0), 408_823 - 23_000);
        assert_eq!(turned(Action::Left, 2.0), 408_823 + 46_000);
        assert_eq!(turned(Action::Left, -0.5), 408_823 + 11_500);
        assert_eq!(turned(Action::Left, 0.1), 408_823 + 2300);
        assert_eq!(turned(Action::Right, 100.0), 27_450);
        assert_eq!(turned(Action::Left, 100.0), 790_196);
    }

    #[test]
    fn a_strength_that_is_no_number_ends_at_the_lower_stop() {
        for strength in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30] {
            assert_eq!(turned(Action::Left, strength), 27_450);
            assert_eq!(turned(Action::Right, strength), 27_450);
        }
    }
}
