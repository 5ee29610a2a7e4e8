use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use super::{GO, NEVER};
use crate::toys::Toy;
use crate::{Budget, Iw, IwOptions, Planner, RamAtoms, RolloutIw, RolloutIwOptions};

fn iw() -> IwOptions {
    IwOptions {
        budget: Budget::frames(150_000),
        discount: 0.995,
        max_branch: 30_000,
        max_nodes: 1 << 20,
        seed: 1,
        threads: 1,
    }
}

fn rollout() -> RolloutIwOptions {
    RolloutIwOptions {
        budget: Budget::frames(150_000),
        discount: 1.0,
        max_depth: 1500,
        max_repeats: 30,
        max_kept: 50_000,
        max_nodes: 1 << 20,
        risk_averse: false,
        seed: 1,
    }
}

/// A byte that actions move: forward, double, back.
fn walk(path: &[u8]) -> u8 {
    path.iter().fold(0, |place: u8, action| match action {
        0 => place.saturating_add(1).min(200),
        1 => place.saturating_mul(2).min(200),
        _ => place.saturating_sub(3),
    })
}

fn one_byte() -> Toy {
    Toy::new(3, |path| f64::from(u8::from(walk(path) == 77)), NEVER).with_ram(|path| vec![walk(path)])
}

/// Two counters; the goal needs both at once.
fn two_bytes() -> Toy {
    Toy::new(2, |path| f64::from(u8::from(count(path) == [6, 6])), NEVER)
        .with_ram(|path| count(path).to_vec())
}

fn count(path: &[u8]) -> [u8; 2] {
    path.iter().fold([0, 0], |mut counters: [u8; 2], &action| {
        counters[usize::from(action)] = (counters[usize::from(action)] + 1).min(20);
        counters
    })
}

/// Depth of every value of the byte, breadth-first.
fn breadth_first() -> BTreeMap<u8, u32> {
    let mut depths = BTreeMap::from([(0, 0)]);
    let mut queue = VecDeque::from([Vec::new()]);
    while let Some(path) = queue.pop_front() {
        for action in 0..3 {
            let next: Vec<u8> = path.iter().copied().chain([action]).collect();
            if depths.len() < 201 && !depths.contains_key(&walk(&next)) {
                depths.insert(walk(&next), next.len() as u32);
                queue.push_back(next);
            }
        }
    }
    depths
}

#[test]
fn on_one_byte_iw_is_breadth_first_search_over_its_values() {
    let mut toy = one_byte();
    let mut planner = Iw::new(iw(), Box::new(RamAtoms));
    let action = planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    let expected = breadth_first();
    let nodes = planner.tree().nodes;
    let expanded: BTreeSet<u32> = nodes[1..].iter().map(|node| node.parent).collect();
    assert_eq!(expanded.len(), expected.len(), "each value is expanded once");
    let novel = nodes.iter().filter(|node| !node.pruned).count();
    assert_eq!(novel, expected.len());
    assert_eq!(planner.stats().depth, expected.values().max().copied().unwrap_or(0) + 1);
    assert_eq!(action, 0, "the way to 77 begins with a step");
    assert!(planner.stats().frames < 150_000, "it ends early");
}

#[test]
fn a_goal_of_width_two_is_not_found() {
    for seed in 0..20 {
        let mut planner = Iw::new(IwOptions { seed, ..iw() }, Box::new(RamAtoms));
        planner.plan(&mut two_bytes(), &Vec::new(), false, &GO).expect("there is room");
        assert!(planner.tree().nodes.iter().all(|node| node.reward == 0.0));
        let mut planner = RolloutIw::new(RolloutIwOptions { seed, ..rollout() }, Box::new(RamAtoms));
        planner.plan(&mut two_bytes(), &Vec::new(), false, &GO).expect("there is room");
        assert!(planner.tree().nodes[0].pruned, "it ends");
    }
}

