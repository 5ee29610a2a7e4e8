//! From actions to the console's inputs, and frames run with them.

use std::ops::Range;

use super::Env;
use super::sticky::Moves;
use crate::action::{Action, pressed};
use crate::frame::WIDTH;

/// What the next frames hold down.
#[derive(Clone, Copy)]
pub(super) enum Held {
    /// Joysticks or paddles.
    Moves(Moves),
    /// The RESET switch.
    Reset,
}

impl Env {
    /// One frame with these moves.
    pub(super) fn run_moves(&mut self, moves: Moves) {
        self.run_held(Held::Moves(moves), 1);
    }

    /// Some frames with the same inputs; the game looks at each.
    pub(super) fn run_held(&mut self, held: Held, frames: u32) {
        self.run_part(held, 0..frames);
        self.end_part();
    }

    /// The frames of a longer run that have these numbers; the last part is followed by [`Self::end_part`].
    pub(super) fn run_part(&mut self, held: Held, frames: Range<u32>) {
        self.fresh = false;
        for frame in frames {
            if self.shared.has_paddles || frame == 0 {
                self.set_inputs(held);
            }
            self.now.console.run_frame();
            self.shared.game.observe(&mut self.now.progress.game, &self.now.console);
        }
    }

    /// What happens once after frames that were run together.
    pub(super) fn end_part(&mut self) {
        self.now.console.leave_ram_on_bus();
        self.refresh_screen();
    }

    /// Holds only SELECT for some frames that the game does not see, then lets go for one that it sees.
    pub(super) fn run_select(&mut self, frames: u32, poll: &mut dyn FnMut() -> bool) {
        self.fresh = false;
        self.release();
        self.now.console.input_mut().select = true;
        for _ in 0..frames {
            if poll() {
                break;
            }
            self.now.console.run_frame();
        }
        self.now.console.leave_ram_on_bus();
        self.run_moves(super::sticky::UNTOUCHED);
        self.count_frame();
    }

    fn release(&mut self) {
        let input = self.now.console.input_mut();
        input.joysticks = [0; 2];
        input.paddle_fire = [false; 4];
        input.reset = false;
        input.select = false;
    }

    fn set_inputs(&mut self, held: Held) {
        self.release();
        let moves = match held {
            Held::Moves(moves) => moves,
            Held::Reset => super::sticky::UNTOUCHED,
        };
        if self.shared.has_paddles {
            self.now.progress.paddles.turn(moves);
        }
        let input = self.now.console.input_mut();
        input.left_difficulty_a = Some(self.now.progress.difficulty & 1 != 0);
        input.right_difficulty_a = Some(self.now.progress.difficulty & 2 != 0);
        input.reset = matches!(held, Held::Reset);
        for (player, (action, _)) in moves.into_iter().enumerate() {
            if self.shared.has_paddles {
                input.paddle_fire[player] = fires(action);
                input.paddle_resistance[player] = self.now.progress.paddles.positions[player];
            } else {
                input.joysticks[player] = action.pressed();
            }
        }
    }

    /// The screen follows the picture memory, or the average of the two.
    pub(super) fn refresh_screen(&mut self) {
        self.now.show_copy = self.shared.config.color_averaging;
        if self.now.show_copy && !self.averages_later {
            let (now, before) = (self.now.console.screen(), self.now.console.previous_screen());
            let palette = self.palette();
            palette.write_average(now, before, &mut self.now.screen_copy);
        }
    }

    /// Keeps the screen as it is until the next frame.
    pub(super) fn copy_screen(&mut self) {
        if !self.now.show_copy {
            let pixels = self.height() * WIDTH;
            self.now.screen_copy.clear();
            self.now.screen_copy.extend_from_slice(&self.now.console.screen()[..pixels]);
            self.now.show_copy = true;
        }
    }
}

fn fires(action: Action) -> bool {
    action.pressed() & pressed::FIRE != 0
}
