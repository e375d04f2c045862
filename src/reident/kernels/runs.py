"""Where the EIF rows lie that agree with a PUF row on some variables: a directory of all keys.

A block's key has room for few enough cells that each has an entry of its own, so that looking a
key up is reading two numbers, and so is looking up all keys that begin alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled

Ints = npt.NDArray[np.int64]
MOST_RUNS = 512
"""Runs of one PUF key; where there are more, the rest is taken as it lies."""


MOST_COPIES = 4096
"""Copies of one row with missing values; a block with a row that needs more has none."""


class Block(NamedTuple):
    """EIF rows in order of their key on some variables.

    A key is a number in mixed radix: stratum, then code + 1 of each of `variables` (0 missing),
    with the given `weights`. Rows starts[k] to starts[k + 1] of `rows` have key k. Where the block
    is `filled_in`, a row with missing values also stands under every key that has codes instead:
    there it is a copy, and `once` names the places of all rows that are none. `bits` are bitmaps
    over `rows`, in pieces of LANES words: an empty one, SUMS digits of what missing values add, and
    those of variable j from first[j] on, -1 for variables that it leaves out; bitmap present[j]
    names the rows in which an EQUAL variable has a value.
    """

    variables: Ints
    weights: Ints
    starts: npt.NDArray[np.int32]
    rows: npt.NDArray[np.int32]
    filled_in: bool
    once: npt.NDArray[np.uint64]
    first: Ints
    present: Ints
    bits: npt.NDArray[np.uint64]


@compiled
def keys_of(
    codes: npt.NDArray[Any], first: int, last: int, stratum: Ints, variables: Ints, weights: Ints
) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Keys of rows `first` to `last` - 1, given by variable; which of them are complete."""
    keys = stratum[first:last] * weights[0]
    complete = np.ones(len(keys), np.bool_)
    for d in range(len(variables)):
        # Variable by variable, so that many rows are worked on at once.
        column, weight = codes[variables[d], first:last], weights[d + 1]
        for i in range(len(keys)):
            keys[i] += (np.int64(column[i]) + 1) * weight
            complete[i] &= column[i] >= 0
    return keys, complete


@compiled
def copies_of(key: int, weights: Ints, keys: Ints) -> int:
    """All keys with codes where a key has missing values; how many, 0 if there is no room."""
    keys[0] = key
    found, rest = 1, key % weights[0]
    for d in range(len(weights) - 1):
        weight = weights[d + 1]
        own = rest // weight
        rest -= own * weight
        if own:
            continue
        size = weights[d] // weight
        if found * (size - 1) > len(keys):
            return 0
        # From the last code to the first: the first takes the place of what it is made from.
        for code in range(size - 1, 0, -1):
            for k in range(found):
                keys[(code - 1) * found + k] = keys[k] + code * weight
        found *= size - 1
    return found


@compiled
def directory(
    keys: Ints, complete: npt.NDArray[np.bool_], weights: Ints, cells: int, most: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], bool, npt.NDArray[np.uint64]]:
    """Where the rows of each key begin, for all `cells` keys, the rows in order of key.

    Then whether rows with missing values have copies, for which there is room if all rows and
    copies together are at most `most`, and which places hold no copy.
    """
    starts = np.zeros(cells + 1, np.int32)
    # Keys of copies, and whose: of this room only what is used takes memory.
    copies = np.empty(max(0, most - len(keys)) + MOST_COPIES, np.int64)
    whose, held, filled_in = np.empty(len(copies), np.int32), 0, True
    for i in range(len(keys)):
        starts[keys[i]] += np.int32(1)
        if filled_in and not complete[i]:
            number = copies_of(keys[i], weights, copies[held : held + MOST_COPIES])
            whose[held : held + number] = i
            held += number
            filled_in = number > 0 and len(keys) + held <= most
    held = held if filled_in else 0
    for key in copies[:held]:
        starts[key] += np.int32(1)
    passed = np.int32(0)
    for k in range(cells + 1):
        passed += starts[k]
        starts[k] = passed
    rows = np.empty(passed, np.int32)
    once = np.zeros((passed >> 6) + 1, np.uint64)
    # From the end of its run backwards: afterwards `starts` holds where runs begin.
    for row in range(len(keys) - 1, -1, -1):
        key = keys[row]
        starts[key] -= np.int32(1)
        place = np.int64(starts[key])
        rows[place] = row
        once[place >> 6] |= np.uint64(1) << np.uint64(place & 63)
    for k in range(held - 1, -1, -1):
        starts[copies[k]] -= np.int32(1)
        rows[starts[copies[k]]] = whose[k]
    return starts, rows, filled_in, once


@compiled
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
