"""Where scores differ from Table 4 of the first paper: experiments that look for the reason.

`python tests/parity/differences_2013.py NAME` runs one of them; its numbers stand beside the printed ones:

- `start`: Const in all games with frame skip 1 and 5 (Berzerk begins with no-ops that last a frame skip);
- `again`: Const in Assault and Berzerk, five episodes in a row (a reset keeps RAM);
- `same`: Random in Gopher and Ice Hockey here and in ale-py, with the same actions;
- `flavours`: Random in Gopher and Ice Hockey in all modes and difficulties, with actions of 1, 2, 5 frames;
- `actions`: Random with all 18 actions and with the game's own;
- `perturb`: Perturb in Ms. Pacman and Zaxxon, 100 episodes of each action, 1,000 of the best.
"""

import argparse
import dataclasses
import math
import random
import statistics
from collections.abc import Sequence
from typing import Any

import ale_rs
from ale_rs import ALEInterface, LoggerMode, games, learning
from ale_rs.evaluation import protocol, published, select_games
from ale_rs.evaluation.agents import ACTIONS
from ale_rs.roms import get_rom_path

RULES = protocol("bellemare2013_planning")
PRINTED = published("bellemare2013_table4")
OUTSIDE = ("gopher", "ice_hockey")


def play(agent: str, game: str, episodes: int, *, full: bool = True, **options: Any) -> list[float]:
    """The scores of so many episodes."""
    rules = dataclasses.replace(
        RULES,
        env={**RULES.env, "full_action_space": full},
        score={**RULES.score, "episodes": episodes},
    )
    scores: list[float] = []
    trial = learning.Trial(agent, game, protocol=rules, **options)
    trial.run(lambda episode: scores.append(episode.score))
    return scores


def shown(scores: list[float]) -> str:
    """Mean and standard error."""
    error = statistics.stdev(scores) / math.sqrt(len(scores))
    return f"{statistics.fmean(scores):,.1f} +- {error:.1f} ({len(scores)})"


def start(chosen: Sequence[str] = ("atari55_bellemare2013",)) -> None:
    """Const with two frame skips."""
    for game in select_games(tuple(chosen)):
        best = [
            max(play(f"const:{name}", game, 1, parameters={"decision_frames": skip})[0] for name in ACTIONS)
            for skip in (1, 5)
        ]
        note = "  differ" if best[0] != best[1] else ""
        print(
            f"{game}: printed {PRINTED['const'][game]:g}, skip 1 {best[0]:g}, skip 5 {best[1]:g}{note}",
            flush=True,
        )


def again(chosen: Sequence[str] = ("assault", "berzerk")) -> None:
    """Const, episode after episode of one emulator; a trial begins each of its episodes with a seed."""
    for game in chosen:
        scores = [in_a_row(game, action, 5) for action in range(len(ACTIONS))]
        best = [f"{max(column):g}" for column in zip(*scores, strict=True)]
        print(
            f"{game}: printed {PRINTED['const'][game]:g}, best of 18 by episode {', '.join(best)}", flush=True
        )


def in_a_row(game: str, action: int, episodes: int) -> list[float]:
    """The scores of an action that is held; only the first episode begins with a fresh console."""
    ALEInterface.setLoggerMode(LoggerMode.Error)
    ale = ALEInterface()
    ale.setFloat("repeat_action_probability", 0.0)
    ale.setInt("frame_skip", RULES.env["frameskip"])
    ale.setInt("max_num_frames_per_episode", RULES.env["max_num_frames_per_episode"])
    ale.loadROM(str(get_rom_path(game)))
    scores = []
    for _ in range(episodes):
        ale.reset_game()
        score = 0.0
        while not ale.game_over():
            score += ale.act(action)
        scores.append(score)
    return scores


def same(chosen: Sequence[str] = OUTSIDE) -> None:
    """Random here and in ale-py."""
    import ale_py

    for game in chosen:
        scores: list[list[float]] = []
        for module in (ale_rs, ale_py):
            module.ALEInterface.setLoggerMode(module.LoggerMode.Error)
            ale = module.ALEInterface()
            ale.setFloat("repeat_action_probability", 0.0)
            ale.loadROM(str(get_rom_path(game)))
            drawn = random.Random(0)
            scores.append([])
            for _ in range(10):
                ale.reset_game()
                scores[-1].append(0.0)
                while not ale.game_over():
                    scores[-1][-1] += ale.act(drawn.randrange(18))
        equal = sum(ours == theirs for ours, theirs in zip(*scores, strict=True))
        print(
            f"{game}: {equal} of 10 episodes equal, here {shown(scores[0])}, ale-py {shown(scores[1])}",
            flush=True,
        )


def flavours(chosen: Sequence[str] = OUTSIDE) -> None:
    """Random in other modes and difficulties, and with actions that last longer."""
    for game in chosen:
        facts = games.get(game)
        print(f"{game}: printed {PRINTED['random'][game]:g}")
        for mode in facts.modes:
            for difficulty in facts.difficulties:
                scores = play("random", game, 100, mode=mode, difficulty=difficulty)
                print(f"  mode {mode}, difficulty {difficulty}: {shown(scores)}", flush=True)
        for frames in (2, 5):
            scores = play("random", game, 100, parameters={"decision_frames": frames})
            print(f"  an action for {frames} frames: {shown(scores)}", flush=True)


def actions(chosen: Sequence[str] = ("gopher", "space_invaders", "breakout", "asterix", "qbert")) -> None:
    """Random with the game's own actions only."""
    for game in chosen:
        both = [play("random", game, 1000 if game == "gopher" else 200, full=full) for full in (True, False)]
        text = f"18 actions {shown(both[0])}, its own {shown(both[1])}"
        print(f"{game}: printed {PRINTED['random'][game]:g}, {text}", flush=True)


def perturb(chosen: Sequence[str] = ("ms_pacman", "zaxxon")) -> None:
    """Perturb with more episodes."""
    for game in chosen:
        means = {name: statistics.fmean(play(f"perturb:{name}", game, 100)) for name in ACTIONS}
        best = max(means, key=means.__getitem__)
        scores = shown(play(f"perturb:{best}", game, 1000))
        print(f"{game}: printed {PRINTED['perturb'][game]:g}, best {best}: {scores}", flush=True)


EXPERIMENTS = {run.__name__: run for run in (start, again, same, flavours, actions, perturb)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=EXPERIMENTS)
    parser.add_argument("games", nargs="*", help="only these")
    given = parser.parse_args()
    EXPERIMENTS[given.name](*[given.games] * bool(given.games))
