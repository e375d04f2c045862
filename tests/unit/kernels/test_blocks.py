"""A scan of a block puts what agrees with PUF rows on their shortlists, wherever it lies."""

import itertools

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from block_files import Files
from reident.kernels import blocks as kernel
from reident.kernels.bitmaps import ALL_BITS, DIGITS
from reident.kernels.desk import Asked, clear_desk
from reident.kernels.runs import keys_of
from reident.kernels.shortlist import empty

NO_AMOUNT = np.zeros(2, np.int64)


@pytest.fixture(scope="module", autouse=True)
def _used_desk():
    """A desk of plain kernels as another tile may have left it; compiled ones hold their own."""

    left = itertools.cycle([0, 1, 2, 2**40])

    def used(*sizes):
        desk = clear_desk(*sizes)
        desk.source[:], desk.valid[:] = next(left), ALL_BITS
        return desk

    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(kernel, "clear_desk", used)
        yield


def scanned(files, rows, cutoffs, base, keep):
    """Shortlists of PUF rows from `base` on, after the lookups of some of them."""
    block, short = files.block, empty(cutoffs, keep)
    keys, complete = (
        found[rows]
        for found in keys_of(
            np.ascontiguousarray(files.mine.T), 0, len(files.mine), files.stratum[0],
            block.variables, block.weights,
        )
    )  # fmt: skip
    order = np.argsort(keys, kind="stable")
    asked = Asked(
        rows[order], keys[order], complete[order] & block.filled_in, files.stratum[0], base
    )
    kernel.scan_block(files.records, files.classes, files.scorer, files.least, block, asked, short)
    return short


@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_shortlists_hold_the_nearest_of_the_rows_that_agree(seed):
    draw = np.random.default_rng(seed)
    variables = int(draw.choice([2, 4, 12]))
    files = Files.drawn(
        draw,
        puf=12,
        eif=int(draw.integers(1, 300)),
        sizes=draw.integers(1, 5, size=variables),
        share=draw.permutation(variables)[: draw.integers(1, 4)],
        amounts=draw.integers(17, size=variables),
        low=0,
        copies=int(draw.choice([0, 1000])),
    )
    base, keep = int(draw.integers(3)), int(draw.choice([1, 5, 100]))
    cutoffs = draw.integers(files.least.cost * 20, size=12 - base)
    rows = base + np.flatnonzero(draw.random(12 - base) < 0.8)
    files.assert_shortlists(scanned(files, rows, cutoffs, base, keep), rows, cutoffs, base)


@pytest.mark.parametrize("copies", [0, 1000])
@pytest.mark.parametrize("gone", [0, 3])
def test_runs_may_begin_and_end_anywhere_in_a_word(copies, gone):
    # EIF rows of code c lie before ends[c]: in one word, up to its last rows, over some words.
    ends = np.array([1, 63, 64, 65, 127, 129, 191, 255, 256, 385, 640, 650]) - gone
    codes = np.searchsorted(ends, np.arange(ends[-1]), "right")
    theirs = np.stack([np.concatenate([np.full(gone, -1), codes])] * 2, axis=1)
    theirs[:, 1] %= 2
    mine = np.array([[c, 0] for c in range(-1, len(ends))])
    stratum = tuple(np.zeros(len(side), np.int64) for side in (mine, theirs))
    files = Files(mine, theirs, stratum, [0], amounts=NO_AMOUNT, low=DIGITS, copies=copies)
    rows, cutoffs = np.arange(len(mine)), np.full(len(mine), 17)
    files.assert_shortlists(scanned(files, rows, cutoffs, 0, 700), rows, cutoffs, 0)


def test_a_run_of_more_rows_than_a_tile_has_is_read_to_its_end():
    files = Files.with_a_long_run(2)
    rows, cutoffs = np.arange(2), np.array([48, 16])
    files.assert_shortlists(scanned(files, rows, cutoffs, 0, 30), rows, cutoffs, 0)
