"""The environment of a job: the protocol's settings, seen through the agent's observation pipeline.

| pipeline key (Atari) | meaning                                                                       |
|----------------------|-------------------------------------------------------------------------------|
| `obs_type`           | `"rgb"` (default), `"grayscale"`, `"ram"`, or `"frames"`: resized and stacked  |
| `decision_frames`    | frames between two decisions of the agent; by default the protocol's frame skip |
| `img_height`, `img_width`, `grayscale`, `stack_num`, `maxpool` | of `"frames"`, as in `AtariVectorEnv`  |

For Crafter: `observation`, `size`, `textures`, as in `CrafterEnv`.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from ale_rs import _native
from ale_rs._gymnasium import AutoresetMode
from ale_rs.evaluation._data import check_keys, unknown
from ale_rs.evaluation.protocol import Protocol as Rules
from ale_rs.evaluation.tasks import CRAFTER, Task

__all__ = ["Turn", "World", "check_pipeline", "make_world"]

FRAMES_KEYS = ("img_height", "img_width", "grayscale", "stack_num", "maxpool")
ATARI_KEYS = ("obs_type", "decision_frames", *FRAMES_KEYS)
CRAFTER_KEYS = ("observation", "size", "textures")
OBS_TYPES = ("rgb", "grayscale", "ram", "frames")

Turn = tuple[Any, float, bool, bool, Mapping[str, Any]]
"""What `step` returns: observation, reward, terminated, truncated, info."""


class World(Protocol):
    """One environment."""

    env: Any
    action_names: tuple[str, ...]

    @property
    def frame(self) -> int:
        """Frames so far; only differences mean something."""

    def reset(self, seed: int | None) -> tuple[Any, Mapping[str, Any]]:
        """Start an episode."""

    def step(self, action: Any) -> Turn:
        """Play a decision."""

    def snapshot(self) -> bytes:
        """The state at the end of an episode."""

    def restore(self, data: bytes) -> None:
        """Go back to it; the next call is `reset`."""


def check_pipeline(rules: Rules, pipeline: Mapping[str, Any]) -> None:
    """Refuse a pipeline with unknown keys or values."""
    where = "the agent's observation pipeline"
    check_keys(where, pipeline, CRAFTER_KEYS if rules.world == "crafter" else ATARI_KEYS)
    kind = pipeline.get("obs_type", "rgb")
    if kind not in OBS_TYPES:
        raise ValueError(f"{where}: {unknown('obs_type', kind, OBS_TYPES)}")
    useless = [key for key in FRAMES_KEYS if key in pipeline and kind != "frames"]
    if useless:
        raise ValueError(f'{where}: {useless[0]} needs obs_type "frames", not "{kind}"')
    skip = pipeline.get("decision_frames", 1)
    if type(skip) is not int or skip < 1:
        raise ValueError(f"{where}: decision_frames is {skip!r}, accepted: an int from 1 on")


def make_world(rules: Rules, task: Task, pipeline: Mapping[str, Any]) -> World:
    """The environment of a task under a protocol."""
    check_pipeline(rules, pipeline)
    if (rules.world == "crafter") != (task.game == CRAFTER):
        raise ValueError(f"the protocol {rules.name} is one of {rules.world}, {task.name} is not")
    if rules.env.get("terminal_on_life_loss"):
        raise ValueError(
            f"{rules.name}: terminal_on_life_loss is true; episodes that are scored end at game over only"
        )
    if rules.world == "crafter":
        return _Crafter(rules.env, pipeline)
    return (_Frames if pipeline.get("obs_type") == "frames" else _Plain)(rules.env, task, pipeline)


def _atari_options(env: Mapping[str, Any], task: Task, pipeline: Mapping[str, Any]) -> dict[str, Any]:
    options = {key: value for key, value in env.items() if key != "terminal_on_life_loss"}
    options["frameskip"] = pipeline.get("decision_frames", options.get("frameskip", 4))
    return options | {"mode": task.mode, "difficulty": task.difficulty}


class _Plain:
    """The screen or the RAM as they are: `AtariEnv`."""

    def __init__(self, env: Mapping[str, Any], task: Task, pipeline: Mapping[str, Any]) -> None:
        from ale_rs import AtariEnv
        from ale_rs.enums import LoggerMode

        _native.ALEInterface.setLoggerMode(LoggerMode.Error)
        kind = pipeline.get("obs_type", "rgb")
        self.env = AtariEnv(task.game, obs_type=kind, **_atari_options(env, task, pipeline))
        self.action_names = tuple(self.env.get_action_meanings())

    @property
    def frame(self) -> int:
        return self.env.ale.getFrameNumber()

    def reset(self, seed: int | None) -> tuple[Any, Mapping[str, Any]]:
        observation, info = self.env.reset(seed=seed)
        return observation, info

    def step(self, action: Any) -> Turn:
        return self.env.step(action)

    def snapshot(self) -> bytes:
        return self.env.snapshot().to_bytes()

    def restore(self, data: bytes) -> None:
        self.env.reset(seed=0)
        self.env.restore(_native.Snapshot.from_bytes(data))


class _Frames:
    """Pictures for a network: the vector environment with one game."""

    def __init__(self, env: Mapping[str, Any], task: Task, pipeline: Mapping[str, Any]) -> None:
        from ale_rs import AtariVectorEnv

        options = _atari_options(env, task, pipeline)
        noops = options.pop("noop_max", 0)
        self._vector = AtariVectorEnv(
            task.game,
            1,
            num_threads=1,
            noop_max=noops + 1 if noops else 0,  # it draws from 0 to one less
            use_fire_reset=False,
            reward_clipping=False,
            autoreset_mode=AutoresetMode.DISABLED,
            **options,
            **{key: value for key, value in pipeline.items() if key in FRAMES_KEYS},
        )
        self.env = _Single(self._vector)
        self.action_names = tuple(_names(task, options))
        self._frame = 0

    @property
    def frame(self) -> int:
        return self._frame

    def _taken(self, info: Mapping[str, Any]) -> Mapping[str, Any]:
        self._frame = int(info["frame_number"][0])
        return {key: value[0] for key, value in info.items() if not key.startswith("_") and np.ndim(value)}

    def reset(self, seed: int | None) -> tuple[Any, Mapping[str, Any]]:
        observations, info = self._vector.reset(seed=seed)
        return observations[0], self._taken(info)

    def step(self, action: Any) -> Turn:
        observations, rewards, terminated, truncated, info = self._vector.step(np.array([action], np.int32))
        return observations[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._taken(info)

    def snapshot(self) -> bytes:
        return self._frame.to_bytes(8, "little") + self._vector.snapshot().to_bytes()

    def restore(self, data: bytes) -> None:
        self._vector.reset(seed=0)
        self._frame = int.from_bytes(data[:8], "little")
        self._vector.restore(_native.VectorSnapshot.from_bytes(data[8:]))


class _Single:
    """The spaces of one sub-environment, for factories."""

    def __init__(self, vector: Any) -> None:
        self.observation_space = vector.single_observation_space
        self.action_space = vector.single_action_space


def _names(task: Task, options: Mapping[str, Any]) -> list[str]:
    from ale_rs import games

    facts = games.get(task.game)
    full = options.get("full_action_space", False)
    return [action.name for action in (facts.legal_actions if full else facts.minimal_actions)]


class _Crafter:
    """Crafter; a frame is a step."""

    def __init__(self, env: Mapping[str, Any], pipeline: Mapping[str, Any]) -> None:
        from ale_rs.crafter import CrafterEnv

        self.env = CrafterEnv(semantic=False, **{**env, **pipeline})
        self.action_names = self.env.action_names
        self.frame = 0

    def reset(self, seed: int | None) -> tuple[Any, Mapping[str, Any]]:
        return self.env.reset(seed=seed)

    def step(self, action: Any) -> Turn:
        observation, _, dead, over, info = self.env.step(action)
        self.frame += 1
        # An episode is scored by its true reward, also where the agent gets none.
        return observation, info["reward"], dead, over, info

    def snapshot(self) -> bytes:
        return self.env.snapshot()

    def restore(self, data: bytes) -> None:
        self.env.reset(seed=0)
        self.env.restore(data)
