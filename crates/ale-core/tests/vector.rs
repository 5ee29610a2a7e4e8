//! Many environments at once: the same results for every number of threads, batch and grouping.

mod support;

use ale_core::game::Game;
use ale_core::preprocess::Size;
use ale_core::vector::{
    self, Autoreset, Batch, BatchOptions, Choice, EnvSpec, Error, Observation, RAM, VectorEnv, VectorOptions,
    Wrappers,
};
use ale_core::{Action, Rom};
use proptest::prelude::*;

const STEPS: usize = 40;

fn glowdelve() -> EnvSpec {
    let game =
        ale_core::embedded::GAMES.iter().find(|game| game.name == "glowdelve").expect("it is embedded");
    let rom = Rom::new(game.image);
    let game = Game::by_name("glowdelve").expect("it has a sheet");
    EnvSpec { rom, game, mode: None, difficulty: None }
}

fn load(num_envs: usize, config: &VectorOptions) -> VectorEnv {
    vector::load(&vec![glowdelve(); num_envs], config.clone()).expect("the game is embedded")
}

/// Wrappers with short games.
const WRAPPERS: Wrappers = Wrappers {
    frames: (1, 2),
    noop_max: 30,
    terminal_on_life_loss: true,
    action_repeat_probability: 0.0,
    max_num_frames_per_episode: 160,
};

fn never() -> impl FnMut() -> bool {
    || false
}

/// The action of a sub-environment in a step: any rule that depends on nothing else.
fn action(env: &VectorEnv, index: usize, step: usize) -> (Action, f32) {
    let actions = &env.options().actions;
    (actions[(index * 7 + step / 3) % actions.len()], 1.0)
}

fn receive(env: &mut VectorEnv) -> Result<Batch, Error> {
    let mut batch = env.new_batch();
    env.recv(batch.rows(), &mut never())?;
    Ok(batch)
}

/// Every batch of a run whose first sub-environment has the number `first`.
fn play(num_envs: usize, first: usize, config: &VectorOptions) -> Vec<Batch> {
    let mut env = load(num_envs, config);
    let seeds: Vec<_> = (0..num_envs).map(|index| Choice::Seed((first + index) as u64)).collect();
    let mut batch = env.new_batch();
    env.reset(&seeds, batch.rows(), &mut never()).expect("all are reset");
    let mut batches = vec![batch];
    for step in 0..STEPS {
        let actions: Vec<_> = (0..num_envs).map(|index| action(&env, first + index, step)).collect();
        let mut batch = env.new_batch();
        env.step(&actions, batch.rows(), &mut never()).expect("all are ready");
        batches.push(batch);
    }
    batches
}

fn small(mut config: VectorOptions) -> VectorOptions {
    let size = Size { height: 21, width: 16 };
    config.observation = Observation::Frames { size, color: false, stack: 2, padded: false };
    config.ram = true;
    config
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_number_of_threads_makes_no_difference(
        threads in 2..9_usize,
        sticky in prop::sample::select(vec![0.0_f32, 0.25]),
        same_step in any::<bool>(),
        limit in prop::sample::select(vec![7_i64, 50, 108_000]),
        (shared_pool, bound) in prop::sample::select(vec![(false, None), (true, None), (false, Some(1))]),
        view in prop::sample::select(vec![None, Some(Observation::Screen { color: true }), Some(Observation::Ram)]),
        wrappers in prop::sample::select(vec![None, Some(WRAPPERS)]),
    ) {
        let autoreset = if same_step { Autoreset::SameStep } else { Autoreset::NextStep };
        let mut config = small(VectorOptions {
            repeat_action_probability: sticky,
            max_num_frames_per_episode: limit,
            batch: BatchOptions { autoreset, num_threads: 1, ..BatchOptions::default() },
            wrappers,
            ..VectorOptions::default()
        });
        config.observation = view.unwrap_or(config.observation);
        let batch = BatchOptions {
            num_threads: threads, shared_pool, thread_affinity_offset: bound, ..config.batch
        };
        let many = VectorOptions { batch, ..config.clone() };
        prop_assert!(play(5, 0, &config) == play(5, 0, &many));
    }
}

