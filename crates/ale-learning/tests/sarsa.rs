//! SARSA against hand-made numbers, against its eager twin, and on toys with known answers.

use ale_learning::sarsa::{Config, Features, Sarsa};
use ale_sim::rng::Xoshiro256;

const PLAIN: Config = Config {
    num_features: 3,
    num_actions: 2,
    step_size: 0.5,
    discount: 0.9,
    trace_decay: 0.5,
    exploration: 0.0,
    seed: 0,
    clear_other_actions: false,
};

fn on(indices: &[u32]) -> Features<'_> {
    Features { indices, counts: &[] }
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6
}

/// The definition: a dense trace for every weight, decayed at every step, 64 bits throughout.
struct Eager {
    config: Config,
    weights: Vec<Vec<f64>>,
    traces: Vec<Vec<f64>>,
    max_active: usize,
    scale: f64,
    last: Option<(Vec<u32>, Vec<u32>, usize)>,
}

impl Eager {
    fn new(config: Config) -> Self {
        let zeros = vec![vec![0.0; config.num_actions]; config.num_features];
        Self { config, weights: zeros.clone(), traces: zeros, max_active: 0, scale: 0.0, last: None }
    }

    fn q(&self, active: Features<'_>, action: usize) -> f64 {
        let count = |place: usize| active.counts.get(place).map_or(1.0, |&count| f64::from(count));
        let value = |(place, &f): (usize, &u32)| self.weights[f as usize][action] * count(place);
        active.indices.iter().enumerate().map(value).sum()
    }

    /// Takes the action that is given; the generators of the two would part at the first tie.
    fn set_traces(&mut self, active: Features<'_>, action: usize) {
        let decay = self.config.discount * self.config.trace_decay;
        for trace in self.traces.iter_mut().flatten() {
            *trace *= decay;
            if *trace < 0.01 * (1.0 - 1e-12) {
                *trace = 0.0;
            }
        }
        for &f in active.indices {
            if self.config.clear_other_actions {
                self.traces[f as usize].fill(0.0);
            }
            self.traces[f as usize][action] = 1.0;
        }
        self.last = Some((active.indices.to_vec(), active.counts.to_vec(), action));
    }

    fn begin(&mut self, active: Features<'_>, action: usize) {
        self.traces.iter_mut().flatten().for_each(|trace| *trace = 0.0);
        self.set_traces(active, action);
    }

    fn update(&mut self, reward: f64, next: f64) {
        let (indices, counts, action) = self.last.take().expect("an episode has begun");
        if self.scale == 0.0 {
            self.scale = reward.abs();
        }
        let reward = if self.scale == 0.0 { 0.0 } else { reward / self.scale };
        self.max_active = self.max_active.max(indices.len());
        let value = self.q(Features { indices: &indices, counts: &counts }, action);
        let delta = reward + self.config.discount * next - value;
        let step = self.config.step_size / self.max_active.max(1) as f64 * delta;
        for (weights, traces) in self.weights.iter_mut().zip(&self.traces) {
            weights.iter_mut().zip(traces).for_each(|(weight, trace)| *weight += step * trace);
        }
    }

    fn step(&mut self, reward: f64, active: Features<'_>, action: usize) {
        let next = self.q(active, action);
        self.update(reward, next);
        self.set_traces(active, action);
    }
}

/// A learner whose first action in this episode is `wanted`, found by trying seeds.
fn with_actions(config: Config, wanted: [usize; 2]) -> Sarsa {
    (0..1000)
        .map(|seed| Sarsa::new(Config { seed, exploration: 1.0, ..config }).expect("parameters"))
        .find(|learner| {
            let mut learner = learner.clone();
            [learner.begin(on(&[0, 2])), learner.step(1.0, on(&[1, 2]))] == wanted
        })
        .expect("one of 1000 seeds")
}

#[test]
fn the_hand_case() {
    for (clear_other_actions, shared) in [(false, 0.475), (true, 0.25)] {
        let mut learner = with_actions(Config { clear_other_actions, ..PLAIN }, [0, 1]);
        assert_eq!(learner.begin(on(&[0, 2])), 0);
        assert_eq!(learner.step(1.0, on(&[1, 2])), 1);
        assert!(close(learner.weight(0, 0), 0.25) && close(learner.weight(2, 0), 0.25));
        learner.end(2.0);
        let weights = [(0, 0, 0.475), (1, 1, 0.5), (2, 1, 0.5), (2, 0, shared)];
        for (feature, action, expected) in weights {
            let found = learner.weight(feature, action);
            assert!(close(found, expected), "w[{feature}][{action}] is {found}, not {expected}");
        }
        let mut values = [0.0; 2];
        learner.q(on(&[0, 2]), &mut values);
        assert!(close(values[0], 0.475 + shared) && close(values[1], 0.5));
    }
}

