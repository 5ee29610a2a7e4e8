"""`ale-rs train`: native agents learn a game; run logs, checkpoints and a learning curve."""

import argparse
import math
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from ale_rs.cli._table import table
from ale_rs.cli.demo import positive

if TYPE_CHECKING:
    from ale_rs.evaluation import RunLog

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

UNITS = {"k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
POINTS = 60
"""Bins of a learning curve, at most."""


def add_cli(commands: "Commands") -> None:
    """Add `train` to the command line."""
    top = commands.add_parser(
        "train",
        help="let a native agent learn a game",
        description="Play whole trials of an agent, one for each seed, side by side. Each writes a run log "
        "below --out and goes on from its checkpoint when the same command is given again. Ctrl-C finishes "
        "the running episodes and writes checkpoints.",
    )
    top.add_argument("agent", metavar="AGENT", help="sarsa, brute, random, const:ACTION, perturb:ACTION")
    top.add_argument("--game", required=True, help="id of the game")
    top.add_argument("--features", help="features of sarsa: basic, bass, ram, lsh, blob-prost, ...")
    top.add_argument("--protocol", default="machado2018", help="name or file (default: %(default)s)")
    top.add_argument("--frames", type=frames, help="frames of training, 1M (default: the protocol's)")
    top.add_argument("--seeds", type=positive, default=1, help="number of trials (default: %(default)s)")
    top.add_argument("--threads", type=int, default=0, help="trials at a time (default: one for each core)")
    top.add_argument("--out", type=Path, default=Path("runs"), help="directory (default: %(default)s)")
    top.add_argument("--checkpoint", type=float, help="seconds between checkpoints (default: 300)")
    top.add_argument(
        "--curve", type=Path, help="picture of the learning curve, .svg, or .png with matplotlib"
    )
    top.add_argument(
        "--set", metavar="NAME=VALUE", action="append", default=[], help="another value for a parameter"
    )
    top.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Train, and print a line for each trial."""
    from ale_rs import learning

    logs = learning.train(
        given.agent,
        given.game,
        features=given.features,
        protocol=given.protocol,
        frames=given.frames,
        seeds=range(given.seeds),
        threads=given.threads,
        out=given.out,
        checkpoint=given.checkpoint,
        parameters=dict(map(parameter, given.set)),
    )
    rows = []
    for log in logs:
        scores = [episode.score for episode in log.episodes]
        total = sum(episode.frames for episode in log.episodes)
        numbers = (f"{mean(scores[-100:]):.1f}", f"{max(scores):.1f}")
        rows.append((str(log.run.seed), f"{len(scores):,}", f"{total:,}", *numbers))
    print(table(("seed", "episodes", "frames", "mean of last 100", "best"), rows))
    print(f"logs: {given.out / logs[0].run.path.parent}")
    if given.curve is not None:
        draw(logs, given.curve)
        print(f"learning curve: {given.curve}")
    return 0


def frames(text: str) -> int:
    """A number of frames, such as `500k` or `1M`."""
    number, unit = (text[:-1], text[-1:].lower()) if text[-1:].lower() in UNITS else (text, "")
    try:
        value = float(number) * UNITS.get(unit, 1)
    except ValueError:
        value = math.nan
    if not (value >= 1 and value == int(value)):
        raise argparse.ArgumentTypeError(f'"{text}" is no number of frames; accepted: 1000000, 500k, 1M')
    return int(value)


def parameter(text: str) -> tuple[str, object]:
    """A name and a value, such as `step_size=0.1`."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f'"{text}" is no parameter; accepted: NAME=VALUE, such as step_size=0.1')
    words = {"true": True, "false": False}
    if value.lower() in words:
        return name, words[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


def draw(logs: "list[RunLog]", path: Path) -> None:
    """Write the learning curve of some trials: mean returns in bins of frames, and their mean."""
    from ale_rs.evaluation import curve
    from ale_rs.evaluation.charts import Curve, colour, curve_chart

    phase = "train" if logs[0].phase("train") else "evaluate"
    # A bin should hold several episodes.
    points = min(POINTS, max(min(len(log.phase(phase)) for log in logs) // 4, 1))
    bin_frames = max(math.ceil(max(log.phase(phase)[-1].total_frames for log in logs) / points), 1)
    lines = [curve(log, bin_frames, phase) for log in logs]
    length = max(map(len, lines))
    xs = [(index + 1) * float(bin_frames) for index in range(length)]
    shown = [Curve("", xs[: len(line)], line, colour="muted", width=1) for line in lines]
    columns = ([line[index] for line in lines if index < len(line)] for index in range(length))
    middle = [mean(known) if (known := [y for y in column if y is not None]) else None for column in columns]
    run = logs[0].run
    shown.append(Curve(f"{run.agent}, {len(logs)} trials", xs, middle, colour=colour(0), width=2))
    curve_chart(shown, f"{run.agent} in {run.game}", "frames", "mean return").save(path)
