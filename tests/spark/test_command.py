"""The command on a cluster, and what it says where there is none."""

import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import reident as ri
from reident.cli import main
from reident.engine import spark
from reident.errors import SpecError
from reident.scenario.population import study_scenario
from spark.cluster import descendants, environment, obeying

pytestmark = pytest.mark.xdist_group("spark")

COMMAND = [sys.executable, "-c", "from reident.cli import entry; entry()"]


@pytest.fixture
def study(tmp_path):
    for name, content in study_scenario(records=300, seed=4).files().items():
        (tmp_path / name).write_bytes(content)
    return tmp_path / "study.toml"


def outputs(folder):
    names = ("results.json", "restricted/pairs.parquet", "tables/rates.csv")
    return [(folder / name).read_bytes() for name in names]


def test_a_study_runs_on_a_cluster_by_name(cluster, study, tmp_path):
    here, there = tmp_path / "here", tmp_path / "there"
    main(["run", str(study), "--out", str(here)])
    asked = ["--engine", "spark", "--master", cluster.master]
    done = subprocess.run(
        [*COMMAND, "run", study, "--out", there, *asked],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr
    assert outputs(there) == outputs(here)
    assert '"engine": "spark"' in (there / "manifest.json").read_text()
    assert not (there / ".work").exists()


@pytest.mark.usefixtures("session")
def test_unique_records_are_found_in_the_session_that_is_there(study, capfd):
    asked = ["uniques", str(study.with_name("puf.csv")), "--vars", "SEX,AGE,RACE", "--json"]
    assert main(asked) == 0
    expected = capfd.readouterr().out
    assert main([*asked, "--engine", "spark"]) == 0
    assert capfd.readouterr().out == expected
    assert main([*asked, "--engine", "spark", "--master", "local[7]"]) == 2
    assert "another master" in capfd.readouterr().err


def test_a_signal_stops_a_study_that_can_go_on(study, tmp_path):
    slow = tmp_path / "knobs.json"
    slow.write_text('{"sleep": 0.3}')
    asked = ["run", str(study), "--only", "euclidean", "--out", str(tmp_path / "out")]
    there = ["--engine", "spark", "--master", "local[1]"]
    with subprocess.Popen(
        [*COMMAND, *asked, *there],
        env=environment() | obeying(slow),
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert any(line.startswith("euclidean:") for line in process.stderr)
        children = list(descendants(process.pid))
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    assert children
    end = time.monotonic() + 30
    while any(alive(child) for child in children):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert (tmp_path / "out" / ".work" / "kept").is_dir()
    assert main([*asked, "--resume"]) in (0, 3)
    assert main([*asked[:-1], str(tmp_path / "in peace")]) in (0, 3)
    assert outputs(tmp_path / "out") == outputs(tmp_path / "in peace")


def alive(pid):
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def nowhere(monkeypatch):
    """No session is active and none is named."""
    from pyspark.sql import SparkSession

    monkeypatch.setattr(SparkSession, "getActiveSession", lambda: None)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)


@pytest.mark.usefixtures("nowhere")
def test_without_a_cluster_the_command_says_what_to_give(study, capsys):
    assert main(["run", str(study), "--engine", "spark"]) == 2
    assert "--master" in capsys.readouterr().err
    assert not study.with_suffix(".run").exists()


@pytest.mark.usefixtures("nowhere")
@pytest.mark.parametrize("port", ["closed", "none", "70000000"])
def test_a_master_that_does_not_answer_is_told_at_once(study, capsys, port):
    with socket.socket() as taken:
        # Bound and not listening: nobody else can answer there.
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1] if port == 'closed' else port}"
        master = f"spark://{address},{address}"
        assert main(["run", str(study), "--engine", "spark", "--master", master]) == 2
    assert "does not answer" in capsys.readouterr().err
    assert not study.with_suffix(".run").exists()


def test_a_session_of_spark_connect_is_refused(study):
    with pytest.raises(SpecError, match="Spark Connect"):
        ri.Study.read(study).run(engine=ri.Spark(object()))


@pytest.mark.usefixtures("nowhere")
def test_without_java_the_command_says_what_to_install(study, capsys, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    assert main(["run", str(study), "--engine", "spark", "--master", "local[1]"]) == 2
    assert "Install Java 17" in capsys.readouterr().err


def test_without_pyspark_the_command_says_what_to_install(study, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    assert main(["run", str(study), "--engine", "spark", "--master", "local[1]"]) == 2
    assert "pip install 'reident[spark]'" in capsys.readouterr().err


def test_a_master_needs_its_engine(study, capsys):
    assert main(["run", str(study), "--master", "spark://host:7077"]) == 2
    assert "--engine spark" in capsys.readouterr().err


def test_a_rule_that_is_a_function_cannot_be_sent(monkeypatch):
    monkeypatch.setattr(spark, "refuse_unready", lambda _: None)
    study = ri.Study(
        puf=ri.PublicFile({"id": [1], "a": ["x"]}, key="id"),
        eif=ri.IntruderFile({"number": [1], "a": ["x"]}, key="number"),
        variables=[ri.categorical("a")],
        attacks={"adhoc": ri.AdHoc({"a": lambda one, other: 5 * (one == other)})},
    )
    with pytest.raises(SpecError, match="cannot be sent to Spark"):
        study.run(engine=ri.Spark(master="local[1]"))
