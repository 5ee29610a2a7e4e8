"""Crafter: a survival world with 22 achievements, seed for seed that of the public package.

>>> env = CrafterEnv(seed=0)
>>> obs, info = env.reset()
>>> obs.shape, info["inventory"]["health"]
((64, 64, 3), 9)
"""

from ale_rs.crafter.env import ACHIEVEMENTS, ACTIONS, ITEMS, CrafterEnv
from ale_rs.crafter.episodes import load_episode
from ale_rs.crafter.recorder import Recorder
from ale_rs.crafter.scores import Score, score
from ale_rs.crafter.textures import TextureError
from ale_rs.crafter.vector_env import CrafterVectorEnv, CrafterVectorSnapshot

__all__ = [
    "ACHIEVEMENTS",
    "ACTIONS",
    "ITEMS",
    "CrafterEnv",
    "CrafterVectorEnv",
    "CrafterVectorSnapshot",
    "Recorder",
    "Score",
    "TextureError",
    "load_episode",
    "score",
]
