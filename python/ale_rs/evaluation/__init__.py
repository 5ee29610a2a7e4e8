"""Evaluation: episodes -> run log -> trial scores -> normalised matrix -> aggregates -> report.

Every arrow is a pure function of the value before it; only the first runs games. A result can be recomputed
from the logs alone, without a ROM.
"""

from ale_rs.evaluation.protocol import Protocol, ProtocolScores, TrialScore, protocol, protocols, start_run
from ale_rs.evaluation.runlog import (
    End,
    Episode,
    LogError,
    Problem,
    Run,
    RunLog,
    RunSet,
    Table,
    Writer,
    check,
    load,
    read,
)
from ale_rs.evaluation.seeds import agent_seed, episode_seed, job_key
from ale_rs.evaluation.tasks import Task, select_games, subset, subsets

__all__ = [
    "End",
    "Episode",
    "LogError",
    "Problem",
    "Protocol",
    "ProtocolScores",
    "Run",
    "RunLog",
    "RunSet",
    "Table",
    "Task",
    "TrialScore",
    "Writer",
    "agent_seed",
    "check",
    "episode_seed",
    "job_key",
    "load",
    "protocol",
    "protocols",
    "read",
    "select_games",
    "start_run",
    "subset",
    "subsets",
]
