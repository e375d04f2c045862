"""Rows that agree with a record, as bits: what large files meet, in small ones."""

from functools import cache
from itertools import combinations

import numba
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reident.kernels import crowd, holders, partners, records, refine, sieves
from reident.kernels.masks import TAKEN

MANY = holders.MOST_SLOTS + 8
"""Categories, some of which share a bitmap."""
few = settings(max_examples=40)
codes = st.integers(-1, 2) | st.just(holders.MOST_SLOTS + 1)
rows_of_codes = st.lists(st.tuples(codes, codes, codes), min_size=1, max_size=12)


@pytest.fixture(scope="module", autouse=True)
def _short_chunks():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(holders, "CHUNK", holders.BLOCK)
            patch.setattr(sieves, "CHUNK", holders.BLOCK)
        yield


def table(rows):
    held = np.array(rows, np.int32)
    return holders.table(held, np.full(held.shape[1], MANY, np.int64))


def both(puf, eif, orders=((0, 1, 2),)):
    mine, theirs = table(puf), table(eif)
    share = (mine.holders + theirs.holders) / (len(puf) + len(eif))
    return records.Both(mine, theirs, share, np.array(orders, np.int64), shared=True)


def record(of, row=0):
    span = np.array([0, len(of.puf.codes), 0, len(of.eif.codes)], np.int64)
    return records.record_of(of, row, span)


def content(chain):
    size = int(chain.size[0])
    return dict(zip(chain.masks[:size].tolist(), chain.owners[:size].tolist(), strict=True))


def agreement(one, other):
    return sum(1 << j for j in range(len(one)) if one[j] == other[j] >= 0)


@few
@given(
    rows_of_codes,
    st.tuples(*[st.sampled_from([0, 1, holders.MOST_SLOTS + 1])] * 3),
    st.tuples(st.integers(0, 12), st.integers(0, 12)),
    st.booleans(),
)
def test_rows_that_are_asked_for_are_found_in_order(rows, mine, ends, wild):
    start, stop = (min(end, len(rows)) for end in ends)
    asked = holders.Asked(np.array(mine, np.int32), np.array([0, 2]), wild)
    found = np.empty(20, np.int64)
    count = holders.find(table(rows), asked, start, stop, found)
    assert found[:count].tolist() == [
        r
        for r in range(start, stop)
        if all(rows[r][j] == mine[j] or (wild and rows[r][j] < 0) for j in (0, 2))
    ]


def test_each_category_and_no_value_has_a_bitmap_of_its_own():
    categories = (3, 1, 2)
    held = holders.table(np.zeros((1, 3), np.int32), np.array(categories))
    slots = [holders.slot(held, j, c) for j, size in enumerate(categories) for c in range(-1, size)]
    assert sorted(slots) == list(range(len(held.rows)))


@cache
def many_rows():
    """Rows of several blocks, and their bitmaps; the first and the last category share one."""
    draw = np.random.default_rng(4)
    rows = draw.choice([-1, 0, 1, holders.MOST_SLOTS], size=(1200, 2)).tolist()
    return rows, table(rows)


ends_of_spans = st.integers(0, 1200) | st.integers(0, 18).map(holders.WORD.__mul__)


@few
@given(
    ends_of_spans,
    ends_of_spans,
    st.tuples(*[st.sampled_from([0, 1, holders.MOST_SLOTS])] * 2),
    st.booleans(),
)
@example(64, 576, (0, 0), holders.EXACT)
@example(130, 700, (0, 1), holders.WILD)
def test_rows_of_a_span_are_found_wherever_it_begins_and_ends(start, stop, mine, wild):
    rows, held = many_rows()
    asked = holders.Asked(np.array(mine, np.int32), np.array([0, 1]), wild)
    found = np.empty(len(rows) + 1, np.int64)
    count = holders.find(held, asked, start, stop, found)
    assert found[:count].tolist() == [
        r
        for r in range(start, stop)
        if all(a == b or (wild and a < 0) for a, b in zip(rows[r], mine, strict=True))
    ]


def test_the_last_row_of_a_file_of_whole_groups_of_blocks_is_found():
    """Bitmaps end with the last row: there is no block after it."""
    words = holders.WORD * holders.BLOCK
    last = words * holders.WORD - 1
    codes = np.zeros((last + 1, 1), np.int32)
    codes[last] = 1
    rows, blocks = np.zeros((3, words), np.uint64), np.zeros((3, 1), np.uint64)
    rows[1, -1] = blocks[1] = 1 << 63
    held = holders.Table(codes, np.array([0]), np.array([2]), rows, blocks, np.ones(3, np.int64))
    asked = holders.Asked(np.array([1], np.int32), np.array([0]), holders.EXACT)
    found = np.empty(2, np.int64)
    assert holders.find(held, asked, 0, last + 1, found) == 1
    assert found[0] == last


