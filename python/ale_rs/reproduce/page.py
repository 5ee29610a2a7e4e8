"""The page of all reproductions, written from the results that are kept in a directory."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ale_rs.evaluation import reference
from ale_rs.reproduce.bands import VERDICTS, Row, share
from ale_rs.reproduce.catalogue import Entry, catalogue
from ale_rs.reproduce.kept import Record, kept
from ale_rs.reproduce.pictures import PICTURES, beside_published
from ale_rs.reproduce.run import estimate

__all__ = ["shown", "write_page"]

PAPERS = {
    "bellemare2013": "Bellemare et al. 2013, The Arcade Learning Environment",
    "machado2018": "Machado et al. 2018, Revisiting the Arcade Learning Environment",
    "atari5": "Aitchison et al. 2023, Atari-5",
    "crafter": "Hafner 2021, Crafter",
    "comper": "COMPER, appendices",
    "width": "Width-based planning: Lipovetzky et al. 2015, Bandres et al. 2018",
}
"""Papers in the order of the page."""
OPEN = 2
"""Figures of a section that are not folded away."""
REACH = "Out of reach on two cores, and what it takes"
COUNTED = ("equal", "inside", "explained", "outside")


def write_page(directory: str | os.PathLike[str], page: str | os.PathLike[str]) -> None:
    """Write the page, with a picture per entry beside the records, and `notes.md` of the directory."""
    records = kept(directory)
    lines = ["# Reproductions", "", *_headline(records.values()), *_overview(records)]
    for paper, title in PAPERS.items():
        found = [record for record in records.values() if record.entry.paper == paper]
        if found:
            lines += [f"## {title}", ""]
            for record in found:
                lines += _section(record, Path(directory), Path(page).parent)
    lines += _out_of_reach(records)
    notes = Path(directory) / "notes.md"
    if notes.exists():
        lines += [notes.read_text(encoding="utf-8").strip(), ""]
    lines += ["## How verdicts are made", "", *_explanation()]
    Path(page).write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _headline(records: Iterable[Record]) -> list[str]:
    records = list(records)
    played = [row for record in records if record.played for row in record.rows if row.counts]
    computed = [row for record in records if not record.played for row in record.rows if row.counts]
    (good, of, percent), (same, all_of, _) = share(played), share(computed)
    verdicts = [row.verdict for row in played]
    text = f"Of **{of} published numbers that we played again, {good} are equal or inside their band** "
    text += f"({percent})"
    if of:
        text += (
            f"; {verdicts.count('explained')} differ for a known reason, and "
            f"{verdicts.count('outside')} are outside"
        )
    text += f". Of {all_of} that we computed again from published data, **{same} are equal**."
    lines = [
        text,
        "",
        "| | numbers | equal | inside | explained | outside | equal or inside, % [95 % interval] |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, rows in (("played again", played), ("computed from published data", computed)):
        lines.append(f"| {name} | {_cells(rows)} |")
    return [
        *lines,
        "",
        "Intervals are those of a binomial share (Clopper and Pearson). A row counts only with the paper's "
        "own budget and number of episodes; the others are marked *shortened* or *beside*, and no figure "
        "above has them. Every section names its command; `ale-rs reproduce --list` has them all. The run "
        "logs are packed in [reproductions/](reproductions/); `ale-rs reproduce --page` writes this page.",
        "",
    ]


def _cells(rows: Sequence[Row]) -> str:
    """Number of rows that count, their verdicts, their share."""
    verdicts = [row.verdict for row in rows if row.counts]
    counts = " | ".join(str(verdicts.count(verdict)) for verdict in COUNTED)
    return f"{len(verdicts)} | {counts} | {share(rows)[2]}"


def _overview(records: Mapping[str, Record]) -> list[str]:
    """A line for each entry that counts, then one for each that does not."""
    lines = [
        "| table | numbers | equal | inside | explained | outside | % |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, record in records.items():
        if any(row.counts for row in record.rows):
            lines.append(f"| [{record.entry.title}](#{name}) | {_cells(record.rows)} |")
    others = [record for record in records.values() if not any(row.counts for row in record.rows)]
    lines.append("")
    if others:
        lines += ["Shown, but not counted:", ""]
        for record in others:
            lines.append(f"- [{record.entry.title}](#{record.entry.name}): {_counts(record.rows)}.")
        lines.append("")
    return lines


def _section(record: Record, directory: Path, here: Path) -> list[str]:
    item, rows = record.entry, record.rows
    lines = [f'<a id="{item.name}"></a>', "", f"### {item.title} (`{item.name}`)", ""]
    lines += [
        f"{item.table}. {item.why}".rstrip(),
        "",
        f"{_counts(rows)}. {record.date}, version {record.version}: ",
    ]
    lines[-1] += f"`{record.command}`"
    lines += ["", *_people(item, rows)]
    drawn = beside_published(item.title, rows) if item.kind != "analysis" else None
    if drawn is not None:
        (directory / f"{item.name}.svg").write_text(drawn.svg(standalone=True), encoding="utf-8")
        lines += [_image(item.title, directory / f"{item.name}.svg", here), ""]
    found = [(PICTURES[name][0], directory / f"{item.name}_{name}.svg") for name in item.pictures]
    images = [[f"*{title}*", "", _image(title, path, here), ""] for title, path in found if path.exists()]
    lines += [line for image in images[:OPEN] for line in image]
    if images[OPEN:]:
        more = [line for image in images[OPEN:] for line in image]
        lines += ["<details><summary>more figures</summary>", "", *more, "</details>", ""]
    differ = [row for row in rows if row.verdict == "outside"]
    if differ:
        lines += ["Outside:", "", *_table(differ), ""]
    return [*lines, "<details><summary>all rows</summary>", "", *_table(rows), "", "</details>", ""]


def _people(item: Entry, rows: Sequence[Row]) -> list[str]:
    """On how many games a planner reaches the human score."""
    if not item.human:
        return []
    human = {game: scores[1] for game, scores in reference().items()}
    known = [(row.game, row.ours) for row in rows if row.ours is not None and row.game in human]
    if not known:
        return []
    above = [game for game, score in known if score >= human[game]]
    return [
        f"**Human level in {len(above)} of {len(known)} games, no network** (scores of Atari-5's Table 12).",
        "",
    ]


def _table(rows: Iterable[Row]) -> list[str]:
    lines = ["| game | published | ours | n | band | verdict | why |", "|---|---|---|---|---|---|---|"]
    return lines + [f"| {' | '.join(cells)} |" for cells in map(shown, rows)]


def _image(title: str, path: Path, here: Path) -> str:
    return f"![{title}]({path.relative_to(here).as_posix()})"


def _out_of_reach(records: Mapping[str, Record]) -> list[str]:
    """What was not run, or only in part, and what the whole would take, with the arithmetic."""
    items = [
        item for item in catalogue().values() if item.name not in records or not records[item.name].complete
    ]
    if not items:
        return []
    lines = [
        f"## {REACH}", "",
        "frames = games x trials x frames of a trial; core hours = frames / frames per second / 3,600. "
        "Speeds are frames of the game in a second of one core, search and learning included; "
        "`ale-rs reproduce NAME --estimate` measures your machine and scales them.", "",
        "| what | command | games done | games | trials | frames | frames/s | core hours | days on 2 cores | "
        "hours on 64 |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for item in items:
        cost = estimate(item)
        games = len(item.tasks()) if item.games else 1
        record = records.get(item.name)
        done = f"{len(record.rows)} of {games}" if record else "-"
        if record and any(row.verdict == "shortened" for row in record.rows):
            done += ", shortened"
        lines.append(
            f"| {item.title} ({item.table}) | `ale-rs reproduce {item.name}` | {done} | {games} | "
            f"{item.trials} | {cost.frames:,} | {item.frames_per_second:,g} | {cost.hours:,.1f} | "
            f"{cost.hours / 48:,.1f} | "
            f"{cost.hours / min(64, games * item.trials):,.1f} |"
        )
    return [*lines, ""]


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
        "- Bands: `sampled` is 4 standard errors of our mean, 5 % of the number and 0.05, where the paper "
        "names no error; `trials` is 3 standard errors of a difference, from the published deviation over "
        "trials. A right number falls outside of either in less than 1 % of games; of 55 games three or "
        "fewer would then be outside by chance in 99.8 % of runs.",
        "- *explained*: different, and an experiment shows why; most often the reference emulator "
        "of today gives our number, too.",
        "- *shortened*: fewer frames, episodes or trials than the paper; never counted.",
        "- *beside*: there is no number to compare with, or it was reached with other settings, or it cannot "
        "be read; shown for orientation only.",
        "- Nothing was tuned on the games of a table.",
    ]