/// Features that come and go at random: all anew at every decision, or a share of `changing` of them.
fn next_features(rng: &mut Xoshiro256, on: &mut [bool], changing: Option<f64>) -> Vec<u32> {
    let share = rng.next_double();
    for feature in on.iter_mut() {
        *feature = match changing {
            None => rng.next_double() < share,
            Some(changing) => *feature ^ (rng.next_double() < changing),
        };
    }
    (0..on.len() as u32).filter(|&feature| on[feature as usize]).collect()
}

/// The greatest difference between the weights of the learner and of its twin after so many random steps.
fn difference(config: Config, changing: Option<f64>, ends: u64, steps: usize) -> f64 {
    let (mut lazy, mut eager) = (Sarsa::new(config).expect("parameters"), Eager::new(config));
    let mut rng = Xoshiro256::new(config.num_actions as u64);
    let mut on = vec![false; config.num_features];
    let mut fresh = true;
    for step in 0..steps {
        let indices = next_features(&mut rng, &mut on, changing);
        let counted = if changing.is_none() { step % 2 == 1 } else { step % 1000 > 900 };
        let counts: Vec<u32> = if counted { indices.iter().map(|&f| 1 + f % 3).collect() } else { vec![] };
        let active = Features { indices: &indices, counts: &counts };
        let reward = if rng.below(5) == 0 { 3.0 * rng.next_double() - 1.5 } else { 0.0 };
        if fresh {
            let action = lazy.begin(active);
            eager.begin(active, action);
        } else {
            let action = lazy.step(reward, active);
            eager.step(reward, active, action);
        }
        fresh = rng.below(ends) == 0;
        if fresh {
            lazy.end(1.0);
            eager.update(1.0, 0.0);
        }
    }
    let mut worst = 0.0_f64;
    for feature in 0..config.num_features {
        for action in 0..config.num_actions {
            let expected = eager.weights[feature][action];
            worst = worst.max((lazy.weight(feature as u32, action) - expected).abs());
        }
    }
    assert!(eager.weights.iter().flatten().any(|weight| weight.abs() > 1e-2));
    worst
}

#[test]
fn traces_that_live_for_millions_of_decisions_are_refused_and_endless_ones_are_not() {
    let with = |discount: f64, trace_decay: f64| Sarsa::new(Config { discount, trace_decay, ..PLAIN });
    for decay in [0.999_95, 1.0 - 1e-9, 1.0 - f64::EPSILON] {
        let text = with(1.0, decay).expect_err("too slow");
        assert!(text.starts_with("discount * trace_decay is 0.999") && text.contains("accepted"), "{text}");
        assert!(with(decay, 1.0).is_err());
    }
    assert_eq!(with(1.0, 0.9999).expect("slow").trace_life(), Some(46_050));
    assert_eq!(with(1.0, 1.0).expect("endless").trace_life(), None);
}

#[test]
fn lazy_traces_change_weights_as_eager_ones() {
    let parameters =
        [(0.99, 0.9, false, 40), (0.999, 0.5, false, 60), (0.9, 0.3, true, 25), (1.0, 1.0, false, 30)];
    for (discount, trace_decay, clear_other_actions, num_features) in parameters {
        for num_actions in [3, 5, 18, 25] {
            let config = Config {
                num_features,
                num_actions,
                step_size: 0.1,
                discount,
                trace_decay,
                exploration: 0.3,
                seed: 7,
                clear_other_actions,
            };
            for changing in [None, Some(0.2), Some(0.01)] {
                let worst = difference(config, changing, 100, 10_000);
                assert!(worst < 1e-5, "{worst} with {config:?}, changing {changing:?}");
            }
        }
    }
}

#[test]
fn episodes_longer_than_the_periods_of_the_sums_change_nothing() {
    for clear_other_actions in [false, true] {
        let config = Config {
            num_features: 12,
            num_actions: 4,
            step_size: 0.02,
            discount: 0.95,
            trace_decay: 0.9,
            exploration: 0.3,
            seed: 3,
            clear_other_actions,
        };
        let worst = difference(config, Some(0.002), 5000, 150_000);
        assert!(worst < 1e-5, "{worst} with {config:?}");
    }
}

