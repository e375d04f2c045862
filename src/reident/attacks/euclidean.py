"""Euclidean: the root of the sum of squared scores, divided by their number (Primer 2.2.2)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from reident.attacks.pairwise import Metric, bounded, scorer
from reident.encode.matrix import category_codes, scaled_numbers, stacked, state_codes
from reident.kernels.pairs import CAP, DISTANCE, EQUAL, ONE, Rows, floors, squared, steepness
from reident.model.linked import BARS, Scale
from reident.model.notes import Note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.encode.files import Files
    from reident.encode.moments import Moments
    from reident.kernels.pairs import Scorer
    from reident.model.options import Euclidean
    from reident.model.variables import Variable


def metric(attack: Euclidean, files: Files, variables: Sequence[Variable]) -> Metric:
    """Units are squared scores times 2**40; the root is taken once, for display."""
    v = len(variables)
    kinds = [EQUAL if variable.kind == "categorical" else DISTANCE for variable in variables]
    missing = round(Fraction(attack.missing_score) ** 2 * ONE)
    base = scorer(kinds, [missing] * v, [ONE] * v)
    columns = (
        (category_codes if variable.kind == "categorical" else state_codes)(files, variable)
        for variable in variables
    )
    puf, eif = stacked(files, columns, v)
    numbers, spread, ready = _numbers(files, variables, attack.scale, base)
    bound = bounded(_bound(attack, missing, v))
    return Metric(
        puf=Rows(puf, numbers[0]),
        eif=Rows(eif, numbers[1]),
        scorer=ready,
        bound=bound,
        keep=attack.keep,
        scale=Scale(
            score=lambda units: np.sqrt(units / ONE) / v,
            bar=lambda units: np.array(
                [min(math.isqrt(BARS**2 * int(u) // (v * ONE)), BARS - 1) for u in units], np.int64
            ),
            top=1 / math.sqrt(v),
            threshold=_threshold(attack, v),
        ),
        encoding={
            name: {
                "moments": [
                    {"exponent": one.exponent, "mean": one.mean, "sd": one.sd} for one in measured
                ]
            }
            for name, measured in spread.items()
        },
        notes=[*_constants(variables, spread), *_edges(bound, missing, variables)],
    )


def _bound(attack: Euclidean, missing: int, v: int) -> int:
    """The smallest units that do not pass, decided on whole numbers."""
    match attack.threshold:
        case "paper":
            return math.ceil(Fraction(v * v * missing, 4))
        case "consistent":
            return math.ceil(Fraction(v * missing, 2))
        case number:
            return max(0, math.ceil(Fraction(number) ** 2 * v * v * ONE)) if number > 0 else 0


def _threshold(attack: Euclidean, v: int) -> float:
    alpha = float(attack.missing_score)
    match attack.threshold:
        case "paper":
            return alpha / 2
        case "consistent":
            return alpha / math.sqrt(2 * v)
        case number:
            return float(number)


def _numbers(
    files: Files, variables: Sequence[Variable], scale: str, base: Scorer
) -> tuple[tuple[np.ndarray, np.ndarray], dict[str, list[Moments]], Scorer]:
    """The numeric columns on the PUF's scale, and the scorer that knows their sd."""
    v = len(variables)
    puf = np.zeros((v, len(files.layout.puf)))
    eif = np.zeros((v, len(files.layout.eif)))
    groups = 1 if scale == "study" else len(files.strata.values)
    sd = np.zeros((groups, v))
    spread = {}
    for j, variable in enumerate(variables):
        if variable.kind != "categorical":
            puf[j], eif[j], measured = scaled_numbers(files, variable, scale)
            sd[:, j] = [one.sd for one in measured]
            spread[variable.name] = measured
    own = np.zeros(len(files.layout.puf), np.int64) if scale == "study" else files.layout.stratum
    return (puf, eif), spread, base._replace(sd=sd, steep=steepness(sd), scale=own, floor=floors())


def _constants(variables: Sequence[Variable], spread: dict[str, list[Moments]]) -> list[Note]:
    return [
        Note(
            code="constant_variable",
            text=f"{variable.name}: no spread in the PUF"
            + (f" in {flat} strata" if len(spread[variable.name]) > 1 else "")
            + "; values score 0 if equal, else the largest distance.",
            count=flat,
        )
        for variable in variables
        if variable.name in spread and (flat := sum(one.sd == 0 for one in spread[variable.name]))
    ]


def _edges(bound: int, missing: int, variables: Sequence[Variable]) -> list[Note]:
    """What the threshold lets through, which grows with the number of variables."""
    v = len(variables)
    at_the_cap = max(missing, squared(CAP))
    worst = sum(
        at_the_cap if variable.kind != "categorical" and not variable.not_applicable else ONE
        for variable in variables
    )
    notes = []
    if bound > worst:
        notes.append(
            Note(
                code="vacuous_threshold",
                text=f"With {v} variables every pair passes this threshold; ranks alone decide "
                "(Primer 2.2.2: the largest score is 1/sqrt(v), not 1).",
            )
        )
    if v * missing < bound:
        notes.append(
            Note(
                code="all_missing_pairs_pass",
                text="A pair with nothing but missing values passes this threshold "
                "(Primer 2.2.2: half missing scores alpha/sqrt(2v), not alpha/2).",
            )
        )
    passing = min(v, (bound - 1) // ONE) if bound > 0 else 0
    notes.append(
        Note(
            code="mismatches_pass",
            text=f"A pair with up to {passing} of {v} variables wholly different, and the rest "
            "equal, passes the threshold.",
            count=passing,
        )
    )
    return notes
