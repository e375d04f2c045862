"""The run folder: private, whole, refused where it is not free, finished by results.json alone."""

import json
import subprocess
import sys
import textwrap

import polars as pl
import pytest

import reident as ri
from reident.errors import RefusalError
from reident.io import outputs
from reident.run import run as run_study
from small_study import CATEGORICAL, Small

FILES = {
    "manifest.json",
    "report.html",
    "results.json",
    "restricted/encoding.json",
    "restricted/pairs.parquet",
    "study.toml",
}


@pytest.fixture
def study():
    small = Small(
        kinds=(CATEGORICAL,) * 2,
        puf=(("a", "x"), ("b", "x")),
        eif=(("a", "x"), ("c", "y")),
        truth=((0, 0),),
        puf_strata=("A", "A"),
        eif_strata=("A", "A"),
    )
    return small.study()


def held(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_run_folder_holds_every_output_and_no_work(study, tmp_path):
    result = study.run_to(tmp_path / "out")
    files = held(tmp_path / "out")
    assert files >= FILES | {"restricted/strata.parquet", "tables/results.xlsx"}
    assert not any(".work" in name or ".tmp" in name for name in files)
    told = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    assert told == result.to_dict()
    pairs = pl.read_parquet(tmp_path / "out/restricted/pairs.parquet")
    assert pairs.columns == ["attack", "puf_p", "eif_e", "score", "rank", "tied", "confirmed"]
    assert pairs.equals(outputs.all_pairs(result))


def test_the_manifest_names_inputs_versions_and_a_balanced_ledger(study, tmp_path):
    study.run_to(tmp_path / "out", jobs=2)
    manifest = json.loads((tmp_path / "out/manifest.json").read_text(encoding="utf-8"))
    assert {"inputs", "study", "versions", "engine", "methods", "jobs", "ledger"} <= set(manifest)
    assert {"read", "encode", "attacks", "write"} <= set(manifest["timings"])
    for row in manifest["ledger"]["puf"].values():
        assert row["read"] == row["compared"] + sum(row["set_aside"].values()) == 2
    assert manifest["ledger"]["pairs"] == 4
    assert manifest["ledger"]["engine"]["taxicab"]["work"] == 4
    assert manifest["inputs"]["puf"]["records"] == 2


def test_the_manifest_holds_size_and_digest_of_files(tmp_path):
    import hashlib

    for name in "pe":
        (tmp_path / f"{name}.csv").write_text(f"{name},x\n1,a\n")
    study = ri.Study(
        puf=ri.PublicFile(tmp_path / "p.csv", key="p"),
        eif=ri.IntruderFile(tmp_path / "e.csv", key="e"),
        variables=[ri.categorical("x")],
    )
    inputs = study.run_to(tmp_path / "out").manifest["inputs"]
    digest = hashlib.sha256(b"p,x\n1,a\n").hexdigest()
    assert inputs["puf"] == {"name": "p.csv", "records": 1, "bytes": 8, "sha256": digest}


def test_a_finished_run_is_replaced_only_by_force(study, tmp_path):
    study.run_to(tmp_path / "out")
    before = (tmp_path / "out/results.json").read_bytes()
    with pytest.raises(RefusalError, match="a finished run"):
        study.run_to(tmp_path / "out", only=["taxicab"])
    assert (tmp_path / "out/results.json").read_bytes() == before
    study.run_to(tmp_path / "out", only=["taxicab"], force=True)
    told = json.loads((tmp_path / "out/results.json").read_text(encoding="utf-8"))
    assert list(told["attacks"]) == ["taxicab"]


def test_force_leaves_nothing_of_the_older_run(study, tmp_path):
    study.run_to(tmp_path / "out")
    no_strata = study.model_copy(update={"strata": ()})
    no_strata.run_to(tmp_path / "out", force=True)
    assert "restricted/strata.parquet" not in held(tmp_path / "out")


@pytest.mark.parametrize("force", [True, False])
def test_a_folder_of_somebody_else_is_never_written_into(study, tmp_path, force):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/thesis.txt").write_text("years of work")
    with pytest.raises(RefusalError, match="a folder with other files"):
        study.run_to(tmp_path / "out", force=force)
    assert held(tmp_path / "out") == {"thesis.txt"}


def test_a_file_in_the_place_of_the_folder_is_refused(study, tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(RefusalError, match="a file stands where the run folder would be"):
        study.run_to(tmp_path / "out", force=True)
    assert (tmp_path / "out").read_text() == "a file"


def test_bad_data_leave_no_folder_behind(study, tmp_path):
    frame = study.puf.source.with_columns(p=pl.lit("twice"))
    bad = study.model_copy(update={"puf": ri.PublicFile(frame, key="p")})
    with pytest.raises(ri.DataError):
        bad.run_to(tmp_path / "out")
    with pytest.raises(ri.SpecError, match="no attack is labelled 'nosuch'"):
        study.run_to(tmp_path / "out", only=["nosuch"])
    assert not (tmp_path / "out").exists()


def breaking(error):
    """A step that breaks, as it would on a full disk."""

    def broken(*_args, **_kwargs):
        raise error

    return broken


def test_a_run_that_breaks_leaves_nothing_under_a_final_name(study, tmp_path, monkeypatch):
    full = OSError(28, "No space left on device")
    monkeypatch.setattr(outputs, "write_draft", breaking(full))
    with pytest.raises(ri.CapacityError, match="the disk is full"):
        study.run_to(tmp_path / "out")
    assert {name for name in held(tmp_path / "out") if not name.startswith(".work/")} == set()
    monkeypatch.undo()
    study.run_to(tmp_path / "out")  # and does not stand in the way of the next one


def test_what_an_interrupted_run_left_is_cleared_away_by_the_next(study, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(outputs, "publish", breaking(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            study.run_to(tmp_path / "out")
    # What is done stays for --resume, and nothing else.
    kept = {".work/lock", ".work/kept/run.json", ".work/kept/000000.parts"}
    assert held(tmp_path / "out") == kept
    # A run that was killed could clear nothing away.
    (tmp_path / "out/.work/draft").mkdir()
    (tmp_path / "out/.work/draft/orphan").touch()
    study.run_to(tmp_path / "out")
    assert not any("orphan" in name or ".work" in name for name in held(tmp_path / "out"))


def test_an_older_run_stays_whole_when_a_forced_one_breaks(study, tmp_path, monkeypatch):
    study.run_to(tmp_path / "out")
    before = {name: (tmp_path / "out" / name).read_bytes() for name in held(tmp_path / "out")}
    monkeypatch.setattr(outputs, "write_draft", breaking(MemoryError))
    with pytest.raises(MemoryError):
        study.run_to(tmp_path / "out", force=True)
    after = {name: (tmp_path / "out" / name).read_bytes() for name in before}
    assert after == before


HOLDER = """
    import sys, time
    from pathlib import Path
    from reident.io.outputs import run_folder
    with run_folder(Path(sys.argv[1]), force=False):
        print("held", flush=True)
        time.sleep(60)
"""


def test_a_folder_in_which_another_process_is_at_work_is_refused(study, tmp_path):
    command = [sys.executable, "-c", textwrap.dedent(HOLDER), str(tmp_path / "out")]
    holder = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        lock = json.loads((tmp_path / "out/.work/lock").read_text())
        assert lock["pid"] == holder.pid
        with pytest.raises(RefusalError, match="another run at work here"):
            study.run_to(tmp_path / "out")
    finally:
        holder.kill()
        holder.communicate()
    study.run_to(tmp_path / "out")  # the lock of a dead process holds nobody up
    assert (tmp_path / "out/results.json").exists()


def test_results_are_published_last(study, tmp_path, monkeypatch):
    order = []
    real = type(tmp_path).replace

    def noted(path, target):
        order.append(target.name)
        return real(path, target)

    monkeypatch.setattr(type(tmp_path), "replace", noted)
    study.run_to(tmp_path / "out")
    final = order[-len(list((tmp_path / "out").iterdir())) :]
    assert final[-1] == "results.json"
    assert final.count("results.json") == 1


def test_json_refuses_what_json_cannot_say():
    with pytest.raises(ValueError, match="not JSON compliant"):
        outputs.as_json({"rate": float("nan")})
    assert outputs.as_json({"é": None}) == '{\n  "é": null\n}\n'


def test_pairs_stand_in_order_of_attack_puf_key_rank_and_eif_key():
    small = Small(
        kinds=(CATEGORICAL,) * 4,
        puf=(tuple("aaaa"), tuple("aaab")),
        eif=(tuple("aaab"), tuple("aaaa"), tuple("aaab")),
    )
    study = small.study(
        attacks={"z": ri.Euclidean(threshold=2), "a": ri.Taxicab(threshold=2, keep=9)}
    )
    from reident.io.intake import take_in

    pairs = outputs.all_pairs(run_study(study, take_in(study)))
    rows = pairs.select("attack", "puf_p", "rank", "eif_e").rows()
    assert rows == sorted(rows, key=lambda row: (row[0] != "z", *row[1:]))
    assert pairs["attack"].unique(maintain_order=True).to_list() == ["z", "a"]


@pytest.mark.parametrize("group", [1, 2, 1000])
def test_pairs_written_some_at_a_time_are_all_pairs(tmp_path, monkeypatch, group):
    small = Small(
        kinds=(CATEGORICAL,) * 2,
        puf=(("a", "x"), ("b", "x"), ("b", "y")),
        eif=(("a", "x"), ("b", "y"), ("c", "z")),
        truth=((0, 0),),
    )
    attacks = {"none": ri.Taxicab(threshold=0), "all": ri.Taxicab(threshold=2), "u": ri.Unicity()}
    monkeypatch.setattr(outputs, "GROUP", group)
    result = small.study(attacks=attacks).run_to(tmp_path / "out")
    assert not len(result["none"].pairs)
    written = pl.read_parquet(tmp_path / "out/restricted/pairs.parquet")
    assert written.equals(outputs.all_pairs(result))
    assert written.schema == outputs.all_pairs(result).schema


@pytest.mark.parametrize("name", ["pairs", "attack", "suspected"])
def test_a_stratum_may_have_any_name(tmp_path, name):
    puf = pl.DataFrame({"p": ["0", "1"], "x": ["a", "b"], name: ["north", "south"]})
    study = ri.Study(
        puf=ri.PublicFile(puf, key="p"),
        eif=ri.IntruderFile(puf.rename({"p": "e"}), key="e"),
        variables=[ri.categorical("x")],
        strata=[name],
    )
    study.run_to(tmp_path / "out", only=["taxicab"])
    held_strata = pl.read_parquet(tmp_path / "out/restricted/strata.parquet")
    for values in ({"taxicab"}, {"north", "south"}, {1}):
        assert any(set(column.to_list()) == values for column in held_strata)
