//! State bytes: refused with a reason and nothing changed, or a state that runs and can be saved.

use std::cell::RefCell;

use ale_core::env::{Env, State};
use ale_core::vector::{self, VectorEnv};
use ale_core::{Action, Console, Error};
use ale_sim::bytes::crc64;
use md5::{Digest, Md5};

use crate::input::Input;
use crate::worlds;

/// Machines whose states are changed, with good bytes of them.
struct Worlds {
    consoles: Vec<(Tiers, Vec<u8>)>,
    envs: Vec<(Env, Vec<u8>, Vec<u8>)>,
    vector: (VectorEnv, Vec<u8>),
}

impl Worlds {
    fn new() -> Self {
        let with_bytes = |console: Console| {
            let bytes = console.save_bytes();
            (Tiers::of(console), bytes)
        };
        let with_both = |env: Env| {
            let (state, snapshot) = (env.save_state(true).to_bytes(), env.snapshot().to_bytes());
            (env, state, snapshot)
        };
        let vector = worlds::vector_env();
        let bytes = vector.snapshot(&[0, 1]).expect("it was reset").to_bytes();
        Self {
            consoles: worlds::consoles().into_iter().map(with_bytes).collect(),
            envs: worlds::envs().into_iter().map(with_both).collect(),
            vector: (vector, bytes),
        }
    }
}

/// A console whose program runs as JIT code where there is a JIT, and copies of it on the two interpreters.
struct Tiers {
    jit: Console,
    threaded: Console,
}

impl Tiers {
    fn of(jit: Console) -> Self {
        let mut threaded = jit.clone();
        threaded.set_jit(false);
        Self { jit, threaded }
    }

    /// All three after these bytes. The third draws pixel by pixel, in the reference interpreter.
    fn restored(&self, bytes: &[u8]) -> [Console; 3] {
        let mut all = [self.jit.clone(), self.threaded.clone(), self.jit.clone()];
        for console in &mut all {
            console.restore_bytes(bytes).expect("bytes that were accepted before");
        }
        all[2].set_literal_drawing(true);
        all
    }
}

thread_local! {
    static WORLDS: RefCell<Worlds> = RefCell::new(Worlds::new());
}

/// Runs one input.
///
/// # Panics
/// When a promise is broken.
pub(crate) fn run(data: &[u8]) {
    WORLDS.with_borrow_mut(|worlds| {
        let mut input = Input::new(data);
        let (kind, which, style) = (input.byte(), input.byte(), input.byte());
        let which = usize::from(which);
        match kind % 8 {
            0..=3 => {
                let len = worlds.consoles.len();
                let (tiers, good) = &mut worlds.consoles[which % len];
                restore_console(tiers, &changed(good, style, input));
            }
            4 | 5 => {
                let len = worlds.envs.len();
                let (env, good, _) = &mut worlds.envs[which % len];
                restore_state(env, &changed(good, style, input));
            }
            6 => {
                let len = worlds.envs.len();
                let (env, _, good) = &mut worlds.envs[which % len];
                restore_snapshot(env, &changed(good, style, input));
            }
            _ => {
                let (env, good) = &mut worlds.vector;
                restore_vector(env, good, &changed(good, style, input));
            }
        }
    });
}

/// Other bytes: what came as it is, or changes to good bytes with all checksums made right.
fn changed(good: &[u8], style: u8, mut input: Input<'_>) -> Vec<u8> {
    if style.is_multiple_of(16) {
        return input.rest().to_vec();
    }
    let mut bytes = good.to_vec();
    while !input.is_empty() {
        let (what, at) = (input.byte(), usize::from(input.u16()));
        // Most of the fields of a console are near its start.
        let at = if what & 0x80 == 0 { at % bytes.len().max(1) } else { at % 600.min(bytes.len().max(1)) };
        match what % 8 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at.min(bytes.len()), input.byte()),
            2 if at < bytes.len() => _ = bytes.remove(at),
            3 => put(&mut bytes, at, &[0xFF; 4]),
            4 => put(&mut bytes, at, &[0xFF, 0xFF, 0xFF, 0x7F]),
            5 => put(&mut bytes, at, &[0, 0, 0, 0x80]),
            6 => put(&mut bytes, at, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
            _ => put(&mut bytes, at, &[input.byte()]),
        }
    }
    if style % 16 != 1 {
        seal(&mut bytes);
    }
    bytes
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    let end = (at + value.len()).min(bytes.len());
    if at < end {
        bytes[at..end].copy_from_slice(&value[..end - at]);
    }
}

/// Makes the checksums right: of every console inside, of every environment around one, and of the whole.
fn seal(bytes: &mut [u8]) {
    for at in find(bytes, b"ARCS") {
        seal_console(&mut bytes[at..]);
    }
    for at in find(bytes, b"ALERS") {
        let len = at.checked_sub(8).and_then(|before| bytes[before..at].first_chunk().copied());
        let len = len.map_or(usize::MAX, |len| u64::from_le_bytes(len) as usize);
        let end = at.saturating_add(len).min(bytes.len());
        if let Some((content, checksum)) = bytes[at..end].split_last_chunk_mut::<16>() {
            *checksum = Md5::digest(content).into();
        }
    }
    if bytes.starts_with(b"ale-rs v") {
        seal_vector(bytes);
    }
}

/// Kind, version, length of the content, content, checksum of all before it.
fn seal_vector(bytes: &mut [u8]) {
    const AROUND: usize = 28;
    let Some(len) = bytes.len().checked_sub(AROUND) else { return };
    bytes[12..20].copy_from_slice(&(len as u64).to_le_bytes());
    if let Some((content, checksum)) = bytes.split_last_chunk_mut() {
        *checksum = crc64(content).to_le_bytes();
    }
}

