"""A job is one trial: (protocol, agent, game, mode, difficulty, seed). `play` plays it.

What `play` yields depends on the job and on where it starts only: it reads no clock and no global state, and
writes nothing but a temporary directory for the agent's own files. So every way to run jobs gives equal logs.
"""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from ale_rs.evaluation._archive import packed, unpacked
from ale_rs.evaluation.agents import AgentSpec
from ale_rs.evaluation.protocol import Protocol
from ale_rs.evaluation.records import Episode, Run
from ale_rs.evaluation.seeds import agent_seed, episode_seed, job_key
from ale_rs.evaluation.tasks import Task
from ale_rs.evaluation.worlds import World, make_world

__all__ = ["Checkpoint", "Finished", "Job", "Message", "Start", "Tick", "Transition", "play"]

TICK = 1_000
"""Decisions between two reports from inside an episode."""
CHECKPOINT_FRAMES = 1_000_000
"""Frames of training between two checkpoints of an agent that can save itself."""


@dataclass(frozen=True, eq=False)
class Job:
    """A trial to play.

    Attributes:
        protocol: the protocol.
        agent: the agent.
        task: the game.
        seed: number of the trial.
    """

    protocol: Protocol
    agent: AgentSpec
    task: Task
    seed: int

    @property
    def key(self) -> str:
        """What its seeds are made of; the agent is left out, so that all agents meet the same seeds."""
        return job_key(self.protocol.name, self.task.game, self.task.mode, self.task.difficulty, self.seed)

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{self.protocol.name}/{self.agent.name}/{self.task.name}/s{self.seed}"

    def run(self) -> Run:
        """The first line of its log."""
        config = self.agent.described(self.protocol)
        game, mode, difficulty = self.task.game, self.task.mode, self.task.difficulty
        return self.protocol.run(
            self.agent.name, game, self.seed, mode=mode, difficulty=difficulty, config=config
        )


@dataclass(frozen=True)
class Checkpoint:
    """The state of a trial at the end of a training episode.

    Attributes:
        episodes: episodes of the trial so far.
        data: the state; `Start.checkpoint` brings it back.
    """

    episodes: int
    data: bytes


class Tick(NamedTuple):
    """Frames played since the last message, in an episode that goes on."""

    frames: int


class Finished(NamedTuple):
    """The trial is complete."""

    reason: str
    extra: Mapping[str, Any] = {}


Message: TypeAlias = Episode | Checkpoint | Tick | Finished


class Transition(NamedTuple):
    """What an agent learns from."""

    observation: Any
    action: Any
    reward: float
    next_observation: Any
    terminated: bool
    truncated: bool
    info: Mapping[str, Any]


@dataclass(frozen=True)
class Start:
    """Where a job starts.

    Attributes:
        episodes: finished episodes per phase.
        frames: frames per phase.
        checkpoint: the trial's state there, if one was kept.
    """

    episodes: Mapping[str, int] = field(default_factory=dict)
    frames: Mapping[str, int] = field(default_factory=dict)
    checkpoint: bytes | None = None


def play(job: Job, start: Start | None = None) -> Iterator[Message]:
    """Play a job from its start, or from where it was left."""
    if job.agent.kind(job.protocol) == "trial":
        yield from job.agent.factory(job.protocol)(job, start or Start())
        return
    world = make_world(job.protocol, job.task, job.agent.pipeline(job.protocol))
    yield from _Trial(job, world, start or Start()).play()


@dataclass
class _Played:
    """An episode that is over."""

    score: float
    frames: int
    steps: int
    terminated: bool
    truncated: bool
    achievements: Mapping[str, int] | None


