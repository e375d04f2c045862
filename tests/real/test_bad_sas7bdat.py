"""Bad input in sas7bdat files: every entry that can be made of the vendors' files.

Not made, and why. 10,000 columns and a bomb: neither can be made of a small file by changing cells.
Infinite numbers: SAS has none, and both readers take their bits for a missing number. Ragged rows,
quotes, NUL bytes, encodings, line ends: the format has no lines. Numbers that stand for missing
among more than five distinct ones: the tables with numbers have five records. Truth values, lists
and bytes: there are no such columns. What is wrong with a study file alone is told before any file
is opened, and tested in `tests/bad_input`.
"""

import json
import tomllib

import polars as pl
import pytest
import tomlkit

from bad_input.study_folder import (
    CANARY,
    CANARY_NUMBER,
    SIDES,
    Folder,
    assert_nothing_leaks,
    assert_refused,
    command,
    leaks,
)
from real.sas_cells import NUMBERS, RECORDS_AT, TEXTS
from reident.encode.cells import MISSING
from reident.errors import DataError
from reident.io.intake import take_in
from reident.io.spec import read_study
from reident.io.tables import read, read_table
from reident.io.writing import write_table
from reident.model.files import SourceFile

KEYS = {NUMBERS.name: "mychar", TEXTS.name: "ID"}
VARIABLES = {
    NUMBERS.name: {
        "num": {"kind": "numeric", "puf": "mynum", "eif": "mynum"},
        "label": {"kind": "categorical", "puf": "mylabl", "eif": "mylabl"},
        "born": {"kind": "date", "puf": "mydate", "eif": "mydate"},
    },
    TEXTS.name: {"SEXA": "categorical", "SEXB": "categorical"},
}


def _study(vendor):
    key = KEYS[vendor.name]
    return {
        "schema": 1,
        "title": "Vendor files",
        "puf": {"path": "puf.sas7bdat", "key": key},
        "eif": {"path": "eif.sas7bdat", "key": key},
        "iuf": {"path": "iuf.sas7bdat", "puf_key": key, "eif_key": key},
        "variables": dict(VARIABLES[vendor.name]),
        "attacks": {"taxicab": {}, "euclidean": {}},
    }


@pytest.fixture
def folder_of(data, tmp_path):
    """A study of three copies of a vendor file; cells: (side, column, row, value)."""

    def made(vendor, *cells, change=None):
        whole = (data / "formats" / vendor.name).read_bytes()
        held = dict.fromkeys(SIDES, whole)
        for side, column, row, value in cells:
            held[side] = vendor.put(held[side], column, row, value)
        files = {side: tmp_path / f"{side}.sas7bdat" for side in SIDES}
        for side, path in files.items():
            path.write_bytes(held[side])
        study = _study(vendor)
        if change is not None:
            change(study)
        (tmp_path / "study.toml").write_text(tomlkit.dumps(study))
        return Folder(path=tmp_path, files=files, kind="sas7bdat")

    return made


def _run(capsys, folder):
    before = folder.content()
    said = command(capsys, "run", folder.study, "--jobs", "1", "--audit", "5")
    assert said.code == 0, said
    assert_nothing_leaks(folder, before, said)
    return folder.notes()


@pytest.mark.parametrize("vendor", [NUMBERS, TEXTS], ids=lambda one: one.name)
def test_the_unspoilt_study_runs_and_its_cells_are_where_we_change_them(
    vendor, folder_of, data, capsys
):
    folder = folder_of(vendor)
    assert "key_blanks_puf" not in {note["code"] for note in _run(capsys, folder)}
    assert folder.results["truth_pairs"] == vendor.records
    names = list(vendor.columns)
    sound = read(SourceFile(data / "formats" / vendor.name), names)
    for column, (_, width) in vendor.columns.items():
        value = "Q" if width else 4321.0
        path = folder.files["puf"]
        path.write_bytes(vendor.put(folder.files["eif"].read_bytes(), column, 1, value))
        changed = read(SourceFile(path), names)
        assert changed.drop(column).equals(sound.drop(column))
        assert changed[column][1] != sound[column][1]
        assert changed[column][:1].equals(sound[column][:1])


# Files --------------------------------------------------------------------------------------------


