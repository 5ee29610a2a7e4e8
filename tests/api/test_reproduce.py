"""Reproductions: the catalogue, verdicts, packed logs, a play that is resumed, the page."""

import dataclasses
import gzip
import os
from pathlib import Path

import pytest

from ale_rs import evaluation as ev
from ale_rs import reproduce, roms
from ale_rs.cli import main
from ale_rs.reproduce import bands, page, robust
from ale_rs.reproduce.analyses import ANALYSES
from ale_rs.reproduce.kept import keep, kept, worse
from ale_rs.reproduce.pictures import PICTURES

ROOT = Path(__file__).parents[2]
EXPECTED = (
    "const", "random", "perturb", "baselines", "uct", "full_tree", "brute", "blob_prost", "atari5",
    "crafter_random", "crafter_human", "iw", "rollout_iw", "modes", "comper",
)  # fmt: skip


def test_the_catalogue_has_the_tables_of_the_papers() -> None:
    assert set(EXPECTED) <= set(reproduce.catalogue())


@pytest.mark.parametrize("name", list(reproduce.catalogue()))
def test_an_entry_names_what_exists(name: str) -> None:
    entry = reproduce.entry(name)
    assert entry.paper in page.PAPERS
    assert set(entry.pictures) <= set(PICTURES)
    if entry.kind == "analysis":
        assert entry.function in ANALYSES
        return
    rules = entry.rules()
    assert entry.tasks()
    if entry.kind == "play" and rules.kind == "training":
        assert rules.score["checkpoints"][-1] == rules.budget["frames"]
    if entry.published:
        column = ev.published(entry.published["table"])[entry.published["column"]]
        assert set(entry.tasks()) & set(column)
        if "sd" in entry.published:
            assert entry.published["sd"] in ev.published(entry.published["table"])
    assert set(entry.reference) | set(entry.explained) | set(entry.remarks) <= set(entry.tasks())


class TestVerdicts:
    def test_printed_digits(self) -> None:
        assert bands.judge("equal", 996.0, 996.0, None)[0] == "equal"
        assert bands.judge("equal", 996.0, 995.0, None)[0] == "outside"
        assert bands.judge("equal", 23.4, 23.44, None)[0] == "equal"

    def test_bands(self) -> None:
        allowed = bands.width("sampled", 100.0, sd=10.0, n=100)
        assert allowed == pytest.approx(9.05)
        assert bands.judge("sampled", 100.0, 108.9, allowed)[0] == "inside"
        assert bands.judge("sampled", 100.0, 109.1, allowed)[0] == "outside"
        assert bands.width("trials", 5.0, published_sd=2.0, n=1, of=4) == pytest.approx(3 * 2 * 1.25**0.5)

    def test_what_is_shortened_says_so_whatever_it_is(self) -> None:
        assert bands.judge("equal", 5.0, 5.0, None, shortened=True) == ("shortened", "the number agrees")
        assert bands.judge("equal", 5.0, 9.0, None, shortened=True)[0] == "shortened"

    def test_what_the_reference_gives_is_explained_and_nothing_else(self) -> None:
        assert bands.judge("equal", 245.0, 285.0, None, reference=285.0)[0] == "explained"
        assert bands.judge("equal", 245.0, 280.0, None, reference=285.0)[0] == "outside"


def test_decisions_last_as_long_as_in_the_papers() -> None:
    for name, frames in {
        "uct": 5,
        "full_tree": 5,
        "iw": 5,
        "rollout_iw": 15,
        "rollout_iw_bprost": 15,
    }.items():
        assert reproduce.entry(name).rules().env["frameskip"] == frames, name


def test_an_unknown_name_tells_the_nearest() -> None:
    with pytest.raises(ValueError, match='did you mean "random"'):
        reproduce.entry("randm")
    with pytest.raises(ValueError, match="no game"):
        reproduce.run("const", games=["glowdelve"])


def test_the_list_has_a_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert names == list(reproduce.catalogue())


def test_modes_need_no_play(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "modes"]) == 0
    out = capsys.readouterr().out
    assert "57 equal" in out
    assert "3 explained" in out


DATA = pytest.mark.skipif("ALE_RS_ATARI5_DATA" not in os.environ, reason="needs the Atari-5 data set")


