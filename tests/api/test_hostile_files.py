"""Files of strangers: learners, states, checkpoints, replay buffers, episodes. Damage is one kind of error.

The formats of the Rust side are changed under a right checksum here and, guided by coverage, by the fuzz
target `files`.
"""

import gzip
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import AtariEnv, learning, planning
from ale_rs.crafter import load_episode
from ale_rs.replay import ReplayBuffer

pytestmark = pytest.mark.slow

OURS = "glowdelve"
TRIED = 150
POLYNOMIAL = 0xC96C5795D7870F42


def crc64(data: bytes) -> int:
    """CRC-64/XZ, bit by bit."""
    crc = 2**64 - 1
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ POLYNOMIAL * (crc & 1)
    return crc ^ 2**64 - 1


def changes(rng: np.random.Generator, whole: bytes) -> bytes:
    """Some bytes with edges of numbers in them, sometimes cut."""
    data = bytearray(whole)
    for _ in range(rng.integers(1, 4)):
        at = int(rng.integers(len(data)))
        value = [b"\xff" * 8, b"\0" * 8, b"\xff" * 7 + b"\x7f", bytes([rng.integers(256)])][rng.integers(4)]
        data[at : at + len(value)] = value[: len(data) - at]
    return bytes(data[: rng.integers(len(data))] if rng.random() < 0.1 else data)


def resealed(rng: np.random.Generator, whole: bytes) -> bytes:
    """Sealed bytes with a changed content and a right checksum."""
    content = changes(rng, whole[20:-8])
    sealed = whole[:12] + struct.pack("<Q", len(content)) + content
    return sealed + struct.pack("<Q", crc64(sealed))


def refused(call: Callable[[], Any]) -> list[str]:
    """The text of a refusal, if it was one. All other exceptions go on."""
    try:
        call()
    except (ValueError, learning.CheckpointError) as problem:
        return [str(problem)]
    return []


def tried(
    make: Callable[[np.random.Generator], bytes], use: Callable[[Path], Any], path: Path, seed: int
) -> None:
    """Files made from damage: refused with a text that names the file, or used."""
    rng = np.random.default_rng(seed)
    refusals = []
    for _ in range(TRIED):
        path.write_bytes(make(rng))
        refusals += refused(lambda: use(path))
    assert refusals
    assert all(path.name in text for text in refusals), refusals


def played(learner: Any) -> None:
    for round_ in range(3):
        learner.begin(round_) if isinstance(learner, learning.Brute) else learner.begin([round_, 4])
        learner.step(1.0, 1) if isinstance(learner, learning.Brute) else learner.step(1.0, [1, 3])
        learner.end(0.5)


@pytest.mark.parametrize("kind", [learning.Brute, learning.Sarsa])
def test_learners(kind: Any, tmp_path: Path, fresh_seed: int) -> None:
    learner = (
        kind(3)
        if kind is learning.Brute
        else kind(6, 3, step_size=0.5, discount=0.9, trace_decay=0.9, exploration=0.1)
    )
    played(learner)
    learner.save(tmp_path / "good")
    good = (tmp_path / "good").read_bytes()
    assert crc64(good[:-8]) == struct.unpack("<Q", good[-8:])[0]
    tried(
        lambda rng: resealed(rng, good),
        lambda path: played(kind.load(path)),
        tmp_path / "learner",
        fresh_seed,
    )


def test_states(tmp_path: Path, fresh_seed: int) -> None:
    env = AtariEnv(OURS, obs_type="ram")
    env.reset(seed=0)
    states = planning.States(env)
    states.expand([0, 0], [1, 2])
    path = tmp_path / "states"
    states.save(path)
    good = gzip.decompress(path.read_bytes())

    def use(path: Path) -> None:
        found = planning.States.load(path, env)
        if len(found):
            found.expand([0], [3])

    tried(lambda rng: gzip.compress(resealed(rng, good), 1), use, path, fresh_seed)


def test_states_of_a_bomb(tmp_path: Path) -> None:
    env = AtariEnv(OURS, obs_type="ram")
    env.reset(seed=0)
    path = tmp_path / "bomb"
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(200):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    with pytest.raises(ValueError, match="bomb has more than"):
        planning.States.load(path, env, max_states=100)
    assert tracemalloc.get_traced_memory()[1] < 10_000_000
    tracemalloc.stop()


