"""Protective actions give what the definitions give, and the log accounts for every cell."""

import os
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.oracle import protect as oracle

EXAMPLES = settings(max_examples=int(os.environ.get("REIDENT_EXAMPLES", "2000")) // 40)
KS = st.integers(1, 4)
MISSING = st.sampled_from(["category", "drop", "wildcard"])
HOWS = ("round", "noise", "swap", "pram", "table_round")


@st.composite
def tables(draw):
    """Records of few values, so that many share them; names that polars could misread."""
    variables = draw(st.integers(1, 4))
    cell = st.sampled_from([None, "1", "2", "07"])
    records = draw(st.lists(st.tuples(*[cell] * variables), min_size=1, max_size=12))
    names = [f"^v{j}.*$" for j in range(variables)]
    columns = [
        pl.Series(list(values), dtype=pl.String).alias(name)
        for name, values in zip(names, zip(*records, strict=True), strict=True)
    ]
    keys = draw(st.permutations([f"r{r}" for r in range(len(records))]))
    return records, names, pl.DataFrame([pl.Series("*", keys), *columns])


def rows_of(frame, names):
    return list(zip(*(frame[name].to_list() for name in names), strict=True))


def logged(found, names):
    """The log as the oracle lists changes."""
    return [
        (record, None if variable is None else names.index(variable))
        for record, variable in found.changes.select("record", "variable").rows()
    ]


@given(table=tables(), k=KS, missing=MISSING)
@EXAMPLES
def test_destroying_leaves_those_who_are_not_unique(table, k, missing):
    records, names, frame = table
    expected = oracle.destroyed(records, k, missing)
    if not expected:
        with pytest.raises(ri.DataError, match="none would be left"):
            ri.protect(frame, names, action="destroy", k=k, missing=missing)
        return
    found = ri.protect(frame, names, action="destroy", k=k, missing=missing, key="*")
    assert rows_of(found.frame, names) == expected
    gone = [r + 1 for r, alone in enumerate(oracle.unique(records, k, missing)) if alone]
    assert found.changes["record"].to_list() == gone
    keys = frame["*"].to_list()
    assert found.changes["key_*"].to_list() == [keys[r - 1] for r in gone]
    assert found.changes["variable"].is_null().all()
    assert (found.records_in, found.records_out) == (len(records), len(expected))
    if missing != "wildcard":
        assert found.after.unique_records == 0


@given(table=tables(), k=KS, missing=MISSING, data=st.data())
@EXAMPLES
def test_blanking_takes_the_data_of_those_who_are_unique(table, k, missing, data):
    records, names, frame = table
    some = data.draw(st.sets(st.integers(0, len(names) - 1), min_size=1))
    chosen = [names[j] for j in sorted(some)]
    found = ri.protect(frame, names, action="blank", k=k, missing=missing, change=chosen)
    expected = oracle.blanked(records, k, missing, sorted(some))
    assert rows_of(found.frame, names) == expected
    assert found.frame["*"].equals(frame["*"])
    assert logged(found, names) == oracle.changes(records, expected)
    assert found.cells_changed == len(found.changes)
    if len(some) == len(names):
        apart = sum(oracle.unique(records, k, missing))
        assert found.after.protected == apart
        if missing == "category":
            assert found.after.unique_records == 0
            assert found.after.compared == len(records) - apart


@given(how=st.sampled_from(HOWS), table=tables(), k=KS, seed=st.integers(0, 5), data=st.data())
@EXAMPLES
def test_the_log_is_the_difference_of_both_tables(how, table, k, seed, data):
    records, names, frame = table
    options = {"base": data.draw(st.integers(2, 4))} if how in {"round", "table_round"} else {}
    if how in {"round", "noise"} and not any(value for record in records for value in record):
        with pytest.raises(ri.DataError, match="are not numbers"):
            ri.protect(frame, names, action="perturb", how=how, k=k, seed=seed, **options)
        return
    found = ri.protect(frame, names, action="perturb", how=how, k=k, seed=seed, **options)
    after = rows_of(found.frame, names)
    assert logged(found, names) == oracle.changes(records, after)
    assert found.frame.schema == frame.schema
    assert found.frame["*"].equals(frame["*"])
    touched = {record - 1 for record in found.changes["record"].to_list()}
    alone = oracle.unique(records, k, "category")
    if how == "table_round":
        assert_rounded(records, after, options["base"])
    else:
        assert all(alone[r] for r in touched)
    if how == "swap":
        for j in range(len(names)):
            assert Counter(row[j] for row in after) == Counter(row[j] for row in records)


def assert_rounded(before, after, base):
    """Every count moved by less than the base; all are multiples of it, if the total is one."""
    old, new = Counter(before), Counter(after)
    assert set(new) <= set(old)
    assert all(abs(old[cell] - new[cell]) < base for cell in old)
    if len(before) % base == 0:
        assert all(count % base == 0 for count in new.values())


@given(how=st.sampled_from(HOWS), table=tables(), seed=st.integers(0, 5), data=st.data())
@EXAMPLES
def test_with_a_key_the_order_of_rows_does_not_matter(how, table, seed, data):
    _, names, frame = table
    order = data.draw(st.permutations(range(len(frame))))
    asked = {"action": "perturb", "how": how, "key": "*", "seed": seed}
    try:
        one = ri.protect(frame, names, **asked).frame[list(order)]
    except ri.DataError:
        return
    other = ri.protect(frame[list(order)], names, **asked).frame
    assert np.array_equal(rows_of(one, names), rows_of(other, names))