@pytest.mark.parametrize(
    ("name", "equal"),
    [
        ("figures_2013", 12), ("significance", 5),
        *(
            pytest.param(name, equal, marks=DATA)
            for name, equal in (
                ("atari5", 14), ("atari5_estimates", 15), ("atari5_algorithms", 113),
                ("atari5_coefficients", 27), ("atari5_games5", 48), ("atari5_games10", 44),
                ("atari5_constants", 114), ("atari5_findings", 13),
            )
        ),
    ],
)  # fmt: skip
def test_what_follows_from_published_data(name: str, equal: int, tmp_path: Path) -> None:
    result = reproduce.run(name)
    verdicts = [row.verdict for row in result.rows]
    assert verdicts.count("equal") == equal
    assert verdicts.count("outside") == 0
    assert all(row.verdict in ("equal", "explained") for row in result.rows if row.counts)
    assert [row.game for row in result.rows if row.verdict == "explained"] == (
        ["SARSA better at 200M"] if name == "significance" else []
    )
    keep(result, tmp_path / "none", tmp_path / "kept", "command")
    drawn = [picture for picture in result.entry.pictures if not picture.startswith("baseline")]
    names = sorted(path.name for path in (tmp_path / "kept").glob("*.svg"))
    assert names == sorted(f"{name}_{picture}.svg" for picture in drawn)


def test_what_is_printed_badly_never_counts() -> None:
    entry = dataclasses.replace(reproduce.entry("significance"), illegible=("a",))
    assert bands.compared(entry, "a", 3.0, 3.0, 1).verdict == "beside"
    assert not bands.compared(entry, "a", 3.0, 3.0, 1).counts
    assert bands.compared(entry, "b", 3.0, 4.0, 1).verdict == "outside"


def test_a_memorised_plan_is_played_blindly_and_sticky_actions_break_it() -> None:
    actions = robust.plan("glowdelve", 200)
    assert actions == robust.plan("glowdelve", 200)
    policy = ev.AgentSpec("plan", robust.memorised, {"plans": {"glowdelve": actions}})
    levels = {"sticky actions": ("repeat_action_probability", (0.0, 0.25))}
    found = ev.robustness(policy, ["glowdelve"], episodes=3, disturbances=levels).scores["sticky actions"]
    assert found[0.0]["glowdelve"] > found[0.25]["glowdelve"]


@pytest.mark.skipif(roms.locate("breakout") is None, reason="the ROM of Breakout is not installed")
def test_a_play_is_kept_resumed_and_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = [
        "reproduce", "random", "--games", "breakout", "--episodes", "2", "--out", str(tmp_path / "runs"),
        "--keep", str(tmp_path / "kept"),
    ]  # fmt: skip
    assert main(call) == 0
    first = capsys.readouterr().out
    assert "breakout" in first
    assert "shortened" in first
    logs = sorted((tmp_path / "runs").rglob("*.jsonl"))
    written = [log.stat().st_mtime_ns for log in logs]
    packed = (tmp_path / "kept" / "random.jsonl.gz").read_bytes()
    assert main(call) == 0
    assert [log.stat().st_mtime_ns for log in logs] == written
    assert (tmp_path / "kept" / "random.jsonl.gz").read_bytes() == packed

    runs = reproduce.unpack(tmp_path / "kept" / "random.jsonl.gz", tmp_path / "again")
    assert len(runs) == 1
    assert [log.read_bytes() for log in sorted((tmp_path / "again").rglob("*.jsonl"))] == [
        log.read_bytes() for log in logs
    ]
    assert main(["reproduce", "--page", str(tmp_path / "kept"), str(tmp_path / "page.md")]) == 0
    text = (tmp_path / "page.md").read_text()
    assert "[Random: a new action on every frame](#random): 1 shortened." in text
    assert "| `ale-rs reproduce random` | 1 of 55, shortened | 55 | 1 |" in text
    assert "| `ale-rs reproduce uct` | - | 55 | 1 | 6,600,000 |" in text
    assert "**0 published numbers that we played again, 0 are" in text

    more = [*call[:3], "boxing", *call[4:-1], str(tmp_path / "kept")]
    assert main(more) == 0
    assert [row.game for row in kept(tmp_path / "kept")["random"].rows] == ["boxing", "breakout"]


