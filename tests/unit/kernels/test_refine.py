"""Cells of one variable more hold the rows that agree on it, and show who is alone there."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.kernels import refine as kernel

CATEGORIES = 3


@st.composite
def files(draw):
    """Columns of both files, three variables each, and which PUF rows wait."""
    code = st.integers(-1, CATEGORIES - 1)
    sides = []
    for _ in range(2):
        rows = draw(st.lists(st.tuples(code, code, code), min_size=1, max_size=9))
        sides.append(np.array(rows, np.int32).T.copy())
    waiting = draw(st.lists(st.booleans(), min_size=sides[0].shape[1], max_size=sides[0].shape[1]))
    return kernel.Columns(*sides), np.array(waiting)


def whole(columns):
    """The one cell of no variable."""
    sizes = [side.shape[1] for side in columns]
    return kernel.Cells(*map(np.arange, sizes), np.array([[0, 0], sizes]))


def listed(cells):
    bounds = zip(cells.starts[:-1].tolist(), cells.starts[1:].tolist(), strict=True)
    return sorted(
        (sorted(cells.puf[a:b].tolist()), sorted(cells.eif[c:d].tolist()))
        for (a, c), (b, d) in bounds
    )


def by_definition(columns, chosen):
    """Rows of both files by what they have on the chosen variables, all of which they have."""
    found = {}
    for side, codes in enumerate(columns):
        for row, values in enumerate(codes[chosen].T.tolist()):
            if min(values) >= 0:
                found.setdefault(tuple(values), ([], []))[side].append(row)
    return found.values()


def contradicts(columns, p, e):
    pairs = zip(columns.puf[:, p].tolist(), columns.eif[:, e].tolist(), strict=True)
    return any(min(a, b) >= 0 and a != b for a, b in pairs)


@settings(max_examples=200)
@given(files())
def test_cells_hold_the_rows_that_agree_where_somebody_waits(drawn):
    columns, waiting = drawn
    cells = whole(columns)
    for j in range(3):
        cells = kernel.refine(cells, columns, j, CATEGORIES, waiting)
        assert listed(cells) == sorted(
            (puf, eif)
            for puf, eif in by_definition(columns, list(range(j + 1)))
            if eif and waiting[puf].any()
        )


@settings(max_examples=300)
@given(files(), st.integers(0, 1), st.booleans())
def test_who_shares_a_cell_with_one_row_alone_waits_no_longer(drawn, reading, refined):
    columns, waiting = drawn
    chosen = [0, 1] if refined else [1]
    cells = whole(columns)
    if refined:
        cells = kernel.refine(cells, columns, 0, CATEGORIES, waiting)
    expected = waiting.copy()
    for puf, eif in by_definition(columns, chosen):
        if len(puf) == len(eif) == 1 and waiting[puf[0]]:
            expected[puf[0]] = reading > 0 and contradicts(columns, puf[0], eif[0])
    kernel.expose(cells, columns, 1, CATEGORIES, reading, waiting)
    assert waiting.tolist() == expected.tolist()
