"""The page of all reproductions, written from the results that are kept in a directory."""

import datetime
import json
import os
import statistics
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ale_rs import __version__
from ale_rs.reproduce.archive import pack, unpack
from ale_rs.reproduce.bands import VERDICTS, Row
from ale_rs.reproduce.catalogue import Entry, catalogue
from ale_rs.reproduce.pictures import PICTURES, Scores, beside_published
from ale_rs.reproduce.run import Result, estimate, rows_of

__all__ = ["keep", "kept", "worse", "write_page"]

PAPERS = {
    "bellemare2013": "Bellemare et al. 2013, The Arcade Learning Environment",
    "machado2018": "Machado et al. 2018, Revisiting the Arcade Learning Environment",
    "atari5": "Aitchison et al. 2023, Atari-5",
    "crafter": "Hafner 2021, Crafter",
    "comper": "COMPER, appendices",
    "width": "Width-based planning: Lipovetzky et al. 2015, Bandres et al. 2018",
}
"""Papers in the order of the page."""
GOOD = ("equal", "inside")
SHOWN = 2
"""Figures of a section that are not folded away."""
BASELINES = ("random", "const", "perturb")
"""Entries whose logs are those of the 37 reference policies."""
REACH = "What was not run here, and what it takes"


def keep(
    result: Result, logs: str | os.PathLike[str], directory: str | os.PathLike[str], command: str
) -> Path:
    """Write the rows of a result and, packed, its run logs where the page finds them.

    Returns:
        the file of the rows.
    """
    place = Path(directory)
    place.mkdir(parents=True, exist_ok=True)
    if Path(logs).exists():
        pack(logs, place / f"{result.entry.name}.jsonl.gz")
    record = {
        "name": result.entry.name,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "version": __version__,
        "command": command,
        "rows": [asdict(row) for row in result.rows],
    }
    path = place / f"{result.entry.name}.json"
    path.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    scores = _baselines(place) if any("baseline" in name for name in result.entry.pictures) else {}
    for name in result.entry.pictures:
        drawn = PICTURES[name][1](result.rows, scores)
        if drawn is not None:
            (place / f"{result.entry.name}_{name}.svg").write_text(
                drawn.svg(standalone=True), encoding="utf-8"
            )
    return path


def _baselines(place: Path) -> Scores:
    """The mean scores of the 37 reference policies, from their packed logs, on the games that all have."""
    files = [place / f"{name}.jsonl.gz" for name in BASELINES]
    if not all(path.exists() for path in files):
        return {}
    found: dict[str, dict[str, float]] = {}
    for path in files:
        with tempfile.TemporaryDirectory() as scratch:
            for log in unpack(path, scratch):
                scores = [episode.score for episode in log.phase("evaluate")]
                found.setdefault(log.run.agent, {})[log.run.game] = statistics.fmean(scores)
    games = [set(scores) for scores in found.values()]
    shared = set.intersection(*games)
    return {agent: {game: scores[game] for game in shared} for agent, scores in found.items()}


def worse(result: Result, directory: str | os.PathLike[str]) -> list[str]:
    """Rows that were equal or inside in what is kept and are neither now; a sentence each."""
    path = Path(directory) / f"{result.entry.name}.json"
    if not path.exists():
        raise ValueError(f"{path}: nothing is kept of {result.entry.name}; --keep writes it")
    record = json.loads(path.read_text(encoding="utf-8"))
    before = {row["game"]: row["verdict"] for row in record["rows"]}
    return [
        f"{row.game} was {before[row.game]}, is {row.verdict}: {row.ours} beside {row.published}"
        for row in result.rows
        if before.get(row.game) in GOOD and row.verdict not in (*GOOD, "shortened")
    ]


def kept(directory: str | os.PathLike[str]) -> dict[str, dict[str, Any]]:
    """The records of a directory by entry; rows of plays are made again from their logs."""
    found = {}
    for name, item in catalogue().items():
        path = Path(directory) / f"{name}.json"
        if not path.exists():
            continue
        record = json.loads(path.read_text(encoding="utf-8"))
        rows = [Row(**row) for row in record["rows"]]
        packed = path.with_suffix(".jsonl.gz")
        if packed.exists() and item.kind in ("play", "baselines"):
            with tempfile.TemporaryDirectory() as scratch:
                unpack(packed, scratch)
                rows = rows_of(item, scratch, [row.game for row in rows])
        found[name] = record | {"rows": rows}
    return found


