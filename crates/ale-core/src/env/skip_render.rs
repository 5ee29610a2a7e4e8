//! The skip renderer: of the frames of an act only the last two are drawn, speculatively, with rollback.
//!
//! A screen shows what its last frame drew, and where that left something out what the frame before the one before
//! had drawn. Most games draw every pixel in every frame; then older frames need not be drawn. An averaged screen shows the
//! last two frames, and is formed once.

use super::{Env, Moment};
use crate::action::Action;
use crate::console::Picture;

/// Buffers of [`Env::act_skip_rendering`]; they belong to one environment and may be dropped at any time.
#[derive(Default)]
pub struct SkipRenderer {
    /// Buffers to draw into, so that those of the environment stay for a rollback.
    picture: Picture,
    /// The checkpoint before the act.
    start: Option<Box<Moment>>,
    /// Acts to draw in full after a rollback.
    pause: u32,
}

impl SkipRenderer {
    /// After a rollback this many acts are drawn in full.
    const PAUSE: u32 = 60;
}

impl Env {
    /// [`Env::act`] in less time, with the same result.
    pub fn act_skip_rendering(&mut self, action: Action, strength: f32, skipping: &mut SkipRenderer) -> i32 {
        let skip = self.shared.config.frame_skip;
        let averages = self.shared.config.color_averaging;
        let draws = self.drawing && !self.fresh && (averages || !self.now.show_copy);
        if skip < 3 || !draws || skipping.pause > 0 {
            skipping.pause = skipping.pause.saturating_sub(1);
            return self.act(action, strength);
        }
        match &mut skipping.start {
            Some(start) => self.write_moment(start),
            start => *start = Some(Box::new(self.moment())),
        }
        if skipping.picture.rows() != self.now.console.picture().rows() {
            skipping.picture = Picture::new(self.now.console.picture().rows());
        }
        self.now.console.swap_picture(&mut skipping.picture);
        self.now.console.forget_picture();
        let mut left = skip;
        self.averages_later = averages;
        let reward = self.act_watched(action, strength, |env| {
            env.now.console.set_drawing(left <= 2);
            left -= 1;
        });
        self.now.console.set_drawing(true);
        self.averages_later = false;
        let picture = self.now.console.picture();
        if picture.current_is_exact() && picture.previous_is_exact() {
            if averages {
                self.refresh_screen();
            }
            return reward;
        }
        self.now.console.swap_picture(&mut skipping.picture);
        if let Some(start) = &skipping.start {
            self.go_to(start);
        }
        skipping.pause = SkipRenderer::PAUSE;
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
            for (frame_skip, color_averaging) in [(3, false), (4, false), (7, false), (3, true), (5, true)] {
                let config = EnvConfig { frame_skip, color_averaging, ..EnvConfig::default() };
                let mut env = Env::load(&rom, &game, &config).expect("an environment");
                let mut twin = env.clone();
                let mut skipping = SkipRenderer::default();
                for act in 0..400_usize {
                    let action = Action::from_number(act / 3 * 7 % 18).expect("an action");
                    let reward = env.act_skip_rendering(action, 1.0, &mut skipping);
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
