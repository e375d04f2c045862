"""The worked tables of the Identify-euc paper, through the API and from study files."""

import json
import math

import polars as pl
import pytest

import reident as ri

QI, SA = ["q1", "q2", "q3"], ["s1", "s2"]
X = [("2", "1", "1", 100, 100), ("2", "1", "1", 200, 400), ("1", "1", "2", 300, 200),
     ("1", "1", "2", 400, 500)]  # fmt: skip
B = [("2", "1", "1", 110, 90), ("2", "1", "1", 220, 390), ("1", "1", "2", 280, 210),
     ("1", "1", "2", 390, 520)]  # fmt: skip
D = [(*row[:2], "1", *row[3:]) for row in X]
F = [(*X[i][:3], *((150, 250) if i < 2 else (350, 350))) for i in range(4)]
G = [(*row[:3], *sa) for row, sa in zip(X, [(200, 100), (100, 400), (300, 500), (400, 200)],
     strict=True)]  # fmt: skip
ONE = {"variable": "s1"}
ATTACKS = {
    "identify_rand": {},
    "identify_sa": ONE,
    "identify_sort": {},
    "identify_sa21": ONE,
    "euc1": {},
    "euc2": {},
}


indices = pytest.mark.parametrize(
    ("released", "u1", "u4", "u5"),
    [(B, 1.25, 0.1139, 0.04063), (F, 0, 0.2929, 0.27083), (G, 0, 0.8485, 0.27083), (D, 0, 0, 0)],
    ids="BFGD",
)


def frame(rows):
    """Rows with the last of the keys 1 to 4."""
    table = pl.DataFrame(rows, [*QI, *SA], orient="row")
    return table.with_columns(pl.Series("id", ["1", "2", "3", "4"][4 - len(rows) :]))


def by_api(released, eif=X, **more):
    methods = (ri.IdentifyRand, ri.IdentifySA, ri.IdentifySort, ri.IdentifySA21, ri.EUC1, ri.EUC2)
    attacks = {
        method.method: method(**ATTACKS[method.method] | more.get(method.method, {}))
        for method in methods
    }
    study = ri.Study(
        puf=ri.PublicFile(frame(released), key="id"),
        eif=ri.IntruderFile(frame(eif).rename({"id": "eid"}), key="eid"),
        truth=ri.TruthFile(pl.DataFrame({"id": ["1", "2", "3", "4"], "eid": ["1", "2", "3", "4"]})),
        variables=[*map(ri.categorical, QI), *map(ri.numeric, SA)],
        attacks=attacks,
    )
    result = study.run()
    return result.to_dict()["attacks"], {label: result[label].pairs for label in attacks}


def by_file(released, tmp_path, eif=X, **more):
    from reident.cli import main

    frame(released).write_csv(tmp_path / "b.csv")
    frame(eif).rename({"id": "eid"}).write_csv(tmp_path / "x.csv")
    truth = pl.DataFrame({"id": ["1", "2", "3", "4"], "eid": ["1", "2", "3", "4"]})
    truth.write_csv(tmp_path / "t.csv")
    lines = ["schema = 1", '[puf]\npath = "b.csv"\nkey = "id"']
    lines += ['[eif]\npath = "x.csv"\nkey = "eid"', '[iuf]\npath = "t.csv"', "[variables]"]
    lines += [f'{name} = "categorical"' for name in QI] + [f'{name} = "numeric"' for name in SA]
    for label, options in ATTACKS.items():
        lines.append(f"[attacks.{label}]")
        given = options | more.get(label, {})
        lines += [f"{name} = {json.dumps(value)}" for name, value in given.items()]
    (tmp_path / "study.toml").write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    flags = ["--out", str(out), "--audit", "4", "--force"]
    assert main(["run", str(tmp_path / "study.toml"), *flags]) == 0
    found = json.loads((out / "results.json").read_text(encoding="utf-8"))["attacks"]
    pairs = pl.read_parquet(out / "restricted" / "pairs.parquet")
    return found, {label: pairs.filter(pl.col("attack") == label) for label in ATTACKS}


@pytest.fixture(params=["api", "file"])
def run(request, tmp_path):
    return (
        by_api if request.param == "api" else lambda rows, **more: by_file(rows, tmp_path, **more)
    )


def guesses(pairs):
    """The guess of each record in order, None for a give-up."""
    by = dict(pairs.select("puf_id", "eif_eid").iter_rows())
    return [int(by[key]) if key in by else None for key in "1234"]


def rates(found):
    return {label: attack["expected_rate"] / 100 for label, attack in found.items()}