def test_what_fills_the_room_for_rows_is_not_all_of_it():
    """Rows of one block, of blocks without a row in question, and of a block not reached."""
    rows = [(r // 600 % 2, r % 7) for r in range(3000)]
    asked = holders.Asked(np.array([1, 3], np.int32), np.array([0, 1]), holders.EXACT)
    wanted = [r for r, row in enumerate(rows) if row == (1, 3)]
    for room in (2, 90, len(wanted), len(wanted) + 1):
        found = np.empty(room, np.int64)
        count = holders.find(table(rows), asked, 0, len(rows), found)
        assert found[:count].tolist() == wanted[:room]
    nobody = holders.Asked(np.array([1, 9], np.int32), np.array([0, 1]), holders.EXACT)
    assert holders.find(table(rows), nobody, 0, len(rows), np.empty(2, np.int64)) == 0


@few
@given(rows_of_codes, rows_of_codes, st.integers(1, 4))
def test_consistent_rows_are_met_however_small_the_room(puf, eif, room):
    of = both(puf, eif)
    mine = record(of)
    if not len(mine.has):
        return
    chain = content(partners.consistent(of, mine, np.empty(room, np.int64)))
    fitting = {
        q: agreement(puf[0], row)
        for q, row in enumerate(eif)
        if all(a == b or min(a, b) < 0 for a, b in zip(puf[0], row, strict=True))
    }
    masks = set(fitting.values()) - {0}
    assert set(chain) == {m for m in masks if not any(m != n and m & n == m for n in masks)}
    for mask, owner in chain.items():
        alike = [q for q, other in fitting.items() if other == mask]
        assert owner == (alike[0] if len(alike) == 1 else TAKEN)


@few
@given(rows_of_codes, rows_of_codes, st.integers(1, 4), st.integers(0, 20))
def test_a_cell_tells_who_agrees_with_the_record_inside_it(puf, eif, room, number):
    of = both(puf, eif)
    rows = np.empty((2, room), np.int64)
    chain = content(partners.search_cell(of, record(of), 0, number, rows))
    others = [(agreement(puf[0], row), TAKEN) for row in puf[1:]]
    others += [(agreement(puf[0], row), q) for q, row in enumerate(eif)]
    for mask, owner in chain.items():
        alike = [q for other, q in others if other == mask]
        assert alike
        assert owner == (alike[0] if len(alike) == 1 else TAKEN)
        assert not any(mask != other and mask & other == mask for other, _ in others)


def test_cells_too_large_and_cells_without_an_eif_row_settle_nothing():
    crowded = both([(0, 0, 0)] * 4, [(0, 0, 0)])
    rows = np.empty((2, 3), np.int64)
    assert content(partners.search_cell(crowded, record(crowded), 0, 9, rows)) == {}
    theirs = both([(0, 0, 0)], [(0, 0, 0)] * 4)
    assert content(partners.search_cell(theirs, record(theirs), 0, 9, rows)) == {}
    alone = both([(0, 0, 0)], [(1, 0, 0)])
    assert content(partners.search_cell(alone, record(alone), 0, 9, rows)) == {}
    gone = both([(-1, -1, -1)], [(1, 0, 0)])
    assert content(partners.search_cell(gone, record(gone), 0, 9, rows)) == {}


def every_mask(v, width):
    """EIF rows that agree with a record of zeros on every choice of so many variables."""
    return [tuple(0 if j in one else 1 for j in range(v)) for one in combinations(range(v), width)]


def test_sieves_are_the_masks_that_leave_out_least():
    v = 8
    eif = every_mask(v, 4)
    of = both([(0,) * v], eif, orders=(tuple(range(v)),))
    of = of._replace(share=np.linspace(0.1, 0.9, len(of.share)))
    mine = record(of)
    chain = records.new_chain(len(eif))
    for q, row in enumerate(eif):
        records.add(chain, np.uint64(agreement((0,) * v, row)), q)
    chosen = np.empty(sieves.SIEVES, np.int64)
    assert sieves.choose_sieves(of, mine, chain, chosen) == sieves.SIEVES < len(eif)

    def lost(k):
        return sum(of.share[mine.slots[j]] for j in range(v) if not int(chain.masks[k]) >> j & 1)

    found = [lost(k) for k in chosen.tolist()]
    assert found == pytest.approx(sorted(map(lost, range(len(eif))))[: sieves.SIEVES])


@pytest.mark.parametrize("file", [sieves.PUF, sieves.EIF])
@pytest.mark.parametrize("full", [False, True])
def test_a_sieved_file_shows_every_mask_that_lies_in_no_other(file, full):
    """A mask of all variables sieves everything out; several chunks are read by their bits."""
    draw = np.random.default_rng(3)
    mine = (0, 0, 0)
    rows = list(map(tuple, draw.integers(-1, 3, size=(3000, 3)).tolist()))
    rows = [row for row in rows if full or row != mine]
    of = both([mine, *rows], rows)
    chain = records.new_chain(8)
    chain, _ = sieves.stream(of, record(of), chain, file, records.new_chain(8))
    masks = {agreement(mine, row) for row in rows} - {0}
    assert set(content(chain)) == {
        m for m in masks if not any(m != n and m & n == m for n in masks)
    }


@pytest.mark.parametrize("file", [sieves.PUF, sieves.EIF])
@pytest.mark.parametrize("cut", [0, 70])
def test_a_sieved_span_tells_who_attains_a_mask_that_has_not_served(file, cut):
    """Spans of whole chunks and of parts of them; most values lie outside most masks."""
    size, v = 2 * sieves.CHUNK * holders.WORD, 6
    mine, span = (0,) * v, (cut, size - cut)
    draw = np.random.default_rng(3)
    rows = [mine, *map(tuple, draw.integers(0, 12, size=(size - 1, v)).tolist())]
    files = (rows, [(1,) * v, *rows[1:]])
    of = both(*files, orders=(tuple(range(v)),))
    own = records.record_of(of, 0, np.array([*span, *span], np.int64))
    chain, served = sieves.stream(of, own, records.new_chain(8), file, records.new_chain(1))
    met = {r: agreement(mine, files[file][r]) for r in range(max(cut, 1), size - cut)}
    masks = set(met.values()) - {0}
    noted = set(served.masks[: served.size[0]].tolist())
    assert noted <= masks
    found = content(chain)
    assert set(found) == {m for m in masks if not any(m & n == m != n for n in masks)}
    for mask in set(found) - noted:
        alike = [r for r, own_mask in met.items() if own_mask == mask]
        alone = len(alike) == 1 and file == sieves.EIF
        assert found[mask] == (alike[0] if alone else TAKEN)


def test_a_row_alone_in_the_last_chunk_is_met():
    others = [(0, 1, 1)] * (sieves.CHUNK * holders.WORD)
    of = both([(0, 0, 0)], [*others, (1, 1, 0)])
    chain, _ = sieves.stream(of, record(of), records.new_chain(8), sieves.EIF, records.new_chain(8))
    assert content(chain) == {1: TAKEN, 4: len(others)}


@few
@given(
    st.lists(st.tuples(*[st.integers(-1, 1)] * 2, st.integers(0, 1)), min_size=1, max_size=14),
    st.integers(1, 4),
)
@example([(0, 0, 0)] * 3, 1)
def test_cells_of_sorted_rows_are_the_largest_that_are_small_enough(rows, room):
    rows = sorted(rows, key=lambda row: (row[2], *row[:2]))
    held = np.array(rows, np.int64)
    pool = crowd.Pool(held[:, :2].astype(np.int32), held[:, 2], len(rows))
    cells = crowd.sorted_cells(pool, np.arange(len(rows)), np.array([0, 1]), room)
    found = {
        (int(mask), tuple(range(*bounds)))
        for mask, bounds in zip(cells.variables, cells.bounds.tolist(), strict=True)
    }
    wanted = set()
    for one in rows:
        for mask, width in ((1, 1), (3, 2)):
            if one[width - 1] < 0 or one[0] < 0:
                break
            alike = tuple(
                r for r, row in enumerate(rows) if (row[2], row[:width]) == (one[2], one[:width])
            )
            if len(alike) <= room:
                wanted.add((mask, alike))
                break
    assert found == wanted


@few
@given(st.lists(st.tuples(st.integers(-1, 1), st.integers(-1, 1)), min_size=1, max_size=5))
def test_rows_contradict_where_both_have_a_value_and_these_differ(pairs):
    one, other = (np.array(column, np.int32)[:, None] for column in zip(*pairs, strict=True))
    expected = any(a != b and min(a, b) >= 0 for a, b in pairs)
    assert refine.contradicts(refine.Columns(one, other), 0, 0) == expected
