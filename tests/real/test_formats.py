"""Files that SAS, Stata and SPSS wrote: two readers agree, and so do studies over one table."""

import datetime as dt
import json
import math

import polars as pl
import pyreadstat
import pytest
import xlsxwriter

from reident import (
    AdHoc,
    Euclidean,
    IntruderFile,
    PublicFile,
    Study,
    Taxicab,
    TruthFile,
    Unicity,
    Variable,
)
from reident.encode.text import text_of
from reident.errors import DataError
from reident.io.labels import Span, Table
from reident.io.tables import read, read_table
from reident.io.writing import write_table
from reident.model.files import SourceFile

CATALOGUES = {
    "missing_test.sas7bdat": "missing_formats.sas7bcat",
    "test_data_linux.sas7bdat": "test_formats_linux.sas7bcat",
}
VENDOR = (
    "dates.sas7bdat",
    "hebrews.sav",
    "missing_char.sav",
    "missing_test.dta",
    "missing_test.sas7bdat",
    "missing_test.sav",
    "ordered_category.sav",
    "sample.dta",
    "sample.sas7bdat",
    "sample.sav",
    "sample.xpt",
    "sample_bincompressed.sas7bdat",
    "sample_missing.sav",
    "test_data_linux.sas7bdat",
)
READERS = {
    "sav": pyreadstat.read_sav,
    "dta": pyreadstat.read_dta,
    "xpt": pyreadstat.read_xport,
    "sas7bdat": pyreadstat.read_sas7bdat,
}


def source(data, name):
    catalogue = CATALOGUES.get(name)
    where = str(data / "formats" / catalogue) if catalogue else ""
    return SourceFile(data / "formats" / name, catalog=where)


def second_opinion(data, name, **options):
    kind = name.rpartition(".")[2]
    return READERS[kind](data / "formats" / name, output_format="polars", **options)


