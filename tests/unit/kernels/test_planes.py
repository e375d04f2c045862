"""Bitmaps of a block name the rows that they should, up to the last row and not beyond."""

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reident.kernels import planes as kernel
from reident.kernels.bitmaps import CLASSES, NO_CLASS, SUMS
from reident.kernels.planes import AT_LEAST, DIFFERENT, DIGIT

RECORDS = 150


@pytest.fixture(scope="module", autouse=True)
def _small_chunks():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(kernel, "CHUNK", 2)
        yield


def named(bitmap):
    """Which rows a bitmap names, all its words one after another."""
    return [int(word) >> bit & 1 for word in bitmap for bit in range(64)]


def flags(chosen, words):
    """The same from a row of flags, nobody beyond them."""
    return [*(int(flag) for flag in chosen), *[0] * (64 * words - len(chosen))]


@given(st.integers(0, 2**32))
def test_a_square_of_bits_is_turned_over(seed):
    square = np.random.default_rng(seed).integers(2**64, size=64, dtype=np.uint64)
    bits = np.array([named([word]) for word in square])
    kernel.turn(square)
    assert [named([word]) for word in square] == bits.T.tolist()


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
    st.integers(0, 2),
    st.integers(0, 2**32),
)
@example([(True, CLASSES), (False, CLASSES)], 2200, 3, 0)
@example([(True, 3)], 64, 0, 1)
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
    words = -(-places // 64) + more
    bits = np.zeros((at, words), np.uint64)
    kernel.mark(kernel.pack(classes, sums), rows, np.array(marks), bits)
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


def test_no_word_is_shifted_by_all_its_bits(monkeypatch):
    class One(int):
        def __lshift__(self, places):
            assert places < 64
            return 1 << int(places)

    # As plain Python, where numbers may be of any kind: compiled, such a shift may give anything.
    plain = {
        name: getattr(getattr(kernel, name), "py_func", getattr(kernel, name))
        for name in ("mark", "turn", "draw_different", "whole")
    }
    for name, function in plain.items():
        monkeypatch.setattr(kernel, name, function)
    monkeypatch.setattr(kernel, "ONE", One(1))
    for places in (1, 63, 64, 65, 128):
        packed = kernel.pack(np.zeros((1, 1), np.uint8), np.zeros(1, np.int64))
        bits = np.zeros((2, 3), np.uint64)
        marks = np.array([[0, DIFFERENT, 0, 1]])
        plain["mark"](packed, np.zeros(places, np.int32), marks, bits)
        assert named(bits[1]) == flags(np.ones(places), 3)


def test_each_row_is_asked_for_once(monkeypatch):
    asked = []

    class Places(list):
        def __getitem__(self, place):
            asked.append(place)
            return list.__getitem__(self, place)

    monkeypatch.setattr(kernel, "turn", lambda _: None)
    mark = getattr(kernel.mark, "py_func", kernel.mark)
    packed = np.zeros((1, 1), np.uint64)
    mark(packed, Places([0] * RECORDS), np.zeros((0, 4), np.int64), np.zeros((1, 4), np.uint64))
    assert asked == list(range(RECORDS))
