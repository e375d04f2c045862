"""--resume goes on with the run that was interrupted, and with no other."""

import shutil

import polars as pl
import pytest

import reident as ri
from faults.killing import outputs, write_files
from reident import haystack
from reident.cli import main
from reident.io import kept
from reident.io import outputs as run_folders

STUDY = ("run", "study.toml", "--out", "out", "--only", "taxicab")
SEARCH = ("uniques", "eif.csv", "--vars", "age,sex,race", "--key", "e", "--out", "out")
STREAM = (*SEARCH, "--method", "stream")
SEARCH = (*SEARCH, "--minimal", "2")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_files(folder, records=60)
    return folder


@pytest.fixture
def home(files, tmp_path, monkeypatch):
    shutil.copytree(files, tmp_path / "home")
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"


def stop(monkeypatch, command, error=KeyboardInterrupt):
    """Interrupt a command when all is scored and nothing is written."""

    def stopped(*_args, **_kwargs):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(run_folders, "write_draft", stopped)
        patched.setattr(haystack, "fill", stopped)
        return main(command)


@pytest.mark.parametrize(
    "command", [STUDY, SEARCH, STREAM], ids=["run", "uniques", "uniques by stream"]
)
def test_a_run_that_is_stopped_says_how_it_goes_on_and_does(home, monkeypatch, capsys, command):
    assert main([*command, "--jobs", "1"]) == 0
    expected = outputs(home / "out")
    assert not (home / "out/.work").exists()
    shutil.rmtree(home / "out")
    assert stop(monkeypatch, command) == 130
    said = capsys.readouterr().err
    assert "Stopped; nothing was written under a final name." in said
    assert "What is done is kept: the same command with --resume continues." in said
    assert outputs(home / "out") == {}
    assert list((home / "out/.work/kept").glob("*.parts"))
    assert main([*command, "--resume", "--jobs", "2"]) == 0
    assert outputs(home / "out") == expected
    assert not (home / "out/.work").exists()


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "error", [SystemExit(143), MemoryError(), OSError(28, "No space left on device")]
)
def test_what_is_done_is_kept_whatever_interrupts(monkeypatch, capsys, error):
    assert stop(monkeypatch, STUDY, error) in {1, 143}
    assert "with --resume continues" in capsys.readouterr().err
    assert main([*STUDY, "--resume"]) == 0


def test_nothing_is_kept_of_a_run_that_was_wrong(home, monkeypatch, capsys):
    fault = ri.DataError()
    assert stop(monkeypatch, STUDY, fault) == 2
    assert "--resume" not in capsys.readouterr().err
    assert not (home / "out").exists()


def edited(path, old, new):
    path.write_text(path.read_text().replace(old, new, 1))


