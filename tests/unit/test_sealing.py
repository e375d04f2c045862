"""What is encrypted comes back exactly, from every format; what was altered does not come back."""

import datetime as dt
import stat
import string
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident import handover
from reident.io.labels import Labels, Span, Table
from reident.io.tables import read_table
from reident.io.writing import write_table
from reident.model.files import SourceFile
from reident.remedies.encryption import new_key
from reident.sealing import digest, open_table, seal_table

EXAMPLES = settings(max_examples=25)
KEY = new_key()
FORMATS = ("csv", "csv.gz", "csv.zst", "parquet", "arrow", "feather", "ipc", "xpt", "dta", "sav",
           "xlsx")  # fmt: skip
STATISTICAL = ("xpt", "dta", "sav")
DAY = dt.date(2020, 2, 29)
CANARY = "qxcanary, longer than what is held inline"
CANARY_NUMBER = 86753090

VALUES = {
    pl.String: st.text(max_size=9),
    pl.Categorical: st.sampled_from(["a", "b ", "é"]),
    pl.Enum(["x", "y"]): st.sampled_from(["x", "y"]),
    pl.Int8: st.integers(-128, 127),
    pl.UInt64: st.integers(0, 2**64 - 1),
    pl.Int64: st.integers(-(2**63), 2**63 - 1),
    pl.Float32: st.floats(width=32),
    pl.Float64: st.floats(),
    pl.Boolean: st.booleans(),
    pl.Date: st.dates(),
    pl.Datetime("us"): st.datetimes(),
    pl.Datetime("ms", "UTC"): st.datetimes(dt.datetime(1900, 1, 1)).map(  # noqa: DTZ001
        lambda one: one.replace(microsecond=0, tzinfo=dt.UTC)
    ),
    pl.Time: st.times(),
    pl.Decimal(12, 3): st.decimals(-999, 999, places=3),
    pl.Null: st.none(),
}


@st.composite
def frames(draw):
    """A column of every type, with missing cells and names that polars could misread."""
    records = draw(st.integers(1, 5))
    columns = [
        pl.Series(
            draw(st.lists(st.none() | values, min_size=records, max_size=records)), dtype=kind
        ).alias(f"^v{place}.*$")
        for place, (kind, values) in enumerate(VALUES.items())
    ]
    return pl.DataFrame([*columns, pl.Series("*", [f"r{r}" for r in range(records)])])


def exact(frame):
    """Values that tell also a negative zero, NaN, and an empty text from none."""
    return {name: [repr(value) for value in frame[name].to_list()] for name in frame.columns}


@given(frame=frames(), data=st.data())
@EXAMPLES
def test_every_type_comes_back_exactly(frame, data):
    rows = np.array([data.draw(st.booleans()) for _ in range(len(frame))])
    rows[0] = True
    names = frame.columns[:-1]
    sealed = seal_table(Table(frame=frame), rows, names, KEY)
    hidden = sealed.frame[names].filter(pl.Series(rows))
    assert all(column.null_count() == len(column) for column in hidden)
    back = open_table(sealed, KEY, "frame")
    assert back.frame.schema == frame.schema
    assert exact(back.frame) == exact(frame)


def plain_table(kind):
    """A table of what a format can hold: unique are the records 1, 2 and 4 of five."""
    blank = "" if kind in {"xpt", "sav"} else "  "
    columns = {
        "id": ["1", "2", "3", "4", "5"],
        "text": [f"{CANARY}a{blank}", "007", "b", None, "b"],
        "whole": [CANARY_NUMBER, 2, 3, None, 3],
        "number": [0.1, -1e9, 2.5, 86753090.5, 2.5],
        "day": [dt.date(1999, 12, 31), None, DAY, dt.date(1903, 5, 17), DAY],
        "moment": [dt.datetime(2001, 1, 1, 6, 30, 15), None] + [dt.datetime(2020, 1, 1, 1)] * 3,  # noqa: DTZ001
        "other": ["=1+1", "x", "y", "z", "y"],
    }  # fmt: skip
    frame = pl.DataFrame(columns)
    if kind not in STATISTICAL:
        frame = frame.with_columns(truth=pl.Series([True, None, False, True, False]))
    return Table(frame=frame, labels=labels_for(kind))


