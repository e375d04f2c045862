"""Cells of sorted rows hold the rows that agree, and show partners that nobody else contests."""

import numpy as np

from reident.kernels import crowd as kernel

VARIABLES = 3
STUDIES = 150


def pools():
    """Rows of both files in two strata, an order of some of their variables, and what draws."""
    for seed in range(STUDIES):
        draw = np.random.default_rng(seed)
        rows = int(draw.integers(4, 13))
        codes = draw.integers(-1, 2, (rows, VARIABLES)).astype(np.int32)
        stratum = draw.integers(0, 4, rows) // 3
        order = draw.permutation(VARIABLES)[: draw.integers(1, VARIABLES + 1)]
        yield kernel.Pool(codes, stratum, int(draw.integers(1, rows))), order, draw


def sorted_cells(pool, order, room):
    keys = [pool.codes[:, j] for j in order[::-1]]
    return kernel.sorted_cells(pool, np.lexsort([*keys, pool.stratum]), order, room)


def listed(cells):
    """The rows and variables of each cell."""
    places = zip(cells.bounds.tolist(), cells.variables.tolist(), strict=True)
    return [(sorted(cells.rows[start:stop].tolist()), mask) for (start, stop), mask in places]


def cell_of(pool, order, room, row):
    """The largest cell of a row with at most `room` rows, by definition; None without one."""
    for width in range(1, len(order) + 1):
        chosen = order[:width]
        mine = pool.codes[row, chosen]
        if min(mine) < 0:
            return None
        same = (pool.codes[:, chosen] == mine).all(axis=1) & (pool.stratum == pool.stratum[row])
        if same.sum() <= room:
            return np.flatnonzero(same).tolist(), sum(1 << int(j) for j in chosen)
    return None


def agreements(pool, p):
    """The variables on which each row equals row p: none in other strata, nor its own."""
    equal = (pool.codes == pool.codes[p]) & (pool.codes >= 0)
    equal[(pool.stratum != pool.stratum[p]) | (np.arange(len(equal)) == p)] = False
    return equal @ (1 << np.arange(VARIABLES))


def test_cells_are_the_largest_that_there_is_room_for():
    for pool, order, draw in pools():
        room = int(draw.integers(1, 6))
        found = (cell_of(pool, order, room, row) for row in range(len(pool.codes)))
        expected = {(tuple(rows), mask) for rows, mask in filter(None, found)}
        cells = [(tuple(rows), mask) for rows, mask in listed(sorted_cells(pool, order, room))]
        assert sorted(cells) == sorted(expected)


def test_partners_in_some_cells_are_counted_unless_a_cell_before_has_shown_them():
    for pool, order, draw in pools():
        cells = sorted_cells(pool, order, len(pool.codes))
        seen = draw.integers(0, 1 << VARIABLES, (draw.integers(0, 3), pool.puf)).astype(np.uint64)
        first, step = draw.integers(0, 2), draw.integers(1, 3)
        expected = 0
        for rows, _ in listed(cells)[first::step]:
            for p in (row for row in rows if row < pool.puf):
                masks = agreements(pool, p)
                for mine in (int(masks[row]) for row in rows if row >= pool.puf):
                    alone = (masks & mine == mine).sum() == 1
                    shown = any(known and mine & known == known for known in seen[:, p].tolist())
                    expected += alone and not shown
        last = len(cells.bounds)
        assert kernel.count_partners(pool, cells, seen, first, last, step) == expected
