"""Which keys of a block PUF rows ask for: their own, or one for each code of a missing value.

EIF rows that miss a value as well stand under each of these keys, as copies; they count under the
first, so that a PUF row finds no EIF row twice. Keys that differ in the last variable alone stand
side by side: a row that misses it asks for all of them at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled
from reident.kernels.keys import sort_keys

Ints = npt.NDArray[np.int64]
MOST_KEYS = 64
"""Keys that a PUF row with missing values may ask for; with more it goes another way."""


class Entries(NamedTuple):
    """PUF rows, the keys that each asks for, and whether they have all values of the block.

    These are `keys` itself and all up to `until`, which is none of them. `once` has a bit for each
    variable of the block. Where it is set, the PUF row misses the variable and asks for another
    key too, under which EIF rows that miss it are counted.
    """

    rows: Ints
    keys: Ints
    until: Ints
    complete: npt.NDArray[np.bool_]
    once: Ints


@compiled
def needy_rows(
    order: Ints,
    askable: npt.NDArray[np.bool_],
    cutoffs: Ints,
    own: Ints,
    cost: int,
    asked: Ints,
    fewest: Ints,
) -> Ints:
    """In a given order, the PUF rows that may still lack a pair and can ask a block for it.

    A pair that they lack has so many mismatches at least as `fewest` says, beside what their `own`
    missing values cost. Blocks that they `asked` are counted: a pair that a block does not find has
    a mismatch in it.
    """
    needy = np.empty(len(order), np.bool_)
    for i in range(len(order)):
        needy[i] = askable[i] and cutoffs[i] > fewest[i] * cost + own[i]
        asked[i] += needy[i]
        fewest[i] = max(fewest[i], asked[i])
    chosen, number = np.empty(len(order), np.int64), 0
    for i in order:
        chosen[number] = i
        number += needy[i]
    return chosen[:number]


def entries_of(
    rows: Ints, keys: Ints, complete: npt.NDArray[np.bool_], weights: Ints
) -> tuple[Entries, npt.NDArray[np.bool_]]:
    """What PUF rows, in order of key, ask for, and which of them would ask for too many keys.

    Entries for one key come before those for several that begin with it.
    """
    if complete.all():
        nothing = np.zeros(len(rows), np.int64)
        return Entries(rows, keys, keys + 1, complete, nothing), ~complete
    asked, other_way = several(rows, keys, complete, weights)
    order = sort_keys(asked.keys * 2 + (asked.until > asked.keys + 1))
    own, cells, until, whole, once = asked
    return Entries(own[order], cells[order], until[order], whole[order], once[order]), other_way


@compiled
def several(
    rows: Ints, keys: Ints, complete: npt.NDArray[np.bool_], weights: Ints
) -> tuple[Entries, npt.NDArray[np.bool_]]:
    """What PUF rows ask for, and which of them would ask for too many keys."""
    gone = np.empty(len(weights), np.int64)
    runs = np.ones(len(rows), np.int64)
    for i in range(len(rows)):
        if not complete[i]:
            runs[i], _ = missed(keys[i], weights, gone)
    number = runs.sum()
    out = Entries(
        np.empty(number, np.int64),
        np.empty(number, np.int64),
        np.empty(number, np.int64),
        np.empty(number, np.bool_),
        np.zeros(number, np.int64),
    )
    own, cells, until, whole, once = out
    last, at = len(weights) - 2, 0
    for i in range(len(rows)):
        if not runs[i]:
            continue
        cells[at], many, found, width = keys[i], 0, 1, 1
        if not complete[i]:
            _, many = missed(keys[i], weights, gone)
        for d in gone[:many]:
            weight = weights[d + 1]
            codes = weights[d] // weight - 1
            if d == last:
                # All codes of the last variable stand side by side.
                width = codes
                cells[at : at + found] += 1
                continue
            # From the last code to the first: the first takes the place of what it is made from.
            for code in range(codes, 0, -1):
                to = at + (code - 1) * found
                for k in range(found):
                    cells[to + k] = cells[at + k] + code * weight
                    once[to + k] = once[at + k] | np.int64(code > 1) << d
            found *= codes
        for k in range(at, at + found):
            own[k], whole[k], until[k] = rows[i], complete[i], cells[k] + width
        at += found
    return out, runs == 0


@compiled
def missed(key: int, weights: Ints, gone: Ints) -> tuple[int, int]:
    """How many runs of keys a row asks for, 0 if too many, and how many variables it misses.

    These are written down; the last one adds no run.
    """
    runs, many, rest = 1, 0, key % weights[0]
    for d in range(len(weights) - 1):
        own = rest // weights[d + 1]
        rest -= own * weights[d + 1]
        if own:
            continue
        gone[many] = d
        many += 1
        if d < len(weights) - 2:
            runs *= weights[d] // weights[d + 1] - 1
        if runs > MOST_KEYS:
            return 0, many
    return runs, many
