//! Sticky actions: with some probability a frame repeats the action before.

use crate::action::Action;
use crate::rng::Mt19937;

/// The actions of both players that the next frame executes, with the strengths of their paddles.
pub(super) type Moves = [(Action, f32); 2];

/// Both players hold nothing.
pub(super) const UNTOUCHED: Moves = [(Action::Noop, 1.0); 2];

/// What a draw must reach for the new action to be taken, as a count of 2^-32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sticky {
    threshold: u64,
}

impl Sticky {
    pub(super) fn new(repeat_action_probability: f32) -> Self {
        let probability = f64::from(repeat_action_probability);
        // Drawing u / 2^32 >= p is u >= ceil(p * 2^32); the product is exact. Nothing reaches "not a number".
        let threshold =
            if probability.is_nan() { u64::MAX } else { (probability * 4_294_967_296.0).ceil() as u64 };
        Self { threshold }
    }

    /// Two draws, one for each player, taken also when nothing depends on them.
    #[inline]
    pub(super) fn latch(self, latched: &mut Moves, wanted: Moves, rng: &mut Mt19937) {
        for (latched, wanted) in latched.iter_mut().zip(wanted) {
            if u64::from(rng.next_u32()) >= self.threshold {
                *latched = wanted;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_taken_exactly_when_the_draw_reaches_the_probability() {
        for probability in [-1.0, 0.0, 1e-9, 0.1, 0.25, 0.5, 0.999_999_94, 1.0, 2.0, f32::NAN, f32::INFINITY]
        {
            let sticky = Sticky::new(probability);
            for draw in [0_u32, 4, 5, 429_496_730, 429_496_736, 429_496_737, 1 << 30, (1 << 30) - 1, u32::MAX]
            {
                let taken = f64::from(draw) / 4_294_967_296.0 >= f64::from(probability);
                assert_eq!(u64::from(draw) >= sticky.threshold, taken, "{draw} {probability}");
            }
        }
    }

    #[test]
    fn every_frame_takes_two_draws() {
        let (mut rng, mut twin) = (Mt19937::new(1), Mt19937::new(1));
        let mut latched = UNTOUCHED;
        Sticky::new(0.0).latch(&mut latched, [(Action::Up, 0.5), (Action::Noop, 0.0)], &mut rng);
        assert_eq!(latched, [(Action::Up, 0.5), (Action::Noop, 0.0)]);
        twin.next_u32();
        twin.next_u32();
        assert!(rng == twin);
    }
}