#[test]
fn one_of_six_is_two_of_three() {
    let config = small(VectorOptions { repeat_action_probability: 0.25, ..VectorOptions::default() });
    let (all, left, right) = (play(6, 0, &config), play(3, 0, &config), play(3, 3, &config));
    for ((all, left), right) in all.iter().zip(&left).zip(&right) {
        assert!(all.obs[0] == [&left.obs[0][..], &right.obs[0]].concat());
        assert!(all.extra[RAM] == [&left.extra[RAM][..], &right.extra[RAM]].concat());
        for (row, record) in all.records.iter().enumerate() {
            let other = if row < 3 { left.records[row] } else { right.records[row - 3] };
            assert_eq!((record.reward, record.now), (other.reward, other.now));
        }
    }
}

#[test]
fn results_that_come_one_by_one_are_those_of_all_at_once() {
    let config = small(VectorOptions { repeat_action_probability: 0.25, ..VectorOptions::default() });
    let expected = play(5, 0, &config);
    let asynchronous =
        VectorOptions { batch: BatchOptions { batch_size: 2, num_threads: 2, ..config.batch }, ..config };
    let mut env = load(5, &asynchronous);
    let seeds: Vec<_> = (0..5).map(Choice::Seed).collect();
    env.send_reset(&seeds).expect("all are reset");
    let mut steps = [0; 5];
    for _ in 0..60 {
        let batch = receive(&mut env).expect("work is in flight");
        let mut actions = Vec::new();
        let len = env.layout().obs[0];
        for (row, record) in batch.records.iter().enumerate() {
            let index = record.env_id as usize;
            let twin = &expected[steps[index]];
            assert!(batch.obs[0][row * len..][..len] == twin.obs[0][index * len..][..len]);
            assert_eq!((record.reward, record.now), (twin.records[index].reward, twin.records[index].now));
            actions.push(action(&env, index, steps[index]));
            steps[index] += 1;
        }
        env.send(None, &actions).expect("they have come back");
    }
    assert!(steps.iter().all(|&steps| steps > 3), "{steps:?}");
}

#[test]
fn sending_and_receiving_is_stepping() {
    let config = small(VectorOptions::default());
    let expected = play(3, 0, &config);
    let mut env = load(3, &config);
    env.send_reset(&[Choice::Seed(0), Choice::Seed(1), Choice::Seed(2)]).expect("all are reset");
    assert!(receive(&mut env).expect("sent") == expected[0]);
    for (step, expected) in expected[1..].iter().enumerate() {
        let actions: Vec<_> = (0..3).map(|index| action(&env, index, step)).collect();
        env.send(None, &actions).expect("received");
        assert!(receive(&mut env).expect("sent") == *expected);
    }
}

#[test]
fn calls_in_the_wrong_order_are_refused_and_change_nothing() {
    let mut env = load(2, &small(VectorOptions::default()));
    let mut batch = env.new_batch();
    let noops = [(Action::Noop, 1.0); 2];
    let order = |result: Result<(), Error>| matches!(result, Err(Error::Order(_)));
    assert!(order(env.step(&noops, batch.rows(), &mut never())));
    assert!(order(env.send(None, &noops)));
    assert!(order(receive(&mut env).map(|_| ())));
    assert!(order(env.reset(&[Choice::Reset, Choice::Leave], batch.rows(), &mut never())));
    env.reset(&[Choice::Seed(1), Choice::Seed(2)], batch.rows(), &mut never()).expect("a full reset");
    assert!(matches!(env.step(&noops[..1], batch.rows(), &mut never()), Err(Error::Count(_))));
    assert!(matches!(env.send(Some(&[0, 2]), &noops), Err(Error::Env { index: 2, last: 1 })));
    assert!(matches!(env.send(Some(&[1, 1]), &noops), Err(Error::Count(_))));
    env.send(None, &noops).expect("all are ready");
    assert!(order(env.send(None, &noops)));
    assert!(order(env.step(&noops, batch.rows(), &mut never())));
    assert!(order(env.look_at(0, |_, _| ())));
    let sent = receive(&mut env).expect("all were sent");

    let mut twin = load(2, &small(VectorOptions::default()));
    twin.reset(&[Choice::Seed(1), Choice::Seed(2)], batch.rows(), &mut never()).expect("a full reset");
    twin.step(&noops, batch.rows(), &mut never()).expect("all are ready");
    assert!(sent == batch);
}

