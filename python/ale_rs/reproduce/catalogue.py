"""The catalogue: what can be reproduced, one TOML file per entry.

| key | meaning |
|---|---|
| `title`, `paper`, `table` | what it is and where the numbers were printed |
| `order` | place in the list |
| `kind` | how rows are made: `play`, `best_of`, `baselines`, `analysis` |
| `protocol`, `agents`, `config` | what is played; `const:*` stands for all 18 actions |
| `episodes`, `frames`, `trials` | how much is the paper's, if not the protocol's; `analysis`: what it plays |
| `fresh` | `best_of`: episodes that estimate the best action anew |
| `games` | subsets and games |
| `function` | `analysis`: which of `analyses.ANALYSES` |
| `published` | `table` (a file of `evaluation/references`), `column`, and where printed `sd` and `trials` |
| `band` | when a row is inside, decided before anything was played: `equal`, `sampled`, `trials`, `none` |
| `counts` | whether rows count in the headline; `why` says why not |
| `reference` | game -> what the reference emulator gives today where that is known to differ |
| `explained` | game -> why it differs |
| `remarks` | game -> what an experiment showed; the verdict stays |
| `illegible` | rows whose printed number cannot be read; they never count |
| `pictures` | figures of the section, names of `pictures.PICTURES` |
| `human` | the section says on how many games the human score is reached |
| `frames_per_second` | of one core, for the estimate; learning and search included |
| `frames_per_episode`, `megabytes` | for the estimate, of an episode and of a process |
"""

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ale_rs._arguments import did_you_mean
from ale_rs.evaluation import Protocol, protocol, select_games
from ale_rs.evaluation._data import read_toml
from ale_rs.reproduce.bands import BANDS

__all__ = ["KINDS", "Entry", "catalogue", "entry"]

HERE = Path(__file__).parent / "catalogue"
KINDS = ("play", "best_of", "baselines", "analysis")


@dataclass(frozen=True)
class Entry:
    """One table, or one column of a table.

    Attributes:
        name: what the command line calls it.
        title: what it is.
        paper: the paper, as in the file names of its tables.
        table: where the numbers were printed.
        kind: how rows are made.
        protocol: name of the protocol of its plays.
        agents: names of agents.
        config: their parameters.
        episodes: evaluation episodes of a trial, where they are not the protocol's.
        frames: frames of training, where they are not the protocol's.
        trials: trials that the paper made; fewer are marked as shortened.
        fresh: episodes that estimate the best action anew.
        games: subsets and games.
        function: name of the analysis.
        published: where the printed numbers are.
        band: when a row is inside.
        counts: whether rows count in the headline.
        why: why they do not, or what should be known of all rows.
        reference: what the reference emulator gives where it differs from print.
        explained: why rows differ.
        remarks: what an experiment showed of a game; the verdict stays.
        illegible: rows whose printed number cannot be read.
        pictures: names of the figures of its section.
        human: whether the section says on how many games the human score is reached.
        frames_per_second: frames of one core and second, for the estimate.
        frames_per_episode: frames of an episode, for the estimate.
        megabytes: memory of a process, for the estimate.
        order: place in the list.
    """

    name: str
    title: str
    paper: str
    table: str
    kind: str
    order: int = 99
    protocol: str = ""
    agents: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)
    episodes: int | None = None
    frames: int | None = None
    trials: int = 1
    fresh: int | None = None
    games: tuple[str, ...] = ()
    function: str = ""
    published: Mapping[str, Any] = field(default_factory=dict)
    band: str = "none"
    counts: bool = True
    why: str = ""
    reference: Mapping[str, float] = field(default_factory=dict)
    explained: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    illegible: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    human: bool = False
    frames_per_second: float = 100_000.0
    frames_per_episode: float = 9_000.0
    megabytes: int = 200

    def rules(self, episodes: int | None = None, frames: int | None = None) -> Protocol:
        """The protocol with the entry's budget, or with another one."""
        rules = protocol(self.protocol)
        budget, score = dict(rules.budget), dict(rules.score)
        episodes = self.episodes if episodes is None else episodes
        frames = self.frames if frames is None else frames
        if episodes is not None:
            score["episodes"] = episodes
        if frames is not None and "frames" in budget:
            budget["frames"] = frames
            if "checkpoints" in score:
                score["checkpoints"] = [mark for mark in score["checkpoints"] if mark < frames] + [frames]
        return dataclasses.replace(rules, budget=budget, score=score)

    def tasks(self, games: tuple[str, ...] | None = None) -> list[str]:
        """The games of the entry, or those of `games` that are among them.

        Raises:
            ValueError: a game that the entry has no published number for.
        """
        known = select_games(self.games)
        if games is None:
            return known
        chosen = select_games(games)
        for game in chosen:
            if game not in known:
                hint = did_you_mean(game, known)
                raise ValueError(f'"{self.name}" has no game "{game}"{hint}; it has {len(known)} others')
        return chosen


@functools.cache
def catalogue() -> Mapping[str, Entry]:
    """All entries by name, in their order."""
    entries = [_read(path) for path in sorted(HERE.glob("*.toml"))]
    return {item.name: item for item in sorted(entries, key=lambda item: (item.order, item.name))}


def entry(name: str) -> Entry:
    """One entry.

    Raises:
        ValueError: there is none of this name; the text names the nearest.
    """
    known = catalogue()
    if name not in known:
        raise ValueError(
            f'there is no reproduction "{name}"{did_you_mean(name, known)}; accepted: {", ".join(known)}'
        )
    return known[name]


def _read(path: Path) -> Entry:
    values = read_toml(path)
    for key in ("agents", "games", "illegible", "pictures"):
        values[key] = tuple(values.get(key, ()))
    found = Entry(name=path.stem, **values)
    if found.kind not in KINDS or found.band not in BANDS:
        raise ValueError(f"{path.name}: kind {found.kind}, band {found.band}; accepted: {KINDS}, {BANDS}")
    return found
