//! The batch runner with a world of a few lines: what it does equals a naive loop, whatever the threads do.

mod support;

use ale_batch::{Autoreset, Batch, BatchOptions, Choice, Error};
use support::{Naive, Rules, WalkRecord, Walks, action, seeds, walks};

const STEPS: usize = 80;
const MODES: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];

fn never() -> impl FnMut() -> bool {
    || false
}

fn rules() -> Rules {
    Rules { limit: 19, nanoseconds: 100 }
}

/// Rows of episodes that went on hold what they held before.
fn same(got: &Batch<WalkRecord>, expected: &Batch<WalkRecord>) -> bool {
    let rows = got.records.len();
    let ended = (0..rows).filter(|&row| got.records[row].last.is_some());
    let same_last = |row: usize| {
        let part = |batch: &Batch<WalkRecord>| batch.final_obs[0][4 * row..][..4].to_vec();
        part(got) == part(expected)
    };
    got.obs == expected.obs
        && got.extra == expected.extra
        && got.records == expected.records
        && ended.into_iter().all(same_last)
}

#[test]
fn every_mode_with_any_number_of_threads_equals_the_naive_loop() {
    for autoreset in MODES {
        for (num_threads, shared_pool, affinity, nanoseconds) in [
            (1, false, None, 100),
            (2, false, None, 100),
            (2, true, None, 100),
            (2, false, Some(usize::MAX), 100),
            (2, false, None, u64::MAX),
        ] {
            let rules = Rules { nanoseconds, ..rules() };
            let options = BatchOptions {
                num_threads,
                shared_pool,
                thread_affinity_offset: affinity,
                autoreset,
                ..Default::default()
            };
            let mut env = walks(7, rules.clone(), &options);
            let mut naive = Naive::new(7, rules, autoreset);
            let mut batch = env.new_batch();
            env.reset(&seeds(7), batch.rows(), &mut never()).expect("a full reset");
            assert!(same(&batch, &naive.reset(&seeds(7))), "{options:?}");
            let mut ends = 0;
            for step in 0..STEPS {
                if autoreset == Autoreset::Disabled {
                    let over = |index: usize| naive.worlds[index].1;
                    let mask: Vec<_> =
                        (0..7).map(|index| if over(index) { Choice::Reset } else { Choice::Leave }).collect();
                    env.reset(&mask, batch.rows(), &mut never()).expect("those that are over");
                    assert!(same(&batch, &naive.reset(&mask)), "{options:?}, mask before step {step}");
                }
                let actions: Vec<_> = (0..7).map(|index| action(index, step)).collect();
                env.step(&actions, batch.rows(), &mut never()).expect("all are ready");
                assert!(same(&batch, &naive.step(&actions)), "{options:?}, step {step}");
                ends += batch.records.iter().filter(|record| record.terminated).count();
            }
            assert!(ends > 7, "only {ends} episodes ended by themselves");
        }
    }
}

#[test]
fn small_batches_bring_each_world_where_the_naive_loop_has_it() {
    let options = BatchOptions { batch_size: 2, num_threads: 2, ..Default::default() };
    let mut env = walks(5, rules(), &options);
    let mut naive = Naive::new(5, rules(), Autoreset::NextStep);
    let mut expected = vec![naive.reset(&seeds(5))];
    for step in 0..STEPS {
        expected.push(naive.step(&(0..5).map(|index| action(index, step)).collect::<Vec<_>>()));
    }
    env.send_reset(&seeds(5)).expect("all are reset");
    let mut steps = [0; 5];
    let mut batch = env.new_batch();
    while steps.iter().all(|&step| step < STEPS) {
        env.recv(batch.rows(), &mut never()).expect("work is in flight");
        let mut actions = Vec::new();
        for (row, record) in batch.records.iter().enumerate() {
            let index = record.env_id as usize;
            let twin = &expected[steps[index]];
            assert_eq!(*record, twin.records[index]);
            assert_eq!(batch.obs[0][4 * row..][..4], twin.obs[0][4 * index..][..4]);
            actions.push(action(index, steps[index]));
            steps[index] += 1;
        }
        env.send(None, &actions).expect("they have come back");
    }
}

fn play(env: &mut Walks, from: usize, to: usize) -> Batch<WalkRecord> {
    let mut batch = env.new_batch();
    for step in from..to {
        let actions: Vec<_> = (0..env.num_envs()).map(|index| action(index, step)).collect();
        env.step(&actions, batch.rows(), &mut never()).expect("all are ready");
    }
    batch
}

#[test]
fn snapshots_come_back_from_memory_and_from_bytes_and_branches_are_copies() {
    let mut env = walks(4, rules(), &BatchOptions::default());
    let mut batch = env.new_batch();
    env.reset(&seeds(4), batch.rows(), &mut never()).expect("a full reset");
    play(&mut env, 0, 20);
    let snapshot = env.snapshot(&[0, 1, 2, 3]).expect("all are idle");
    let expected = play(&mut env, 20, 60);
    env.restore(&snapshot, None).expect("its own");
    assert!(play(&mut env, 20, 60) == expected);
    let bytes = snapshot.to_bytes();
    let mut other = walks(4, rules(), &BatchOptions::default());
    let read = other.parse_snapshot(&bytes).expect("its own bytes");
    other.restore(&read, None).expect("all of them, so that no reset is needed");
    assert!(play(&mut other, 20, 60) == expected);

    env.branch(0, &[2]).expect("of the same kind");
    let refused = env.branch(0, &[2, 1]).expect_err("another kind");
    assert_eq!(refused, Error::State("another kind of walk".to_owned()));
    env.observe(batch.rows(), &mut never()).expect("all are idle");
    assert_eq!(batch.obs[0][..4], batch.obs[0][8..12]);
}

