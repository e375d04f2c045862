"""Which of many numbers may be kept: decided on their binary digits, by the rank rule.

Then whole scans: shortlists hold what agrees on a block, as if every pair had been scored.
"""

from itertools import product
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from block_files import Files
from reident.kernels import cellwise as kernel
from reident.kernels.bitmaps import DIGITS, WORDS
from reident.kernels.entries import entries_of
from reident.kernels.runs import keys_of
from reident.kernels.shortlist import empty
from reident.kernels.tally import FEW, TALLY, TOP

ROWS = 200


@numba.njit
def level_of(counter, valid, words, keep, limit, low, guess, passing):  # noqa: PLR0917  # its own
    """What is made part of its caller has no code of its own."""
    return kernel.level_of(counter, valid, words, keep, limit, low, guess, passing)


@numba.njit
def note(counter, passing, words, limit, cost, low, places, origin, found, total):  # noqa: PLR0913, PLR0917  # its own
    return kernel.note(counter, passing, words, limit, cost, low, places, origin, found, total)


@numba.njit
def rule_out(bits, here, words, counter):
    kernel.rule_out(bits, here, words, counter)


@pytest.fixture(scope="module", autouse=True)
def _little_room():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(kernel, "ROOM", 8)
            patch.setattr(kernel, "TOGETHER", 3)
            # Room that nobody has cleared holds a pair that would pass.
            patch.setattr(kernel, "np", SimpleNamespace(**vars(np) | {"empty": np.zeros}))
        yield


