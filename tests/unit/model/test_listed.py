"""Pairs by key: written out when they are asked for, whole or in slices."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.model.linked import Scale
from reident.model.listed import Listed
from reident.model.pairs import Pairs

PUF = pl.DataFrame({"p": ["a", "b", "c", "d"], "q": ["1", "2", "3", "4"]})
EIF = pl.DataFrame({"e": ["x", "y", "z"]})
TENTHS = Scale(score=lambda units: units / 10, bar=len, top=1.0, threshold=0.5)


def listed(rows, *, scale=TENTHS, confirmed=True, **more):
    columns = np.array(rows, np.int64).reshape(-1, 5).T
    kinds = (np.int32, np.int32, np.int8, np.int8, np.int8)
    puf, eif, units, rank, tied = (
        own.astype(kind) for own, kind in zip(columns, kinds, strict=True)
    )
    told = {
        "puf": PUF,
        "eif": EIF,
        "pairs": Pairs(puf=puf, eif=eif, units=units, rank=rank, tied=tied),
        "score": None,
        "scale": scale,
        "ranked": True,
        "confirmed": puf == eif if confirmed else None,
        "others": None,
    }
    return Listed(**(told | more))


def test_a_frame_names_records_by_key():
    frame = listed([(0, 0, 5, 1, 1), (3, 1, 120, 2, 3)]).frame()
    assert frame.schema == {
        "puf_p": pl.String,
        "puf_q": pl.String,
        "eif_e": pl.String,
        "score": pl.Float64,
        "rank": pl.Int64,
        "tied": pl.Int64,
        "confirmed": pl.Boolean,
    }
    assert frame.rows() == [("a", "1", "x", 0.5, 1, 1, True), ("d", "4", "y", 12.0, 2, 3, False)]


def test_what_a_method_does_not_say_is_null():
    rows = [(0, 0, 5, 1, 1)]
    assert listed(rows, scale=None, ranked=False, confirmed=False).frame().rows() == [
        ("a", "1", "x", None, None, None, None)
    ]
    guessed = listed(rows * 2, scale=None, score=np.array([2.5, np.nan])).frame()
    assert guessed["score"].to_list() == [2.5, None]


def test_records_without_a_listed_pair_stand_in_their_order():
    frame = listed([(1, 2, 0, 0, 0)], others=np.array([0, 3])).frame()
    assert frame["puf_p"].to_list() == ["a", "b", "d"]
    assert frame["eif_e"].to_list() == [None, "z", None]
    assert frame["confirmed"].to_list() == [False, False, False]


@settings(max_examples=40)
@given(
    rows=st.lists(st.tuples(*(st.integers(0, top) for top in (3, 2, 99, 5, 5))), max_size=12),
    size=st.integers(1, 5),
    others=st.sampled_from([None, [], [0, 2]]),
)
def test_slices_are_the_frame(rows, size, others):
    held = listed(rows, others=None if others is None else np.array(others, np.int64))
    slices = list(held.slices(size))
    assert all(len(some) <= size for some in slices)
    assert pl.concat(slices).equals(held.frame())
    assert pl.concat(slices).schema == held.frame().schema


@pytest.mark.parametrize("others", [None, [0, 2]])
def test_the_room_of_a_frame_is_known_beforehand(others):
    held = listed([(0, 0, 5, 1, 1)] * 1000, others=None if others is None else np.array(others))
    assert 0.5 < held.room / held.frame().estimated_size() < 4
