"""Attacks on micro-aggregated files, as Winkler (2002) tells them.

Basic Situation (``interval``), First Extension (``nearest``), Second Extension (``windows`` and
``trimmed``). Each guess is one record; where several fit equally well there is none. A missing
value agrees with nothing; a not-applicable code agrees with itself alone.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from .values import Cell, Cells, Key, NotApplicable, as_written

PREFIX = "microagg_"
STEPPED = ("microagg_interval", "microagg_nearest")
UNIT = 2**40  # a relative difference of one
CAP = 2**50  # the largest difference that is told apart

Bounds: TypeAlias = Mapping[float, tuple[float, float]]  # released value -> lowest, highest
Rows: TypeAlias = Sequence[tuple[Key, Cells]]


@dataclass(frozen=True)
class Fit:
    """The best score of a record and all EIF records that have it."""

    score: int
    keys: list[Key]


def is_number(cell: Cell) -> bool:
    """Whether a cell of a numeric variable holds a number."""
    return isinstance(cell, (int, float))


def numbers(cells: Sequence[Cell]) -> list[float]:
    """The numbers of a column."""
    return [float(cell) for cell in cells if isinstance(cell, (int, float))]


# Which variables ----------------------------------------------------------------------------------


def uncorrelated(columns: Sequence[Sequence[Cell]]) -> list[int]:
    """The first three columns that vary and have pairwise R2 <= 0.2; all if none varies."""
    chosen: list[int] = []
    for j, column in enumerate(columns):
        varies = len(set(numbers(column))) > 1
        if len(chosen) < 3 and varies and all(r2_is_small(columns[i], column) for i in chosen):
            chosen.append(j)
    return chosen or list(range(len(columns)))


def r2_is_small(one: Sequence[Cell], other: Sequence[Cell]) -> bool:
    """R2 <= 0.2 over the records that have both numbers, in exact arithmetic."""
    both = [
        (Fraction(a), Fraction(b))
        for a, b in zip(one, other, strict=True)
        if isinstance(a, (int, float)) and isinstance(b, (int, float))
    ]
    if not both:
        return True
    n = len(both)
    mean_a, mean_b = sum(a for a, _ in both) / n, sum(b for _, b in both) / n
    s_ab = sum((a - mean_a) * (b - mean_b) for a, b in both)
    s_aa = sum((a - mean_a) ** 2 for a, _ in both)
    s_bb = sum((b - mean_b) ** 2 for _, b in both)
    return 5 * s_ab**2 <= s_aa * s_bb


# Intervals ----------------------------------------------------------------------------------------


def radius_of(wanted: str, puf: Sequence[Sequence[Cell]], eif: Sequence[Sequence[Cell]]) -> str:
    """Ranks where the intruder holds as many values of every variable as were released."""
    if wanted != "auto":
        return wanted
    pairs = zip(puf, eif, strict=True)
    whole = all(len(numbers(a)) == len(numbers(b)) for a, b in pairs)
    return "rank" if whole else "midpoint"


def bounds_of(radius: str, released: Sequence[float], held: Sequence[float]) -> Bounds:
    """Between which values the original of each released value must lie."""
    values = sorted(set(released))
    made = {}
    for i, y in enumerate(values):
        before = values[i - 1] if i > 0 else None
        after = values[i + 1] if i + 1 < len(values) else None
        if radius == "half_gap":
            gap = min(
                math.inf if before is None else y - before,
                math.inf if after is None else after - y,
            )
            made[y] = (y - gap / 2, y + gap / 2)
        elif radius == "midpoint":
            made[y] = (
                -math.inf if before is None else before * 0.5 + y * 0.5,
                math.inf if after is None else y * 0.5 + after * 0.5,
            )
        else:
            made[y] = ranked_bounds(y, released, held)
    return made


def ranked_bounds(
    y: float, released: Sequence[float], held: Sequence[float]
) -> tuple[float, float]:
    """The intruder's values at the ranks of the group, scaled if the files differ in size."""
    if not held:
        return math.inf, -math.inf
    counts = Counter(released)
    before = sum(count for value, count in counts.items() if value < y)
    scale = Fraction(len(held), len(released))
    first = math.floor(before * scale)
    last = math.ceil((before + counts[y]) * scale) - 1
    ordered = sorted(held)
    return ordered[first], ordered[last]


