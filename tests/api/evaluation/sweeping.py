"""What the tests of sweeps share: short protocols, and agents that learn, plan or fail."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ale_rs import evaluation as ev
from ale_rs.evaluation.jobs import Finished, Start
from ale_rs.evaluation.seeds import word

GAME = "glowdelve"
"""A game of our own: no ROM is needed."""

ENV = """
[env]
frameskip = 5
repeat_action_probability = 0.25
full_action_space = true
max_num_frames_per_episode = 1_000
"""
TRAINING = f"""
kind = "training"
world = "atari"
trials = 2
{ENV}
[budget]
frames = 6_000
[score]
window = 3
checkpoints = [2_000, 6_000]
"""
EVALUATION = f"""
kind = "evaluation"
world = "atari"
trials = 2
{ENV}
[score]
episodes = 4
"""
BOTH = f"""
kind = "train_then_evaluate"
world = "atari"
trials = 1
{ENV}
[budget]
episodes = 4
[score]
episodes = 3
"""
CRAFTER = """
kind = "achievements"
world = "crafter"
trials = 1
[env]
reward = true
length = 150
[budget]
frames = 700
[summary]
sd = "population"
"""
TEXTS = {"training": TRAINING, "evaluation": EVALUATION, "both": BOTH, "crafter_short": CRAFTER}


def rules(directory: Path, name: str) -> ev.Protocol:
    """A short protocol, read from a file as a user's own would be."""
    path = directory / f"{name}.toml"
    path.write_text(TEXTS[name], encoding="utf-8")
    return ev.protocol(path)


def tree(root: Path) -> dict[str, bytes]:
    """All files below a directory."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


class Learner:
    """Its actions depend on everything it has seen: a wrong resumption shows at once."""

    def __init__(self, actions: int, seed: int) -> None:
        self.actions, self.memory = actions, seed

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:
        return (word(self.memory, int(observation[3])) >> 32) % self.actions

    def learn(self, transition: ev.Transition) -> None:
        seen = int(transition.observation[::9].sum()) + transition.action + int(transition.reward)
        self.memory = word(self.memory, seen)

    def save(self, path: Path) -> None:
        path.mkdir()
        (path / "memory.json").write_text(json.dumps(self.memory), encoding="utf-8")

    def load(self, path: Path) -> None:
        self.memory = json.loads((path / "memory.json").read_text(encoding="utf-8"))


def learner(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Learner:
    return Learner(int(action_space.n), seed)


learner.pipeline = {"obs_type": "ram"}  # type: ignore[attr-defined]


class Forgetful:
    """A learner that cannot save itself."""

    def __init__(self, actions: int, seed: int) -> None:
        self.learner = Learner(actions, seed)
        self.act, self.learn = self.learner.act, self.learner.learn


def forgetful(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Forgetful:
    return Forgetful(int(action_space.n), seed)


forgetful.pipeline = {"obs_type": "ram"}  # type: ignore[attr-defined]


class Looker(Learner):
    def act(self, observation: Any, info: Mapping[str, Any]) -> int:
        assert observation.shape == (2, 20, 30)
        return (word(self.memory, int(observation.sum())) >> 32) % self.actions

    def learn(self, transition: ev.Transition) -> None:
        self.memory = word(self.memory, int(transition.observation.sum()))


def pictures(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Any:
    assert observation_space.shape == (2, 20, 30), observation_space.shape
    return Looker(int(action_space.n), seed)


pictures.pipeline = {  # type: ignore[attr-defined]
    "obs_type": "frames", "img_height": 20, "img_width": 30, "stack_num": 2,
}  # fmt: skip


def broken(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> Any:
    if config.get("seed") in (None, seed):
        raise RuntimeError("out of paper")
    return learner(observation_space, action_space, seed, config)


broken.pipeline = learner.pipeline  # type: ignore[attr-defined]


class Plan:
    """Looks one decision ahead in the environment itself."""

    def __init__(self, env: Any, seed: int) -> None:
        self.env, self.seed, self.advanced = env, seed, 0

    def plan(self) -> int:
        before = self.env.snapshot()
        tried = [0, 1, 2 + self.seed % 3]
        rewards = []
        for action in tried:
            rewards.append(self.env.step(action)[1])
            self.env.restore(before)
        return tried[rewards.index(max(rewards))]

    def advance(self, action: int) -> None:
        self.advanced += 1


def planner(env: Any, *, seed: int, config: Mapping[str, Any]) -> Plan:
    return Plan(env, seed)


planner.kind = "planner"  # type: ignore[attr-defined]


def native(job: ev.Job, start: Start) -> Iterator[Any]:
    """A trial whose episodes come from elsewhere."""
    count = start.episodes.get("train", 0)
    while count * 1_000 < job.protocol.budget["frames"]:
        yield ev.Episode("train", count, float(count), 1_000, (count + 1) * 1_000, 200, True, False)
        count += 1
    yield Finished("budget", {"agent": {"weights": 3}})


native.kind = "trial"  # type: ignore[attr-defined]