#[test]
fn a_feature_that_was_on_once_takes_part_in_40_updates() {
    let config = Config { discount: 0.99, trace_decay: 0.9, num_actions: 1, ..PLAIN };
    let mut learner = Sarsa::new(config).expect("parameters");
    assert_eq!(learner.trace_life(), Some(40));
    learner.begin(on(&[0]));
    let mut changes = 0;
    let mut before = 0.0_f64;
    for _ in 0..100 {
        learner.step(1.0, on(&[1]));
        changes += usize::from(learner.weight(0, 0).to_bits() != before.to_bits());
        before = learner.weight(0, 0);
    }
    assert_eq!(changes, 40);
    let life = |discount, trace_decay| {
        Sarsa::new(Config { discount, trace_decay, ..PLAIN }).expect("parameters").trace_life()
    };
    assert_eq!([life(0.999, 0.9), life(0.999, 0.5), life(1.0, 1.0)], [Some(44), Some(7), None]);
}

/// 10 states in a row, left or right; the right end pays 1 and ends, the left end pays 0.2 and ends.
fn chain(state: usize, action: usize) -> (f64, Option<usize>) {
    match (state, action) {
        (9, 1) => (1.0, None),
        (0, 0) => (0.2, None),
        (state, 1) => (0.0, Some(state + 1)),
        (state, _) => (0.0, Some(state - 1)),
    }
}

#[test]
fn on_a_chain_with_one_feature_per_state_the_values_become_the_optimal_ones() {
    let mut optimal = [[0.0_f64; 2]; 10];
    for _ in 0..200 {
        for state in 0..10 {
            for action in 0..2 {
                let (reward, next) = chain(state, action);
                let value = next.map_or(0.0, |next| optimal[next][0].max(optimal[next][1]));
                optimal[state][action] = reward + 0.9 * value;
            }
        }
    }
    // The first reward is the unit: an episode that ends at the left would make it 0.2.
    let config =
        Config { num_features: 10, step_size: 0.1, trace_decay: 0.0, exploration: 0.1, seed: 3, ..PLAIN };
    let mut rng = Xoshiro256::new(5);
    let mut learner = Sarsa::new(config).expect("parameters");
    learner.begin(on(&[9]));
    learner.end(1.0);
    let mut exploration = 0.1;
    for _ in 0..40_000 {
        exploration *= 0.9999;
        learner.set_exploration(exploration);
        let mut state = rng.below(10) as usize;
        let mut action = learner.begin(on(&[state as u32]));
        for _ in 0..100 {
            let (reward, next) = chain(state, action);
            let Some(next) = next else {
                learner.end(reward);
                break;
            };
            state = next;
            action = learner.step(reward, on(&[state as u32]));
        }
    }
    let errors = (0..10).flat_map(|state| {
        let learner = &learner;
        (0..2).map(move |action| (learner.weight(state as u32, action), optimal[state][action]))
    });
    let squares: f64 = errors.map(|(found, expected)| (found - expected).powi(2)).sum();
    let error = (squares / 20.0).sqrt();
    assert!(error < 0.02, "root mean square error {error}");
}

/// Rows 0 to 2, columns 0 to 7; from the lower left corner to the lower right one, between them the cliff.
fn walk(state: usize, action: usize) -> (f64, Option<usize>) {
    let (row, column) = (state / 8, state % 8);
    let (row, column) = match action {
        0 => (row.saturating_sub(1), column),
        1 => ((row + 1).min(2), column),
        2 => (row, column.saturating_sub(1)),
        _ => (row, (column + 1).min(7)),
    };
    match (row, column) {
        (2, 1..=6) => (-100.0, None),
        (2, 7) => (-1.0, None),
        _ => (-1.0, Some(row * 8 + column)),
    }
}

#[test]
fn along_a_cliff_an_exploring_learner_takes_the_safe_path() {
    let config = Config {
        num_features: 24,
        num_actions: 4,
        step_size: 0.1,
        discount: 1.0,
        trace_decay: 0.0,
        exploration: 0.2,
        ..PLAIN
    };
    let mut learner = Sarsa::new(config).expect("parameters");
    for _ in 0..5000 {
        let mut action = learner.begin(on(&[16]));
        let mut state = 16;
        loop {
            let (reward, next) = walk(state, action);
            let Some(next) = next else {
                learner.end(reward);
                break;
            };
            state = next;
            action = learner.step(reward, on(&[state as u32]));
        }
    }
    learner.set_learning(false);
    learner.set_exploration(0.0);
    let (mut state, mut path) = (16, vec![]);
    let mut action = learner.begin(on(&[16]));
    while let (_, Some(next)) = walk(state, action) {
        state = next;
        path.push(state);
        assert!(path.len() < 30, "{path:?}");
        action = learner.step(-1.0, on(&[state as u32]));
    }
    let (top, edge) = (path.iter().filter(|&&s| s < 8).count(), path.iter().filter(|&&s| s / 8 == 1).count());
    assert!(path.ends_with(&[15]) && top >= 6 && edge <= 4, "{path:?}");
}

