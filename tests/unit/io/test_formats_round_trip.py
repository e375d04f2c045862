"""What is written is read back: values, types, missing cells, labels, order."""

import datetime as dt
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reident.encode.text import text_of
from reident.errors import DataError
from reident.io.labels import Labels, Span, Table
from reident.io.tables import read_table
from reident.io.writing import write_table
from reident.model.files import SourceFile

FORMATS = (
    "csv",
    "csv.gz",
    "csv.zst",
    "parquet",
    "arrow",
    "feather",
    "ipc",
    "xpt",
    "dta",
    "sav",
    "xlsx",
)
STATISTICAL = ("xpt", "dta", "sav")
EXAMPLES = settings(max_examples=30)


def _texts(kind):
    """Texts that a format can hold: letters of all scripts, no trailing blank where it is lost."""
    signs = st.characters(exclude_categories=["C"], exclude_characters="\u2028\u2029")
    edge = st.sampled_from(["007", "7", "1e5", "TRUE", "=1+1", "-x", "@a", "1234567890123456789"])
    text = st.one_of(edge, st.text(signs, max_size=12))
    return text.map(lambda one: one.rstrip()) if kind in {"xpt", "sav"} else text


def _floats(kind):
    bound = {"xpt": 1e70, "dta": 8e307}.get(kind, 1e308)
    floats = st.floats(-bound, bound, allow_nan=False)
    return floats.filter(lambda x: x == 0 or abs(x) > 1e-70) if kind == "xpt" else floats


def _moments(kind):
    first = dt.datetime(1900, 3, 1) if kind == "xlsx" else dt.datetime(1, 1, 1)  # noqa: DTZ001
    last = dt.datetime(9999, 12, 31)  # noqa: DTZ001
    whole = st.datetimes(first, last)
    return whole.map(lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000))


def _columns(kind):
    first = dt.date(1900, 1, 1) if kind == "xlsx" else dt.date(1, 1, 1)
    times = st.times().map(lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000))
    most = 2**53 if kind in {*STATISTICAL, "xlsx"} else 2**63 - 1
    columns = {
        "text": (_texts(kind), pl.String),
        "whole": (st.integers(-most, most), pl.Int64),
        "small": (st.integers(-100, 100), pl.Int8),
        "number": (_floats(kind), pl.Float64),
        "day": (st.dates(first), pl.Date),
        "moment": (_moments(kind), pl.Datetime("us")),
        "time": (times, pl.Time),
    }
    return columns if kind in STATISTICAL else columns | {"truth": (st.booleans(), pl.Boolean)}


@st.composite
def frames(draw, kind):
    records = draw(st.integers(1, 6))
    cells = {
        name: pl.Series(
            name, draw(st.lists(st.none() | values, min_size=records, max_size=records)), dtype
        )
        for name, (values, dtype) in _columns(kind).items()
    }
    # No format of spreadsheets and packages tells a record without any value from none at all.
    cells["id"] = pl.Series("id", [f"{place:03}" for place in range(records)])
    order = draw(st.permutations(list(cells)))
    return pl.DataFrame([cells[name] for name in order])


def round_trip(table, kind):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{kind}"
        notes = write_table(table, path)
        assert path.stat().st_mode & 0o777 == 0o600
        assert [one.name for one in Path(folder).iterdir()] == [path.name]
        return read_table(SourceFile(path)), notes


def assert_same_values(mine, theirs):
    assert mine.columns == theirs.columns
    for name in mine.columns:
        one, other = (text_of(frame[name]) for frame in (mine, theirs))
        blank = [text or None for text in one], [text or None for text in other]
        assert blank[0] == blank[1], name


@pytest.mark.parametrize("kind", FORMATS)
@given(data=st.data())
@EXAMPLES
def test_values_come_back_in_their_order(kind, data):
    frame = data.draw(frames(kind))
    moments = frame["moment"].drop_nulls()
    if kind == "xlsx":
        # A column of midnights is a column of dates there.
        assume(not len(moments) or not (moments.dt.time() == dt.time()).all())
    back, notes = round_trip(Table(frame=frame), kind)
    assert not notes
    assert not back.labels
    assert_same_values(frame, back.frame)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "ipc"])
@given(data=st.data())
@EXAMPLES
def test_columnar_formats_keep_every_type(kind, data):
    frame = data.draw(frames(kind)).with_columns(
        pl.col("id").cast(pl.Categorical).alias("category"),
        pl.col("small").cast(pl.Decimal(20, 2)).alias("decimal"),
        pl.col("moment").dt.replace_time_zone("UTC").alias("zoned"),
        pl.concat_list("small", "small").alias("nested"),
    )
    back, _ = round_trip(Table(frame=frame), kind)
    assert back.frame.schema == frame.schema
    assert back.frame.equals(frame)