def labels_for(kind):
    if kind == "sav":
        return Labels(
            variables={"text": "A text", "whole": "A number"},
            values={"whole": {"3": "three", "-9": "refused"}},
            missing={"whole": pl.Series("whole", [None, None, None, "-9", None])},
            declared={"whole": (Span(-10.0, -5.0),)},
        )
    if kind in {"dta", "parquet"}:
        return Labels(
            variables={"text": "A text"},
            values={"whole": {"3": "three", ".b": "refused"}},
            missing={"whole": pl.Series("whole", [None, None, None, ".b", None])},
        )
    if kind == "xpt":
        return Labels(missing={"whole": pl.Series("whole", [None, None, None, ".B", None])})
    return Labels()


NAMES = ["text", "whole", "number", "day", "moment"]


def written(tmp_path, kind):
    """The table in a file, and the file with its unique records encrypted."""
    path, out = tmp_path / f"plain.{kind}", tmp_path / f"sealed.{kind}"
    table = plain_table(kind)
    names = NAMES if kind in STATISTICAL else [*NAMES, "truth"]
    write_table(table, path)
    found = ri.protect(path, names, k=1, action="encrypt", key_file=tmp_path / "key", out=out)
    assert found.before.unique_records == 3
    assert found.after.unique_records == 0
    return path, out


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_back_what_was_encrypted(tmp_path, kind):
    path, out = written(tmp_path, kind)
    back = tmp_path / f"back.{kind}"
    ri.decrypt(out, key_file=tmp_path / "key", out=back)
    mine, theirs = read_table(SourceFile(path)), read_table(SourceFile(back))
    assert theirs.frame.schema == mine.frame.schema
    assert theirs.frame.equals(mine.frame, null_equal=True)
    assert theirs.labels == mine.labels
    # Statistical files hold the time of writing, Arrow files any bytes where a cell is missing.
    if kind in {"csv", "csv.gz", "csv.zst", "parquet", "xlsx"}:
        assert back.read_bytes() == path.read_bytes()
    hidden = read_table(SourceFile(out))
    assert not hidden.labels.missing
    assert hidden.labels.values == mine.labels.values
    for one in (out, back, tmp_path / "key"):
        assert stat.S_IMODE(one.stat().st_mode) == 0o600


@pytest.mark.parametrize("kind", FORMATS)
def test_nothing_of_the_plain_values_is_in_the_file(tmp_path, kind):
    _, out = written(tmp_path, kind)
    plain_file = tmp_path / "as.parquet"
    hidden = read_table(SourceFile(out))
    hidden.frame.write_parquet(plain_file, compression="uncompressed")
    for content in (out.read_bytes(), plain_file.read_bytes()):
        for canary in (CANARY, str(CANARY_NUMBER), "1903-05-17"):
            assert canary.encode() not in content
        assert np.array([CANARY_NUMBER], "<i8").tobytes() not in content
        assert np.array([CANARY_NUMBER + 0.5], "<f8").tobytes() not in content
    # All sealed texts are equally long, whatever they hide.
    assert hidden.frame["sealed1"].drop_nulls().str.len_bytes().n_unique() == 1
    assert hidden.frame["sealed1"].is_not_null().to_list() == [True, True, False, True, False]


def test_a_file_may_change_its_format_between(tmp_path):
    path, _ = written(tmp_path, "dta")
    key, out, back = tmp_path / "key", tmp_path / "other.csv", tmp_path / "other.parquet"
    found = ri.protect(path, NAMES, k=1, action="encrypt", key_file=key, out=out)
    assert {note.code for note in found.notes} >= {"labels_not_written"}
    ri.decrypt(out, key_file=key, out=back)
    mine, theirs = read_table(SourceFile(path)), read_table(SourceFile(back))
    assert theirs.frame[NAMES].schema == mine.frame[NAMES].schema
    assert theirs.frame[NAMES].equals(mine.frame[NAMES], null_equal=True)
    # A letter of missing that was sealed comes back although csv has no place for it.
    assert theirs.labels.missing["whole"].to_list() == [None, None, None, ".b", None]


def test_the_same_file_and_key_make_the_same_bytes(tmp_path):
    _, out = written(tmp_path, "csv")
    again = tmp_path / "again.csv"
    names = [*NAMES, "truth"]
    path, key = tmp_path / "plain.csv", tmp_path / "key"
    ri.protect(path, names, k=1, action="encrypt", key_file=key, out=again)
    assert again.read_bytes() == out.read_bytes()


