"""A data owner's rule on real values: which EIF codes score what for which PUF code.

Rules are evaluated once per distinct value, never per pair of records. A rule that follows an
order, of numbers or of texts, is a range of EIF values around each PUF value; any other is a list.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.encode.cells import MISSING, Cells
from reident.errors import CapacityError, Fault
from reident.kernels.pairs import EQUAL, LISTED, STEPS
from reident.model.rules import BEST, UNITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reident.model.variables import Variable

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
MOST_LISTED = 50_000_000
"""Pairs of distinct values with a score that one variable may list: about 1 GB."""


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """A column's distinct values in order, and each record's code.

    The k-th not-applicable code follows the values: its code is len(values) + k - 1.
    """

    values: list[Any]
    codes: Codes
    skips: int


def distinct(cells: Cells, variable: Variable) -> Distinct:
    """Distinct texts, or distinct numbers as the decimals that they were written as."""
    values: list[Any]
    if cells.number is not None:
        numbers, places = np.unique(cells.number[cells.present], return_inverse=True)
        # repr is the shortest decimal that reads back as this float: what the file said.
        values = [Decimal(repr(number)) for number in numbers.tolist()]
    else:
        labels = cells.used(cells.present)
        places = cells.among(labels)[cells.present].astype(np.int64)
        values = labels.to_list()
    codes = np.where(cells.state > 0, len(values) + cells.state - 1, MISSING).astype(np.int32)
    codes[cells.present] = places
    return Distinct(values=values, codes=codes, skips=len(variable.not_applicable))


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Codes of both files, and the scores in units that entries give to ranges of EIF codes.

    PUF code a owns entries bounds[a] to bounds[a + 1]; EIF codes that they leave out score
    `other`. STEPS tries ranges in turn; LISTED holds single codes in order; EQUAL has no entries
    and scores `best` for equal codes. No pair scores more than `best`.
    """

    kind: int
    puf: Codes
    eif: Codes
    bounds: Ints
    low: Codes
    high: Codes
    score: Ints
    other: int = 0
    best: int = BEST * UNITS


Ranges = list[tuple[int, int, int]]
"""Entries (first EIF code, last + 1, score in units) of one PUF code."""


def from_codes(puf: Codes, eif: Codes, score: int) -> Judgement:
    """A judgement by equality of codes that both files share."""
    none = np.zeros(0, np.int64)
    return Judgement(
        kind=EQUAL,
        puf=puf,
        eif=eif,
        bounds=np.zeros(1, np.int64),
        low=none.astype(np.int32),
        high=none.astype(np.int32),
        score=none,
        best=score,
    )


def from_ranges(puf: Distinct, eif: Distinct, rows: Iterable[Ranges]) -> Judgement:
    """A judgement by ranges, one list of ranges for each PUF code, nearest first."""
    lists = list(rows)
    entries = np.array([entry for row in lists for entry in row], np.int64).reshape(-1, 3)
    return Judgement(
        kind=STEPS,
        puf=puf.codes,
        eif=eif.codes,
        bounds=np.cumsum([0, *(len(row) for row in lists)]),
        low=entries[:, 0].astype(np.int32),
        high=entries[:, 1].astype(np.int32),
        score=entries[:, 2],
    )


def from_lists(
    puf: Distinct,
    eif: Distinct,
    rows: Iterable[tuple[Ints, Ints]],
    variable: Variable,
    other: int = 0,
) -> Judgement:
    """A judgement by lists (EIF codes ascending, scores), one for each PUF code."""
    codes: list[Ints] = []
    scores: list[Ints] = []
    held = 0
    for code, score in rows:
        codes.append(code)
        scores.append(score)
        held += len(code)
        if held > MOST_LISTED:
            raise CapacityError(
                Fault(
                    where=f"adhoc rule of {variable.name}",
                    found=f"more than {MOST_LISTED:,} pairs of distinct values with a score",
                    remedy="Use a rule by steps, stricter bounds, or a coarser variable",
                )
            )
    low = np.concatenate([np.zeros(0, np.int64), *codes]).astype(np.int32)
    return Judgement(
        kind=LISTED,
        puf=puf.codes,
        eif=eif.codes,
        bounds=np.cumsum([0, *(len(code) for code in codes)]),
        low=low,
        high=low,
        score=np.concatenate([np.zeros(0, np.int64), *scores]),
        other=other,
    )
