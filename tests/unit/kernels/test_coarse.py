"""Two classes of codes score at least what their nearest codes score, never more."""

import numpy as np
import pytest

from reident.kernels.coarse import least_by_lists, least_by_steps, missing_sums

NEVER = np.iinfo(np.int64).max
MINE = np.array([0, 0, 1, 2, 2], np.uint8)
THEIRS = np.array([1, 1, 2, 3, 3, 4], np.uint8)
OTHER = 90


def smallest(score):
    """The definition: the least score over all codes of two classes."""
    least = np.full((5, 5), NEVER)
    for a, mine in enumerate(MINE):
        for b, theirs in enumerate(THEIRS):
            least[mine, theirs] = min(least[mine, theirs], score(a, b))
    return least


@pytest.mark.parametrize("seed", range(30))
def test_ranges_one_inside_the_other(seed):
    draw = np.random.default_rng(seed)
    bounds, low, high, units = [0], [], [], []
    for _ in MINE:
        begin, end = 6, 0
        for step in range(int(draw.integers(3))):
            begin = int(draw.integers(min(begin, 5) + 1))
            end = max(end, int(draw.integers(begin, 8)))
            low.append(begin)
            high.append(end)
            units.append(10 * (step + 1))
        bounds.append(len(low))

    def score(a, b):
        found = [units[k] for k in range(bounds[a], bounds[a + 1]) if low[k] <= b < high[k]]
        return found[0] if found else OTHER

    least = np.full((5, 5), NEVER)
    ranges = (np.array(low, np.int32), np.array(high, np.int32), np.array(units, np.int64))
    least_by_steps(MINE, THEIRS, np.array(bounds), *ranges, OTHER, least)
    wanted = smallest(score)
    assert (least[wanted < NEVER] == wanted[wanted < NEVER]).all()


@pytest.mark.parametrize("seed", range(30))
def test_lists_of_single_codes(seed):
    draw = np.random.default_rng(seed)
    lists = [np.sort(draw.permutation(8)[: draw.integers(4)]) for _ in MINE]
    bounds = np.cumsum([0, *map(len, lists)])
    low = np.concatenate(lists).astype(np.int32)
    units = draw.integers(120, size=len(low))

    def score(a, b):
        found = [units[k] for k in range(bounds[a], bounds[a + 1]) if low[k] == b]
        return found[0] if found else OTHER

    least = np.full((5, 5), NEVER)
    least_by_lists(MINE, THEIRS, bounds, low, units, OTHER, least)
    wanted = smallest(score)
    # A class whose codes are all listed may still be told the score of those that are not.
    assert (least[wanted < NEVER] <= wanted[wanted < NEVER]).all()
    assert (least[wanted < NEVER] >= np.minimum(wanted[wanted < NEVER], OTHER)).all()


@pytest.mark.parametrize("kind", [np.int8, np.int32])
def test_what_rows_miss_is_added_up(kind):
    codes = np.array([[-1, 0, 3, -1], [-1, -2, 1, 0]], kind)
    assert missing_sums(codes, np.array([8, 5])).tolist() == [13, 5, 0, 8]
