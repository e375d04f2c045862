"""What a format cannot hold is an error that names the column and never the value."""

import datetime as dt
from decimal import Decimal

import polars as pl
import pytest

from reident.errors import DataError
from reident.io.labels import Labels, Table
from reident.io.tables import read, read_table
from reident.io.writing import write_table
from reident.model.files import SourceFile

CANARY = "canary-4711"


def refused(frame, path, labels=None):
    """The faults of a write, after which nothing has changed on disk."""
    path.write_bytes(b"older")
    with pytest.raises(DataError) as error:
        write_table(Table(frame=frame, labels=labels or Labels()), path)
    assert path.read_bytes() == b"older"
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert CANARY not in str(error.value)
    assert error.value.__cause__ is None
    return [str(fault) for fault in error.value.faults]


KEYS = ["007", "7", "1e5", "TRUE", "1234567890123456789", "1234567890123456788", "01001", "a-b"]
EVERY = ("csv", "csv.gz", "csv.zst", "parquet", "arrow", "xpt", "dta", "sav", "xlsx")


@pytest.mark.parametrize("kind", EVERY)
def test_keys_are_exact_in_every_format(kind, tmp_path):
    path = tmp_path / f"keys.{kind}"
    frame = pl.DataFrame({"one": KEYS, "two": ["c", "b-c", *KEYS[2:]]})
    write_table(Table(frame=frame), path)
    assert read(SourceFile(path), ["two", "one"]).equals(frame.select("two", "one"))


@pytest.mark.parametrize("kind", EVERY)
def test_whole_numbers_of_19_digits_are_exact_or_refused(kind, tmp_path):
    path = tmp_path / f"keys.{kind}"
    frame = pl.DataFrame({"id": [1234567890123456789, 1234567890123456788, 7]})
    if kind in {"xpt", "dta", "sav", "xlsx"}:
        (fault,) = refused(frame, path)
        assert fault == (
            f"keys.{kind}, column 'id': 2 whole numbers beyond 2^53, which {kind} cannot hold "
            "exactly. Convert the column to text."
        )
    else:
        write_table(Table(frame=frame), path)
        back = read(SourceFile(path), ["id"])["id"]
        assert back.cast(pl.String).to_list() == [str(one) for one in frame["id"]]


@pytest.mark.parametrize("kind", ["xpt", "dta", "sav"])
def test_packages_have_no_truth_values(kind, tmp_path):
    (fault,) = refused(pl.DataFrame({"b": [True, None]}), tmp_path / f"t.{kind}")
    assert "truth values" in fault
    assert "Convert it to 0 and 1" in fault


@pytest.mark.parametrize("kind", ["csv", "xpt", "dta", "sav", "xlsx"])
@pytest.mark.parametrize(
    "values",
    [[[1, 2]], [{"a": 1}], [b"x"], [dt.timedelta(1)]],
    ids=["list", "struct", "bytes", "duration"],
)
def test_odd_types_are_refused(kind, values, tmp_path):
    (fault,) = refused(pl.DataFrame({"odd": values}), tmp_path / f"t.{kind}")
    assert "column 'odd'" in fault


@pytest.mark.parametrize("kind", ["xpt", "dta", "sav", "xlsx"])
def test_time_zones_and_infinities_are_refused(kind, tmp_path):
    frame = pl.DataFrame(
        {
            "z": pl.Series([dt.datetime(2020, 1, 1, tzinfo=dt.UTC)]),
            "f": [float("inf")],
        }
    )
    zone, infinite = refused(frame, tmp_path / f"t.{kind}")
    assert "time zone" in zone
    assert "1 infinite number" in infinite


@pytest.mark.parametrize("kind", ["xpt", "sav"])
def test_trailing_blanks_are_refused_where_they_would_be_dropped(kind, tmp_path):
    (fault,) = refused(pl.DataFrame({"s": [f"{CANARY} ", "x"]}), tmp_path / f"t.{kind}")
    assert "1 text with blanks at the end" in fault


@pytest.mark.parametrize(
    ("kind", "size"), [("xpt", 201), ("dta", 2046), ("sav", 32_768), ("xlsx", 32_768)]
)
def test_long_texts_are_refused(kind, size, tmp_path):
    (fault,) = refused(pl.DataFrame({"s": ["x" * size]}), tmp_path / f"t.{kind}")
    assert "1 text of more than" in fault


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("xpt", ["ninechars"]),
        ("xpt", ["ä"]),
        ("xpt", ["x", "X"]),
        ("dta", ["a b"]),
        ("dta", ["x" * 33]),
        ("dta", ["1x"]),
        ("sav", ["a b"]),
        ("sav", ["é" * 33]),
        ("sav", ["x", "X"]),
    ],
)
def test_names_that_a_format_cannot_hold_are_refused(kind, names, tmp_path):
    faults = refused(pl.DataFrame({name: [1.0] for name in names}), tmp_path / f"t.{kind}")
    assert len(faults) == len(names)
    assert all("name" in fault and "Rename it" in fault for fault in faults)


@pytest.mark.parametrize(("kind", "name"), [("dta", "if"), ("sav", "ALL")])
def test_reserved_words_are_refused(kind, name, tmp_path):
    (fault,) = refused(pl.DataFrame({name: [1.0]}), tmp_path / f"t.{kind}")
    assert "cannot hold" in fault