def packed(flags):
    words = np.zeros(WORDS, np.uint64)
    for i in np.flatnonzero(flags):
        words[i // 64] |= np.uint64(1) << np.uint64(i % 64)
    return words


def counted(values, limit):
    """A counter as counting leaves it: what reaches the limit has overflowed."""
    counter = np.zeros(TALLY, np.uint64)
    told = values + FEW - limit
    for q in range(TOP):
        counter[q * WORDS : (q + 1) * WORDS] = packed(told >> q & 1)
    counter[TOP * WORDS : (TOP + 1) * WORDS] = packed(values >= limit)
    return counter


@settings(max_examples=150)
@given(
    st.integers(0, 4),
    st.integers(1, 8),
    st.integers(1, 6),
    st.integers(1, 8),
    st.integers(0, 2**32),
)
def test_whole_ranks_are_kept_and_written_down(low, levels, keep, guess, seed):
    draw = np.random.default_rng(seed)
    limit = levels << low
    values = draw.integers(levels + draw.integers(1, 20), size=ROWS) << low
    valid = draw.random(ROWS) < draw.random()
    counter, passing = counted(values, limit), np.zeros(WORDS, np.uint64)
    guess = np.array([guess << low])
    words, own = np.uint64(4), packed(valid)
    level = level_of(counter, own, words, keep, limit, low, guess, passing)
    below = np.sort(values[valid & (values < limit)])
    if not len(below):
        assert level == kernel.NOTHING
        return
    assert level == (below[keep] if len(below) > keep else limit)
    # The search begins where the last one ended.
    assert len(below) <= keep or guess[0] == level + (1 << low)
    kept = np.flatnonzero(valid & (values < level))
    assert passing[:4].tolist() == packed(valid & (values < level))[:4].tolist()
    places, found = np.arange(1000, 1000 + ROWS + 64), np.zeros((ROWS + 1, 2), np.int64)
    cost = 16
    total = note(counter, passing, words, limit, cost, low, places, 1, found, 1)
    assert found[1:total].tolist() == [[1064 + i, values[i] * cost >> DIGITS] for i in kept]


def test_what_a_bitmap_does_not_name_overflows():
    counter = counted(np.zeros(ROWS, np.int64), 8)
    named = np.arange(ROWS) % 3 == 0
    bits = np.concatenate([np.zeros(5, np.uint64), packed(named)])
    rule_out(bits, np.uint64(5), np.uint64(4), counter)
    assert counter[TOP * WORDS : (TOP + 1) * WORDS][:4].tolist() == (~packed(named)[:4]).tolist()


@settings(max_examples=60)
@given(st.integers(-70, 400), st.integers(0, 2**32))
@example(whole=0, seed=0)
@example(whole=1, seed=0)
@example(whole=64, seed=0)
def test_rows_that_a_bitmap_does_not_name_are_left_out_from_a_place_on(whole, seed):
    draw = np.random.default_rng(seed)
    named, valid = draw.random((2, ROWS)) < 0.5
    bits, kept = np.concatenate([np.zeros(3, np.uint64), packed(named)]), packed(valid)
    kernel.drop_copies(bits, np.uint64(3), whole, np.uint64(4), kept)
    counts = named | (np.arange(ROWS) < whole)
    assert kept[:4].tolist() == packed(valid & counts)[:4].tolist()


def test_no_word_is_shifted_by_all_its_bits(monkeypatch):
    class Word(int):
        def __lshift__(self, places):
            assert 0 <= places < 64
            return int(self) << int(places)

    # As plain Python, where numbers may be of any kind: compiled, such a shift may give anything.
    monkeypatch.setattr(kernel, "np", SimpleNamespace(int64=int, uint64=Word))
    drop_copies = getattr(kernel.drop_copies, "py_func", kernel.drop_copies)
    for whole in range(-65, 260):
        kept = packed(np.ones(ROWS, np.bool_))
        drop_copies(np.zeros(4, np.uint64), 0, whole, 4, kept)
        assert kept.tolist() == packed(np.arange(ROWS) < whole).tolist()


@pytest.mark.parametrize(("cost", "low"), [(16, 0), (4, 2), (2, 3)])
def test_limits_let_scores_below_a_cutoff_through_and_no_others(cost, low):
    scores = np.arange(60)
    sums = (scores << DIGITS) // cost
    assert (sums % (1 << low) == 0).all()
    for cutoff in range(40):
        limit = kernel.whole_limit(cutoff, cost, 1, low)
        assert (sums < limit).tolist() == (scores < cutoff).tolist()


def scanned(files, rows, cutoffs, base, keep):
    """Shortlists of PUF rows from `base` on, after the lookups of some of them."""
    short = empty(cutoffs, keep)
    keys, complete = keys_of(
        files.mine, rows, files.stratum[0], files.block.variables, files.block.weights
    )
    asked, left = entries_of(rows, keys, complete, files.block.weights)
    assert not left.any()
    mine = files.classes.mine[asked.rows]
    read = kernel.scan_cells(mine, files.least, files.block, asked, base, short)
    cells = files.block.starts
    assert read == int((cells[asked.until] - cells[asked.keys]).sum())
    return short


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_shortlists_hold_the_nearest_of_the_rows_that_agree(seed):
    draw = np.random.default_rng(seed)
    variables, low = int(draw.choice([2, 4, 12, 28])), int(draw.integers(DIGITS + 1))
    files = Files.drawn(
        draw,
        puf=12,
        eif=int(draw.integers(1, 150)),
        sizes=draw.integers(1, 5, size=variables),
        share=draw.permutation(variables)[: draw.integers(1, 4)],
        amounts=draw.integers(17, size=variables) >> low << low,
        low=low,
        cost=16 * int(draw.integers(1, 4)),
    )
    base, keep = int(draw.integers(3)), int(draw.choice([1, 2, 5, 100]))
    # Few cutoffs, a low one among them.
    some = draw.integers(files.least.cost * 8 + 1, size=3) >> [0, 0, 6]
    cutoffs = draw.choice(some, size=12 - base)
    rows = base + np.flatnonzero(draw.random(12 - base) < 0.8)
    files.assert_shortlists(scanned(files, rows, cutoffs, base, keep), rows, cutoffs, base)


def test_rows_are_found_whichever_values_of_the_block_either_file_lacks():
    every = np.array([(*codes, 0) for codes in product((-1, 0, 1), repeat=3)])
    stratum = np.zeros(27, np.int64), np.zeros(27, np.int64)
    files = Files(every, every, stratum, [0, 1, 2], amounts=np.array([8, 4, 2, 0]), low=1)
    rows, cutoffs = np.arange(27), np.full(27, 100)
    files.assert_shortlists(scanned(files, rows, cutoffs, 0, 27), rows, cutoffs, 0)


@pytest.mark.parametrize("cutoff", [1, 2])
def test_a_start_is_made_for_one_cell_alone(cutoff):
    # A word of rows that lack a value, and a word of rows that do not, in a cell of their own.
    theirs = np.repeat([[0, -1], [1, 0]], 64, axis=0)
    stratum = np.zeros(2, np.int64), np.zeros(128, np.int64)
    files = Files(theirs[::64], theirs, stratum, [0], amounts=np.array([0, 8]), low=0)
    rows, cutoffs = np.arange(2), np.full(2, cutoff)
    short = scanned(files, rows, cutoffs, 0, 64)
    assert short.size.tolist() == [0, 64]
    files.assert_shortlists(short, rows, cutoffs, 0)


def test_a_value_that_a_puf_row_lacks_costs_half_a_mismatch_in_every_word():
    # The cell begins at the second word. Missing values of both files count once.
    theirs = np.repeat([[0, 0], [1, 0]], 64, axis=0)
    theirs[64::3, 1] = -1
    stratum = np.zeros(1, np.int64), np.zeros(128, np.int64)
    files = Files(np.array([[1, -1]]), theirs, stratum, [0], amounts=np.array([0, 8]), low=0)
    rows, cutoffs = np.arange(1), np.array([9])
    short = scanned(files, rows, cutoffs, 0, 64)
    assert short.units[0].tolist() == [8] * 64
    files.assert_shortlists(short, rows, cutoffs, 0)


def test_cutoffs_whose_limits_are_held_in_one_place_have_each_its_own():
    # The limit of the first is the number of the second: two mismatches cost 16, four 32.
    none = np.zeros((2, 5), np.int64)
    theirs = np.array([[0, 1, 1, 0, 0]])
    stratum = np.zeros(2, np.int64), np.zeros(1, np.int64)
    files = Files(none, theirs, stratum, [0], amounts=none[0], low=DIGITS, cost=8)
    rows, cutoffs = np.arange(2), np.array([16, 32])
    assert len(set(cutoffs % kernel.KNOWN)) == 1
    assert kernel.whole_limit(16, 8, 1, DIGITS) == 32
    short = scanned(files, rows, cutoffs, 0, 3)
    assert short.size.tolist() == [0, 1]
    files.assert_shortlists(short, rows, cutoffs, 0)


def test_a_cell_of_more_rows_than_a_counter_has_is_read_to_its_end():
    files = Files.with_a_long_run(3)
    rows, cutoffs = np.arange(3), np.array([48, 48, 16])
    files.assert_shortlists(scanned(files, rows, cutoffs, 0, 7), rows, cutoffs, 0)