def write_page(directory: str | os.PathLike[str], page: str | os.PathLike[str]) -> None:
    """Write the page, with a picture per entry beside the records, and `notes.md` of the directory."""
    records = kept(directory)
    lines = ["# Reproductions", "", *_headline(records), ""]
    for paper, title in PAPERS.items():
        items = [item for item in catalogue().values() if item.paper == paper and item.name in records]
        if items:
            lines += [f"## {title}", ""]
            for item in items:
                lines += _section(item, records[item.name], Path(directory), Path(page).parent)
    lines += _out_of_reach([item for item in catalogue().values() if item.name not in records])
    notes = Path(directory) / "notes.md"
    if notes.exists():
        lines += [notes.read_text(encoding="utf-8").strip(), ""]
    lines += ["## How verdicts are made", "", *_explanation()]
    Path(page).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _out_of_reach(items: Sequence[Entry]) -> list[str]:
    """What was not run, and what it would take elsewhere, with the arithmetic."""
    if not items:
        return []
    lines = [
        f"## {REACH}", "",
        "frames = games x trials x frames of a trial; core hours = frames / frames per second of one core / "
        "3,600. The speeds are those that our commands print on two cores; put your own in.", "",
        "| what | command | games | trials | frames | frames/s | core hours | days on 2 | hours on 64 |",
        "|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for item in items:
        cost = estimate(item)
        games = len(item.tasks()) if item.games else 1
        lines.append(
            f"| {item.title} ({item.table}) | `ale-rs reproduce {item.name}` | {games} | {item.trials} | "
            f"{cost.frames:,} | {item.frames_per_second:,g} | {cost.hours:,.1f} | {cost.hours / 48:,.1f} | "
            f"{cost.hours / min(64, games * item.trials):,.1f} |"
        )
    return [*lines, ""]


def _headline(records: dict[str, dict[str, Any]]) -> list[str]:
    rows = {name: [row for row in record["rows"] if row.counts] for name, record in records.items()}
    played = [row for name in rows if _is_played(name) for row in rows[name]]
    computed = [row for name in rows if not _is_played(name) for row in rows[name]]
    shortened = sum(row.verdict == "shortened" for record in records.values() for row in record["rows"])
    lines = [
        f"Of **{len(played)} published numbers that we played again, {_good(played)} are equal or inside "
        f"their band**; of {len(computed)} that we computed again from published data, {_good(computed)} are "
        "equal.",
        "",
        "| | numbers | equal | inside | explained | outside |",
        "|---|---|---|---|---|---|",
    ]
    for name, chosen in (("played again", played), ("computed from published data", computed)):
        verdicts = [row.verdict for row in chosen]
        counts = " | ".join(str(verdicts.count(v)) for v in ("equal", "inside", "explained", "outside"))
        lines.append(f"| {name} | {len(chosen)} | {counts} |")
    return [
        *lines,
        "",
        f"{shortened} rows were played with less than the paper's budget or episodes: they are marked "
        "*shortened* and not counted. Every section names its command; `ale-rs reproduce --list` has them "
        "all. The run logs are packed in [reproductions/](reproductions/); `ale-rs reproduce --page` writes "
        "this page from them.",
    ]


def _is_played(name: str) -> bool:
    return catalogue()[name].kind != "analysis" or name == "crafter_random"


def _good(rows: Sequence[Row]) -> int:
    return sum(row.verdict in GOOD for row in rows)


def _section(item: Entry, record: dict[str, Any], directory: Path, here: Path) -> list[str]:
    lines = [f"### {item.title} (`{item.name}`)", "", f"{item.table}. {item.why}".rstrip(), ""]
    rows: Sequence[Row] = record["rows"]
    lines += [f"{_counts(rows)}. {record['date']}, version {record['version']}: `{record['command']}`", ""]
    if item.kind != "analysis":
        drawn = beside_published(item.title, rows)
        if drawn is not None:
            (directory / f"{item.name}.svg").write_text(drawn.svg(standalone=True), encoding="utf-8")
            lines += [_image(item.title, directory / f"{item.name}.svg", here), ""]
    found = [(name, directory / f"{item.name}_{name}.svg") for name in item.pictures]
    images = [
        text
        for name, path in found
        if path.exists()
        for text in (f"*{PICTURES[name][0]}*", "", _image(PICTURES[name][0], path, here), "")
    ]
    first, more = images[: 4 * SHOWN], images[4 * SHOWN :]
    lines += first
    if more:
        lines += ["<details><summary>more figures</summary>", "", *more, "</details>", ""]
    lines += ["<details><summary>all rows</summary>", ""]
    lines += ["| game | published | ours | n | band | verdict | why |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(cells)} |" for cells in map(shown, rows)]
    return [*lines, "", "</details>", ""]


def _image(title: str, path: Path, here: Path) -> str:
    return f"![{title}]({path.relative_to(here).as_posix()})"


def shown(row: Row) -> list[str]:
    """The cells of a row as text."""
    return [
        row.game, _number(row.published), _number(row.ours), str(row.n) if row.n else "-",
        "-" if row.band is None else f"±{row.band:,.1f}", row.verdict, row.why,
    ]  # fmt: skip


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.{4 if abs(value) < 10 else 1}f}".rstrip("0").rstrip(".")


def _counts(rows: Iterable[Row]) -> str:
    verdicts = [row.verdict for row in rows]
    return ", ".join(f"{verdicts.count(name)} {name}" for name in VERDICTS if name in verdicts)


def _explanation() -> list[str]:
    return [
        "- *equal*: the printed digits. *inside*: within the band, which is part of the catalogue and was "
        "chosen before anything was played. *outside*: neither.",
        "- *explained*: different for a known reason; most often the reference emulator of today gives our "
        "number, too.",
        "- *shortened*: fewer frames, episodes or trials than the paper; never counted.",
        "- *beside*: there is no number to compare with, or it was reached with other settings, or it cannot "
        "be read; shown for orientation only.",
        "- Nothing was tuned on the games of a table.",
    ]
