"""Keys: texts, exactly as stored, in byte order."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reident.errors import DataError
from reident.io.keys import find, key_order, keys_of, rising
from reident.model.files import PublicFile


@pytest.fixture(scope="module")
def three_at_once():
    """Keys are compared three at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("reident.io.keys.AT_ONCE", 3)
        yield


def file_of(frame, *names):
    return PublicFile(frame, key=list(names))


def keys(**columns):
    frame = pl.DataFrame(columns)
    return keys_of(frame, frame.columns, file_of(frame, *frame.columns))


ODD = ["007", "7", "7.0", "1e5", "100000", "TRUE", "true", " 7", "7 ", "é", "E", "e"]
LONG = ["1234567890123456789", "1234567890123456788", "12345678901234567890"]


def test_texts_that_look_alike_stay_apart():
    made = keys(a=[*ODD, *LONG])
    assert made["a"].to_list() == [*ODD, *LONG]
    assert sorted(key_order(made, file_of(made, "a")).tolist()) == list(range(len(made)))
    assert find(made, made).tolist() == list(range(len(made)))


def test_nineteen_digits_of_an_integer_stay_apart():
    made = keys(a=[1234567890123456788, 1234567890123456789])
    assert made["a"].to_list() == ["1234567890123456788", "1234567890123456789"]


def test_floats_beyond_the_whole_numbers_are_refused():
    with pytest.raises(DataError, match=r"beyond 2\^53"):
        keys(a=[2.0**53 + 2, 1.0])


def test_parts_of_a_key_are_not_run_together():
    made = keys(a=["a-b", "a"], b=["c", "b-c"])
    assert len(key_order(made, file_of(made, "a", "b"))) == 2
    asked = pl.DataFrame({"x": ["a", "a-b", "a-b"], "y": ["b-c", "c", "b-c"]})
    assert find(asked, made).tolist() == [1, 0, -1]


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_part_is_refused_with_count_and_first_record(blank):
    with pytest.raises(DataError, match=r"1 record.* with a blank key, the first is record 2"):
        keys(a=["x", "y"], b=["1", blank])


def test_a_doubled_key_is_refused_with_count_and_first_record():
    made = keys(a=["x", "twice", "y", "twice"])
    with pytest.raises(DataError, match="2 records share a key") as caught:
        key_order(made, file_of(made, "a"))
    assert "the first is record 2" in str(caught.value)
    assert "twice" not in str(caught.value)


def test_keys_of_different_types_are_found_as_texts():
    assert find(keys(a=[7.0, 8.0]), keys(b=["8", "7", "07"])).tolist() == [1, 0]


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text("aB é~0", min_size=1), st.text("xy", min_size=1)), unique=True))
def test_the_order_is_that_of_bytes_column_by_column(rows):
    rows = [row for row in rows if row[0].strip()]
    if not rows:
        return
    made = keys(a=[a for a, _ in rows], b=[b for _, b in rows])
    order = key_order(made, file_of(made, "a", "b"))
    expected = sorted(rows, key=lambda row: [part.encode() for part in row])
    assert [rows[place] for place in order] == expected


@pytest.mark.usefixtures("three_at_once")
@settings(max_examples=60)
@given(
    st.lists(st.text("aB~é0", min_size=1, max_size=2), min_size=1, max_size=12),
    st.lists(st.text("aB~é0", min_size=1, max_size=2), max_size=12),
)
def test_keys_in_order_are_looked_up_as_any_others(known, wanted):
    known = list(dict.fromkeys(known))
    in_order = sorted(known, key=str.encode)
    assert rising(keys(a=in_order))
    assert key_order(keys(a=in_order), file_of(keys(a=in_order), "a")).tolist() == [
        *range(len(known))
    ]
    asked = keys(a=wanted) if wanted else keys(a=["a"]).clear()
    for held in (known, in_order):
        expected = [held.index(key) if key in held else -1 for key in wanted]
        assert find(asked, keys(a=held)).tolist() == expected


@pytest.mark.usefixtures("three_at_once")
@settings(max_examples=60)
@given(st.lists(st.text("ab", min_size=1, max_size=2), min_size=2, max_size=12))
def test_doubles_are_counted_wherever_they_stand(texts):
    made = keys(a=texts)
    doubled = [place for place, text in enumerate(texts) if texts.count(text) > 1]
    if not doubled:
        key_order(made, file_of(made, "a"))
        return
    said = f"{len(doubled)} records share a key with another, the first is record {doubled[0] + 1}"
    with pytest.raises(DataError, match=said):
        key_order(made, file_of(made, "a"))


def test_a_key_column_named_twice_is_a_fault_of_the_study():
    import reident as ri

    frame = pl.DataFrame({"p": ["1"], "x": ["a"]})
    with pytest.raises(ri.SpecError):
        ri.Study(
            puf=ri.PublicFile(frame, key=["p", "p"]),
            eif=ri.IntruderFile(frame, key="p"),
            variables=[ri.categorical("x")],
        ).run(ri.Taxicab())