def test_b_noise_hides_nobody(run):
    found, pairs = run(B)
    for label in set(ATTACKS) - {"identify_rand"}:
        assert guesses(pairs[label]) == [1, 2, 3, 4]
        assert found[label]["confirmed_rate"] == 100
        assert found[label]["give_ups"] == 0
    assert rates(found) == dict.fromkeys(ATTACKS, 1) | {"identify_rand": 0.5}
    assert pairs["euc1"]["score"][0] == pytest.approx(math.sqrt(200), abs=1e-12)
    assert round(pairs["euc1"]["score"][0], 3) == 14.142
    assert set(pairs["identify_rand"]["tied"]) == {2}


def test_b_the_distances_of_section_3_1(run):
    """To the first record of B the nearer candidate is 14.142 away, the farther 322.8."""
    nearer = run(B)[1]["euc1"]
    assert nearer["score"].to_list()[0] == pytest.approx(14.142, abs=0.0005)
    farther = run(B, eif=X[1:])[1]["euc1"]
    assert guesses(farther)[0] == 2
    assert farther["score"].to_list()[0] == pytest.approx(322.8, abs=0.05)


def test_the_order_of_the_sums_of_section_2_3(run):
    """Records with sums 1, 2, 3, 4 meet those of X in order of theirs: 1, 3, 2, 4."""
    rows = [(*row[:3], place, 0) for place, row in enumerate(X, start=1)]
    assert guesses(run(rows)[1]["identify_sort"]) == [1, 3, 2, 4]


def test_d_a_unified_qi_leaves_two_without_a_match(run):
    found, pairs = run(D)
    assert guesses(pairs["euc1"]) == [1, 2, None, None]
    assert found["euc1"]["give_ups"] == 2
    for label in ("identify_sa", "identify_sort", "identify_sa21", "euc2"):
        assert guesses(pairs[label]) == [1, 2, 3, 4]
    assert rates(found)["identify_rand"] == 0.25
    assert found["identify_rand"]["give_ups"] == 2
    assert rates(found)["euc1"] == 0.5


def test_d_step_4_as_printed_takes_the_own_position(run):
    found, pairs = run(D, euc1={"give_up": "index"})
    assert guesses(pairs["euc1"]) == [1, 2, 3, 4]
    assert found["euc1"]["give_ups"] == 2
    assert pairs["euc1"]["score"].to_list() == [0, 0, None, None]
    assert rates(found)["euc1"] == 1


def test_f_averages_tie(run):
    found, pairs = run(F)
    for label in ("identify_sa", "identify_sa21", "euc1", "euc2"):
        assert guesses(pairs[label]) == [1, 1, 3, 3]  # the lowest key of {1, 2} and of {3, 4}
        assert pairs[label]["tied"].to_list() == [2, 2, 2, 2]
        assert rates(found)[label] == 0.5
        assert found[label]["confirmed"] == 2
    assert rates(found)["identify_rand"] == 0.5


def test_f_sums_tie_with_the_places_they_take(run):
    """The sums of X are in order 1, 3, 2, 4: the first two places hold records 1 and 3."""
    found, pairs = run(F)
    assert guesses(pairs["identify_sort"]) == [1, 1, 2, 2]
    assert pairs["identify_sort"]["tied"].to_list() == [2, 2, 2, 2]
    assert rates(found)["identify_sort"] == 0.25


def test_f_ties_can_be_given_up(run):
    some = {"ties": "none"}
    found, pairs = run(F, identify_sa=some, identify_sa21=some, identify_sort=some, euc1=some)
    for label in ("identify_sa", "identify_sa21", "identify_sort", "euc1"):
        assert guesses(pairs[label]) == [None] * 4
        assert found[label]["give_ups"] == 4
        assert rates(found)[label] == 0
        assert found[label]["conditional_rate"] is None


def test_g_swapped_values(run):
    found, pairs = run(G)
    assert guesses(pairs["identify_sa"]) == [2, 1, 3, 4]
    assert guesses(pairs["identify_sort"]) == [1, 3, 4, 2]
    assert guesses(pairs["identify_sa21"]) == [2, 1, 3, 4]
    assert guesses(pairs["euc1"]) == guesses(pairs["euc2"]) == [1, 2, 4, 3]
    assert rates(found)["identify_rand"] == 0.5
    assert rates(found)["identify_sort"] == 0.25
    assert rates(found)["identify_sa21"] == 0.5
    assert rates(found)["identify_sa"] == rates(found)["euc1"] == 0.5