@pytest.mark.parametrize(
    ("kind", "labels", "said"),
    [
        ("xpt", Labels(variables={"x": "l" * 41}), "a label longer than 40"),
        ("dta", Labels(variables={"x": "l" * 81}), "a label longer than 80"),
        ("sav", Labels(variables={"x": "l" * 256}), "a label longer than 255"),
        ("sav", Labels(values={"x": {"1": "l" * 121}}), "a label of a value longer than 120"),
        ("xpt", Labels(values={"x": {"1": "one"}}), "has no place"),
        ("dta", Labels(values={"x": {"0.5": "half"}}), "neither whole numbers nor kinds"),
        ("dta", Labels(declared={"x": ("-9",)}), "declared as missing"),
    ],
)
def test_labels_that_a_format_cannot_hold_are_refused(kind, labels, said, tmp_path):
    (fault,) = refused(pl.DataFrame({"x": [1.0, None]}), tmp_path / f"t.{kind}", labels)
    assert said in fault


@pytest.mark.parametrize(
    ("kind", "mark", "said"),
    [
        ("dta", "-9", "kinds of missing that dta does not have"),
        ("dta", "._", "kinds of missing that dta does not have"),
        ("xpt", "-9", "kinds of missing that xpt does not have"),
        ("sav", ".a", "not declared as missing"),
    ],
)
def test_kinds_of_missing_that_a_format_cannot_hold_are_refused(kind, mark, said, tmp_path):
    labels = Labels(missing={"x": pl.Series([None, mark], dtype=pl.String)})
    (fault,) = refused(pl.DataFrame({"x": [1.0, None]}), tmp_path / f"t.{kind}", labels)
    assert said in fault


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("xpt", [1e80]),
        ("dta", [1e308]),
        ("xpt", [dt.datetime(9999, 1, 1, 0, 0, 0, 1)]),  # noqa: DTZ001  # stored without a zone
        ("sav", [dt.datetime(2020, 1, 1, 0, 0, 0, 1)]),  # noqa: DTZ001
        ("dta", [Decimal("1.12345678901234567890")]),
        ("xlsx", [dt.date(1899, 12, 30)]),
        ("xlsx", [dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1)]),  # noqa: DTZ001
    ],
)
def test_what_is_not_read_back_is_refused(kind, values, tmp_path):
    refused(pl.DataFrame({"x": values}), tmp_path / f"t.{kind}")


def test_all_faults_are_told_at_once(tmp_path):
    frame = pl.DataFrame({"much_too_long": [True], "x": ["a "], "y": [2**60]})
    assert len(refused(frame, tmp_path / "t.xpt")) == 4


@pytest.mark.parametrize(
    ("name", "remedy"), [("t.sas7bdat", "Write xpt"), ("t.txt", "Write csv"), ("t", "Write csv")]
)
def test_formats_that_are_not_written(name, remedy, tmp_path):
    (fault,) = refused(pl.DataFrame({"x": [1]}), tmp_path / name)
    assert remedy in fault


def test_tables_without_columns_or_records_are_refused(tmp_path):
    for frame, said in ((pl.DataFrame(), "columns"), (pl.DataFrame({"x": []}), "records")):
        assert f"without {said}" in refused(frame, tmp_path / "t.parquet")[0]


@pytest.mark.parametrize("kind", ["csv", "xlsx", "arrow"])
def test_what_a_file_of_values_does_not_hold_is_noted(kind, tmp_path):
    kinds = pl.Series([None, ".a"], dtype=pl.String)
    labels = Labels(variables={"x": "label"}, missing={"x": kinds})
    table = Table(frame=pl.DataFrame({"id": ["a", "b"], "x": [1, None]}), labels=labels)
    notes = write_table(table, tmp_path / f"t.{kind}")
    assert [note.code for note in notes] == ["labels_not_written", "kinds_not_written"]
    assert not read_table(SourceFile(tmp_path / f"t.{kind}")).labels


def test_kinds_of_missing_stand_only_where_there_is_no_value():
    kinds = pl.Series([".a", None], dtype=pl.String)
    with pytest.raises(DataError, match="do not fit its cells"):
        Table(frame=pl.DataFrame({"x": [1, None]}), labels=Labels(missing={"x": kinds}))


PATTERNS = ["^a.*$", "^.*$", "*", "ab", "", "a\nb", '"; drop table x', "{{7*7}}", "../x"]


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "arrow", "xlsx"])
def test_names_are_names_and_never_patterns(kind, tmp_path):
    path = tmp_path / f"t.{kind}"
    names = [name for name in PATTERNS if name or kind in {"parquet", "arrow"}]
    cells = (["x", ""], [1.5, None], [7, 8], [dt.date(2020, 1, 1), None])
    frame = pl.DataFrame(
        [pl.Series(name, cells[place % 4]) for place, name in enumerate(names)]
    ).with_columns(id=pl.Series(["a", "b"]))
    write_table(Table(frame=frame), path)
    back = read_table(SourceFile(path)).frame
    assert back.columns == frame.columns
    for name in frame.columns:
        assert read(SourceFile(path), [name]).columns == [name]
        both = list(dict.fromkeys(["id", name]))
        assert read(SourceFile(path), both).columns == both
        assert read(SourceFile(frame.lazy()), [name]).columns == [name]
