"""From counts to the answer: what every way of counting has in common, and the notes on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.model.notes import Note, in_order, plural
from reident.model.uniques import Uniques
from reident.needles.find import LEVELS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reident.encode.categories import Codebook
    from reident.model.uniques import MinimalUniques, RiskFound, UniquesOptions

Ints = npt.NDArray[np.int64]
SMALL_CATEGORY = 100
"""A category with fewer records makes those who are in it easy to look for (Dalenius 2.3)."""


class Counted(NamedTuple):
    """Records read; by_count[c]: records that share their cell with c - 1 others; cells likewise.

    The last place of both counts all that is larger. `tally` is None where there are no cells.
    """

    records: int
    by_count: Ints
    tally: Ints | None
    smallest: int | None


def summary(
    asked: UniquesOptions,
    counted: Counted,
    categories: Sequence[tuple[Codebook, Ints]],
    noted: Sequence[Note],
    **found: Any,
) -> Uniques:
    """The answer; `found` holds what is restricted and how it was found, `noted` notes so far."""
    each, cells = counted.by_count, counted.tally
    variables = tuple(
        {"name": name, "categories": len(book.labels), "smallest_category": _least(book, sizes)}
        for name, (book, sizes) in zip(asked.variables, categories, strict=True)
    )
    answer = Uniques(
        records=counted.records,
        compared=int(each.sum()),
        cells=None if cells is None else int(cells.sum()),
        k=asked.k,
        missing=asked.missing,
        by_count=tuple(
            {
                "count": c,
                "cells": None if cells is None else int(cells[c]),
                "records": int(each[c]),
            }
            for c in range(1, asked.k + 1)
        ),
        unique_records=int(each[1 : asked.k + 1].sum()),
        smallest=counted.smallest,
        violations={level: int(each[1:level].sum()) for level in LEVELS},
        variables=variables,
        notes=(),
        **found,
    )
    return Uniques(**{**vars(answer), "notes": tuple(in_order([*noted, *_notes(answer)]))})


def _least(book: Codebook, sizes: Ints) -> int | None:
    """Records in the smallest category that is in use; missing is none."""
    used = sizes[: len(book.labels)]
    used = used[used > 0]
    return int(used.min()) if len(used) else None


def _notes(found: Uniques) -> Iterator[Note]:
    apart = found.records - found.compared - found.protected
    if apart:
        yield Note(
            code="set_aside",
            text=f"{plural(apart, 'record has', 'records have')} a missing value and "
            f"{'was' if apart == 1 else 'were'} set aside: nothing is said of their risk.",
            count=apart,
            first=True,
        )
    if found.protected:
        yield Note(
            code="protected",
            text=f"{plural(found.protected, 'record has', 'records have')} no data left that "
            "others may know, by an earlier action: set aside, not counted as a cell.",
            count=found.protected,
        )
    if found.missing == "wildcard":
        yield Note(
            code="wildcard",
            text="A missing value matches every value: a record counts those that are equal "
            "wherever both are present. This is no grouping, so there are no cells.",
        )
    together = found.unique_records - sum(row["records"] or 0 for row in found.by_count[:1])
    if together:
        yield Note(
            code="collusion",
            text=f"{plural(together, 'record shares its', 'records share their')} data with at "
            f"most {plural(found.k - 1, 'other', 'others')}, who could tell whose record it is.",
            count=together,
        )
    small = [
        str(row["name"])
        for row in found.variables
        if (row["smallest_category"] or SMALL_CATEGORY) < SMALL_CATEGORY
    ]
    if small:
        yield Note(
            code="small_category",
            text=f"A category of fewer than {SMALL_CATEGORY} records is in {', '.join(small)}: "
            "whoever lives in a small place is easy to look for.",
            count=len(small),
        )
    yield from _risk_notes(found.risk)
    yield from _minimal_notes(found.minimal)


def _risk_notes(risk: RiskFound | None) -> Iterator[Note]:
    if risk is not None and risk.crowded:
        yield Note(
            code="weights_below_count",
            text=f"In {plural(risk.crowded, 'cell', 'cells')} the weights add up to less than the "
            "records; there the file counts as the whole population.",
            count=risk.crowded,
        )


def _minimal_notes(minimal: MinimalUniques | None) -> Iterator[Note]:
    if minimal is not None and minimal.beyond:
        yield Note(
            code="beyond_size",
            text=f"{plural(minimal.beyond, 'record is', 'records are')} unique on all variables "
            f"and on no set of up to {minimal.size}: score 0 does not mean no risk.",
            count=minimal.beyond,
        )