def _cut_short(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _last_byte_lost(path):
    path.write_bytes(path.read_bytes()[:-1])


def _a_folder(path):
    path.unlink()
    path.mkdir()


def _text(path):
    path.write_text(f"mychar,mynum\n{CANARY},1\n")


def _parquet(path):
    pl.DataFrame({"mychar": [CANARY]}).write_parquet(path)


def _no_records(path):
    whole = path.read_bytes()
    path.write_bytes(whole[:RECORDS_AT] + bytes(8) + whole[RECORDS_AT + 8 :])


def _two_columns_of_one_name(path):
    path.write_bytes(path.read_bytes().replace(b"mylabl", b"mychar"))


SPOILT = {
    "empty": (lambda path: path.write_bytes(b""), ("an empty file", "Give a file")),
    "missing": (lambda path: path.unlink(), ("no such file", "Check the path")),
    "a folder": (_a_folder, ("not a file", "Name a file")),
    "a text": (_text, ("not a whole SAS file", "extension")),
    "a parquet file": (_parquet, ("not a whole SAS file", "extension")),
    "cut short": (_cut_short, ("not a whole SAS file", "Write it again")),
    "last byte lost": (_last_byte_lost, ("not a whole SAS file", "Write it again")),
    "no records": (_no_records, ("without records", "Give at least one")),
    "two columns of one name": (_two_columns_of_one_name, ("not a whole SAS file", "again")),
}


@pytest.mark.parametrize("name", SPOILT)
@pytest.mark.parametrize("side", SIDES)
def test_a_spoilt_file_is_refused_by_name(name, side, folder_of, capsys):
    spoil, says = SPOILT[name]
    folder = folder_of(NUMBERS)
    spoil(folder.files[side])
    assert_refused(capsys, folder, (rf"{side}\.sas7bdat", *says))


@pytest.mark.parametrize(
    "kind", ["csv", "csv.gz", "csv.zst", "parquet", "arrow", "xlsx", "dta", "sav", "xpt"]
)
def test_a_sas_file_under_another_extension_is_refused(kind, folder_of, capsys):
    def change(study):
        study["puf"]["path"] = f"puf.{kind}"

    folder = folder_of(NUMBERS, change=change)
    folder.files["puf"].rename(folder.path / f"puf.{kind}")
    assert_refused(capsys, folder, (rf"puf\.{kind}", "not |NUL", "extension|again|encoding"))


@pytest.mark.parametrize("kind", ["dta", "sav", "xpt"])
def test_another_statistical_file_under_the_extension_of_sas_is_refused(
    kind, folder_of, data, capsys
):
    folder = folder_of(NUMBERS)
    folder.files["eif"].write_bytes((data / "formats" / f"sample.{kind}").read_bytes())
    assert_refused(capsys, folder, (r"eif\.sas7bdat: not a whole SAS file", "extension"))


def test_a_flipped_bit_of_the_header_is_refused_or_harmless(folder_of, capfd):
    folder = folder_of(NUMBERS)
    path = folder.files["puf"]
    whole = path.read_bytes()
    sound = read_table(SourceFile(path)).frame
    said = []
    for place in range(288):
        broken = bytearray(whole)
        broken[place] ^= 1 << place % 8
        path.write_bytes(broken)
        try:
            assert read_table(SourceFile(path)).frame.equals(sound)
        except DataError as error:
            said.append(str(error))
    assert len(said) > 32  # the magic number alone
    assert {text for text in said if "not a whole SAS file" not in text} == set()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("place", [130304, 130305, 130308, RECORDS_AT + 2, RECORDS_AT + 4])
@pytest.mark.parametrize("bit", [0, 3, 7])
def test_records_longer_or_more_than_the_file_are_refused(place, bit, folder_of, capsys):
    folder = folder_of(NUMBERS)
    broken = bytearray(folder.files["puf"].read_bytes())
    broken[place] ^= 1 << bit
    folder.files["puf"].write_bytes(broken)
    assert_refused(capsys, folder, (r"puf\.sas7bdat: not a whole SAS file", "Write it again"))


# Keys ---------------------------------------------------------------------------------------------


def _set(section, **values):
    def change(study):
        study[section] |= values

    return change


def _numeric_key(study):
    study["puf"]["key"] = "myord"
    del study["iuf"]


EXACT = 9007199254740993.0
REFUSED = {
    "a key twice": (
        NUMBERS,
        [("puf", "mychar", 3, "a")],
        None,
        (r"puf\.sas7bdat, key 'mychar': 2 records share", "record 1", "name more key columns"),
    ),
    "a blank key": (
        NUMBERS,
        [("eif", "mychar", 3, " ")],
        None,
        (r"eif\.sas7bdat, key 'mychar': 1 record with a blank key", "record 4", "Give every"),
    ),
    "a blank key of the truth": (
        TEXTS,
        [("iuf", "ID", 2, "")],
        None,
        (r"iuf\.sas7bdat, key 'ID': 1 record with a blank key", "record 3"),
    ),
    "a missing number as key": (
        NUMBERS,
        [("puf", "myord", 1, "K")],
        _numeric_key,
        (r"puf\.sas7bdat, key 'myord': 1 record with a blank key", "record 2"),
    ),
    "a key beyond exact floats": (
        NUMBERS,
        [("puf", "myord", 1, EXACT * 4)],
        _numeric_key,
        (r"puf\.sas7bdat, key 'myord': numbers beyond 2\^53", "text or integer"),
    ),
    "no such key column": (
        NUMBERS,
        [],
        _set("puf", key="mychr"),
        (r"puf\.sas7bdat: no column 'mychr'", "Did you mean 'mychar'"),
    ),
    "a key column named twice": (
        NUMBERS,
        [],
        lambda study: (study["puf"].update(key=["mychar", "mychar"]), study.pop("iuf")),
        (r"puf\.sas7bdat, key 'mychar', 'mychar': a column named twice",),
    ),
    "no pair of the truth": (
        TEXTS,
        [("iuf", "ID", row, f"{CANARY[:7]}{row}") for row in range(3)],
        None,
        (r"iuf\.sas7bdat: no pair whose keys are in both files", "Check that its key columns"),
    ),
    "a key as linking variable": (
        NUMBERS,
        [],
        _set("variables", mychar="categorical"),
        (r"variables\.mychar: a puf key column is used", "Take it out"),
    ),
    "a text in a numeric variable": (
        TEXTS,
        [("puf", "SEXA", 1, CANARY)],
        _set("variables", SEXA="numeric"),
        (r"puf\.sas7bdat, column 'SEXA': 1 value that is not a finite", "record 2", "Correct"),
    ),
    "thousands separators": (
        TEXTS,
        [("puf", "SEXA", 1, "1,234")],
        _set("variables", SEXA="numeric"),
        (r"puf\.sas7bdat, column 'SEXA': 1 value", "record 2"),
    ),
    "a text of an infinity": (
        TEXTS,
        [("eif", "SEXB", 0, "inf"), ("eif", "SEXB", 2, "1e999")],
        _set("variables", SEXB="numeric"),
        (r"eif\.sas7bdat, column 'SEXB': 2 values that are not a finite", "record 1"),
    ),
    "numeric in one file, a category in the other": (
        TEXTS,
        [("eif", "SEXA", row, CANARY) for row in range(3)],
        _set("variables", SEXA="numeric"),
        (r"eif\.sas7bdat, column 'SEXA': 3 values", "declare the variable categorical"),
    ),
    "a text that is no date": (
        TEXTS,
        [],
        _set("variables", SEXB="date"),
        (r"puf\.sas7bdat, column 'SEXB': 3 values", "YYYY-MM-DD"),
    ),
    "a category beyond exact floats": (
        NUMBERS,
        [("puf", "mylabl", 1, EXACT * 4)],
        None,
        (r"puf\.sas7bdat, column 'mylabl'", r"beyond 2\^53", "text or integer"),
    ),
    "faults of three files": (
        NUMBERS,
        [("puf", "mychar", 3, "a"), ("eif", "mychar", 3, " "), ("iuf", "mychar", 0, " ")],
        _set("variables", rent="numeric"),
        (r"puf\.sas7bdat: no col", r"puf\.sas7bdat, key", r"eif\.sas7bdat, key", r"iuf\.sas7bdat"),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_refused(name, folder_of, capsys):
    vendor, cells, change, says = REFUSED[name]
    assert_refused(capsys, folder_of(vendor, *cells, change=change), says)


@pytest.mark.parametrize(
    "texts", [("007", "7", "7.0"), ("1e5", "100000", "+100000"), ("TRUE", "true", "1")]
)
def test_texts_that_look_alike_stay_distinct_keys(texts, folder_of, capsys):
    cells = [(side, "ID", row, text) for side in SIDES for row, text in enumerate(texts)]
    folder = folder_of(TEXTS, *cells)
    _run(capsys, folder)
    assert folder.results["truth_pairs"] == 3


def test_parts_of_a_key_are_not_run_together(folder_of, capsys):
    def change(study):
        for section in ("puf", "eif"):
            study[section]["key"] = ["ID", "SEXA"]
        study["iuf"] |= {"puf_key": ["ID", "SEXA"], "eif_key": ["ID", "SEXA"]}
        del study["variables"]["SEXA"]

    parts = {"ID": ("a-b", "a", "x"), "SEXA": ("c", "b-c", "x")}
    cells = [
        (side, column, row, text)
        for side in SIDES
        for column, texts in parts.items()
        for row, text in enumerate(texts)
    ]
    folder = folder_of(TEXTS, *cells, change=change)
    _run(capsys, folder)
    assert folder.results["truth_pairs"] == 3


def test_a_number_and_a_text_are_one_key_if_their_texts_are_equal(folder_of, data, capsys):
    def change(study):
        study["puf"]["key"] = study["eif"]["key"] = "myord"
        study["iuf"] |= {"puf_key": "SEXA", "eif_key": "SEXB"}

    numbers = [(side, "myord", row, 100.0 + row) for side in ("puf", "eif") for row in range(5)]
    folder = folder_of(NUMBERS, *numbers, change=change)
    held = (data / "formats" / TEXTS.name).read_bytes()
    for column in ("SEXA", "SEXB"):
        for row in range(3):
            held = TEXTS.put(held, column, row, str(100 + row))
    folder.files["iuf"].write_bytes(held)
    _run(capsys, folder)
    assert folder.results["truth_pairs"] == 3


def _notes(capsys, folder, code):
    said = command(capsys, "check", folder.study, "--json")
    assert said.code == 0, said
    assert leaks(said.out + said.err) == []
    return [note for note in json.loads(said.out)["notes"] if note["code"] == code]


@pytest.mark.parametrize("truth_is_padded", [False, True])
def test_a_key_with_a_blank_at_its_end_cannot_be_held_and_is_noted(
    truth_is_padded, folder_of, capsys
):
    other = "puf" if truth_is_padded else "iuf"

    def change(study):
        study[other]["path"] = f"{other}.csv"

    folder = folder_of(TEXTS, change=change)
    (folder.path / f"{other}.csv").write_text("ID,SEXA,SEXB\nID1,1,1\nID2 ,2,2\nID3,1,1\n")
    (note,) = _notes(capsys, folder, "key_blanks_lost_puf")
    assert f"1 key of {other}.csv with a blank at the end cannot be found there" in note["text"]


def test_unknown_ids_of_the_truth_are_stated_first(folder_of, capsys):
    folder = folder_of(TEXTS, ("iuf", "ID", 1, CANARY))
    for side in ("puf", "eif"):
        (note,) = _notes(capsys, folder, f"truth_unknown_{side}")
        assert note["count"] == 1
    assert take_in(read_study(folder.study)).notes[0].code == "truth_unknown_puf"


# Missing ------------------------------------------------------------------------------------------


def _missing(folder, variable):
    state = take_in(read_study(folder.study)).files.puf[variable].state
    return int((state == MISSING).sum())


@pytest.mark.parametrize("letter", [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "_", "."])
@pytest.mark.parametrize(("column", "variable"), [("mynum", "num"), ("mylabl", "label")])
def test_every_missing_value_of_sas_is_missing_and_kept(letter, column, variable, folder_of):
    folder = folder_of(NUMBERS, ("puf", column, 1, letter), ("puf", column, 3, letter))
    assert _missing(folder, variable) == 2
    table = read_table(SourceFile(folder.files["puf"]))
    if letter != ".":
        assert table.labels.missing[column].to_list() == [
            None,
            f".{letter}",
            None,
            f".{letter}",
            None,
        ]
    write_table(table, folder.path / "again.xpt")
    again = read_table(SourceFile(folder.path / "again.xpt"))
    assert again.labels == table.labels


def test_a_blank_text_and_a_nan_are_missing(folder_of):
    assert _missing(folder_of(TEXTS, ("puf", "SEXA", 1, "  ")), "SEXA") == 1
    assert _missing(folder_of(NUMBERS, ("puf", "mynum", 1, float("nan"))), "num") == 1


@pytest.mark.parametrize("code", ["NA", ".", "-9", "N/A", "NULL", "nan", "9999"])
def test_a_code_is_missing_only_if_it_is_declared_and_else_noted(code, folder_of, capsys):
    cell = ("puf", "SEXA", 1, code)
    folder = folder_of(TEXTS, cell)
    assert _missing(folder, "SEXA") == 0
    (note,) = _notes(capsys, folder, "undeclared_code")
    assert "SEXA: the PUF holds 1 value" in note["text"]
    assert _missing(folder_of(TEXTS, cell, change=_set("puf", missing=[code])), "SEXA") == 1


def test_a_declared_code_is_missing_as_a_number_too(folder_of):
    change = _set("puf", missing=["-9.0"])
    assert _missing(folder_of(NUMBERS, ("puf", "mynum", 1, -9.0), change=change), "num") == 1


# Notes --------------------------------------------------------------------------------------------


def _whole_row(side, row):
    return [(side, column, row, ".") for column in ("mynum", "mylabl", "mydate")]


def _same_file(study):
    study["eif"]["path"] = "puf.sas7bdat"


def _strata(study):
    study["strata"] = {"by": ["SEXB"]}
    del study["variables"]["SEXB"]


NOTED = {
    "a column without values": (
        NUMBERS,
        [("eif", "mynum", row, "B") for row in range(5)],
        None,
        ("all_missing", "num: every value of the EIF is missing", 5),
    ),
    "a record without values": (
        NUMBERS,
        [*_whole_row("puf", 1), *_whole_row("puf", 4)],
        None,
        ("empty_rows_puf", "2 records", 2),
    ),
    "no spread": (
        NUMBERS,
        [("puf", "mynum", row, 3.0) for row in range(5)],
        None,
        ("constant_variable", "num: no spread in the PUF", None),
    ),
    "fewer than five values": (
        NUMBERS,
        [("puf", "mynum", 1, 1.1)],
        None,
        ("few_values", "num: fewer than 5 distinct values", 4),
    ),
    "beyond 2^53": (
        NUMBERS,
        [("eif", "mynum", 1, EXACT * 4), ("eif", "mynum", 2, EXACT * 8)],
        None,
        ("beyond_exact", r"num: 2 values of the EIF beyond 2^53", 2),
    ),
    "other units": (
        NUMBERS,
        [("eif", "mynum", row, float(CANARY_NUMBER + row)) for row in range(5)],
        None,
        ("units_differ", "num: the medians", None),
    ),
    "other categories": (
        TEXTS,
        [("eif", "SEXA", row, CANARY) for row in range(3)],
        None,
        ("disjoint_categories", "SEXA: no category occurs in both files", 3),
    ),
    "leading zeros": (
        TEXTS,
        [("eif", "SEXA", row, f"0{1 + row % 2}") for row in range(3)],
        None,
        ("match_after_stripping", "SEXA: 2 categories", 2),
    ),
    "one file as both": (NUMBERS, [], _same_file, ("same_file", "the same file", None)),
    "a stratum in one file": (
        TEXTS,
        [("puf", "SEXB", 1, "island")],
        _strata,
        ("stratum_puf_only", "1 stratum with PUF records and no EIF record: 1 record", 1),
    ),
    "a missing stratum": (
        TEXTS,
        [("eif", "SEXB", 1, "")],
        _strata,
        ("stratum_missing_eif", "1 EIF records have a missing stratum", 1),
    ),
}


@pytest.mark.parametrize("name", NOTED)
def test_what_a_reader_must_know_is_noted(name, folder_of, capsys):
    vendor, cells, change, (code, says, count) = NOTED[name]
    notes = [n for n in _run(capsys, folder_of(vendor, *cells, change=change)) if n["code"] == code]
    assert notes
    assert says in notes[0]["text"]
    assert count is None or notes[0]["count"] == count


def test_the_largest_numbers_do_not_overflow(folder_of, capsys):
    huge = [1e308, -1e308, 1.7e308, 5e-324, -1.7e308]
    cells = [(side, "mynum", row, x) for side in ("puf", "eif") for row, x in enumerate(huge)]
    _run(capsys, folder_of(NUMBERS, *cells))


def test_one_variable_is_enough(folder_of, capsys):
    def change(study):
        study["variables"] = {"SEXA": "categorical"}

    _run(capsys, folder_of(TEXTS, change=change))


@pytest.mark.parametrize("name", ["*", '";--', "$(x)", "../x", "<b>", "{{7}", "^.*$", "=1+1"])
def test_names_of_columns_are_nothing_but_names(name, folder_of, capsys):
    def change(study):
        study["variables"] = {name.ljust(4, "_"): "categorical", "SEXB": "categorical"}

    folder = folder_of(TEXTS, change=change)
    for path in folder.files.values():
        path.write_bytes(path.read_bytes().replace(b"SEXA", name.ljust(4, "_").encode()))
    _run(capsys, folder)
    assert tomllib.loads((folder.run / "study.toml").read_text())["variables"].keys() == {
        name.ljust(4, "_"),
        "SEXB",
    }
    assert folder.results["truth_pairs"] == 3
