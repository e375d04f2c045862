"""Bad input, Keys: a key names one record, exactly as stored."""

import polars as pl
import pytest

from bad_input.formats import DUCKDB, FORMATS, PADDED, TYPED, write
from bad_input.study_folder import (
    CANARY,
    RECORDS,
    assert_noted,
    assert_refused,
    command,
    folder_of,
    frame,
)
from reident.io.intake import take_in
from reident.io.spec import read_study

DISTINCT = ("007", "7", "1e5", "100000", "TRUE", "true", "1234567890123456789",
            "1234567890123456788", "7.0", "+7", "a-b", "A-B")  # fmt: skip
"""Texts that a reader which guesses would take for one another."""


def _twice(side, key):
    def change(inputs):
        inputs.put(side, key, 3, inputs.tables[side][key][8])

    return change


def _blank(side, key, value):
    def change(inputs):
        inputs.put(side, key, 4, value)

    return change


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(("side", "key"), [("puf", "pid"), ("eif", "eid")])
def test_a_key_of_two_records_is_refused(tmp_path, capsys, kind, side, key):
    folder = folder_of(tmp_path, kind, _twice(side, key))
    says = (rf"{side}\.{kind}, key '{key}'", "2 records share", "record 4", "name more key columns")
    assert_refused(capsys, folder, says)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("value", [None, "", "   "])
@pytest.mark.parametrize(
    ("side", "key"), [("puf", "pid"), ("eif", "eid"), ("iuf", "pid"), ("iuf", "eid")]
)
def test_a_blank_key_is_refused(tmp_path, capsys, kind, side, key, value):
    folder = folder_of(tmp_path, kind, _blank(side, key, value))
    says = (rf"{side}\.{kind}, key '{key}'", "1 record with a blank key", "record 5", "Give every")
    assert_refused(capsys, folder, says)


@pytest.mark.parametrize("kind", ["parquet", "arrow", DUCKDB])
def test_whole_numbers_that_floats_cannot_tell_apart_are_no_keys(tmp_path, capsys, kind):
    def change(inputs):
        inputs.fill("puf", "pid", [9007199254740993.0 + 4 * p for p in range(RECORDS)])

    folder = folder_of(tmp_path, kind, change)
    says = (rf"puf\.{kind}, key 'pid'", "2\\^53", "Store the key as text or integer")
    assert_refused(capsys, folder, says)


def _keys(*texts):
    def change(inputs):
        inputs.fill("puf", "pid", texts)
        inputs.fill("iuf", "pid", texts)

    return change


@pytest.mark.parametrize("kind", FORMATS)
def test_texts_that_look_alike_stay_distinct_keys(tmp_path, capsys, kind):
    folder = folder_of(tmp_path, kind, _keys(*DISTINCT))
    said = command(capsys, "run", folder.study, "--jobs", "1")
    assert said.code == 0, said
    assert folder.results["truth_pairs"] == RECORDS
    pairs = pl.read_parquet(folder.run / "restricted" / "pairs.parquet")
    assert set(pairs["puf_pid"]) <= set(DISTINCT)


@pytest.mark.parametrize("kind", FORMATS)
def test_parts_of_a_key_are_not_run_together(tmp_path, capsys, kind):
    def change(inputs):
        first = ["a-b", "a", *(f"{CANARY}{p}" for p in range(2, RECORDS))]
        second = ["c", "b-c", *("x" for _ in range(2, RECORDS))]
        for side in ("puf", "iuf"):
            inputs.fill(side, "pid", first)
            inputs.fill(side, "pid2", second)
        inputs.study["puf"]["key"] = ["pid", "pid2"]

    folder = folder_of(tmp_path, kind, change)
    said = command(capsys, "run", folder.study, "--jobs", "1")
    assert said.code == 0, said
    assert folder.results["truth_pairs"] == RECORDS


@pytest.mark.parametrize("kind", TYPED)
def test_a_number_and_a_text_are_one_key_if_their_texts_are_equal(tmp_path, capsys, kind):
    def change(inputs):
        inputs.fill("puf", "pid", range(100, 100 + RECORDS))
        inputs.fill("iuf", "pid", [str(100 + p) for p in range(RECORDS)])

    folder = folder_of(tmp_path, kind, change)
    assert command(capsys, "run", folder.study, "--jobs", "1").code == 0
    assert folder.results["truth_pairs"] == RECORDS


