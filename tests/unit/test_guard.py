"""Protective actions through the API: small cases by hand, what is told, what is written."""

import json
import stat

import polars as pl
import pytest

import reident as ri
from reident.cli import main
from reident.io.labels import Labels, Table
from reident.io.tables import read_table
from reident.io.writing import write_table
from reident.model.files import SourceFile

FRAME = pl.DataFrame(
    {
        "id": ["p1", "p2", "p3", "p4", "p5", "p6"],
        "sex": ["f", "f", "f", "m", "m", "m"],
        "town": ["a", "a", "a", "a", "b", "b"],
        "income": [10, 20, 30, 40, 50, 60],
        "region": ["n", "n", "s", "s", "s", None],
    }
)
NAMES = ["sex", "town"]
"""Alone is p4; p5 and p6 share their data; p1, p2, p3 share theirs."""


def codes_of(found):
    return [note.code for note in found.notes]


def protect(**options):
    return ri.protect(FRAME, NAMES, key="id", **options)


def test_the_json_has_the_keys_of_the_contract():
    told = protect(action="blank", domains="region").to_dict()
    assert json.loads(json.dumps(told)) == told
    wanted = {"records_in", "records_out", "cells_changed", "by_variable", "before", "after"}
    assert wanted <= set(told)
    assert told["by_variable"] == [
        {"variable": "sex", "changed": 3},
        {"variable": "town", "changed": 3},
    ]
    assert (told["before"]["unique_records"], told["after"]["unique_records"]) == (3, 0)
    assert told["after"]["set_aside"] == [{"rule": "protected", "records": 3}]
    assert (told["after"]["records"], told["after"]["cells"]) == (6, 1)


def test_destroying_tells_the_share_lost_also_by_domain():
    found = protect(action="destroy", k=1, domains=["region"])
    assert found.frame["id"].to_list() == ["p1", "p2", "p3", "p5", "p6"]
    assert found.to_dict()["share_lost"] == pytest.approx(100 / 6)
    rows = found.to_dict()["by_domain"]
    parts = ("domain", "records_in", "records_out", "unique_records")
    assert [tuple(row[part] for part in parts) for row in rows] == [
        ({"region": "s"}, 3, 2, 1),
        ({"region": "n"}, 2, 2, 0),
        ({"region": None}, 1, 1, 0),
    ]
    assert rows[0]["share_lost"] == pytest.approx(100 / 3)
    assert found.changes.rows() == [(4, "p4", None, "destroy")]
    assert found.cells_changed == 0


def test_statistics_are_those_of_both_tables_and_tell_no_few_values():
    frame = pl.concat([FRAME] * 5).with_columns(id=pl.Series(range(30)))
    # A record of its own, with an income that would stand out.
    frame = pl.concat([frame, FRAME[3:4].with_columns(id=pl.lit(99, pl.Int64), sex=pl.lit("x"))])
    found = ri.protect(frame, NAMES, key="id", k=1, action="destroy", domains=["region"])
    row = {row["variable"]: row for row in found.to_dict()["statistics"]}["income"]
    before, after = frame["income"], found.frame["income"]
    assert row["present"] == {"before": 31, "after": 30}
    assert row["mean"]["before"] == pytest.approx(before.mean())
    assert row["mean"]["after"] == pytest.approx(after.mean())
    assert row["sd"]["after"] == pytest.approx(after.std())
    assert "id" not in {row["variable"] for row in found.to_dict()["statistics"]}
    means = {
        row["domain"]["region"]: {one["variable"]: one for one in row["means"]}["income"]
        for row in found.to_dict()["by_domain"]
    }
    assert means["s"]["after"] == pytest.approx(40)
    assert means["n"] == {"variable": "income", "before": 15.0, "after": 15.0}
    assert means[None] == {"variable": "income", "before": None, "after": None}


def test_hiding_some_of_the_data_is_warned_of():
    found = protect(action="blank", change=["town"])
    assert "partly_hidden" in codes_of(found)
    assert "sex" in next(note.text for note in found.notes if note.code == "partly_hidden")
    assert found.frame["sex"].null_count() == 0
    assert "partly_hidden" not in codes_of(protect(action="blank"))


