"""Bitmaps of a block name the rows that they should, up to the last row and not beyond."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reident.kernels import lanes
from reident.kernels import planes as kernel
from reident.kernels.bitmaps import CLASSES, NO_CLASS, SUMS
from reident.kernels.planes import AT_LEAST, DIFFERENT, DIGIT

RECORDS = 150


def named(bitmap):
    """Which rows a bitmap names, all its words one after another."""
    return [int(word) >> bit & 1 for word in bitmap for bit in range(64)]


def flags(chosen, words):
    """The same from a row of flags, nobody beyond them."""
    return [*(int(flag) for flag in chosen), *[0] * (64 * words - len(chosen))]


@settings(max_examples=30)
@given(st.integers(0, 512), st.integers(1, 3), st.integers(0, 2**32))
@example(512, 2, 0)
def test_rows_are_turned_over_byte_by_byte_and_nobody_comes_after_the_last(number, lanes, seed):
    draw = np.random.default_rng(seed)
    packed = draw.integers(2**64, size=(RECORDS, lanes), dtype=np.uint64)
    rows = draw.integers(RECORDS, size=number).astype(np.int32)
    columns = draw.integers(2**64, size=lanes * 8 * 64, dtype=np.uint64)
    kernel.turn(packed, rows, columns)
    held = np.zeros((8 * lanes, 512), np.uint8)
    held[:, :number] = packed[rows].view(np.uint8).T
    assert columns.view(np.uint8).reshape(8 * lanes, 512).tolist() == held.tolist()


@pytest.mark.parametrize("variables", [1, 7, 8, 9])
def test_rows_are_packed_byte_by_byte_and_large_sums_stop_short(variables):
    draw = np.random.default_rng(variables)
    classes = draw.integers(256, size=(variables, 5)).astype(np.uint8)
    sums = np.array([0, 1, 254, 255, 1000])
    for row, word in enumerate(kernel.pack(classes, sums)):
        held = b"".join(int(lane).to_bytes(8, "little") for lane in word)
        told = [*classes[:, row].tolist(), min(int(sums[row]), 255)]
        assert list(held) == told + [0] * (len(held) - len(told))


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, CLASSES)), min_size=1, max_size=10),
    st.integers(1, 300),
    st.integers(0, 1),
    st.integers(0, 2**32),
)
@example([(True, CLASSES), (False, CLASSES)], 1100, 1, 0)
@example([(True, 3)], 64, 0, 1)
@example([(True, 3)], 512, 1, 1)
def test_bitmaps_name_other_classes_ranges_and_digits(kinds, places, more, seed):
    draw = np.random.default_rng(seed)
    drawn = [
        # A missing category is of no class; ranges have a class for it. Without classes, as where
        # the key of a block holds them, only who is present is told.
        draw.choice([*range(max(1, size)), *[NO_CLASS] * different], RECORDS)
        for different, size in kinds
    ]
    classes, sums = np.array(drawn, np.uint8), draw.integers(2 ** (SUMS + 1), size=RECORDS)
    rows = draw.integers(RECORDS, size=places).astype(np.int32)
    marks, at = [(len(kinds), DIGIT, 1, SUMS)], 1 + SUMS
    for j, (different, size) in enumerate(kinds):
        marks.append((j, DIFFERENT if different else AT_LEAST, at, size))
        at += size + different
    pieces = -(-places // 512) + more
    words = 8 * pieces
    laid = draw.integers(2**64, size=(pieces, at, 8), dtype=np.uint64)
    kernel.mark(kernel.pack(classes, sums), rows, np.array(marks), laid)
    bits = laid.transpose(1, 0, 2).reshape(at, words)
    assert not bits[0].any()
    told = np.minimum(sums[rows], 2**SUMS - 1)
    for q in range(SUMS):
        assert named(bits[1 + q]) == flags(told >> q & 1, words)
    for own, (_, what, begin, size) in zip(classes[:, rows], marks[1:], strict=True):
        if what == DIFFERENT:
            for c in range(size):
                assert named(bits[begin + c]) == flags((own != c) & (own != NO_CLASS), words)
            assert named(bits[begin + size]) == flags(own != NO_CLASS, words)
        else:
            for t in range(1, size):
                assert named(bits[begin + t - 1]) == flags(own >= t, words)
            assert not bits[begin + max(0, size - 1) : begin + size].any()


def test_each_row_is_asked_for_once_a_lane():
    asked = []

    class Rows(np.ndarray):
        def __getitem__(self, at):
            asked.append(at)
            return super().__getitem__(at)

    packed = np.arange(3 * RECORDS, dtype=np.uint64).reshape(RECORDS, 3).view(Rows)
    turn = getattr(kernel.turn, "py_func", kernel.turn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "turn_bytes", lanes.turn_bytes)
        turn(packed, np.arange(RECORDS), np.zeros(3 * 8 * 64, np.uint64))
    assert asked == [(row, lane) for lane in range(3) for row in range(RECORDS)]
