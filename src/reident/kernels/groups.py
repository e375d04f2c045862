"""Micro-aggregation: values in groups of k, each replaced by what its group has in common.

One variable at a time, groups are runs of the sorted values (Winkler, Basic Situation). On several
variables at once, MDAV takes the record farthest from the centre and the one farthest from that,
and gives each the k - 1 records nearest to it, until fewer than three groups' worth are left.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@compiled
def end_of_run(size: int, k: int, first: int) -> int:
    """The end of the run of k that begins at `first`; the last also takes what is left over."""
    return size if size - first < 2 * k else first + k


@compiled
def run_means(ordered: Floats, k: int, out: Floats) -> None:
    """The mean of each run of k sorted values."""
    first = 0
    while first < len(ordered):
        last = end_of_run(len(ordered), k, first)
        total = 0.0
        for i in range(first, last):
            total += ordered[i]
        # Rounding must not carry a mean out of the range of its values.
        mean = min(max(total / (last - first), ordered[first]), ordered[last - 1])
        for i in range(first, last):
            out[i] = mean
        first = last


@compiled
def run_medians(ordered: Floats, k: int, out: Floats) -> None:
    """The median of each run of k sorted values; between two middle ones the point half-way."""
    first = 0
    while first < len(ordered):
        last = end_of_run(len(ordered), k, first)
        low = ordered[(first + last - 1) // 2]
        high = ordered[(first + last) // 2]
        median = low + (high - low) * 0.5
        for i in range(first, last):
            out[i] = median
        first = last


@compiled
def farthest(points: Floats, size: int, times: float, target: Floats) -> int:
    """The first row whose point, so many times, lies farthest from a target."""
    best = -1.0
    row = 0
    for i in range(size):
        distance = 0.0
        for j in range(points.shape[1]):
            gap = times * points[i, j] - target[j]
            distance += gap * gap
        if distance > best:
            best = distance
            row = i
    return row


@compiled
def nearest(points: Floats, size: int, target: Floats, k: int, held: Ints) -> None:
    """The k rows nearest to a target, the first of equals, into `held`."""
    reach = np.empty(k)
    count = 0
    for i in range(size):
        distance = 0.0
        for j in range(points.shape[1]):
            gap = points[i, j] - target[j]
            distance += gap * gap
        if count == k and distance >= reach[k - 1]:
            continue
        place = min(count, k - 1)
        while place > 0 and reach[place - 1] > distance:
            reach[place] = reach[place - 1]
            held[place] = held[place - 1]
            place -= 1
        reach[place] = distance
        held[place] = i
        count = min(count + 1, k)


@compiled
def take_out(points: Floats, rows: Ints, size: int, held: Ints, group: int, out: Ints) -> int:
    """Give the held rows a group and close the gaps they leave; returns how many rows remain."""
    for place in held:
        out[rows[place]] = group
    left = 0
    for i in range(size):
        if out[rows[i]] < 0:
            points[left] = points[i]
            rows[left] = rows[i]
            left += 1
    return left


@compiled
def centre(points: Floats, size: int) -> Floats:
    """The sum of the points: their centroid, `size` times."""
    total = np.zeros(points.shape[1])
    for i in range(size):
        for j in range(points.shape[1]):
            total[j] += points[i, j]
    return total


@compiled
def mdav_groups(given: Floats, k: int) -> Ints:
    """The group of each point, numbered in the order in which groups are made."""
    points = given.copy()
    size = len(points)
    rows = np.arange(size)
    out = np.full(size, -1, np.int64)
    held = np.empty(k, np.int64)
    group = 0
    while size >= 2 * k:
        # Distances to the centroid, times `size`: whole numbers stay whole.
        first = points[farthest(points, size, float(size), centre(points, size))].copy()
        pair = size >= 3 * k
        second = points[farthest(points, size, 1.0, first)].copy()
        nearest(points, size, first, k, held)
        size = take_out(points, rows, size, held, group, out)
        group += 1
        if pair:
            nearest(points, size, second, k, held)
            size = take_out(points, rows, size, held, group, out)
            group += 1
    for i in range(size):
        out[rows[i]] = group
    return out
