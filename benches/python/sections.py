"""What is measured. Every section first asserts that both libraries do the same."""

from measure import Section
from single import start_act, start_snapshot, start_step
from vector import ENV_COUNTS, start_reset, start_sizes, start_threads, start_vector

SECTIONS = [
    Section("vector", "Vector environment: 84x84 gray, stack 4, frame skip 4", "frames/s", start_vector),
    Section("act", "Raw act with frame skip 1 and getScreen, one thread", "frames/s", start_act),
    Section(
        "step",
        "One environment: act with frame skip 4 and getScreenGrayscale",
        "µs/step",
        start_step,
        more_is_better=False,
    ),
    Section(
        "reset",
        "Reset of all sub-environments without a seed",
        "ms",
        start_reset(seeded=False),
        more_is_better=False,
        most_games=12,
        most_rounds=3,
    ),
    Section(
        "seeded-reset",
        "Reset of all sub-environments with a seed",
        "ms",
        start_reset(seeded=True),
        more_is_better=False,
        most_games=12,
        most_rounds=3,
    ),
    Section(
        "snapshot",
        "A state is taken and restored: cloneState and restoreState; exact is snapshot and restore",
        "µs",
        start_snapshot,
        more_is_better=False,
    ),
    Section(
        "threads",
        "Vector environment by one thread and by two",
        "frames/s",
        start_threads,
        subject="2 threads",
        baseline="1 thread",
        most_games=6,
    ),
    Section(
        "sizes",
        "Time of a step per environment, in batches of different sizes",
        "µs/env",
        start_sizes,
        subject=f"{ENV_COUNTS[-1]} envs",
        baseline=f"{ENV_COUNTS[0]} envs",
        more_is_better=False,
        most_games=3,
    ),
]
