"""Counted by bitmaps, pairs that agree on a block come on shortlists with their exact scores."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from block_files import kept
from reident.kernels import shortlist
from reident.kernels.bitmaps import NO_CLASS, SUMS, WORDS
from reident.kernels.desk import MOST_SUM, Asked, Classes, Least, clear_desk, show_words
from reident.kernels.exact import scan_exact
from reident.kernels.planes import DIFFERENT, DIGIT, mark, pack
from reident.kernels.runs import Block

PUF, EIF, BASE = 12, 130, 2
UNIT = 3
"""Units of a sixteenth of a mismatch."""
MISMATCH = 16


def drawn(draw, sizes):
    """Classes of both files, some missing: PUF records are EIF records with changes, or not.

    Some EIF records are all alike.
    """
    theirs = np.stack([draw.integers(size, size=EIF) for size in sizes], axis=1)
    theirs[draw.random(theirs.shape) < draw.choice([0.0, 0.1, 0.4])] = NO_CLASS
    theirs[draw.random(EIF) < draw.choice([0.0, 0.5])] = theirs[0]
    mine, other = (theirs[draw.integers(EIF, size=PUF)] for _ in range(2))
    changed = draw.random(mine.shape) < draw.choice([0.0, 0.2, 0.8], size=(PUF, 1))
    return np.where(changed, other, mine).astype(np.uint8), theirs.astype(np.uint8)


def block_of(theirs, sizes, missing):
    """EIF rows as they are; a variable of one class stands in the key, as if a block held it."""
    rows = np.arange(len(theirs), dtype=np.int32)
    first, present, held = [], [], 1 + SUMS
    for size in sizes:
        used = size if size > 1 else 0
        first.append(held if used else -1)
        present.append(held + used)
        held += used + 1
    bits = np.zeros((len(rows) // 512 + 2, held, 8), np.uint64)
    marks = [(len(sizes), DIGIT, 1, SUMS)]
    for j, at in enumerate(present):
        used = sizes[j] if first[j] >= 0 else 0
        marks.append((j, DIFFERENT, at - used, used))
    sums = ((theirs == NO_CLASS) * missing).sum(axis=1)
    mark(pack(np.ascontiguousarray(theirs.T), sums), rows, np.array(marks), bits)
    none, starts, once = np.zeros(0, np.int64), np.zeros(2, np.int32), np.zeros(0, np.uint64)
    return sums, Block(
        variables=none,
        weights=none,
        starts=starts,
        rows=rows,
        filled_in=True,
        once=once,
        first=np.array(first),
        present=np.array(present),
        bits=bits,
    )


def score(mine, theirs, missing):
    """Sixteenths of each EIF row, by definition."""
    gone = (theirs == NO_CLASS) | (mine == NO_CLASS)
    return np.where(gone, missing, MISMATCH * (theirs != mine)).sum(axis=1)


@settings(max_examples=100, deadline=None)
@given(
    number=st.integers(1, 30),
    low=st.integers(0, 4),
    keep=st.integers(1, 4),
    now=st.integers(1, 40),
    seed=st.integers(0, 2**32),
)
def test_shortlists_hold_the_whole_ranks_of_exact_scores(number, low, keep, now, seed):
    draw = np.random.default_rng(seed)
    sizes = draw.choice([1, 2, 3, 4, 5], size=number).tolist()
    missing = draw.integers((MISMATCH >> low) + 1, size=number) << low
    mine, theirs = drawn(draw, sizes)
    sums, block = block_of(theirs, sizes, missing)
    none = np.zeros(0, np.int64)
    grain = UNIT << low
    least = Least(none, np.zeros((0, 1, 1), np.uint8), missing, none, 16 * UNIT, True, low, grain)  # noqa: FBT003  # a tuple of many
    asked = Asked(np.arange(BASE, PUF), none, np.zeros(0, np.bool_), none, BASE)
    classes = Classes(mine, np.ascontiguousarray(theirs.T), sums)
    end = PUF - BASE
    steps = draw.integers(draw.choice([2, 5, 20, 300], size=end) + 1)
    cutoffs = np.minimum(steps * grain, 300 * UNIT)
    # A limit and the number of a tile may be the same.
    cutoffs[draw.random(end) < 0.3] = (now + 1) * UNIT
    short = shortlist.empty(cutoffs, keep)
    desk = clear_desk(block.bits.shape[1], 0, number)
    desk.chosen[:] = block.present[0] * WORDS  # as if left by another scan
    left_out = set()
    for start, stop in pairwise((0, 70, EIF - 2, EIF - 1, EIF)):
        size = show_words(start, stop, desk.source, desk.valid)
        at = 0
        while at < end:
            # Where pairs beyond exact sums may lie below the cutoff.
            limits = (-(-short.cutoff // grain) << low).tolist()
            beyond = next((row for row in range(at, end) if limits[row] > MOST_SUM), end)
            at = scan_exact(classes, least, block, asked, at, end, size, now, desk, short)
            assert at == beyond
            left_out.add(at)
            at += 1
        now += 1
    for row in set(range(end)) - left_out:
        units = (UNIT * score(mine[BASE + row], theirs, missing)).tolist()
        pairs = zip(short.eif[row, : short.size[row]], short.units[row], strict=False)
        assert (sorted(pairs), short.cutoff[row]) == kept(units, keep, cutoffs[row])
