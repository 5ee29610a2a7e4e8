"""`CrafterEnv`: the single environment."""

import operator
import os
from collections.abc import Sequence
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self

from ale_rs import _native
from ale_rs.crafter import textures as _textures

__all__ = ["ACHIEVEMENTS", "ACTIONS", "ITEMS", "OBSERVATIONS", "CrafterEnv"]

ACTIONS, ITEMS, ACHIEVEMENTS, _ = (tuple(names) for names in _native.crafter_names())
OBSERVATIONS = ("pixels", "semantic", "symbolic")
"""The kinds of observations."""
SEMANTIC_IDS = 19
MAX_SEED = 2**31 - 2
FRAMES_PER_SECOND = 5

Pair = int | Sequence[int]


def pair(name: str, value: Any) -> tuple[int, int]:
    """Two whole numbers from one or two.

    >>> pair("size", 64)
    (64, 64)
    """
    accepted = "one or two whole numbers that are not negative"
    items = list(value) if np.iterable(value) and not isinstance(value, str) else [value, value]
    try:
        numbers = [operator.index(item) for item in items]
    except TypeError as error:
        raise TypeError(f"{name}={value!r}; accepted: {accepted}") from error
    if len(numbers) != 2 or min(numbers) < 0 or max(numbers) > 2**31:
        raise ValueError(f"{name}={value!r}; accepted: {accepted}")
    return numbers[0], numbers[1]


def limit(length: int | None) -> int:
    """A time limit as the native side takes it: 0 is none."""
    steps = 0 if length is None else operator.index(length)
    if not 0 <= steps < 2**63:
        raise ValueError(f"length={length!r}; accepted: None, or 0 (no limit) and above")
    return steps


def kinds(observation: str | Sequence[str]) -> tuple[str, ...]:
    """The kinds of observations that are asked for."""
    names = (observation,) if isinstance(observation, str) else tuple(observation)
    if not names or len(set(names)) != len(names) or not set(names) <= set(OBSERVATIONS):
        raise ValueError(
            f"observation={observation!r}; accepted: one or several of {', '.join(OBSERVATIONS)}"
        )
    return names


def space_of(kind: str, game: _native.CrafterGame, size: tuple[int, int]) -> gymnasium.spaces.Box:
    """The space of one kind of observation."""
    if kind == "pixels":
        return gymnasium.spaces.Box(0, 255, (size[1], size[0], 3), np.uint8)
    if kind == "semantic":
        return gymnasium.spaces.Box(0, SEMANTIC_IDS - 1, game.grid, np.uint8)
    return gymnasium.spaces.Box(0.0, 1.0, (game.symbolic_len,), np.float32)