def as_text(value):
    """The text of a value, told once more and apart from reident's own rule."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


@pytest.mark.parametrize("name", VENDOR)
def test_both_readers_agree_on_values(name, data):
    mine = read_table(source(data, name)).frame
    theirs, seen = second_opinion(data, name)
    assert mine.columns == seen.column_names
    for column in mine.columns:
        texts = [as_text(value) for value in theirs[column].to_list()]
        assert text_of(mine[column]).to_list() == texts, column
    assert read(source(data, name), mine.columns).equals(mine)


@pytest.mark.parametrize("name", VENDOR)
def test_both_readers_agree_on_labels(name, data):
    labels = read_table(source(data, name)).labels
    given = data / "formats" / CATALOGUES[name] if name in CATALOGUES else None
    _, seen = second_opinion(data, name, **({"catalog_file": given} if given else {}))
    told = {column: label for column, label in seen.column_names_to_labels.items() if label}
    assert labels.variables == told
    letters = name.endswith((".dta", ".sas7bdat"))
    texts = {
        column
        for column, stored in seen.readstat_variable_types.items()
        if stored.startswith("string")
    }
    values = {
        column: {
            f".{value}" if letters and column not in texts and isinstance(value, str)
            else as_text(value): label
            for value, label in held.items()
        }
        for column, held in seen.variable_value_labels.items()
    }  # fmt: skip
    assert labels.values == values


# The second reader does not tell kinds of missing in xpt files.
@pytest.mark.parametrize("name", [name for name in VENDOR if not name.endswith(".xpt")])
def test_both_readers_agree_on_kinds_of_missing(name, data):
    table = read_table(source(data, name))
    raw, seen = second_opinion(data, name, user_missing=True)
    letters = not name.endswith(".sav")
    for column in table.frame.columns:
        values = raw[column].to_list()
        told = [
            as_text(value) if mine is None and value is not None and value != "" else None
            for mine, value in zip(table.frame[column].to_list(), values, strict=True)
        ]
        told = [f".{one}" if one and letters else one for one in told]
        kinds = table.labels.missing.get(column, pl.Series([None] * len(told)))
        assert kinds.to_list() == told, column
    ranges = {
        column: {(one["lo"], one["hi"]) for one in held}
        for column, held in seen.missing_ranges.items()
    }
    declared = {
        column: {
            tuple(one) if isinstance(one, Span) else (_value(one), _value(one)) for one in held
        }
        for column, held in table.labels.declared.items()
    }
    assert declared == ranges


def _value(text):
    try:
        return float(text)
    except ValueError:
        return text


def test_every_kind_of_missing_is_told(data):
    sas = read_table(source(data, "missing_test.sas7bdat"))
    assert {name: kinds.to_list() for name, kinds in sas.labels.missing.items()} == {
        "var1": [".A"], "var2": [".B"], "var3": [".C"],
        "var4": [".X"], "var5": [".Y"], "var6": [".Z"], "var7": ["._"],
    }  # fmt: skip
    assert sas.labels.values == {"var1": {".A": "missing"}}
    assert sas.frame.row(0) == (*[None] * 8, 1.0)
    stata = read_table(source(data, "missing_test.dta"))
    assert [kinds.item() for kinds in stata.labels.missing.values()] == [
        ".a", ".b", ".c", ".x", ".y", ".z",
    ]  # fmt: skip
    spss = read_table(source(data, "sample_missing.sav"))
    assert spss.labels.declared["mynum"] == (Span(2000.0, 3000.0), "-1")
    assert spss.labels.missing["mynum"].to_list()[-2:] == ["-1", "2500"]
    assert spss.frame["mychar"].to_list()[-2:] == ["Z", None]


@pytest.mark.parametrize("name", VENDOR)
def test_vendor_files_are_written_again_with_all_they_hold(name, data, tmp_path):
    table = read_table(source(data, name))
    kinds = ["parquet"] + ([name.rpartition(".")[2]] if not name.endswith("sas7bdat") else [])
    if name in {"sample.sas7bdat", "dates.sas7bdat", "missing_test.sas7bdat"}:
        kinds.append("xpt" if not table.labels.values else "parquet")
    for kind in kinds:
        path = tmp_path / f"again.{kind}"
        write_table(table, path)
        back = read_table(SourceFile(path))
        assert back.labels == table.labels
        for column in table.frame.columns:
            assert text_of(back.frame[column]).equals(text_of(table.frame[column])), column


# One study over one table in every format ---------------------------------------------------------

RULES = {
    "num": {"ratio": [["0.01", 5], ["0.5", 3]]},
    "born": {"days": [[0, 5], [30000, 2]]},
    "seen": {"days": [[0, 5], [30000, 2]]},
    "hour": {"days": [[0, 5], ["0.3", 2]]},
    "label": {"equal": 5},
    "grade": {"table": [["1", "2", 3]], "equal": 5, "otherwise": 0},
}
KINDS = {
    "num": "numeric",
    "born": "date",
    "seen": "date",
    "hour": "date",
    "label": "categorical",
    "grade": "categorical",
}
COLUMNS = {
    "num": "mynum",
    "born": "mydate",
    "seen": "dtime",
    "hour": "mytime",
    "label": "mylabl",
    "grade": "myord",
}
TIMED = ("born", "seen", "hour")
FORMATS = ("csv", "csv.gz", "csv.zst", "parquet", "arrow", "sas7bdat", "xpt", "dta", "sav", "xlsx")


def table_in(data, kind, folder):
    """The sample table in a format: the vendor's file where there is one."""
    given = data / "formats" / f"sample.{kind}"
    return given if given.exists() else written(data, kind, folder)


def written(data, kind, folder):
    """The sample table in a format, not as the vendor wrote it."""
    path = folder / f"sample.{kind}"
    frame = read_table(source(data, "sample.sas7bdat")).frame
    if kind == "xlsx":
        write_sheet(frame, path)
    else:
        write_table(Table(frame=frame), path)
    return path


def write_sheet(frame, path):
    """A workbook as people make it: it has no dates before 1900, so there these are texts."""
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, frame.columns)
        forms = {
            pl.Date: "yyyy-mm-dd",
            pl.Datetime: "yyyy-mm-dd hh:mm:ss",
            pl.Time: "hh:mm:ss",
        }
        for place, column in enumerate(frame):
            form = book.add_format({"num_format": forms.get(column.dtype.base_type(), "General")})
            for row, value in enumerate(column, start=1):
                if isinstance(value, dt.date) and value.year < 1900:
                    sheet.write_string(row, place, value.isoformat())
                elif value is not None:
                    sheet.write(row, place, value, form)


