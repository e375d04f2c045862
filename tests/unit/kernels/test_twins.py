"""Rows that are alike, against a dictionary of rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reident.attacks import twins
from reident.attacks.pairwise import NO_NUMBERS
from reident.kernels.pairs import Rows
from reident.kernels.twins import FACTOR, hashes, stand_ins, twins_of

NARROW = st.sampled_from([np.int8, np.int16, np.int32])


def alike(stratum, *columns):
    """For each row the first one like it, and how many there are before it."""
    seen = {}
    for row, own in enumerate(zip(stratum, *columns, strict=True)):
        seen.setdefault(own, []).append(row)
        yield seen[own][0], len(seen[own]) - 1


@given(st.integers(0, 40), st.integers(0, 3), st.integers(0, 2), st.booleans(), st.integers(0, 99))
def test_rows_alike_are_found_whatever_their_hashes(rows, variables, numbers, collide, seed):
    draw = np.random.default_rng(seed)
    codes = draw.integers(-1, 2, size=(variables, rows)).astype(np.int32)
    bits = draw.choice([0.5, -2.0, np.nan], size=(numbers, rows)).view(np.int64)
    stratum = draw.integers(2, size=rows)
    # A bad hash costs time and nothing else.
    radix = np.full(variables, FACTOR)
    hashed = np.full(rows, 7, np.uint64) if collide else hashes(codes, bits, stratum, radix)
    found = twins_of(hashed, False, codes, bits, stratum)  # noqa: FBT003  # numba takes flags by place
    assert list(zip(*found, strict=True)) == list(alike(stratum, *codes, *bits))


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 127), NARROW, st.integers(0, 99))
def test_rows_alike_are_found_whether_or_not_a_word_holds_all_of_them(
    rows, variables, most, kind, seed
):
    draw = np.random.default_rng(seed)
    some = draw.integers(-1, most + 1, size=(variables, 5)).clip(-1, most).astype(kind)
    # Few combinations, so that some come again, and neighbours that differ in one code.
    codes = some[:, draw.integers(5, size=rows)]
    codes[draw.integers(variables), draw.integers(rows)] = draw.integers(-1, most + 1)
    stratum = draw.integers(3, size=rows)
    found = twins._twins(Rows(codes, NO_NUMBERS), stratum)
    assert list(zip(*found, strict=True)) == list(alike(stratum, *codes))


def test_rows_whose_numbers_would_not_fit_into_a_word_are_not_taken_for_twins():
    codes = np.zeros((9, 3), np.int16)
    codes[:, 0] = 254  # 256 values each, missing ones included: a step of the first weighs 2**64
    codes[0, 2] = 1
    first, before = twins._twins(Rows(codes, NO_NUMBERS), np.zeros(3, np.int64))
    assert (first.tolist(), before.tolist()) == ([0, 1, 2], [0, 0, 0])


def test_hashes_tell_rows_apart():
    codes = np.array(np.meshgrid(*[np.arange(-1, 20)] * 3), np.int32).reshape(3, -1)
    none = np.zeros((0, 0), np.int64)
    for radix in (np.full(3, 21, np.uint64), np.full(3, FACTOR)):
        for stratum in (np.zeros(codes.shape[1], np.int64), np.arange(codes.shape[1]) % 2):
            assert len(np.unique(hashes(codes, none, stratum, radix))) == codes.shape[1]
    one = np.zeros((1, codes.shape[1]), np.int32)
    numbers = np.arange(codes.shape[1], dtype=float).view(np.int64)[None]
    assert len(np.unique(hashes(one, numbers, stratum, radix))) == codes.shape[1]


@given(st.lists(st.integers(0, 5), max_size=30))
def test_the_first_of_its_kind_stands_for_all_that_are_alike(kinds):
    first = np.array([kinds.index(kind) for kind in kinds], np.int64)
    rows, of, alike = stand_ins(first)
    assert rows.tolist() == sorted({kinds.index(kind) for kind in kinds})
    assert rows[of].tolist() == first.tolist()
    assert alike.tolist() == [kinds.count(kinds[row]) for row in rows]
