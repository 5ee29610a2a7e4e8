//! The replay buffer against its twin: whole states, stored one by one.

use std::collections::HashMap;

use ale_learning::replay::{Batch, Error, Padding, Replay, Shape, Transition};
use proptest::prelude::*;

const FRAME: usize = 3;

fn shape(capacity: usize, stack: usize, streams: usize, padding: Padding) -> Shape {
    Shape { capacity, frame: FRAME, stack, streams, padding }
}

/// Rows of a sample.
struct Sample {
    frames: Vec<u8>,
    actions: Vec<i32>,
    rewards: Vec<f32>,
    terminals: Vec<bool>,
    slots: Vec<u64>,
}

fn sample(replay: &mut Replay, rows: usize) -> Result<Sample, Error> {
    let row = (replay.shape().stack + 1) * replay.shape().frame;
    let mut sample = Sample {
        frames: vec![0xAB; row * rows],
        actions: vec![0; rows],
        rewards: vec![0.0; rows],
        terminals: vec![false; rows],
        slots: vec![0; rows],
    };
    replay.sample(&mut Batch {
        frames: &mut sample.frames,
        actions: &mut sample.actions,
        rewards: &mut sample.rewards,
        terminals: &mut sample.terminals,
        slots: &mut sample.slots,
    })?;
    Ok(sample)
}

/// One transition with whole states, written down when it happens.
#[derive(Clone)]
struct Whole {
    frames: Vec<u8>,
    reward: f32,
    terminal: bool,
}

/// The twin: the play of one stream as episodes of frames.
struct Twin {
    stack: usize,
    padding: Padding,
    episode: Vec<[u8; FRAME]>,
}

impl Twin {
    /// The state whose newest frame is `last` of the episode, and the frame after it.
    fn pair(&self, last: usize) -> Vec<u8> {
        let frame = |index: isize| match (usize::try_from(index), self.padding) {
            (Ok(index), _) => self.episode[index],
            (Err(_), Padding::Zeros) => [0; FRAME],
            (Err(_), Padding::First) => self.episode[0],
        };
        let first = last as isize + 1 - self.stack as isize;
        (first..=last as isize + 1).flat_map(frame).collect()
    }
}

/// A frame that no other step has.
fn marker(stream: usize, step: usize) -> [u8; FRAME] {
    [stream as u8 + 1, (step >> 8) as u8, step as u8]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn samples_are_states_of_one_episode(
        seed in any::<u64>(),
        stack in 1_usize..5,
        streams in 1_usize..4,
        room in 0_usize..40,
        first in any::<bool>(),
        plays in prop::collection::vec((0_usize..4, 0_u8..8), 1..300),
    ) {
        let padding = if first { Padding::First } else { Padding::Zeros };
        let shape = shape((stack + 2) * streams + room, stack, streams, padding);
        let mut replay = Replay::new(shape, seed).expect("accepted");
        let mut twins: Vec<Twin> = (0..streams).map(|_| Twin { stack, padding, episode: Vec::new() }).collect();
        // The action is the number of the step, so that a sampled row names its transition.
        let mut happened: HashMap<i32, Whole> = HashMap::new();
        for (step, &(stream, dice)) in plays.iter().enumerate() {
            let stream = stream % streams;
            let twin = &mut twins[stream];
            if twin.episode.is_empty() || dice == 0 {
                twin.episode = vec![marker(stream, step)];
                replay.begin(stream, &marker(stream, step)).expect("accepted");
                continue;
            }
            let transition =
                Transition { action: step as i32, reward: f32::from(dice), terminal: dice == 7 };
            twin.episode.push(marker(stream, step));
            replay.append(stream, transition, &marker(stream, step)).expect("accepted");
            let frames = twin.pair(twin.episode.len() - 2);
            happened.insert(step as i32, Whole { frames, reward: transition.reward, terminal: dice == 7 });
            if dice == 7 {
                twin.episode.clear();
                prop_assert_eq!(replay.append(stream, transition, &[0; FRAME]), Err(Error::Order { stream }));
            }
        }
        match sample(&mut replay, 64) {
            Ok(rows) => {
                for (index, frames) in rows.frames.chunks_exact((stack + 1) * FRAME).enumerate() {
                    let whole = &happened[&rows.actions[index]];
                    prop_assert_eq!(frames, &whole.frames[..]);
                    prop_assert_eq!(rows.rewards[index].to_bits(), whole.reward.to_bits());
                    prop_assert_eq!(rows.terminals[index], whole.terminal);
                }
            }
            Err(error) => prop_assert_eq!(error, Error::Empty),
        }
    }
}