def test_what_is_still_unique_is_stated_first():
    found = protect(action="blank", change=["town"], k=1)
    # p4 alone without a town is alone still.
    assert found.after.unique_records == 1
    assert codes_of(found)[0] == "still_unique"


def test_nothing_unique_changes_nothing():
    frame = pl.DataFrame({"a": ["x"] * 5})
    for action in ("destroy", "blank"):
        found = ri.protect(frame, ["a"], action=action)
        assert found.frame.equals(frame)
        assert codes_of(found) == ["nothing_unique"]
        assert found.changes.is_empty()


def test_one_unique_record_has_nobody_to_swap_with():
    found = protect(action="perturb", how="swap", k=1)
    assert "nobody_to_swap_with" in codes_of(found)
    assert found.frame.equals(FRAME)


def test_rounding_to_the_nearest_keeps_types_and_spellings():
    frame = pl.DataFrame(
        {"a": ["007", "12", "13.5"], "b": [1, 12, 14], "c": pl.Series([2, 3, 9], dtype=pl.UInt8)}
    )
    asked = {"action": "perturb", "how": "round", "rounding": "nearest"}
    found = ri.protect(frame, ["a", "b", "c"], base=7, **asked).frame
    assert found.schema == frame.schema
    assert found.rows() == [("007", 0, 0), ("14", 14, 0), ("14", 14, 7)]


def test_variables_that_are_no_numbers_are_left_and_noted():
    frame = pl.DataFrame({"a": ["x", "y", "z"], "b": [11, 12, 13]})
    found = ri.protect(frame, ["a", "b"], action="perturb", how="round", rounding="nearest")
    assert found.frame["a"].equals(frame["a"])
    assert found.frame["b"].to_list() == [10, 10, 15]
    assert "not_numbers" in codes_of(found)
    with pytest.raises(ri.DataError, match="'a': values that are not numbers, and noise needs"):
        ri.protect(frame, ["a", "b"], action="perturb", how="noise", change=["a"])


def test_rounding_the_table_leaves_no_small_cell():
    """Base k + 1 by default: 12 records in cells of 1, 2, 3 and 6 become multiples of three."""
    frame = pl.DataFrame({"a": list("wxxyyyzzzzzz")})
    for seed in range(10):
        found = ri.protect(frame, ["a"], action="perturb", how="table_round", seed=seed)
        assert found.after.unique_records == 0
        assert set((found.frame["a"].value_counts()["count"] % 3).to_list()) == {0}
    with pytest.raises(ri.SpecError, match="wildcard"):
        ri.protect(frame, ["a"], action="perturb", how="table_round", missing="wildcard")


def test_missing_codes_are_missing_for_pram_too():
    frame = pl.DataFrame({"a": ["x", "y", "-9", "z"]})
    asked = {"action": "perturb", "how": "pram", "share": 1, "missing_codes": "-9"}
    for seed in range(20):
        found = ri.protect(frame, ["a"], seed=seed, **asked).frame["a"].to_list()
        assert found[2] == "-9"
        assert "-9" not in (found[0], found[1], found[3])


def test_the_seed_decides_and_threads_do_not():
    asked = {"action": "perturb", "how": "swap"}
    one, again = (protect(seed=1, jobs=jobs, **asked).frame for jobs in (1, 2))
    assert one.equals(again)
    assert any(not one.equals(protect(seed=seed, **asked).frame) for seed in range(2, 9))


def test_labels_stay_and_kinds_of_missing_go_with_their_cells(tmp_path):
    kinds = pl.Series("x", [".a", None, None, None, ".b"])
    frame = pl.DataFrame({"x": [None, 1, 1, 1, None], "y": ["p", "q", "q", "q", "r"]})
    labels = Labels(values={"x": {"1": "one", ".a": "refused"}}, missing={"x": kinds})
    path, out = tmp_path / "in.dta", tmp_path / "out.dta"
    write_table(Table(frame=frame, labels=labels), path)
    found = ri.protect(path, ["x", "y"], k=1, action="blank", out=out)
    new = read_table(SourceFile(out))
    assert not new.labels.missing
    assert new.labels.values == labels.values
    assert found.by_variable == {"x": 2, "y": 2}
    assert "codebook_kept" in codes_of(found)
    swapped = ri.protect(
        path, ["x", "y"], k=1, action="perturb", how="swap", out=tmp_path / "s.dta"
    )
    assert swapped.by_variable == {"x": 2, "y": 2}
    back = read_table(SourceFile(tmp_path / "s.dta"))
    assert back.labels.missing["x"].to_list() == [".b", None, None, None, ".a"]
    gone = ri.protect(path, ["x", "y"], k=1, action="destroy", out=tmp_path / "d.dta")
    assert (gone.records_out, len(read_table(SourceFile(tmp_path / "d.dta")).frame)) == (3, 3)


