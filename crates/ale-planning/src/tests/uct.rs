use super::{GO, NEVER, scrambled};
use crate::toys::{Toy, scramble};
use crate::{Planner, Uct, UctOptions, ucb};

fn options() -> UctOptions {
    UctOptions {
        simulations: 500,
        depth: 60,
        exploration: 0.1,
        discount: 0.999,
        duplicates: true,
        max_nodes: 1 << 20,
        seed: 1,
        threads: 1,
    }
}

#[test]
fn ucb_prefers_the_less_visited_of_two_like_means() {
    let (first, second) = (ucb(0.5, 6, 10, 0.1), ucb(0.52, 4, 10, 0.1));
    assert!((first - 0.5619).abs() < 1e-4 && (second - 0.5959).abs() < 1e-4, "{first} {second}");
}

#[test]
fn returns_are_discounted_once_a_level() {
    let rewards: fn(&[u8]) -> f64 = |path| [1.0, 2.0, 4.0, 8.0][path.len() - 1];
    let mut toy = Toy::new(1, rewards, NEVER);
    let mut planner = Uct::new(UctOptions { simulations: 2, depth: 4, discount: 0.5, ..options() });
    planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    let sums: Vec<f64> = planner.tree().nodes.iter().map(|node| node.value).collect();
    // The second simulation: rollout 4 + 8 / 2 = 8, leaf 6, its parent 4, root 2. The first gave 4 and 2, too.
    assert_eq!(sums, [2.0 + 2.0, 4.0 + 4.0, 6.0]);
}

#[test]
fn a_distant_reward_wins_over_a_decoy() {
    let reward: fn(&[u8]) -> f64 = |path| match path {
        [0] => 0.3,
        [1, 1, 1, ..] if path.len() == 6 => 1.0,
        _ => 0.0,
    };
    let right = (0..100).filter(|&seed| {
        let mut toy = Toy::new(3, reward, |path| path.len() == 6);
        let mut planner = Uct::new(UctOptions { seed, depth: 6, exploration: 2.0, ..options() });
        planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room") == 1
    });
    let right = right.count();
    assert!(right >= 95, "{right} of 100");
}

#[test]
fn visits_concentrate_on_the_best_arm() {
    // Arms of means 0.2, 0.5, 0.8 whose rewards depend on what is played after.
    let reward: fn(&[u8]) -> f64 = |path| match path {
        [arm, _] => f64::from(u8::from(scramble(path) < 20 + 30 * u64::from(*arm % 3))),
        _ => 0.0,
    };
    let mut toy = Toy::new(12, reward, |path| path.len() == 2);
    let mut planner = Uct::new(UctOptions { depth: 2, exploration: 0.5, ..options() });
    let action = planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    assert_eq!(action % 3, 2);
    let nodes = planner.tree().nodes;
    let best: u32 =
        nodes.iter().filter(|node| node.depth == 1 && node.action % 3 == 2).map(|node| node.visits).sum();
    assert!(best > 300, "{best} of 500");
}

#[test]
fn a_fresh_tree_keeps_its_invariants() {
    let mut toy = scrambled(4);
    let mut planner = Uct::new(UctOptions { depth: 5, ..options() });
    planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    let nodes = planner.tree().nodes;
    let mut below = vec![0; nodes.len()];
    nodes[1..].iter().for_each(|node| below[node.parent as usize] += node.visits);
    assert_eq!((nodes[0].visits, below[0]), (500, 500));
    for (node, below) in nodes.iter().zip(&below).skip(1) {
        assert!(node.depth <= 5);
        if *below > 0 {
            assert_eq!(node.visits, 1 + below);
        }
        if node.visits > 0 {
            let mean = node.value / f64::from(node.visits);
            assert!(mean.abs() <= 5.0 * 60.0, "within the returns there are");
        }
    }
    assert_eq!(planner.stats().depth, 5);
}

#[test]
fn reuse_leaves_fewer_simulations_and_a_wrong_root_none() {
    let mut toy = scrambled(4);
    toy.over = NEVER;
    let mut planner = Uct::new(options());
    let action = planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    planner.advance(action);
    let kept = planner.tree().nodes[0].visits;
    let (nodes, horizon) =
        (planner.stats().nodes, planner.tree().nodes.iter().filter(|node| node.depth == 60).count());
    planner.plan(&mut toy, &vec![action as u8], false, &GO).expect("there is room");
    assert!(kept > 125 && horizon == 0);
    assert_eq!(planner.stats().nodes - nodes, u64::from(500 - kept), "a new node each");
    planner.advance(0);
    planner.plan(&mut toy, &vec![3, 3, 3], false, &GO).expect("there is room");
    let below: u32 = planner.tree().nodes.iter().filter(|node| node.depth == 1).map(|node| node.visits).sum();
    assert_eq!(below, 500, "a new tree");
}

#[test]
fn duplicates_cost_frames_but_no_simulations() {
    let toy = || {
        Toy::new(6, |path| f64::from(path[path.len() - 1] / 2), NEVER)
            .with_ram(|path| path.iter().map(|action| action / 2).collect())
    };
    let run = |duplicates| {
        let mut planner = Uct::new(UctOptions { duplicates, depth: 3, simulations: 200, ..options() });
        planner.plan(&mut toy(), &Vec::new(), false, &GO).expect("there is room");
        let tree = planner.tree().nodes;
        let children = tree.iter().filter(|node| node.depth == 1 && !node.duplicate).count();
        (children, planner.stats().duplicates, tree[0].visits)
    };
    let (children, found, visits) = run(true);
    assert_eq!((children, visits), (3, 200));
    assert!(found >= 3);
    assert_eq!(run(false), (6, 0, 200));
}

#[test]
fn the_seed_decides_everything() {
    let play = |seed, threads| {
        let mut toy = scrambled(6);
        toy.over = NEVER;
        let mut planner = Uct::new(UctOptions { seed, threads, simulations: 100, depth: 8, ..options() });
        let (mut state, mut trees) = (Vec::new(), Vec::new());
        for _ in 0..10 {
            let action = planner.plan(&mut toy, &state, false, &GO).expect("there is room");
            trees.push(planner.tree().nodes.to_vec());
            state.push(action as u8);
            planner.advance(action);
        }
        (state, trees)
    };
    assert!(play(1, 1) == play(1, 1) && play(1, 1) != play(2, 1));
    assert!(play(3, 2) == play(3, 2), "root-parallel search is a function of seed and threads");
}

#[test]
fn a_root_that_has_ended_gets_some_action_and_no_search() {
    let mut planner = Uct::new(options());
    assert!(planner.plan(&mut scrambled(4), &vec![1], true, &GO).expect("nothing to do") < 4);
    assert_eq!(planner.stats().frames, 0);
}