class CrafterEnv(gymnasium.Env[Any, Any]):
    """Crafter as a gymnasium environment.

    Args:
        seed: base seed of the episodes; `None` takes one from entropy. `reset(seed=s)` starts episode 1 of
            base seed s, `reset()` the next episode.
        area: columns and rows of the world.
        view: columns and rows of the view, those of the inventory included.
        size: width and height of the picture in pixels.
        reward: `False` returns 0.0; the reward stays in `info`.
        length: steps after which an episode is truncated; `None` or 0 is never.
        textures: `"own"`, `"crafter"`, or a directory of PNG files.
        observation: `"pixels"`, `"semantic"`, `"symbolic"`, or several of them for a dictionary.
        noise: `"world"` draws the night's noise from the world's generator, as the reference does; `"own"`
            from one of its own, so that the game does not depend on the picture.
        semantic: put the whole map into `info`.
        render_mode: `None` or `"rgb_array"`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (gymnasium declares it so)
        "render_modes": ["rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        seed: int | None = None,
        *,
        area: Pair = (64, 64),
        view: Pair = (9, 9),
        size: Pair = (64, 64),
        reward: bool = True,
        length: int | None = 10_000,
        textures: str | os.PathLike[str] = "own",
        observation: str | Sequence[str] = "pixels",
        noise: str = "world",
        semantic: bool = True,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "rgb_array"):
            raise ValueError(f"render_mode={render_mode!r}; accepted: None, 'rgb_array'")
        self._options: dict[str, Any] = {
            "area": pair("area", area),
            "view": pair("view", view),
            "size": pair("size", size),
            "length": limit(length),
            "noise": noise,
        }
        self.size: tuple[int, int] = self._options["size"]
        self.render_mode = render_mode
        self._kinds = kinds(observation)
        self._dictionary = not isinstance(observation, str)
        self._reward, self._semantic = bool(reward), bool(semantic)
        self._textures = _textures.load(textures)
        self._digest = _textures.digest(self._textures)
        self._base = None if seed is None else operator.index(seed)
        self._native = self._build()
        self._steps_allowed = False
        spaces: dict[str, gymnasium.Space[Any]] = {
            kind: space_of(kind, self._native, self.size) for kind in self._kinds
        }
        self.observation_space = gymnasium.spaces.Dict(spaces) if self._dictionary else spaces[self._kinds[0]]
        self.action_space = gymnasium.spaces.Discrete(len(ACTIONS))

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of the actions."""
        return ACTIONS

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the next episode, or with a seed the first one of it.

        Returns:
            the observation and `info`, which also has `textures`, the hash of the pictures.
        """
        if seed is not None:
            self._base = operator.index(seed)
            # gymnasium's own generator takes no negative seeds; the worlds do.
            super().reset(seed=abs(self._base))
            self._native.seed(hash(self._base))
        elif self._base is None:
            super().reset()
            self._base = int(self.np_random.integers(0, MAX_SEED, endpoint=True))
            self._native.seed(hash(self._base))
        self._native.reset()
        self._steps_allowed = True
        observation = self._observation()
        return observation, {**self._info(0.0, False, 0), "textures": self._digest}

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action.

        Raises:
            IndexError: the action is not one of 0 to 16.
            TypeError: the action is no whole number.
        """
        if not self._steps_allowed:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        reward, dead, over, unlocked = self._native.step(operator.index(action))
        observation = self._observation()
        info = self._info(reward, dead, unlocked)
        return observation, reward if self._reward else 0.0, dead, over, info

    def render(self, size: Pair | None = None) -> NDArray[np.uint8] | None:
        """A picture of the game, in the size of the observation or another one. Never changes the game."""
        if size is None and self.render_mode is None:
            gymnasium.logger.warn("render() without render_mode; make the environment with 'rgb_array'")
            return None
        if not self._steps_allowed:
            raise gymnasium.error.ResetNeeded("call reset() before render()")
        return self._native.render(*(self.size if size is None else pair("size", size)))

    def snapshot(self) -> bytes:
        """All state of the game, for `restore`."""
        return self._native.to_bytes()

    def restore(self, snapshot: bytes) -> Any:
        """Go back to a snapshot of a game with the same options.

        Returns:
            the observation; at night its noise is not the one that was seen.
        """
        self._native.restore(snapshot)
        self._steps_allowed = self._native.episode > 0
        return self._observation() if self._steps_allowed else None

    def _build(self) -> _native.CrafterGame:
        base = hash(self._base) if self._base is not None else 0
        return _native.CrafterGame(base, self._textures, **self._options)

    def _observation(self) -> Any:
        native = self._native
        parts = {
            kind: native.pixels()
            if kind == "pixels"
            else native.local_semantic()
            if kind == "semantic"
            else native.symbolic()
            for kind in self._kinds
        }
        return parts if self._dictionary else parts[self._kinds[0]]

    def _info(self, reward: float, dead: bool, unlocked: int) -> dict[str, Any]:
        native = self._native
        info: dict[str, Any] = {
            "inventory": dict(zip(ITEMS, native.inventory(), strict=True)),
            "achievements": dict(zip(ACHIEVEMENTS, native.achievements(), strict=True)),
            "discount": 0.0 if dead else 1.0,
            "player_pos": np.array(native.position, np.int64),
            "reward": reward,
            "unlocked": [name for bit, name in enumerate(ACHIEVEMENTS) if unlocked >> bit & 1],
        }
        if self._semantic:
            info["semantic"] = native.semantic()
        return info

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in self.__dict__.items() if name not in ("_native", "_textures")}
        return {**state, "_images": self._textures.images(), "_game": self._native.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        images, game = state.pop("_images"), state.pop("_game")
        self.__dict__.update(state)
        self._textures = _native.CrafterTextures(images)
        self._native = self._build()
        self._native.restore(game)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        copy = self.__class__.__new__(self.__class__)
        memo[id(self)] = copy
        copy.__setstate__(self.__getstate__())
        return copy
