//! Many environments at once: the same results for every number of threads, batch and grouping.

mod support;

use ale_core::game::Game;
use ale_core::preprocess::Size;
use ale_core::vector::{Autoreset, Batch, Choice, Observation, Player, VectorConfig, VectorEnv};
use ale_core::{Action, Error, Rom};
use proptest::prelude::*;

const STEPS: usize = 40;

fn player() -> Player {
    let game =
        ale_core::embedded::GAMES.iter().find(|game| game.name == "glowdelve").expect("it is embedded");
    let rom = Rom::new(game.image);
    let game = Game::by_name("glowdelve").expect("it has a sheet");
    Player { rom, game, mode: None, difficulty: None }
}

fn load(num_envs: usize, config: &VectorConfig) -> VectorEnv {
    VectorEnv::load(&vec![player(); num_envs], config.clone(), true).expect("the game is embedded")
}

fn never() -> impl FnMut() -> bool {
    || false
}

/// The action of a sub-environment in a step: any rule that depends on nothing else.
fn action(env: &VectorEnv, index: usize, step: usize) -> (Action, f32) {
    let actions = env.actions();
    (actions[(index * 7 + step / 3) % actions.len()], 1.0)
}

fn receive(env: &mut VectorEnv) -> Result<Batch, Error> {
    let mut batch = env.new_batch();
    env.recv(batch.rows(), &mut never())?;
    Ok(batch)
}

/// Every batch of a run whose first sub-environment has the number `first`.
fn play(num_envs: usize, first: usize, config: &VectorConfig) -> Vec<Batch> {
    let mut env = load(num_envs, config);
    let seeds: Vec<_> = (0..num_envs).map(|index| Choice::Seed((first + index) as u32)).collect();
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

fn small(mut config: VectorConfig) -> VectorConfig {
    let size = Size { height: 21, width: 16 };
    config.observation = Observation::Frames { size, color: false, stack: 2, padded: false };
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
    ) {
        let autoreset = if same_step { Autoreset::SameStep } else { Autoreset::NextStep };
        let mut config = small(VectorConfig {
            repeat_action_probability: sticky,
            autoreset,
            max_num_frames_per_episode: limit,
            num_threads: 1,
            ..VectorConfig::default()
        });
        config.observation = view.unwrap_or(config.observation);
        let many =
            VectorConfig { num_threads: threads, shared_pool, thread_affinity_offset: bound, ..config.clone() };
        prop_assert!(play(5, 0, &config) == play(5, 0, &many));
    }
}

#[test]
fn one_of_six_is_two_of_three() {
    let config = small(VectorConfig { repeat_action_probability: 0.25, ..VectorConfig::default() });
    let (all, left, right) = (play(6, 0, &config), play(3, 0, &config), play(3, 3, &config));
    for ((all, left), right) in all.iter().zip(&left).zip(&right) {
        assert!(all.obs == [&left.obs[..], &right.obs].concat());
        assert!(all.ram == [&left.ram[..], &right.ram].concat());
        for (row, record) in all.records.iter().enumerate() {
            let other = if row < 3 { left.records[row] } else { right.records[row - 3] };
            assert_eq!((record.reward, record.now), (other.reward, other.now));
        }
    }
}

#[test]
fn results_that_come_one_by_one_are_those_of_all_at_once() {
    let config = small(VectorConfig { repeat_action_probability: 0.25, ..VectorConfig::default() });
    let expected = play(5, 0, &config);
    let asynchronous = VectorConfig { batch_size: 2, num_threads: 2, ..config };
    let mut env = load(5, &asynchronous);
    let seeds: Vec<_> = (0..5).map(Choice::Seed).collect();
    env.send_reset(&seeds).expect("all are reset");
    let mut steps = [0; 5];
    for _ in 0..60 {
        let batch = receive(&mut env).expect("work is in flight");
        let mut actions = Vec::new();
        let len = env.layout().obs;
        for (row, record) in batch.records.iter().enumerate() {
            let index = record.env_id as usize;
            let twin = &expected[steps[index]];
            assert!(batch.obs[row * len..][..len] == twin.obs[index * len..][..len]);
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
    let config = small(VectorConfig::default());
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
    let mut env = load(2, &small(VectorConfig::default()));
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
    assert!(order(env.look_at(0, |_| ())));
    let sent = receive(&mut env).expect("all were sent");

    let mut twin = load(2, &small(VectorConfig::default()));
    twin.reset(&[Choice::Seed(1), Choice::Seed(2)], batch.rows(), &mut never()).expect("a full reset");
    twin.step(&noops, batch.rows(), &mut never()).expect("all are ready");
    assert!(sent == batch);
}

#[test]
fn without_autoreset_an_episode_that_is_over_waits_for_its_reset() {
    let config = small(VectorConfig {
        autoreset: Autoreset::Disabled,
        max_num_frames_per_episode: 10,
        ..VectorConfig::default()
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
    let config = small(VectorConfig { num_threads: 1, ..VectorConfig::default() });
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
    let refused = |num_envs: usize, config: VectorConfig| {
        let result = VectorEnv::load(&vec![player(); num_envs], config, false);
        match result {
            Err(Error::Config(text)) => text,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("it was accepted"),
        }
    };
    assert!(refused(0, VectorConfig::default()).contains("num_envs is 0"));
    assert!(
        refused(2, VectorConfig { batch_size: 3, ..VectorConfig::default() }).contains("batch_size is 3")
    );
    assert!(refused(1, VectorConfig { frameskip: 0, ..VectorConfig::default() }).contains("frameskip is 0"));
    let size = Size { height: 0, width: 84 };
    let observation = Observation::Frames { size, color: false, stack: 4, padded: false };
    assert!(refused(1, VectorConfig { observation, ..VectorConfig::default() }).contains("img_height is 0"));
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
fn players() -> Vec<Player> {
    let mut players = vec![player()];
    for (name, rom) in support::all_roms() {
        if let (true, Ok(game)) = (DIFFICULT.contains(&name), Game::by_name(name)) {
            players.push(Player { rom, game, mode: None, difficulty: None });
        }
    }
    players
}

#[test]
fn pictures_that_are_not_kept_make_no_difference() {
    for (number, player) in players().into_iter().enumerate() {
        let configs = [
            VectorConfig { repeat_action_probability: 0.25, ..VectorConfig::default() },
            VectorConfig {
                autoreset: Autoreset::SameStep,
                max_num_frames_per_episode: 23,
                frameskip: 1 + number as u32 % 5,
                ..VectorConfig::default()
            },
            VectorConfig {
                observation: Observation::Screen { color: true },
                max_num_frames_per_episode: 18,
                ..VectorConfig::default()
            },
        ];
        for config in configs {
            let name = player.game.name();
            let mut envs = [false, true].map(|keep_pictures| {
                let config = VectorConfig { num_threads: 1, keep_pictures, ..config.clone() };
                VectorEnv::load(&[player.clone(), player.clone()], config, true).expect("it is a cartridge")
            });
            let mut batches = [envs[0].new_batch(), envs[1].new_batch()];
            let seeds = [Choice::Seed(number as u32), Choice::Seed(99)];
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
                    let [lean, kept] = &envs;
                    let screens = [lean, kept].map(|env| env.look_at(1, |env| env.screen().to_vec()));
                    let shown = config.observation == Observation::Screen { color: true };
                    assert!(!shown || screens[0] == screens[1], "{name}, screen after step {step}");
                }
            }
        }
    }
}