CHANGES = {
    "inputs.puf": lambda home, _: edited(home / "puf.csv", "cook", "cooper"),
    "inputs.eif": lambda home, _: (home / "eif.csv").write_text(
        (home / "eif.csv").read_text().rsplit("\n", 2)[0] + "\n"
    ),
    "inputs.iuf": lambda home, _: edited(home / "iuf.csv", "0,5000\n", ""),
    "study.attacks": lambda home, _: edited(
        home / "study.toml", "[attacks.taxicab]", "[attacks.taxicab]\nkeep = 4"
    ),
    "study.seed": lambda home, _: edited(home / "study.toml", "seed = 5", "seed = 6"),
    "study.variables": lambda home, _: edited(
        home / "study.toml",
        'sex = "categorical"',
        'sex = { kind = "categorical", missing = ["f"] }',
    ),
    "versions.reident": lambda _, patched: patched.setattr(
        kept, "versions", lambda: {"reident": "0.0.1"}
    ),
    "versions.kernels": lambda _, patched: patched.setattr(kept, "source_digest", lambda: "other"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_run_that_has_changed_is_refused_and_loses_nothing(home, monkeypatch, capsys, name):
    assert stop(monkeypatch, STUDY) == 130
    held = sorted(path.name for path in (home / "out/.work/kept").iterdir())
    with monkeypatch.context() as patched:
        CHANGES[name](home, patched)
        capsys.readouterr()
        assert main([*STUDY, "--resume"]) == 2
    said = capsys.readouterr().err
    assert f"resume, {name}: not as in the interrupted run" in said
    assert sorted(path.name for path in (home / "out/.work/kept").iterdir()) == held


def test_a_run_goes_on_when_its_files_are_put_back(home, monkeypatch):
    assert stop(monkeypatch, STUDY) == 130
    before = (home / "puf.csv").read_bytes()
    CHANGES["inputs.puf"](home, monkeypatch)
    assert main([*STUDY, "--resume"]) == 2
    (home / "puf.csv").write_bytes(before)
    assert main([*STUDY, "--resume"]) == 0


@pytest.mark.parametrize(
    ("more", "name"), [(("--only", "euclidean"), "only"), (("--unperturbed",), "unperturbed")]
)
def test_flags_that_change_the_results_are_refused(home, monkeypatch, capsys, more, name):
    edited(home / "study.toml", 'path = "iuf.csv"', 'path = "iuf.csv"\nvalues = true')
    truth = pl.read_csv("iuf.csv").with_columns(pl.read_csv("puf.csv").drop("p", "state"))
    truth.write_csv("iuf.csv")
    assert stop(monkeypatch, STUDY) == 130
    capsys.readouterr()
    assert main([*STUDY[:-2], *(more if name == "only" else (*STUDY[-2:], *more)), "--resume"]) == 2
    assert f"resume, {name}: not as in" in capsys.readouterr().err


def test_options_of_a_search_are_compared_too(home, monkeypatch, capsys):
    assert stop(monkeypatch, SEARCH) == 130
    assert main([*SEARCH, "--k", "3", "--resume"]) == 2
    assert "resume, options.k: not as in the interrupted run" in capsys.readouterr().err
    assert (home / "out/.work/kept").exists()


@pytest.mark.usefixtures("home")
def test_a_search_without_a_folder_has_nothing_to_resume(capsys):
    assert main(["uniques", "eif.csv", "--vars", "age,sex", "--resume"]) == 2
    assert "--resume: no folder to go on in. Name it by --out." in capsys.readouterr().err


def test_nothing_to_resume_is_told(home, capsys):
    assert main([*STUDY, "--resume"]) == 2
    assert "out: no interrupted run to resume. Run it without --resume." in capsys.readouterr().err
    assert not (home / "out").exists()
    assert main(STUDY) == 0
    assert main([*STUDY, "--resume"]) == 2
    assert "out: a finished run" in capsys.readouterr().err


@pytest.mark.parametrize("damage", ["flipped", "cut", "run.json"])
def test_a_damaged_checkpoint_is_refused(home, monkeypatch, capsys, damage):
    assert stop(monkeypatch, STUDY) == 130
    [path] = (home / "out/.work/kept").glob("*.parts")
    data = bytearray(path.read_bytes())
    if damage == "flipped":
        data[len(data) // 2] ^= 16
    if damage == "run.json":
        path = path.with_name("run.json")
        data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] if damage != "flipped" else data)
    capsys.readouterr()
    assert main([*STUDY, "--resume"]) == 2
    assert "a damaged checkpoint. Start again without --resume." in capsys.readouterr().err
    assert main(STUDY) == 0


def test_an_interrupted_run_is_cleared_away_by_one_that_begins_anew(home, monkeypatch):
    assert stop(monkeypatch, STUDY) == 130
    old = next((home / "out/.work/kept").glob("*.parts")).stat().st_mtime_ns
    assert stop(monkeypatch, STUDY) == 130
    [new] = (home / "out/.work/kept").glob("*.parts")
    assert new.stat().st_mtime_ns > old


def test_a_forced_run_that_is_interrupted_leaves_the_older_one_and_goes_on(home, monkeypatch):
    assert main(STUDY) == 0
    before = outputs(home / "out")
    assert stop(monkeypatch, [*STUDY, "--force"]) == 130
    assert outputs(home / "out") == before
    assert main([*STUDY, "--resume", "--force"]) == 0
    assert outputs(home / "out") == before


def test_rules_that_are_functions_are_not_resumed(home, monkeypatch):
    def judge(a, b):
        return 5.0 * (a == b)

    study = ri.Study.read(home / "study.toml")
    attack = ri.AdHoc({variable.name: judge for variable in study.variables})
    study = study.model_copy(update={"attacks": {"mine": attack}})
    with monkeypatch.context() as patched:
        patched.setattr(run_folders, "publish", lambda *_: (_ for _ in ()).throw(MemoryError))
        with pytest.raises(MemoryError):
            study.run_to(home / "out")
    assert not (home / "out").exists()
    with pytest.raises(ri.RefusalError, match="a function, which cannot be resumed"):
        study.run_to(home / "out", resume=True)


def test_frames_in_memory_that_have_changed_are_refused(home, monkeypatch):
    def study(frame):
        return ri.Study(
            puf=ri.PublicFile(frame, key="p"),
            eif=ri.IntruderFile(pl.read_csv("eif.csv"), key="e"),
            variables=[ri.categorical("sex"), ri.numeric("age")],
            attacks={"taxicab": ri.Taxicab()},
        )

    frame = pl.read_csv(home / "puf.csv")
    with monkeypatch.context() as patched:
        patched.setattr(run_folders, "publish", lambda *_: (_ for _ in ()).throw(MemoryError))
        with pytest.raises(MemoryError):
            study(frame).run_to(home / "out")
    with pytest.raises(ri.RefusalError, match="parts of other data"):
        study(frame.with_columns(pl.col("age") * 2)).run_to(home / "out", resume=True)
    study(frame).run_to(home / "out", resume=True)
