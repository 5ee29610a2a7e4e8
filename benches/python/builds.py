"""How fast this build of ale_rs is beside another one: vector steps, and `act` with pictures.

    python benches/python/builds.py OTHER/.venv/bin/python            # 30 games, both sections
    python benches/python/builds.py OTHER/.venv/bin/python --games pong breakout --rounds 9 --threads 1

Each build plays in a process of its own, with the same seeds and actions; rounds of the two alternate, and
only one process runs at a time. Observations, rewards and pictures are hashed and must be equal. A ratio
above 1 means that this build is slower than the other one.
"""

import argparse
import hashlib
import statistics
import subprocess
import sys
import time
from typing import Any

import numpy as np
from compare import GAMES

SEED = 7
SECTIONS = ("vector", "act")
STEPS = {"vector": 120, "act": 10_000}


class Player:
    """The build inside this process; plays what its parent asks for."""

    def __init__(self, section: str, game: str, threads: int) -> None:
        import ale_rs
        from ale_rs import roms

        self.rng = np.random.default_rng(SEED)
        self.vector = section == "vector"
        if self.vector:
            self.env = ale_rs.AtariVectorEnv(game, num_envs=64, num_threads=threads)
            self.env.reset(seed=SEED)
            self.count = int(self.env.single_action_space.n)
            return
        ale_rs.ALEInterface.setLoggerMode(ale_rs.LoggerMode.Error)
        self.ale = ale_rs.ALEInterface()
        self.ale.setInt("random_seed", SEED)
        self.ale.setInt("frame_skip", 4)
        self.ale.loadROM(roms.get_rom_path(game))
        self.actions = self.ale.getMinimalActionSet()
        self.screen = np.zeros((*self.ale.getScreenDims(), 3), np.uint8)

    def round(self) -> tuple[float, str]:
        """Seconds of one round, and a hash of what was seen last."""
        return self.vector_round() if self.vector else self.act_round()

    def vector_round(self) -> tuple[float, str]:
        rows = self.rng.integers(self.count, size=(STEPS["vector"], 64))
        start = time.perf_counter()
        for row in rows:
            seen = self.env.step(row)
        seconds = time.perf_counter() - start
        return seconds, hashlib.sha256(
            b"".join(np.ascontiguousarray(x).tobytes() for x in seen[:2])
        ).hexdigest()

    def act_round(self) -> tuple[float, str]:
        actions = [self.actions[i] for i in self.rng.integers(len(self.actions), size=STEPS["act"])]
        act, screen, total = self.ale.act, self.screen, 0.0
        start = time.perf_counter()
        for action in actions:
            total += act(action)
            self.ale.getScreenRGB(screen)
            if self.ale.game_over():
                self.ale.reset_game()
        seconds = time.perf_counter() - start
        return seconds, hashlib.sha256(screen.tobytes() + str(total).encode()).hexdigest()


def serve() -> None:
    """Play rounds as the parent names them, one line each way."""
    player = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "start":
            player = Player(words[1], words[2], int(words[3]))
            print("ready", flush=True)
        elif player is not None:
            print(*player.round(), flush=True)


class Build:
    """A process with one of the two builds."""

    def __init__(self, python: str) -> None:
        self.process = subprocess.Popen(
            [python, __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, *words: Any) -> list[str]:
        """Send one line, wait for the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(*words, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit(f"a build gave up at: {' '.join(map(str, words))}")
        return answer


def compare(section: str, game: str, builds: list[Build], rounds: int, threads: int) -> float:
    """The ratio of the medians of this build and the other one."""
    for build in builds:
        build.ask("start", section, game, threads)
    times: list[list[float]] = [[], []]
    for turn in range(rounds + 1):
        order = (0, 1) if turn % 2 else (1, 0)
        answers = {which: builds[which].ask("round") for which in order}
        if answers[0][1] != answers[1][1]:
            sys.exit(f"{section} {game}: the builds do not show the same after {turn + 1} rounds")
        for which, (seconds, _) in answers.items():
            times[which].append(float(seconds))
    this, other = (statistics.median(row[1:]) for row in times)
    print(f"{section:7} {game:18} {this * 1e3:8.2f} ms {other * 1e3:8.2f} ms {this / other:7.3f}", flush=True)
    return this / other


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("other", help="the Python interpreter of the other build's environment")
    parser.add_argument("--games", nargs="+", default=GAMES, metavar="GAME")
    parser.add_argument("--section", nargs="+", choices=SECTIONS, default=SECTIONS)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1, help="threads of the vector environment")
    given = parser.parse_args()
    builds = [Build(sys.executable), Build(given.other)]
    summaries = []
    for section in given.section:
        print(f"{section:7} {'game':18} {'this':>11} {'other':>11} {'ratio':>7}")
        ratios = {g: compare(section, g, builds, given.rounds, given.threads) for g in given.games}
        worst = max(ratios, key=lambda game: ratios[game])
        mean = statistics.geometric_mean(ratios.values())
        summaries.append(f"{section}: geometric mean {mean:.3f}, slowest {worst} {ratios[worst]:.3f}")
    print(*summaries, sep="\n")


if __name__ == "__main__":
    serve() if sys.argv[1:] == ["--serve"] else main()
