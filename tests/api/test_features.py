"""`ale_rs.features`: shapes, errors, batches, backgrounds. The sets meet their twins in Rust."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ale_rs import _png, _survey, cli, features
from ale_rs.env import AtariEnv
from ale_rs.vector_env import AtariVectorEnv

SIZES = {
    "basic": 28_672, "bass": 1_606_528, "ram": 524_800, "lsh": 100_000, "b-pros": 6_885_440,
    "b-prost": 20_598_848, "blob-prost": 114_702_400,
}  # fmt: skip


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALE_RS_CACHE", str(tmp_path_factory.getbasetemp() / "survey"))


def small(name: str) -> features.FeatureSet:
    if name in ("basic", "bass"):
        return features.SETS[name](features.background("glowdelve", screens=500))
    if name == "disco":
        return features.Disco(classes())
    return features.SETS[name]()


def classes() -> features.Classes:
    return features.discover("glowdelve", screens=2000)


def played(count: int = 12) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    env = AtariEnv("glowdelve", frameskip=5)
    env.reset(seed=3)
    env.action_space.seed(3)
    screens, rams = [], []
    for _ in range(count):
        env.step(env.action_space.sample())
        screens.append(env.ale.getScreen().copy())
        rams.append(env.ale.getRAM().copy())
    return np.array(screens), np.array(rams)


@pytest.mark.parametrize("name", SIZES)
def test_every_set_has_its_size_and_describes_what_is_on(name: str) -> None:
    fs = small(name)
    assert len(fs) == SIZES[name]
    screens, rams = played(3)
    for data in rams if name == "ram" else screens:
        on = fs(data)
        assert on.dtype == np.uint32
        assert len(np.unique(on)) == len(on)
        assert on.max() <= len(fs) - 1 + fs.has_bias
        assert all(fs.describe(int(index)) for index in on[:50])
    with pytest.raises(IndexError, match="there is no feature"):
        fs.describe(len(fs) + 1)
    with pytest.raises(IndexError, match="-1"):
        fs.describe(-1)
    if fs.has_bias:
        assert fs.describe(len(fs)) == ("bias",)


@pytest.mark.parametrize("name", features.SETS)
@pytest.mark.parametrize("threads", [0, 1, 5])
def test_a_batch_is_an_episode_screen_by_screen(name: str, threads: int) -> None:
    screens, rams = played()
    data = rams if name == "ram" else screens
    one, other = small(name), small(name)
    expected = [one(screen) for screen in data]
    found = features.batch(other, data, threads)
    assert len(found) == len(data)
    for index, indices in enumerate(expected):
        np.testing.assert_array_equal(found[index], indices)
        if isinstance(indices, features.Counted):
            assert found.counts is not None
            counts = found.counts[found.offsets[index] : found.offsets[index + 1]]
            np.testing.assert_array_equal(counts, indices.counts)
    assert (found.counts is not None) == (name == "disco")
    assert found.offsets.dtype == np.int64


def test_a_set_for_each_screen_remembers_its_own_environment() -> None:
    screens, _ = played(8)
    sets = [features.BlobProst() for _ in range(4)]
    twins = [features.BlobProst() for _ in range(4)]
    for stack in (screens[:4], screens[4:]):
        found = features.batch(sets, stack)
        for index, twin in enumerate(twins):
            np.testing.assert_array_equal(found[index], twin(stack[index]))
    with pytest.raises(ValueError, match="twice"):
        features.batch([sets[0]] * 4, screens[:4])
    with pytest.raises(ValueError, match="3 inputs for 4 sets"):
        features.batch(sets, screens[:3])


def test_a_vector_environment_gives_screens_of_indices_for_a_batch() -> None:
    env = AtariVectorEnv("glowdelve", 3, obs_type="indices", frameskip=5)
    observations, _ = env.reset(seed=1)
    sets = [features.BlobProst() for _ in range(3)]
    twins = [features.BlobProst() for _ in range(3)]
    for _ in range(4):
        found = features.batch(sets, observations)
        for index, twin in enumerate(twins):
            np.testing.assert_array_equal(found[index], twin(observations[index]))
        observations = env.step(np.zeros(3, np.int64))[0]
    env.close()


def test_facts_are_tuples_of_words_and_numbers() -> None:
    screen = np.zeros((230, 160), np.uint8)
    screen[100:104, 50:54] = 30
    fs = features.BlobProst()
    first = {fs.describe(int(index)) for index in fs(screen)}
    assert ("basic", 15, 14, 12) in first
    assert ("space", 0, 15, 0, 7) in first
    assert ("bias",) in first
    second = {fs.describe(int(index)) for index in fs(screen)}
    assert ("time", 15, 15, 0, 0) in second - first
    fs.reset()
    assert {fs.describe(int(index)) for index in fs(screen)} == first


def test_wrong_inputs_are_refused_with_what_came_and_what_is_accepted() -> None:
    blob = features.BlobProst()
    for wrong in (np.zeros((209, 160), np.uint8), np.zeros((210, 160, 3), np.uint8), np.zeros(128, np.uint8)):
        with pytest.raises(ValueError, match=r"shape .*accepted.*210, 160"):
            blob(wrong)
    with pytest.raises(TypeError, match=r"float32.*accepted.*uint8"):
        blob(np.zeros((210, 160), np.float32))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="list"):
        blob([[0]])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"\[127\].*128 bytes"):
        features.Ram()(np.zeros(127, np.uint8))
    for make in (features.Basic, features.Bass, features.BPros, features.BProst):
        with pytest.raises(ValueError, match=r"background of shape \[100, 160\]"):
            make(np.zeros((100, 160), np.uint8))
    with pytest.raises(ValueError, match="did you mean 'blob-prost'"):
        features.make("blobprost", "pong")
    with pytest.raises(ValueError, match="threads is -1; accepted: 0 and more"):
        features.batch(blob, np.zeros((1, 210, 160), np.uint8), -1)
    with pytest.raises(ValueError, match="seed is -1; accepted: 0 to"):
        features.Lsh(seed=-1)
    with pytest.raises(TypeError, match="seed is 'x', a str"):
        features.Lsh(seed="x")  # type: ignore[arg-type]


def test_screens_in_any_memory_order_are_accepted() -> None:
    screens, _ = played(1)
    expected = features.BlobProst()(screens[0])
    np.testing.assert_array_equal(features.BlobProst()(np.asfortranarray(screens[0])), expected)
    assert len(features.batch(features.BlobProst(), np.zeros((0, 210, 160), np.uint8))) == 0


def test_a_background_is_kept_on_disk_and_depends_on_its_arguments_only() -> None:
    first = features.background("windfall", screens=400, seed=1)
    assert first.shape == (210, 160)
    assert first.dtype == np.uint8
    np.testing.assert_array_equal(first, features.background("windfall", screens=400, seed=1))
    moved = features.background("windfall", screens=400, seed=1, trajectory=[3] * 2000)
    assert moved.shape == first.shape
    for screens in (-3, 0, 70_000):
        with pytest.raises(ValueError, match=f"screens is {screens}; accepted: 1 to 65535"):
            features.background("windfall", screens=screens)
    with pytest.raises(ValueError, match="0 to 17"):
        features.background("windfall", screens=10, trajectory=[18])


def test_classes_are_kept_on_disk_and_survive_pickle_and_damage(tmp_path: Path) -> None:
    found = classes()
    assert 0 < len(found) <= 10
    assert found == classes() == pickle.loads(pickle.dumps(found))
    assert hash(found) == hash(classes())
    assert found.background.shape == (210, 160)
    assert all(shape.any() for shapes in found for shape in shapes)
    with pytest.raises(IndexError, match=f"no class {len(found)}"):
        found[len(found)]
    with pytest.raises(ValueError, match="cut off or changed"):
        features.Classes.from_bytes(found.to_bytes()[:-1])
    kept = next(path for path in cache_files() if path.name.startswith("classes-"))
    kept.write_bytes(kept.read_bytes()[:100])
    assert classes() == found
    with pytest.raises(ValueError, match="screens is 1; accepted: 2 to"):
        features.discover("glowdelve", screens=1)


def cache_files() -> list[Path]:
    return sorted(_survey.directory().iterdir())


def test_disco_has_counts_and_no_features_without_classes() -> None:
    fs = features.Disco(classes())
    count = len(fs.classes)
    assert len(fs) == count * 649 + count * (count - 1) // 2 * 2592
    screens, _ = played(4)
    for screen in screens:
        on = fs(screen)
        assert on.counts.shape == on.shape
        assert on.counts.min() >= 1
    words = {fs.describe(int(index))[0] for index in on}
    assert words <= {"absent", "position", "relation"}
    with pytest.raises(TypeError, match=r"not ndarray; features\.discover"):
        features.Disco(np.zeros((210, 160)))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", features.SETS)
def test_every_set_draws_its_features(name: str, tmp_path: Path) -> None:
    screens, rams = played(2)
    fs, twin = small(name), small(name)
    for number, data in enumerate(rams if name == "ram" else screens):
        path = tmp_path / f"{number}.png"
        features.draw(fs, data, path)
        picture = _png.decode(path.read_bytes())
        assert picture.shape[0] >= 200
        twin(data)
    # Drawing is a call of the set: both remember the same screen.
    last = (rams if name == "ram" else screens)[0]
    np.testing.assert_array_equal(fs(last), twin(last))


def test_the_command_draws_a_picture_and_refuses_unknown_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.png"
    given = ["features", "glowdelve", "--set", "b-prost", "--steps", "5", "--out", str(out)]
    assert cli.main(given) == 0
    assert "b-prost: 20,598,848 features" in capsys.readouterr().out
    assert _png.decode(out.read_bytes()).shape[:2] == (840, 976)
    assert cli.main(["features", "glowdelve", "--set", "blob"]) == 1
    assert "did you mean 'blob-prost'" in capsys.readouterr().err
