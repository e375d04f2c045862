"""The utility and safety indices of PWSCUP2015, from their definitions (Identify-euc, Table 1).

A record is a pair: its QI as texts or None, its SA as numbers or None. Sums are rational numbers.
"""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

Record = tuple[tuple[str | None, ...], tuple[float | None, ...]]


def mean(values: Sequence[Fraction]) -> Fraction | None:
    """The mean, None of nothing."""
    return sum(values, Fraction(0)) / len(values) if values else None


def column(records: Sequence[Record], sa: int) -> list[Fraction]:
    """The numbers of an SA that are there."""
    return [Fraction(one) for _, numbers in records if (one := numbers[sa]) is not None]


def u1(x: Sequence[Record], b: Sequence[Record]) -> Fraction | None:
    """The mean over the SAs of |mean X - mean B|."""
    errors = []
    for sa in range(len(x[0][1])):
        before, after = mean(column(x, sa)), mean(column(b, sa))
        if before is not None and after is not None:
            errors.append(abs(before - after))
    return mean(errors)


def u2_u3(
    x: Sequence[Record], b: Sequence[Record], cross: str, cells: str
) -> tuple[Fraction | None, Fraction | None]:
    """Mean absolute differences of SA means and of counts, over the cells of cross tables."""
    first = range(min(6, len(x[0][0])))
    tables = [tuple(first)] if cross == "six" else list(itertools.combinations(first, 2))
    if not first:
        tables = []
    means, counts = [], []
    for table in tables:
        before = [tuple(record[0][j] for j in table) for record in x]
        after = [tuple(record[0][j] for j in table) for record in b]
        for cell in set(after) | (set(before) if cells == "union" else set()):
            counts.append(Fraction(abs(before.count(cell) - after.count(cell))))
            mine = [record for record, own in zip(x, before, strict=True) if own == cell]
            theirs = [record for record, own in zip(b, after, strict=True) if own == cell]
            for sa in range(len(x[0][1])):
                one = mean(column(mine, sa)) or Fraction(0)
                other = mean(column(theirs, sa)) or Fraction(0)
                means.append(abs(one - other))
    return mean(means), mean(counts)


def correlation(records: Sequence[Record], i: int, j: int) -> float:
    """Pearson's correlation of two SAs over the records with both; 0 where one is constant."""
    pairs = [
        (Fraction(a), Fraction(b))
        for _, numbers in records
        if (a := numbers[i]) is not None and (b := numbers[j]) is not None
    ]
    if not pairs:
        return 0.0
    x, y = mean([a for a, _ in pairs]) or 0, mean([b for _, b in pairs]) or 0
    xy = sum((a - x) * (b - y) for a, b in pairs)
    xx, yy = sum((a - x) ** 2 for a, _ in pairs), sum((b - y) ** 2 for _, b in pairs)
    if not xx or not yy:
        return 0.0
    return math.copysign(math.sqrt(Fraction(xy * xy, 1) / (xx * yy)), xy)


def u4(x: Sequence[Record], b: Sequence[Record]) -> float | None:
    """The mean over pairs of SAs of the difference of their correlations."""
    pairs = list(itertools.combinations(range(len(x[0][1])), 2))
    errors = [abs(correlation(x, i, j) - correlation(b, i, j)) for i, j in pairs]
    return sum(errors) / len(errors) if errors else None


def u5(
    pairs: Sequence[tuple[Record, Record]], x: Sequence[Record], gone: Sequence[Record] = ()
) -> Fraction | None:
    """The mean over records and SAs of |x - b| / range in X; a value lost or made up counts 1.

    `gone` are records of X that were not released and count: whatever they held is lost.
    """
    losses = []
    for sa in range(len(x[0][1])):
        values = column(x, sa)
        wide = max(values) - min(values) if values else Fraction(0)
        for before, after in pairs:
            a, c = before[1][sa], after[1][sa]
            if a is None or c is None:
                losses.append(Fraction(a is not c))
            elif wide:
                losses.append(abs(Fraction(a) - Fraction(c)) / wide)
            else:
                losses.append(Fraction(a != c))
        losses += [Fraction(record[1][sa] is not None) for record in gone]
    return mean(losses)


def s1_s2(b: Sequence[Record]) -> tuple[int, Fraction]:
    """The smallest and the mean class of records with the same QI."""
    classes = Counter(qi for qi, _ in b)
    return min(classes.values()), Fraction(len(b), len(classes))
