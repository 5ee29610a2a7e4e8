use std::sync::atomic::AtomicBool;

use ale_sim::Model;

use super::{GO, NEVER, scrambled};
use crate::toys::Toy;
use crate::{
    Budget, Error, Expanded, FullTree, FullTreeOptions, Iw, IwOptions, Planner, RamAtoms, RolloutIw,
    RolloutIwOptions, States, Uct, UctOptions, deduplicate,
};

fn store(threads: usize) -> States<Toy> {
    let mut states = States::new(scrambled(5), threads, 100, 1);
    assert_eq!(states.add(Vec::new(), false), Ok(0));
    states
}

#[test]
fn rows_are_decisions_of_the_model_on_any_number_of_threads() {
    let actions: Vec<usize> = (0..40).map(|row| row % 5).collect();
    let run = |threads| {
        let mut states = store(threads);
        let mut rows = vec![0; 40 * 2];
        let observe = |model: &Toy, row: &mut [u8]| row.copy_from_slice(&[model.ram()[0], 7]);
        let first = states.expand(&[0; 40], &actions, &mut rows, observe).expect("there is room");
        let deeper = states.expand(&[3; 40], &actions, &mut [], |_, _| ()).expect("there is room");
        (
            rows,
            first,
            deeper,
            (0..states.len()).map(|number| states.state(number).cloned()).collect::<Vec<_>>(),
        )
    };
    let (rows, Expanded { first, outcomes }, deeper, stored) = run(1);
    assert_eq!((first, deeper.first, stored.len()), (1, 41, 81));
    for (row, &action) in actions.iter().enumerate() {
        let mut model = scrambled(5);
        assert_eq!(model.act(action), outcomes[row]);
        assert_eq!(rows[2 * row..2 * row + 2], [action as u8, 7]);
        assert_eq!(stored[first + row], Some(vec![action as u8]));
        assert_eq!(stored[deeper.first + row], Some(vec![2, action as u8]));
    }
    assert!(run(3) == (rows, Expanded { first, outcomes }, deeper, stored));
}

#[test]
fn a_full_store_says_so_and_stays_as_it_is() {
    let mut states = store(2);
    let refused = states.expand(&[0; 100], &[0; 100], &mut [], |_, _| ());
    assert_eq!((refused, states.len()), (Err(Error::StoreFull(100)), 1));
    states.expand(&[0; 99], &[0; 99], &mut [], |_, _| ()).expect("there is room");
    assert_eq!(states.add(Vec::new(), true), Err(Error::StoreFull(100)));
    states.keep(&[5, 0]);
    assert_eq!((states.len(), states.state(1)), (2, Some(&Vec::new())));
}

#[test]
fn equal_records_get_one_number() {
    let records = [vec![1], vec![2, 3], vec![1], Vec::new(), vec![2, 3]];
    let (different, order) = deduplicate(records.iter().cloned());
    assert_eq!((different.len(), order.clone()), (3, vec![0, 1, 0, 2, 1]));
    assert!(records.iter().zip(order).all(|(record, number)| *record == different[number as usize]));
}

#[test]
fn a_search_that_is_stopped_says_so_and_drops_its_tree() {
    let stop = AtomicBool::new(true);
    let mut toy = Toy::new(3, |_| 0.0, NEVER);
    let budget = Budget::frames(1000);
    let (max_nodes, seed, threads, discount) = (10_000, 1, 1, 1.0);
    let full = FullTreeOptions {
        budget,
        discount,
        duplicates: false,
        charge_reused: true,
        max_nodes,
        seed,
        threads,
    };
    let uct = UctOptions {
        simulations: 9,
        depth: 9,
        exploration: 0.1,
        discount,
        duplicates: true,
        max_nodes,
        seed,
        threads,
    };
    let iw = IwOptions { budget, discount, max_branch: 100, max_nodes, seed, threads };
    let rollout = RolloutIwOptions {
        budget,
        discount,
        max_depth: 9,
        max_repeats: 3,
        max_kept: 100,
        max_nodes,
        risk_averse: false,
        seed,
    };
    let planners: [Box<dyn Planner<Toy>>; 4] = [
        Box::new(FullTree::new(full)),
        Box::new(Uct::new(uct)),
        Box::new(Iw::new(iw, Box::new(RamAtoms))),
        Box::new(RolloutIw::new(rollout, Box::new(RamAtoms))),
    ];
    for mut planner in planners {
        assert_eq!(planner.plan(&mut toy, &Vec::new(), false, &stop), Err(Error::Stopped));
        assert!(planner.tree().nodes.is_empty());
        assert!(planner.plan(&mut toy, &Vec::new(), false, &GO).is_ok(), "another search works");
    }
}

#[test]
fn threads_change_nothing_for_iw() {
    let play = |threads| {
        let mut toy = scrambled(6);
        toy.ram = |path| {
            let sum = path.iter().fold(0, |sum: u8, action| sum.wrapping_mul(7).wrapping_add(*action));
            vec![sum, path.len() as u8]
        };
        let budget = Budget::frames(400);
        let options =
            IwOptions { budget, discount: 0.9, max_branch: 80, max_nodes: 10_000, seed: 2, threads };
        let mut planner = Iw::new(options, Box::new(RamAtoms));
        let (mut state, mut trees) = (Vec::new(), Vec::new());
        for _ in 0..4 {
            let action = planner.plan(&mut toy, &state, false, &GO).expect("there is room");
            trees.push(planner.tree().nodes.to_vec());
            state.push(action as u8);
            planner.advance(action);
        }
        (state, trees)
    };
    assert!(play(1) == play(2) && play(1) == play(5));
}
