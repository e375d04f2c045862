"""`reident protect` and `decrypt` answer bad input as every verb does; no value is seen outside."""

import re
import stat

import polars as pl
import pytest

import reident as ri
from bad_input.study_folder import (
    CANARY,
    CANARY_NUMBER,
    assert_nothing_leaks,
    command,
    folder_of,
    leaks,
)


def _flags(folder, **changed):
    flags = {"--vars": "age,sex", "--action": "blank", "--out": "release.csv"} | {
        f"--{name.replace('_', '-')}": value for name, value in changed.items()
    }
    given = [part for flag, value in flags.items() if value is not None for part in (flag, value)]
    return ["protect", folder.files["puf"], *given]


FLAGS = {
    "no variable": ({"vars": ","}, ("--vars: ",)),
    "an absent variable": ({"vars": "sex,conty"}, ("no column 'conty'", "Did you mean 'county'")),
    "an absent domain": ({"domains": "stt"}, ("no column 'stt'", "Did you mean 'st'")),
    "an absent key": ({"key": "pidd"}, ("no column 'pidd'",)),
    "k = 0": ({"k": "0"}, ("--k: ", "greater than or equal to 1")),
    "an unknown action": ({"action": "burn"}, ("--action: ", "'destroy'")),
    "an unknown way": ({"action": "perturb", "how": "shake"}, ("--how: ", "'table_round'")),
    "no way": ({"action": "perturb"}, ("--how: no way to perturb",)),
    "a way without perturb": ({"how": "noise"}, ("--how: ", "the action is blank")),
    "a base for blank": ({"base": "5"}, ("--base: an option that blank does not take",)),
    "a base of nothing": (
        {"action": "perturb", "how": "round", "base": "0"},
        ("--base: ", "greater than 0"),
    ),
    "a base that is no number": (
        {"action": "perturb", "how": "round", "base": "five"},
        ("--base: ", "decimal"),
    ),
    "half a count": (
        {"action": "perturb", "how": "table_round", "base": "2.5"},
        ("--base: not a whole number",),
    ),
    "a share above one": (
        {"action": "perturb", "how": "pram", "share": "1.5"},
        ("--share: ", "less than or equal to 1"),
    ),
    "variables to change that are none": ({"change": "county"}, ("--change: ",)),
    "change for destroy": ({"action": "destroy", "change": "sex"}, ("--change: ",)),
    "a negative scale": (
        {"action": "perturb", "how": "noise", "scale": "-1"},
        ("--scale: ", "greater than 0"),
    ),
    "encryption without a key": ({"action": "encrypt"}, ("--key-file: no key",)),
    "a key that nothing needs": ({"key_file": "key"}, ("--key-file: a key, and the action",)),
    "texts with noise": (
        {"vars": "sex,county", "action": "perturb", "how": "noise"},
        ("column 'sex': values that are not numbers", "column 'county'"),
    ),
    "a rounded table of wildcards": (
        {"action": "perturb", "how": "table_round", "missing": "wildcard"},
        ("--missing: wildcard",),
    ),
    "everybody destroyed": ({"action": "destroy"}, ("nothing but unique records",)),
    "sas7bdat": ({"out": "release.sas7bdat"}, ("only SAS itself writes", "Write xpt")),
    "no format": ({"out": "release.txt"}, ("an extension of no known format",)),
    "a key that is not one": ({"vars": "age", "key": "sex"}, ("share a key",)),
}


@pytest.mark.parametrize("name", FLAGS)
def test_wrong_flags_are_told_by_name_and_nothing_is_written(tmp_path, capsys, monkeypatch, name):
    changed, says = FLAGS[name]
    monkeypatch.chdir(tmp_path)
    folder = folder_of(tmp_path, "csv")
    before = folder.content()
    said = command(capsys, *_flags(folder, **changed))
    assert said.code == 2, said
    for piece in says:
        assert re.search(piece, said.err), (piece, said.err)
    assert leaks(said.out + said.err) == []
    assert folder.content() == before