@pytest.mark.skipif(roms.locate("assault") is None, reason="the ROM of Assault is not installed")
def test_the_37_policies_play_one_episode_where_there_is_no_chance(tmp_path: Path) -> None:
    entry = dataclasses.replace(reproduce.entry("baselines"), agents=("random", "const:UP"), episodes=3)
    (row,) = reproduce.run(entry, games=["assault"], out=tmp_path).rows
    assert (row.n, row.verdict) == (4, "beside")
    more = tmp_path / "more"
    ev.evaluate([ev.agent("const:UP")], entry.rules(), ["assault"], trials=1, out=more)
    (held,) = ev.load(more)
    assert [episode.score for episode in held.episodes] == [held.episodes[0].score] * 3
    assert reproduce.estimate(reproduce.entry("baselines")).frames == (19 * 10 + 18) * 55 * 7_000
    shortened = reproduce.estimate(reproduce.entry("uct"), ["pong", "boxing"], episodes=1)
    assert shortened.frames == 2 * 12_000
    assert reproduce.estimate(reproduce.entry("brute"), ["freeway"], trials=2, frames=1_000).frames == 2_000


@pytest.mark.skipif(roms.locate("breakout") is None, reason="the ROM of Breakout is not installed")
def test_what_is_chosen_and_what_is_estimated_anew_are_kept_apart(tmp_path: Path) -> None:
    entry = dataclasses.replace(
        reproduce.entry("perturb"), agents=("perturb:NOOP", "perturb:FIRE"), episodes=2, fresh=3
    )
    result = reproduce.run(entry, games=["breakout"], out=tmp_path)
    assert [(row.n, row.verdict) for row in result.rows] == [(3, result.rows[0].verdict)]
    packed = tmp_path / "perturb.jsonl.gz"
    assert reproduce.pack(tmp_path / "perturb", packed) == 3
    files = reproduce.unpack(packed, tmp_path / "again")
    assert {file.relative_to(tmp_path / "again").parts[0] for file in files} == {"choose", "fresh"}
    assert reproduce.rows_of(entry, tmp_path / "again", ["breakout"]) == result.rows


def test_a_verdict_that_became_worse_is_named(tmp_path: Path) -> None:
    result = reproduce.run("modes")
    keep(result, tmp_path / "none", tmp_path, "command")
    assert worse(result, tmp_path) == []
    rows = [dataclasses.replace(row, verdict="outside") for row in result.rows[:1]]
    assert len(worse(dataclasses.replace(result, rows=rows), tmp_path)) == 1
    with pytest.raises(ValueError, match="nothing is kept of random"):
        worse(dataclasses.replace(result, entry=reproduce.entry("random")), tmp_path)


@pytest.mark.slow
def test_the_page_and_the_front_page_say_what_is_kept() -> None:
    """README's table has the counts that the kept rows give."""
    if not (ROOT / "README.md").exists():
        pytest.skip("tests run outside of the repository")
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if "docs/reproductions.md#" in line and line.startswith("|")]
    assert len(table) == 5
    records = kept(ROOT / "docs" / "reproductions")
    overview = (ROOT / "docs" / "reproductions.md").read_text(encoding="utf-8")
    for line in table:
        name = line.partition("reproductions.md#")[2].partition(")")[0]
        rows = [row for row in records[name].rows if row.counts]
        numbers = [len(rows), *([row.verdict for row in rows].count(verdict) for verdict in page.COUNTED)]
        assert [int(cell) for cell in line.strip("| ").split("|")[1:]] == numbers
        assert f"](#{name}) | {' | '.join(map(str, numbers))} |" in overview


def test_shares_have_the_interval_of_a_binomial() -> None:
    rows = [bands.Row("a", 1.0, 1.0, 1, None, "inside")] * 52 + [
        bands.Row("b", 1.0, 9.0, 1, None, "outside")
    ] * 2
    ignored = bands.Row("c", 1.0, 1.0, 1, None, "shortened", counts=False)
    assert bands.share([*rows, ignored]) == (52, 54, "96 % [87, 100]")
    assert bands.share([ignored]) == (0, 0, "-")


def test_damaged_logs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "random.jsonl.gz"
    path.write_bytes(b"no gzip")
    with pytest.raises(ValueError, match="no packed logs"):
        reproduce.unpack(path, tmp_path)
    path.write_bytes(gzip.compress(b'{"kind":"place","path":"../elsewhere"}\n'))
    with pytest.raises(ValueError, match="no directory of logs"):
        reproduce.unpack(path, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["nonsense"], "no reproduction"),
        (["random", "--workers", "0"], "--workers is 0"),
        (["modes", "--games", "pong"], "computed as a whole"),
        (["random", "--hours", "nan"], "--hours is nan"),
        ([], "name what to reproduce"),
    ],
)
def test_wrong_calls(arguments: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", *arguments]) == 1
    assert text in capsys.readouterr().err
