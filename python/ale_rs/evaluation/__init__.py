"""Evaluation: episodes -> run log -> trial scores -> normalised matrix -> aggregates -> report.

Every arrow is a pure function of the value before it; only the first runs games. A result can be recomputed
from the logs alone, without a ROM.
"""

from ale_rs.evaluation.agents import BUILT_IN, AgentSpec, agent, baselines
from ale_rs.evaluation.aggregate import (
    METRICS,
    Aggregate,
    Improvement,
    Profile,
    aggregate,
    improvement,
    improvement_interval,
    interval,
    point,
    probability_of_improvement,
    profile,
    profile_band,
)
from ale_rs.evaluation.analysis import correlations, fairness, fit_games, inversions, rank_games
from ale_rs.evaluation.compare import PairedTests, Summary, Welch, paired_tests, times_best, welch
from ale_rs.evaluation.crafter_score import ACHIEVEMENTS, crafter_score, success_rates
from ale_rs.evaluation.dataset import Dataset, read_dataset
from ale_rs.evaluation.figures import write_figures
from ale_rs.evaluation.jobs import Job, Transition, play
from ale_rs.evaluation.matrix import AxesWarning, Matrix, as_matrix
from ale_rs.evaluation.page_data import Settings, gather
from ale_rs.evaluation.protocol import (
    GameScore,
    Protocol,
    ProtocolScores,
    TrialScore,
    protocol,
    protocols,
    start_run,
)
from ale_rs.evaluation.recordings import log_recording
from ale_rs.evaluation.report import load_report, report
from ale_rs.evaluation.robustness import Robustness, robustness
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
from ale_rs.evaluation.scores import (
    Normalised,
    normalise,
    normalise_table,
    published,
    published_tables,
    read_scores,
    reference,
)
from ale_rs.evaluation.search import SubsetSearch, atari5_searches, search_subset
from ale_rs.evaluation.seeds import agent_seed, episode_seed, job_key
from ale_rs.evaluation.subset import Estimate, Model, atari_k, estimate, model, predict_games
from ale_rs.evaluation.sweep import Failure, SweepResult, evaluate, jobs_of
from ale_rs.evaluation.tasks import Task, select_games, subset, subsets
from ale_rs.evaluation.trials import area, curve
from ale_rs.evaluation.wrapper import Log

__all__ = [
    "ACHIEVEMENTS",
    "BUILT_IN",
    "METRICS",
    "AgentSpec",
    "Aggregate",
    "AxesWarning",
    "Dataset",
    "End",
    "Episode",
    "Estimate",
    "Failure",
    "GameScore",
    "Improvement",
    "Job",
    "Log",
    "LogError",
    "Matrix",
    "Model",
    "Normalised",
    "PairedTests",
    "Problem",
    "Profile",
    "Protocol",
    "ProtocolScores",
    "Robustness",
    "Run",
    "RunLog",
    "RunSet",
    "Settings",
    "SubsetSearch",
    "Summary",
    "SweepResult",
    "Table",
    "Task",
    "Transition",
    "TrialScore",
    "Welch",
    "Writer",
    "agent",
    "agent_seed",
    "aggregate",
    "area",
    "as_matrix",
    "atari5_searches",
    "atari_k",
    "baselines",
    "check",
    "correlations",
    "crafter_score",
    "curve",
    "episode_seed",
    "estimate",
    "evaluate",
    "fairness",
    "fit_games",
    "gather",
    "improvement",
    "improvement_interval",
    "interval",
    "inversions",
    "job_key",
    "jobs_of",
    "load",
    "load_report",
    "log_recording",
    "model",
    "normalise",
    "normalise_table",
    "paired_tests",
    "play",
    "point",
    "predict_games",
    "probability_of_improvement",
    "profile",
    "profile_band",
    "protocol",
    "protocols",
    "published",
    "published_tables",
    "rank_games",
    "read",
    "read_dataset",
    "read_scores",
    "reference",
    "report",
    "robustness",
    "search_subset",
    "select_games",
    "start_run",
    "subset",
    "subsets",
    "success_rates",
    "times_best",
    "welch",
    "write_figures",
]
