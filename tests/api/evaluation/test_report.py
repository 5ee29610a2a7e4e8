"""The report: the same bytes twice, its numbers read back, its tables sort in a real browser."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ale_rs import evaluation as ev
from ale_rs.cli import main
from ale_rs.evaluation import charts, drawing
from ale_rs.evaluation.crafter_score import ACHIEVEMENTS

PROTOCOL = "machado2018_deterministic"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def write_logs(root: Path, trials: int = 3, finished: bool = True) -> None:
    """Made-up scores of two agents on five games."""
    chance = random.Random(1)
    rules = ev.protocol(PROTOCOL)
    for agent, level in (("weak <i>", 0.5), ("strong", 1.5)):
        for game in ev.subset("atari5"):
            low, high = ev.reference()[game]
            for seed in range(trials):
                with ev.Writer(root, rules.run(agent, game, seed)) as log:
                    for part in range(1, 21):
                        share = part / 20 * level * (0.8 + 0.4 * chance.random())
                        score = low + (high - low) * share
                        log.episode(
                            "train", score, frames=2_500_000, steps=9, terminated=True, truncated=False
                        )
                    if finished:
                        log.end("budget")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("logs")
    write_logs(root)
    return root


QUICK = ev.Settings(quick=True)


def test_the_same_logs_give_the_same_bytes_and_the_numbers_read_back(logs: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.html", tmp_path / "b.html"
    data = ev.report([logs], first, settings=QUICK)
    ev.report([ev.load(logs)], second, settings=QUICK)
    assert first.read_bytes() == second.read_bytes()
    assert ev.load_report(first) == json.loads(json.dumps(data))


def test_the_numbers_are_those_of_the_functions(logs: Path, tmp_path: Path) -> None:
    (section,) = ev.gather([logs], QUICK)["protocols"]
    scores = ev.protocol(PROTOCOL).scores(ev.load(logs))
    x = ev.normalise(scores, "human")
    for agent in ("weak <i>", "strong"):
        found = {entry["metric"]: entry["value"] for entry in section["aggregates"][agent]}
        assert found == {metric: ev.point(x[agent], metric) for metric in ev.METRICS}
        (estimate,) = [e for e in section["estimates"][agent] if e["model"] == "atari5"]
        assert estimate["value"] == ev.atari_k(x[agent], "atari5").value
    pair = next(p for p in section["improvement"] if p["first"] == "strong")
    assert pair["value"] == ev.probability_of_improvement(x["strong"], x["weak <i>"])
    assert (pair["better"], pair["worse"]) == ev.paired_tests(scores, 0.05).count("strong", "weak <i>")
    assert section["at_human_level"]["weak <i>"] == {"games": 0, "of": 5}


def test_names_are_escaped_and_nothing_is_loaded_from_a_network(logs: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    ev.report([logs], page, settings=QUICK, baselines=["machado2018/dqn"])
    text = page.read_text(encoding="utf-8")
    assert "weak <i>" not in text
    assert "weak &lt;i&gt;" in text
    assert not re.search(r"(src|href)=[\"'](http|//)", text)
    assert "machado2018/dqn" in text


def test_warnings_name_what_is_missing(tmp_path: Path) -> None:
    write_logs(tmp_path / "runs", trials=2, finished=False)
    rules = ev.protocol(PROTOCOL)
    with ev.Writer(tmp_path / "runs", rules.run("strong", "freeway", 0)) as log:
        log.episode("train", 3.0, frames=100, steps=9, terminated=True, truncated=False)
    (section,) = ev.gather([tmp_path / "runs"], QUICK)["protocols"]
    said = "\n".join(section["warnings"])
    assert "21 of 21 trials are unfinished" in said
    assert "strong, freeway: 0 of 1 trials have a score at 50000000" in said
    assert f"2 trials per game; the protocol asks for {rules.trials}" in said
    assert "games that the protocol tunes on (train5): freeway" in said
    assert "weak <i>: 2 trials" in said
    with pytest.raises(ValueError, match=r"strong has no score of alien, amidar"):
        ev.gather([tmp_path / "runs"], ev.Settings(quick=True, games=("atari57",)))


def test_logs_with_other_settings_are_left_out_unless_forced(tmp_path: Path) -> None:
    write_logs(tmp_path, trials=2)
    rules = ev.protocol(PROTOCOL)
    run = ev.start_run("strong", "battle_zone", 7, protocol=PROTOCOL, env={**rules.env, "frameskip": 4})
    with ev.Writer(tmp_path, run) as log:
        log.episode("train", 1e6, frames=60_000_000, steps=9, terminated=True, truncated=False)
        log.end()
    (plain,) = ev.gather([tmp_path], QUICK)["protocols"]
    assert any("env.frameskip is 4" in line and line.startswith("left out") for line in plain["warnings"])
    (forced,) = ev.gather([tmp_path], ev.Settings(quick=True, force=True))["protocols"]
    assert any(line.startswith("scored although env.frameskip is 4") for line in forced["warnings"])
    cells = [s["games"][0]["scores"]["strong"]["trials"] for s in (plain, forced)]
    assert cells == [2, 3]


def test_a_table_of_scores_is_reported_too(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("agent,game,score,seed\n" + "".join(f"a,pong,{s},{s}\n" for s in range(3)))
    (section,) = ev.gather([str(table)], QUICK)["protocols"]
    assert section["games"][0]["scores"]["a"]["mean"] == 1.0


def test_crafter_has_a_spectrum(tmp_path: Path) -> None:
    rules = ev.protocol("crafter")
    for seed in range(2):
        with ev.Writer(tmp_path, rules.run("human", "crafter", seed)) as log:
            counts = dict.fromkeys(ACHIEVEMENTS, seed)
            for _ in range(2):
                log.episode(
                    "train", 2.1, frames=400_000, steps=400_000, terminated=True, truncated=False,
                    achievements=counts,
                )  # fmt: skip
            log.end()
    page = tmp_path / "report.html"
    (section,) = ev.report([tmp_path], page, settings=QUICK)["protocols"]
    entry = section["crafter"]["human"]
    assert (entry["mean"], entry["sd"], entry["trials"]) == (50.0, 50.0, 2)
    assert entry["rates"]["wake_up"] == 50.0
    assert page.read_text(encoding="utf-8").count("<rect") >= 22


def test_the_commands(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "r.html"
    assert main(["report", str(logs), "--out", str(page), "--quick"]) == 0
    assert capsys.readouterr().out.startswith(f"{page}: 1 protocols, 2 agents, 5 games")
    assert main(["report", str(logs), "--out", str(page), "--quick"]) == 0
    assert "replaces the report that was there" in capsys.readouterr().out
    assert main(["score", str(logs), "--quick"]) == 0
    assert re.search(r"battle_zone +[\d,.]+ ± [\d,.]+ +[\d,.]+ ± [\d,.]+", capsys.readouterr().out)
    assert main(["score", str(logs), "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == ev.load_report(page)
    assert main(["check", str(logs)]) == 0
    other = tmp_path / "notes.html"
    other.write_text("mine")
    assert main(["report", str(logs), "--out", str(other), "--quick"]) == 1
    assert other.read_text() == "mine"
    assert main(["report", str(logs), "--baseline", "machado2018/dqm"]) == 1
    assert 'did you mean "machado2018/dqn"' in capsys.readouterr().err


PROBE = """<script>
addEventListener("load", () => {
  const seen = [], tables = document.querySelectorAll("table.sortable");
  const firsts = table => [...table.tBodies[0].rows].map(row => row.cells[0].textContent).join(",");
  const table = [...tables].at(-2);
  table.tHead.rows[0].cells[1].click(); seen.push(firsts(table));
  table.tHead.rows[0].cells[1].click(); seen.push(firsts(table));
  table.tHead.rows[0].cells[0].click(); seen.push(firsts(table));
  document.body.textContent = "PROBE" + JSON.stringify({errors: window.failed, seen}) + "END";
});
</script>"""
FIRST = "<script>window.failed=[];onerror=text=>{failed.push(String(text))};</script>"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_a_browser_opens_it_without_errors_and_sorts_its_tables(logs: Path, tmp_path: Path) -> None:
    assert BROWSER is not None
    page = tmp_path / "report.html"
    data = ev.report([logs], page, settings=QUICK)
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("<head>", f"<head>{FIRST}").replace("</body>", f"{PROBE}</body>"), "utf-8")
    command = [
        BROWSER,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        f"--user-data-dir={tmp_path}/profile",
    ]
    command += ["--virtual-time-budget=5000", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    found: dict[str, Any] = json.loads(done.stdout.split("PROBE", 1)[1].split("END", 1)[0])
    games = data["protocols"][0]["games"]
    agent = data["protocols"][0]["agents"][0]
    order = [game["game"] for game in sorted(games, key=lambda g: -g["scores"][agent]["mean"])]
    down = ",".join(sorted((game["game"] for game in games), reverse=True))
    assert found == {"errors": [], "seen": [",".join(order), ",".join(order[::-1]), down]}


def test_pictures_are_written_as_svg_and_png(tmp_path: Path) -> None:
    curve = charts.Curve("a & b", [0, 1, 2, 3], [1.0, None, 2.0, 3.0], [0, 0, 1, 2], [2, 2, 3, 4])
    picture = charts.curve_chart([curve], "x < y", "x", "y")
    picture.save(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "x &lt; y" in text
    assert "NaN" not in text
    with pytest.raises(ValueError, match=r"written as .svg or .png"):
        picture.save(tmp_path / "a.gif")
    pytest.importorskip("matplotlib")
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert drawing.ticks(3, 3) == [3]
