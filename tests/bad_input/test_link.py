"""`reident link` answers bad input as `run` does, in the language of its flags."""

import re
import tomllib

import pytest

from bad_input.study_folder import CANARY, assert_nothing_leaks, command, folder_of, leaks


def _flags(folder, **changed):
    flags = {
        "--puf-key": "pid",
        "--eif-key": "eid",
        "--on": "age:numeric,income:numeric,sex,county",
        "--truth": folder.files["iuf"],
        "--out": folder.path / "link.run",
    } | {f"--{name.replace('_', '-')}": value for name, value in changed.items()}
    given = [part for flag, value in flags.items() if value is not None for part in (flag, value)]
    return ["link", folder.files["puf"], folder.files["eif"], *given]


def _spoilt(side, column, place, value):
    return lambda inputs: inputs.put(side, column, place, value)


FILES = {
    "a text in a numeric column": (
        _spoilt("puf", "age", 3, CANARY),
        (r"puf\.csv, column 'age': 1 value", "record 4"),
    ),
    "a key twice": (
        _spoilt("eif", "eid", 3, f"{CANARY}e04"),
        (r"eif\.csv, key 'eid': 2 records share a key", "name more key columns"),
    ),
    "no overlap": (
        lambda inputs: inputs.fill("iuf", "pid", CANARY),
        (r"iuf\.csv: no pair whose keys are in both files",),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_files_are_refused_and_nothing_is_written(tmp_path, capsys, name):
    change, says = FILES[name]
    folder = folder_of(tmp_path, "csv", change)
    before = folder.content()
    said = command(capsys, *_flags(folder, save=folder.path / "saved.toml"))
    assert said.code == 2, said
    for piece in says:
        assert re.search(piece, said.err), (piece, said.err)
    assert leaks(said.out + said.err) == []
    assert folder.content() == before


FLAGS = {
    "an unknown kind": ({"on": "age:numerc,sex"}, (r"--on age:numerc: not valid", "'numeric'")),
    "two unknown kinds": ({"on": "age:a,sex:b"}, (r"--on age:a: ", r"--on sex:b: ")),
    "no variable": ({"on": ","}, ("--on: no linking variable", "Name at least one")),
    "no key": ({"puf_key": ","}, ("--puf-key: ", "Name at least one column")),
    "a key as variable": ({"on": "pid,age:numeric"}, ("a puf key column is used", "Take it out")),
    "an absent column": ({"on": "aeg:numeric"}, (r"puf\.csv: no column 'aeg'", "'age'")),
    "truth keys without truth": (
        {"truth": None, "truth_keys": "pid:eid"},
        ("--truth-keys: key columns of the truth, and no truth", "--truth"),
    ),
    "too few truth keys": (
        {"puf_key": "pid,st", "truth_keys": "pid:eid"},
        ("--truth-keys: 1 columns", "Give 2"),
    ),
    "a separator of two signs": ({"separator": "||"}, (r"puf\.csv: a separator", "one sign")),
    "an unknown encoding": ({"encoding": "klingon"}, (r"puf\.csv: an unknown enc", "Python")),
    "an unknown method": ({"only": "taxicap"}, ("no attack is labelled 'taxicap'", "taxicab")),
    "a negative number of threads": ({"jobs": "-1"}, ("--jobs", ">= 0")),
}


@pytest.mark.parametrize("name", FLAGS)
def test_bad_flags_are_refused_by_their_names(tmp_path, capsys, name):
    changed, says = FLAGS[name]
    folder = folder_of(tmp_path, "csv")
    before = folder.content()
    said = command(capsys, *_flags(folder, **changed))
    assert said.code == 2, said
    for piece in says:
        assert re.search(piece, said.err), (piece, said.err)
    assert folder.content() == before


def test_keys_of_one_name_need_truth_keys(tmp_path, capsys):
    def change(inputs):
        for side, key in (("puf", "pid"), ("eif", "eid")):
            inputs.tables[side]["id"] = inputs.tables[side].pop(key)

    folder = folder_of(tmp_path, "csv", change)
    said = command(capsys, *_flags(folder, puf_key="id", eif_key="id"))
    assert said.code == 2
    assert "--truth: a PUF and an EIF key column share a name" in said.err
    assert "by --truth-keys A,B:C" in said.err
    said = command(capsys, *_flags(folder, puf_key="id", eif_key="id", truth_keys="pid:eid"))
    assert said.code == 0, said


def test_a_saved_study_is_not_overwritten_and_runs_to_the_same_result(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv")
    saved = folder.path / "saved.toml"
    before = folder.content()
    said = command(capsys, *_flags(folder, save=saved))
    assert said.code == 0, said
    assert_nothing_leaks(folder, before, said)
    again = command(capsys, *_flags(folder, save=saved, out=folder.path / "second.run"))
    assert again.code == 2
    assert "saved.toml: a file is there" in again.err
    assert not (folder.path / "second.run").exists()
    assert command(capsys, "run", saved).code == 0
    assert _results(folder, "link.run") == _results(folder, "saved.run")


def _results(folder, run):
    return (folder.path / run / "results.json").read_bytes()


def test_a_saved_study_is_short_and_moves_with_its_files(tmp_path, capsys):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "studies").mkdir()
    folder = folder_of(tmp_path / "one", "csv")
    saved = folder.path / "studies" / "saved.toml"
    flags = _flags(folder, on="age:numeric,town=county", strata="st", only="taxicab", save=saved)
    assert command(capsys, *flags).code == 0
    assert tomllib.loads(saved.read_text()) == {
        "schema": 1,
        "title": "puf.csv against eif.csv",
        "puf": {"path": "../puf.csv", "key": "pid"},
        "eif": {"path": "../eif.csv", "key": "eid"},
        "iuf": {"path": "../iuf.csv"},
        "variables": {
            "age": "numeric",
            "town": {"kind": "categorical", "puf": "county", "eif": "county"},
        },
        "strata": {"by": ["st"]},
        "attacks": {"taxicab": {}},
    }
    folder.path.rename(tmp_path / "two")
    assert command(capsys, "run", tmp_path / "two" / "studies" / "saved.toml").code == 0
    moved = tmp_path / "two" / "studies" / "saved.run" / "results.json"
    assert moved.read_bytes() == (tmp_path / "two" / "link.run" / "results.json").read_bytes()


def test_csv_files_of_another_spelling_are_linked_by_flags(tmp_path, capsys):
    def change(inputs):
        inputs.fill("puf", "age", [f"{20 + p}.5" for p in range(12)])
        for side in ("puf", "eif"):
            inputs.fill(side, "sex", ["m\u00e4nnlich", "weiblich"] * 6)

    folder = folder_of(tmp_path, "csv", change)
    assert command(capsys, *_flags(folder)).code == 0
    expected = _results(folder, "link.run")
    for path in folder.files.values():
        text = path.read_text()
        assert ";" not in text
        path.write_bytes(text.replace(",", ";").replace(".5", ",5").encode("latin-1"))
    said = command(capsys, *_flags(folder, out=folder.path / "second.run"))
    assert said.code == 2
    assert "not utf-8" in said.err
    spelling = {"separator": ";", "decimal": ",", "encoding": "latin-1"}
    saved = folder.path / "saved.toml"
    flags = _flags(folder, out=folder.path / "second.run", save=saved, **spelling)
    said = command(capsys, *flags)
    assert said.code == 0, said
    assert _results(folder, "second.run") == expected
    told = tomllib.loads(saved.read_text())
    for side in ("puf", "eif", "iuf"):
        assert told[side].items() >= spelling.items()
    assert command(capsys, "run", saved).code == 0
    assert _results(folder, "saved.run") == expected
