"""Cells counted in shares are the cells, however many shares there are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reident.encode.categories import Coded
from reident.engine.local import local
from reident.needles import shares
from reident.needles.find import find


@given(
    sizes=st.lists(st.sampled_from([1, 2, 3, 40_000]), min_size=1, max_size=9),
    records=st.integers(0, 200),
    fewest=st.sampled_from([1, 8, 1000]),
    k=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_shares_count_as_other_ways_do(sizes, records, fewest, k, seed):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.integers(min(size, 3), size=records) for size in sizes])
    coded = Coded(codes.astype(np.uint16), tuple(sizes), (-1,) * len(sizes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shares, "FEWEST", fewest)
        found = shares.by_shares(coded, k, local(), "uniques")
    expected = find(coded, k, "sort", 1)
    assert np.array_equal(found.counts, expected.counts)
    assert np.array_equal(found.tally, expected.tally)
