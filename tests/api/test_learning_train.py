"""`learning.train`, `ale-rs train` and the learners: results, resuming, refusals."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ale_rs import learning
from ale_rs.cli import main
from ale_rs.evaluation import Episode, LogError, load

pytestmark = pytest.mark.slow

OWN = "glowdelve"


def played(agent: str, game: str = OWN, **options: Any) -> list[Episode]:
    records: list[Episode] = []
    assert learning.Trial(agent, game, **options).run(records.append)
    return records


def test_the_hand_case_of_sarsa() -> None:
    for seed in range(1000):
        learner = learning.Sarsa(
            3, 2, step_size=0.5, discount=0.9, trace_decay=0.5, exploration=1.0, seed=seed
        )
        if learner.begin([0, 2]) == 0 and learner.step(1.0, [1, 2]) == 1:
            break
    assert learner.q([0]).tolist() == [0.25, 0.0]
    learner.end(2.0)
    assert learner.q(np.array([0])) == pytest.approx([0.475, 0.0])
    assert learner.q([2]) == pytest.approx([0.475, 0.5])
    assert learner.q([1], counts=[3]) == pytest.approx([0.0, 1.5])


@pytest.mark.parametrize(("features", "frames"), [("ram", 6000), ("lsh", 12_000), ("blob-prost", 25_000)])
def test_trials_of_sarsa_repeat_and_continue_bit_for_bit(features: str, frames: int, tmp_path: Path) -> None:
    whole = played("sarsa", features=features, frames=frames)
    assert whole == played("sarsa", features=features, frames=frames)
    records: list[Episode] = []
    first = learning.Trial("sarsa", OWN, features=features, frames=frames)
    first.run(records.append, until=lambda: len(records) > 0)
    first.save(tmp_path / "trial")
    assert 0 < len(records) < len(whole)
    second = learning.Trial("sarsa", OWN, features=features, frames=frames)
    second.load(tmp_path / "trial")
    second.run(records.append)
    assert records == whole
    assert first.size[0] > 0


@pytest.mark.parametrize("game", ["glowdelve", "windfall"])
def test_the_brute_skips_what_it_knows_and_its_records_stay_the_same(game: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"protocol": "machado2018_deterministic", "frames": 30_000}
    plain = played("brute", game, **options, parameters={"skip_known": False})
    assert played("brute", game, **options) == plain
    records: list[Episode] = []
    first = learning.Trial("brute", game, **options)
    first.run(records.append, until=lambda: len(records) > 5)
    first.save(tmp_path / "trial")
    second = learning.Trial("brute", game, **options)
    second.load(tmp_path / "trial")
    second.run(records.append)
    assert records == plain


def test_the_brute_learns_a_deterministic_game_and_not_a_sticky_one() -> None:
    """A short form of the second paper's point: our own game, 200,000 frames."""
    sure = played("brute", protocol="machado2018_deterministic", frames=200_000)
    sticky = played("brute", protocol="machado2018", frames=60_000)
    chance = played("random", frames=60_000)
    last, odd, even = ([episode.score for episode in records[-30:]] for records in (sure, sticky, chance))
    error = np.hypot(np.std(last), np.std(even)) / np.sqrt(30)
    assert np.mean(last) - np.mean(even) > 3 * error
    assert np.mean(odd) - np.mean(even) < 0.5 * (np.mean(last) - np.mean(even))


def test_a_tree_that_is_full_says_so() -> None:
    trial = learning.Trial("brute", OWN, frames=20_000, parameters={"max_nodes": 100})
    trial.run(lambda episode: None)
    assert trial.size == (100, True)
    with pytest.warns(UserWarning, match="seed 0: the tree has reached max_nodes = 100 and grew no further"):
        learning.train("brute", OWN, frames=20_000, parameters={"max_nodes": 100}, progress=False)


