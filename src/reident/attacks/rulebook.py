"""The adhoc rules at work (Primer 2.2.3 step 2): each kind of rule as a judgement of values."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal, Inexact
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.attacks.judgement import (
    Distinct,
    Judgement,
    Ranges,
    distinct,
    from_codes,
    from_lists,
    from_ranges,
)
from reident.encode.matrix import category_codes
from reident.errors import DataError, Fault
from reident.model.rules import (
    BEST,
    UNITS,
    Days,
    Difference,
    Equal,
    Judged,
    Prefix,
    Ratio,
    Rule,
    Similar,
    Table,
    units,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reident.encode.files import Files
    from reident.model.rules import Steps
    from reident.model.variables import Variable

Ints = npt.NDArray[np.int64]
Row = tuple[Ints, Ints]
BLOCK = 1_000_000
"""Pairs of distinct values that are judged at a time."""
EXACT = Context(prec=2000, traps=[Inexact])
"""Sums and products of floats as decimals span at most some 650 places: nothing is rounded."""


def judge(rule: Rule, files: Files, variable: Variable) -> Judgement:
    """Evaluate a rule on the distinct values of both files.

    Not applicable meets itself with the score of two equal values, and everything else with none.
    """
    if isinstance(rule, Equal) and variable.kind == "categorical":
        column = category_codes(files, variable)
        return from_codes(column.puf, column.eif, units(rule.equal))
    puf = distinct(files.puf[variable.name], variable)
    eif = distinct(files.eif[variable.name], variable)
    codes = variable.not_applicable
    match rule:
        case Equal(equal=score):
            ranges = [[(*_between(eif, a, a), units(score))] for a in puf.values]
            return _ordered(puf, eif, ranges, [units(score)] * len(codes))
        case Difference(difference=steps) | Days(days=steps):
            ranges = [_around(eif, a, steps, Decimal(1)) for a in puf.values]
            return _ordered(puf, eif, ranges, [units(steps[0][1])] * len(codes))
        case Ratio(ratio=steps):
            ranges = [_around(eif, a, steps, abs(a)) for a in puf.values]
            return _ordered(puf, eif, ranges, [units(steps[0][1])] * len(codes))
        case Prefix(prefix=steps):
            ranges = [_prefixed(eif, a, steps) for a in puf.values]
            return _ordered(puf, eif, ranges, [_first_step(steps, len(code)) for code in codes])
        case Table():
            rows = _tabled(rule, [*puf.values, *codes], [*eif.values, *codes])
            return from_lists(puf, eif, rows, variable, units(rule.otherwise))
        case Similar(similarity=name, steps=steps):
            rows = _in_blocks(puf, eif, _similarity(name, steps))
            return from_lists(puf, eif, _and_codes(rows, puf, eif, _first_step(steps, 1)), variable)
        case Judged():
            rows = _in_blocks(puf, eif, _called(rule, variable))
            return from_lists(puf, eif, _and_codes(rows, puf, eif, BEST * UNITS), variable)
    raise AssertionError(type(rule))


# Rules that follow an order: ranges ------------------------------------------------------------


def _ordered(puf: Distinct, eif: Distinct, ranges: list[Ranges], alike: list[int]) -> Judgement:
    after = len(eif.values)
    own: list[Ranges] = [[(after + k, after + k + 1, score)] for k, score in enumerate(alike)]
    return from_ranges(puf, eif, ranges + own)


def _between(eif: Distinct, low: Any, high: Any) -> tuple[int, int]:
    return bisect_left(eif.values, low), bisect_right(eif.values, high)


def _around(eif: Distinct, value: Decimal, steps: Steps, scale: Decimal) -> Ranges:
    """EIF values within each bound times the scale: |a - b| <= bound, or <= bound * |a|."""
    ranges = []
    for bound, score in steps:
        radius = EXACT.multiply(bound, scale)
        low, high = EXACT.subtract(value, radius), EXACT.add(value, radius)
        ranges.append((*_between(eif, low, high), units(score)))
    return ranges


def _prefixed(eif: Distinct, text: str, steps: Steps) -> Ranges:
    """Texts that share at least so many leading characters: neighbours in the order of texts."""
    ranges = []
    for bound, score in steps:
        length = int(bound.to_integral_value(ROUND_CEILING))
        start = text[:length]
        if len(start) == length:
            low = bisect_left(eif.values, start)
            high = bisect_right(eif.values, start, key=itemgetter(slice(length)))
            ranges.append((low, high, units(score)))
    return ranges


def _first_step(steps: Steps, reached: int) -> int:
    """The score of the first bound that a value reaches, 0 if it reaches none."""
    return next((units(score) for bound, score in steps if reached >= bound), 0)


# Rules that follow none: lists ----------------------------------------------------------------


def _tabled(rule: Table, puf: Sequence[str], eif: Sequence[str]) -> Iterator[Row]:
    """Listed pairs, and the pair of equal texts where it is not listed."""
    place = {text: code for code, text in enumerate(eif)}
    partners: dict[str, dict[int, int]] = {}
    for (a, b), score in rule.entries().items():
        if b in place:
            partners.setdefault(a, {})[place[b]] = units(score)
    for text in puf:
        row = dict(partners.get(text, {}))
        if text in place:
            row.setdefault(place[text], units(rule.equal))
        codes = sorted(row)
        yield np.array(codes, np.int64), np.array([row[code] for code in codes], np.int64)


def _in_blocks(
    puf: Distinct, eif: Distinct, scores: Callable[[list[Any], list[Any]], Ints]
) -> Iterator[Row]:
    """Rows of a table of scores that is made block by block and kept where it is not 0."""
    height = max(1, BLOCK // max(1, len(eif.values)))
    for start in range(0, len(puf.values), height):
        some = puf.values[start : start + height]
        table = scores(some, eif.values) if eif.values else np.zeros((len(some), 0), np.int64)
        for row in table:
            codes = np.flatnonzero(row)
            yield codes, row[codes]


def _and_codes(rows: Iterator[Row], puf: Distinct, eif: Distinct, alike: int) -> Iterator[Row]:
    yield from rows
    for k in range(puf.skips):
        yield np.array([len(eif.values) + k]), np.array([alike], np.int64)


def _similarity(name: str, steps: Steps) -> Callable[[list[Any], list[Any]], Ints]:
    from rapidfuzz import distance, process  # noqa: PLC0415  # only studies with such a rule

    measures = {
        "jaro_winkler": distance.JaroWinkler,
        "jaro": distance.Jaro,
        "levenshtein": distance.Levenshtein,
        "indel": distance.Indel,
        "osa": distance.OSA,
        "damerau_levenshtein": distance.DamerauLevenshtein,
    }
    measure = measures[name].normalized_similarity

    def scores(puf: list[Any], eif: list[Any]) -> Ints:
        alike = process.cdist(puf, eif, scorer=measure, dtype=np.float64)
        table = np.zeros(alike.shape, np.int64)
        for bound, score in reversed(steps):
            table[alike >= float(bound)] = units(score)
        return table

    return scores


def _called(rule: Judged, variable: Variable) -> Callable[[list[Any], list[Any]], Ints]:
    """The owner's function, on every pair of distinct values once; scores to six places."""

    def as_array(values: list[Any]) -> npt.NDArray[Any]:
        return np.array(values, object if variable.kind == "categorical" else np.float64)

    def scores(puf: list[Any], eif: list[Any]) -> Ints:
        a = np.repeat(as_array(puf), len(eif))
        b = np.tile(as_array(eif), len(puf))
        given = np.asarray(rule.function(a, b), np.float64)
        if given.shape != a.shape or not ((given >= 0) & (given <= BEST)).all():
            raise DataError(
                Fault(
                    where=f"adhoc rule of {variable.name}, {rule.name}",
                    found="scores outside 0 to 5, or not one for each pair",
                    remedy="Return as many scores as there are values, each from 0 to 5",
                )
            )
        distinct_scores, places = np.unique(given, return_inverse=True)
        rounded = [
            int((Decimal(repr(score)) * UNITS).to_integral_value(ROUND_HALF_EVEN))
            for score in distinct_scores.tolist()
        ]
        return np.array(rounded, np.int64)[places].reshape(len(puf), len(eif))

    return scores
