"""Rows that are alike, against a dictionary of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reident.kernels.twins import hashes, twins_of


@given(st.integers(0, 40), st.integers(0, 3), st.integers(0, 2), st.booleans(), st.integers(0, 99))
def test_rows_alike_are_found_whatever_their_hashes(rows, variables, numbers, collide, seed):
    draw = np.random.default_rng(seed)
    codes = draw.integers(-1, 2, size=(variables, rows)).astype(np.int32)
    bits = draw.choice([0.5, -2.0, np.nan], size=(numbers, rows)).view(np.int64)
    stratum = draw.integers(2, size=rows)
    # A bad hash costs time and nothing else.
    hashed = np.full(rows, 7, np.uint64) if collide else hashes(codes, bits, stratum)
    first, before = twins_of(hashed, codes, bits, stratum)
    seen = {}
    for row in range(rows):
        own = seen.setdefault((stratum[row], *codes[:, row], *bits[:, row]), [])
        own.append(row)
        assert (first[row], before[row]) == (own[0], len(own) - 1)


def test_hashes_tell_rows_apart():
    codes = np.array(np.meshgrid(*[np.arange(-1, 20)] * 3), np.int32).reshape(3, -1)
    none = np.zeros((0, 0), np.int64)
    for stratum in (np.zeros(codes.shape[1], np.int64), np.arange(codes.shape[1]) % 2):
        assert len(np.unique(hashes(codes, none, stratum))) == codes.shape[1]
    one = np.zeros((1, codes.shape[1]), np.int32)
    numbers = np.arange(codes.shape[1], dtype=float).view(np.int64)[None]
    assert len(np.unique(hashes(one, numbers, stratum))) == codes.shape[1]
