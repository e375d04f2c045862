"""What a tile scores at least is what its nearest row scores at least, and every row is shown."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.attacks.pairwise import scorer
from reident.kernels.bitmaps import CLASSES, NO_CLASS
from reident.kernels.desk import Least, show_words
from reident.kernels.everyone import ROWS, least_by_tiles, near_enough
from reident.kernels.pairs import EQUAL, STEPS

MISMATCH = 16
"""Sixteenths of a mismatch."""


def files():
    """EIF classes of three variables in two tiles and a bit: categories, a rule, a constant."""
    draw = np.random.default_rng(3)
    rows = 2 * ROWS + 70
    theirs = np.stack(
        [draw.integers(low, high, size=rows) for low, high in ((0, 3), (2, 9), (1, 2))]
    )
    theirs[0, :ROWS][theirs[0, :ROWS] == 2] = NO_CLASS
    theirs[1, ROWS:] = np.maximum(theirs[1, ROWS:], 6)
    digits = draw.integers(0, 16, size=(1, CLASSES, CLASSES)).astype(np.uint8)
    missing = np.array([8, 5, 3])
    least = Least(np.array([1]), digits, missing, np.full(3, CLASSES), 1, False, 0, 1)  # noqa: FBT003
    return theirs.astype(np.uint8), scorer([EQUAL, STEPS, EQUAL], [1, 1, 1], [1, 1, 1]), least


def scores(mine, theirs, least):
    """What each EIF row scores at least for the classes of a PUF row, by definition."""
    total = np.zeros(theirs.shape[1], int)
    for j, c in enumerate(mine):
        own = theirs[j].astype(int)
        if c == NO_CLASS:
            total += least.missing[j]
        elif j == 1:
            total += least.digits[0, c][own]
        else:
            total += np.where(own == NO_CLASS, least.missing[j], np.where(own == c, 0, MISMATCH))
    return total


@settings(max_examples=40)
@given(st.lists(st.sampled_from([0, 1, 2, 7, 31, NO_CLASS]), min_size=3, max_size=3))
def test_a_tile_is_as_near_as_its_nearest_classes(mine):
    theirs, judged, least = files()
    nearest = least_by_tiles(theirs, judged, least)
    assert nearest.shape == (3, 3, CLASSES + 1)
    for t in range(3):
        part = theirs[:, t * ROWS : (t + 1) * ROWS]
        # Variable by variable: the nearest of one need not be the nearest of another.
        bound = 0
        for j in range(3):
            alone = [NO_CLASS] * 3
            alone[j] = mine[j]
            others = int(least.missing.sum() - least.missing[j])
            bound += int(scores(alone, part, least).min()) - others
        own = np.array(mine, np.uint8)
        assert bound <= scores(mine, part, least).min()
        assert near_enough(own, nearest[t], bound + 1)
        assert not near_enough(own, nearest[t], bound)


@given(st.integers(0, 300), st.integers(1, 300))
def test_words_show_the_rows_asked_for_and_no_others(start, number):
    source, valid = np.zeros(16, np.int64), np.zeros(16, np.uint64)
    size = show_words(start, start + number, source, valid)
    shown = [
        int(source[w]) * 64 + bit
        for w in range(size)
        for bit in range(64)
        if int(valid[w]) >> bit & 1
    ]
    assert shown == list(range(start, start + number))
