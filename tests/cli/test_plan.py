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
