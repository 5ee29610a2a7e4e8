"""Recorded games as run logs, so that a person's play is scored like an agent's."""

import json
import os
from pathlib import Path
from typing import Any

from ale_rs.evaluation.crafter_score import ACHIEVEMENTS
from ale_rs.evaluation.protocol import UNSPECIFIED, start_run
from ale_rs.evaluation.records import Episode
from ale_rs.evaluation.tasks import CRAFTER
from ale_rs.evaluation.writer import Writer

__all__ = ["log_recording"]


def log_recording(
    path: str | os.PathLike[str],
    root: str | os.PathLike[str],
    *,
    agent: str = "human",
    seed: int = 0,
    protocol: str | None = None,
) -> Path:
    """Write the run log of recorded games; returns the file.

    Args:
        path: an action log of `ale-rs play --log`, or `stats.jsonl` of Crafter's recorder.
        root: the directory of logs.
        agent: what the log calls the player.
        seed: number of the trial.
        protocol: the protocol that the games were played under, if any.

    Raises:
        ValueError: the file is neither, no game in it was finished, or the trial exists.
    """
    file = Path(path)
    name = protocol or UNSPECIFIED
    episodes, game, env, mode, difficulty = _crafter(file) if _is_stats(file) else _atari(file)
    if not episodes:
        raise ValueError(f"{file}: no game was played to its end; only whole games are scored")
    run = start_run(
        agent, game, seed, protocol=name, env=env, mode=mode, difficulty=difficulty,
        config={"recording": file.name},
    )  # fmt: skip
    if (Path(root).expanduser() / run.path).exists():
        raise ValueError(f"{Path(root) / run.path} exists; take another seed or another name of the agent")
    with Writer(root, run) as log:
        for episode in episodes:
            log.append(episode)
        log.end("recorded")
        return log.path


def _is_stats(path: Path) -> bool:
    with path.open("rb") as file:
        return b'"achievement_' in file.readline()


def _crafter(path: Path) -> tuple[list[Episode], str, dict[str, Any], int | None, int]:
    episodes: list[Episode] = []
    total = 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
            counts = {name: int(row[f"achievement_{name}"]) for name in ACHIEVEMENTS}
            length, score = int(row["length"]), float(row["reward"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}:{number}: is no episode of a Crafter recording: {error}") from None
        total += length
        # Whether it was death or the time limit is not in the file.
        episodes.append(
            Episode("train", len(episodes), score, length, total, length, True, False, None, counts)
        )
    return episodes, CRAFTER, {"reward": True, "length": 10_000}, None, 0


def _atari(path: Path) -> tuple[list[Episode], str, dict[str, Any], int | None, int]:
    from ale_rs import games, recording

    log = recording.ActionLog.read(path)
    if any(event[0] == "restore" for event in log.events):
        raise ValueError(f"{path}: the player went back to a saved state; that is no game to score")
    known = games.by_rom(_rom(log.options.game))
    if known is None:
        raise ValueError(f"{path}: no game is known for its ROM")
    log.replay()  # it must be the game that was seen
    ale = log.options.start()
    episodes: list[Episode] = []
    score, frames, total, over, last = 0.0, 0, 0, False, -1
    for reward in log.play(ale):
        now = ale.getEpisodeFrameNumber()
        if now <= last:  # a reset
            score, frames, over = 0.0, 0, False
        last = now
        if over:
            continue
        score, frames = score + reward, frames + 1
        if ale.game_over():
            total, over = total + frames, True
            episodes.append(Episode("evaluate", len(episodes), score, frames, total, frames, True, False))
    env = {
        "frameskip": 1, "repeat_action_probability": log.options.sticky, "full_action_space": True,
        "max_num_frames_per_episode": 0, "terminal_on_life_loss": False, "noop_max": 0,
    }  # fmt: skip
    return episodes, known.name, env, log.options.mode, log.options.difficulty


def _rom(game: str) -> bytes:
    from ale_rs import roms

    return roms.load(game).data
