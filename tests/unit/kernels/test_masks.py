"""Maximal masks of the rows of a tile, over those that each of them meets there."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import masks

codes = st.tuples(*[st.integers(-1, 1)] * 3)


@settings(max_examples=100)
@given(st.lists(codes, min_size=1, max_size=5), st.lists(codes, min_size=1, max_size=7), st.data())
def test_rows_of_a_tile_have_the_maximal_masks_of_those_that_they_meet_there(puf, others, data):
    rows, places = (
        st.tuples(*[st.integers(0, len(table))] * 2).map(sorted) for table in (puf, others)
    )
    (first, last), (start, stop) = data.draw(rows), data.draw(places)
    meets = data.draw(st.lists(places, min_size=len(puf), max_size=len(puf)))
    own = st.sampled_from([masks.TAKEN, *(-2 - p for p in range(len(puf)))])
    owner = [data.draw(own | st.just(q)) for q in range(len(others))]
    chains = masks.maximal_masks(
        np.array(puf, np.int32),
        np.array(others, np.int32),
        np.array(owner, np.int64),
        np.array(meets, np.int64),
        np.array([first, last, start, stop], np.int64),
    )
    assert len(chains.bounds) == last - first + 1
    for row, p in enumerate(range(first, last)):
        met = [
            (sum(1 << j for j in range(3) if puf[p][j] == others[q][j] >= 0), owner[q])
            for q in range(max(start, meets[p][0]), min(stop, meets[p][1]))
            if owner[q] != -2 - p
        ]
        expected = {}
        for mask, one in met:
            if mask and not any(mask & n == mask != n for n, _ in met):
                expected[mask] = masks.TAKEN if mask in expected else max(one, masks.TAKEN)
        mine = slice(chains.bounds[row], chains.bounds[row + 1])
        found = zip(chains.masks[mine].tolist(), chains.owners[mine].tolist(), strict=True)
        assert sorted(found) == sorted(expected.items())