def test_learners_can_be_saved_and_damage_is_refused(tmp_path: Path) -> None:
    brute = learning.Brute(4, seed=3)
    for number in range(50):
        brute.begin(0)
        brute.step(1.0, number % 3)
        brute.end(0.0)
    brute.save(tmp_path / "brute")
    twin = learning.Brute.load(tmp_path / "brute")
    assert [twin.begin(0) for _ in range(50)] == [brute.begin(0) for _ in range(50)]
    assert np.isneginf(brute.q()).any()
    for wrong in (learning.Sarsa, learning.Brute):
        (tmp_path / "wrong").write_bytes(b"something else" * 10)
        with pytest.raises(ValueError, match="another kind of data"):
            wrong.load(tmp_path / "wrong")


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda s: s.begin([7]), "feature 7 does not exist; accepted: 0 to 2"),
        (lambda s: s.begin([-1]), "accepted: 0 to 4294967295"),
        (lambda s: s.begin([0.5]), "a list of whole numbers"),
        (lambda s: s.begin([[0]]), "a list of whole numbers"),
        (lambda s: s.begin([0], counts=[1, 2]), "2 counts for 1 features"),
    ],
)
def test_features_that_make_no_sense_are_refused(call: Any, reason: str) -> None:
    learner = learning.Sarsa(3, 2, step_size=0.5, discount=0.9, trace_decay=0.5, exploration=0.1)
    with pytest.raises(ValueError, match=reason):
        call(learner)


@pytest.mark.parametrize(
    ("agent", "options", "reason"),
    [
        ("sarsa", {}, "needs features"),
        ("sarsa", {"features": "blob-prosd"}, 'did you mean "blob-prost"'),
        ("sarsa", {"features": "ram", "parameters": {"color_averaging": True}}, "no picture"),
        ("sarsa", {"features": "blob-prost", "parameters": {"shuffled": True}}, "shuffled"),
        ("sarsa", {"features": "ram", "parameters": {"step_sise": 1}}, 'did you mean "step_size"'),
        ("brute", {"features": "ram"}, "no features"),
        ("brute", {"parameters": {"exploration": "b3"}}, "'a', 'b2'"),
        ("brute", {"parameters": {"max_nodes": 0}}, "accepted: 1"),
        ("random", {"seeds": (1, 1)}, "different numbers"),
        ("random", {"checkpoint": -1}, "0 and more"),
    ],
)
def test_combinations_that_make_no_sense_are_refused(
    agent: str, options: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=reason):
        learning.train(agent, OWN, **{"frames": 1000, "progress": False, **options})


def test_trials_side_by_side_are_those_one_after_the_other(tmp_path: Path) -> None:
    options: dict[str, Any] = {"features": "ram", "frames": 3000, "seeds": (0, 1, 2), "progress": False}
    one = learning.train("sarsa", OWN, threads=1, **options)
    two = learning.train("sarsa", OWN, threads=2, out=tmp_path, **options)
    assert [log.episodes for log in one] == [log.episodes for log in two]
    assert all(log.complete for log in load(tmp_path))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jsonl")}
    again = learning.train("sarsa", OWN, out=tmp_path, **options)
    assert [log.episodes for log in again] == [log.episodes for log in one]
    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jsonl")}
    with pytest.raises(LogError, match="another directory"):
        learning.train("sarsa", OWN, out=tmp_path, **{**options, "frames": 50_000})


TRAIN = [
    sys.executable, "-m", "ale_rs", "train", "perturb:UP", "--game", OWN, "--frames", "500k",
    "--checkpoint", "0.2",
]  # fmt: skip


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupted_run_goes_on_and_its_log_has_the_same_bytes(
    how: signal.Signals, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    subprocess.run([*TRAIN, "--out", whole], check=True, capture_output=True)
    process = subprocess.Popen(
        [*TRAIN, "--out", broken], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not list(broken.rglob("*.checkpoint")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(how)
    code = process.wait(60)
    (log,) = broken.rglob("*.jsonl")
    (expected,) = whole.rglob("*.jsonl")
    if code != 0:
        assert code == (-9 if how == signal.SIGKILL else 130)
        assert list(broken.rglob("*.checkpoint"))
        assert log.read_bytes() != expected.read_bytes()
    subprocess.run([*TRAIN, "--out", broken], check=True, capture_output=True)
    assert log.read_bytes() == expected.read_bytes()
    assert not list(broken.rglob("*.checkpoint"))


def test_the_command_prints_a_row_for_each_trial_and_draws_a_curve(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "random", "--game", OWN, "--frames", "5k", "--seeds", "2", "--out", str(tmp_path)]
    assert main([*command, "--curve", str(tmp_path / "curve.svg")]) == 0
    text = capsys.readouterr().out
    assert "mean of last 100" in text
    assert len([line for line in text.splitlines() if line[:1] in "01"]) == 2
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    assert main(["train", "rndom", "--game", OWN]) == 1
    assert 'did you mean "random"' in capsys.readouterr().err
    assert main([*command, "--set", "decision_frames"]) == 1
    with pytest.raises(SystemExit):
        main(["train", "random", "--game", OWN, "--frames", "many"])
