"""Micro-aggregation as it is defined: one variable at a time, and MDAV on several at once."""

from collections.abc import Sequence
from fractions import Fraction


def single(values: Sequence[float], k: int, statistic: str) -> list[float]:
    """Sort, cut into groups of k, the remainder to the last; each value becomes its group's own.

    Winkler (2002), Basic Situation. Sums are exact and rounded once.
    """
    order = sorted(range(len(values)), key=lambda place: values[place])
    groups = [order[first : first + k] for first in range(0, len(order), k)]
    if len(groups) > 1 and len(groups[-1]) < k:
        groups[-2:] = [groups[-2] + groups[-1]]
    out = list(values)
    for group in groups:
        members = [Fraction(values[place]) for place in group]
        middle = members[(len(members) - 1) // 2] + members[len(members) // 2]
        value = float(sum(members) / len(members) if statistic == "mean" else middle / 2)
        for place in group:
            out[place] = value
    return out


def mdav(points: Sequence[Sequence[float]], k: int) -> list[int]:
    """The group of each point (Domingo-Ferrer and Torra 2005), in the order they are made."""
    exact = [[Fraction(x) for x in point] for point in points]
    left = list(range(len(points)))
    groups: list[list[int]] = []

    def distance(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
        return sum(((a - b) ** 2 for a, b in zip(one, other, strict=True)), Fraction(0))

    def farthest(target: Sequence[Fraction]) -> list[Fraction]:
        return exact[max(left, key=lambda place: (distance(exact[place], target), -place))]

    def around(target: Sequence[Fraction]) -> None:
        nearest = sorted(left, key=lambda place: (distance(exact[place], target), place))[:k]
        groups.append(nearest)
        left[:] = [place for place in left if place not in nearest]

    while len(left) >= 2 * k:
        centroid = [
            sum((exact[place][j] for place in left), Fraction(0)) / len(left)
            for j in range(len(exact[0]))
        ]
        first = farthest(centroid)
        second = farthest(first)
        pair = len(left) >= 3 * k
        around(first)
        if pair:
            around(second)
    groups.append(left)
    of = {place: number for number, group in enumerate(groups) for place in group}
    return [of[place] for place in range(len(points))]
