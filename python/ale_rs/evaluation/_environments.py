"""What `Log` must know of an environment: its game, settings and frames, and whether rewards are whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium

from ale_rs.evaluation.tasks import CRAFTER

__all__ = ["Known", "look_at", "look_at_vector"]

CLIPPING = ("ClipReward", "ClipRewardEnv", "NormalizeReward", "TransformReward")
CUTTING = ("EpisodicLifeEnv", "EpisodicLife")
"""Names of wrappers of other libraries that end an episode before the game is over."""
SETTING = {
    "AtariPreprocessing": {"frameskip": "frame_skip", "noop_max": "noop_max"},
    "MaxAndSkipEnv": {"frameskip": "_skip"},
    "NoopResetEnv": {"noop_max": "noop_max"},
}
"""Settings that wrappers of gymnasium and Stable-Baselines3 make, and the attributes that have them."""


@dataclass(frozen=True)
class Known:
    """What a run log records of an environment: game, mode, settings, keys of `info`.

    Attributes:
        game: id of the game, or `"crafter"`.
        mode: its mode; `None` for the default.
        difficulty: its difficulty.
        env: settings, as a protocol names them.
        frame: frames so far.
        reward_in_info: the true reward is in `info`, because the agent may get none.
        frame_key: of vector environments: what `info` calls the frames so far.
        reward_key: of vector environments: what `info` calls the raw rewards, where it has them.
    """

    game: str
    mode: int | None
    difficulty: int
    env: Mapping[str, Any]
    frame: Callable[[], int]
    reward_in_info: bool = False
    frame_key: str = "frame_number"
    reward_key: str = "raw_reward"


def look_at(env: gymnasium.Env[Any, Any]) -> Known:
    """Look at an environment and the wrappers around it.

    Raises:
        ValueError: a wrapper inside changes rewards or ends episodes, or the game is unknown.
    """
    inner: Any = env
    settings: dict[str, Any] = {}
    while isinstance(inner, gymnasium.Wrapper):
        _refuse(inner)
        for key, attribute in SETTING.get(type(inner).__name__, {}).items():
            settings[key] = vars(inner)[attribute]
        inner = inner.env
    if type(inner).__name__ == "CrafterEnv":
        return _crafter(inner)
    ale = getattr(inner, "ale", None)
    if ale is None:
        raise ValueError(f"{type(inner).__name__} is neither an Atari game nor Crafter")
    own = dict(getattr(inner, "_ezpickle_kwargs", {}))
    skip = settings.pop("frameskip", 1) * _frameskip(inner, own)
    found = {
        "frameskip": skip,
        "repeat_action_probability": round(float(ale.getFloat("repeat_action_probability")), 6),
        "full_action_space": len(ale.getLegalActionSet()) == len(inner._action_set),
        "max_num_frames_per_episode": ale.getInt("max_num_frames_per_episode"),
        "terminal_on_life_loss": False,
        "noop_max": settings.get("noop_max", 0) + int(getattr(inner, "_noop_max", 0)),
    }
    for key in ("action_noise", "corrected", "continuous"):
        if own.get(key):
            found[key] = own[key]
    mode = getattr(inner, "_game_mode", None)
    return Known(_game(inner), mode, getattr(inner, "_game_difficulty", None) or 0, found, ale.getFrameNumber)


def _refuse(wrapper: Any) -> None:
    name = type(wrapper).__name__
    advice = "put ev.Log inside it: wrappers(ev.Log(env, ...))"
    if isinstance(wrapper, gymnasium.RewardWrapper) or name in CLIPPING:
        raise ValueError(f"{name} changes rewards, and a log needs the unclipped return; {advice}")
    if name in CUTTING or vars(wrapper).get("terminal_on_life_loss") is True:
        raise ValueError(f"{name} ends episodes at the loss of a life, and a log needs whole games; {advice}")
    if isinstance(wrapper, gymnasium.wrappers.TimeLimit):
        raise ValueError(
            f"{name} ends episodes after a number of steps; limit frames by max_num_frames_per_episode, or "
            f"{advice}"
        )


def _frameskip(inner: Any, own: Mapping[str, Any]) -> Any:
    skip = getattr(inner, "_frameskip", own.get("frameskip", 1))
    if not isinstance(skip, int):
        raise ValueError(f"the frame skip is {skip}; a log needs a fixed one")
    return skip


def _game(inner: Any) -> str:
    from ale_rs import games

    game = str(getattr(inner, "_game", ""))
    if game in games.names():
        return game
    raise ValueError(f'"{game}" is no game with a fact sheet; a log needs its name')


def _crafter(inner: Any) -> Known:
    steps = {"frames": 0}
    native = inner.step

    def step(action: Any) -> Any:
        steps["frames"] += 1
        return native(action)

    inner.step = step
    env = _crafter_settings({**inner._options, "reward": inner._reward})
    return Known(CRAFTER, None, 0, env, lambda: steps["frames"], True)


def _crafter_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a protocol names them; the shapes only where they are not the usual ones."""
    from ale_rs.crafter.env import limit, pair

    plain = {"area": (64, 64), "view": (9, 9), "size": (64, 64)}
    found = {key: pair(key, options[key]) for key in plain}
    env = {"reward": bool(options["reward"]), "length": limit(options["length"])}
    return env | {key: list(found[key]) for key, usual in plain.items() if found[key] != usual}


