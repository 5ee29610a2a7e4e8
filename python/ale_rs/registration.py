"""The ids under which gymnasium makes our environments, and whose they are now."""

import collections
import warnings
from collections.abc import Mapping

import gymnasium

from ale_rs import _native, roms

__all__ = [
    "owners",
    "register",
    "register_crafter_envs",
    "register_v0_v4_envs",
    "register_v5_envs",
    "rom_id_to_name",
    "shared_ids",
    "warn_if_taken",
]

ENTRY_POINT = "ale_rs.env:AtariEnv"
VECTOR_ENTRY_POINT = "ale_rs.vector_env:AtariVectorEnv"
CRAFTER_ENTRY_POINT = "ale_rs.crafter:CrafterEnv"
CRAFTER_VECTOR_ENTRY_POINT = "ale_rs.crafter:CrafterVectorEnv"

CANARIES = ("ALE/Pong-v5", "PongNoFrameskip-v4")
"""The ids that are looked at first to see whether any were taken over."""

SEVERAL_PLAYERS = frozenset(_native.multiplayer_roms())
"""ROMs that make sense for several players only and have no environment."""

# Games that have ids of versions 0 and 4.
# fmt: off
OLD_GAMES = (
    "adventure", "air_raid", "alien", "amidar", "assault", "asterix", "asteroids", "atlantis", "bank_heist",
    "battle_zone", "beam_rider", "berzerk", "bowling", "boxing", "breakout", "carnival", "centipede",
    "chopper_command", "crazy_climber", "defender", "demon_attack", "double_dunk", "elevator_action",
    "enduro", "fishing_derby", "freeway", "frostbite", "gopher", "gravitar", "hero", "ice_hockey",
    "jamesbond", "journey_escape", "kangaroo", "krull", "kung_fu_master", "montezuma_revenge", "ms_pacman",
    "name_this_game", "phoenix", "pitfall", "pong", "pooyan", "private_eye", "qbert", "riverraid",
    "road_runner", "robotank", "seaquest", "skiing", "solaris", "space_invaders", "star_gunner", "tennis",
    "time_pilot", "tutankham", "up_n_down", "venture", "video_pinball", "wizard_of_wor", "yars_revenge",
    "zaxxon",
)
# fmt: on
OLD_VERSIONS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("{}-v0", {"repeat_action_probability": 0.25, "frameskip": (2, 5)}),
    ("{}-v4", {"repeat_action_probability": 0.0, "frameskip": (2, 5)}),
    ("{}NoFrameskip-v0", {"repeat_action_probability": 0.25, "frameskip": 1}),
    ("{}NoFrameskip-v4", {"repeat_action_probability": 0.0, "frameskip": 1}),
)

_ours: dict[str, object] = {}
"""Ids that another package may have too, and the specs that we registered for them."""
_told: set[str] = set()
"""Packages that a warning was given of."""


def rom_id_to_name(rom: str) -> str:
    """The name of a game in the ids of its environments.

    >>> rom_id_to_name("space_invaders")
    'SpaceInvaders'
    >>> rom_id_to_name("tic_tac_toe_3d")
    'TicTacToe3D'
    """
    return rom.title().replace("_", "")


def register(*, override: bool = False) -> None:
    """Register all ids: `ALE/<Name>-v5`, `<Name>-v4` and so on, and always `ale_rs/<id>`.

    Args:
        override: take ids over that another package (`ale_py`) has registered.
    """
    register_v0_v4_envs(override=override)
    register_v5_envs(override=override)
    register_crafter_envs(override=override)
    if override:
        _told.clear()


def owners() -> dict[str, int]:
    """Which packages own the ids that `ale_py` and this package share, and how many of them."""
    return dict(collections.Counter(_owner(id_) for id_ in shared_ids() if id_ in gymnasium.registry))