#[test]
fn without_autoreset_an_episode_that_is_over_waits_for_its_reset() {
    let config = small(VectorOptions {
        batch: BatchOptions { autoreset: Autoreset::Disabled, ..BatchOptions::default() },
        max_num_frames_per_episode: 10,
        ..VectorOptions::default()
    });
    let mut env = load(2, &config);
    let mut batch = env.new_batch();
    env.reset(&[Choice::Seed(1), Choice::Seed(2)], batch.rows(), &mut never()).expect("a full reset");
    let noops = [(Action::Noop, 1.0); 2];
    for _ in 0..3 {
        env.step(&noops, batch.rows(), &mut never()).expect("the episode goes on");
    }
    assert!(batch.records.iter().all(|record| record.truncated));
    let refused = env.step(&noops, batch.rows(), &mut never());
    assert!(matches!(&refused, Err(Error::Order(text)) if text.contains("0, 1")), "{refused:?}");
    env.reset(&[Choice::Reset, Choice::Leave], batch.rows(), &mut never()).expect("one of them");
    assert!(matches!(env.step(&noops, batch.rows(), &mut never()), Err(Error::Order(_))));
    env.reset(&[Choice::Leave, Choice::Reset], batch.rows(), &mut never()).expect("the other one");
    env.step(&noops, batch.rows(), &mut never()).expect("both go on");
}

#[test]
fn a_call_that_is_interrupted_asks_for_a_reset() {
    let config = small(VectorOptions {
        batch: BatchOptions { num_threads: 1, ..BatchOptions::default() },
        ..VectorOptions::default()
    });
    let mut env = load(4, &config);
    let mut batch = env.new_batch();
    let seeds: Vec<_> = (0..4).map(Choice::Seed).collect();
    env.reset(&seeds, batch.rows(), &mut never()).expect("a full reset");
    let noops = [(Action::Noop, 1.0); 4];
    let mut asked = 0;
    let mut poll = || {
        asked += 1;
        asked == 2
    };
    assert_eq!(env.step(&noops, batch.rows(), &mut poll), Err(Error::Interrupted));
    assert!(matches!(env.step(&noops, batch.rows(), &mut never()), Err(Error::Order(_))));
    env.reset(&seeds, batch.rows(), &mut never()).expect("a full reset helps");
    env.step(&noops, batch.rows(), &mut never()).expect("and all go on");
}

#[test]
fn options_that_make_no_sense_are_refused_with_what_is_accepted() {
    let refused = |num_envs: usize, config: VectorOptions| {
        let result = vector::load(&vec![glowdelve(); num_envs], config);
        match result {
            Err(ale_core::Error::Batch(Error::Config(text))) => text,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("it was accepted"),
        }
    };
    assert!(refused(0, VectorOptions::default()).contains("num_envs is 0"));
    let batch = BatchOptions { batch_size: 3, ..BatchOptions::default() };
    assert!(refused(2, VectorOptions { batch, ..VectorOptions::default() }).contains("batch_size is 3"));
    assert!(
        refused(1, VectorOptions { frameskip: 0, ..VectorOptions::default() }).contains("frameskip is 0")
    );
    let size = Size { height: 0, width: 84 };
    let observation = Observation::Frames { size, color: false, stack: 4, padded: false };
    assert!(
        refused(1, VectorOptions { observation, ..VectorOptions::default() }).contains("img_height is 0")
    );
}