def look_at_vector(env: Any) -> Known:
    """Look at a vector environment of `ale_rs`.

    Raises:
        ValueError: its rewards are clipped and the raw ones are not in `info`, or games end at a life.
    """
    inner = env.unwrapped
    if inner is not env and any("Reward" in type(each).__name__ for each in _chain(env)):
        raise ValueError("a wrapper inside changes rewards; put ev.Log around the vector environment itself")
    arguments = getattr(inner, "_arguments", None)
    kinds: Mapping[str, Callable[[Mapping[str, Any]], Known]] = {
        "AtariVectorEnv": _atari_batch, "CrafterVectorEnv": _crafter_batch,
    }  # fmt: skip
    look = next((kinds[each.__name__] for each in type(inner).__mro__ if each.__name__ in kinds), None)
    if look is None or arguments is None:
        raise ValueError(
            f"{type(inner).__name__} is no AtariVectorEnv or CrafterVectorEnv; give each of its environments "
            "its own ev.Log(..., num_envs=N)"
        )
    if arguments["batch_size"] not in (0, inner.num_envs):
        raise ValueError("asynchronous batches (batch_size) cannot be logged")
    return look(arguments)


def _crafter_batch(arguments: Mapping[str, Any]) -> Known:
    env = _crafter_settings(arguments)
    return Known(CRAFTER, None, 0, env, lambda: 0, True, "episode_length", "reward")


def _atari_batch(arguments: Mapping[str, Any]) -> Known:
    extra = arguments["extra_info"]
    if arguments["reward_clipping"] and "raw_reward" not in extra:
        raise ValueError(
            "rewards are clipped, and a log needs them raw: AtariVectorEnv(..., reward_clipping=False) or "
            'extra_info=("raw_reward",)'
        )
    if arguments["episodic_life"] and "game_over" not in extra:
        raise ValueError(
            'episodes end at the loss of a life, and a log needs whole games: extra_info=("game_over",)'
        )
    if arguments["episodic_life"] and not arguments["continue_lives"]:
        raise ValueError(
            "a reset after the loss of a life starts a new game, so that no game is whole; "
            "set continue_lives=True"
        )
    games = arguments["game"]
    if not isinstance(games, str):
        if len(set(games)) != 1:
            raise ValueError("a log is one trial on one game; this batch has several")
        games = next(iter(games))
    names = ("frameskip", "repeat_action_probability", "full_action_space", "max_num_frames_per_episode")
    env_settings = {key: arguments[key] for key in names}
    env_settings |= {"terminal_on_life_loss": False, "noop_max": max(arguments["noop_max"] - 1, 0)}
    for key in ("corrected", "continuous"):
        if arguments[key]:
            env_settings[key] = True
    if (wrappers := arguments.get("wrappers")) is not None:  # below `ale_rs.sb3.make_atari_env`
        if not isinstance(wrappers.frames, int):
            raise ValueError(f"steps below the wrappers have {wrappers.frames} frames; accepted: one number")
        if wrappers.action_repeat_probability:
            raise ValueError("a wrapper repeats actions; accepted: repeat_action_probability in env_kwargs")
        env_settings["frameskip"] *= wrappers.frames
    mode, difficulty = arguments["mode"], arguments["difficulty"]
    if not isinstance(mode, (int, type(None))) or not isinstance(difficulty, (int, type(None))):
        raise ValueError("a log is one trial on one flavour; this batch has several modes or difficulties")
    return Known(str(games), mode, difficulty or 0, env_settings, lambda: 0)


def _chain(env: Any) -> list[Any]:
    found = []
    while hasattr(env, "env"):
        found.append(env)
        env = env.env
    return found