@pytest.mark.parametrize("kind", [kind for kind in FORMATS if kind not in PADDED])
@pytest.mark.parametrize(("side", "key"), [("puf", "pid"), ("eif", "eid"), ("iuf", "pid")])
def test_a_blank_at_the_end_of_a_key_is_noted_with_the_rule(tmp_path, capsys, kind, side, key):
    def change(inputs):
        inputs.put(side, key, 2, f"{CANARY}trailing ")

    folder = folder_of(tmp_path, kind, change)
    says = (rf"{side}\.{kind}: 1 key ends with a blank", "compared exactly as stored")
    assert assert_noted(capsys, folder, f"key_blanks_{side}", says)["count"] == 1


@pytest.mark.parametrize("kind", PADDED)
@pytest.mark.parametrize(("side", "key"), [("puf", "pid"), ("eif", "eid")])
@pytest.mark.parametrize("truth_is_padded", [False, True])
def test_a_key_that_its_partners_format_cannot_hold_is_noted(
    tmp_path, capsys, kind, side, key, truth_is_padded
):
    padded, other = ("iuf", side) if truth_is_padded else (side, "iuf")

    def change(inputs):
        for place in (2, 5):
            inputs.put(other, key, place, inputs.tables[other][key][place] + " ")

    folder = folder_of(tmp_path, "csv", change, kinds={padded: kind})
    says = (rf"{padded}\.{kind}: .* holds no blanks at the end", rf"2 keys of {other}\.csv")
    assert assert_noted(capsys, folder, f"key_blanks_lost_{side}", says)["count"] == 2
    lost = [note for note in folder.notes() if note["code"].startswith("key_blanks_lost")]
    assert len(lost) == 1
    assert folder.results["truth_pairs"] == RECORDS - 2


# The truth ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
def test_an_empty_iuf_is_refused(tmp_path, capsys, kind):
    folder = folder_of(tmp_path, kind)
    write(frame({"pid": [CANARY], "eid": [CANARY]}).clear(), folder.files["iuf"])
    assert_refused(capsys, folder, (rf"iuf\.{kind}", "without records", "Give at least one"))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("key", ["pid", "eid"])
def test_an_iuf_without_a_pair_in_both_files_is_refused(tmp_path, capsys, kind, key):
    def change(inputs):
        inputs.fill("iuf", key, [f"{CANARY}stranger{p}" for p in range(RECORDS)])

    says = (rf"iuf\.{kind}", "no pair whose keys are in both files", "Check that its key columns")
    assert_refused(capsys, folder_of(tmp_path, kind, change), says)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(("side", "key"), [("puf", "pid"), ("eif", "eid")])
def test_unknown_ids_of_the_iuf_are_noted_first(tmp_path, capsys, kind, side, key):
    def change(inputs):
        inputs.put("iuf", key, 0, f"{CANARY}stranger")
        inputs.fill("eif", "income", 5)  # gives notes of its own, which come later

    folder = folder_of(tmp_path, kind, change)
    note = assert_noted(capsys, folder, f"truth_unknown_{side}")
    assert note["count"] == 1
    assert take_in(read_study(folder.study)).notes[0].code == note["code"]


def test_up_to_one_in_a_hundred_unknown_ids_are_not_stated_first(tmp_path, capsys):
    def change(inputs):
        for side, key in (("puf", "pid"), ("eif", "eid")):
            for name, values in inputs.tables[side].items():
                inputs.tables[side][name] = values * 9
            inputs.tables[side][key] = [f"{CANARY}{p}" for p in range(9 * RECORDS)]
            inputs.tables["iuf"][key] = [*inputs.tables[side][key]]
        inputs.put("iuf", "pid", 0, f"{CANARY}stranger")

    folder = folder_of(tmp_path, "csv", change)
    assert assert_noted(capsys, folder, "truth_unknown_puf")["count"] == 1
    notes = take_in(read_study(folder.study)).notes
    assert [note.first for note in notes if note.code == "truth_unknown_puf"] == [False]


@pytest.mark.parametrize("side", ["puf", "iuf"])
def test_a_key_column_named_twice_is_refused(tmp_path, capsys, side):
    def change(inputs):
        inputs.fill("puf", "pid2", "x")
        inputs.study["puf"]["key"] = ["pid", "pid" if side == "puf" else "pid2"]
        inputs.study["iuf"] |= {"puf_key": ["pid", "pid"], "eif_key": "eid"}

    says = (rf"{side}\.csv, key 'pid', 'pid': a column named twice", "Name each column once")
    assert_refused(capsys, folder_of(tmp_path, "csv", change), says)


def test_a_key_column_that_is_not_there_is_named_with_the_nearest(tmp_path, capsys):
    def change(inputs):
        inputs.study["puf"]["key"] = "pidd"

    says = (r"puf\.csv: no column 'pidd'", "Did you mean 'pid'")
    assert_refused(capsys, folder_of(tmp_path, "csv", change), says)
