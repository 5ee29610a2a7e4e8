//! Call sequences of a vector environment: in any order, with any numbers. Errors are allowed, surprises are not; and
//! while all is synchronous, a twin on one thread that keeps all pictures gives the same results.

use ale_core::Action;
use ale_core::preprocess::Size;
use ale_core::vector::{
    self, Autoreset, Batch, BatchOptions, Choice, Error, Observation, VectorEnv, VectorOptions,
    VectorSnapshot, Wrappers,
};

use crate::input::Input;
use crate::worlds;

fn options(input: &mut Input<'_>, num_envs: usize) -> VectorOptions {
    let sizes = [(21, 16), (84, 84), (1, 1), (210, 160), (5, 300)];
    let (height, width) = input.one_of(&sizes);
    let size = Size { height, width };
    let (color, padded) = (input.flag(), input.flag());
    let observation = match input.below(5) {
        0 | 1 => Observation::Frames { size, color, stack: 1 + input.below(3), padded },
        2 => Observation::Screen { color },
        3 => Observation::Indices,
        _ => Observation::Ram,
    };
    let batch = BatchOptions {
        batch_size: if input.below(3) == 0 { 1 + input.below(num_envs) } else { 0 },
        num_threads: input.below(4),
        shared_pool: input.below(8) == 7,
        ..BatchOptions::default()
    };
    let mut options = VectorOptions {
        observation,
        frameskip: [4, 1, 2, 5][input.below(4)],
        maxpool: !input.flag(),
        noop_max: [30, 0, 1, 7][input.below(4)],
        use_fire_reset: !input.flag(),
        episodic_life: input.flag(),
        continue_lives: input.flag(),
        life_loss_info: input.flag(),
        reward_clipping: input.flag(),
        max_num_frames_per_episode: [108_000, 25, 1, 0, -5, i64::MAX][input.below(6)],
        repeat_action_probability: [0.0, 0.25, 1.0, 0.9][input.below(4)],
        full_action_space: input.flag(),
        batch,
        ..VectorOptions::default()
    };
    options.batch.autoreset = input.one_of(&[Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled]);
    options.sound = input.flag();
    options.entropy = u64::from(input.u32());
    options.ram = input.flag();
    if input.below(4) == 3 {
        options.wrappers = Some(Wrappers {
            frames: input.one_of(&[(1, 2), (3, 4), (2, 5)]),
            noop_max: [30, 0, 1, 7][input.below(4)],
            terminal_on_life_loss: !input.flag(),
            action_repeat_probability: [0.0, 0.25, 1.0][input.below(3)],
            max_num_frames_per_episode: [0, 108_000, 90, 73, 1][input.below(5)],
        });
    }
    options
}

/// An environment, and the one it is compared with while both know what comes.
struct Pair {
    env: VectorEnv,
    twin: Option<VectorEnv>,
    batches: [Batch; 2],
    snapshot: Option<VectorSnapshot>,
}

type Call<'c> = &'c dyn Fn(&mut VectorEnv, &mut Batch) -> Result<(), Error>;

impl Pair {
    /// The same call of both.
    fn both(&mut self, what: &str, call: Call<'_>) -> bool {
        let [batch, expected] = &mut self.batches;
        let result = call(&mut self.env, batch);
        explained(&result);
        if let Some(twin) = &mut self.twin {
            assert_eq!(result, call(twin, expected), "{what}");
            if result.is_ok() {
                compare(what, batch, expected);
            }
        }
        result.is_ok()
    }

    fn actions(&self, input: &mut Input<'_>, count: usize) -> Vec<(Action, f32)> {
        let known = &self.env.options().actions;
        (0..count).map(|_| (known[input.below(known.len())], input.strength())).collect()
    }

    fn choices(&self, input: &mut Input<'_>) -> Vec<Choice> {
        let full = input.below(3) > 0;
        let choice = |_| match input.below(if full { 2 } else { 3 }) {
            0 => Choice::Seed(u64::from(input.byte())),
            1 => Choice::Reset,
            _ => Choice::Leave,
        };
        (0..self.env.num_envs()).map(choice).collect()
    }

    /// Numbers of sub-environments, some of which do not exist.
    fn ids(&self, input: &mut Input<'_>) -> Vec<usize> {
        let known = self.env.num_envs() + usize::from(input.below(8) == 7);
        (0..input.below(4)).map(|_| input.below(known)).collect()
    }

