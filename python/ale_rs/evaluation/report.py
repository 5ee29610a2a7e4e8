"""The report: one HTML page that needs no network, with all its numbers embedded as JSON."""

import html
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ale_rs.evaluation import charts
from ale_rs.evaluation._data import HERE
from ale_rs.evaluation.drawing import STYLE
from ale_rs.evaluation.page_data import Settings, Source, gather

__all__ = ["load_report", "page", "report"]

EMBEDDED = '<script type="application/json" id="data">'
METRIC_NAMES = {"mean": "mean", "median": "median", "iqm": "IQM", "gap": "optimality gap"}


def report(
    sources: Iterable[Source],
    path: str | os.PathLike[str] = "report.html",
    *,
    baselines: Sequence[str] = (),
    settings: Settings | None = None,
) -> dict[str, Any]:
    """Write the report of logs and tables of scores, and return its numbers.

    Args:
        sources: run sets, directories of logs, CSV files with `agent,game,score`.
        path: the page.
        baselines: published results to compare with, `"machado2018/dqn"`.
        settings: the other choices.
    """
    chosen = settings or Settings()
    if baselines:
        chosen = replace(chosen, baselines_shown=tuple(baselines))
    data = gather(sources, chosen)
    target = Path(path)
    if target.exists() and EMBEDDED not in target.read_text(encoding="utf-8", errors="replace"):
        raise ValueError(f"{target} exists and is no report of ours; give another name")
    target.write_text(page(data), encoding="utf-8")
    return data


def load_report(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The numbers of a report.

    Raises:
        ValueError: the file is no report.
    """
    text = Path(path).read_text(encoding="utf-8")
    if EMBEDDED not in text:
        raise ValueError(f"{path} is no report: it has no embedded numbers")
    data: dict[str, Any] = json.loads(text.split(EMBEDDED, 1)[1].split("</script>", 1)[0])
    return data


def page(data: Mapping[str, Any]) -> str:
    """The page of a report's numbers; the same numbers give the same bytes."""
    style = (HERE / "report.css").read_text(encoding="utf-8")
    sort = (HERE / "report.js").read_text(encoding="utf-8")
    body = "".join(_section(section, data["settings"]) for section in data["protocols"])
    embedded = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    embedded = embedded.replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><title>Evaluation report</title>'
        f"<style>{STYLE}\n{style}</style></head><body>\n<h1>Evaluation report</h1>\n"
        f"{_contents(data)}{body}{EMBEDDED}{embedded}</script>\n<script>\n{sort}</script>\n</body></html>\n"
    )


Cell = tuple[str, float | None] | str
"""Text, or HTML with the number to sort by."""


def _e(text: object) -> str:
    return html.escape(str(text))


def _contents(data: Mapping[str, Any]) -> str:
    names = [section["name"] for section in data["protocols"]]
    links = ", ".join(f'<a href="#{_e(name)}">{_e(name)}</a>' for name in names)
    return f'<p class="muted">Protocols: {links}. Click a column head to sort.</p>\n'