#[test]
fn rollouts_that_run_to_the_end_reach_what_iw_reaches() {
    for seed in 0..20 {
        let mut planner = RolloutIw::new(RolloutIwOptions { seed, ..rollout() }, Box::new(RamAtoms));
        planner.plan(&mut one_byte(), &Vec::new(), false, &GO).expect("there is room");
        let nodes = planner.tree().nodes;
        assert!(nodes[0].pruned, "the root is solved");
        // The least depth of every value, which is what the table of depths has converged to.
        let mut depths = BTreeMap::new();
        for (index, node) in nodes.iter().enumerate() {
            let mut path = Vec::new();
            let mut at = index;
            while at != 0 {
                path.insert(0, nodes[at].action as u8);
                at = nodes[at].parent as usize;
            }
            let depth = depths.entry(walk(&path)).or_insert(node.depth);
            *depth = node.depth.min(*depth);
        }
        assert_eq!(depths, breadth_first());
        assert!((nodes[0].value - 1.0).abs() < 1e-9 || nodes[0].value >= 1.0, "77 was reached");
    }
}

#[test]
fn a_solved_root_has_no_unsolved_node_on_the_frontier() {
    let mut planner = RolloutIw::new(rollout(), Box::new(RamAtoms));
    planner.plan(&mut one_byte(), &Vec::new(), false, &GO).expect("there is room");
    let nodes = planner.tree().nodes;
    let parents: BTreeSet<u32> = nodes[1..].iter().map(|node| node.parent).collect();
    for (index, node) in nodes.iter().enumerate() {
        assert!(node.pruned || parents.contains(&(index as u32)), "node {index}");
    }
}

#[test]
fn kept_trees_are_searched_on_and_the_seed_decides_everything() {
    let play = |seed| {
        let mut toy = one_byte();
        let mut planner = RolloutIw::new(
            RolloutIwOptions { seed, budget: Budget::frames(60), ..rollout() },
            Box::new(RamAtoms),
        );
        let mut planner_iw =
            Iw::new(IwOptions { seed, budget: Budget::frames(60), ..iw() }, Box::new(RamAtoms));
        let mut state = Vec::new();
        for _ in 0..8 {
            let action = planner.plan(&mut toy, &state, false, &GO).expect("there is room");
            planner_iw.plan(&mut toy, &state, false, &GO).expect("there is room");
            state.push(action as u8);
            planner.advance(action);
            planner_iw.advance(action);
        }
        (state, planner.stats().frames, planner_iw.stats().frames)
    };
    assert_eq!(play(1), play(1));
    assert!(play(1).2 <= 8 * 60 && play(1).1 <= 8 * 60);
}

#[test]
fn risk_averse_planners_avoid_what_costs() {
    // Action 0: −1, then +10; action 1: nothing.
    let reward: fn(&[u8]) -> f64 = |path| match path {
        [0] => -1.0,
        [0, 0] => 10.0,
        _ => 0.0,
    };
    for (risk_averse, expected) in [(false, 0), (true, 1)] {
        let mut toy = Toy::new(2, reward, |path| path.len() == 3);
        let options = RolloutIwOptions { risk_averse, max_repeats: 0, ..rollout() };
        let mut planner = RolloutIw::new(options, Box::new(RamAtoms));
        assert_eq!(planner.plan(&mut toy, &Vec::new(), false, &GO), Ok(expected));
    }
}

#[test]
fn a_time_limit_ends_the_search() {
    let mut toy = Toy::new(18, |_| 0.0, NEVER);
    toy.ram = |path| {
        (0..128)
            .map(|byte| {
                (path.len() * byte % 251) as u8
                    ^ path.iter().fold(0, |sum: u8, &action| sum.wrapping_mul(5).wrapping_add(action))
            })
            .collect()
    };
    let budget = Budget { frames: None, time: Some(Duration::from_millis(30)) };
    let mut planner = RolloutIw::new(RolloutIwOptions { budget, ..rollout() }, Box::new(RamAtoms));
    let started = Instant::now();
    planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    assert!(started.elapsed() < Duration::from_secs(3));
}
