"""Const over the 55 games of the first paper: the best of 18 actions, here, in ale-py, and as published.

Run it with `python tests/parity/const_scores.py --out docs/reproductions/const.csv`: about an hour, most of
it in ale-py. Games that the file has already are not played again. Without `--out` the table is printed.
"""

import argparse
import csv
import sys
from pathlib import Path

from ale_rs import learning
from ale_rs.enums import Action
from ale_rs.evaluation import protocol, subset

REFERENCE = Path(learning.__file__).parents[1] / "evaluation/references/bellemare2013_table4.csv"
COLUMNS = ("game", "action", "ale_rs", "ale_py", "equal_actions", "published")
PROTOCOL = "bellemare2013_planning"
"""The settings of `bellemare2013`, without training: an episode is all that Const needs."""


def ours(game: str) -> list[float]:
    """The return of one episode for each action."""
    scores = []
    for action in list(Action)[:18]:
        trial = learning.Trial(f"const:{action.name}", game, protocol=PROTOCOL, frames=1)
        trial.run(lambda episode: scores.append(episode.score))
    return scores


def reference(game: str) -> list[float]:
    """The same in ale-py."""
    import ale_py
    from ale_py import roms

    env = protocol(PROTOCOL).env
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)
    ale = ale_py.ALEInterface()
    ale.setFloat("repeat_action_probability", env["repeat_action_probability"])
    ale.setInt("frame_skip", env["frameskip"])
    ale.setInt("max_num_frames_per_episode", env["max_num_frames_per_episode"])
    scores = []
    for action in list(ale_py.Action)[:18]:
        ale.loadROM(roms.get_rom_path(game))
        ale.reset_game()
        score = 0.0
        while not ale.game_over():
            score += ale.act(action)
        scores.append(score)
    return scores


def published() -> dict[str, str]:
    """The column of the paper's table."""
    with REFERENCE.open(encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row["game"]: row["const"] for row in rows}


def row(game: str) -> tuple[str, ...]:
    """One line of the table."""
    own, other = ours(game), reference(game)
    equal = sum(a == b for a, b in zip(own, other, strict=True))
    best = max(range(18), key=own.__getitem__)
    numbers = (f"{own[best]:g}", f"{max(other):g}", f"{equal}")
    return game, list(Action)[best].name, *numbers, published()[game]


def main() -> None:
    """Write a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", nargs="*", default=list(subset("atari55_bellemare2013")))
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    done = given.out.read_text(encoding="utf-8") if given.out and given.out.exists() else ""
    out = given.out.open("a", newline="", encoding="utf-8") if given.out else sys.stdout
    table = csv.writer(out, lineterminator="\n")
    if not done:
        table.writerow(COLUMNS)
    for game in given.games:
        if f"\n{game}," not in done:
            table.writerow(row(game))
            out.flush()


if __name__ == "__main__":
    main()
