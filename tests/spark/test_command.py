"""The command on a cluster, and what it says where there is none."""

import shutil
import sys

import pytest

import reident as ri
from reident.cli import main
from reident.engine import spark
from reident.errors import SpecError
from reident.scenario.population import study_scenario

pytestmark = pytest.mark.xdist_group("spark")


@pytest.fixture
def study(tmp_path):
    for name, content in study_scenario(records=300, seed=4).files().items():
        (tmp_path / name).write_bytes(content)
    return tmp_path / "study.toml"


def outputs(folder):
    names = ("results.json", "restricted/pairs.parquet", "tables/rates.csv")
    return [(folder / name).read_bytes() for name in names]


def test_a_study_runs_on_a_cluster_by_name(cluster, study, tmp_path, capfd):
    here, there = tmp_path / "here", tmp_path / "there"
    main(["run", str(study), "--out", str(here)])
    asked = ["--engine", "spark", "--master", cluster.master]
    main(["run", str(study), "--out", str(there), *asked])
    assert outputs(there) == outputs(here)
    assert '"engine": "spark"' in (there / "manifest.json").read_text()
    assert not (there / ".work").exists()
    people = str(tmp_path / "puf.csv")
    flags = ["--vars", "sex,age,race", "--minimal", "2", "--json"]
    capfd.readouterr()
    main(["uniques", people, *flags])
    expected = capfd.readouterr().out
    main(["uniques", people, *flags, *asked])
    assert capfd.readouterr().out == expected


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
