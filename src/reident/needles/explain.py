"""Minimal sample uniques in the names of the file: which variables, which values, how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reident.model.uniques import MinimalUniques
from reident.needles.minimal import dis_of_file, dis_scores, minimal_sets

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reident.encode.categories import Codebook, Coded
    from reident.engine.job import Fold
    from reident.model.uniques import UniquesOptions
    from reident.needles.find import Found
    from reident.needles.minimal import MinimalSets

    Ints = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]


def explained(
    asked: UniquesOptions,
    books: Sequence[Codebook],
    rows: Coded,
    found: Found,
    kept: npt.NDArray[np.bool_],
    fold: Fold,
) -> MinimalUniques:
    """The minimal sets of the records that take part; `kept` says which of the file these are."""
    wildcard = asked.missing == "wildcard"
    sets = minimal_sets(rows, asked.minimal, fold, wildcard=wildcard)
    fraction = float(asked.fraction)
    single, paired = found.counts == 1, found.counts == 2
    file_dis = dis_of_file(int(single.sum()), int(paired.sum()), fraction)
    dis = dis_scores(sets, int(single.sum()), int(paired.sum()), fraction)
    exposed = np.zeros(rows.records, np.bool_)
    exposed[sets.rows] = True
    return MinimalUniques(
        size=sets.size,
        records=int(exposed.sum()),
        beyond=int((single & ~exposed).sum()),
        by_size=tuple(np.bincount(sets.sizes, minlength=sets.size + 1)[1:].tolist()),
        contributions=dict(zip(asked.variables, sets.contributions, strict=True)),
        file_dis=file_dis,
        fraction=fraction,
        sets=_listed(asked.variables, sets, np.flatnonzero(kept)),
        values=_values(asked.variables, books, rows, sets),
        scores=_placed(sets.record_scores, kept, 0.0),
        dis=_placed(dis, kept, np.nan),
    )


def _placed(values: Floats, kept: npt.NDArray[np.bool_], other: float) -> Floats:
    """By place in the file; `other` where the record was set aside."""
    out = np.full(len(kept), other)
    out[kept] = values
    return out


def _listed(names: Sequence[str], sets: MinimalSets, at: Ints) -> pl.DataFrame:
    """A row for each minimal set: number of the record, variables, score."""
    held = [sets.holding(j) for j in range(sets.variables)]
    variables = [
        [name for name, has in zip(names, row, strict=True) if has]
        for row in np.stack(held, axis=1).tolist()
    ]
    return pl.DataFrame(
        [
            pl.Series("record", at[sets.rows] + 1, pl.Int64),
            pl.Series("size", sets.sizes, pl.Int64),
            pl.Series("variables", variables, pl.List(pl.String)),
            pl.Series("score", sets.set_scores, pl.Float64),
        ]
    )


def _values(
    names: Sequence[str], books: Sequence[Codebook], rows: Coded, sets: MinimalSets
) -> pl.DataFrame:
    """For each value the percentage of all scores that the minimal sets with it have.

    The value is null where it is missing.
    """
    each = sets.set_scores
    whole = each.sum()
    parts: list[tuple[str, str | None, int, float]] = []
    for j, (name, book) in enumerate(zip(names, books, strict=True)):
        held = sets.holding(j)
        code = rows.codes[j, sets.rows[held]].astype(np.int64)
        number = np.bincount(code, minlength=rows.sizes[j])
        score = np.bincount(code, each[held], rows.sizes[j])
        labels = [*book.labels, None]
        parts += [
            (name, labels[c], int(number[c]), float(100 * score[c] / whole))
            for c in np.flatnonzero(number)
        ]
    schema = {"variable": pl.String, "value": pl.String, "sets": pl.Int64, "share": pl.Float64}
    return pl.DataFrame(parts, schema, orient="row")
