//! A world for tests: a counter with a generator, and a naive vector environment of such worlds.
#![allow(dead_code, reason = "each test file uses a part of it")]

use ale_batch::{
    Autoreset, Batch, BatchOptions, Choice, Context, Error, Layout, Parts, Record, Simulator, Step, VectorEnv,
};
use ale_sim::bytes::{Reader, Writer};
use ale_sim::rng::Xoshiro256;

/// What all walks share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    /// Steps after which an episode is truncated.
    pub(crate) limit: u32,
    /// What [`Simulator::step_nanoseconds`] says.
    pub(crate) nanoseconds: u64,
}

/// A random walk that ends when it leaves -10 ... 10.
#[derive(Clone)]
pub(crate) struct Walk {
    rng: Xoshiro256,
    position: i32,
    steps: u32,
    kind: u8,
}

impl Walk {
    pub(crate) fn new(kind: u8) -> Self {
        Self { rng: Xoshiro256::new(0), position: 0, steps: 0, kind }
    }
}

impl Simulator for Walk {
    type Action = i32;
    type Reward = f32;
    type Info = u32;
    type Options = Rules;
    type Workspace = Vec<u8>;

    fn new_workspace(&self) -> Vec<u8> {
        Vec::with_capacity(16)
    }

    fn reset(&mut self, seed: Option<u64>, _: &mut Context<'_, Self>) -> Result<bool, Error> {
        if let Some(seed) = seed {
            self.rng = Xoshiro256::new(seed);
        }
        (self.position, self.steps) = (self.rng.below(5) as i32 - 2, 0);
        Ok(false)
    }

    fn step(&mut self, action: i32, context: &mut Context<'_, Self>) -> Step<f32> {
        // What another thread left there makes no difference.
        context.workspace.clear();
        context.workspace.push(self.rng.below(3) as u8);
        self.position += action + i32::from(context.workspace[0]) - 1;
        self.steps += 1;
        let terminated = self.position.abs() > 10;
        let truncated = !terminated && self.steps >= context.options.limit;
        Step { reward: self.position as f32, terminated, truncated, over: terminated || truncated }
    }

    fn info(&self) -> u32 {
        self.steps
    }

    fn write_obs(&self, _: &Rules, obs: &mut Parts<'_>) {
        obs[0].copy_from_slice(&self.position.to_le_bytes());
        obs[1].fill(self.kind);
    }

    fn write_extra(&self, _: &Rules, extra: &mut Parts<'_>) {
        extra[0].copy_from_slice(&self.rng.words()[0].to_le_bytes());
    }

    fn rebuild(&mut self) -> Result<(), Error> {
        *self = Self::new(self.kind);
        Ok(())
    }

    fn check_like(&self, other: &Self) -> Result<(), Error> {
        if self.kind == other.kind { Ok(()) } else { Err(Error::State("another kind of walk".to_owned())) }
    }

    fn to_bytes(&self, _: &mut Vec<u8>) -> Vec<u8> {
        let mut writer = Writer::new();
        self.rng.words().iter().for_each(|word| _ = writer.u64(*word));
        writer.i32(self.position).u32(self.steps);
        writer.finish()
    }

    fn restore_bytes(&mut self, bytes: &[u8], _: &mut Vec<u8>) -> Result<(), Error> {
        let mut reader = Reader::new(bytes);
        let words = [reader.u64()?, reader.u64()?, reader.u64()?, reader.u64()?];
        self.rng = Xoshiro256::from_words(words).ok_or(Error::State("zeros".to_owned()))?;
        (self.position, self.steps) = (reader.i32()?, reader.u32()?);
        reader.finish()
    }

    fn step_nanoseconds(rules: &Rules) -> u64 {
        rules.nanoseconds
    }

    fn reset_nanoseconds(rules: &Rules) -> u64 {
        rules.nanoseconds
    }
}