class _Trial:
    """A job under way."""

    def __init__(self, job: Job, world: World, start: Start) -> None:
        self.job, self.world, self.start = job, world, start
        self.rules = job.protocol
        self.episodes = dict.fromkeys(("train", "evaluate"), 0) | dict(start.episodes)
        self.frames = dict.fromkeys(("train", "evaluate"), 0) | dict(start.frames)

    def play(self) -> Iterator[Message]:
        agent = self.make(agent_seed(self.job.key))
        if self.rules.kind == "evaluation":
            yield from self.evaluate(agent)
        elif self.rules.kind == "train_then_evaluate":
            # An agent that does not learn has no use for the training episodes.
            if hasattr(agent, "learn"):
                yield from self.train(agent)
            yield from self.evaluate(agent)
        else:
            yield from self.train(agent)
        yield Finished("budget")

    def make(self, seed: int) -> Any:
        """A fresh agent."""
        spec, env = self.job.agent, self.world.env
        factory = spec.factory(self.rules)
        if spec.kind(self.rules) == "planner":
            return _Planner(factory(env, seed=seed, config=dict(spec.config)))
        config = dict(spec.config) | {"action_names": self.world.action_names, "game": self.job.task.name}
        return factory(env.observation_space, env.action_space, seed, config)

    def evaluate(self, agent: Any) -> Iterator[Message]:
        """Seeded episodes without learning."""
        first = self.episodes["evaluate"]
        for index in range(first, self.rules.score["episodes"]):
            seed = agent_seed(self.job.key, index)
            if hasattr(agent, "begin"):
                agent.begin(seed)
            elif not hasattr(agent, "learn") or self.rules.kind == "evaluation":
                agent = self.make(seed)  # what it remembers of other episodes must not show
            yield from self.episode("evaluate", agent, episode_seed(self.job.key, index), learn=False)

    def train(self, agent: Any) -> Iterator[Message]:
        """Episodes of learning until the budget is spent; only the first reset is seeded."""
        seed = None if self._restored(agent) else episode_seed(self.job.key, 0)
        saved = self.frames["train"]
        while not self._spent():
            yield from self.episode("train", agent, seed, learn=hasattr(agent, "learn"))
            seed = None
            if self.frames["train"] - saved >= CHECKPOINT_FRAMES or self._spent():
                saved = self.frames["train"]
                if hasattr(agent, "save") and hasattr(agent, "load"):
                    yield Checkpoint(self.episodes["train"], self._saved(agent))

    def _spent(self) -> bool:
        budget = self.rules.budget
        if "episodes" in budget:
            return self.episodes["train"] >= budget["episodes"]
        return self.frames["train"] >= budget["frames"]

    def episode(self, phase: str, agent: Any, seed: int | None, learn: bool) -> Iterator[Message]:
        """Play an episode; yields its record last."""
        played = yield from _episode(self.world, agent, seed, learn, self.rules.env.get("reward", True))
        index = self.episodes[phase]
        self.episodes[phase] += 1
        self.frames[phase] += played.frames
        yield Episode(
            phase=phase,
            episode=index,
            score=played.score,
            frames=played.frames,
            total_frames=self.frames[phase],
            steps=played.steps,
            terminated=played.terminated,
            truncated=played.truncated,
            seed=seed,
            achievements=played.achievements,
        )

    def _saved(self, agent: Any) -> bytes:
        """The agent's files and the world, as one archive with nothing of this moment in it."""
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory) / "agent"
            agent.save(place)
            return packed(place, {"world": self.world.snapshot()})

    def _restored(self, agent: Any) -> bool:
        """Put agent and world where a checkpoint left them."""
        data = self.start.checkpoint
        if data is None:
            return False
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory) / "agent"
            unpacked(data, place)
            agent.load(place)
            self.world.restore((Path(directory) / "world").read_bytes())
        return True


def _episode(world: World, agent: Any, seed: int | None, learn: bool, rewarded: bool) -> Any:
    observation, info = world.reset(seed)
    begun = reported = world.frame
    score, steps, over = 0.0, 0, False
    terminated = truncated = False
    act = agent.act
    while not over:
        action = act(observation, info)
        following, reward, terminated, truncated, info = world.step(action)
        score += reward
        steps += 1
        over = terminated or truncated
        if learn:
            given = reward if rewarded else 0.0
            agent.learn(Transition(observation, action, given, following, terminated, truncated, info))
        observation = following
        if steps % TICK == 0:
            yield Tick(world.frame - reported)
            reported = world.frame
    if isinstance(agent, _Planner):
        agent.end()
    achievements = info.get("achievements")
    counts = None if achievements is None else {name: int(count) for name, count in achievements.items()}
    return _Played(score, world.frame - begun, steps, bool(terminated), bool(truncated), counts)


class _Planner:
    """A planner as a policy: it looks at the environment itself."""

    def __init__(self, planner: Any) -> None:
        self._planner = planner
        self._last: Any = None

    def act(self, observation: Any, info: Mapping[str, Any]) -> Any:
        if self._last is not None:
            self._planner.advance(self._last)
        self._last = self._planner.plan()
        return self._last

    def end(self) -> None:
        """The episode is over: the next one starts elsewhere."""
        self._last = None
