"""Which of many numbers may be kept: decided on their binary digits, by the rank rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import levels as kernel
from reident.kernels.bitmaps import DIGITS
from reident.kernels.cellwise import PARTS
from reident.kernels.lanes import WIDTH
from reident.kernels.levels import PART
from reident.kernels.tally import FEW, TALLY, TOP

ROWS = PARTS * PART


def packed(flags):
    """Flags of all rows as bits, the words of a part side by side."""
    return np.packbits(flags, bitorder="little").view(np.uint64).reshape(PARTS, WIDTH)


def counted(values, valid, limit):
    """Counters of parts as counting leaves them: what passed, and its digits."""
    counter = np.zeros((PARTS, TOP + 1, WIDTH), np.uint64)
    told = values + FEW - limit
    for q in range(TOP):
        counter[:, q] = packed(told >> q & 1)
    counter[:, TOP] = packed(valid & (values < limit))
    hit = sum(1 << part for part in range(PARTS) if counter[part, TOP].any())
    return counter.reshape(-1), hit


def drawn(draw, levels):
    """Values of all rows, and which of them are asked for: some of those of a few parts."""
    values = draw.integers(levels + draw.integers(1, 200), size=ROWS)
    # Parts without anything that passes lie between others.
    inside = np.isin(np.arange(ROWS) // PART, draw.integers(PARTS, size=draw.integers(1, 5)))
    return values, inside & (draw.random(ROWS) < draw.random())


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
    values, valid = drawn(draw, levels)
    values <<= low
    counter, hit = counted(values, valid, limit)
    guess = np.array([guess << low])
    below = np.sort(values[valid & (values < limit)])
    # Words of parts that hold nothing are not looked at; a level writes all words of the others.
    passing = draw.integers(2**64, size=(PARTS, WIDTH), dtype=np.uint64)
    level = limit
    if len(below) <= keep:
        asked = np.array([[hit >> part & 1] for part in range(PARTS)], np.bool_)
        passing = np.where(asked, packed(valid & (values < limit)), passing)
    passing = passing.reshape(-1)
    if len(below) > keep:
        level = kernel.level_of(counter, hit, keep, limit, low, guess, passing)
        assert level == below[keep]
        # The next search begins where this one ended.
        assert guess[0] == level + (1 << low)
    kept = np.flatnonzero(valid & (values < level))
    origin, cost = int(draw.integers(3)) * 512, 16
    found = np.full((ROWS + 2, 2), -1)
    total = kernel.note(counter, hit, passing, limit, cost, low, origin, found, int(np.int64(1)))
    assert total == 1 + len(kept)
    assert found[1:total].tolist() == [[origin + i, values[i] * cost >> DIGITS] for i in kept]
    assert (found[0] == -1).all()
    assert (found[total:] == -1).all()


@settings(max_examples=60)
@given(st.integers(0, 4), st.integers(1, 8), st.integers(0, 2**32))
def test_numbers_below_a_level_are_named_in_the_parts_that_are_asked_for(low, levels, seed):
    draw = np.random.default_rng(seed)
    limit = levels << low
    values, valid = drawn(draw, levels)
    values <<= low
    counter, hit = counted(values, valid, limit)
    level = int(draw.integers(levels)) << low
    before = draw.integers(2**64, size=(PARTS, WIDTH), dtype=np.uint64)
    passing = before.copy().reshape(-1)
    inside = valid & (values < level)
    assert kernel.below(counter, hit, level + FEW - limit, low, passing) == inside.sum()
    asked = np.array([[hit >> part & 1] for part in range(PARTS)], np.bool_)
    expected = np.where(asked, packed(inside), before)
    assert passing.reshape(PARTS, WIDTH).tolist() == expected.tolist()


def test_a_value_of_each_part_is_found_in_its_place():
    # Parts have one row each that passes, no two at the same place in a word.
    rows = np.arange(PARTS) * (PART + 1)
    valid = np.zeros(ROWS, np.bool_)
    valid[rows] = True
    counter, hit = counted(np.zeros(ROWS, np.int64), valid, 1)
    assert hit == (1 << PARTS) - 1
    found = np.zeros((PARTS, 2), np.int64)
    passing = packed(valid).reshape(-1)
    number = kernel.note(counter, hit, passing, 1, 1, 0, 0, found, int(np.int64(0)))
    assert number == PARTS
    assert found[:, 0].tolist() == rows.tolist()


@pytest.mark.parametrize("part", [0, 1, PARTS - 1])
def test_nothing_is_looked_at_where_nothing_passed(part):
    counter = np.full(PARTS * TALLY, 2**64 - 1, np.uint64)
    passing = np.zeros(PARTS * WIDTH, np.uint64)
    assert kernel.below(counter, 1 << part, FEW - 1, 0, passing) == 0
    counter[part * TALLY : part * TALLY + WIDTH] = 0
    assert kernel.below(counter, 1 << part, FEW - 1, 0, passing) == PART
    assert np.flatnonzero(passing).tolist() == list(range(part * WIDTH, (part + 1) * WIDTH))
    assert kernel.below(counter, 0, FEW - 1, 0, passing) == 0
