//! The Brute on toys: a combination lock, and a tree with slips.

use super::*;

const PLAIN: Config =
    Config { num_actions: 3, discount: 1.0, exploration: Exploration::B2, max_nodes: 1_000_000, seed: 1 };

fn brute(config: Config) -> Brute {
    Brute::new(config).expect("parameters")
}

#[test]
fn epsilon_is_as_printed() {
    let table = [
        (Exploration::A, 0, 1.0),
        (Exploration::A, 1, 0.0721),
        (Exploration::A, 2, 0.0455),
        (Exploration::A, 100, 0.0108),
        (Exploration::B2, 0, 0.00721),
        (Exploration::B2, 1, 0.00455),
        (Exploration::B2, 100, 0.00108),
    ];
    for (formula, visits, expected) in table {
        let found = formula.epsilon(visits);
        assert!((found / expected - 1.0).abs() < 0.005, "{formula:?} {visits}: {found}");
    }
}

/// A lock of 12 digits: the right one goes on, the first wrong one ends, one of the wrong ones with a small reward.
fn lock(agent: &mut Brute) -> f64 {
    let code = [0, 2, 1, 1, 0, 2, 2, 0, 1, 2, 0, 1];
    let mut action = agent.begin(0);
    let mut score = 0.0;
    for (place, &digit) in code.iter().enumerate() {
        if action != digit || place == 11 {
            let reward = if action == digit { 100.0 } else { 0.125 * f64::from(action == 1) };
            agent.end(reward);
            return score + reward;
        }
        score += 0.25;
        action = agent.step(0.25, place as u64);
    }
    unreachable!("the last digit ends the episode")
}

#[test]
fn on_a_combination_lock_the_value_is_the_best_return_and_never_falls() {
    let mut agent = brute(Config { exploration: Exploration::A, ..PLAIN });
    let mut best = 0.0_f64;
    for _ in 0..60_000 {
        best = best.max(lock(&mut agent));
        assert_eq!(agent.start_value(0).expect("it has begun").to_bits(), best.to_bits());
    }
    assert!(best >= 100.0, "{best}");
}

#[test]
fn where_actions_slip_the_counts_become_the_probabilities() {
    let mut agent = brute(Config { num_actions: 2, exploration: Exploration::A, ..PLAIN });
    let mut rng = Xoshiro256::new(9);
    let (mut fell, mut before) = (false, 0.0);
    for _ in 0..40_000 {
        let action = agent.begin(0);
        let slips = rng.next_double() < 0.25;
        let place = if slips { 1 - action } else { action };
        let second = agent.step(0.0, place as u64);
        agent.end(if place == 1 && second == 1 { 1.0 } else { 0.0 });
        let value = agent.start_value(0).expect("it has begun");
        fell |= value < before;
        before = value;
    }
    assert!(fell, "the greedy return of a stochastic game may fall, and here it did not");
    assert!((before - 0.75).abs() < 0.02, "{before}");
    assert!(agent.nodes() <= 2 + 2 + 4 * 2, "{}", agent.nodes());
}

#[test]
fn a_full_tree_stops_growing_and_forgets_nothing() {
    let mut agent = brute(Config { max_nodes: 12, exploration: Exploration::A, ..PLAIN });
    let mut before = 0.0;
    for _ in 0..5000 {
        lock(&mut agent);
        let value = agent.start_value(0).expect("it has begun");
        assert!(agent.nodes() <= 12 && value >= before);
        before = value;
    }
    assert!(agent.is_full());
}

#[test]
fn what_is_known_is_what_comes() {
    let mut agent = brute(PLAIN);
    assert_eq!(agent.known(), None);
    for _ in 0..200 {
        agent.begin(7);
        let known = agent.known();
        let action = agent.action;
        let expected = if action == 2 { 2.0 } else { 1.0 };
        if let Some(known) = known {
            assert_eq!((known.reward, known.over, known.observation), (expected, false, 3));
        }
        agent.step(expected, 3);
        if let Some(known) = agent.known() {
            assert_eq!((known.over, known.reward), (true, 5.0));
        }
        agent.end(5.0);
    }
    let mut values = [0.0; 3];
    agent.begin(7);
    agent.q(&mut values);
    assert!(values.iter().any(|&value| value >= 6.0));
}

#[test]
fn without_learning_nothing_changes_but_the_generator() {
    let mut agent = brute(PLAIN);
    (0..100).for_each(|_| _ = lock(&mut agent));
    agent.set_learning(false);
    let before = agent.clone();
    (0..100).for_each(|_| _ = lock(&mut agent));
    assert!(agent.nodes == before.nodes && agent.edges == before.edges && agent.roots == before.roots);
}

#[test]
fn a_loaded_tree_goes_on_and_damage_is_refused() {
    let mut agent = brute(Config { exploration: Exploration::A, ..PLAIN });
    (0..500).for_each(|_| _ = lock(&mut agent));
    agent.begin(0);
    let bytes = agent.to_bytes();
    let mut twin = Brute::from_bytes(&bytes).expect("a tree");
    assert!(twin == agent);
    let scores = |agent: &mut Brute| (0..500).map(|_| lock(agent)).collect::<Vec<_>>();
    assert_eq!(scores(&mut twin), scores(&mut agent));
    for at in (0..bytes.len()).step_by(101) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(Brute::from_bytes(&changed).is_err() && Brute::from_bytes(&bytes[..at]).is_err());
    }
}

#[test]
fn a_history_takes_64_bytes() {
    assert_eq!(size_of::<Node>() + size_of::<Edge>(), 64);
}

#[test]
fn parameters_that_make_no_sense_are_refused() {
    for config in [
        Config { num_actions: 0, ..PLAIN },
        Config { discount: 1.1, ..PLAIN },
        Config { max_nodes: 0, ..PLAIN },
    ] {
        assert!(Brute::new(config).expect_err("refused").contains("accepted"));
    }
}

#[test]
fn rewards_that_are_no_numbers_are_less_than_all_numbers() {
    let mut agent = brute(PLAIN);
    for reward in [f64::NAN, f64::NEG_INFINITY, f64::NAN] {
        for _ in 0..20 {
            agent.begin(0);
            agent.step(reward, 1);
            agent.end(reward);
        }
        // The same from a file, which a stranger may have written.
        agent = Brute::from_bytes(&agent.to_bytes()).expect("its own bytes");
    }
    let chosen: Vec<usize> = (0..50).map(|_| agent.begin(0)).collect();
    assert!(chosen.iter().all(|&action| action < PLAIN.num_actions));
}
