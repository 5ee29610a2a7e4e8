"""Learning: linear agents and baselines that play and learn in native code.

>>> from ale_rs import learning
>>> trial = learning.Trial("random", "glowdelve", protocol="machado2018", frames=2000)
>>> trial.run(lambda episode: None)
True

A whole trial (emulator, features, learner) is one native call that streams its episodes.
"""

from ale_rs.learning.agents import AGENTS, AgentSpec, resolve
from ale_rs.learning.learners import Brute, Sarsa
from ale_rs.learning.training import train
from ale_rs.learning.trial import CheckpointError, Trial, run_trial

__all__ = [
    "AGENTS", "AgentSpec", "Brute", "CheckpointError", "Sarsa", "Trial", "resolve", "run_trial", "train",
]  # fmt: skip
