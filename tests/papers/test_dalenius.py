"""Every table of Dalenius (1986), through the public API and through the command line.

Sections are those of "Finding a Needle In a Haystack"; the ten records of minimal sets are
those of the SDC practice guide.
"""

import json
import math
import stat
from itertools import permutations

import polars as pl
import pytest

import reident as ri
from reident.cli import main
from reident.needles.transforms import VALUES

NAMES = ["X", "Y", "Z", "U", "V"]
TWO = ("10110", "01101", "10110", "01101", "11101", "01101", "01101")
GENERAL = ("13201", "02210", "11001", "13201", "02210", "02210", "13201")
EIGHT = ("11322", "00502", "11322", "00211", "11321", "00502", "00211", "11322")
SIZES = {TWO: (2, 2, 2, 2, 2), GENERAL: (2, 4, 3, 2, 2), EIGHT: (2, 2, 6, 3, 3)}
METHODS = ("auto", "sort", "stream", "catalogue", "t1", "t2")


def frame_of(rows):
    """Records whose columns declare their categories, also those that no record has."""
    columns = [
        pl.Series(name, list(digits), pl.Enum([str(c) for c in range(size)]))
        for name, digits, size in zip(NAMES, zip(*rows, strict=True), SIZES[rows], strict=True)
    ]
    return pl.DataFrame([pl.Series("no", range(1, len(rows) + 1)), *columns])


def listed(found):
    return dict(found.to_polars().select("record", "count").rows())