fn find(bytes: &[u8], magic: &[u8]) -> Vec<usize> {
    let first = |&(_, &byte): &(usize, &u8)| byte == magic[0];
    let places = bytes.iter().enumerate().filter(first).map(|(at, _)| at);
    places.filter(|&at| bytes[at..].starts_with(magic)).collect()
}

fn seal_console(bytes: &mut [u8]) {
    const HEAD: usize = 26;
    const TAIL: usize = 8;
    let Some(len) = bytes.get(6..10).and_then(|len| len.first_chunk()) else { return };
    let len = (u32::from_le_bytes(*len) as usize).saturating_add(HEAD).min(bytes.len().saturating_sub(TAIL));
    // Bytes that were taken out or put in make another length.
    if let Some(body) = len.checked_sub(HEAD) {
        bytes[6..10].copy_from_slice(&(body as u32).to_le_bytes());
    }
    let (content, tail) = bytes.split_at_mut(len);
    let hash = content.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    tail[..TAIL].copy_from_slice(&hash.to_le_bytes());
}

fn explained(error: &Error) {
    assert!(matches!(error, Error::State(_) | Error::Batch(_)) && error.to_string().len() > 20, "{error:?}");
}

fn restore_console(tiers: &mut Tiers, bytes: &[u8]) {
    let console = &mut tiers.jit;
    let before = console.clone();
    if let Err(error) = console.restore_bytes(bytes) {
        explained(&error);
        assert!(*console == before, "a refused state changed the console: {error}");
        return;
    }
    let saved = console.save_bytes();
    let [mut twin, mut threaded, mut literal] = tiers.restored(&saved);
    let console = &mut tiers.jit;
    for frame in 0..2 {
        for console in [&mut *console, &mut twin, &mut threaded, &mut literal] {
            console.run_frame();
        }
        for (name, other) in [("threaded", &threaded), ("reference", &literal)] {
            assert_eq!(console.ram(), other.ram(), "RAM on the {name} interpreter, frame {frame}");
            assert!(console.machine() == other.machine(), "the {name} interpreter, frame {frame}");
        }
    }
    assert!(*console == twin, "restored again it goes on otherwise");
    console.make_sound(&mut [0; 512]);
    console.system_reset();
    console.run_frame();
    console.clone_from(&before);
}

fn restore_state(env: &mut Env, bytes: &[u8]) {
    let state = match State::from_bytes(bytes) {
        Ok(state) => state,
        Err(error) => return explained(&error),
    };
    assert_eq!(state.to_bytes(), bytes, "a state is its bytes");
    let before = env.snapshot();
    match env.restore_state(&state) {
        Err(error) => {
            explained(&error);
            assert!(
                env.save_state(true) == before.env().save_state(true),
                "a refused state changed it: {error}"
            );
        }
        Ok(()) => go_on(env),
    }
    env.restore(&before).expect("its own snapshot");
}

fn restore_snapshot(env: &mut Env, bytes: &[u8]) {
    let before = env.snapshot();
    match env.restore_bytes(bytes) {
        Err(error) => {
            explained(&error);
            assert!(env.snapshot().to_bytes() == before.to_bytes(), "a refused snapshot changed it: {error}");
        }
        Ok(()) => go_on(env),
    }
    env.restore(&before).expect("its own snapshot");
}

/// Plays on, saves in between, resets.
fn go_on(env: &mut Env) {
    let mut twin = env.clone();
    twin.restore_bytes(&env.snapshot().to_bytes()).expect("its own bytes");
    for action in [Action::RightFire, Action::Noop] {
        assert_eq!(env.act(action, 1.0), twin.act(action, 1.0));
    }
    assert!(env.screen() == twin.screen() && env.ram() == twin.ram());
    assert!(env.save_state(true) == twin.save_state(true), "from bytes it goes on otherwise");
    _ = env.palette();
    _ = (env.lives(), env.terminal(), env.truncated());
}

fn restore_vector(env: &mut VectorEnv, good: &[u8], bytes: &[u8]) {
    let snapshot = match env.parse_snapshot(bytes) {
        Ok(snapshot) => snapshot,
        Err(vector::Error::Env { .. }) => return,
        Err(error) => {
            assert!(matches!(&error, vector::Error::State(text) if text.len() > 20), "{error:?}");
            return;
        }
    };
    let now = env.parse_snapshot(good).expect("good bytes");
    if env.restore(&snapshot, None).is_ok() {
        let again = snapshot.to_bytes();
        env.parse_snapshot(&again).expect("its own bytes");
        let mut batch = env.new_batch();
        for _ in 0..2 {
            env.step(&[(Action::Fire, 1.0); 2], batch.rows(), &mut || false).expect("all are ready");
        }
    }
    env.restore(&now, None).expect("good bytes");
}

/// Where to begin: good states, states with one field at its limit, and no states at all.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![Vec::new(), vec![0, 0, 0], b"\0\0\0ARCS".to_vec(), b"\x04\0\0ALERS\x01".to_vec()];
    for kind in 0..8 {
        for which in 0..if kind < 4 { 6 } else { 5 } {
            seeds.push(vec![kind, which + kind * 6, 2]);
            for (what, at) in
                [(3, 30), (4, 100), (5, 300), (6, 500), (7, 2000), (0, 4000), (0x84, 20), (0x86, 60)]
            {
                let [low, high] = (at as u16 + u16::from(which)).to_le_bytes();
                seeds.push(vec![kind, which, 2, what, low, high, 0xFF]);
            }
        }
    }
    seeds
}
