"""A script of CleanRL with one line more: `ev.Log` writes the run log of what it trains on.

The line stands inside the wrappers that clip rewards and end episodes at the loss of a life.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ale_rs import evaluation as ev

AFTER = "        env = MaxAndSkipEnv(env, skip=4)\n"
LOG = '__import__("ale_rs.evaluation").evaluation.Log'
LINE = f"        env = {LOG}(env, {{root!r}}, agent={{agent!r}}, seed=seed)\n"
STEPS = 1_500


def check(agent: str, script: str) -> None:
    source = (Path(os.environ["CLEANRL"]) / script).read_text()
    assert source.count(AFTER) == 1, script
    with tempfile.TemporaryDirectory() as directory:
        root = str(Path(directory) / "runs")
        logged = Path(directory) / script
        logged.write_text(source.replace(AFTER, AFTER + LINE.format(root=root, agent=agent)))
        options = {
            "env-id": "ale_rs:PongNoFrameskip-v4", "seed": 3, "total-timesteps": STEPS, "buffer-size": 200,
            "learning-starts": STEPS - 40, "batch-size": 4,
        }  # fmt: skip
        words = [f"--{name}={value}" for name, value in options.items()]
        subprocess.run([sys.executable, logged, *words], cwd=directory, check=True)
        (log,) = ev.load(root)
    assert log.complete
    assert (log.run.agent, log.run.game, log.run.seed) == (agent, "pong", 3)
    assert (log.run.env["frameskip"], log.run.env["noop_max"]) == (4, 30)
    assert log.episodes, "random play loses a game of Pong in about 900 decisions"
    first = log.episodes[0]
    assert -21 <= first.score <= -15, first
    assert first.steps <= STEPS
    assert abs(first.frames - 4 * first.steps) <= 4, first
    print(f"{script}: {len(log.episodes)} episode, return {first.score}, {first.frames} frames: ok")


if __name__ == "__main__":
    check("dqn", "dqn_atari.py")
