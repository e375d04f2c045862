"""No traceback reaches a user, and no error carries a data value, not even as its cause."""

import re
import subprocess
import sys
import traceback

import polars as pl
import pytest

import reident as ri
from bad_input.study_folder import CANARY, CANARY_NUMBER, Inputs, command, folder_of, frame, leaks
from reident.errors import Fault, InternalError

PATCHED = "reident.api.take_in"


def _verbs(folder):
    link = ["link", folder.files["puf"], folder.files["eif"], "--puf-key", "pid", "--eif-key"]
    return {
        "run": ["run", folder.study],
        "check": ["check", folder.study],
        "link": [*link, "eid", "--on", "age:numeric,sex", "--out", folder.path / "link.run"],
    }


def _raising(error):
    def broken(*_, **__):
        raise error

    return broken


@pytest.mark.parametrize("verb", ["run", "check", "link"])
@pytest.mark.parametrize(
    "error",
    [
        ValueError(f"{CANARY} is not {CANARY_NUMBER}"),
        KeyError(CANARY),
        pl.exceptions.ComputeError(CANARY),
        RecursionError(CANARY),
        AssertionError(CANARY),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_unexpected_error_is_our_bug_with_an_id_and_no_data(
    tmp_path, capsys, monkeypatch, verb, error
):
    folder = folder_of(tmp_path, "csv")
    before = folder.content()
    monkeypatch.setattr(PATCHED, _raising(error))
    said = command(capsys, *_verbs(folder)[verb])
    assert said.code == 1
    assert "bug in reident" in said.err
    assert re.search(r"id [0-9a-f]{8} ", said.err)
    assert leaks(said.out + said.err) == []
    assert "Traceback" not in said.err
    assert folder.content() == before


def test_the_id_names_the_place_in_the_code_and_not_the_data(tmp_path, capsys, monkeypatch):
    folder = folder_of(tmp_path, "csv")
    ids = set()
    for text in (CANARY, f"another {CANARY}"):
        monkeypatch.setattr(PATCHED, _raising(ValueError(text)))
        ids |= set(re.findall(r"id (\w+)", command(capsys, "run", folder.study).err))
    assert len(ids) == 1


def test_an_error_amid_the_work_leaves_nothing_that_looks_finished(tmp_path, capsys, monkeypatch):
    folder = folder_of(tmp_path, "csv")
    before = folder.content()
    monkeypatch.setattr("reident.api.run", _raising(ValueError(CANARY)))
    said = command(capsys, "run", folder.study)
    assert said.code == 1
    assert not (folder.run / "results.json").exists()
    made = {name: data for name, data in folder.content().items() if name not in before}
    assert all(name.startswith("study.run/.work") or name == "study.run" for name in made)
    assert leaks(" ".join(made) + b" ".join(made.values()).decode()) == []
    monkeypatch.undo()
    assert command(capsys, "run", folder.study, "--jobs", "1").code == 0


def test_a_broken_promise_inside_is_told_as_our_bug(tmp_path, capsys, monkeypatch):
    folder = folder_of(tmp_path, "csv")
    fault = Fault(where="ledger", found="pairs that no rule accounts for", remedy="Report this")
    monkeypatch.setattr("reident.api.run", _raising(InternalError(fault)))
    said = command(capsys, "run", folder.study)
    assert said.code == 1
    assert "ledger: pairs that no rule accounts for" in said.err
    assert re.search(r"bug in reident.*id [0-9a-f]{8} ", said.err)


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (OSError(28, "No space left on device", "study.run"), 1, "the disk is full"),
        (MemoryError(), 1, "out of memory"),
        (KeyboardInterrupt(), 130, "Stopped"),
    ],
)
def test_faults_of_the_machine_are_told_plainly(tmp_path, capsys, monkeypatch, error, code, says):
    folder = folder_of(tmp_path, "csv")
    monkeypatch.setattr(PATCHED, _raising(error))
    said = command(capsys, "run", folder.study)
    assert said.code == code
    assert says in said.err
    assert "bug" not in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["run"],
        ["run", "x.toml", "--nope"],
        ["run", "x.toml", "--jobs", "many"],
        ["nope"],
        ["link", "a.csv", "b.csv"],
        ["link", "a.csv", "b.csv", "--puf-key", "p", "--eif-key", "e", "--on", "age:numerc"],
        ["link", "a.csv", "b.csv", "--puf-key", "p", "--eif-key", "e", "--on", ""],
        ["link", "a.csv", "b.csv", "--puf-key", "", "--eif-key", "e", "--on", "age"],
        [
            "link",
            "a.csv",
            "b.csv",
            "--puf-key",
            "p",
            "--eif-key",
            "e",
            "--on",
            "age",
            "--only",
            "x",
        ],
        ["link", "a", "b", "--puf-key", "p", "--eif-key", "e", "--on", "v", "--truth-keys", "p:e"],
        ["scenario", "study"],
        ["scenario", "study", "--out", "made", "--records", "0"],
    ],
    ids=" ".join,
)
def test_wrong_flags_end_with_code_2_and_write_nothing(tmp_path, capsys, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    said = command(capsys, *arguments)
    assert said.code == 2, said
    assert said.err.startswith("error: ")
    assert "Traceback" not in said.err
    assert list(tmp_path.iterdir()) == []


def test_the_command_itself_shows_no_traceback(tmp_path):
    folder = folder_of(tmp_path, "csv", lambda inputs: inputs.put("puf", "age", 3, CANARY))
    code = "from reident.cli import entry; entry()"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", str(folder.study)],
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PATH": ""},
    )
    assert done.returncode == 2, done
    assert "puf.csv, column 'age': 1 value" in done.stderr
    assert "Traceback" not in done.stderr
    assert leaks(done.stdout + done.stderr) == []


