"""The face of Stable-Baselines3: the names of `ale_rs.faces.sb3`."""

from ale_rs.faces.sb3 import AtariVecEnv, make_atari_env

__all__ = ["AtariVecEnv", "make_atari_env"]
