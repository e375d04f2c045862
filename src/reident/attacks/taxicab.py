"""Taxicab: the mean of 0, 1 or the missing score over the variables (Primer 2.2.1)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from reident.attacks.pairwise import NO_NUMBERS, Metric, bounded, scorer
from reident.encode.matrix import coded_matrix
from reident.kernels.pairs import EQUAL, Rows
from reident.model.linked import BARS, Scale
from reident.model.notes import Note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.files import Files
    from reident.encode.matrix import Column
    from reident.model.options import Taxicab
    from reident.model.variables import Variable


def metric(attack: Taxicab, files: Files, variables: Sequence[Variable]) -> Metric:
    """Units are b mismatches + a missings, where the missing score is a/b in lowest terms."""
    puf, eif, told = coded_matrix(
        files,
        variables,
        attack,
        lambda one, column: (described(one, column), few_codes(one, column, attack.bins)),
    )
    v = len(variables)
    alpha = Fraction(attack.missing_score)
    a, b = alpha.numerator, alpha.denominator
    threshold = alpha / 2 if attack.threshold == "paper" else Fraction(attack.threshold)
    return Metric(
        puf=Rows(puf, NO_NUMBERS),
        eif=Rows(eif, NO_NUMBERS),
        scorer=scorer([EQUAL] * v, [a] * v, [b] * v),
        # A whole number lies below a bound exactly when it lies below the bound rounded up.
        bound=bounded(math.ceil(threshold * b * v)),
        keep=attack.keep,
        scale=Scale(
            score=lambda units: units / (b * v),
            bar=lambda units: np.minimum(BARS * units // (b * v), BARS - 1),
            top=1.0,
            threshold=float(threshold),
        ),
        encoding={one.name: how for one, (how, _) in zip(variables, told, strict=True)},
        notes=[*(note for _, notes in told for note in notes), *_edges(threshold, alpha, v)],
    )


def described(variable: Variable, column: Column) -> dict[str, Any]:
    """How a variable was coded: categories in order of code, or cut points per scale."""
    if variable.kind == "categorical":
        return {"categories": list(column.labels)}
    return {"cuts": [{"puf": list(puf), "eif": list(eif)} for puf, eif in column.cuts]}


def few_codes(variable: Variable, column: Column, bins: int) -> list[Note]:
    """A note on a binned variable whose PUF values fall in fewer bins than asked for."""
    if variable.kind == "categorical":
        return []
    used = len(np.unique(column.puf[(column.puf > 0) & (column.puf <= bins)]))
    if used == bins:
        return []
    return [
        Note(
            code="few_codes",
            text=f"{variable.name}: the PUF's values use {used} of {bins} bins, "
            "because many of them are equal or few are present.",
            count=used,
        )
    ]


def _edges(threshold: Fraction, alpha: Fraction, v: int) -> list[Note]:
    notes = []
    if threshold > 1:
        notes.append(
            Note(code="vacuous_threshold", text="Every pair passes this threshold; ranks decide.")
        )
    if alpha < threshold:
        notes.append(
            Note(
                code="all_missing_pairs_pass",
                text="A pair with nothing but missing values passes this threshold.",
            )
        )
    passing = min(v, math.ceil(threshold * v) - 1)
    notes.append(
        Note(
            code="mismatches_pass",
            text=f"A pair with up to {max(passing, 0)} of {v} variables different, and the rest "
            "equal, passes the threshold.",
            count=max(passing, 0),
        )
    )
    return notes