def results_of(puf, eif, folder, kinds=KINDS):
    """The bytes of results.json of a study in which PUF, EIF and IUF may differ in format."""

    def name(column, path):
        return column.upper() if path.suffix == ".xpt" else column

    key = "mychar"
    rules = {
        one: RULES[one] if KINDS[one] == kind else {"prefix": [[10, 4]]}
        for one, kind in kinds.items()
    }
    study = Study(
        title="One table",
        seed=1,
        puf=PublicFile(puf, key=name(key, puf)),
        eif=IntruderFile(eif, key=name(key, eif)),
        truth=TruthFile(eif, puf_key=name(key, eif), eif_key=name(key, eif)),
        variables=[
            Variable(name=one, kind=kind, puf=name(COLUMNS[one], puf), eif=name(COLUMNS[one], eif))
            for one, kind in kinds.items()
        ],
        attacks={
            "unicity": Unicity(),
            "taxicab": Taxicab(),
            "euclidean": Euclidean(),
            "adhoc": AdHoc(rules=rules),
        },
    )
    study.run_to(folder, audit_records=5)
    return (folder / "results.json").read_bytes()


@pytest.fixture(scope="module")
def expected(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("expected")
    copy = folder / "copy.csv"
    copy.write_bytes((data / "formats" / "sample.csv").read_bytes())
    return copy, results_of(data / "formats" / "sample.csv", copy, folder / "run")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_study_says_the_same_whatever_the_format(kind, data, expected, tmp_path):
    copy, results = expected
    path = table_in(data, kind, tmp_path)
    assert b'"confirmed": 5' in results
    assert results_of(path, copy, tmp_path / "as_puf") == results
    assert results_of(copy, path, tmp_path / "as_eif") == results


CATEGORIES = KINDS | dict.fromkeys(TIMED, "categorical")


@pytest.fixture(scope="module")
def as_categories(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("categories")
    one, other = (written(data, kind, folder) for kind in ("csv", "csv.gz"))
    return other, results_of(one, other, folder / "run", CATEGORIES)


# The vendor's csv spells moments and times in a way of its own; as categories texts are as stored.
@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind != "csv"])
def test_moments_and_times_are_the_same_categories(kind, data, as_categories, tmp_path):
    other, results = as_categories
    path = table_in(data, kind, tmp_path)
    assert b'"confirmed": 5' in results
    assert results_of(path, other, tmp_path / "as_puf", CATEGORIES) == results
    assert results_of(other, path, tmp_path / "as_eif", CATEGORIES) == results


def test_categories_that_are_spelled_otherwise_are_told(data, as_categories, tmp_path):
    other, _ = as_categories
    vendor = data / "formats" / "sample.csv"
    notes = json.loads(results_of(vendor, other, tmp_path / "run", CATEGORIES))["notes"]
    told = [note["text"] for note in notes if note["code"] == "disjoint_categories"]
    assert [text.partition(":")[0] for text in told] == ["seen", "hour"]


# Catalogues ---------------------------------------------------------------------------------------


def test_catalogues_that_are_absent_broken_or_out_of_place_are_refused(data, tmp_path):
    sas, stata = (data / "formats" / f"missing_test.{kind}" for kind in ("sas7bdat", "dta"))
    whole = data / "formats" / "missing_formats.sas7bcat"
    broken = tmp_path / "broken.sas7bcat"
    broken.write_bytes(whole.read_bytes()[:3000])
    for path, catalogue, said in (
        (sas, tmp_path / "absent", "no such file"),
        (sas, broken, "not a whole SAS format catalogue"),
        (stata, whole, "no sas7bdat"),
    ):
        with pytest.raises(DataError, match=said):
            read_table(SourceFile(path, catalog=str(catalogue)))
        assert read(SourceFile(path, catalog=str(catalogue)), ["var9"]).item() == 1.0


@pytest.mark.parametrize("name", ["sample.sas7bdat", "sample_bincompressed.sas7bdat"])
def test_vendor_files_that_were_cut_are_refused(name, data, tmp_path):
    whole = (data / "formats" / name).read_bytes()
    path = tmp_path / name
    for cut in (1, 1000, 65_536, 100_000, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(DataError, match="not a whole SAS file"):
            read(SourceFile(path), ["mychar"])
