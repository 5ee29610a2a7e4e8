//! Crafter as a world of a batch: what a step brings, what an agent sees, what `info` says.

use ale_sim::bytes::{Reader, Writer};
use ale_sim::simulator::{Context, PARTS, Parts, Step};
use ale_sim::{Error, Simulator};

use crate::ahead::Ahead;
use crate::atlas::Atlas;
use crate::game::{Game, Outcome};
use crate::layers::Layers;
use crate::observe::symbolic_len;
use crate::options::Options;
use crate::render::Renderer;
use crate::tables::{ACHIEVEMENTS, ITEMS};
use crate::textures::Textures;

/// The part of an observation that is the picture.
pub const PIXELS: usize = 0;
/// The part that has the ids of the view.
pub const SEMANTIC: usize = 1;
/// The part that has the symbolic numbers.
pub const SYMBOLIC: usize = 2;
/// The part of `info` that is the whole map.
pub const MAP: usize = 0;

/// What of a world is written into the rows of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sights {
    /// Pictures.
    pub pixels: bool,
    /// Ids of the view.
    pub semantic: bool,
    /// Symbolic numbers.
    pub symbolic: bool,
    /// The whole map, in `info`.
    pub map: bool,
}

impl Sights {
    /// Bytes of the parts of an observation.
    pub fn obs(self, options: &Options) -> [usize; PARTS] {
        let (columns, rows) = options.grid();
        let mut parts = [0; PARTS];
        parts[PIXELS] = usize::from(self.pixels) * 3 * options.size.0 * options.size.1;
        parts[SEMANTIC] = usize::from(self.semantic) * columns * rows;
        parts[SYMBOLIC] = usize::from(self.symbolic) * size_of::<f32>() * symbolic_len(options);
        parts
    }

    /// Bytes of the arrays of `info`.
    pub fn extra(self, options: &Options) -> [usize; PARTS] {
        let mut parts = [0; PARTS];
        parts[MAP] = usize::from(self.map) * options.area.0 * options.area.1;
        parts
    }
}

/// What all worlds of a batch share.
#[derive(Debug)]
pub struct Playing {
    /// Tiles of the pictures.
    pub atlas: Atlas,
    /// What is written.
    pub sights: Sights,
    /// Worlds that threads without a task make.
    pub ahead: Ahead,
}

impl Playing {
    /// What so many worlds share.
    pub fn new(textures: &Textures, options: &Options, sights: Sights, worlds: usize) -> Self {
        Self { atlas: Atlas::new(textures, options), sights, ahead: Ahead::new(options, worlds) }
    }

    /// About how much memory so many worlds take, those made ahead included.
    pub fn bytes(options: &Options, sights: Sights, worlds: usize) -> usize {
        let all = worlds.saturating_add(Ahead::limit(options, worlds));
        all.saturating_mul(Crafter::bytes(options, sights))
    }
}

/// Memory of a thread for drawing and for new worlds.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Draws pictures.
    pub renderer: Renderer,
    layers: Layers,
}

impl Workspace {
    /// Memory for games with these options.
    pub fn new(options: &Options) -> Self {
        Self { renderer: Renderer::new(options), layers: Layers::new(options.area) }
    }
}

/// Numbers that describe a world.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Info {
    /// Amounts of the items.
    pub inventory: [u8; ITEMS],
    /// How often each achievement was reached in this episode.
    pub achievements: [u32; ACHIEVEMENTS],
    /// What was reached for the first time in this step, one bit each.
    pub unlocked: u32,
    /// Where the player is.
    pub position: (i32, i32),
    /// The player died.
    pub dead: bool,
    /// The sum of the rewards of the episode.
    pub episode_return: f64,
    /// Steps of the episode.
    pub episode_length: u64,
}

/// A game, its picture and its sums.
#[derive(Debug, Clone)]
pub struct Crafter {
    game: Game,
    /// The observed picture; empty unless pictures are wanted. The noise of the night is drawn once, so it is kept.
    picture: Vec<u8>,
    outcome: Outcome,
    episode_return: f64,
}

impl Crafter {
    /// A world of these sights before its first episode; `base` is the hash of the base seed. The options have been
    /// checked.
    pub fn new(options: Options, base: i64, sights: Sights) -> Self {
        let picture = vec![0; sights.obs(&options)[PIXELS]];
        Self { game: Game::new(options, base), picture, outcome: Outcome::default(), episode_return: 0.0 }
    }

    /// About how much memory such a world takes.
    pub fn bytes(options: &Options, sights: Sights) -> usize {
        // Per cell the material and the place of its object; besides, two generators and some hundred objects.
        let cell = 1 + size_of::<u16>();
        cell * options.area.0 * options.area.1 + sights.obs(options)[PIXELS] + 16 * 1024
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    fn observe(&mut self, atlas: &Atlas, renderer: &mut Renderer) {
        if !self.picture.is_empty() {
            renderer.observe(&mut self.game, atlas, &mut self.picture);
        }
    }
}

impl Simulator for Crafter {
    type Action = u8;
    type Reward = f64;
    type Info = Info;
    type Options = Playing;
    type Workspace = Workspace;

