"""Bad input, Missing: nothing is missing but what the format or the study says."""

import pyreadstat
import pytest

from bad_input.formats import FORMATS, TEXT
from bad_input.study_folder import (
    CANARY,
    RECORDS,
    Inputs,
    assert_noted,
    assert_refused,
    folder_of,
    frame,
)
from reident.encode.cells import MISSING
from reident.io.intake import take_in
from reident.io.spec import read_study


def _missing(folder, variable, side="puf"):
    """How many values of a variable are missing."""
    taken = take_in(read_study(folder.study))
    return int((getattr(taken.files, side)[variable].state == MISSING).sum())


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("value", [None, "", "  "])
def test_an_empty_field_is_missing(tmp_path, kind, value):
    def change(inputs):
        inputs.put("puf", "county", 3, value)

    assert _missing(folder_of(tmp_path, kind, change), "county") == 1


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("code", ["NA", ".", "-9", "N/A", "NULL", "nan", "9999"])
def test_a_code_is_missing_only_if_it_is_declared(tmp_path, kind, code):
    def change(inputs):
        inputs.put("puf", "county", 3, code)

    def declare(inputs):
        change(inputs)
        inputs.study["variables"]["county"] = {"kind": "categorical", "missing": [code]}

    (tmp_path / "plain").mkdir()
    (tmp_path / "declared").mkdir()
    assert _missing(folder_of(tmp_path / "plain", kind, change), "county") == 0
    assert _missing(folder_of(tmp_path / "declared", kind, declare), "county") == 1


@pytest.mark.parametrize("kind", FORMATS)
def test_a_declared_code_is_missing_as_a_number_too(tmp_path, kind):
    def change(inputs):
        inputs.put("puf", "age", 3, -9)
        inputs.study["puf"]["missing"] = ["-9.0"]

    assert _missing(folder_of(tmp_path, kind, change), "age") == 1


SAS_MISSING = [chr(letter) for letter in range(ord("A"), ord("Z") + 1)] + [".", "_"]


@pytest.mark.parametrize("sign", SAS_MISSING)
def test_every_missing_value_of_sas_is_missing(tmp_path, sign):
    marked = 123456.0
    as_stored = bytes.fromhex("451e240000000000")

    def change(inputs):
        inputs.put("puf", "age", 3, marked)
        inputs.put("puf", "age", 4, marked)

    folder = folder_of(tmp_path, "xpt", change)
    path = folder.files["puf"]
    data = path.read_bytes()
    assert data.count(as_stored) == 2
    path.write_bytes(data.replace(as_stored, sign.encode() + bytes(7)))
    assert _missing(folder, "age") == 2


def test_missing_values_that_a_user_of_spss_declared_are_missing(tmp_path):
    folder = folder_of(tmp_path, "sav")
    path = folder.files["puf"]
    held = frame(Inputs().tables["puf"])
    pyreadstat.write_sav(held, str(path), missing_ranges={"age": [20, {"lo": 50, "hi": 53}]})
    assert _missing(folder, "age") == 3


def _numeric_codes(value, *, times):
    def change(inputs):
        for place in range(times):
            inputs.put("puf", "age", place, value)

    return change


def _text_code(value):
    def change(inputs):
        inputs.put("eif", "county", 3, value)

    return change


SUSPICIOUS = {
    "-9 once": (_numeric_codes(-9, times=1), "age: the PUF holds 1 value"),
    "-9 three times": (_numeric_codes(-9, times=3), "age: the PUF holds 1 value"),
    "999 twice": (_numeric_codes(999, times=2), "age: the PUF holds 1 value"),
    "NA": (_text_code("NA"), "county: the EIF holds 1 value"),
    "a point": (_text_code("."), "county: the EIF holds 1 value"),
    "-9 among texts": (_text_code("-9"), "county: the EIF holds 1 value"),
    "999 among texts": (_text_code("999"), "county: the EIF holds 1 value"),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", SUSPICIOUS)
def test_an_undeclared_code_is_noted_without_naming_it(tmp_path, capsys, kind, name):
    change, says = SUSPICIOUS[name]
    folder = folder_of(tmp_path, kind, change)
    note = assert_noted(capsys, folder, "undeclared_code", (says, r"declare them by missing ="))
    assert "9" not in note["text"]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("side", ["puf", "eif"])
@pytest.mark.parametrize("variable", ["age", "county"])
def test_a_column_without_values_is_noted(tmp_path, capsys, kind, side, variable):
    def change(inputs):
        inputs.fill(side, variable, [None] * RECORDS)

    says = (f"{variable}: every value of the {side.upper()} is missing",)
    note = assert_noted(capsys, folder_of(tmp_path, kind, change), "all_missing", says)
    assert note["count"] == RECORDS


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("side", ["puf", "eif"])
def test_records_without_values_are_noted_and_counted(tmp_path, capsys, kind, side):
    def change(inputs):
        for place in (1, 7):
            for name in inputs.study["variables"]:
                inputs.put(side, name, place, None)

    folder = folder_of(tmp_path, kind, change)
    note = assert_noted(capsys, folder, f"empty_rows_{side}", ("2 records",))
    assert note["count"] == 2
    taken = take_in(read_study(folder.study))
    assert getattr(taken.files, f"{side}_records") == RECORDS


def test_a_record_without_values_is_set_aside_by_unicity(tmp_path, capsys):
    def change(inputs):
        inputs.study["attacks"] = {"unicity": {}}
        for name in inputs.study["variables"]:
            inputs.put("puf", name, 5, None)

    folder = folder_of(tmp_path, "csv", change)
    assert_noted(capsys, folder, "set_aside", ("1 PUF record",))
    aside = folder.results["attacks"]["unicity"]["set_aside"]
    assert aside == [{"rule": "nothing_present", "records": 1}]


@pytest.mark.parametrize("kind", TEXT)
def test_a_record_of_separators_alone_is_a_record_with_a_blank_key(tmp_path, capsys, kind):
    def change(inputs):
        for name in inputs.tables["puf"]:
            inputs.put("puf", name, 4, None)
        inputs.put("puf", "st", 4, CANARY)

    says = (rf"puf\.{kind}, key 'pid'", "1 record with a blank key", "record 5")
    assert_refused(capsys, folder_of(tmp_path, kind, change), says)
