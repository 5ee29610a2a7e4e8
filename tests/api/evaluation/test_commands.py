"""`ale-rs evaluate` and its relatives: output, exit codes, progress, cost."""

import io
import re
from pathlib import Path

import pytest

from ale_rs import evaluation as ev
from ale_rs.cli import main
from ale_rs.evaluation import _status, cost
from api.evaluation.sweeping import GAME, rules

ROOT = Path(__file__).parents[3]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_evaluate_plays_scores_and_does_nothing_the_second_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules(tmp_path, "training")
    command = ["evaluate", "random", "--protocol", str(tmp_path / "training.toml"), "--games", GAME]
    command += ["--out", str(tmp_path / "runs")]
    assert main([*command, "--quiet"]) == 0
    said = capsys.readouterr()
    assert "2 trials played, 0 finished before" in said.out
    assert re.search(rf"random +{GAME} +6000 +[\d.,-]+ +[\d.,]+ +2 of 2 +3", said.out)
    assert said.err == ""
    assert main(command) == 0
    assert "0 trials played, 2 finished before" in capsys.readouterr().out
    assert main([*command, "--estimate"]) == 0
    assert capsys.readouterr().out == "every trial is finished; nothing is left to play\n"
    # The protocol is kept beside the logs, so that they can be scored by themselves.
    (tmp_path / "training.toml").unlink()
    assert main(["score", str(tmp_path / "runs"), "--quick"]) == 0
    assert main(["check", str(tmp_path / "runs")]) == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnadom"], 'did you mean "random"'),
        (["random", "--protocol", "machado2081"], 'did you mean "machado2018"'),
        (["random", "--games", "pnog"], 'did you mean "pong"'),
        (["random", "--games", "crafter"], "is one of atari, crafter is not"),
        (["random", "--trials", "0"], "trials is 0, accepted: 1 and more"),
        (["random", "--workers", "0"], "--workers is 0, accepted: 1 and more"),
        (["random", "--config", "frames"], "accepted: KEY=VALUE"),
        (["baselines", "--name", "x"], "baselines are 37 agents"),
    ],
)
def test_wrong_arguments_end_with_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["evaluate", *arguments, "--out", str(tmp_path / "runs")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_a_failed_trial_ends_with_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules(tmp_path, "training")
    command = ["evaluate", "api.evaluation.sweeping:broken", "--name", "broken", "--games", GAME, "--quiet"]
    command += ["--protocol", str(tmp_path / "training.toml"), "--out", str(tmp_path / "runs")]
    assert main(command) == 3
    said = capsys.readouterr()
    assert "failed: training/broken/glowdelve/s0: RuntimeError: out of paper" in said.err
    assert "0 trials played, 0 finished before, 2 failed (see errors.jsonl)" in said.out


def test_the_baselines_become_a_reference_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one.toml"
    rules(tmp_path, "evaluation")
    path.write_text((tmp_path / "evaluation.toml").read_text().replace("episodes = 4", "episodes = 1"))
    command = ["evaluate", "baselines", "--protocol", str(path), "--games", GAME, "--trials", "1", "--quiet"]
    assert main([*command, "--out", str(tmp_path / "runs")]) == 0
    table = tmp_path / "runs" / "one.baselines.csv"
    assert f"{table}: the reference set of --normalise baseline" in capsys.readouterr().out
    assert len(ev.read_scores(table)) == 37
    given = ["score", str(tmp_path / "runs"), "--normalise", "baseline", "--baselines", str(table), "--quick"]
    assert main(given) == 0
    assert "agent (baseline)" in capsys.readouterr().out


def test_the_cost_of_a_sweep_is_frames_over_speed(tmp_path: Path) -> None:
    found = rules(tmp_path, "training")
    listed = ev.jobs_of("random", found, [GAME], trials=10)
    told = cost.estimate_cost(listed, workers=2, seconds=0.2)
    assert (told.trials, told.frames, told.exact, told.workers) == (10, 60_000, True, 2)
    assert told.seconds == pytest.approx(60_000 / told.frames_per_second / 2)
    assert str(told).startswith("10 trials, 60,000 frames; ")
    assert not cost.estimate_cost(ev.jobs_of("noop", rules(tmp_path, "evaluation"), [GAME])).exact


def test_progress_is_a_line_per_trial_on_a_terminal_and_plain_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_status, "REDRAW_SECONDS", 0.0)
    monkeypatch.setattr(_status, "PLAIN_SECONDS", 0.0)
    (job, *_) = ev.jobs_of("random", rules(tmp_path, "training"), [GAME])
    for out in (Terminal(), io.StringIO()):
        status = _status.Status(2, out=out)
        status.begin(job, 0, 0.0)
        status.advance(job, 3_000, 0.5)
        status.finish(job)
        status.close()
        shown = out.getvalue()
        assert "0 of 2 trials, 25.0 %" in shown
        assert ("random glowdelve s0" in shown) == out.isatty()
        assert ("\033[" in shown) == out.isatty()
    quiet = Terminal()
    status = _status.Status(2, quiet=True, out=quiet)
    status.begin(job, 0, 0.0)
    status.advance(job, 3_000, 0.5)
    status.close()
    assert quiet.getvalue() == ""


def test_protocols_are_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protocols"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines()} == set(ev.protocols())
    assert main(["protocols", "machado2018"]) == 0
    assert "repeat_action_probability = 0.25" in capsys.readouterr().out


def test_the_first_example_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")
    code = text.split("```python\n", 1)[1].split("```", 1)[0]
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/evaluation.md", "exec"), {})
    assert (tmp_path / "report.html").stat().st_size > 10_000
    assert (tmp_path / "curve.svg").exists()
