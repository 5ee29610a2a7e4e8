"""Verdicts: when a number of ours is equal to, inside or outside of what was published.

| band | inside means |
|---|---|
| `equal` | equal to the printed digits; there is no noise |
| `sampled` | within 4 standard errors of our mean, 5 % of the number and 0.05: the paper names no error |
| `trials` | within 3 standard errors of a difference, made of the published deviation over trials |
| `none` | no band: the settings are not the paper's, rows stand side by side |
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ale_rs.evaluation.compare import binomial_interval

if TYPE_CHECKING:
    from ale_rs.reproduce.catalogue import Entry

__all__ = ["BANDS", "GOOD", "VERDICTS", "Row", "compared", "equal", "judge", "share", "width"]

BANDS = ("equal", "sampled", "trials", "none")
VERDICTS = ("equal", "inside", "outside", "explained", "shortened", "beside", "missing")
"""`beside`: shown next to a number that was reached with other settings. `missing`: not played."""

GOOD = ("equal", "inside")
"""Verdicts of rows that agree."""
ILLEGIBLE = "the printed number cannot be read in our copy of the paper"


@dataclass(frozen=True)
class Row:
    """A cell of a table, published and ours.

    Attributes:
        game: the game, or what else the row is of.
        published: the printed number.
        ours: our number; `None` if it was not played.
        n: episodes or trials behind it.
        band: how far from the printed number still counts; `None` where there is no band.
        verdict: one of `VERDICTS`.
        why: why, where it is known.
        counts: whether the row counts in the headline.
    """

    game: str
    published: float | None
    ours: float | None
    n: int
    band: float | None
    verdict: str
    why: str = ""
    counts: bool = True


def equal(published: float, ours: float) -> bool:
    """Whether two numbers are equal in the printed digits.

    >>> equal(996.0, 996.0), equal(23.4, 23.44), equal(23.4, 23.5)
    (True, True, False)
    """
    digits = len(repr(published).partition(".")[2].rstrip("0"))
    return abs(ours - published) <= 0.5 * 10.0**-digits + 1e-9


def width(
    band: str, published: float, *, sd: float = 0.0, n: int = 1, published_sd: float = 0.0, of: int = 1
) -> float | None:
    """How far from the published number a row may be; `None` where there is no band.

    >>> width("sampled", 100.0, sd=10.0, n=100)
    9.05
    """
    if band == "sampled":
        return 4 * sd / math.sqrt(max(n, 1)) + 0.05 * abs(published) + 0.05
    if band == "trials":
        return 3 * published_sd * math.sqrt(1 / max(n, 1) + 1 / max(of, 1))
    return None


def judge(
    band: str,
    published: float | None,
    ours: float | None,
    allowed: float | None,
    *,
    shortened: bool = False,
    reference: float | None = None,
    explained: str = "",
) -> tuple[str, str]:
    """The verdict of a row, and why.

    A row that is shortened says so whatever its number is; where the reference emulator itself differs from
    print, a row that equals the reference is explained.
    """
    if ours is None:
        return "missing", "not played"
    if published is None:
        return "beside", "no number was published"
    agrees = equal(published, ours) or (allowed is not None and abs(ours - published) <= allowed)
    if shortened:
        return "shortened", "the number agrees" if agrees else explained
    if band == "none":
        return "beside", explained
    if equal(published, ours):
        return "equal", ""
    if allowed is not None and abs(ours - published) <= allowed:
        return "inside", ""
    if reference is not None and equal(reference, ours):
        return "explained", explained or "ale-py 0.12.1 gives the same: the emulator has changed since 2013"
    return ("explained", explained) if explained and reference is None else ("outside", explained)


def share(rows: Iterable["Row"]) -> tuple[int, int, str]:
    """How many of the rows that count agree, of how many, and the share with its 95 % binomial interval.

    >>> share([Row("pong", 1.0, 1.0, 1, None, "equal"), Row("boxing", 1.0, 2.0, 1, None, "outside")])
    (1, 2, '50 % [1, 99]')
    """
    counted = [row for row in rows if row.counts]
    good = sum(row.verdict in GOOD for row in counted)
    if not counted:
        return 0, 0, "-"
    low, high = binomial_interval(good, len(counted))
    return good, len(counted), f"{100 * good / len(counted):.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def compared(
    entry: "Entry", name: str, printed: float, ours: float | None, n: int, why: str = "", *, key: str = ""
) -> Row:
    """A row of an entry that is computed: equal in the printed digits, or not.

    Args:
        entry: the entry; it may explain the row, or say that its number cannot be read.
        name: what the row is of.
        printed: the printed number.
        ours: our number.
        n: what it is made of.
        why: said in any case.
        key: what the entry calls the row; by default its name.
    """
    key = key or name
    if key in entry.illegible:
        return Row(name, printed, ours, n, None, "beside", ILLEGIBLE, counts=False)
    verdict, reason = judge(
        "equal", printed, ours, None, reference=entry.reference.get(key),
        explained=entry.explained.get(key, ""),
    )  # fmt: skip
    return Row(name, printed, ours, n, None, verdict, why or reason, entry.counts)