# The Python API ----------------------------------------------------------------------------------


def _study(change):
    inputs = Inputs()
    change(inputs)
    tables = {side: frame(columns) for side, columns in inputs.tables.items()}
    return ri.Study(
        puf=ri.PublicFile(tables["puf"], key="pid"),
        eif=ri.IntruderFile(tables["eif"], key="eid"),
        truth=ri.TruthFile(tables["iuf"], values="age" in tables["iuf"].columns),
        variables=[ri.numeric("age"), ri.categorical("sex")],
    )


def _unperturbed_text(inputs):
    inputs.fill("iuf", "age", [f"{CANARY}{place}" for place in range(12)])
    inputs.fill("iuf", "sex", "f")


API = {
    "a text in a numeric column": lambda inputs: inputs.put("puf", "age", 3, CANARY),
    "a key twice": lambda inputs: inputs.put("eif", "eid", 3, f"{CANARY}e04"),
    "a blank key": lambda inputs: inputs.put("puf", "pid", 3, ""),
    "no overlap": lambda inputs: inputs.fill("iuf", "pid", CANARY),
    "unperturbed texts": _unperturbed_text,
    "a column of lists": lambda inputs: inputs.fill("puf", "sex", [[CANARY]] * 12),
}


def assert_says_nothing_of_the_data(error):
    """The whole story that Python would print, causes and contexts included, holds no canary."""
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    assert leaks("".join(traceback.format_exception(error))) == []
    assert leaks(repr(error) + str(error.faults)) == []


@pytest.mark.parametrize("name", API)
def test_errors_of_the_python_api_carry_no_data(name):
    study = _study(API[name])
    with pytest.raises(ri.ReidentError) as caught:
        study.run(ri.Taxicab(), unperturbed=study.truth.values)
    assert_says_nothing_of_the_data(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        f"pid,age,sex\n{CANARY},1\n".encode(),
        f'pid,age,sex\np1,1,"{CANARY}\n'.encode(),
        f"pid,age,sex\n{CANARY},1,\xe9\n".encode("latin-1"),
        f"pid,age,sex\n{CANARY},1,\0\n".encode(),
        f"{CANARY},{CANARY},sex\n1,1,f\n".encode(),
        f"{CANARY};1;f\n".encode(),
    ],
)
def test_errors_of_a_file_carry_no_data(tmp_path, content):
    path = tmp_path / "puf.csv"
    path.write_bytes(content)
    study = _study(lambda _: None)
    puf = ri.PublicFile(path, key="pid")
    with pytest.raises(ri.DataError) as caught:
        study.model_copy(update={"puf": puf}).run(ri.Taxicab())
    assert_says_nothing_of_the_data(caught.value)


def test_errors_of_a_parquet_file_carry_no_data(tmp_path):
    path = tmp_path / "puf.parquet"
    path.write_bytes(f"pid,age,sex\n{CANARY},1,f\n".encode())
    study = _study(lambda _: None)
    with pytest.raises(ri.DataError) as caught:
        study.model_copy(update={"puf": ri.PublicFile(path, key="pid")}).run(ri.Taxicab())
    assert_says_nothing_of_the_data(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ri.Study(puf=CANARY, eif=CANARY, variables=CANARY),
        lambda: ri.numeric("age", missing={CANARY: CANARY}),
        lambda: ri.PublicFile("x.csv", key=5, missing=[object()]),
        lambda: ri.Taxicab(missing_score=CANARY),
        lambda: ri.AdHoc({"age": {"difference": [[CANARY, 5]]}}),
        lambda: ri.Limits(conditional_rate=CANARY),
    ],
)
def test_errors_of_values_do_not_repeat_what_they_were_given(make):
    with pytest.raises(ri.SpecError) as caught:
        make()
    assert_says_nothing_of_the_data(caught.value)


def test_errors_of_a_pandas_frame_carry_no_data():
    pandas = pytest.importorskip("pandas")
    mixed = pandas.DataFrame({"pid": [1, CANARY], "age": [1, CANARY], "sex": [b"x", 5]})
    study = _study(lambda _: None)
    with pytest.raises(ri.DataError) as caught:
        study.model_copy(update={"puf": ri.PublicFile(mixed, key="pid")}).run(ri.Taxicab())
    assert_says_nothing_of_the_data(caught.value)