    fn new_workspace(&self) -> Workspace {
        Workspace::new(self.game.options())
    }

    fn reset(&mut self, seed: Option<u64>, context: &mut Context<'_, Self>) -> Result<bool, Error> {
        if let Some(base) = seed {
            self.game.seed(base as i64);
        }
        context.options.ahead.reset(&mut self.game, &mut context.workspace.layers);
        self.outcome = Outcome::default();
        self.episode_return = 0.0;
        self.observe(&context.options.atlas, &mut context.workspace.renderer);
        Ok(false)
    }

    fn step(&mut self, action: u8, context: &mut Context<'_, Self>) -> Step<f64> {
        self.outcome = self.game.step(action);
        let Outcome { reward, dead, over, .. } = self.outcome;
        self.episode_return += reward;
        self.observe(&context.options.atlas, &mut context.workspace.renderer);
        Step { reward, terminated: dead, truncated: over, over: dead || over }
    }

    fn info(&self) -> Info {
        let player = self.game.player();
        Info {
            inventory: player.inventory.map(|amount| amount as u8),
            achievements: player.achievements,
            unlocked: self.outcome.unlocked,
            position: self.game.position(),
            dead: self.outcome.dead,
            episode_return: self.episode_return,
            episode_length: self.game.steps(),
        }
    }

    fn write_obs(&self, options: &Playing, obs: &mut Parts<'_>) {
        let [pixels, semantic, symbolic, _] = obs;
        let Sights { semantic: with_semantic, symbolic: with_symbolic, .. } = options.sights;
        pixels.copy_from_slice(&self.picture);
        if with_semantic {
            self.game.local_semantic_into(semantic);
        }
        if with_symbolic {
            self.game.symbolic_into(symbolic);
        }
    }

    fn write_extra(&self, options: &Playing, extra: &mut Parts<'_>) {
        if options.sights.map {
            self.game.world().semantic_into(extra[MAP]);
        }
    }

    fn rebuild(&mut self) -> Result<(), Error> {
        let mut game = Game::new(*self.game.options(), self.game.base());
        game.skip_to(self.game.episode());
        self.game = game;
        self.outcome = Outcome::default();
        self.episode_return = 0.0;
        Ok(())
    }

    fn check_like(&self, other: &Self) -> Result<(), Error> {
        let (own, others) = (self.game.options(), other.game.options());
        if own != others {
            return Err(Error::State(format!("a game with other options: {others:?}; accepted: {own:?}")));
        }
        if self.picture.len() != other.picture.len() {
            let with = |yes: bool| if yes { "with" } else { "without" };
            let (theirs, ours) = (with(!other.picture.is_empty()), with(!self.picture.is_empty()));
            return Err(Error::State(format!("a game {theirs} pictures; accepted: one {ours} them")));
        }
        Ok(())
    }

    fn to_bytes(&self, _: &mut Workspace) -> Vec<u8> {
        let mut out = Writer::new();
        out.part(&self.game.to_bytes()).part(&self.picture);
        out.f64(self.outcome.reward)
            .flag(self.outcome.dead)
            .flag(self.outcome.over)
            .u32(self.outcome.unlocked);
        out.f64(self.episode_return);
        out.finish()
    }

    fn restore_bytes(&mut self, bytes: &[u8], _: &mut Workspace) -> Result<(), Error> {
        let mut reader = Reader::new(bytes);
        let other = Self {
            game: Game::from_bytes(reader.part()?)?,
            picture: reader.part()?.to_vec(),
            outcome: Outcome {
                reward: reader.f64()?,
                dead: reader.flag()?,
                over: reader.flag()?,
                unlocked: reader.u32()?,
            },
            episode_return: reader.f64()?,
        };
        reader.finish()?;
        self.check_like(&other)?;
        if other.game.episode() == 0 {
            return Err(Error::State("a game before its first episode".to_owned()));
        }
        *self = other;
        Ok(())
    }

    fn prepare_ahead(options: &Playing, threads: usize) {
        options.ahead.prepare(threads);
    }

    fn work_ahead(options: &Playing) -> bool {
        options.ahead.make()
    }

    fn step_nanoseconds(options: &Playing) -> u64 {
        // A picture at night costs about six nanoseconds a pixel.
        2_000 + 2 * options.atlas.picture_len() as u64
    }

    fn reset_nanoseconds(options: &Playing) -> u64 {
        let (columns, rows) = options.atlas.options.area;
        40 * (columns * rows) as u64 + Self::step_nanoseconds(options)
    }
}
