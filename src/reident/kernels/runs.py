"""Where the EIF rows lie that agree with a PUF row on some variables: a directory of all keys.

A block's key has room for few enough cells that each has an entry of its own, so that looking a
key up is reading two numbers, and so is looking up all keys that begin alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
MOST_RUNS = 512
"""Runs of one PUF key; where there are more, the rest is taken as it lies."""


class Block(NamedTuple):
    """EIF rows in order of their key on some variables.

    A key is a number in mixed radix: stratum, then code + 1 of each of `variables` (0 missing),
    with the given `weights`. Rows starts[k] to starts[k + 1] of `rows` have key k. `bits` are
    bitmaps over `rows`: an empty one, SUMS digits of what missing values add, and those of
    variable j from row first[j] on, -1 for variables that it leaves out; row present[j] names the
    rows in which an EQUAL variable has a value.
    """

    variables: Ints
    weights: Ints
    starts: npt.NDArray[np.int32]
    rows: Ints
    first: Ints
    present: Ints
    bits: npt.NDArray[np.uint64]


@numba.njit(cache=True, nogil=True)
def directory(keys: Ints, cells: int) -> tuple[npt.NDArray[np.int32], Ints]:
    """Where the rows of each key begin, for all `cells` keys, and the rows in order of key."""
    starts = np.zeros(cells + 1, np.int32)
    for key in keys:
        starts[key] += np.int32(1)
    total = np.int32(0)
    for k in range(cells + 1):
        total += starts[k]
        starts[k] = total
    rows = np.empty(len(keys), np.int64)
    # From the end of its run backwards: afterwards `starts` holds where runs begin.
    for row in range(len(keys) - 1, -1, -1):
        key = keys[row]
        starts[key] -= np.int32(1)
        rows[starts[key]] = row
    return starts, rows


@numba.njit(cache=True, nogil=True)
def find_runs(
    block: Block, codes: npt.NDArray[np.int32], stratum: int, runs: Ints
) -> tuple[int, bool, int]:
    """Runs of block rows that agree with a PUF row wherever both are present.

    Variable by variable a range of keys is narrowed to those with the PUF row's code and those
    with a missing one; where the PUF row has none, every code will do. Runs ascend and do not
    overlap. Returns how many there are, whether they hold nothing but rows that agree, and how
    many steps it took.
    """
    starts, weights, variables = block.starts, block.weights, block.variables
    depth = len(variables)
    # Ranges still to be narrowed: their first key, and the variables done.
    stack = np.empty((2 * MOST_RUNS, 2), np.int64)
    stack[0, 0], stack[0, 1] = stratum * weights[0], 0
    waiting, found, agreed, steps = 1, 0, True, 0
    while waiting:
        waiting -= 1
        steps += 1
        key, done = stack[waiting]
        begin, end = np.int64(starts[key]), np.int64(starts[key + weights[done]])
        if begin == end:
            continue
        code, weight, size = np.int32(0), 1, 1
        if done < depth:
            code, weight = codes[variables[done]], weights[done + 1]
            size = weights[done] // weight if code < 0 else 2
        if done == depth or found + waiting + size >= MOST_RUNS:
            agreed = agreed and done == depth
            if found and runs[found - 1, 1] == begin:
                runs[found - 1, 1] = end
            else:
                runs[found, 0], runs[found, 1] = begin, end
                found += 1
            continue
        # What comes first in order is put on the stack last: the missing ones at the very end.
        if code >= 0:
            stack[waiting, 0], stack[waiting, 1] = key + (code + 1) * weight, done + 1
            stack[waiting + 1, 0], stack[waiting + 1, 1] = key, done + 1
        else:
            for k in range(size):
                stack[waiting + k, 0] = key + (size - 1 - k) * weight
                stack[waiting + k, 1] = done + 1
        waiting += size
    return found, agreed, steps