    fn obey(&mut self, input: &mut Input<'_>) {
        let synchronous = self.env.synchronous();
        match input.below(16) {
            0..=4 if synchronous => {
                let count = if input.below(16) == 15 { input.below(8) } else { self.env.num_envs() };
                let actions = self.actions(input, count);
                for _ in 0..=input.below(4) {
                    if !self.both("a step", &|env, batch| env.step(&actions, batch.rows(), &mut || false)) {
                        break;
                    }
                }
            }
            5 if synchronous => {
                let choices = self.choices(input);
                self.both("a reset", &|env, batch| env.reset(&choices, batch.rows(), &mut || false));
            }
            6 => {
                let choices = self.choices(input);
                self.alone(|env, _| env.send_reset(&choices));
            }
            0..=2 | 7 => {
                let ids = if input.flag() { Some(self.ids(input)) } else { None };
                let count = ids.as_ref().map_or(self.env.batch_size(), Vec::len);
                let actions = self.actions(input, count);
                self.alone(|env, _| env.send(ids.as_deref(), &actions));
            }
            3 | 4 | 8 => {
                let impatient = input.below(8) == 7;
                self.alone(|env, batch| env.recv(batch.rows(), &mut || impatient));
            }
            9 => {
                let ids = self.ids(input);
                self.both("an observation", &|env, batch| env.observe(batch.rows(), &mut || false));
                match self.env.snapshot(&ids) {
                    Ok(snapshot) => self.snapshot = Some(snapshot),
                    Err(error) => explained(&Err(error)),
                }
            }
            10 => self.restore(input),
            11 => {
                let (from, to) = (input.below(self.env.num_envs() + 1), self.ids(input));
                self.both("a branch", &|env, _| env.branch(from, &to));
            }
            12 => {
                let index = input.below(self.env.num_envs() + 1);
                let look = |env: &VectorEnv| {
                    env.look_at(index, |game, workspace| {
                        game.show(workspace, |env| (env.screen().to_vec(), env.frame_number()))
                    })
                };
                let seen = look(&self.env);
                if let Some(twin) = &self.twin {
                    assert!(seen == look(twin), "what is seen of {index}");
                }
            }
            13 if synchronous => {
                // The user presses Ctrl-C; from here on only the number of calls is known.
                let mut polls_left = input.below(4);
                let actions = self.actions(input, self.env.num_envs());
                self.alone(|env, batch| {
                    env.step(&actions, batch.rows(), &mut || {
                        polls_left = polls_left.saturating_sub(1);
                        polls_left == 0
                    })
                });
            }
            14 => {
                let found = self.env.options().action(i64::from(input.byte()) - 100);
                explained(&found.map(|_| ()));
            }
            _ => {}
        }
    }

    /// A call that the twin does not get; there is none from here on.
    fn alone(&mut self, call: impl FnOnce(&mut VectorEnv, &mut Batch) -> Result<(), Error>) {
        self.twin = None;
        explained(&call(&mut self.env, &mut self.batches[0]));
    }

    fn restore(&mut self, input: &mut Input<'_>) {
        let Some(snapshot) = &self.snapshot else { return };
        let snapshot = if input.flag() {
            snapshot.clone()
        } else {
            self.env.parse_snapshot(&snapshot.to_bytes()).expect("its own bytes")
        };
        let ids = if input.flag() { Some(self.ids(input)) } else { None };
        self.both("a restore", &|env, _| env.restore(&snapshot, ids.as_deref()));
    }
}

fn explained(result: &Result<(), Error>) {
    match result {
        Ok(()) | Err(Error::Interrupted) => {}
        Err(error @ Error::Worker(_)) => panic!("{error}"),
        Err(error) => assert!(error.to_string().len() > 10, "{error}"),
    }
}

fn compare(what: &str, got: &Batch, expected: &Batch) {
    assert_eq!(got.records, expected.records, "records of {what}");
    assert!(got.obs == expected.obs, "observations of {what}");
    assert!(got.extra == expected.extra, "RAM and sound of {what}");
    let rows = got.records.len();
    let len = got.final_obs[0].len() / rows.max(1);
    for (row, record) in got.records.iter().enumerate().filter(|(_, record)| record.last.is_some()) {
        let of = |batch: &Batch| batch.final_obs[0][row * len..][..len].to_vec();
        assert!(of(got) == of(expected), "the last observation of {}", record.env_id);
    }
}

/// Runs one input.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let num_envs = 1 + input.below(4);
    let specs = worlds::specs(num_envs, input.one_of(&[0, 0, 0xFF, 0b1010]));
    let options = options(&mut input, num_envs);
    let alone = BatchOptions { num_threads: 1, shared_pool: false, ..options.batch };
    let twin = VectorOptions { batch: alone, keep_pictures: true, jit: false, ..options.clone() };
    let env = vector::load(&specs, options).expect("embedded games");
    let twin = env.synchronous().then(|| vector::load(&specs, twin).expect("embedded games"));
    let batches = [env.new_batch(), env.new_batch()];
    let mut pair = Pair { env, twin, batches, snapshot: None };
    let mut left = 32;
    while left > 0 && !input.is_empty() {
        pair.obey(&mut input);
        left -= 1;
    }
}

/// Where to begin: usual options and some others, with every kind of call.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    // Number, games, size, colour, padding, kind, stack, then one byte each up to the seed of four and RAM.
    let usual = |num: u8, batch: [u8; 2], autoreset: u8, limit: u8| {
        let mut seed = vec![num, 0, 0, 0, 0, 0, 1];
        seed.extend(batch);
        seed.extend([2, 0, 0, 0, 0, 0, 0, 0, 0, limit, 0, 0, autoreset, 0, 1, 2, 3, 4, 1]);
        seed
    };
    let mut seeds = Vec::new();
    for (autoreset, limit) in [(0, 0), (1, 1), (2, 1), (0, 2), (1, 3), (0, 4)] {
        let mut seed = usual(2, [1, 0], autoreset, limit);
        seed.drain(7..8); // synchronous: no size of a batch follows
        seed.extend([
            5, 1, 0, 7, 0, 8, 0, 9, 0, 2, 4, 1, 4, 2, 4, 3, 9, 2, 0, 1, 1, 0, 4, 5, 4, 0, 4, 3, 10, 0, 1,
        ]);
        seed.extend([
            11, 0, 2, 1, 0, 2, 0, 12, 1, 13, 1, 0, 4, 1, 4, 2, 4, 5, 1, 1, 1, 1, 3, 0, 4, 0, 4, 0, 4, 3,
        ]);
        seeds.push(seed);
        let mut seed = usual(3, [0, 1], autoreset, limit);
        seed.extend([
            6, 1, 0, 1, 0, 2, 0, 3, 0, 4, 3, 0, 7, 0, 1, 4, 2, 4, 8, 0, 7, 1, 2, 0, 1, 3, 4, 4, 4, 8, 7, 8, 0,
        ]);
        seeds.push(seed);
    }
    seeds
}