pub(crate) type Walks = VectorEnv<Walk>;
pub(crate) type WalkRecord = Record<f32, u32>;

pub(crate) fn layout(autoreset: Autoreset) -> Layout {
    Layout::new([4, 1, 0, 0], [8, 0, 0, 0], autoreset == Autoreset::SameStep)
}

pub(crate) fn walks(num_envs: usize, rules: Rules, options: &BatchOptions) -> Walks {
    let sims = (0..num_envs).map(|index| Walk::new(index as u8 % 2)).collect();
    VectorEnv::new(sims, layout(options.autoreset), rules, options).expect("options that make sense")
}

pub(crate) fn action(index: usize, step: usize) -> i32 {
    [0, 1, 1, -1, 2][(3 * index + step) % 5]
}

pub(crate) fn seeds(num_envs: usize) -> Vec<Choice> {
    (0..num_envs as u64).map(Choice::Seed).collect()
}

/// The readable twin: one world after the other, on one thread, into new memory.
pub(crate) struct Naive {
    pub(crate) worlds: Vec<(Walk, bool)>,
    pub(crate) rules: Rules,
    pub(crate) autoreset: Autoreset,
}

impl Naive {
    pub(crate) fn new(num_envs: usize, rules: Rules, autoreset: Autoreset) -> Self {
        let worlds = (0..num_envs).map(|index| (Walk::new(index as u8 % 2), false)).collect();
        Self { worlds, rules, autoreset }
    }

    pub(crate) fn reset(&mut self, choices: &[Choice]) -> Batch<WalkRecord> {
        self.each(|index, walk, over, context, _, _| match choices[index] {
            Choice::Leave => {}
            Choice::Reset => *over = walk.reset(None, context).expect("a walk can always start"),
            Choice::Seed(seed) => *over = walk.reset(Some(seed), context).expect("a walk can always start"),
        })
    }

    pub(crate) fn step(&mut self, actions: &[i32]) -> Batch<WalkRecord> {
        let autoreset = self.autoreset;
        self.each(|index, walk, over, context, record, last| {
            if *over {
                *over = walk.reset(None, context).expect("a walk can always start");
                return;
            }
            let step = walk.step(actions[index], context);
            (record.reward, record.terminated, record.truncated) =
                (step.reward, step.terminated, step.truncated);
            *over = step.over;
            if *over && autoreset == Autoreset::SameStep {
                record.last = Some(walk.info());
                walk.write_obs(context.options, last);
                *over = walk.reset(None, context).expect("a walk can always start");
            }
        })
    }

    fn each(
        &mut self,
        mut work: impl FnMut(usize, &mut Walk, &mut bool, &mut Context<'_, Walk>, &mut WalkRecord, &mut Parts<'_>),
    ) -> Batch<WalkRecord> {
        let layout = layout(self.autoreset);
        let mut batch = Batch::<WalkRecord>::new(layout, self.worlds.len());
        for (index, (walk, over)) in self.worlds.iter_mut().enumerate() {
            let mut context =
                Context { options: &self.rules, workspace: &mut Vec::new(), poll: &mut || false };
            let Batch { obs, final_obs, extra, records } = &mut batch;
            let mut last = slices(final_obs, layout.final_obs, index);
            records[index].env_id = index as i32;
            work(index, walk, over, &mut context, &mut records[index], &mut last);
            records[index].now = walk.info();
            walk.write_obs(&self.rules, &mut slices(obs, layout.obs, index));
            walk.write_extra(&self.rules, &mut slices(extra, layout.extra, index));
        }
        batch
    }
}

/// Row `index` of each part.
fn slices(parts: &mut [Vec<u8>; 4], lens: [usize; 4], index: usize) -> Parts<'_> {
    let mut lens = lens.into_iter();
    parts.each_mut().map(|part| {
        let len = lens.next().unwrap_or(0);
        &mut part[index * len..][..len]
    })
}
