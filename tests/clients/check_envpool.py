"""`ale_rs.compat.envpool` beside the real EnvPool: attributes, spaces, shapes and dtypes."""

import re
from pathlib import Path
from typing import Any

import envpool as theirs
import gymnasium
import numpy as np

from ale_rs.compat import envpool as ours

TASK = "Pong-v5"


def facts(value: Any) -> Any:
    """Shapes and dtypes of arrays, however they are packed."""
    if isinstance(value, dict):
        return {name: facts(part) for name, part in value.items()}
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(map(facts, value))
    return (value.shape, str(value.dtype))


def test_results() -> None:
    made = [module.make_gymnasium(TASK, num_envs=3, num_threads=1) for module in (theirs, ours)]
    resets, steps = [], []
    for envs in made:
        assert isinstance(envs, gymnasium.Env)
        resets.append(facts(envs.reset()))
        steps.append(facts(envs.step(np.zeros(3, np.int32))))
        assert (envs.num_envs, len(envs.all_env_ids), envs.is_async, envs.unwrapped is envs) == (
            3,
            3,
            False,
            True,
        )
    assert resets[0] == resets[1], resets
    assert steps[0] == steps[1], steps
    for name in ("observation_space", "action_space", "single_observation_space", "single_action_space"):
        assert getattr(made[0], name) == getattr(made[1], name), name


def test_options() -> None:
    their_config, our_config = (module.make_spec(TASK).config._asdict() for module in (theirs, ours))
    assert set(their_config) == set(our_config), set(their_config) ^ set(our_config)
    # The files and the task are places; since 1.0 EnvPool returns info from every reset.
    same = set(their_config) - {"base_path", "task", "gym_reset_return_info", "env_seed"}
    for name in same:
        assert their_config[name] == our_config[name], (name, their_config[name], our_config[name])


def test_pictures() -> None:
    shapes = []
    for module in (theirs, ours):
        envs = module.make_gymnasium(TASK, num_envs=2, num_threads=1, render_mode="rgb_array")
        envs.reset()
        shapes.append((envs.render().shape, envs.render(env_ids=[0, 1]).shape))
    assert shapes[0] == shapes[1], shapes


def test_dm_env() -> None:
    kinds = []
    for module in (theirs, ours):
        envs = module.make_dm(TASK, num_envs=1, max_episode_steps=3, num_threads=1)
        steps = [envs.reset()] + [envs.step(np.zeros(1, np.int32)) for _ in range(4)]
        kinds.append([(step.step_type.tolist(), step.discount.tolist()) for step in steps])
        assert steps[0].observation.obs.shape == (1, 4, 84, 84)
        assert envs.action_spec().num_values == 6
        assert envs.observation_spec() is not None
    assert kinds[0] == kinds[1], kinds


def test_cells_of_the_readme() -> None:
    """What the README's table of features says of EnvPool."""
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| [^|]+ \| ([^|]+) \| `", readme, re.MULTILINE)
    cells = dict(rows)
    envs = theirs.make_gymnasium(TASK, num_envs=2, num_threads=1)
    options = set(theirs.make_spec(TASK).config._asdict())
    present = {
        "vector environment with threads": "num_threads" in options,
        "snapshot, restore and branch of a whole batch": hasattr(envs, "snapshot") or hasattr(envs, "branch"),
        "Crafter in the same library": any("crafter" in name.lower() for name in theirs.list_all_envs()),
    }
    for module in ("features", "replay", "planning", "deep", "learning", "evaluation", "reproduce"):
        assert not hasattr(theirs, module), module
    for title, is_there in present.items():
        assert cells[title] == ("yes" if is_there else "no"), title
    # Rewards and ends come in one way; there is no option to choose another.
    assert cells["all three autoreset modes of gymnasium"] == "one"
    assert not [name for name in options if "autoreset" in name]
    assert cells["several games in one batch"] == "no"
    try:
        theirs.make_gymnasium([TASK, "Breakout-v5"], num_envs=2)
    except TypeError:
        return
    raise AssertionError("EnvPool plays several games in one batch")


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"{name.removeprefix('test_')}: ok", flush=True)