/// Games whose frames are sometimes unfinished or do not reach the last row, a few others, and our own.
const DIFFICULT: [&str; 12] = [
    "air_raid",
    "asteroids",
    "breakout",
    "carnival",
    "double_dunk",
    "entombed",
    "journey_escape",
    "pitfall2",
    "pooyan",
    "qbert",
    "tetris",
    "tic_tac_toe_3d",
];

/// Those of them whose ROM this machine has.
fn difficult_games() -> Vec<EnvSpec> {
    let mut specs = vec![glowdelve()];
    for (name, rom) in support::all_roms() {
        if let (true, Ok(game)) = (DIFFICULT.contains(&name), Game::by_name(name)) {
            specs.push(EnvSpec { rom, game, mode: None, difficulty: None });
        }
    }
    specs
}

#[test]
fn pictures_that_are_not_kept_make_no_difference() {
    for (number, spec) in difficult_games().into_iter().enumerate() {
        let configs = [
            VectorOptions { repeat_action_probability: 0.25, ..VectorOptions::default() },
            VectorOptions {
                batch: BatchOptions { autoreset: Autoreset::SameStep, ..BatchOptions::default() },
                max_num_frames_per_episode: 23,
                frameskip: 1 + number as u32 % 5,
                ..VectorOptions::default()
            },
            VectorOptions {
                observation: Observation::Screen { color: true },
                max_num_frames_per_episode: 18,
                ..VectorOptions::default()
            },
            VectorOptions {
                batch: BatchOptions { autoreset: Autoreset::SameStep, ..BatchOptions::default() },
                wrappers: Some(WRAPPERS),
                ..VectorOptions::default()
            },
        ];
        for config in configs {
            let name = spec.game.name();
            let mut envs = [false, true].map(|keep_pictures| {
                let batch = BatchOptions { num_threads: 1, ..config.batch };
                let config = VectorOptions { batch, keep_pictures, ram: true, ..config.clone() };
                vector::load(&[spec.clone(), spec.clone()], config).expect("it is a cartridge")
            });
            let mut batches = [envs[0].new_batch(), envs[1].new_batch()];
            let seeds = [Choice::Seed(number as u64), Choice::Seed(99)];
            for (env, batch) in envs.iter_mut().zip(&mut batches) {
                env.reset(&seeds, batch.rows(), &mut never()).expect("all are reset");
            }
            for step in 0..60 {
                assert!(batches[0] == batches[1], "{name}, step {step}, {config:?}");
                for (env, batch) in envs.iter_mut().zip(&mut batches) {
                    let actions = [0, 1].map(|index| action(env, index, step));
                    env.step(&actions, batch.rows(), &mut never()).expect("all are ready");
                }
                if step % 20 == 19 {
                    let screens = [&envs[0], &envs[1]].map(|env| {
                        env.look_at(1, |game, workspace| game.show(workspace, |env| env.screen().to_vec()))
                    });
                    let shown = config.observation == Observation::Screen { color: true };
                    assert!(!shown || screens[0] == screens[1], "{name}, screen after step {step}");
                }
            }
        }
    }
}

#[test]
fn without_the_jit_all_is_interpreted_and_the_same() {
    for jit in [true, false] {
        let config = small(VectorOptions { jit, ..VectorOptions::default() });
        let mut env = load(2, &config);
        let mut batch = env.new_batch();
        env.reset(&[Choice::Seed(1); 2], batch.rows(), &mut never()).expect("both are reset");
        let has_jit = env.look_at(1, |world, workspace| {
            world.show(workspace, |env| (env.console().has_jit(), ale_core::console::jit::status().0))
        });
        let (has_jit, wanted) = has_jit.expect("nothing is in flight");
        assert_eq!(has_jit, jit && wanted);
    }
    let [with, without] =
        [true, false].map(|jit| play(3, 0, &small(VectorOptions { jit, ..VectorOptions::default() })));
    assert!(with == without);
}
