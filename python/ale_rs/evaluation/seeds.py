"""Seeds of jobs: a hash of the job's key, so that they depend on nothing else.

A job is (protocol, game, mode, difficulty, number of the trial). The agent is left out on purpose: all agents
meet the same seeds.
"""

__all__ = ["agent_seed", "episode_seed", "job_hash", "job_key", "word"]

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
AGENT = 1 << 63
"""The counter whose word is the agent's seed."""


def job_key(protocol: str, game: str, mode: int = 0, difficulty: int = 0, seed: int = 0) -> str:
    """The key of a job.

    >>> job_key("machado2018", "pong", seed=1)
    'machado2018/pong/m0d0/s1'
    """
    return f"{protocol}/{game}/m{mode}d{difficulty}/s{seed}"


def job_hash(key: str) -> int:
    """FNV-1a of the key, 64 bits."""
    value = 0xCBF29CE484222325
    for byte in key.encode():
        value = (value ^ byte) * 0x100000001B3 & MASK
    return value


def word(seed: int, index: int) -> int:
    """The SplitMix64 output for the state `seed + (index + 1) * GOLDEN`: random access into a stream."""
    z = (seed + (index + 1) * GOLDEN) & MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def episode_seed(key: str, episode: int) -> int:
    """The seed of `reset` for an episode of a job, 31 bits."""
    return word(job_hash(key), episode) >> 33


def agent_seed(key: str, episode: int | None = None) -> int:
    """The seed of the agent of a job, 31 bits; with an episode, its seed for that evaluation episode."""
    return word(job_hash(key), AGENT + (0 if episode is None else 1 + episode)) >> 33
