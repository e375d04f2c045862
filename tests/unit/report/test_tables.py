"""Tables hold the numbers of results.json, and no cell of them can act in a spreadsheet."""

import csv
import io
import zipfile

import fastexcel
import pytest

from reident.report import tables

NAMES = [
    "rates", "strata", "ranks", "ties", "scores", "orders", "readings", "steps", "agreement",
    "limits", "utility", "notes",
]  # fmt: skip
ACTING = ["=1+1", "+1", "-1", "@SUM(1)", "\tx", "\rx", "\nx", " =1+1", "\uff1d1"]


def read(data):
    return list(csv.DictReader(io.StringIO(data.decode(), newline="")))


def test_files_and_sheets_have_the_same_names(results):
    assert list(tables.csv_tables(results)) == [f"{name}.csv" for name in NAMES]
    book = fastexcel.read_excel(tables.workbook(results))
    assert book.sheet_names == NAMES


def test_numbers_are_those_of_the_results(results):
    files = tables.csv_tables(results)
    rows = {row["attack"]: row for row in read(files["rates.csv"])}
    for label, attack in results["attacks"].items():
        for name in tables.RATES:
            value = attack[name]
            assert rows[label][name] == ("" if value is None else repr(value))
    assert rows["taxicab"]["conditional_high"] == "10.48713259"
    assert rows["unicity"]["conditional_low"] == ""
    assert read(files["ranks.csv"])[1] == {
        "attack": "taxicab", "rank": "2", "pairs": "104", "confirmed": "2",
    }  # fmt: skip
    assert [row["order"] for row in read(files["orders.csv"])] == ["1", "above"]
    assert read(files["agreement.csv"])[0]["missing_puf"] == "100"
    assert [row["attack"] for row in read(files["notes.csv"])] == ["", "taxicab"]


def test_strata_have_a_column_each_and_say_what_is_merged(results):
    rows = read(tables.csv_tables(results)["strata.csv"])
    assert [(row["stratum_state"], row["strata"]) for row in rows[2:]] == [
        ("06", "1"),
        ("other", "7"),
    ]
    assert rows[2]["conditional_rate"] == repr(100 * 20 / 300)


@pytest.mark.parametrize("acting", ACTING)
def test_acting_cells_are_guarded_in_csv(results, acting):
    results["strata"] = [acting]
    row = results["attacks"]["taxicab"]["by_stratum"][0]
    row["stratum"] = {acting: acting}
    for attack in results["attacks"].values():
        attack["by_stratum"] = [row]
    results["notes"][0]["text"] = acting
    results["true_pair_agreement"][0]["variable"] = acting
    files = tables.csv_tables(results)
    assert read(files["strata.csv"])[0][f"stratum_{acting}"] == f"'{acting}"
    assert read(files["notes.csv"])[0]["text"] == f"'{acting}"
    assert read(files["agreement.csv"])[0]["variable"] == f"'{acting}"


def test_negative_numbers_stay_numbers(results):
    results["attacks"]["taxicab"]["lift"] = -1.5
    assert read(tables.csv_tables(results)["rates.csv"])[1]["lift"] == "-1.5"


@pytest.mark.parametrize("acting", [*ACTING, "{=1+1}", "http://example.org", "12"])
def test_texts_are_texts_in_the_workbook(results, acting):
    results["notes"][0]["text"] = acting
    book = tables.workbook(results)
    with zipfile.ZipFile(io.BytesIO(book)) as parts:
        for name in parts.namelist():
            if name.startswith("xl/worksheets/"):
                sheet = parts.read(name).decode()
                assert "<f>" not in sheet
                assert "hyperlink" not in sheet
    rows = fastexcel.read_excel(book).load_sheet("notes", dtypes="string").to_polars()
    assert rows["text"][0] == acting


def test_the_same_results_give_the_same_workbook(results):
    assert tables.workbook(results) == tables.workbook(results)
    with zipfile.ZipFile(io.BytesIO(tables.workbook(results))) as parts:
        assert b"2020-01-01T00:00:00Z" in parts.read("docProps/core.xml")


def test_without_truth_cells_are_empty(without_truth):
    files = tables.csv_tables(without_truth)
    assert read(files["rates.csv"])[1]["confirmed"] == ""
    assert read(files["agreement.csv"]) == []
    assert tables.workbook(without_truth)


def test_half_a_sign_does_not_stop_the_export(results):
    results["notes"][0]["text"] = "a\ud800b"
    assert b"a?b" in tables.csv_tables(results)["notes.csv"]
    assert tables.workbook(results)


def test_no_terminal_escape_reaches_an_exported_cell(results):
    results["notes"].append(
        {"code": "x", "text": "\x1b[31mred\x1b[0m \x9b1m\x07", "count": None, "first": False}
    )
    text = tables.csv_tables(results)["notes.csv"].decode()
    assert "red" in text
    assert not set(text) & {"\x1b", "\x9b", "\x07"}


def test_ties_scores_readings_limits_and_utility_are_those_of_the_results(results):
    results["utility"] = dict.fromkeys(("U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2"), 0.5)
    files = tables.csv_tables(results)
    assert [tuple(row.values()) for row in read(files["ties.csv"])] == [
        ("taxicab", "1", "300"),
        ("taxicab", "more", "188"),
    ]
    scores = read(files["scores.csv"])
    held = results["attacks"]["taxicab"]["histogram"]
    assert [int(row["suspected_false"]) for row in scores] == held["suspected_false"]
    assert scores[19]["to"] == "1.0"
    assert read(files["readings.csv"])[0] == {
        "attack": "unicity", "reading": "all", "suspected": "0", "confirmed": "0",
    }  # fmt: skip
    assert [row["exceeded"] for row in read(files["limits.csv"])] == ["no", "no"]
    assert read(files["utility.csv"])[0] == {"index": "U1", "value": "0.5"}
