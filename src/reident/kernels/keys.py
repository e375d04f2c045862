"""One exact number for each combination of codes, however many categories multiply up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from reident.kernels import compiled

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOM = 2**62


def row_keys(columns: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Equal rows get equal numbers, different rows different ones; codes are at least -1."""
    key = np.zeros(len(columns[0]), np.int64)
    size = 1
    for column in columns:
        codes = column.astype(np.int64) + 1
        base = int(codes.max(initial=0)) + 1
        if size * base > ROOM:
            # Renumber what is in use: at most one number a row, whatever the product was.
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            size = int(key.max(initial=0)) + 1
        key = key * base + codes
        size *= base
    return key


def counts(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many rows share each row's key, itself included."""
    _, inverse, count = np.unique(keys, return_inverse=True, return_counts=True)
    return count[inverse].astype(np.int64)


@compiled
def order_small(keys: npt.NDArray[np.int64], span: int) -> npt.NDArray[np.int64]:
    """Rows in order of their keys, all below `span`, equal ones in order of row."""
    place = np.zeros(span + 1, np.int64)
    for key in keys:
        place[key + 1] += 1
    for k in range(span):
        place[k + 1] += place[k]
    order = np.empty(len(keys), np.int64)
    for row in range(len(keys)):
        key = keys[row]
        order[place[key]] = row
        place[key] += 1
    return order


def sort_keys(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Rows in order of keys that are not negative; counted where there are few of them."""
    span = int(keys.max(initial=0)) + 1
    if span <= 2 * len(keys):
        return np.asarray(order_small(keys, span))
    return np.argsort(keys, kind="stable").astype(np.int64)