# Files --------------------------------------------------------------------------------------------


def test_the_command_writes_the_file_and_what_was_done(tmp_path, capsys):
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    FRAME.write_csv(path)
    flags = ["--vars", "sex,town", "--key", "id", "--action", "blank", "--out", str(out)]
    assert main(["protect", str(path), *flags, "--json"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert told == json.loads((tmp_path / "out.csv.protect" / "results.json").read_text())
    assert told["cells_changed"] == 6
    lines = out.read_text().splitlines()
    assert lines[:2] == ["id,sex,town,income,region", "p1,f,a,10,n"]
    assert lines[4] == "p4,,,40,s"
    changes = pl.read_parquet(tmp_path / "out.csv.protect" / "restricted" / "changes.parquet")
    assert changes.columns == ["record", "key_id", "variable", "action"]
    assert changes.rows()[0] == (4, "p4", "sex", "blank")
    manifest = json.loads((tmp_path / "out.csv.protect" / "manifest.json").read_text())
    assert manifest["outputs"]["file"]["records"] == 6
    for one in [out, *(tmp_path / "out.csv.protect").rglob("*")]:
        mode = 0o700 if one.is_dir() else 0o600
        assert stat.S_IMODE(one.stat().st_mode) == mode
    assert main(["protect", str(path), *flags]) == 2
    assert "something is there" in capsys.readouterr().err
    assert main(["protect", str(path), *flags, "--force"]) == 0
    shown = capsys.readouterr().out
    assert "Before" in shown
    assert "3 unique records had their data blanked out; 6 cells changed." in shown


def test_the_command_encrypts_and_decrypts(tmp_path, capsys):
    path, out, back = (tmp_path / f"{name}.parquet" for name in ("in", "out", "back"))
    FRAME.write_parquet(path)
    key = ["--key-file", str(tmp_path / "key")]
    flags = ["--vars", "sex,town", "--action", "encrypt", "--out", str(out)]
    assert main(["protect", str(path), *flags, *key]) == 0
    assert main(["decrypt", str(out), *key, "--out", str(back)]) == 0
    assert "Restored: 6 records" in capsys.readouterr().err
    assert pl.read_parquet(back).equals(FRAME)
    assert main(["decrypt", str(out), *key, "--out", str(back)]) == 2
    assert main(["decrypt", str(out), *key, "--out", str(back), "--force"]) == 0


def test_the_same_command_makes_the_same_bytes(tmp_path):
    path = tmp_path / "in.csv"
    FRAME.write_csv(path)
    made = []
    for name in ("one", "other"):
        out = tmp_path / name / "out.csv"
        ri.protect(path, NAMES, action="perturb", how="pram", seed=4, key="id", out=out)
        home = out.with_name("out.csv.protect")
        made.append(
            [one.read_bytes() for one in (out, home / "results.json", home / "report.html")]
        )
    assert made[0] == made[1]


def test_the_input_is_never_replaced(tmp_path):
    path = tmp_path / "in.csv"
    FRAME.write_csv(path)
    (tmp_path / "link.csv").symlink_to(path)
    for out in (path, tmp_path / "link.csv"):
        with pytest.raises(ri.RefusalError, match="the input itself"):
            ri.protect(path, NAMES, action="blank", out=out, force=True)
    assert path.read_text() == FRAME.write_csv()


def test_a_table_that_the_format_cannot_hold_leaves_nothing_behind(tmp_path):
    frame = FRAME.rename({"sex": "a name that is too long"})
    with pytest.raises(ri.DataError, match="a name that xpt cannot hold"):
        ri.protect(
            frame,
            ["a name that is too long"],
            action="encrypt",
            key_file=tmp_path / "key",
            out=tmp_path / "new" / "out.xpt",
        )
    assert list(tmp_path.iterdir()) == []
