"""Plays a bit of everything, so that the compiler can see which code is used: scripts/profiled.py runs it.

Our own games are always there; those of ale-py are played, too, when it is installed.
"""

import numpy as np

import ale_rs
from ale_rs import ALEInterface, AtariVectorEnv, LoggerMode, roms

# None of those that compare.py measures.
GAMES = [
    "glowdelve", "windfall", "air_raid", "amidar", "bank_heist", "battle_zone", "berzerk", "bowling",
    "carnival", "centipede", "chopper_command", "defender", "elevator_action", "fishing_derby", "gravitar",
    "ice_hockey", "jamesbond", "krull", "kung_fu_master", "name_this_game", "phoenix", "pooyan",
    "road_runner", "skiing", "star_gunner", "tennis", "time_pilot", "tutankham", "venture",
    "wizard_of_wor", "yars_revenge", "zaxxon",
]  # fmt: skip
STEPS = 60
FRAMES = 240


def main() -> None:
    ALEInterface.setLoggerMode(LoggerMode.Error)
    for game in GAMES:
        try:
            roms.load(game)
        except roms.RomNotFoundError:
            continue
        train_vector(game)
        train_single(game)
    print(f"trained with ale_rs {ale_rs.__version__}")


def train_vector(game: str) -> None:
    """Steps of a vector environment as learning programs take them."""
    rng = np.random.default_rng(1)
    env = AtariVectorEnv(game, num_envs=4, num_threads=1)
    env.reset(seed=1)
    count = int(env.single_action_space.n)  # type: ignore[attr-defined]
    for _ in range(STEPS):
        env.step(rng.integers(0, count, 4))
    env.close()


def train_single(game: str) -> None:
    """Frames one by one, with the screen."""
    rng = np.random.default_rng(2)
    ale = ALEInterface()
    ale.loadROM(roms.find(game))
    actions = ale.getMinimalActionSet()
    screen = np.empty(ale.getScreenDims(), np.uint8)
    for _ in range(FRAMES):
        ale.act(actions[rng.integers(len(actions))])
        ale.getScreen(screen)
        if ale.game_over():
            ale.reset_game()


if __name__ == "__main__":
    main()
