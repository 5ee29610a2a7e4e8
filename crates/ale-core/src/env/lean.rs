//! Acts of several frames of which only the last two are drawn.
//!
//! A screen shows what its last frame drew, and where that left something out what the frame before the one before
//! had drawn. Most games draw every pixel in every frame; then nobody can see whether older frames were drawn.

use super::{Env, Moment};
use crate::action::Action;
use crate::console::Picture;

/// What [`Env::act_lean`] works with; it belongs to one environment and may be thrown away at any time.
#[derive(Default)]
pub struct Lean {
    /// Buffers to draw into, while those of the environment wait.
    picture: Picture,
    /// The moment before the act.
    start: Option<Box<Moment>>,
    /// Acts that are drawn in full, since leaving frames out did not do.
    pause: u32,
}

impl Lean {
    /// After an act that had to be played twice so many are played in full.
    const PAUSE: u32 = 60;
}

impl Env {
    /// [`Env::act`] in less time, with the same result.
    pub fn act_lean(&mut self, action: Action, strength: f32, lean: &mut Lean) -> i32 {
        let skip = self.config.frame_skip;
        let plain = self.drawing && !self.fresh && !self.show_copy && !self.config.color_averaging;
        if skip < 3 || !plain || lean.pause > 0 {
            lean.pause = lean.pause.saturating_sub(1);
            return self.act(action, strength);
        }
        match &mut lean.start {
            Some(start) => self.write_moment(start),
            start => *start = Some(Box::new(self.moment())),
        }
        if lean.picture.rows() != self.console.picture().rows() {
            lean.picture = Picture::new(self.console.picture().rows());
        }
        self.console.swap_picture(&mut lean.picture);
        self.console.forget_picture();
        let mut left = skip;
        let reward = self.act_watched(action, strength, |env| {
            env.console.set_drawing(left <= 2);
            left -= 1;
        });
        self.console.set_drawing(true);
        let picture = self.console.picture();
        if picture.current_is_exact() && picture.previous_is_exact() {
            return reward;
        }
        self.console.swap_picture(&mut lean.picture);
        if let Some(start) = &lean.start {
            self.go_to(start);
        }
        lean.pause = Lean::PAUSE;
        self.act(action, strength)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded;
    use crate::env::EnvConfig;
    use crate::game::Game;
    use crate::rom::Rom;

    #[test]
    fn the_same_is_shown_and_played() {
        for own in &embedded::GAMES {
            let name = own.name;
            let game = Game::by_name(name).expect("a game of our own");
            let rom = Rom::new(own.image.to_vec());
            for frame_skip in [3, 4, 7] {
                let config = EnvConfig { frame_skip, ..EnvConfig::default() };
                let mut env = Env::load(&rom, &game, &config).expect("an environment");
                let mut twin = env.clone();
                let mut lean = Lean::default();
                for act in 0..400_usize {
                    let action = Action::from_number(act / 3 * 7 % 18).expect("an action");
                    let reward = env.act_lean(action, 1.0, &mut lean);
                    assert_eq!(reward, twin.act(action, 1.0), "{name}, act {act}");
                    assert_eq!(env.screen(), twin.screen(), "{name}, act {act}");
                    assert_eq!(env.ram(), twin.ram(), "{name}, act {act}");
                    assert_eq!(
                        env.console().previous_screen(),
                        twin.console().previous_screen(),
                        "{name}, act {act}"
                    );
                    if env.game_over() {
                        env.reset().expect("a reset");
                        twin.reset().expect("a reset");
                    }
                }
            }
        }
    }
}
