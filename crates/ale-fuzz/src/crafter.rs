//! Crafter: bytes of games, and calls of a batch of worlds.
//!
//! A game that is read from changed bytes is refused with a reason, or plays. A batch of worlds does what its twin on
//! one thread does, whatever is called.

use ale_batch::{Autoreset, Batch, BatchOptions, Choice, Error, Layout, RecordOf, VectorEnv};
use ale_crafter::{Crafter, Game, Layers, NightNoise, Options, Playing, Sights, Textures};
use ale_sim::bytes::{seal, unseal};

use crate::input::Input;

const KIND: [u8; 8] = *b"crafter ";
const VERSION: u32 = 2;
const ACTIONS: usize = 17;

fn options(input: &mut Input<'_>) -> Options {
    Options {
        area: input.one_of(&[(20, 17), (64, 64), (1, 1), (5, 40)]),
        view: input.one_of(&[(9, 9), (5, 6), (3, 8)]),
        size: input.one_of(&[(27, 30), (64, 64), (21, 19)]),
        length: input.one_of(&[0, 3, 12]),
        noise: input.one_of(&[NightNoise::World, NightNoise::Own]),
    }
}

/// Runs one input.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let options = options(&mut input);
    let options = options.check().unwrap_or(Options { area: options.area, ..Options::default() });
    if input.flag() { bytes(&options, input) } else { calls(options, input) }
}

/// Changes bytes of a game and makes the seal right again.
fn bytes(options: &Options, mut input: Input<'_>) {
    let mut game = Game::new(*options, i64::from(input.byte()));
    let mut layers = Layers::default();
    game.reset_with(&mut layers);
    for _ in 0..input.below(40) {
        game.step(input.below(ACTIONS) as u8);
    }
    let whole = game.to_bytes();
    assert!(Game::from_bytes(&whole).as_ref() == Ok(&game), "a game is its bytes");
    let mut content = unseal(KIND, VERSION, &whole).expect("its own bytes").to_vec();
    while !input.is_empty() {
        let at = usize::from(input.u16()) % content.len();
        content[at] = input.byte();
    }
    match Game::from_bytes(&seal(KIND, VERSION, &content)) {
        Err(error) => assert!(matches!(&error, Error::State(text) if text.len() > 10), "{error:?}"),
        Ok(mut game) if game.episode() > 0 => {
            for action in 0..ACTIONS {
                game.step(action as u8);
            }
            let again = Game::from_bytes(&game.to_bytes());
            assert!(again.as_ref() == Ok(&game), "a game that was read can be written");
            if *game.options() == *options {
                game.reset_with(&mut layers);
            }
        }
        Ok(_) => {}
    }
}

type Worlds = VectorEnv<Crafter>;
type Results = (Result<(), Error>, Batch<RecordOf<Crafter>>);

fn worlds(options: Options, batch: &BatchOptions, count: usize) -> Worlds {
    let sights = Sights { pixels: true, semantic: true, symbolic: true, map: true };
    let layout =
        Layout::new(sights.obs(&options), sights.extra(&options), batch.autoreset == Autoreset::SameStep);
    let playing = Playing::new(&Textures::own(), &options, sights, count);
    let worlds = (0..count as i64).map(|base| Crafter::new(options, base, sights)).collect();
    Worlds::new(worlds, layout, playing, batch).expect("there are some")
}

/// Plays a batch and its twin on one thread.
fn calls(options: Options, mut input: Input<'_>) {
    let count = 1 + input.below(4);
    let autoreset = input.one_of(&[Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled]);
    let batch = |num_threads| BatchOptions { num_threads, autoreset, ..BatchOptions::default() };
    let mut pair = [1, 2].map(|threads| worlds(options, &batch(threads), count));
    let mut kept = None;
    let mut left = 24;
    while left > 0 && !input.is_empty() {
        left -= 1;
        let (kind, first, second) = (input.below(8), input.byte(), input.byte());
        let both = |call: &dyn Fn(&mut Worlds) -> Results, pair: &mut [Worlds; 2]| {
            let [one, two] = pair.each_mut().map(call);
            assert!(one == two, "call {kind}: two threads do what one does");
        };
        match kind {
            0 | 1 => {
                let choice = |index: usize| match (first >> (index % 4)) & 3 {
                    0 => Choice::Leave,
                    1 => Choice::Reset,
                    _ => Choice::Seed((u64::from(second) << 56) | index as u64),
                };
                let choices: Vec<_> =
                    (0..count).map(|i| if kind == 0 { Choice::Reset } else { choice(i) }).collect();
                both(
                    &|env| with_batch(env, |env, batch| env.reset(&choices, batch.rows(), &mut || false)),
                    &mut pair,
                );
            }
            2 => kept = pair[0].snapshot(&[usize::from(first) % count]).ok().or(kept),
            3 => {
                if let Some(snapshot) = &kept {
                    let read = pair[1].parse_snapshot(&snapshot.to_bytes()).expect("its own bytes");
                    let ids = [usize::from(first) % (count + 1)];
                    let results = [pair[0].restore(snapshot, Some(&ids)), pair[1].restore(&read, Some(&ids))];
                    assert_eq!(results[0], results[1]);
                    both(
                        &|env| with_batch(env, |env, batch| env.observe(batch.rows(), &mut || false)),
                        &mut pair,
                    );
                }
            }
            4 => {
                let results = pair.each_mut().map(|env| env.branch(usize::from(first) % (count + 1), &[0]));
                assert_eq!(results[0], results[1]);
            }
            _ => {
                let actions: Vec<_> = (0..count)
                    .map(|index| (usize::from(first) + index * usize::from(second)) % ACTIONS)
                    .collect();
                let actions: Vec<_> = actions.into_iter().map(|action| action as u8).collect();
                both(
                    &|env| with_batch(env, |env, batch| env.step(&actions, batch.rows(), &mut || false)),
                    &mut pair,
                );
            }
        }
    }
}

fn with_batch(
    env: &mut Worlds,
    call: impl Fn(&mut Worlds, &mut Batch<RecordOf<Crafter>>) -> Result<(), Error>,
) -> Results {
    let mut batch = env.new_batch();
    let result = call(env, &mut batch);
    (result, batch)
}

/// Where to begin: games that are changed, and every kind of call.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for choice in 0..4 {
        let head = [choice, choice, choice, choice, choice];
        seeds
            .push([&head[..], &[1, 7, 9, 5, 5, 6, 1, 2, 3, 4, 5, 6, 0, 0, 1, 80, 0, 200, 90, 0, 3]].concat());
        let calls =
            [0, 3, choice, 0, 0, 0, 5, 1, 2, 2, 0, 0, 5, 4, 9, 3, 0, 0, 4, 1, 0, 6, 5, 5, 1, 255, 3, 5, 0, 1];
        seeds.push([&head[..], &calls[..]].concat());
    }
    seeds
}
