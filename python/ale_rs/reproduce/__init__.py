"""Reproductions: tables of papers, played or computed again and compared cell by cell.

>>> from ale_rs import reproduce
>>> reproduce.entry("const").title
'Const: the best of 18 actions'

The catalogue is data (`catalogue/*.toml`); a run leaves run logs, so that every verdict can be recomputed.
"""

from ale_rs.reproduce.archive import finished, pack, unpack
from ale_rs.reproduce.bands import VERDICTS, Row
from ale_rs.reproduce.catalogue import Entry, catalogue, entry
from ale_rs.reproduce.page import write_page
from ale_rs.reproduce.run import Result, estimate, pace, rows_of, run

__all__ = [
    "VERDICTS", "Entry", "Result", "Row", "catalogue", "entry", "estimate", "finished", "pace", "pack",
    "rows_of", "run", "unpack", "write_page",
]  # fmt: skip
