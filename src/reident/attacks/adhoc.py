"""Adhoc: the sum of the data owner's scores, 0 to 5 a variable (Primer 2.2.3)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from reident.attacks.pairwise import NO_NUMBERS, Metric, bounded, scorer
from reident.attacks.rulebook import judge
from reident.encode.matrix import Column, stacked
from reident.kernels.pairs import Rows
from reident.model.linked import BARS, Scale
from reident.model.rules import BEST, UNITS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.attacks.judgement import Judgement
    from reident.encode.files import Files
    from reident.kernels.pairs import Scorer
    from reident.model.options import AdHoc
    from reident.model.variables import Variable


def metric(attack: AdHoc, files: Files, variables: Sequence[Variable]) -> Metric:
    """Units are what a pair loses against the best that its rules can give: lower is closer."""
    v = len(variables)
    judged = [judge(attack.rules[variable.name], files, variable) for variable in variables]
    puf, eif = stacked(files, (Column(puf=one.puf, eif=one.eif) for one in judged), v)
    threshold = Fraction(BEST * v, 2) if attack.threshold == "paper" else Fraction(attack.threshold)
    best = sum(one.best for one in judged)
    top = BEST * UNITS * v
    return Metric(
        puf=Rows(puf, NO_NUMBERS),
        eif=Rows(eif, NO_NUMBERS),
        scorer=_scorer(judged),
        bound=bounded(math.ceil(best - threshold * UNITS)),
        keep=attack.keep,
        scale=Scale(
            score=lambda units: (best - units) / UNITS,
            bar=lambda units: np.minimum(BARS * (best - units) // top, BARS - 1),
            top=float(BEST * v),
            threshold=float(threshold),
        ),
        encoding={},
        notes=[],
    )


def _scorer(judged: list[Judgement]) -> Scorer:
    """All variables' lists one after another."""
    best = [one.best for one in judged]
    base = scorer([one.kind for one in judged], best, [one.best - one.other for one in judged])
    rows = np.cumsum([0, *(len(one.bounds) - 1 for one in judged)])
    entries = np.cumsum([0, *(len(one.low) for one in judged)])
    shifted = [one.bounds[:-1] + entries[place] for place, one in enumerate(judged)]
    return base._replace(
        start=rows[:-1].astype(np.int64),
        bounds=np.concatenate([*shifted, entries[-1:]]).astype(np.int64),
        low=np.concatenate([one.low for one in judged]).astype(np.int32),
        high=np.concatenate([one.high for one in judged]).astype(np.int32),
        units=np.concatenate([one.best - one.score for one in judged]).astype(np.int64),
    )
