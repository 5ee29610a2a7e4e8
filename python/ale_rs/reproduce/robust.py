"""A policy that only memorises under growing disturbance: a plan made without chance, played blindly.

Figure 2 of Machado et al. shows how learnt policies bear no-ops at the start, random actions and sticky ones.
Here a planner plays each game once without chance; its actions are then repeated, whatever the screen shows.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ale_rs import evaluation as ev
from ale_rs.reproduce.bands import Row

if TYPE_CHECKING:
    from ale_rs.reproduce.catalogue import Entry

__all__ = ["memorised", "plan", "rows"]

PLANNER = "rollout-iw"
EPISODES = 10
MAX_FRAMES = 18_000
FRAMESKIP = 5


def plan(game: str, frames: int, seed: int = 0) -> list[int]:
    """The actions of a planner that plays a game once, without chance; `frames` are those of a decision."""
    from ale_rs import AtariEnv, planning

    env = AtariEnv(
        game, obs_type="ram", frameskip=FRAMESKIP, repeat_action_probability=0.0, full_action_space=True,
        max_num_frames_per_episode=MAX_FRAMES,
    )  # fmt: skip
    env.reset(seed=seed)
    planner = planning.make(PLANNER, env, seed=seed, frames=frames)
    actions: list[int] = []
    over = False
    while not over:
        action = int(planner.plan())
        _, _, terminated, truncated, _ = env.step(action)
        planner.advance(action)
        actions.append(action)
        over = terminated or truncated
    env.close()
    return actions


class _Blind:
    """Plays a list of actions, then does nothing."""

    def __init__(self, actions: Sequence[int]) -> None:
        self.actions = actions
        self.begin(0)

    def begin(self, seed: int) -> None:
        """From the first action on."""
        self.next = 0

    def act(self, observation: Any, info: Mapping[str, Any]) -> int:
        """The next action; neither the observation nor `info` is looked at."""
        self.next += 1
        return self.actions[self.next - 1] if self.next <= len(self.actions) else 0


def memorised(observation_space: Any, action_space: Any, seed: int, config: Mapping[str, Any]) -> _Blind:
    """Plays `config["plans"]` of its game."""
    return _Blind(config["plans"][config["game"]])


memorised.pipeline = {"obs_type": "ram"}  # type: ignore[attr-defined]


def rows(entry: "Entry") -> list[Row]:
    """A row for each level of each disturbance: the mean Z-score over the games, and the scores."""
    games = ev.select_games(entry.games)
    plans = {game: plan(game, **entry.config) for game in games}
    policies = {
        "a plan, played blindly": ev.AgentSpec("plan", memorised, {"plans": plans}),
        "random": ev.agent("random"),
    }
    result = []
    for name, policy in policies.items():
        found = ev.robustness(policy, games, episodes=EPISODES, frameskip=FRAMESKIP, max_frames=MAX_FRAMES)
        for kind, levels in found.z.items():
            for level, z in levels.items():
                scores = ", ".join(
                    f"{game} {score:,.1f}" for game, score in found.scores[kind][level].items()
                )
                label = f"{name}: {kind} {level:g}"
                result.append(Row(label, None, round(z, 3), EPISODES, None, "beside", scores, counts=False))
    return result
