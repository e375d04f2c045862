"""A tiny scenario whose counts are known before any attack runs.

The argument. Every record has four codes, and no code occurs twice in a file: two records share a
code only if one was planted as the other's look-alike. A fifth variable, a number, takes two
values, and fillers see to it that each value occurs at least twice in each file.

- A planted pair agrees on the number and on at least three of the four codes; the fourth is equal,
  different, or missing in the public-use file. Unicity: it agrees on codes that no other record
  of either file has, so both are sample uniques there. Taxicab with v = 5: one mismatch makes
  2u = 4 < 5. Euclidean: S is at most one, and 4 < 25/4. Adhoc with 5 for equal: at least 20 > 12.5.
- Any other pair agrees on the number at most. Unicity: each value of the number, and each bin,
  occurs at least twice in each file, so it makes nobody unique. Taxicab: at least four mismatches
  (three and a missing code, 2u >= 14). Euclidean: S is at least 3.25, and 13 > 25/4. Adhoc: at
  most 5.

So every planted record has exactly one suspected pair, with its look-alike, and nobody else has
any. A hit's look-alike is its true partner. A false record's look-alike is a stranger. A miss has a
true partner with codes of its own, and so has each filler.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from reident.scenario.streams import stream

if TYPE_CHECKING:
    import numpy as np

CODES = ("a", "b", "c", "d")
NUMBER = "x"
LOW, HIGH = 0.0, 100.0
FILLERS = (LOW, LOW, HIGH, HIGH)
"""Values of the number that fillers have, in each file."""
KINDS = 3
"""A planted pair is equal, differs in a code, or misses one, in turn."""
PUF_KEY, EIF_KEY = ("household", "person"), ("eifid",)

Row = dict[str, str | float | None]


@dataclass(frozen=True, kw_only=True)
class Planted:
    """The files, and what each of the attacks must count."""

    puf: pl.DataFrame
    eif: pl.DataFrame
    iuf: pl.DataFrame
    suspected: int
    confirmed: int
    pairs: int
    overlap: int


@dataclass
class _Files:
    """The files while they grow; `fresh` hands out codes that nobody has yet."""

    draw: np.random.Generator
    puf: list[Row] = field(default_factory=list)
    eif: list[Row] = field(default_factory=list)
    iuf: list[Row] = field(default_factory=list)
    used: int = 0

    def fresh(self) -> dict[str, str]:
        self.used += 1
        return {name: f"{name}{self.used:04}" for name in CODES}

    def surveyed(self, number: float) -> Row:
        """A new PUF record."""
        place = len(self.puf)
        keys = {"household": f"{place // 2:04}", "person": str(place % 2 + 1)}
        self.puf.append({**keys, **self.fresh(), NUMBER: number})
        return self.puf[-1]

    def stranger(self, number: float) -> Row:
        """A new EIF record that looks like nobody."""
        self.eif.append({"eifid": f"E{len(self.eif):04}", **self.fresh(), NUMBER: number})
        return self.eif[-1]

    def look_alike(self, record: Row) -> Row:
        """A new EIF record that a PUF record is taken for; in two of three not quite equal."""
        other = self.stranger(LOW)
        kind, code = len(self.eif) % KINDS, str(self.draw.choice(CODES))
        for name in (*CODES, NUMBER):
            if (kind, name) != (1, code):
                other[name] = record[name]
        if kind == KINDS - 1:
            record[code] = None
        return other

    def true(self, record: Row, other: Row) -> None:
        """Put a pair into the truth."""
        keys = {name: record[name] for name in PUF_KEY} | {name: other[name] for name in EIF_KEY}
        self.iuf.append(keys)

    def number(self) -> float:
        return float(self.draw.choice([LOW, HIGH]))


def planted_scenario(hits: int, misses: int, false: int, seed: int) -> Planted:
    """So many records that are found, not suspected, and suspected wrongly.

    >>> planted = planted_scenario(hits=3, misses=2, false=4, seed=1)
    >>> planted.suspected, planted.confirmed
    (7, 3)
    """
    files = _Files(draw=stream(seed, "planted"))
    for number in FILLERS:
        files.true(files.surveyed(number), files.stranger(number))
    for _ in range(hits):
        record = files.surveyed(files.number())
        files.true(record, files.look_alike(record))
    for _ in range(misses):
        files.true(files.surveyed(files.number()), files.stranger(files.number()))
    for place in range(false):
        record = files.surveyed(files.number())
        files.look_alike(record)
        if place % 2:
            files.true(record, files.stranger(files.number()))
    return Planted(
        puf=_frame(files.puf, files.draw),
        eif=_frame(files.eif, files.draw),
        iuf=_frame(files.iuf, files.draw),
        suspected=hits + false,
        confirmed=hits,
        pairs=hits + false,
        overlap=len(files.iuf),
    )


def _frame(rows: list[Row], draw: np.random.Generator) -> pl.DataFrame:
    """Rows in no order, so that none is where it was planted."""
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame[draw.permutation(len(rows))]
