"""Keys of cells, counters and tables of keys are those of plain sums and plain counting."""

from collections import Counter

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reident.kernels import cells

SIZES = (3, 2, 4, 3)
rows_of_codes = st.lists(st.tuples(*[st.integers(0, size - 1) for size in SIZES]), max_size=12)
keys_of_words = st.lists(st.tuples(*[st.sampled_from([0, 1, 2, 2**63])] * 2), max_size=30)


@pytest.fixture(scope="module", autouse=True)
def _short_strips():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(cells, "STRIP", 4)
        yield


def codes_of(rows):
    return np.array(rows, np.uint8).reshape(-1, len(SIZES)).T.copy()


@given(rows_of_codes, st.integers(0, 12), st.sampled_from([[0, 4], [0, 1, 4], [0, 2, 3, 4]]))
def test_mixed_radix_counts_the_first_variable_in_units(rows, first, groups):
    first = min(first, len(rows))
    out = np.full(len(rows) + 3, 99, np.uint64)
    cells.mixed_radix(codes_of(rows), np.array(SIZES), np.array(groups), first, len(rows), out)
    end = len(rows) - first
    assert out[:end].tolist() == [a + 3 * b + 6 * c + 24 * d for a, b, c, d in rows[first:]]
    assert (out[end:] == 99).all()


@settings(max_examples=25)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=11), st.data())
def test_mixed_radix_of_many_variables_and_strips(sizes, data):
    rows = 2 * cells.STRIP + 3
    cuts = data.draw(st.sets(st.integers(0, len(sizes)), max_size=3)) | {0, len(sizes)}
    draw = np.random.default_rng(data.draw(st.integers(0, 99)))
    codes = np.array([draw.integers(0, size, rows) for size in sizes], np.uint8)
    out = np.empty(rows, np.uint64)
    cells.mixed_radix(codes, np.array(sizes), np.array(sorted(cuts)), 0, rows, out)
    weights = np.cumprod([1, *sizes[:-1]]).astype(np.uint64)
    assert (out == weights @ codes.astype(np.uint64)).all()


def test_mixed_radix_fills_64_bits():
    sizes = np.array([2**16] * 4)
    codes = np.array([[2**16 - 1, 0, 1]] * 4, np.uint16)
    out = np.empty(3, np.uint64)
    cells.mixed_radix(codes, sizes, np.array([0, 1, 2, 3, 4]), 0, 3, out)
    assert out.tolist() == [2**64 - 1, 0, 1 + 2**16 + 2**32 + 2**48]


@given(rows_of_codes, st.integers(0, 12), st.integers(0, 7), st.integers(1, 8))
@example(rows=[(0, 0, 3, 0)], first=0, low=4, width=1)  # a variable begins and ends outside
def test_a_window_of_the_powers_of_two(rows, first, low, width):
    first = min(first, len(rows))
    bits = [0, 2, 3, 6, 8]
    out = np.full(len(rows), 99, np.uint64)
    window = np.array([low, min(low + width, 8)])
    cells.powers_of_two(codes_of(rows), np.array(bits), window, first, len(rows), out)
    for row, found in zip(rows[first:], out[first:].tolist(), strict=True):
        whole = sum(1 << (bits[j] + code - 1) for j, code in enumerate(row) if code)
        assert found == (whole >> low) % (1 << int(window[1] - low))
    assert (out[:first] == 99).all()


@given(rows_of_codes)
def test_counters_of_keys_and_of_codes(rows):
    keys = np.array([row[2] for row in rows], np.uint64)
    counters = np.zeros(4, np.uint32)
    cells.count_all(keys, counters)
    again = np.zeros(4, np.int64)
    cells.count_codes(codes_of(rows)[2], again)
    count = Counter(keys.tolist())
    assert counters.tolist() == again.tolist() == [count[code] for code in range(4)]


@given(rows_of_codes, st.integers(0, 12))
def test_rows_are_compatible_where_both_are_present(rows, first):
    first = min(first, len(rows))
    missing = np.array([0, -1, 3, 0])
    sizes = np.arange(1, len(rows) + 1)
    out = np.full(len(rows), 99, np.int64)
    cells.count_compatible(codes_of(rows), missing, sizes, first, len(rows), out)

    def fits(one, other):
        both = zip(one, other, missing.tolist(), strict=True)
        return all(a == b or gone in {a, b} for a, b, gone in both)

    for r in range(first, len(rows)):
        assert out[r] == sum(q + 1 for q, other in enumerate(rows) if fits(rows[r], other))
    assert (out[:first] == 99).all()


@given(keys_of_words, st.integers(0, 2))
def test_a_table_that_grows_counts_each_key_in_one_share(keys, bits):
    words = np.array(keys, np.uint64).reshape(-1, 2)
    out = np.zeros(len(keys), np.int64)
    total = 0
    for which in range(1 << bits):
        held, count = np.empty((2, 2), np.uint64), np.zeros(2, np.uint32)
        start, full = cells.add_words(words, (which, bits), 0, held, count, 0)
        while start < len(keys):
            # Half of it and no more is taken when a new cell is refused.
            assert 2 * full == len(count)
            assert int((count > 0).sum()) == full
            larger = np.empty((2 * len(count), 2), np.uint64), np.zeros(2 * len(count), np.uint32)
            cells.move_words(held, count, *larger)
            held, count = larger
            start, full = cells.add_words(words, (which, bits), start, held, count, full)
        total += full
        before = out.copy()
        cells.look_up_words(words, (which, bits), held, count, out)
        assert not (before.astype(bool) & (out != before)).any()
    counts = Counter(keys)
    assert out.tolist() == [counts[key] for key in keys]
    assert total == len(counts)


def test_hashes_of_words_differ_in_their_low_and_in_their_high_bits():
    hashes = [int(cells.hash_words(np.array([0, k], np.uint64))) for k in range(256)]
    assert len(set(hashes)) == 256
    for shift in (0, 56):
        assert len({h >> shift & 255 for h in hashes}) > 128