def _section(section: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    parts = [f'<h2 id="{_e(section["name"])}">{_e(section["name"])}</h2>\n']
    if section["source"]:
        parts.append(f'<p class="muted">{_e(section["source"])}</p>\n')
    if section["aggregates"]:
        parts += [_headline(section, settings), _interval_plot(section), _profile(section, settings)]
        parts += [_improvement(section), _estimates(section)]
    if section["games"]:
        parts.append(_games(section, settings))
    if section.get("checkpoints"):
        parts.append(_checkpoints(section))
    if section.get("crafter"):
        parts.append(_crafter(section["crafter"]))
    parts += [_what_was_run(section, settings), _warnings(section)]
    return "".join(part for part in parts if part)


def _table(head: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A sortable table; a cell is text, or (HTML, number to sort by)."""
    titles = "".join(f"<th>{_e(name)}</th>" for name in head)
    lines = []
    for row in rows:
        cells = "".join(
            f"<td>{_e(cell)}</td>"
            if isinstance(cell, str)
            else f'<td data-v="{"" if cell[1] is None else repr(float(cell[1]))}">{cell[0]}</td>'
            for cell in row
        )
        lines.append(f"<tr>{cells}</tr>")
    return (
        f'<div class="wide"><table class="sortable"><thead><tr>{titles}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>\n"
    )


def _headline(section: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    entries = section["aggregates"]
    metrics = [entry["metric"] for entry in next(iter(entries.values()))]
    human = bool(section["at_human_level"])
    head = ["agent", *(METRIC_NAMES[metric] for metric in metrics), "games", "trials"]
    rows = []
    for agent, found in entries.items():
        row: list[Cell] = [agent]
        for entry in found:
            ends = ""
            if entry["low"] is not None:
                ends = f' <span class="z">[{entry["low"]:.3f}, {entry["high"]:.3f}]</span>'
            shown = "-" if entry["value"] is None else f"{entry['value']:.3f}{ends}"
            row.append((shown, entry["value"]))
        row += [(str(found[0]["games"]), found[0]["games"]), (str(found[0]["trials"]), found[0]["trials"])]
        if human:
            level = section["at_human_level"][agent]
            row.append((f"{level['games']} of {level['of']}", level["games"] / max(level["of"], 1)))
        rows.append(row)
    text = (
        f"Normalised by <b>{_e(settings['normalise'])}</b> (fractions; reference table "
        f"<b>{_e(section['reference'])}</b>). Intervals: {settings['level']:.0%}, stratified "
        f"bootstrap over trials, {settings['replications']:,} replicates, seed {settings['seed']}. A lower "
        "optimality gap is better."
    )
    return f"<h3>Aggregates</h3><p>{text}</p>\n" + _table(head + ["games at human level"] * human, rows)


def _interval_plot(section: Mapping[str, Any]) -> str:
    groups: dict[str, dict[str, tuple[float, float | None, float | None]]] = {}
    for agent, found in section["aggregates"].items():
        for entry in found:
            if entry["value"] is not None:
                name = METRIC_NAMES[entry["metric"]]
                groups.setdefault(name, {})[agent] = (entry["value"], entry["low"], entry["high"])
    return f'<div class="wide">{charts.intervals(groups).svg()}</div>\n' if groups else ""


def _hues(section: Mapping[str, Any]) -> dict[str, str]:
    return {agent: charts.colour(index) for index, agent in enumerate(section["aggregates"])}


def _profile(section: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    found, hues = section["profile"], _hues(section)
    curves = [
        charts.Curve(agent, found["taus"], line["shares"], line["low"], line["high"], hues[agent])
        for agent, line in found["agents"].items()
    ]
    chart = charts.curve_chart(
        curves, "performance profile", f"{settings['normalise']}-normalised score τ",
        "share of runs above τ", y=(0, 1), width=760,
    )  # fmt: skip
    return f'<h3>Performance profile</h3>\n<div class="wide">{chart.svg()}</div>\n'


def _improvement(section: Mapping[str, Any]) -> str:
    pairs = section["improvement"]
    if not pairs:
        return ""
    agents = list(dict.fromkeys(pair["first"] for pair in pairs))
    by = {(pair["first"], pair["second"]): pair for pair in pairs}
    rows = []
    for first in agents:
        row: list[Cell] = [first]
        for second in agents:
            pair = by.get((first, second))
            if pair is None:
                row.append(("-", None))
                continue
            ends = f" [{pair['low']:.2f}, {pair['high']:.2f}]" if pair["low"] is not None else ""
            tests = f"{pair['better']}-{pair['worse']} of {pair['games']}"
            row.append((f'{pair["value"]:.2f}<span class="z">{ends} · {tests}</span>', pair["value"]))
        rows.append(row)
    level = f"{section['alpha']:g}"
    text = (
        "Probability that a run of the row's agent beats one of the column's on a game, with its interval; "
        f"then games on which it is significantly better-worse (Welch's test, level {level}, raw trial "
        "scores; not corrected for many tests)."
    )
    return f"<h3>Probability of improvement</h3><p>{text}</p>\n" + _table(["agent", *agents], rows)


def _estimates(section: Mapping[str, Any]) -> str:
    rows: list[list[Cell]] = []
    for agent, entries in section["estimates"].items():
        for entry in entries:
            ends = f"[{entry['low']:.1f}, {entry['high']:.1f}]" if entry["low"] is not None else "-"
            error = "-" if entry["relative_error"] is None else f"{entry['relative_error']:.1f} %"
            median = ("-", None) if entry["median"] is None else (f"{entry['median']:.1f}", entry["median"])
            value = (f"{entry['value']:.1f}", entry["value"])
            rows.append([agent, entry["model"], value, (ends, entry["low"]), error, median])
    if not rows:
        return ""
    text = (
        "Estimated median over 57 games in percent, from a few games. The interval is over trials only; the "
        "model's own relative error stands apart. Compare Atari-5 numbers with Atari-5 numbers, not with "
        "medians."
    )
    head = ["agent", "model", "estimate", "interval", "model error", "true median"]
    return f"<h3>Atari-k estimates</h3><p>{text}</p>\n" + _table(head, rows)


def _games(section: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    agents = section["agents"]
    all_hues = {agent: charts.colour(index) for index, agent in enumerate(agents)}
    hues = all_hues | _hues(section)
    curves = section.get("curves", {})
    rows = []
    for game in section["games"]:
        row: list[Cell] = [game["game"]]
        for agent in agents:
            row.append(_cell(game, agent, section))
        if curves:
            lines = curves.get(game["game"])
            row.append((charts.spark(lines, hues).svg() if lines else "", None))
        rows.append(row)
    text = (
        "Raw score, mean ± standard deviation over trials; in gray the normalised score and the trials "
        f"(fewest episodes behind a score). Best in bold. Normalisation: {_e(settings['normalise'])}."
    )
    head = ["game", *agents, *(["learning curve"] if curves else [])]
    return f"<h3>Scores per game</h3><p>{text}</p>\n" + _table(head, rows)


def _cell(game: Mapping[str, Any], agent: str, section: Mapping[str, Any]) -> tuple[str, float | None]:
    found = game["scores"].get(agent)
    if found is None:
        return "-", None
    if found["mean"] is None:
        return f'<span class="z">0 of {found["of"]} trials</span>', None
    shown = f"{found['mean']:,.1f}"
    if found["trials"] > 1:
        shown += f" ± {found['sd']:,.1f}"
    if game["best"] == agent and len(section["agents"]) > 1:
        shown = f"<b>{shown}</b>"
    details = [] if found["normalised"] is None else [f"{found['normalised']:.3f}"]
    trials = f"{found['trials']} of {found['of']}" if found["trials"] < found["of"] else str(found["trials"])
    details.append(f"n {trials}" + (f" ({found['episodes']} ep)" if found["episodes"] else ""))
    return f'{shown} <span class="z">{" · ".join(details)}</span>', found["mean"]


def _checkpoints(section: Mapping[str, Any]) -> str:
    rows: list[list[Cell]] = []
    for row in section["checkpoints"]:
        mark = row["checkpoint"]
        place = (f"{mark:,}" if isinstance(mark, int) else str(mark), mark if isinstance(mark, int) else None)
        mean = ("-" if row["mean"] is None else f"{row['mean']:,.1f} ± {row['sd']:,.1f}", row["mean"])
        trials = (f"{row['trials']} of {row['of']}", row["trials"])
        rows.append([row["agent"], row["game"], place, mean, trials, (str(row["episodes"]), row["episodes"])])
    head = ["agent", "game", "checkpoint", "score", "trials", "episodes"]
    return "<details><summary>All checkpoints</summary>\n" + _table(head, rows) + "</details>\n"


def _crafter(found: Mapping[str, Any]) -> str:
    rows: list[list[Cell]] = []
    for agent, entry in found.items():
        score = "-" if entry["mean"] is None else f"{entry['mean']:.2f} ± {entry['sd']:.2f} %"
        value = entry["return"]
        rows.append([
            agent, (score, entry["mean"]), (f"{entry['trials']} of {entry['of']}", entry["trials"]),
            (f"{entry['episodes']:,}", entry["episodes"]),
            ("-" if value is None else f"{value:.2f}", value),
        ])  # fmt: skip
    known = {agent: entry for agent, entry in found.items() if entry["rates"]}
    text = "Score: geometric mean of the success rates of 22 achievements, per seed; ± population deviation."
    parts = [
        f"<h3>Crafter</h3><p>{text}</p>\n",
        _table(["agent", "score", "seeds", "episodes", "return"], rows),
    ]
    if known:
        names = list(next(iter(known.values()))["rates"])
        series = {agent: [entry["rates"][name] for name in names] for agent, entry in known.items()}
        labels = [name.replace("_", " ") for name in names]
        chart = charts.bars(labels, series, "success rates", "share of episodes in %", width=980)
        parts.append(f'<div class="wide">{chart.svg()}</div>\n')
    return "".join(parts)


def _what_was_run(section: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    rows: list[list[Cell]] = []
    for run in section["runs"]:
        seeds = ", ".join(map(str, sorted(run["seeds"])))
        versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
        rows.append([
            run["agent"], run["game"], seeds, (f"{run['episodes']:,}", run["episodes"]),
            (f"{run['frames']:,}", run["frames"]), json.dumps(run["config"], ensure_ascii=False),
            json.dumps(run["env"]), versions, run["rom_md5"],
        ])  # fmt: skip
    head = ["agent", "game", "seeds", "episodes", "frames", "agent config", "env", "versions", "ROM MD5"]
    shown = json.dumps({key: value for key, value in settings.items() if value not in (None, [], ())})
    table = _table(head, rows) if rows else ""
    return (
        "<h3>What was run</h3>\n"
        f"<details><summary>Protocol</summary><pre>{_e(section['text'])}</pre></details>\n"
        f"<details><summary>Trials, settings, versions, checksums</summary>{table}"
        f"<p>Report settings: {_e(shown)}</p></details>\n"
    )


def _warnings(section: Mapping[str, Any]) -> str:
    if not section["warnings"]:
        return ""
    lines = "".join(f"<li>{_e(line)}</li>" for line in section["warnings"])
    return f'<h3>Warnings</h3>\n<ul class="warnings">{lines}</ul>\n'
