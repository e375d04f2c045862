"""Where rows of a cell stand, and what is written down of them.

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
from reident.kernels.bitmaps import DIGITS, NO_CLASS
from reident.kernels.cellwise import PARTS, PIECE, PIECES
from reident.kernels.entries import entries_of
from reident.kernels.lanes import LANES, WIDTH
from reident.kernels.levels import PART
from reident.kernels.registers import load
from reident.kernels.shortlist import empty
from reident.kernels.tally import TALLY, H


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


@numba.njit
def put(values, counter, at):
    """Five values, one after another: what is made part of its caller has no code of its own."""
    kernel.put_down(
        counter, at, load(values, 0), load(values, WIDTH), load(values, 2 * WIDTH),
        load(values, 3 * WIDTH), load(values, 4 * WIDTH),
    )  # fmt: skip


def packed(flags):
    """Flags as bits; of all words that they might fill."""
    words = np.zeros(PIECES * LANES, np.uint64)
    told = np.packbits(flags, bitorder="little")
    words.view(np.uint8)[: len(told)] = told
    return words


@pytest.mark.parametrize("number", [-70, -1, 0, 1, 63, 64, 65, 500])
def test_the_first_bits_of_a_word_are_set(number):
    assert int(kernel.up_to(number)) == (1 << min(max(number, 0), 64)) - 1


@settings(max_examples=100)
@given(st.integers(0, PIECE - 1), st.integers(1, 1200))
@example(0, PIECES * PIECE)
@example(PIECE - 1, 1)
@example(PIECE - 1, 2)
@example(0, PART)
@example(PART - 1, 1)
@example(PART - 1, 2)
@example(PART, PART)
def test_parts_show_the_rows_of_a_cell_and_no_others(start, rows):
    valid = np.full(PARTS * WIDTH, 7, np.uint64)
    first, last = kernel.show_parts(start, start + rows, valid)
    assert first * PART <= start < (first + 1) * PART
    assert (last - 1) * PART < start + rows <= last * PART
    inside = np.zeros(PIECES * PIECE, np.bool_)
    inside[start : start + rows] = True
    shown = slice(first * WIDTH, last * WIDTH)
    assert valid[shown].tolist() == packed(inside)[shown].tolist()
    assert (valid[: first * WIDTH] == 7).all()
    assert (valid[last * WIDTH :] == 7).all()


@pytest.mark.parametrize("bitmaps", [1, 2, 7])
@pytest.mark.parametrize("width", [2, 4, 8])
def test_words_of_a_part_lie_side_by_side_in_its_piece(monkeypatch, bitmaps, width):
    laid = np.arange(PIECES * bitmaps * LANES).reshape(PIECES, bitmaps, LANES)
    bits, by_bitmap = laid.reshape(-1), laid.transpose(1, 0, 2).reshape(bitmaps, -1)
    monkeypatch.setattr(kernel, "WIDTH", width)
    # As plain Python it looks the width up.
    plain = getattr(kernel.part_at, "py_func", kernel.part_at)
    for part, b in product(range(PIECES * LANES // width), range(bitmaps)):
        at = plain(part, bitmaps * LANES)
        assert width != WIDTH or at == kernel.part_at(part, bitmaps * LANES)
        begin = at + b * LANES
        words = by_bitmap[b, part * width : (part + 1) * width]
        assert bits[begin : begin + width].tolist() == words.tolist()


def test_parts_hold_all_rows_of_the_pieces():
    assert PARTS * PART == PIECES * PIECE
    # Each has a bit in a whole number.
    assert PARTS < 63


def test_digits_are_written_down_from_the_half_on():
    values = np.arange(100, 100 + 5 * WIDTH, dtype=np.uint64)
    counter = np.full(3 * TALLY, 7, np.uint64)
    put(values, counter, TALLY)
    assert counter[TALLY + H : 2 * TALLY].tolist() == values.tolist()
    assert (counter[: TALLY + H] == 7).all()
    assert (counter[2 * TALLY :] == 7).all()


@pytest.mark.parametrize("total", [0, 1, 4, 6])
def test_places_that_were_found_become_the_rows_that_stand_there(total):
    places = np.array([30, 10, 40, 20], np.int32)
    found = np.array([[2, 5], [0, 6], [3, 7], [1, 8], [2, 9], [0, 0]])
    expected = [[places[at] if i < total else at, units] for i, (at, units) in enumerate(found)]
    kernel.name_rows(found, total, places)
    assert found.tolist() == expected


@settings(max_examples=60)
@given(st.integers(-70, 1100), st.integers(0, 2**32))
@example(whole=0, seed=0)
@example(whole=1, seed=0)
@example(whole=64, seed=0)
def test_rows_that_a_bitmap_does_not_name_are_left_out_from_a_place_on(whole, seed):
    draw = np.random.default_rng(seed)
    rows = 2 * PIECE
    named, valid = draw.random((2, rows)) < 0.5
    # Another piece follows that is not asked for.
    laid = draw.integers(2**64, size=(3, 3, LANES), dtype=np.uint64)
    laid[:2, 1] = packed(named)[: 2 * LANES].reshape(2, LANES)
    kept = packed(valid)
    kernel.drop_copies(laid.reshape(-1), LANES, 3 * LANES, whole, 2 * PIECE // PART, kept)
    counts = named | (np.arange(rows) < whole)
    assert kept.tolist() == packed(valid & counts).tolist()


def test_missing_values_that_cost_half_are_told_from_others():
    mine = np.array([[3, NO_CLASS, 0, NO_CLASS, NO_CLASS, NO_CLASS, NO_CLASS]], np.uint8)
    missing, gap = np.array([8, 8, 8, 4, 8, 8, 16]), np.zeros(8, np.int64)
    halves = kernel.halves_of(mine, missing)
    assert halves.tolist() == [[1, 4, 1]]
    assert kernel.gaps_of(mine, halves, 0, gap) == 3
    assert gap[:3].tolist() == [3, 5, 6]


@pytest.mark.parametrize(
    ("missed", "told"),
    [([], [3, 3, 0]), ([0], [0, 3, 0]), ([1], [3, 3, 1]), ([0, 1], [0, 3, 1]), ([0, 2], [0, 2, 0])],
)
def test_two_missing_values_that_cost_half_are_told(missed, told):
    mine = np.zeros((1, 3), np.uint8)
    mine[0, missed] = NO_CLASS
    assert kernel.halves_of(mine, np.array([8, 16, 8])).tolist() == [told]


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
    keys, complete = files.keys(rows)
    order = np.argsort(keys, kind="stable")
    asked, left = entries_of(rows[order], keys[order], complete[order], files.block.weights)
    assert not left.any()
    mine = files.classes.mine
    halves = kernel.halves_of(mine, files.least.missing)
    read = kernel.scan_cells(mine, halves, files.least, files.block, asked, base, short)
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
    # A piece of rows that lack a value, and a piece of rows that do not, in a cell of their own.
    theirs = np.repeat([[0, -1], [1, 0]], PIECE, axis=0)
    stratum = np.zeros(2, np.int64), np.zeros(2 * PIECE, np.int64)
    files = Files(theirs[::PIECE], theirs, stratum, [0], amounts=np.array([0, 8]), low=0)
    rows, cutoffs = np.arange(2), np.full(2, cutoff)
    short = scanned(files, rows, cutoffs, 0, PIECE)
    assert short.size.tolist() == [0, PIECE]
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


def test_missing_values_count_in_the_piece_in_which_they_are():
    theirs = np.zeros((3 * PIECE, 2), np.int64)
    theirs[np.random.default_rng(1).random(3 * PIECE) < 0.3, 1] = -1
    stratum = np.zeros(1, np.int64), np.zeros(3 * PIECE, np.int64)
    files = Files(theirs[:1] * 0, theirs, stratum, [0], amounts=np.array([0, 8]), low=0)
    rows, cutoffs = np.arange(1), np.array([8])
    short = scanned(files, rows, cutoffs, 0, 3 * PIECE)
    assert 0 < short.size[0] < 3 * PIECE
    files.assert_shortlists(short, rows, cutoffs, 0)


def test_a_copy_is_left_out_in_a_later_piece_too():
    # Of the second stratum a row lacks the variable, and stands under both of its codes.
    theirs = np.array([[0, 0]] * (PIECE + 80) + [[-1, 0], [0, 0], [1, 0]])
    stratum = np.ones(1, np.int64), np.repeat([0, 1], [PIECE + 80, 3])
    files = Files(np.array([[-1, 0]]), theirs, stratum, [0], amounts=np.array([8, 0]), low=0)
    rows, cutoffs = np.arange(1), np.array([100])
    short = scanned(files, rows, cutoffs, 0, 5)
    assert short.size.tolist() == [3]
    files.assert_shortlists(short, rows, cutoffs, 0)


@pytest.mark.parametrize("before", [0, 60, 64, 255, 256, 300, 511, 512, 770])
def test_a_cell_is_read_wherever_in_a_piece_it_begins(before):
    # Rows of another stratum stand before it. Missing values cost half a mismatch, and less.
    draw = np.random.default_rng(before)
    mine, theirs = (draw.integers(-1, 3, size=(rows, 5)) for rows in (6, before + 600))
    mine[:, 0] = theirs[:, 0] = 0
    stratum = np.ones(6, np.int64), np.repeat([0, 1], [before, 600])
    amounts = np.array([0, 8, 8, 8, 4])
    files = Files(mine, theirs, stratum, [0], amounts=amounts, low=2)
    rows, cutoffs = np.arange(6), np.array([9, 17, 25, 33, 64, 128])
    short = scanned(files, rows, cutoffs, 0, 40)
    assert short.size[3:].all()
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
