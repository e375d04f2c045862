"""Pairs to score beside the suspected ones, so that a reader can compare true with false."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from reident.encode.files import Files
    from reident.model.truth import Truth

Ints = npt.NDArray[np.int64]
SAMPLE = 100_000
"""Random pairs drawn for the histogram."""


def true_pairs(truth: Truth | None) -> Ints:
    """All true pairs as rows (PUF position, EIF position)."""
    if truth is None:
        return np.zeros((0, 2), np.int64)
    return np.stack([truth.puf, truth.eif], axis=1)


def other_pairs(files: Files, truth: Truth | None, seed: int, label: str) -> Ints:
    """At most SAMPLE pairs of records that meet and are not true pairs; all of them if fewer.

    The stream is keyed by seed and label, and positions follow the keys: neither the order of
    rows in a file nor the number of threads can change what is drawn.
    """
    ends = np.cumsum(files.layout.last - files.layout.first)
    total = int(ends[-1]) if len(ends) else 0
    if total <= SAMPLE:
        drawn = np.arange(total)
    else:
        stream = np.random.default_rng([seed, *label.encode()])
        drawn = stream.integers(total, size=SAMPLE)
    row = np.searchsorted(ends, drawn, side="right")
    before = ends[row] - (files.layout.last - files.layout.first)[row]
    puf = files.layout.puf[row]
    eif = files.layout.eif[files.layout.first[row] + drawn - before]
    pairs = np.stack([puf, eif], axis=1)
    return pairs if truth is None else pairs[~truth.holds(puf, eif)]
