"""Who exposes a record, and how it may be read, by every way that a search takes."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reident.kernels import holders, partners, records

VARIABLES = 3
FULL = (1 << VARIABLES) - 1
codes = st.tuples(*[st.integers(-1, 2)] * VARIABLES)
file = st.lists(st.tuples(st.integers(0, 1), codes), min_size=1, max_size=10).map(sorted)
"""Rows in order of their strata."""


def table(rows):
    held = np.array([row for _, row in rows], np.int32)
    return holders.table(held, np.full(VARIABLES, 3))


def of(puf, eif, shared):
    mine, theirs = table(puf), table(eif)
    share = (mine.holders + theirs.holders) / (len(puf) + len(eif))
    return records.Both(mine, theirs, share, np.array([[0, 1, 2], [2, 0, 1]]), shared=shared)


def spans(puf, *files):
    """For each PUF row the first and the last but one of the rows that it meets."""
    strata = [[stratum for stratum, _ in rows] for rows in files]
    return np.array(
        [
            [end for own in strata for end in (own.index(s), own.index(s) + own.count(s))]
            for s, _ in puf
        ]
    )


def agreement(one, other):
    return sum(1 << j for j in range(VARIABLES) if one[j] == other[j] >= 0)


def exposed_by(puf, eif, p):
    """EIF rows that share a mask with a record that no other row of either file attains."""
    stratum, mine = puf[p]
    masks = [(q != p, agreement(mine, row)) for q, (s, row) in enumerate(puf) if s == stratum]
    theirs = {e: agreement(mine, row) for e, (s, row) in enumerate(eif) if s == stratum}
    met = [mask for other, mask in masks if other] + list(theirs.values())
    return {e: m for e, m in theirs.items() if m and sum(n & m == m for n in met) == 1}


def reading_of(mine, other, mask):
    contradict = any(a != b and min(a, b) >= 0 for a, b in zip(mine, other, strict=True))
    return 2 if mask == FULL else 0 if contradict else 1


@st.composite
def both_files(draw):
    """Files in which every stratum of the PUF is one of the EIF's."""
    puf, eif = draw(file), draw(file)
    there = {stratum for stratum, _ in eif}
    return [(s if s in there else min(there), row) for s, row in puf], eif


EVERY_ROW = ([(0, (0, 0, 0))], [(0, (0, 1, 1)), (0, (1, 0, 1)), (0, (1, 1, 0))])
"""Files in which every EIF row exposes the record."""


@settings(max_examples=300)
@given(both_files(), st.integers(0, 2), st.integers(1, 3), st.booleans())
@example(files=EVERY_ROW, pairs=partners.ALL_PAIRS, few=1, shared=True)
def test_records_are_exposed_by_the_rows_that_expose_them(files, pairs, few, shared):
    puf, eif = sorted(files[0]), files[1]
    aim = partners.Aim(pairs, few)
    asked = np.arange(len(puf))
    found = partners.judge_all(of(puf, eif, shared), asked, spans(puf, puf, eif), aim)
    assert found.bounds[0] == 0
    for p, (_, mine) in enumerate(puf):
        readings = {e: reading_of(mine, eif[e][1], m) for e, m in exposed_by(puf, eif, p).items()}
        reading = max(readings.values(), default=partners.NOT_EXPOSED)
        # A record that lacks a variable is never read as one of the highest interaction.
        assert found.reading[p] == reading
        listed = {e for e, r in readings.items() if r >= (pairs != partners.ALL_PAIRS)}
        mine_listed = found.partners[found.bounds[p] : found.bounds[p + 1]].tolist()
        assert sorted(mine_listed) == (sorted(listed) if pairs else [])


@settings(max_examples=200)
@given(both_files())
def test_a_pair_is_read_as_the_record_that_it_exposes(files):
    puf, eif = sorted(files[0]), files[1]
    pairs = [(p, e) for p, a in enumerate(puf) for e, b in enumerate(eif) if a[0] == b[0]]
    own = spans(puf, puf, eif)[[p for p, _ in pairs]]
    found = partners.judge_pairs(of(puf, eif, True), np.array(pairs), own)  # noqa: FBT003  # by place
    for (p, e), reading in zip(pairs, found.tolist(), strict=True):
        masks = exposed_by(puf, eif, p)
        expected = reading_of(puf[p][1], eif[e][1], masks[e]) if e in masks else -1
        assert reading == expected


@settings(max_examples=100)
@given(file)
def test_unique_rows_have_a_value_and_nobody_who_agrees_on_all_they_have(rows):
    own = spans(rows, rows)
    unique = [
        any(code >= 0 for code in mine)
        and not any(
            q != p and s == stratum and all(a in (-1, b) for a, b in zip(mine, row, strict=True))
            for q, (s, row) in enumerate(rows)
        )
        for p, (stratum, mine) in enumerate(rows)
    ]
    held = table(rows)
    assert partners.uniques(held, own, 0, len(rows)) == sum(unique)
    assert partners.uniques(held, own, 1, len(rows)) == sum(unique[1:])
