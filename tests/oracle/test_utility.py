"""The indices equal their definitions, whatever the data; the order of rows is nothing to them."""

import math

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.oracle import utility as plain

QI, SA = 8, 3
texts = st.sampled_from(["a", "b", "c", None])
numbers = st.sampled_from([0.0, 1.0, 0.1, 0.2, 0.3, -4.5, 1e6, 7.25, None])
records = st.tuples(
    st.tuples(*[st.sampled_from(["a", "b"])] * 3, *[texts] * (QI - 3)), st.tuples(*[numbers] * SA)
)
few = settings(max_examples=60)


def frame(rows):
    columns = {f"q{j}": pl.Series([row[0][j] for row in rows], dtype=pl.String) for j in range(QI)}
    columns |= {
        f"s{j}": pl.Series([row[1][j] for row in rows], dtype=pl.Float64) for j in range(SA)
    }
    return pl.DataFrame(columns)


def compared(x, b, **options):
    return ri.utility(
        x, b, qi=[f"q{j}" for j in range(QI)], sa=[f"s{j}" for j in range(SA)], **options
    )


def same(one, other):
    if one is None or other is None:
        return one is other
    return math.isclose(one, float(other), rel_tol=1e-9, abs_tol=1e-12)


@few
@given(
    x=st.lists(records, min_size=1, max_size=9),
    b=st.lists(records, min_size=1, max_size=9),
    cross=st.sampled_from(["six", "pairs"]),
    cells=st.sampled_from(["released", "union"]),
)
def test_indices_equal_their_definitions(x, b, cross, cells):
    found = compared(frame(x), frame(b), cross=cross, cells=cells)
    means, counts = plain.u2_u3(x, b, cross, cells)
    assert same(found["U1"], plain.u1(x, b))
    assert same(found["U2"], means)
    assert same(found["U3"], counts)
    assert same(found["U4"], plain.u4(x, b))
    if len(x) == len(b):
        assert same(found["U5"], plain.u5(list(zip(x, b, strict=True)), x))
    else:
        assert found["U5"] is None
    assert found["U6"] == abs(len(x) - len(b))
    smallest, mean = plain.s1_s2(b)
    assert found["S1"] == smallest
    assert same(found["S2"], mean)


@few
@given(x=st.lists(records, min_size=2, max_size=8), data=st.data())
def test_the_order_of_rows_leaves_every_bit_as_it_is(x, data):
    keyed = frame(x).with_row_index("id")
    b = keyed.with_columns((pl.col("s0") * 0.3).fill_null(1.0))
    order = data.draw(st.permutations(range(len(x))))
    one = compared(keyed, b, key="id")
    assert compared(keyed[order], b[order[::-1]], key="id").to_dict() == one.to_dict()


@few
@given(
    x=st.lists(records, min_size=1, max_size=8),
    data=st.data(),
    deleted=st.sampled_from(["lost", "left_out"]),
)
def test_records_that_are_not_released_are_lost_or_left_out(x, data, deleted):
    """U5 by its definition, whoever is left out, changed or made up, in whatever order."""
    kept = data.draw(st.permutations(range(len(x))))[: data.draw(st.integers(1, len(x)))]
    b = [data.draw(st.one_of(st.just(x[row]), records)) for row in kept]
    more = data.draw(st.lists(records, max_size=2))
    keys = [*kept, *range(90, 90 + len(more))]
    released = frame([*b, *more]).with_columns(pl.Series("id", keys))
    found = compared(frame(x).with_row_index("id"), released, key="id", deleted=deleted)
    gone = [record for row, record in enumerate(x) if row not in kept]
    pairs = [(x[row], record) for row, record in zip(kept, b, strict=True)]
    readings = {"lost": plain.u5(pairs, x, gone), "left_out": plain.u5(pairs, x)}
    assert same(found["U5"], readings.pop(deleted))
    notes = [note for note in found.notes if note.code == "not_released"]
    assert [note.count for note in notes] == [len(gone)] * bool(gone)
    for note in notes:
        [other] = readings.values()
        assert f"it is {float(other):.4g}." in note.text


def test_u5_of_a_deleted_record():
    """Decision 65: two of four released as they were; half of all values are lost."""
    x = pl.DataFrame({"id": [1, 2, 3, 4], "s": [0.0, 10.0, 20.0, None]})
    assert ri.utility(x, x[:2], sa=["s"], key="id")["U5"] == 1 / 4
    assert ri.utility(x, x[1:3], sa=["s"], key="id", deleted="left_out")["U5"] == 0


def test_records_are_aligned_by_the_truth():
    x = pl.DataFrame({"e": [1, 2, 3], "s": [0.0, 5.0, 10.0]})
    b = pl.DataFrame({"p": ["c", "a", "b"], "s": [10.0, 0.0, 6.0]})
    truth = pl.DataFrame({"p": ["a", "b", "c"], "e": [1, 2, 3]})
    found = ri.utility(x, b, sa=["s"], key="p", original_key="e", truth=truth)
    assert found["U5"] == 0.1 / 3
    both = {"s": x["s"], "id": x["e"]}, {"s": b["s"], "id": b["p"]}
    same_name = truth.rename({"p": "released_id", "e": "original_id"})
    x_id, b_id = (pl.DataFrame(columns) for columns in both)
    assert ri.utility(x_id, b_id, sa=["s"], key="id", truth=same_name)["U5"] == 0.1 / 3
    declared = pl.DataFrame({"p": ["a", "b", "c"], "e": [3, 2, 1]})
    found = ri.utility(x, b, sa=["s"], key="p", original_key="e", truth=declared)
    assert math.isclose(found["U5"], 2.1 / 3)