# Altered files ------------------------------------------------------------------------------------


def refused(path, key):
    with pytest.raises(ri.ReidentError) as caught:
        ri.decrypt(path, key_file=key)
    told = str(caught.value)
    assert CANARY not in told
    assert str(CANARY_NUMBER) not in told
    return told


def test_every_flipped_bit_of_a_csv_file_is_refused_or_changes_nothing(tmp_path):
    """A flip that is read as the same table (a line end, a quote) may pass; no other does."""
    path, out = written(tmp_path, "csv")
    content = out.read_bytes()
    original = read_table(SourceFile(path)).frame
    key, bad = tmp_path / "key", tmp_path / "bad.csv"
    places = [*range(0, len(content), 11), *range(0, content.index(b"\n"), 3)]
    passed = 0
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << (place % 7)
        bad.write_bytes(flipped)
        try:
            back = ri.decrypt(bad, key_file=key)
        except ri.ReidentError:
            continue
        assert back.equals(original, null_equal=True)
        passed += 1
    assert passed <= len(places) // 50


@given(place=st.integers(0, 10**6), sign=st.sampled_from(string.ascii_letters + "=+/ "))
@settings(max_examples=80)
def test_no_altered_sealed_text_opens(place, sign):
    frame = pl.DataFrame({"x": ["a", "b", "b"], "y": ["c", "d", "d"]})
    sealed = seal_table(Table(frame=frame), np.array([True, False, False]), ["x", "y"], KEY)
    text = sealed.frame["sealed1"][0]
    place %= len(text)
    altered = text[:place] + sign + text[place + 1 :]
    if altered == text:
        return
    column = pl.Series("sealed1", [altered, None, None])
    bad = Table(frame=sealed.frame.with_columns(column))
    with pytest.raises(ri.DataError, match="does not open"):
        open_table(bad, KEY, "frame")


ALTERED = {
    "another value": lambda frame: frame.with_columns(pl.lit("q").alias("other")),
    "a value where one was hidden": lambda frame: frame.with_columns(
        pl.Series("text", ["x", None, "b", None, "b"])
    ),
    "another name": lambda frame: frame.rename({"other": "others"}),
    "other order of columns": lambda frame: frame.select(reversed(frame.columns)),
    "other order of records": lambda frame: frame.reverse(),
    "the last record cut off": lambda frame: frame[:-1],
    "all but the first two cut off": lambda frame: frame[:2],
    "a column gone": lambda frame: frame.drop("other"),
    "a column more": lambda frame: frame.with_columns(pl.lit("q").alias("more")),
    "sealed texts exchanged": lambda frame: frame.with_columns(
        pl.Series("sealed1", frame["sealed1"].gather([1, 0, 2, 3, 4]))
    ),
    "a sealed text gone": lambda frame: frame.with_columns(
        pl.Series("sealed1", [None, *frame["sealed1"][1:]])
    ),
    "a part of the sealed texts gone": lambda frame: frame.drop("sealed2"),
}


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_table_is_refused(tmp_path, name):
    table = plain_table("parquet").frame
    hidden = ri.protect(table, NAMES, k=1, action="encrypt", key_file=tmp_path / "key").frame
    assert "sealed2" in hidden.columns
    assert ri.decrypt(hidden, key_file=tmp_path / "key").equals(table, null_equal=True)
    assert "does not open" in refused(ALTERED[name](hidden), tmp_path / "key")


def test_altered_labels_are_refused():
    table = plain_table("dta")
    sealed = seal_table(table, np.array([True] + [False] * 4), NAMES, KEY)
    bad = Table(frame=sealed.frame, labels=Labels(variables={"text": "Another"}))
    assert digest(bad, np.array([0])) != digest(sealed, np.array([0]))
    with pytest.raises(ri.DataError, match="does not open"):
        open_table(bad, KEY, "frame")


