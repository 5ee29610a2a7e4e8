"""Decisions per second of whole trials: emulator, features and learner, one thread.

    python benches/python/learning.py               # some minutes
    python benches/python/learning.py --frames 20000 --sets ram

For each set of features the speed on five games and their geometric mean, beside the floor that it should
not fall below; then where a decision goes, the Brute without sticky actions in frames per second, and two
trials in two threads beside one. All but the last are processor time; the last needs two idle cores.
"""

import argparse
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ale_rs import ALEInterface, AtariEnv, LoggerMode, features, learning, roms

GAMES = ("asterix", "beam_rider", "freeway", "seaquest", "space_invaders")
FLOORS = {"basic": 8000, "blob-prost": 2000, "lsh": 2000, "ram": 1000, "bass": 1000}
BRUTE_FLOOR = 500_000
WARM_UP = 5000
"""Frames before the clock starts: tables are made, memory is touched."""


def trial(agent: str, game: str, frames: int, features: str | None = None, seed: int = 0) -> learning.Trial:
    """A trial after its warm-up."""
    protocol = "machado2018_deterministic" if agent == "brute" else "machado2018"
    made = learning.Trial(agent, game, features=features, protocol=protocol, frames=frames, seed=seed)
    made.run(lambda episode: None, until=lambda: made.frames >= WARM_UP)
    return made


def speed(made: learning.Trial) -> tuple[float, float]:
    """Decisions and frames per second of the rest of a trial."""
    steps, before = [0], made.frames
    start = time.thread_time()
    made.run(lambda episode: steps.append(episode.steps))
    seconds = time.thread_time() - start
    return sum(steps) / seconds, (made.frames - before) / seconds


def shares(name: str, game: str, decisions: int = 2000) -> tuple[float, float]:
    """Microseconds of a decision for the emulator and for the features, in random play."""
    options = {"frameskip": 5, "full_action_space": True, "repeat_action_probability": 0.25}
    env = AtariEnv(game, obs_type="ram", **options)  # draws nothing
    ale = ALEInterface()
    ale.setInt("frame_skip", 5)
    ale.setFloat("repeat_action_probability", 0.25)
    ale.setBool("color_averaging", name == "blob-prost")
    ale.loadROM(roms.find(game))
    seen = [env.reset(seed=0)[0] if name == "ram" else ale.getScreen()]
    chance = np.random.default_rng(0)
    emulator = 0.0
    for action in chance.integers(18, size=decisions).tolist():
        start = time.thread_time()
        if name == "ram":
            observation, _, over, *_ = env.step(action)
        else:
            ale.act(action)
        emulator += time.thread_time() - start
        if name != "ram":
            observation, over = ale.getScreen(), ale.game_over()
        seen.append(observation)
        if over:
            env.reset()
            ale.reset_game()
    found = features.make(name, game)
    start = time.thread_time()
    for observation in seen:
        found(observation)
    return emulator * 1e6 / decisions, (time.thread_time() - start) * 1e6 / len(seen)


def side_by_side(game: str, frames: int, name: str) -> float:
    """How much more two threads with the same trial get done than one."""
    single = trial("sarsa", game, frames, name)
    before, start = single.frames, time.perf_counter()
    single.run(lambda episode: None)
    alone = (single.frames - before) / (time.perf_counter() - start)
    pair = [trial("sarsa", game, frames, name) for _ in range(2)]
    before = sum(made.frames for made in pair)
    start = time.perf_counter()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda made: made.run(lambda episode: None), pair))
    return (sum(made.frames for made in pair) - before) / (time.perf_counter() - start) / alone


def main() -> None:
    """Print the table."""
    ALEInterface.setLoggerMode(LoggerMode.Error)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--frames", type=int, default=50_000, help="frames of a trial (default: %(default)s)")
    parser.add_argument("--sets", nargs="*", default=list(FLOORS), choices=FLOORS)
    parser.add_argument("--games", nargs="*", default=[game for game in GAMES if roms.locate(game)])
    given = parser.parse_args()
    print(
        "decisions/s".ljust(12), *(game.rjust(15) for game in given.games), "mean".rjust(8), "floor".rjust(8)
    )
    means = {}
    for name in given.sets:
        speeds = [speed(trial("sarsa", game, given.frames, name))[0] for game in given.games]
        shown = (f"{value:15,.0f}" for value in speeds)
        means[name] = statistics.geometric_mean(speeds)
        print(name.ljust(12), *shown, f"{means[name]:8,.0f} {FLOORS[name]:8,}", flush=True)
    print("microseconds of a decision (geometric mean): all, emulator, features, the rest")
    for name in given.sets:
        emulator, found = map(
            statistics.geometric_mean, zip(*(shares(name, game) for game in given.games), strict=True)
        )
        whole = 1e6 / means[name]
        print(
            f"{name:12} {whole:7.0f} {emulator:7.0f} {found:7.0f} {whole - emulator - found:7.0f}", flush=True
        )
    speeds = [speed(trial("brute", game, 20 * given.frames))[1] for game in given.games]
    shown = (f"{value:15,.0f}" for value in speeds)
    print("brute (f/s)".ljust(12), *shown, f"{statistics.geometric_mean(speeds):8,.0f} {BRUTE_FLOOR:8,}")
    for name in given.sets:
        ratios = [side_by_side(game, given.frames, name) for game in given.games[:2]]
        print(
            f"two trials in two threads, {name}: {statistics.geometric_mean(ratios):.2f} times one",
            flush=True,
        )


if __name__ == "__main__":
    main()
