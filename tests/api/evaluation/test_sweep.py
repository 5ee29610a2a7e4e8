"""Sweeps: the same bytes however the jobs are run, wherever they were interrupted."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ale_rs import evaluation as ev
from ale_rs.evaluation import executors, jobs, sweep
from api.evaluation import sweeping
from api.evaluation.sweeping import GAME, rules, tree

AGENTS: dict[str, Callable[..., Any]] = {
    "learner": sweeping.learner,
    "forgetful": sweeping.forgetful,
    "pictures": sweeping.pictures,
    "planner": sweeping.planner,
    "native": sweeping.native,
}
PAIRS = [
    ("training", "random"), ("training", "learner"), ("training", "forgetful"), ("training", "pictures"),
    ("training", "native"), ("training", "noop"), ("evaluation", "random"), ("evaluation", "learner"),
    ("evaluation", "planner"), ("evaluation", "uct"), ("both", "learner"), ("both", "perturb:FIRE"),
    ("crafter_short", "random"), ("training", "sarsa:basic"), ("training", "brute"),
]  # fmt: skip


def spec(name: str) -> ev.AgentSpec:
    target = AGENTS.get(name)
    if name == "uct":
        return ev.agent(name, {"simulations": 2, "depth_frames": 20})
    return ev.agent(name) if target is None else ev.agent(target, as_name=name)


def run(directory: Path, protocol: str, agent: str, out: str, **options: Any) -> ev.SweepResult:
    game = "crafter" if protocol.startswith("crafter") else GAME
    found = rules(directory, protocol)
    return ev.evaluate([spec(agent)], found, [game], out=directory / out, **options)


class Cut(BaseException):
    """The process ends here."""


def test_a_finished_trial_leaves_no_cut_off_records(tmp_path: Path) -> None:
    assert run(tmp_path, "training", "learner", "out").complete
    whole = tree(tmp_path / "out")
    log = next((tmp_path / "out").rglob("*.jsonl"))
    left = log.with_name(log.name + ".partial")  # a kill came after the last line of the log
    left.write_bytes(log.read_bytes()[:400])
    assert run(tmp_path, "training", "learner", "out").complete
    assert tree(tmp_path / "out") == whole


@pytest.mark.parametrize(("protocol", "agent"), PAIRS)
def test_a_sweep_cut_anywhere_gives_the_bytes_of_an_undisturbed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str, agent: str
) -> None:
    monkeypatch.setattr(jobs, "CHECKPOINT_FRAMES", 1_500)
    assert run(tmp_path, protocol, agent, "whole").complete
    whole = tree(tmp_path / "whole")
    take = sweep._Driver.take
    count = 0

    def until(job_driver: Any, job: ev.Job, message: Any) -> None:
        nonlocal count
        count -= 1
        if count < 0:
            raise Cut
        take(job_driver, job, message)

    monkeypatch.setattr(sweep._Driver, "take", until)
    for attempt in range(20):
        count = 3 + 4 * attempt
        try:
            result = run(tmp_path, protocol, agent, "cut")
        except Cut:
            half = next((tmp_path / "cut").rglob("*.jsonl"))
            if not half.read_bytes().splitlines()[-1].startswith(b'{"kind":"end"'):
                with half.open("ab") as file:
                    file.write(b'{"kind":"epis')  # a write that was interrupted
            continue
        break
    assert result.complete
    assert tree(tmp_path / "cut") == whole
    again = run(tmp_path, protocol, agent, "cut")
    assert (again.played, again.failed) == (0, ())
    assert tree(tmp_path / "cut") == whole


def test_worker_processes_write_the_same_bytes(tmp_path: Path) -> None:
    agents = [ev.agent("random"), ev.agent("api.evaluation.sweeping:learner", as_name="learner")]
    found = rules(tmp_path, "training")
    for workers in (1, 2):
        result = ev.evaluate(agents, found, [GAME], out=tmp_path / str(workers), workers=workers)
        assert (result.played, result.failed) == (4, ())
    assert tree(tmp_path / "1") == tree(tmp_path / "2")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_broken_trial_does_not_stop_the_others(tmp_path: Path, workers: int) -> None:
    found = rules(tmp_path, "training")
    job = ev.jobs_of("random", found, [GAME])[1]
    config = {"seed": ev.agent_seed(job.key)}
    agent = ev.agent("api.evaluation.sweeping:broken", config, as_name="broken")
    result = ev.evaluate([agent], found, [GAME], out=tmp_path / "runs", workers=workers)
    assert (result.played, result.complete) == (1, False)
    assert result.failed == (ev.Failure("training/broken/glowdelve/s1", "RuntimeError: out of paper"),)
    assert '"error": "RuntimeError: out of paper"' in (tmp_path / "runs" / "errors.jsonl").read_text()
    assert ev.load(tmp_path / "runs").logs[0].complete


def dies(*_: Any) -> Any:
    os._exit(9)


def test_a_worker_that_dies_is_told_and_replaced(tmp_path: Path) -> None:
    agents = [ev.agent("api.evaluation.test_sweep:dies", as_name="dies"), ev.agent("random")]
    result = ev.evaluate(agents, rules(tmp_path, "training"), [GAME], out=tmp_path / "runs", workers=2)
    assert [failure.error for failure in result.failed] == ["its worker process ended with code 9"] * 2
    assert result.played == 2


def test_two_drivers_on_one_directory_are_refused(tmp_path: Path) -> None:
    inner: list[str] = []

    def factory(*_: Any) -> Any:
        with pytest.raises(ev.LogError, match="another sweep works on this directory"):
            run(tmp_path, "evaluation", "random", "runs")
        inner.append("refused")
        return sweeping.learner(*_)

    ev.evaluate([ev.agent(factory)], rules(tmp_path, "evaluation"), [GAME], out=tmp_path / "runs", trials=1)
    assert inner


def test_a_finished_trial_with_other_settings_is_not_taken_for_this_one(tmp_path: Path) -> None:
    assert run(tmp_path, "evaluation", "random", "runs").complete
    before = tree(tmp_path / "runs")
    found = rules(tmp_path, "evaluation")
    other = dataclasses.replace(found, env={**found.env, "frameskip": 4})
    result = ev.evaluate("random", other, [GAME], out=tmp_path / "runs", trials=1)
    assert "is a finished trial with another env" in result.failed[0].error
    (tmp_path / "runs" / "errors.jsonl").unlink()
    assert tree(tmp_path / "runs") == before


def test_agents_meet_the_same_seeds_and_logs_say_how_they_observe(tmp_path: Path) -> None:
    for agent in ("noop", "pictures"):
        run(tmp_path, "evaluation", agent, "runs", trials=1)
    runs = ev.load(tmp_path / "runs")
    seeds = {log.run.agent: [episode.seed for episode in log.episodes] for log in runs}
    key = ev.job_key("evaluation", GAME)
    assert seeds["noop"] == seeds["pictures"] == [ev.episode_seed(key, e) for e in range(4)]
    pipelines = {log.run.agent: log.run.agent_config["pipeline"] for log in runs}
    assert pipelines["noop"] == {"obs_type": "ram"}
    assert pipelines["pictures"] == sweeping.pictures.pipeline  # type: ignore[attr-defined]


def test_the_random_agent_of_2013_decides_on_every_frame(tmp_path: Path) -> None:
    found = dataclasses.replace(ev.protocol("bellemare2013"), score={"episodes": 1})
    ev.evaluate("random", found, [GAME], out=tmp_path, trials=1)
    (log,) = ev.load(tmp_path)
    assert log.run.agent_config["decision_frames"] == 1
    assert log.episodes[0].steps == log.episodes[0].frames
    assert found.scores([log]).rows[0].score == log.episodes[0].score


def test_training_stops_with_the_episode_that_crosses(tmp_path: Path) -> None:
    run(tmp_path, "training", "random", "runs", trials=1)
    (log,) = ev.load(tmp_path / "runs")
    assert log.episodes[-1].total_frames >= 6_000 > log.episodes[-2].total_frames
    assert [episode.seed is None for episode in log.episodes[:3]] == [False, True, True]


def test_crafter_episodes_have_their_achievements(tmp_path: Path) -> None:
    run(tmp_path, "crafter_short", "random", "runs")
    (log,) = ev.load(tmp_path / "runs")
    assert all(len(episode.achievements or {}) == 22 for episode in log.episodes)
    (row,) = rules(tmp_path, "crafter_short").scores([log]).rows
    assert row.score is not None


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("rnadom", 'unknown agent "rnadom", did you mean "random"'),
        ("const", 'needs an action: "const:FIRE"'),
        ("const:FIER", 'unknown action "FIER", did you mean "FIRE"'),
        ("sarsa", 'needs its features: "sarsa:blob-prost"'),
        ("random:3", "takes nothing after the colon"),
        ("no_such_module:agent", "there is no module no_such_module"),
        ("api.evaluation.sweeping:lerner", 'unknown factory "lerner", did you mean "learner"'),
    ],
)
def test_an_unknown_agent_is_refused_with_the_nearest(text: str, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        ev.agent(text)


@pytest.mark.parametrize(
    ("pipeline", "match"),
    [
        ({"obs_typ": "ram"}, 'unknown key "obs_typ", did you mean "obs_type"'),
        ({"obs_type": "rma"}, 'unknown obs_type "rma", did you mean "ram"'),
        ({"obs_type": "ram", "stack_num": 4}, 'stack_num needs obs_type "frames"'),
        ({"decision_frames": 0}, "decision_frames is 0, accepted: an int from 1 on"),
    ],
)
def test_a_wrong_pipeline_is_refused_before_anything_is_played(
    tmp_path: Path, pipeline: dict[str, Any], match: str
) -> None:
    def factory(*_: Any) -> None: ...

    factory.pipeline = pipeline  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match=match):
        ev.evaluate(factory, rules(tmp_path, "training"), [GAME], out=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_the_37_baselines() -> None:
    names = [each.name for each in ev.baselines()]
    assert (len(names), len(set(names))) == (37, 37)
    assert names[0] == "random"
    assert names[2] == "const:FIRE"


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
@pytest.mark.parametrize("workers", [1, 2])
def test_kill_9_loses_nothing(tmp_path: Path, workers: int) -> None:
    found = rules(tmp_path, "training")
    path = tmp_path / "training.toml"
    path.write_text(path.read_text().replace("6_000", "24_000"))
    found = ev.protocol(path)
    ev.evaluate("random", found, [GAME], out=tmp_path / "whole")
    command = [sys.executable, "-m", "ale_rs", "evaluate", "random", "--protocol", str(path), "--games", GAME]
    command += ["--out", str(tmp_path / "cut"), "--workers", str(workers), "--quiet"]
    for _ in range(2):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        before = size(tmp_path / "cut")
        while size(tmp_path / "cut") < before + 700 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "failed" not in done.stdout
    assert tree(tmp_path / "cut") == tree(tmp_path / "whole")


def size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*.jsonl"))


def test_the_chunks_of_a_stream_are_in_order() -> None:
    ticks = [jobs.Tick(n) for n in range(1_000)]
    chunks = list(executors._chunks(ticks))
    assert [tick for chunk in chunks for tick in chunk] == ticks
    assert max(map(len, chunks)) <= executors.CHUNK_MESSAGES