def test_table_13_e4_gives_up_on_the_zeros():
    """76 of 100 values of the attribute are 0: with ties given up the largest rate is 0.24."""
    rows = pl.DataFrame({"id": [f"{i:03}" for i in range(100)], "s": [0] * 76 + list(range(1, 25))})
    study = ri.Study(
        puf=ri.PublicFile(rows, key="id"),
        eif=ri.IntruderFile(rows.rename({"id": "e"}), key="e"),
        truth=ri.TruthFile(rows.select("id", e="id")),
        variables=[ri.numeric("s")],
        attacks={
            "none": ri.IdentifySA21(ties="none"),
            "first": ri.IdentifySA21(),
        },
    )
    found = study.run()
    assert found["none"].expected_rate == found["none"].rates.confirmed == 24
    assert found["first"].expected_rate == 25  # each of the 76 is right once in 76


def test_table_13_rates_divide_by_the_anonymised_records():
    """Ten of 100 records deleted: E3 and E4 of the table are 6/90 and 8/90."""
    assert [round(part / 90, 3) for part in (6, 8)] == [0.067, 0.089]


def test_the_rate_of_the_original_is_told_where_the_files_differ():
    rows = frame(B)[:2]
    study = ri.Study(
        puf=ri.PublicFile(rows, key="id"),
        eif=ri.IntruderFile(frame(X).rename({"id": "e"}), key="e"),
        truth=ri.TruthFile(rows.select("id", e="id")),
        variables=[*map(ri.categorical, QI), *map(ri.numeric, SA)],
    )
    found = study.run(ri.EUC1())["euc1"]
    assert found.expected_rate == 100
    [note] = [note for note in found.notes if note.code == "rate_of_original"]
    assert "50" in note.text
    same = by_api(B)[0]["euc1"]
    assert "rate_of_original" not in {note["code"] for note in same["notes"]}


@indices
def test_table_1_indices_of_the_samples(released, u1, u4, u5, tmp_path, capsys):
    from reident.cli import main

    found = ri.utility(frame(X), frame(released), qi=QI, sa=SA, key="id").to_dict()
    assert found["U1"] == u1
    assert (round(found["U4"], 4), round(found["U5"], 5)) == (u4, u5)
    assert (found["U6"], found["S1"], found["S2"]) == (0, 2, 2)
    frame(X).write_csv(tmp_path / "x.csv")
    frame(released).write_csv(tmp_path / "b.csv")
    files = [str(tmp_path / name) for name in ("x.csv", "b.csv")]
    flags = ["--qi", ",".join(QI), "--sa", ",".join(SA)]
    assert main(["utility", *files, *flags, "--key", "id", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found
    assert main(["utility", *files, *flags]) == 0
    assert "meanMAE" in capsys.readouterr().out


def test_table_1_the_cross_table_of_a_unified_qi():
    """Cell (1,1,1) of D is not in X and counts 0 there: means 350, 350 and 2 records more."""
    found = ri.utility(frame(X), frame(D), qi=QI, sa=SA)
    assert (found["U2"], found["U3"]) == (175, 1)
    union = ri.utility(frame(X), frame(D), qi=QI, sa=SA, cells="union")
    assert (union["U2"], union["U3"]) == (pytest.approx(700 / 3), pytest.approx(4 / 3))


def test_table_13_s2_counts_records_per_class():
    assert round(100 / 97, 3) == 1.031
    some = pl.DataFrame({"q": [str(i) for i in range(96)] + ["x"] * 4, "s": range(100)})
    assert ri.utility(some, some, qi=["q"], sa=["s"])["S2"] == 100 / 97


@indices
def test_a_study_with_its_original_adds_the_indices(released, u1, u4, u5, tmp_path, capsys):
    from reident.cli import main

    by_file(released, tmp_path)
    text = (tmp_path / "study.toml").read_text(encoding="utf-8")
    more = '\n[utility]\noriginal = "x.csv"\nkey = "eid"\n'
    (tmp_path / "more.toml").write_text(text + more, encoding="utf-8")
    found = ri.Study.read(tmp_path / "more.toml").run().to_dict()["utility"]
    assert (found["U1"], round(found["U4"], 4), round(found["U5"], 5)) == (u1, u4, u5)
    assert (found["U6"], found["S1"], found["S2"]) == (0, 2, 2)
    capsys.readouterr()
    flags = ["--json", "--out", str(tmp_path / "more"), "--only", "euc1"]
    assert main(["run", str(tmp_path / "more.toml"), *flags]) == 0
    assert json.loads(capsys.readouterr().out)["utility"] == found