/// Random features, rewards and ends; the actions, and what was learnt of each feature.
fn play(learner: &mut Sarsa, seed: u64, steps: usize, unit: f64) -> (Vec<usize>, Vec<f64>) {
    let features = learner.config().num_features as u64;
    let mut rng = Xoshiro256::new(seed);
    let mut actions = vec![];
    let mut fresh = true;
    let mut indices: Vec<u32> = vec![];
    for _ in 0..steps {
        indices.retain(|_| rng.below(10) > 0);
        indices.extend((0..4).map(|_| rng.below(features) as u32));
        indices.sort_unstable();
        indices.dedup();
        let reward = unit * [0.0, 0.0, 1.0, -2.0][rng.below(4) as usize];
        actions.push(if fresh { learner.begin(on(&indices)) } else { learner.step(reward, on(&indices)) });
        fresh = rng.below(50) == 0;
        if fresh {
            learner.end(unit);
        }
    }
    let weights = (0..features.min(500) as u32)
        .flat_map(|f| (0..learner.config().num_actions).map(move |action| (f, action)))
        .map(|(feature, action)| learner.weight(feature, action))
        .collect();
    (actions, weights)
}

#[test]
fn rewards_times_7_give_the_same_weights_and_actions() {
    let config = Config { num_features: 100, exploration: 0.1, ..PLAIN };
    let [one, seven] =
        [1.0, 7.0].map(|unit| play(&mut Sarsa::new(config).expect("parameters"), 1, 2000, unit));
    assert_eq!(one, seven);
}

#[test]
fn rows_on_first_sight_learn_what_dense_rows_learn() {
    let config = Config { num_features: 200, exploration: 0.1, num_actions: 18, ..PLAIN };
    let mut dense = Sarsa::new(config).expect("parameters");
    let mut hashed = Sarsa::new(Config { num_features: 114_702_401, ..config }).expect("parameters");
    let mut rng = Xoshiro256::new(4);
    let key = |feature: &u32| feature.wrapping_mul(573_511) % 114_702_401;
    for episode in 0..20 {
        let mut first = true;
        for _ in 0..100 {
            let indices: Vec<u32> = (0..200).filter(|_| rng.below(4) == 0).collect();
            let keys: Vec<u32> = indices.iter().map(key).collect();
            let reward = rng.next_double();
            let actions = if first {
                [dense.begin(on(&indices)), hashed.begin(on(&keys))]
            } else {
                [dense.step(reward, on(&indices)), hashed.step(reward, on(&keys))]
            };
            assert_eq!(actions[0], actions[1], "episode {episode}");
            first = false;
        }
        dense.end(1.0);
        hashed.end(1.0);
    }
    assert!(hashed.rows_in_use() <= 200);
    for feature in 0..200 {
        assert!(dense.weight(feature, 3).to_bits() == hashed.weight(key(&feature), 3).to_bits());
    }
}

#[test]
fn a_loaded_learner_goes_on_bit_for_bit_and_damage_is_refused() {
    for num_features in [300, 5_000_000] {
        let config = Config { num_features, num_actions: 6, exploration: 0.1, ..PLAIN };
        let mut learner = Sarsa::new(config).expect("parameters");
        play(&mut learner, 1, 777, 1.0);
        learner.step(1.0, Features { indices: &[1, 5, 8, 20], counts: &[1, 2, 1, 3] });
        let bytes = learner.to_bytes();
        let mut twin = Sarsa::from_bytes(&bytes).expect("a learner");
        assert_eq!(twin.to_bytes(), bytes);
        for step in 0..50_u32 {
            let indices = [1, 5 + step / 9, 20 + step % 3, 60 + step];
            let steps = [&mut learner, &mut twin].map(|it| it.step(f64::from(step % 2), on(&indices)));
            assert_eq!(steps[0], steps[1]);
        }
        assert_eq!(twin.to_bytes(), learner.to_bytes());
        assert_eq!(play(&mut learner, 2, 1000, 1.0), play(&mut twin, 2, 1000, 1.0));
        for at in (0..bytes.len()).step_by(997) {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            assert!(Sarsa::from_bytes(&changed).is_err(), "byte {at}");
            assert!(Sarsa::from_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
    }
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    let wrong = [
        Config { num_features: 0, ..PLAIN },
        Config { num_actions: 0, ..PLAIN },
        Config { num_actions: 33, ..PLAIN },
        Config { step_size: f64::NAN, ..PLAIN },
        Config { discount: 1.5, ..PLAIN },
        Config { trace_decay: -0.1, ..PLAIN },
        Config { exploration: f64::NAN, ..PLAIN },
    ];
    for config in wrong {
        let text = Sarsa::new(config).expect_err("refused");
        assert!(text.contains("accepted"), "{text}");
    }
}