def test_trials(tmp_path: Path, fresh_seed: int) -> None:
    def trial() -> Any:
        return learning.Trial("brute", OURS, frames=2000, parameters={"max_nodes": 50})

    first = trial()
    first.run(lambda episode: None)
    path = tmp_path / "trial"
    first.save(path)
    good = path.read_bytes()
    # The machine is in the middle; what the trial adds is at both ends.
    ends = np.r_[20:400, len(good) - 2000 : len(good) - 8]

    def make(rng: np.random.Generator) -> bytes:
        data = bytearray(good)
        data[int(rng.choice(ends))] = rng.integers(256)
        return bytes(data[:-8]) + struct.pack("<Q", crc64(bytes(data[:-8])))

    def use(path: Path) -> None:
        again = trial()
        again.load(path)
        if not again.done:
            again.run(lambda episode: None)

    rng = np.random.default_rng(fresh_seed)
    for _ in range(20):
        path.write_bytes(make(rng))
        assert all(path.name in text for text in refused(lambda: use(path)))


def test_replay_buffers(tmp_path: Path, fresh_seed: int) -> None:
    buffer = ReplayBuffer(20, (2, 2), stack=2)
    frame = np.ones((2, 2), np.uint8)
    buffer.begin(frame)
    for number in range(30):
        buffer.append(number, 1.0, False, frame)
    path = tmp_path / "buffer"
    buffer.save(path)
    good = path.read_bytes()

    def make(rng: np.random.Generator) -> bytes:
        data = changes(rng, good[:-4])
        return data + struct.pack("<I", zlib.crc32(data))

    def use(path: Path) -> None:
        found = ReplayBuffer.load(path, (2, 2))
        found.begin(frame)
        for number in range(30):
            found.append(number, 1.0, False, frame)
        found.sample(4)

    tried(make, use, path, fresh_seed)


def test_recorded_episodes(tmp_path: Path, fresh_seed: int) -> None:
    path = tmp_path / "episode.npz"
    arrays = {"image": np.zeros((3, 4, 4, 3), np.uint8), "action": np.zeros(3, np.int64)}
    np.savez_compressed(path, **arrays, reward=np.zeros(3), done=np.zeros(3, bool))
    good = path.read_bytes()
    assert len(load_episode(path)["action"]) == 3
    tried(lambda rng: changes(rng, good), load_episode, path, fresh_seed)


def test_an_episode_with_a_password_or_an_unknown_compression(tmp_path: Path) -> None:
    path = tmp_path / "episode.npz"
    for method, flags in ((99, 0), (0, 1)):
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("image.npy", b"x")
        data = bytearray(path.read_bytes())
        for at, offset in ((data.index(b"PK\x03\x04"), 6), (data.index(b"PK\x01\x02"), 8)):
            data[at + offset : at + offset + 4] = struct.pack("<HH", flags, method)
        path.write_bytes(bytes(data))
        with pytest.raises(ValueError, match=r"episode\.npz is no recorded episode"):
            load_episode(path)


def test_an_episode_whose_array_is_bytes(tmp_path: Path) -> None:
    path = tmp_path / "episode.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("image.npx", b"x")
    with pytest.raises(ValueError, match=r"'image.npx' is no array"):
        load_episode(path)


def test_checkpoints_of_deep_agents(tmp_path: Path, fresh_seed: int) -> None:
    deep = pytest.importorskip("ale_rs.deep")
    options: dict[str, Any] = {"network": "dense", "progress": False, "checkpoint_decisions": 40}
    deep.train("dqn_comper100k", "windfall", frames=300, checkpoint=tmp_path, hidden=4, **options)
    place = next(path.parent for path in tmp_path.rglob("numbers.json"))
    rng = np.random.default_rng(fresh_seed)
    for name in ("numbers.json", "state.npz"):
        good = (place / name).read_bytes()
        for _ in range(30):
            (place / name).write_bytes(changes(rng, good))
            for text in refused(lambda: deep.load(place)):
                assert str(place) in text or "accepted" in text, text
        (place / name).write_bytes(good)
    deep.load(place)


def test_memories_of_comper(tmp_path: Path, fresh_seed: int) -> None:
    memory = pytest.importorskip("ale_rs.deep.memory")
    picture = np.ones((4, 4), np.uint8)
    groups = [[memory.Transition(picture, 1, 0.5, picture, 0.25, False)] * size for size in (1, 3)]
    path = tmp_path / "memory.npz"
    memory.save(path, groups)
    assert [len(group) for group in memory.load(path)] == [1, 3]
    good = path.read_bytes()
    tried(lambda rng: changes(rng, good), memory.load, path, fresh_seed)
