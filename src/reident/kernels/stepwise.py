"""The nearest on one variable after another, among the nearest on the first (Winkler 2002).

Rows are sorted by all variables, the first first. Candidates are then spans of places: the nearest
on the first variable, cut where its value changes; in each span the next variable is sorted, so
that its nearest value is found by halving. A value that is missing is farther than any other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.windows import first_from, span_of_nearest, span_within

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]


class Sorted(NamedTuple):
    """Rows sorted by (state, value) of each variable in turn; states[j] and values[j] by place.

    A state is 0 for a number, positive for a code that equals itself; a missing one comes last.
    """

    rows: Places
    states: Places
    values: Floats


@compiled
def cut_runs(table: Sorted, j: int, begin: int, end: int, spans: Places, count: int) -> int:
    """Append the runs of equal state and value of a variable; returns the new number of spans."""
    first = begin
    while first < end:
        last = first + 1
        step = 1
        # Galloping: runs are mostly short, and may hold half the file.
        while last < end and same(table, j, first, last):
            last = min(last + step, end)
            step *= 2
        low, high = first, last
        while high - low > 1:
            middle = (low + high) // 2
            if same(table, j, first, middle):
                low = middle
            else:
                high = middle
        spans[count, 0], spans[count, 1] = first, high
        count += 1
        first = high
    return count


@compiled
def same(table: Sorted, j: int, one: int, other: int) -> bool:
    """Whether two places have the same state and value of a variable."""
    return bool(
        table.states[j, one] == table.states[j, other]
        and table.values[j, one] == table.values[j, other]
    )


@compiled
def of_state(states: Places, begin: int, end: int, state: int) -> int:
    """The first place from `begin` whose state is not below a state."""
    while begin < end:
        middle = (begin + end) // 2
        if states[middle] < state:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def narrow(
    table: Sorted, j: int, state: int, value: float, spans: Places, count: int, out: Places
) -> int:
    """The spans that are nearest on a variable, cut into runs of it; returns their number.

    A missing value (state -1), or one whose state no candidate has, leaves all of them.
    """
    least = np.inf
    known = False
    for k in range(count if state >= 0 else 0):
        begin = of_state(table.states[j], spans[k, 0], spans[k, 1], state)
        end = of_state(table.states[j], begin, spans[k, 1], state + 1)
        if begin == end:
            continue
        known = True
        at = first_from(table.values[j], begin, end, value)
        if at < end:
            least = min(least, table.values[j, at] - value)
        if at > begin:
            least = min(least, value - table.values[j, at - 1])
    found = 0
    for k in range(count):
        begin, end = spans[k, 0], spans[k, 1]
        if known:
            begin = of_state(table.states[j], begin, spans[k, 1], state)
            end = of_state(table.states[j], begin, spans[k, 1], state + 1)
            begin, end = span_within(table.values[j], begin, end, value, least)
        found = cut_runs(table, j, begin, end, out, found)
    return found


@compiled
def rows_in(spans: Places, count: int) -> int:
    """How many places the spans hold."""
    total = 0
    for k in range(count):
        total += spans[k, 1] - spans[k, 0]
    return total


@compiled
def nearest_stepwise(
    table: Sorted, values: Floats, states: Places, blocks: Places, count: int, out: Ints
) -> None:
    """Candidates left after each variable: out[p, j] holds their number and the first of them.

    `blocks` are the places that a record may agree with on the first variable, (-1, -1) where its
    value is missing.
    """
    v = values.shape[1]
    size = 1
    for p in range(len(out)):
        size = max(size, blocks[p, 1] - blocks[p, 0])
    spans, spare = np.empty((size, 2), np.int32), np.empty((size, 2), np.int32)
    for p in range(len(out)):
        begin, end = blocks[p, 0], blocks[p, 1]
        if begin < end and states[p, 0] == 0:
            begin, end = span_of_nearest(table.values[0], begin, end, values[p, 0], count)
        held = cut_runs(table, 0, begin, end, spans, 0)
        for j in range(v):
            if j:
                held = narrow(table, j, states[p, j], values[p, j], spans, held, spare)
                spans, spare = spare, spans
            out[p, j, 0] = rows_in(spans, held)
            out[p, j, 1] = table.rows[spans[0, 0]] if held else -1