def warn_if_taken() -> None:
    """Warn, once for each package, when ids that were ours belong to it now."""
    if all(gymnasium.registry.get(id_) is _ours.get(id_) for id_ in CANARIES if id_ in _ours):
        return  # the usual case costs two lookups
    taken = [id_ for id_, spec in _ours.items() if gymnasium.registry.get(id_, spec) is not spec]
    by = ", ".join(sorted({_owner(id_) for id_ in taken} - {"ale_rs"}))
    if not by or by in _told:
        return
    _told.add(by)
    shown = next((id_ for id_ in CANARIES if id_ in taken), taken[0])
    warnings.warn(
        f"{by} has taken over {len(taken)} gymnasium ids from ale_rs: "
        f'gymnasium.make("{shown}") makes environments of {by} now. To keep the ids, call '
        f"ale_rs.register(override=True) after the import of {by}, or use those that are always ours: "
        f'"ale_rs/{shown.rpartition("/")[2]}".',
        UserWarning,
        stacklevel=3,
    )


def register_v0_v4_envs(*, override: bool = False) -> None:
    """Register `<Name>-v0`, `<Name>-v4` and their `NoFrameskip` forms, and all of them behind `ale_rs/`."""
    for game in OLD_GAMES:
        for pattern, options in OLD_VERSIONS:
            name = pattern.format(rom_id_to_name(game))
            _register(name, game, options, None, override)
            _register(f"ale_rs/{name}", game, options, None, True)


def register_v5_envs(*, override: bool = False) -> None:
    """Register `ALE/<Name>-v5` and `ale_rs/<Name>-v5`; our own games have only the latter."""
    options = {"repeat_action_probability": 0.25, "frameskip": 4}
    for game in (*roms.get_all_rom_ids(), *roms.embedded_ids()):
        if game in SEVERAL_PLAYERS:
            continue
        name = rom_id_to_name(game)
        if game not in roms.embedded_ids():
            _register(f"ALE/{name}-v5", game, options, VECTOR_ENTRY_POINT, override)
        _register(f"ale_rs/{name}-v5", game, options, VECTOR_ENTRY_POINT, True)


def register_crafter_envs(*, override: bool = False) -> None:
    """Register `CrafterReward-v1` and `CrafterNoReward-v1`, and both behind `ale_rs/`."""
    for name, reward in (("CrafterReward-v1", True), ("CrafterNoReward-v1", False)):
        for id_ in (name, f"ale_rs/{name}"):
            if id_ in gymnasium.registry and not (override or id_ != name):
                continue
            gymnasium.registry.pop(id_, None)
            # No `max_episode_steps`: the environment counts itself.
            gymnasium.register(
                id=id_,
                entry_point=CRAFTER_ENTRY_POINT,
                vector_entry_point=CRAFTER_VECTOR_ENTRY_POINT,
                kwargs={"reward": reward},
            )


def _register(
    id_: str, game: str, options: Mapping[str, object], vector_entry_point: str | None, override: bool
) -> None:
    if id_ in gymnasium.registry:
        if not override:
            return
        del gymnasium.registry[id_]
    gymnasium.register(
        id=id_,
        entry_point=ENTRY_POINT,
        vector_entry_point=vector_entry_point,
        kwargs={
            "game": game,
            "repeat_action_probability": options["repeat_action_probability"],
            "full_action_space": False,
            "frameskip": options["frameskip"],
            "max_num_frames_per_episode": 108_000,
        },
    )
    if not id_.startswith("ale_rs/"):
        _ours[id_] = gymnasium.registry[id_]


def shared_ids() -> list[str]:
    """The ids that `ale_py` registers too."""
    games = [game for game in roms.get_all_rom_ids() if game not in SEVERAL_PLAYERS]
    old = [pattern.format(rom_id_to_name(game)) for game in OLD_GAMES for pattern, _ in OLD_VERSIONS]
    return [*old, *(f"ALE/{rom_id_to_name(game)}-v5" for game in games)]


def _owner(id_: str) -> str:
    """The package that makes the environments of an id."""
    entry_point = gymnasium.registry[id_].entry_point
    module = entry_point if isinstance(entry_point, str) else getattr(entry_point, "__module__", "unknown")
    return str(module).split(":")[0].split(".")[0]
