use super::{GO, NEVER, scrambled};
use crate::toys::{Toy, exhaustive};
use crate::{Budget, Error, FullTree, FullTreeOptions, Planner};

fn options() -> FullTreeOptions {
    FullTreeOptions {
        budget: Budget::frames(3 + 9 + 27 + 81 + 243 + 729),
        discount: 0.9,
        duplicates: false,
        charge_reused: true,
        max_nodes: 1 << 20,
        seed: 1,
        threads: 1,
    }
}

#[test]
fn a_complete_tree_has_the_value_of_exhaustive_search() {
    for discount in [0.9, 0.999, 1.0] {
        let mut toy = scrambled(3);
        // Ends leave frames over, which go into deeper levels: compare to the depth that is complete.
        toy.over = NEVER;
        let mut planner = FullTree::new(FullTreeOptions { discount, ..options() });
        let action = planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
        assert_eq!((planner.tree().nodes.len(), planner.stats().frames), (1 + 1092, 1092));
        let best = exhaustive(&toy, &mut Vec::new(), 6, discount);
        // The root has no reward, and its best child is one decision away.
        assert!((planner.tree().nodes[0].value - discount * best).abs() < 1e-9);
        let after =
            (toy.reward)(&[action as u8]) + discount * exhaustive(&toy, &mut vec![action as u8], 5, discount);
        assert!((after - best).abs() < 1e-9, "the action begins a best sequence");
    }
}

#[test]
fn a_terminal_counts_its_reward_once_and_is_not_expanded() {
    let mut toy = scrambled(3);
    let mut planner = FullTree::new(options());
    planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    let nodes = planner.tree().nodes;
    let parents: std::collections::HashSet<u32> = nodes[1..].iter().map(|node| node.parent).collect();
    let mut ends = 0;
    for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.over) {
        assert!(!parents.contains(&(index as u32)));
        assert!((node.value - node.reward).abs() < 1e-12);
        ends += 1;
    }
    assert!(ends > 10);
}

#[test]
fn the_budget_is_reached_and_overspent_by_less_than_one_expansion() {
    for frames in [1, 89, 90, 91, 1000, 13_300] {
        let mut toy = Toy::new(18, |_| 0.0, NEVER);
        toy.skip = 5;
        let budget = Budget::frames(frames);
        let mut planner = FullTree::new(FullTreeOptions { budget, ..options() });
        planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
        let spent = planner.stats().frames;
        assert!(spent % 90 == 0 && spent >= frames && spent <= frames + 89, "{spent} of {frames}");
    }
}

#[test]
fn threads_change_nothing() {
    let play = |threads| {
        let mut toy = scrambled(7);
        let budget = Budget::frames(5000);
        let mut planner = FullTree::new(FullTreeOptions { budget, threads, ..options() });
        let mut state = Vec::new();
        let mut trees = Vec::new();
        for _ in 0..4 {
            let action = planner.plan(&mut toy, &state, false, &GO).expect("there is room");
            trees.push(planner.tree().nodes.to_vec());
            state.push(action as u8);
            planner.advance(action);
        }
        (state, trees)
    };
    let one = play(1);
    assert!(one == play(2) && one == play(5));
}

#[test]
fn a_kept_subtree_is_charged_or_not_and_a_wrong_root_is_dropped() {
    for (charge_reused, second) in [(true, 1092 - 363), (false, 1092)] {
        let mut toy = Toy::new(3, |_| 1.0, NEVER);
        let mut planner = FullTree::new(FullTreeOptions { charge_reused, ..options() });
        let action = planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
        planner.advance(action);
        let first = planner.stats().frames;
        planner.plan(&mut toy, &vec![action as u8], false, &GO).expect("there is room");
        assert_eq!((first, planner.stats().frames - first), (1092, second));
        planner.advance(0);
        planner.plan(&mut toy, &vec![2, 2, 2, 2], false, &GO).expect("there is room");
        assert_eq!(planner.tree().nodes.len(), 1093, "a new tree");
    }
}

#[test]
fn duplicates_are_not_expanded_and_a_full_tree_says_so() {
    // Actions 1 and 3 do what 0 and 2 do.
    let mut toy = Toy::new(4, |path| f64::from(path[path.len() - 1] / 2), NEVER)
        .with_ram(|path| path.iter().map(|action| action / 2).collect());
    let budget = Budget::frames(4 * (1 + 2 + 4));
    let mut planner = FullTree::new(FullTreeOptions { duplicates: true, budget, ..options() });
    let action = planner.plan(&mut toy, &Vec::new(), false, &GO).expect("there is room");
    assert_eq!((action, planner.stats().duplicates, planner.stats().depth), (2, 14, 3));
    planner.advance(3);
    assert_eq!(planner.tree().nodes.len(), 1 + 4 + 8, "the subtree of its twin");

    let mut small = FullTree::new(FullTreeOptions { max_nodes: 100, ..options() });
    let error = small.plan(&mut toy, &Vec::new(), false, &GO).expect_err("it needs more");
    assert_eq!(error, Error::TreeFull(100));
    assert!(error.to_string().contains("max_nodes = 100"));
}