def agrees(cell: Cell, other: Cell, bounds: Bounds) -> bool:
    """Whether an EIF value lies in the interval of a released value."""
    if cell is None or other is None:
        return False
    if isinstance(cell, NotApplicable) or isinstance(other, NotApplicable):
        return cell == other
    low, high = bounds[float(cell)]
    return low <= float(other) <= high


def most_agreements(
    cells: Cells, others: Rows, test: Callable[[int, Cell], bool], v: int, least: int
) -> Fit:
    """The EIF records that agree on most of the first v variables, `least` at least."""
    counts = {
        key: sum(cells[j] is not None and test(j, other[j]) for j in range(v))
        for key, other in others
    }
    best = max(counts.values(), default=0)
    if best < least:
        return Fit(0, [])
    return Fit(best, [key for key, count in counts.items() if count == best])


# Windows ------------------------------------------------------------------------------------------


def window_test(
    cell: Cell, column: Sequence[Cell], bounds: Bounds, options: Mapping[str, Any]
) -> Any:
    """A test whether an EIF value lies in the window around a released value.

    An automatic one holds what deviates by at most the declared share from a value between the
    midpoints, which are ``bounds``.
    """
    if not isinstance(cell, (int, float)):
        return lambda other: cell is not None and cell == other
    window = options.get("window", "auto")
    if window == "auto":
        share = float(as_written(options.get("deviation", 0.03)))
        low, high = bounds[float(cell)]
        low, high = low - abs(low) * share, high + abs(high) * share
        return lambda other: is_number(other) and low <= other <= high
    distances = sorted(abs(x - cell) for x in numbers(column))
    farthest = distances[min(int(window), len(distances)) - 1] if distances else -1.0
    return lambda other: is_number(other) and abs(other - cell) <= farthest


# The nearest --------------------------------------------------------------------------------------


def distance(cell: Cell, other: Cell) -> tuple[bool, float]:
    """How far two values lie apart; what cannot be compared is farther than anything else."""
    if isinstance(cell, (int, float)) and isinstance(other, (int, float)):
        return False, abs(float(cell) - float(other))
    return cell is None or cell != other, 0.0


def stepwise(cells: Cells, others: Rows, count: int) -> list[list[Key]]:
    """Candidates left after each variable, the first taking the `count` nearest and ties."""
    near = {key: distance(cells[0], other[0]) for key, other in others}
    comparable = sorted(far for far in near.values() if not far[0])
    left = [
        (key, other)
        for key, other in others
        if comparable
        and not near[key][0]
        and near[key] <= comparable[min(count, len(comparable)) - 1]
    ]
    steps = [[key for key, _ in left]]
    for j in range(1, len(cells)):
        least = min((distance(cells[j], other[j]) for _, other in left), default=None)
        left = [(key, other) for key, other in left if distance(cells[j], other[j]) == least]
        steps.append([key for key, _ in left])
    return steps


def relative_difference(y: Cell, x: Cell) -> int | None:
    """|x - y| / |y| in whole units, None where either is missing."""
    if y is None or x is None:
        return None
    if isinstance(y, NotApplicable) or isinstance(x, NotApplicable) or y == x:
        return 0 if x == y else CAP
    if y == 0:
        return CAP
    share = abs(float(x) - float(y)) / abs(float(y))
    return CAP if share >= CAP // UNIT else round(share * UNIT)


def trimmed(cells: Cells, others: Rows, agree: int) -> Fit:
    """The records with the smallest sum of their `agree` smallest relative differences."""
    sums = {}
    for key, other in others:
        apart = [relative_difference(y, x) for y, x in zip(cells, other, strict=True)]
        known = sorted(one for one in apart if one is not None)
        if len(known) >= agree:
            sums[key] = sum(known[:agree])
    least = min(sums.values(), default=0)
    return Fit(least, [key for key, total in sums.items() if total == least])
