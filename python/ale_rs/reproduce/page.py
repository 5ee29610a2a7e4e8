"""The page of all reproductions, written from the results that are kept in a directory."""

import datetime
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ale_rs import __version__
from ale_rs.evaluation import charts
from ale_rs.reproduce.archive import pack, unpack
from ale_rs.reproduce.bands import VERDICTS, Row
from ale_rs.reproduce.catalogue import Entry, catalogue
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
    return path


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
        items = [item for item in catalogue().values() if item.paper == paper]
        if items:
            lines += [f"## {title}", ""]
            for item in items:
                lines += _section(item, records.get(item.name), Path(directory), Path(page).parent)
    notes = Path(directory) / "notes.md"
    if notes.exists():
        lines += [notes.read_text(encoding="utf-8").strip(), ""]
    lines += ["## How verdicts are made", "", *_explanation()]
    Path(page).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _headline(records: dict[str, dict[str, Any]]) -> list[str]:
    rows = [row for record in records.values() for row in record["rows"]]
    counted = [row for row in rows if row.counts]
    played = sum(
        row.counts for name, record in records.items() for row in record["rows"]
        if catalogue()[name].kind != "analysis" or name == "crafter_random"
    )  # fmt: skip
    good = sum(row.verdict in GOOD for row in counted)
    explained = sum(row.verdict == "explained" for row in counted)
    shortened = sum(row.verdict == "shortened" for row in rows)
    return [
        f"**{good} of {len(counted)} published numbers are equal or inside their band**, {explained} more "
        f"differ for a reason that is known, {len(counted) - good - explained} are outside. {shortened} rows "
        f"were played with less than the paper's budget or episodes: they are marked *shortened* and not "
        f"counted. {played} of the numbers were played by us, the others follow from published data.",
        "",
        "Every section names its command; `ale-rs reproduce --list` has them all. The run logs are packed in "
        "[reproductions/](reproductions/); `ale-rs reproduce --page` writes this page from them.",
    ]


def _section(item: Entry, record: dict[str, Any] | None, directory: Path, here: Path) -> list[str]:
    lines = [f"### {item.title} (`{item.name}`)", "", f"{item.table}. {item.why}".rstrip(), ""]
    if record is None:
        cost = estimate(item)
        needs = (
            f" plays it: {len(item.tasks())} games, {item.trials} trials, {cost.frames:,} frames, "
            f"{cost.hours:,.0f} core hours at {item.frames_per_second:,g} frames a second."
            if item.games
            else " makes it."
        )
        return [*lines, f"Not run for this page. `ale-rs reproduce {item.name}`{needs}", ""]
    rows: Sequence[Row] = record["rows"]
    lines += [f"{_counts(rows)}. {record['date']}, version {record['version']}: `{record['command']}`", ""]
    points = [(row.game, row.published, row.ours) for row in rows if row.published and row.ours]
    points = [(game, x, y) for game, x, y in points if x > 0 and y > 0]
    if len(points) > 5 and item.kind != "analysis":
        picture = directory / f"{item.name}.svg"
        drawn = charts.scatter(
            [(game, float(x), float(y)) for game, x, y in points], f"{item.title}: ours beside published",
            "published", "ours", line=lambda x: x, labels=False, log=True,
        )  # fmt: skip
        picture.write_text(drawn.svg(standalone=True), encoding="utf-8")
        lines += [f"![{item.title}]({picture.relative_to(here).as_posix()})", ""]
    lines += ["<details><summary>all rows</summary>", ""]
    lines += ["| game | published | ours | n | band | verdict | why |", "|---|---|---|---|---|---|---|"]
    lines += [f"| {' | '.join(cells)} |" for cells in map(shown, rows)]
    return [*lines, "", "</details>", ""]


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
        "- *beside*: the published number was reached with other settings and is shown for orientation only.",
        "- Nothing was tuned on the games of a table.",
    ]
