//! An environment as the model of a planner.

use ale_sim::rng::Xoshiro256;
use ale_sim::{Frame, Model, Outcome};

use super::{CoreState, Env};
use crate::action::Action;

/// Frames of a decision that are drawn when pictures are wanted: both buffers of the console.
const DRAWN: u32 = 2;

/// An environment that a planner plays in: its own copy of the machine, its own chance, no frame limit and no clamped
/// rewards. Pictures are drawn only if asked for.
#[derive(Clone)]
pub struct EnvModel {
    env: Env,
    actions: Vec<Action>,
    /// Least and most frames of a decision.
    skip: (u32, u32),
    rng: Xoshiro256,
    frames: u64,
    draws: bool,
    /// The picture is that of the state.
    drawn: bool,
}

impl EnvModel {
    /// A model of `env` in which action `n` is `actions[n]`, held for `skip.0` to `skip.1` frames.
    pub fn new(env: &Env, actions: Vec<Action>, skip: (u32, u32), draws: bool) -> Self {
        let mut env = env.clone();
        env.set_drawing(draws);
        let skip = (skip.0.max(1), skip.1.max(skip.0).max(1));
        Self { env, actions, skip, rng: Xoshiro256::new(0), frames: 0, draws, drawn: false }
    }

    /// Whether this is still a model of `env`: same cartridge, rules and options.
    pub fn fits(&self, env: &Env) -> bool {
        let same_options = {
            let own = super::EnvConfig { seed: env.config().seed, ..self.env.config().clone() };
            own == *env.config()
        };
        same_options && self.env.rom() == env.rom() && std::sync::Arc::ptr_eq(self.env.game(), env.game())
    }

    /// The environment as the model left it.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// The actions.
    pub fn action_set(&self) -> &[Action] {
        &self.actions
    }

    fn is_sticky(&self) -> bool {
        self.env.config().repeat_action_probability > 0.0
    }
}

impl Model for EnvModel {
    type State = CoreState;

    fn actions(&self) -> usize {
        self.actions.len()
    }

    fn snapshot(&mut self) -> CoreState {
        self.env.core_state()
    }

    fn restore(&mut self, state: &CoreState) {
        self.env.set_core_state(state);
        if self.draws {
            // What a frame leaves out must not show another state: pictures would depend on what was played before.
            self.env.now.console.clear_picture();
        }
        self.drawn = false;
    }

    fn act(&mut self, action: usize) -> Outcome {
        let wanted = self.actions[action];
        let (least, most) = self.skip;
        let skip =
            if least == most { least } else { least + self.rng.below(u64::from(most - least + 1)) as u32 };
        let probability = f64::from(self.env.config().repeat_action_probability);
        let mut reward = 0_i32;
        for left in (1..=skip).rev() {
            if self.env.terminal() {
                break;
            }
            if self.draws {
                self.env.set_drawing(left <= DRAWN);
            }
            let repeats = probability > 0.0 && self.rng.next_double() < probability;
            let taken = if repeats { self.env.latched_action() } else { wanted };
            reward = reward.wrapping_add(self.env.act_exactly(taken));
            self.frames += 1;
        }
        self.drawn = self.draws;
        Outcome { reward: f64::from(reward), over: self.env.terminal() }
    }

    fn key(&self, state: &CoreState) -> u64 {
        state.key(self.is_sticky())
    }

    fn frames(&self) -> u64 {
        self.frames
    }

    fn frames_per_decision(&self) -> u64 {
        u64::from(self.skip.1)
    }

    fn seed(&mut self, seed: u64) {
        self.rng = Xoshiro256::new(seed);
    }

    fn ram(&self) -> &[u8] {
        self.env.ram()
    }

    fn lives(&self) -> i32 {
        self.env.lives()
    }

    fn frame(&self) -> Option<Frame<'_>> {
        self.drawn.then(|| Frame { height: self.env.height(), pixels: self.env.screen() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::EnvConfig;
    use crate::game::Game;
    use crate::rom::Rom;

    fn env(repeat_action_probability: f32) -> Env {
        let own = crate::embedded::find("glowdelve").expect("an embedded game");
        let config = EnvConfig { repeat_action_probability, ..EnvConfig::default() };
        let game = Game::by_name(own.name).expect("it has a sheet");
        Env::load(&Rom::new(own.image), &game, &config).expect("it starts")
    }

    #[test]
    fn without_sticky_actions_the_model_plays_what_the_environment_plays() {
        let mut env = env(0.0);
        let mut model = EnvModel::new(&env, Action::ALL.to_vec(), (5, 5), false);
        for decision in 0..300_usize {
            let action = decision / 3 * 7 % 18;
            let reward: i32 = (0..5).map(|_| env.act(Action::ALL[action], 1.0)).sum();
            assert_eq!(model.act(action), Outcome { reward: f64::from(reward), over: env.terminal() });
            assert_eq!(model.ram(), env.ram());
            assert!(model.snapshot() == env.core_state());
            if env.terminal() {
                env.reset().expect("it has one mode");
                model.restore(&env.core_state());
            }
        }
    }

    #[test]
    fn sticky_draws_are_the_planners_and_not_the_environments() {
        let env = env(0.5);
        let start = env.core_state();
        let before = env.moment();
        let trace = |seed| {
            let mut model = EnvModel::new(&env, Action::ALL.to_vec(), (4, 4), false);
            model.seed(seed);
            model.restore(&start);
            (0..40)
                .map(|action| {
                    model.act(action % 18);
                    model.ram().to_vec()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(trace(1), trace(1));
        assert_ne!(trace(1), trace(2), "another seed of the planner is another future");
        let mut after = env.clone();
        after.go_to(&before);
        assert!(after.core_state() == start && after.generator() == env.generator());
    }
}