fn played(seed: u64) -> Replay {
    let mut replay = Replay::new(shape(60, 4, 2, Padding::Zeros), seed).expect("accepted");
    for stream in 0..2 {
        replay.begin(stream, &marker(stream, 0)).expect("accepted");
        for step in 1..50 {
            let transition = Transition { action: step as i32, reward: 1.0, terminal: false };
            replay.append(stream, transition, &marker(stream, step)).expect("accepted");
        }
    }
    replay
}

#[test]
fn every_transition_is_drawn_equally_often() {
    let mut replay = played(3);
    let rows = sample(&mut replay, 54_000).expect("accepted");
    let mut counts: HashMap<u64, u32> = HashMap::new();
    rows.slots.iter().for_each(|&slot| *counts.entry(slot).or_default() += 1);
    // 30 slots a stream: the newest has no transition, the three oldest miss frames of their state.
    assert_eq!(counts.len(), 2 * 26);
    let expected = 54_000.0 / 52.0;
    let chi2: f64 = counts.values().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    assert!(chi2 < 110.0, "chi squared {chi2} with 51 degrees of freedom");
}

#[test]
fn the_same_seed_draws_the_same_rows() {
    let (one, other) =
        (sample(&mut played(5), 32).expect("accepted"), sample(&mut played(5), 32).expect("accepted"));
    assert_eq!(one.slots, other.slots);
    assert_ne!(one.slots, sample(&mut played(6), 32).expect("accepted").slots);
}

#[test]
fn a_saved_buffer_goes_on_as_if_nothing_had_happened() {
    let directory = std::env::temp_dir().join(format!("ale-replay-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("accepted");
    let path = directory.join("replay.bin");
    let mut replay = played(7);
    sample(&mut replay, 5).expect("accepted");
    replay.save(&path).expect("accepted");
    let mut loaded = Replay::load(&path).expect("accepted");
    assert_eq!(loaded.len(), replay.len());
    assert_eq!(
        sample(&mut loaded, 64).expect("accepted").slots,
        sample(&mut replay, 64).expect("accepted").slots
    );

    let bytes = std::fs::read(&path).expect("accepted");
    for place in (0..bytes.len()).step_by(7) {
        let mut broken = bytes.clone();
        broken[place] ^= 0x10;
        std::fs::write(&path, &broken).expect("accepted");
        let error = Replay::load(&path).expect_err("a flipped bit").to_string();
        assert!(error.contains("replay.bin"), "{error}");
    }
    for cut in [0, 5, 12, 80, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..cut]).expect("accepted");
        assert!(Replay::load(&path).is_err());
    }
    std::fs::remove_dir_all(&directory).expect("accepted");
}

#[test]
fn memory_is_taken_as_frames_arrive() {
    let large = Shape { capacity: 1_000_000, frame: 7056, stack: 4, streams: 1, padding: Padding::Zeros };
    let mut replay = Replay::new(large, 0).expect("accepted");
    assert!(replay.bytes() < 10_000_000);
    replay.begin(0, &[1; 7056]).expect("accepted");
    assert!(replay.bytes() < 12_000_000);
}

#[test]
fn mistakes_are_told() {
    let small = Replay::new(shape(4, 4, 1, Padding::Zeros), 0).expect_err("too small").to_string();
    assert_eq!(small, "capacity is 4; accepted: 6 frames and more for this stack");
    let mut replay = Replay::new(shape(20, 4, 2, Padding::Zeros), 0).expect("accepted");
    let transition = Transition::default();
    assert_eq!(replay.append(0, transition, &[0; FRAME]), Err(Error::Order { stream: 0 }));
    assert_eq!(
        replay.begin(2, &[0; FRAME]).expect_err("refused").to_string(),
        "there is no stream 2; accepted: 0 to 1"
    );
    assert_eq!(replay.begin(0, &[0; 4]), Err(Error::Frame { got: 4, wanted: FRAME }));
    assert_eq!(sample(&mut replay, 1).err(), Some(Error::Empty));
}