#[test]
fn every_flipped_bit_and_every_cut_of_a_snapshot_is_refused_and_changes_nothing() {
    let mut env = walks(2, rules(), &BatchOptions::default());
    let mut batch = env.new_batch();
    env.reset(&seeds(2), batch.rows(), &mut never()).expect("a full reset");
    let bytes = env.snapshot(&[0, 1]).expect("all are idle").to_bytes();
    let refused = |bytes: &[u8]| matches!(env.parse_snapshot(bytes), Err(Error::State(_)));
    for bit in 0..8 * bytes.len() {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(refused(&changed), "bit {bit}");
    }
    assert!((0..bytes.len()).all(|len| refused(&bytes[..len])));
    assert!(refused(b"PNG, or another file that is no snapshot"));
    // Version 1 began with its number and had no letters.
    let text = env.parse_snapshot(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 9]).map(|_| ()).expect_err("old").to_string();
    assert_eq!(text, "\"ale-rs v\" has version 1; accepted: 2");
    assert_eq!(ale_batch::check_sealed(&bytes), Ok(vec![0, 1]));
    let before = batch.clone();
    env.observe(batch.rows(), &mut never()).expect("all are idle");
    assert!(batch.obs == before.obs);
}

#[test]
fn a_panic_is_an_error_of_one_world_and_the_next_step_starts_it_anew() {
    for num_threads in [1, 2] {
        let mut env = walks(5, rules(), &BatchOptions { num_threads, ..Default::default() });
        let mut batch = env.new_batch();
        env.reset(&seeds(5), batch.rows(), &mut never()).expect("a full reset");
        env.break_next(3).expect("there is one");
        let result = env.step(&[1; 5], batch.rows(), &mut never());
        assert!(
            matches!(&result, Err(Error::Worker(text)) if text.contains("sub-environment 3")),
            "{result:?}"
        );
        env.step(&[1; 5], batch.rows(), &mut never()).expect("it begins again");
        assert_eq!(batch.records.iter().map(|record| record.now).collect::<Vec<_>>(), [2, 2, 2, 0, 2]);
    }
}

#[test]
fn memory_of_another_size_and_calls_out_of_order_are_refused_at_once() {
    let mut env = walks(3, rules(), &BatchOptions { num_threads: 2, ..Default::default() });
    let mut batch = env.new_batch();
    let step = |env: &mut Walks, batch: &mut Batch<WalkRecord>| env.step(&[0; 3], batch.rows(), &mut never());
    assert!(matches!(step(&mut env, &mut batch), Err(Error::Order(_))));
    env.reset(&seeds(3), batch.rows(), &mut never()).expect("a full reset");
    let mut small = env.new_batch();
    small.obs[0].pop();
    assert!(matches!(step(&mut env, &mut small), Err(Error::Count(_))));
    small.obs[0].extend([0; 5]);
    assert!(matches!(step(&mut env, &mut small), Err(Error::Count(_))));
    assert!(matches!(env.reset(&seeds(2), batch.rows(), &mut never()), Err(Error::Count(_))));
    step(&mut env, &mut batch).expect("nothing has changed");
    assert!(batch.records.iter().all(|record| record.now == 1));
}

#[test]
fn calls_that_write_all_rows_are_refused_when_a_batch_has_fewer() {
    let mut env = walks(3, rules(), &BatchOptions { batch_size: 2, ..Default::default() });
    let mut batch = env.new_batch();
    let refused =
        |result: Result<(), Error>| matches!(&result, Err(Error::Config(text)) if text.contains("2 of 3"));
    assert!(refused(env.reset(&seeds(3), batch.rows(), &mut never())));
    env.send_reset(&seeds(3)).expect("all are reset");
    env.recv(batch.rows(), &mut never()).expect("two of them");
    assert!(refused(env.step(&[0; 2], batch.rows(), &mut never())));
}

#[test]
fn a_call_that_is_interrupted_poisons_the_batch_until_a_full_reset() {
    let mut env = walks(3, rules(), &BatchOptions { num_threads: 1, ..Default::default() });
    let mut batch = env.new_batch();
    env.reset(&seeds(3), batch.rows(), &mut never()).expect("a full reset");
    assert_eq!(env.step(&[0; 3], batch.rows(), &mut || true), Err(Error::Interrupted));
    let result = env.step(&[0; 3], batch.rows(), &mut never());
    assert!(matches!(&result, Err(Error::Order(text)) if text.contains("interrupted")), "{result:?}");
    env.reset(&seeds(3), batch.rows(), &mut never()).expect("a full reset helps");
    env.step(&[0; 3], batch.rows(), &mut never()).expect("all are ready");
}

/// The second look finds no free workspace, as a caller may whose worker has not yet put its own back.
#[test]
fn a_look_without_a_free_workspace_does_not_wait_for_itself() {
    let mut env = walks(2, rules(), &BatchOptions { num_threads: 1, ..Default::default() });
    let mut batch = env.new_batch();
    env.reset(&seeds(2), batch.rows(), &mut never()).expect("a full reset");
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(env.look_at(1, |_, _| env.look_at(0, |_, _| 7))));
    let looked = wait.recv_timeout(std::time::Duration::from_secs(30)).expect("it has ended");
    assert_eq!(looked, Ok(Ok(7)));
}