@pytest.mark.parametrize("kind", FORMATS)
@given(texts=st.lists(st.none() | st.text(max_size=8), min_size=1, max_size=5))
@EXAMPLES
def test_any_text_comes_back_or_is_refused(kind, texts):
    frame = pl.DataFrame(
        {"id": [str(place) for place in range(len(texts))], "x": pl.Series(texts, dtype=pl.String)}
    )
    try:
        back, _ = round_trip(Table(frame=frame), kind)
    except DataError:
        return
    assert_same_values(frame, back.frame)


LABEL = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=12).map(
    lambda text: f"l{text.strip()}"
)


@pytest.mark.parametrize(("kind", "letter"), [("parquet", ".a"), ("dta", ".a"), ("xpt", ".A")])
@given(data=st.data())
@EXAMPLES
def test_labels_and_letters_of_missing_come_back(kind, letter, data):
    marks = st.none() | st.integers(0, 25).map(lambda up: f".{chr(ord(letter[1]) + up)}")
    kinds = {name: data.draw(st.lists(marks, min_size=4, max_size=4)) for name in ("x", "y", "d")}
    cells = {"x": [1, 2, 3, 4], "y": [0.5, -1.0, 1e9, 0.1], "d": [dt.date(2020, 2, 29)] * 4}
    frame = pl.DataFrame(
        {
            name: [None if mark else value for value, mark in zip(values, kinds[name], strict=True)]
            for name, values in cells.items()
        },
        schema={"x": pl.Int64, "y": pl.Float64, "d": pl.Date},
    )
    found = {name: one for name, one in kinds.items() if any(one)}
    labels = Labels(
        variables={name: data.draw(LABEL) for name in data.draw(st.sets(st.sampled_from("xyd")))},
        missing={name: pl.Series(name, one, pl.String) for name, one in found.items()},
        values={} if kind == "xpt" else {"x": {"1": data.draw(LABEL), ".b": data.draw(LABEL)}},
    )
    back, notes = round_trip(Table(frame=frame, labels=labels), kind)
    assert not notes
    assert back.labels == labels
    assert_same_values(frame, back.frame)


@given(data=st.data())
@EXAMPLES
def test_declared_missing_values_of_spss_come_back(data):
    codes = st.sampled_from([None, "-9", "-7.5", "99"])
    marks = data.draw(st.lists(codes, min_size=4, max_size=4))
    words = data.draw(st.lists(st.sampled_from([None, "NA", "x"]), min_size=4, max_size=4))
    frame = pl.DataFrame(
        {
            "x": [None if mark else 1.5 for mark in marks],
            "s": [None if word else "fine" for word in words],
        },
        schema={"x": pl.Float64, "s": pl.String},
    )
    missing = {"x": pl.Series(marks, dtype=pl.String), "s": pl.Series(words, dtype=pl.String)}
    labels = Labels(
        variables={"x": data.draw(LABEL)},
        values={"x": {"-9": data.draw(LABEL), "1.5": "half"}, "s": {"fine": data.draw(LABEL)}},
        missing={name: one for name, one in missing.items() if one.is_not_null().any()},
        declared={"x": (Span(-10.0, -5.0), "99"), "s": ("NA", "x")},
    )
    for kind in ("sav", "parquet"):
        back, _ = round_trip(Table(frame=frame, labels=labels), kind)
        assert back.labels == labels
        assert_same_values(frame, back.frame)


def test_order_of_many_records_is_kept():
    numbers = pl.DataFrame({"x": range(40_000, 0, -1)})
    for kind in ("dta", "sav", "xpt", "parquet"):
        back, _ = round_trip(Table(frame=numbers), kind)
        assert back.frame["x"].cast(pl.Int64).equals(numbers["x"])


def test_the_same_table_makes_the_same_bytes(tmp_path):
    frame = pl.DataFrame({"x": [1, None], "s": ["a", "b"], "d": [dt.date(2020, 1, 1), None]})
    for kind in ("csv.gz", "csv.zst", "parquet", "arrow", "xlsx"):
        one, other = tmp_path / f"one.{kind}", tmp_path / f"other.{kind}"
        write_table(Table(frame=frame), one)
        write_table(Table(frame=frame), other)
        assert one.read_bytes() == other.read_bytes(), kind