def test_another_key_is_refused(tmp_path):
    _, out = written(tmp_path, "parquet")
    other = tmp_path / "other"
    ri.protect(pl.DataFrame({"a": ["x"]}), ["a"], action="encrypt", key_file=other)
    assert "it is another key, or the file was altered" in refused(out, other)


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "dta", "xlsx"])
def test_a_truncated_file_is_refused(tmp_path, kind):
    _, out = written(tmp_path, kind)
    content = out.read_bytes()
    bad = tmp_path / f"bad.{kind}"
    for size in (len(content) - 1, len(content) * 2 // 3, len(content) // 3):
        cut = content[:size]
        if kind == "csv":
            # At the end of a line, where no reader could see it.
            cut = content[: content[:size].rindex(b"\n") + 1]
        bad.write_bytes(cut)
        refused(bad, tmp_path / "key")


def test_a_file_that_is_not_encrypted_is_refused(tmp_path):
    frame = pl.DataFrame({"a": ["x", "y"]})
    ri.protect(frame, ["a"], action="encrypt", key_file=tmp_path / "key")
    assert "no sealed records" in refused(frame, tmp_path / "key")


# The key file -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601, 0o666])
def test_a_key_that_others_can_reach_is_refused(tmp_path, mode):
    frame, key = pl.DataFrame({"a": ["x"]}), tmp_path / "key"
    hidden = ri.protect(frame, ["a"], action="encrypt", key_file=key).frame
    key.chmod(mode)
    assert "others than its owner" in refused(hidden, key)
    with pytest.raises(ri.DataError, match="others than its owner"):
        ri.protect(frame, ["a"], action="encrypt", key_file=key)
    key.chmod(0o600)
    assert ri.decrypt(hidden, key_file=key).equals(frame)


@pytest.mark.parametrize(
    "content", [b"", b"key", b"reident-key-1 ", b"reident-key-1 QUJD\n", b"\xff" * 100]
)
def test_what_is_no_key_file_is_refused_and_left_as_it_is(tmp_path, content):
    key = tmp_path / "key"
    key.write_bytes(content)
    key.chmod(0o600)
    with pytest.raises(ri.DataError, match="not a key file"):
        ri.protect(pl.DataFrame({"a": ["x"]}), ["a"], action="encrypt", key_file=key)
    assert key.read_bytes() == content


def test_a_key_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ri.DataError, match="no key file"):
        ri.decrypt(pl.DataFrame({"a": ["x"]}), key_file=tmp_path / "none")
    with pytest.raises(ri.DataError, match="no key file"):
        ri.decrypt(pl.DataFrame({"a": ["x"]}), key_file=tmp_path)


def test_a_key_is_used_again(tmp_path):
    frame, key = pl.DataFrame({"a": ["x", "y"]}), tmp_path / "deep" / "key"
    first = ri.protect(frame, ["a"], action="encrypt", key_file=key).frame
    content = key.read_bytes()
    second = ri.protect(frame, ["a"], action="encrypt", key_file=key).frame
    assert key.read_bytes() == content
    assert first.equals(second)


def test_a_key_that_another_run_made_meanwhile_is_not_lost_and_not_passed_over(
    tmp_path, monkeypatch
):
    frame, key = pl.DataFrame({"a": ["x", "y"]}), tmp_path / "key"
    ri.protect(frame, ["a"], action="encrypt", key_file=key)
    content = key.read_bytes()
    # As if the file had not been there yet when this run began.
    monkeypatch.setattr(handover, "key_for", lambda _: new_key())
    for out in (None, tmp_path / "out.csv"):
        with pytest.raises(ri.RefusalError, match="another key, made while"):
            ri.protect(frame, ["a"], action="encrypt", key_file=key, out=out)
    assert key.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_a_file_is_not_encrypted_twice(tmp_path):
    frame, key = pl.DataFrame({"a": ["x", "y"], "b": ["p", "q"]}), tmp_path / "key"
    hidden = ri.protect(frame, ["a"], action="encrypt", key_file=key).frame
    with pytest.raises(ri.DataError, match="'sealed1': a name that sealed records need"):
        ri.protect(hidden, ["b"], action="encrypt", key_file=key)


def test_decimals_and_long_texts_fill_several_columns(tmp_path):
    frame = pl.DataFrame({"a": ["x" * 900, "y"], "b": [Decimal("1.5"), Decimal(2)]})
    hidden = ri.protect(frame, ["a", "b"], action="encrypt", key_file=tmp_path / "key").frame
    sealed = [name for name in hidden.columns if name.startswith("sealed")]
    assert len(sealed) > 5
    assert all(hidden[name].str.len_bytes().max() <= 200 for name in sealed)
    assert ri.decrypt(hidden, key_file=tmp_path / "key").equals(frame)