ACTIONS = {
    "destroy": {"vars": "county", "action": "destroy"},
    "blank": {"action": "blank"},
    "encrypt": {"action": "encrypt", "key_file": "key"},
    "round": {"action": "perturb", "how": "round", "vars": "age,income,sex"},
    "pram": {"action": "perturb", "how": "pram"},
    "table_round": {"action": "perturb", "how": "table_round", "vars": "sex,county"},
}


@pytest.mark.parametrize("name", ACTIONS)
def test_no_value_is_seen_outside_the_file_and_restricted(tmp_path, capsys, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    folder = folder_of(tmp_path, "csv")
    before = folder.content()
    flags = {"vars": "age,income,sex,county", "key": "pid", "domains": "st"} | ACTIONS[name]
    said = command(capsys, *_flags(folder, **flags))
    assert said.code == 0, said
    # The released file holds data on purpose, the key file is the user's.
    released = {"release.csv": b"", "key": b""}
    assert_nothing_leaks(folder, before | released, said)
    for path in (tmp_path / "release.csv.protect").rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600)
    changes = pl.read_parquet(tmp_path / "release.csv.protect" / "restricted" / "changes.parquet")
    assert changes["key_pid"].str.starts_with(CANARY).all()
    if name == "encrypt":
        content = (tmp_path / "release.csv").read_text()
        assert str(CANARY_NUMBER) not in content
        assert f"{CANARY}f" not in content


BAD_FILES = {
    "a ragged line": (b"a,b\n1,2\n1,2,3\n", "line 3"),
    "header only": (b"a,b\n", "without records"),
    "empty": (b"", "an empty file"),
    "no UTF-8": (b"a,b\n1,\xff\n", "not utf-8"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_by_both_verbs(tmp_path, capsys, name):
    content, says = BAD_FILES[name]
    path, out, key = tmp_path / "file.csv", tmp_path / "out.csv", tmp_path / "key"
    path.write_bytes(content)
    verbs = (
        ("protect", path, "--vars", "a,b", "--action", "encrypt"),
        ("decrypt", path),
    )
    for verb in verbs:
        if verb[0] == "decrypt":
            ri.protect(pl.DataFrame({"a": ["x"]}), ["a"], action="encrypt", key_file=key)
        said = command(capsys, *verb, "--key-file", key, "--out", out)
        assert said.code == 2, said
        assert says in said.err
        assert "bug" not in said.err
        assert not out.exists()
        assert verb[0] == "decrypt" or not key.exists()


def test_all_faults_of_the_flags_are_told_at_once(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv")
    flags = _flags(folder, how="noise", base="5", share="0.5")
    said = command(capsys, *flags)
    assert said.code == 2
    assert len(said.err.splitlines()) == 3


def test_unknown_options_of_the_functions_are_told():
    frame = pl.DataFrame({"a": ["x"]})
    with pytest.raises(ri.SpecError, match=r"sharre: unknown name\. Did you mean 'share'"):
        ri.protect(frame, ["a"], action="blank", sharre=1)
    with pytest.raises(ri.SpecError, match=r"seperator: unknown name"):
        ri.decrypt(frame, key_file="key", seperator=";")


def test_lists_are_no_values(tmp_path, capsys):
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": [[1], [2]]}).write_parquet(path)
    flags = ("--vars", "a", "--action", "blank", "--out", tmp_path / "out.parquet")
    said = command(capsys, "protect", path, *flags)
    assert said.code == 2, said
    assert "neither texts nor numbers" in said.err


def test_other_columns_may_hold_anything_that_the_format_holds(tmp_path):
    frame = pl.DataFrame({"a": ["x", "y", "y", "y"], "b": [[1], [2], [], None]})
    out, key = tmp_path / "out.parquet", tmp_path / "key"
    ri.protect(frame, ["a"], k=1, action="encrypt", key_file=key, out=out)
    assert ri.decrypt(out, key_file=key).equals(frame)
