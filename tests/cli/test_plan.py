"""plan tells what run would do, and runs nothing."""

import json

from reident.cli import main


def test_plan_tells_pairs_method_seconds_and_bytes_of_every_attack_and_writes_nothing(
    tmp_path, capsys
):
    main(["scenario", "study", "--out", str(tmp_path), "--records", "200"])
    before = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    study = str(tmp_path / "study.toml")
    assert main(["plan", study, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["attacks"]
    assert [row["attack"] for row in rows] == ["unicity", "taxicab", "euclidean", "adhoc"]
    assert {row["method"] for row in rows} == {"masks", "brute"}
    for row in rows:
        assert 0 < row["pairs"] < row["pairs_without_strata"]
        assert row["seconds"] > 0
        assert row["bytes"] > 0
    assert main(["plan", study, "--only", "taxicab"]) == 0
    assert "taxicab" in capsys.readouterr().out
    assert sorted(tmp_path.rglob("*")) == before


def test_plan_of_records_that_meet_nobody_takes_no_time(tmp_path, capsys):
    (tmp_path / "puf.csv").write_text("p,s,x\n1,a,1\n")
    (tmp_path / "eif.csv").write_text("e,s,x\n1,b,1\n")
    (tmp_path / "study.toml").write_text(
        'schema = 1\n[puf]\npath = "puf.csv"\nkey = "p"\n[eif]\npath = "eif.csv"\nkey = "e"\n'
        '[variables]\nx = "categorical"\n[strata]\nby = ["s"]\n'
    )
    assert main(["plan", str(tmp_path / "study.toml"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["attacks"]
    assert [row["pairs"] for row in rows] == [0, 0, 0]
    assert [row["seconds"] for row in rows] == [0.0, 0.0, 0.0]


def test_plan_for_a_cluster_tells_what_is_sent_and_what_it_assumes(tmp_path, capsys):
    main(["scenario", "study", "--out", str(tmp_path), "--records", "200"])
    capsys.readouterr()
    asked = ["plan", str(tmp_path / "study.toml"), "--only", "taxicab", "--engine", "spark"]
    found = []
    for more in (["--cores", "4"], ["--cores", "4", "--records", "2000,2400"]):
        assert main([*asked, *more, "--json"]) == 0
        found += json.loads(capsys.readouterr().out)["attacks"]
    small, large = found
    # Ten times as many records are sent and come back; seconds: unit/engine/test_sizing.
    assert large["shipped"] == 10 * small["shipped"]
    assert large["returned"] == 10 * small["returned"] == 10 * 200 * 100
    assert small["worker"] > small["shipped"]
    assert main([*asked, "--cores", "4"]) == 0
    said = capsys.readouterr()
    assert "MB to each machine" in said.out
    assert said.err.count("assumed: ") == 5


def test_plan_for_a_cluster_needs_its_cores_and_two_numbers(tmp_path, capsys):
    main(["scenario", "study", "--out", str(tmp_path), "--records", "50"])
    study = str(tmp_path / "study.toml")
    for flags, where in (
        (["--engine", "spark"], "--cores: missing"),
        (["--cores", "4"], "--cores: no cluster"),
        (["--engine", "spark", "--cores", "4", "--records", "5"], "--records: not two numbers"),
    ):
        capsys.readouterr()
        assert main(["plan", study, *flags]) == 2
        assert where in capsys.readouterr().err
