"""Bad input, Numbers: a numeric variable holds numbers, and the two files mean the same by them."""

import math

import polars as pl
import pytest

from bad_input.formats import DUCKDB, FORMATS, RUN_WHOLE, write
from bad_input.study_folder import (
    CANARY,
    CANARY_NUMBER,
    RECORDS,
    Inputs,
    assert_noted,
    assert_refused,
    command,
    folder_of,
    frame,
)
from reident.encode.cells import MISSING
from reident.io.intake import take_in
from reident.io.spec import read_study


def _with(*changes):
    """Change cells: (side, column, place, value) each."""

    def change(inputs):
        for side, column, place, value in changes:
            inputs.put(side, column, place, value)

    return change


CORRECT = "Correct the file, or declare codes as missing or not_applicable"
REFUSED = {
    "a text": (
        _with(("puf", "age", 3, CANARY)),
        (r"puf\.\S+, column 'age'", "1 value that is not a finite number", "record 4", CORRECT),
    ),
    "three texts": (
        _with(*(("eif", "income", place, f"{CANARY_NUMBER} USD") for place in (2, 5, 9))),
        (r"eif\.\S+, column 'income'", "3 values that are not", "first in record 3", CORRECT),
    ),
    "an infinity": (
        _with(("puf", "age", 0, "inf"), ("puf", "age", 6, "-Infinity")),
        (r"puf\.\S+, column 'age'", "2 values that are not a finite", "first in record 1", CORRECT),
    ),
    "a number too large to hold": (
        _with(("puf", "age", 0, "1e999")),
        (r"puf\.\S+, column 'age'", "1 value that is not a finite", "first in record 1", CORRECT),
    ),
    "thousands separators": (
        _with(("puf", "income", 1, "86,753,090"), ("puf", "income", 2, "1,234")),
        (r"puf\.\S+, column 'income'", "2 values", "record 2", CORRECT),
    ),
    "numbers that only a programmer writes": (
        _with(("puf", "age", 1, "0x10"), ("puf", "age", 2, "1_000"), ("puf", "age", 3, "٣")),
        (r"puf\.\S+, column 'age'", "3 values", "record 2", CORRECT),
    ),
    "a point alone": (
        _with(("puf", "age", 1, ".")),
        (r"puf\.\S+, column 'age'", "1 value", "record 2", CORRECT),
    ),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_number_is_refused_with_its_count_and_first_record(tmp_path, capsys, kind, name):
    change, says = REFUSED[name]
    assert_refused(capsys, folder_of(tmp_path, kind, change), says)


@pytest.mark.parametrize("kind", ["parquet", "arrow", "sav", DUCKDB])  # the others hold none
def test_an_infinite_number_is_refused(tmp_path, capsys, kind):
    def change(inputs):
        inputs.fill("puf", "age", [math.inf, *(20.5 + p for p in range(1, RECORDS))])

    says = (rf"puf\.{kind}, column 'age'", "1 value that is not a finite number", "record 1")
    assert_refused(capsys, folder_of(tmp_path, kind, change), says)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("side", ["puf", "eif"])
def test_a_variable_that_is_numeric_in_one_file_and_a_category_in_the_other_is_refused(
    tmp_path, capsys, kind, side
):
    def change(inputs):
        inputs.fill(side, "age", [f"{CANARY}{p}" for p in range(RECORDS)])

    says = (
        rf"{side}\.{kind}, column 'age'",
        f"{RECORDS} values that are not a finite number",
        "No value is one: declare the variable categorical, or name the right column",
    )
    assert_refused(capsys, folder_of(tmp_path, kind, change), says)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("bad", ["31.12.1999", "1999-13-01", f"1999-01-01{CANARY}"])
def test_what_is_no_date_is_refused(tmp_path, capsys, kind, bad):
    def change(inputs):
        for side in ("puf", "eif"):
            inputs.fill(side, "moved", [f"1999-01-{p + 1:02}" for p in range(RECORDS)])
        inputs.put("eif", "moved", 2, bad)
        inputs.study["variables"]["moved"] = "date"

    says = (rf"eif\.{kind}, column 'moved'", "1 value", r"YYYY-MM-DD", "record 3", CORRECT)
    assert_refused(capsys, folder_of(tmp_path, kind, change), says)


def _missing(folder, variable):
    state = take_in(read_study(folder.study)).files.puf[variable].state
    return int((state == MISSING).sum())


@pytest.mark.parametrize("kind", FORMATS)
def test_a_text_nan_is_missing_in_a_numeric_variable(tmp_path, kind):
    change = _with(("puf", "age", 3, "NaN"), ("puf", "age", 4, " nan "))
    assert _missing(folder_of(tmp_path, kind, change), "age") == 2


@pytest.mark.parametrize("kind", ["parquet", "arrow", DUCKDB])
@pytest.mark.parametrize("variable", ["age", "county"])
def test_nan_is_missing_in_a_column_of_floats(tmp_path, variable, kind):
    def change(inputs):
        for side in ("puf", "eif"):
            inputs.fill(side, variable, [math.nan, *(float(p) for p in range(1, RECORDS))])

    assert _missing(folder_of(tmp_path, kind, change), variable) == 1


@pytest.mark.parametrize("kind", ["parquet", "arrow", DUCKDB])
def test_a_category_beyond_exact_floats_is_refused(tmp_path, capsys, kind):
    def change(inputs):
        inputs.fill("puf", "county", [9007199254740993.0 + 4 * p for p in range(RECORDS)])

    says = (rf"puf\.{kind}, column 'county'", r"beyond 2\^53", "Store it as text or integer")
    assert_refused(capsys, folder_of(tmp_path, kind, change), says)


@pytest.mark.parametrize("kind", FORMATS)
def test_declared_thousands_separators_are_read(tmp_path, kind):
    def change(inputs):
        for side in ("puf", "eif"):
            inputs.fill(side, "income", [f"{p},234" for p in range(1, RECORDS + 1)])
            inputs.study[side]["thousands"] = ","

    taken = take_in(read_study(folder_of(tmp_path, kind, change).study))
    assert taken.files.puf["income"].number.tolist() == [
        p * 1000 + 234 for p in range(1, RECORDS + 1)
    ]


MISPLACED = {
    "a decimal comma": ("1,23", {"thousands": ","}),
    "four digits": ("1,2345", {"thousands": ","}),
    "no first group": (",123", {"thousands": ","}),
    "too long a first group": ("1234,567", {"thousands": ","}),
    "thousands after the point": ("1.234,567", {"thousands": ","}),
    "a point where a comma was declared": ("1.234", {"decimal": ","}),
}


@pytest.mark.parametrize("name", MISPLACED)
def test_a_sign_that_cannot_mean_what_was_declared_is_refused(tmp_path, capsys, name):
    text, declared = MISPLACED[name]

    def change(inputs):
        inputs.put("puf", "age", 2, text)
        inputs.study["puf"] |= declared

    says = (r"puf\.csv, column 'age'", "1 value that is not a finite number", "record 3", CORRECT)
    assert_refused(capsys, folder_of(tmp_path, "csv", change), says)


def test_declared_signs_are_read_together(tmp_path):
    texts = ["1.234,5", "12.345.678", "999", "-1.000", "+1.000,25", "1,5e3", "1000", ",5"]

    def change(inputs):
        inputs.fill("puf", "age", [*texts, *("1" for _ in range(RECORDS - len(texts)))])
        inputs.study["puf"] |= {"decimal": ",", "thousands": "."}

    taken = take_in(read_study(folder_of(tmp_path, "csv", change).study))
    expected = [1234.5, 12345678, 999, -1000, 1000.25, 1500, 1000, 0.5]
    assert taken.files.puf["age"].number.tolist()[: len(texts)] == expected


@pytest.mark.parametrize("kind", [*RUN_WHOLE, DUCKDB])
def test_the_largest_numbers_do_not_overflow(tmp_path, capsys, kind):
    huge = [1e308, -1e308, 1.7e308, -1.7e308, 5e-324, 0.0, *(1.1e308 for _ in range(6))]

    def change(inputs):
        for side in ("puf", "eif"):
            inputs.fill(side, "age", huge)

    folder = folder_of(tmp_path, kind, change)
    said = command(capsys, "run", folder.study, "--jobs", "1", "--audit", "12")
    assert said.code == 0, said


# What is noted -----------------------------------------------------------------------------------


def _column(side, column, values):
    def change(inputs):
        inputs.fill(side, column, values)

    return change


NOTED = {
    "fewer than five values": (
        _column("puf", "age", [20, 30, 40] * 4),
        "few_values",
        ("age: fewer than 5 distinct values in the PUF",),
    ),
    "beyond 2^53": (
        _column("puf", "income", [2**60 + p for p in range(RECORDS)]),
        "beyond_exact",
        (r"income: 12 values of the PUF beyond 2\^53",),
    ),
    "other categories": (
        _column("eif", "county", [f"{CANARY}-{p}" for p in range(RECORDS)]),
        "disjoint_categories",
        ("county: no category occurs in both files",),
    ),
    "other units": (
        _column("eif", "age", [12 * (20 + 3 * p) for p in range(RECORDS)]),
        "units_differ",
        ("age: the medians of the two files differ by a factor of more than 10",),
    ),
    "leading zeros": (
        _column("eif", "county", [f"0{p % 5}" for p in range(RECORDS)]),
        "match_after_stripping",
        ("county: 5 categories would match only after stripping",),
    ),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", NOTED)
def test_what_a_reader_must_know_is_noted(tmp_path, capsys, kind, name):
    change, code, says = NOTED[name]

    def both(inputs):
        if name == "leading zeros":
            inputs.fill("puf", "county", [f"{p % 5}" for p in range(RECORDS)])
        change(inputs)

    assert_noted(capsys, folder_of(tmp_path, kind, both), code, says)


@pytest.mark.parametrize("kind", RUN_WHOLE)
def test_a_variable_without_spread_is_noted_by_the_attack_that_needs_it(tmp_path, capsys, kind):
    folder = folder_of(tmp_path, kind, _column("puf", "age", [40] * RECORDS))
    assert_noted(capsys, folder, "constant_variable", ("age: no spread in the PUF",))


def test_many_numbers_linked_as_categories_are_noted(tmp_path, capsys):
    path = tmp_path
    for side, key in (("puf", "pid"), ("eif", "eid")):
        table = Inputs().tables[side]
        many = {name: values * 3 for name, values in table.items()}
        many[key] = [f"{CANARY}{p}" for p in range(3 * RECORDS)]
        many["county"] = list(range(3 * RECORDS))
        write(frame(many), path / f"{side}.csv")
    said = command(
        capsys, "link", path / "puf.csv", path / "eif.csv", "--puf-key", "pid", "--eif-key", "eid",
        "--on", "sex,county", "--out", path / "run", "--json",
    )  # fmt: skip
    assert said.code == 0, said
    assert '"numbers_as_categories"' in said.out


@pytest.mark.parametrize(
    "column",
    [
        pl.Series("county", [[CANARY]] * RECORDS),
        pl.Series("county", [CANARY.encode()] * RECORDS),
        pl.Series("county", [{"a": CANARY}] * RECORDS),
        pl.Series("county", range(RECORDS)).cast(pl.Duration("us")),
    ],
    ids=["lists", "bytes", "structs", "durations"],
)
@pytest.mark.parametrize("use", ["variable", "key", "stratum"])
def test_a_column_of_neither_texts_nor_numbers_nor_dates_is_refused(tmp_path, capsys, column, use):
    def change(inputs):
        if use == "key":
            del inputs.study["variables"]["county"]
            inputs.study["puf"]["key"] = ["pid", "county"]
            del inputs.study["iuf"]
        if use == "stratum":
            del inputs.study["variables"]["county"]
            inputs.study["strata"] = {"by": ["county"]}

    folder = folder_of(tmp_path, "parquet", change)
    held = pl.read_parquet(folder.files["puf"])
    write(held.with_columns(column), folder.files["puf"])
    says = (r"puf\.parquet, column 'county'", "neither", "Convert it")
    assert_refused(capsys, folder, says)
