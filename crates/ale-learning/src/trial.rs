//! A trial: one agent plays and learns one game, episode after episode.
//!
//! ```text
//! Env ── RAM or screen ──→ Agent (features, learner) ── action ──→ Env      one thread, nothing else
//! ```
//!
//! Everything that happens is a function of the cartridge, the options and the seeds. A trial that is saved between two
//! episodes and loaded again goes on bit for bit.

mod agent;
mod checkpoint;
mod prefix;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use ale_core::env::{Env, EnvConfig, SkipRenderer};
use ale_core::game::Game;
use ale_core::{Action, Error, Rom};
use ale_features::{Input, Screen};

pub use agent::{Agent, Linear, Memory};
pub use checkpoint::Checkpoint;
use prefix::Prefixes;

/// Decisions between two looks at the flag that ends a trial at once.
const LOOK: u64 = 256;

/// What an agent looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Nothing: no pictures are drawn.
    Nothing,
    /// The console's memory: no pictures are drawn.
    Ram,
    /// The picture after the decision's last frame.
    Screen,
}

/// Whether the agent learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// It does.
    Train,
    /// It only acts.
    Evaluate,
}

/// A finished episode.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Episode {
    /// Undiscounted sum of the rewards.
    pub score: f64,
    /// Frames that the agent's actions caused.
    pub frames: u64,
    /// Decisions.
    pub steps: u64,
    /// The game was over.
    pub terminated: bool,
    /// The episode was cut short.
    pub truncated: bool,
}

/// What a trial plays.
#[derive(Debug, Clone, PartialEq)]
pub struct Setup {
    /// Options of the environment; `frame_skip` is the agent's decision interval.
    pub env: EnvConfig,
    /// Mode of the game.
    pub mode: u32,
    /// Difficulty of the game.
    pub difficulty: u32,
    /// The agent's actions.
    pub actions: Vec<Action>,
}

/// How a trial is asked to stop from another thread.
#[derive(Debug, Default)]
pub struct Stop(AtomicU8);

impl Stop {
    /// After the running episode.
    pub fn after_episode(&self) {
        self.0.fetch_max(1, Ordering::Relaxed);
    }

    /// At once; the running episode is lost, and the trial must be loaded again before it goes on.
    pub fn now(&self) {
        self.0.store(2, Ordering::Relaxed);
    }

    /// Whether no further episode should begin.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    fn is_now(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 1
    }
}

/// An environment and the agent that plays in it.
pub struct Trial {
    env: Env,
    agent: Agent,
    actions: Vec<Action>,
    mode: u32,
    difficulty: u32,
    /// Seed of the environment.
    seed: u32,
    skipping: SkipRenderer,
    /// For the Brute without sticky actions: what need not be played again.
    prefixes: Option<Box<Prefixes>>,
    /// An episode was given up in its middle.
    broken: bool,
}

impl Trial {
    /// A trial whose first episode has not begun.
    ///
    /// # Errors
    /// When the cartridge, the game or an option is refused, or the agent's pictures would have less than 210 rows.
    pub fn new(rom: &Rom, game: &Arc<Game>, setup: &Setup, agent: Agent) -> Result<Self, Error> {
        let actions = setup.actions.clone();
        let config = EnvConfig { color_averaging: agent.averages_colours(), ..setup.env.clone() };
        let mut env = Env::load(rom, game, &config)?;
        env.set_mode(setup.mode)?;
        env.set_difficulty(setup.difficulty)?;
        if agent.view() == View::Screen {
            Screen::new(env.screen()).map_err(|error| Error::Config(error.to_string()))?;
        }
        env.set_drawing(agent.view() == View::Screen);
        let (mode, difficulty) = (setup.mode, setup.difficulty);
        let prefixes = agent.skips_known().then(Box::default);
        let skipping = SkipRenderer::default();
        let seed = setup.env.seed;
        Ok(Self { env, agent, actions, mode, difficulty, seed, skipping, prefixes, broken: false })
    }

    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// Plays one episode. With a seed the machine is loaded again first, as a seeded reset does. `None` when it was
    /// stopped at once.
    ///
    /// # Errors
    /// When the reset does not come to an end, or an earlier episode was given up.
    pub fn episode(
        &mut self,
        phase: Phase,
        seed: Option<u32>,
        stop: &Stop,
    ) -> Result<Option<Episode>, Error> {
        if self.broken {
            let text = "the trial was stopped in the middle of an episode; load its checkpoint to go on";
            return Err(Error::Order(text.to_owned()));
        }
        self.broken = true;
        self.agent.set_learning(phase == Phase::Train);
        // A memory of a deterministic game needs the same start every time.
        let seed = if self.agent.restarts() && phase == Phase::Train { Some(self.seed) } else { seed };
        let episode = match self.prefixes.take() {
            Some(mut prefixes) if phase == Phase::Train => {
                let episode = self.episode_skipping_known(&mut prefixes, stop);
                self.prefixes = Some(prefixes);
                episode?
            }
            prefixes => {
                self.prefixes = prefixes;
                self.reset(seed)?;
                let action = self.agent.begin(observe(self.agent.view(), &self.env));
                self.play(Episode::default(), action, stop, |_, _| ())
            }
        };
        self.broken = episode.is_none();
        Ok(episode)
    }

    /// Plays to the end. `before` sees the trial before every decision, with the number of decisions so far.
    fn play(
        &mut self,
        mut episode: Episode,
        mut action: usize,
        stop: &Stop,
        mut before: impl FnMut(&Self, u64),
    ) -> Option<Episode> {
        let first = self.env.frame_number();
        loop {
            before(self, episode.steps);
            let reward = f64::from(self.act(self.actions[action]));
            episode.score += reward;
            episode.steps += 1;
            if self.env.game_over() {
                self.agent.end(reward);
                break;
            }
            if episode.steps.is_multiple_of(LOOK) && stop.is_now() {
                return None;
            }
            action = self.agent.step(reward, observe(self.agent.view(), &self.env));
        }
        episode.frames += self.env.frame_number() - first;
        (episode.terminated, episode.truncated) = (self.env.terminal(), self.env.truncated());
        Some(episode)
    }

    fn reset(&mut self, seed: Option<u32>) -> Result<(), Error> {
        if let Some(seed) = seed {
            self.env.reload(seed)?;
            self.env.set_mode(self.mode)?;
            self.env.set_difficulty(self.difficulty)?;
        }
        self.env.reset()
    }

    fn act(&mut self, action: Action) -> i32 {
        if self.agent.view() == View::Screen {
            self.env.act_skip_rendering(action, 1.0, &mut self.skipping)
        } else {
            self.env.act(action, 1.0)
        }
    }
}

/// What an agent sees of the environment.
fn observe(view: View, env: &Env) -> Option<Input<'_>> {
    match view {
        View::Nothing => None,
        View::Ram => Some(Input::Ram(env.ram())),
        View::Screen => {
            Some(Input::Screen(Screen::new(env.screen()).expect("checked when the trial was made")))
        }
    }
}