TABLES = {
    "3.2": (TWO, 2, {1: 2, 3: 2, 5: 1}),
    "3.4": (GENERAL, 2, {3: 1}),
    "5.3": (EIGHT, 2, {2: 2, 4: 2, 5: 1, 6: 2, 7: 2}),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("table", TABLES)
def test_the_outcome_is_that_of_the_table(table, method):
    rows, k, unique = TABLES[table]
    assert listed(ri.uniques(frame_of(rows), NAMES, k=k, method=method)) == unique


@pytest.mark.parametrize("method", METHODS)
def test_3_2_cells_and_their_records(method):
    found = ri.uniques(frame_of(TWO), NAMES, k=4, method=method)
    assert listed(found) == {1: 2, 2: 4, 3: 2, 4: 4, 5: 1, 6: 4, 7: 4}
    assert found.cells == 3
    assert [row["cells"] for row in found.by_count] == [1, 1, 0, 1]
    assert [row["records"] for row in found.by_count] == [1, 2, 0, 4]
    assert found.violations == {2: 1, 3: 3, 5: 7, 10: 7}
    assert (found.smallest, found.mean) == (1, 7 / 3)


def test_5_3_three_records_are_no_longer_kept_track_of():
    found = ri.uniques(frame_of(EIGHT), NAMES, k=3, method="stream")
    assert listed(found) == {1: 3, 2: 2, 3: 3, 4: 2, 5: 1, 6: 2, 7: 2, 8: 3}
    assert [row["cells"] for row in found.by_count] == [1, 2, 1]


def table_of(transform, sizes):
    """For each variable the transformed value of each of its categories."""
    return [[VALUES[transform](sizes, j, c) for c in range(size)] for j, size in enumerate(sizes)]


def test_4_1_the_categories_transformed():
    assert table_of("t1", SIZES[TWO]) == [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]
    general = [[0, 1], [0, 2, 4, 8], [0, 16, 32], [0, 64], [0, 128]]
    assert table_of("t1", SIZES[GENERAL]) == general


def test_4_2_the_categories_transformed():
    assert table_of("t2", SIZES[TWO]) == table_of("t1", SIZES[TWO])
    general = [[0, 1], [0, 2, 4, 6], [0, 8, 16], [0, 24], [0, 48]]
    assert table_of("t2", SIZES[GENERAL]) == general


SUMS = {
    "4.1.2": (TWO, "t1", [13, 22, 13, 22, 23, 22, 22]),
    "4.1.3": (GENERAL, "t1", [169, 100, 131, 169, 100, 100, 169]),
    "4.2.2": (TWO, "t2", [13, 22, 13, 22, 23, 22, 22]),
    "4.2.3": (GENERAL, "t2", [71, 44, 51, 71, 44, 44, 71]),
}


@pytest.mark.parametrize("table", SUMS)
def test_4_the_sums(table):
    rows, method, sums = SUMS[table]
    found = ri.uniques(frame_of(rows), NAMES, k=7, method=method)
    assert found.to_polars()["sum"].to_list() == [str(total) for total in sums]


def test_4_the_order_of_variables_changes_sums_and_no_cell():
    seen = set()
    for order in list(permutations(NAMES))[::17]:
        found = ri.uniques(frame_of(GENERAL), order, k=7, method="t2")
        seen.add(tuple(found.to_polars()["sum"]))
        assert found.counts.tolist() == [3, 3, 1, 3, 3, 3, 3]
    assert len(seen) > 1


@pytest.mark.parametrize("table", [*TABLES, *SUMS])
def test_the_command_line_gives_the_same(table, tmp_path, capsys):
    if table in TABLES:
        rows, k, unique = TABLES[table]
        method, sums = "auto", None
    else:
        rows, method, sums = SUMS[table]
        k, unique = 7, None
    source, out = tmp_path / "file.parquet", tmp_path / "out"
    frame_of(rows).write_parquet(source)
    flags = ["--vars", ",".join(NAMES), "--key", "no", "--k", str(k), "--method", method]
    assert main(["uniques", str(source), *flags, "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == json.loads((out / "results.json").read_text())
    restricted = pl.read_parquet(out / "restricted" / "uniques.parquet")
    if unique is not None:
        counts = dict(restricted.select(pl.col("key_no").cast(pl.Int64), "count").rows())
        assert counts == unique
        assert told["unique_records"] == len(unique)
    if sums is not None:
        assert restricted["sum"].to_list() == [str(total) for total in sums]
    assert stat.S_IMODE((out / "restricted").stat().st_mode) == 0o700
    assert stat.S_IMODE((out / "restricted" / "uniques.parquet").stat().st_mode) == 0o600


# Minimal sample uniques: the practice guide's ten records -----------------------------------------

GUIDE = pl.DataFrame(
    [
        ("U", "F", "SecInc", "Emp"),
        ("U", "F", "SecInc", "Emp"),
        ("U", "F", "PrimInc", "NonLF"),
        ("U", "M", "SecCom", "Emp"),
        ("R", "F", "SecCom", "Unemp"),
        ("U", "M", "SecCom", "Emp"),
        ("U", "F", "PrimCom", "NonLF"),
        ("U", "M", "PostSec", "Unemp"),
        ("U", "F", "SecInc", "NonLF"),
        ("U", "F", "SecInc", "NonLF"),
    ],
    schema=["Residence", "Gender", "Education", "Labour"],
    orient="row",
)


def test_the_scores_of_the_ten_records():
    found = ri.minimal_uniques(GUIDE, GUIDE.columns, size=3)
    assert found.scores.tolist() == [0, 0, 6, 0, 12, 0, 6, 10, 0, 0]
    fifth = found.sets.filter(pl.col("record") == 5)
    assert fifth["variables"].to_list() == [
        ["Residence"],
        ["Gender", "Education"],
        ["Gender", "Labour"],
        ["Education", "Labour"],
    ]
    assert fifth["score"].to_list() == [6, 2, 2, 2]
    assert found.by_size == (4, 5, 0)
    assert found.beyond == 0


def test_the_dis_scores_of_the_ten_records():
    found = ri.minimal_uniques(GUIDE, GUIDE.columns, size=3, fraction=0.01)
    shown = [None if math.isnan(dis) else round(dis, 4) for dis in found.dis.tolist()]
    assert shown == [None, None, 0.0051, None, 0.0107, None, 0.0051, 0.0088, None, None]
    assert found.file_dis == pytest.approx(0.04 / (0.04 + 6 * 0.99))


def test_contributions_are_shares_of_the_scores():
    found = ri.minimal_uniques(GUIDE, GUIDE.columns, size=3)
    whole = 6 + 12 + 6 + 10
    shares = {"Residence": 6 + 2, "Gender": 4 + 2, "Education": 6 + 4 + 6 + 6, "Labour": 4 + 4}
    for name, score in shares.items():
        assert found.contributions[name] == pytest.approx(100 * score / whole), name


def test_individual_risk_by_the_formulas_for_one_and_two():
    frame = pl.DataFrame({"a": ["x", "y", "y"], "w": [10.0, 4.0, 6.0]})
    p, two = 1 / 10, 2 / 10
    found = ri.uniques(frame, ["a"], weight="w").risk.records.tolist()
    assert found[0] == pytest.approx(p / (1 - p) * math.log(1 / p))
    odds = two / (1 - two)
    assert found[1] == found[2] == pytest.approx(odds - odds**2 * math.log(1 / two))


# Part 6: protective action on the unique records of 3.2, which are 1, 3 and 5 ---------------------

UNIQUE = {1, 3, 5}


def protected(**options):
    return ri.protect(frame_of(TWO), NAMES, key="no", **options)


def test_6_2_destruction_leaves_the_four_that_share_their_data():
    found = protected(action="destroy")
    assert found.frame["no"].to_list() == [2, 4, 6, 7]
    assert set(found.changes["key_no"].to_list()) == {"1", "3", "5"}
    assert found.to_dict()["share_lost"] == pytest.approx(300 / 7)
    assert (found.after.cells, found.after.unique_records) == (1, 0)


def test_6_3_blanking_all_data_leaves_no_quasi_identifier():
    found = protected(action="blank")
    blank = found.frame.filter(pl.all_horizontal(pl.col(NAMES).is_null()))
    assert set(blank["no"].to_list()) == UNIQUE
    assert found.cells_changed == 15
    assert (found.after.unique_records, found.after.protected) == (0, 3)


def test_6_3_blanking_some_data_may_not_protect():
    """Without V record 5 is 1110-, and so is nobody else: it is unique still."""
    found = protected(action="blank", change=["V"])
    assert found.after.listed["record"].to_list() == [1, 3, 5]
    assert [note.code for note in found.notes][:2] == ["still_unique", "partly_hidden"]


def test_6_4_counts_1_2_4_are_rounded_to_a_base_of_three():
    """Seven is one more than a multiple: one record stays unrounded in the largest cell."""
    seen = set()
    for seed in range(12):
        found = protected(action="perturb", how="table_round", seed=seed)
        rows = ["".join(row) for row in found.frame.select(NAMES).rows()]
        counts = tuple(rows.count(cell) for cell in ("11101", "10110", "01101"))
        assert counts in {(0, 0, 7), (0, 3, 4), (3, 0, 4)}
        assert found.after.unique_records == 0
        seen.add(counts)
    assert len(seen) > 1


def test_6_5_encryption_is_reversible(tmp_path):
    found = protected(action="encrypt", key_file=tmp_path / "key")
    hidden = found.frame.filter(pl.col("sealed1").is_not_null())
    assert set(hidden["no"].to_list()) == UNIQUE
    assert (found.after.unique_records, found.after.protected) == (0, 3)
    assert ri.decrypt(found.frame, key_file=tmp_path / "key").equals(frame_of(TWO))
