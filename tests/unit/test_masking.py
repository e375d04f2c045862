"""Anonymised files: what each method may change, whose truth is kept, and who is refused."""

import json

import polars as pl
import pytest

import reident as ri
from reident.cli import main

QI, SA = ["sex", "town"], ["income", "rent"]
METHODS = ("kanonymise", "noise", "cheat", "unify", "average", "swap", "delete", "rank_swap",
           "pram", "round", "microaggregate")  # fmt: skip


def people(count=60):
    return pl.DataFrame(
        {
            "id": [f"p{i:03}" for i in range(count)],
            "sex": ["fm"[i % 2] for i in range(count)],
            "town": ["abcdefg"[i * i % 7] for i in range(count)],
            "income": [None if i == 5 else 100.0 + 37 * i % 101 for i in range(count)],
            "rent": [10.0 + 13 * i % 29 for i in range(count)],
        }
    )


def made(*methods, frame=None, **options):
    frame = people() if frame is None else frame
    return ri.anonymise(frame, methods, key="id", qi=QI, sa=SA, **{"seed": 7} | options)


def aligned(result):
    """Released and original values side by side, by the truth."""
    both = result.released.join(result.truth, left_on="id", right_on="released_id")
    return both.join(result.original, left_on="original_id", right_on="id", suffix="_x")


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_release_and_the_order_of_rows_does_not_matter(method):
    one, two = made(method), made(method)
    assert one.released.equals(two.released)
    turned = made(method, frame=people()[::-1])
    columns = ["original_id", *QI, *SA]
    left = aligned(one).select(columns).sort("original_id")
    right = aligned(turned).select(columns).sort("original_id")
    assert left.equals(right)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_changes_only_what_it_is_for(method):
    result = made(method, k=20)
    touched = {
        "kanonymise": QI, "unify": QI[:1], "pram": QI, "cheat": [], "delete": [],
        "noise": SA, "average": SA, "swap": SA, "rank_swap": SA, "round": SA,
        "microaggregate": SA,
    }[method]  # fmt: skip
    side = aligned(result)
    for name in [*QI, *SA]:
        changed = side[name].ne_missing(side[f"{name}_x"]).sum()
        assert changed == result.by_variable[name]
        assert not changed or name in touched, name
    assert bool(result.cells_changed) == bool(touched)
    lost = 6 if method == "delete" else 0
    assert len(result.released) == 60 - lost


def test_swap_and_average_stay_inside_their_class():
    for method in ("swap", "average"):
        side = aligned(made(method, frame=people().drop_nulls()))
        means = side.group_by(QI).agg(
            (pl.col(name).mean() - pl.col(f"{name}_x").mean()).abs() for name in SA
        )
        assert all(value < 1e-9 for name in SA for value in means[name])
    sorted_by = [*QI, "income"]
    side = aligned(made("swap", frame=people().drop_nulls()))
    assert side["income"].sort().equals(side["income_x"].sort())
    assert len(side.sort(sorted_by)) == 59


def test_rank_swap_exchanges_values_of_near_rank():
    side = aligned(made("rank_swap", window=0.1))
    for name in SA:
        assert side[name].sort().equals(side[f"{name}_x"].sort().alias(name))
        values = side[f"{name}_x"].drop_nulls().sort()
        low, high = (
            [values.search_sorted(value, end) for value in side[name].drop_nulls()]
            for end in ("left", "right")
        )
        own = side[f"{name}_x"].drop_nulls()
        below = [values.search_sorted(value, "left") for value in own]
        above = [values.search_sorted(value, "right") for value in own]
        apart = pl.Series(
            [max(a - d, c - b) for a, b, c, d in zip(low, high, below, above, strict=True)]
        )
        assert apart.max() <= 6


def test_micro_aggregated_values_are_means_of_groups_of_at_least_k():
    whole = people().drop_nulls()
    for method in ("microaggregate", "mdav"):
        side = aligned(made(method, frame=whole, k=4))
        groups = SA if method == "mdav" else None
        for name in SA:
            held = side.group_by(groups or name).agg(pl.len(), pl.col(f"{name}_x").mean())
            assert held["len"].min() >= 4
            assert (held[name] - held[f"{name}_x"]).abs().max() < 1e-9
        turned = aligned(made(method, frame=whole[::-1], k=4)).sort("original_id")
        assert turned.select(SA).equals(side.sort("original_id").select(SA))


def test_mdav_refuses_missing_values_and_tells_none():
    with pytest.raises(ri.DataError, match="1 records with a missing value"):
        made("mdav")


@pytest.mark.parametrize("k", [2, 3, 5, 20])
def test_kanonymised_classes_have_at_least_k_records(k):
    result = made("kanonymise", k=k)
    assert result.after["S1"] >= k
    assert len(result.released) == 60


def test_hierarchies_say_what_a_value_becomes(tmp_path):
    towns = {town: ("west" if town < "d" else "east", "*") for town in "abcdefg"}
    sexes = {"f": ("*",), "m": ("*",)}
    result = made("kanonymise", k=10, hierarchies={"town": towns, "sex": sexes})
    assert set(result.released["town"]) <= {*"abcdefg", "west", "east", "*"}
    (tmp_path / "adult_hierarchy_town.csv").write_text(
        "\n".join(";".join([town, *steps]) for town, steps in towns.items()), encoding="utf-8"
    )
    people().write_csv(tmp_path / "x.csv")
    out = tmp_path / "b.csv"
    flags = ["--method", "kanonymise", "--key", "id", "--qi", "sex,town", "--sa", "income,rent"]
    where = ["--hierarchies", str(tmp_path), "--out", str(out), "--k", "10"]
    assert main(["anonymise", str(tmp_path / "x.csv"), *flags, *where]) == 0
    assert set(pl.read_csv(out)["town"]) <= {*"abcdefg", "west", "east", "*"}


def test_methods_go_in_order_and_are_logged():
    result = made("kanonymise", "average", "delete", share=0.5, k=20)
    assert [row["method"] for row in result.log] == ["kanonymise", "average", "delete"]
    assert [row["records"] for row in result.log] == [60, 60, 30]
    assert result.log[0]["cells_changed"] > 0


def test_cheating_protects_nothing_against_the_truth(tmp_path):
    people().write_csv(tmp_path / "x.csv")
    flags = ["--method", "cheat", "--key", "id", "--qi", "sex,town", "--sa", "income,rent"]
    rates = {}
    for against in ("truth", "declared"):
        folder = tmp_path / against
        where = ["--out", str(folder / "b.csv"), "--study", str(folder), "--against", against]
        assert main(["anonymise", str(tmp_path / "x.csv"), *flags, *where]) == 0
        found = ri.Study.read(folder / "study.toml").run()
        rates[against] = found["euc1"].expected_rate
        assert found.to_dict()["utility"]["U5"] == pytest.approx(0) if against == "truth" else True
    assert rates["truth"] == 100
    assert rates["declared"] < 20


def test_files_beside_a_release_are_private_and_not_replaced(tmp_path, capsys):
    people().write_csv(tmp_path / "x.csv")
    flags = ["--method", "noise", "--key", "id", "--qi", "sex,town", "--sa", "income,rent"]
    run = ["anonymise", str(tmp_path / "x.csv"), *flags, "--out", str(tmp_path / "b.csv"), "--json"]
    assert main(run) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["records_in"] == told["records_out"] == 60
    for name in ("b.csv", "b.truth.csv", "b.declared.csv"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0
    assert main(run) == 2
    assert main([*run, "--force"]) == 0


@pytest.mark.parametrize(
    "wrong",
    [{"methods": ["nonsense"]}, {"qi": ["income"]}, {"k": 1}, {"unify": "rent"}, {"share": 1.5}],
)
def test_wrong_options_are_refused(wrong):
    given = {"methods": ["noise"], "key": "id", "qi": QI, "sa": SA} | wrong
    methods = given.pop("methods")
    with pytest.raises(ri.SpecError):
        ri.anonymise(people(), methods, **given)


@pytest.mark.parametrize("methods", [("nois",), ("noise", "nois"), ()])
def test_a_wrong_method_is_one_fault(methods):
    with pytest.raises(ri.SpecError) as told:
        made(*methods)
    assert [fault.where.split(".")[0] for fault in told.value.faults] == ["methods"]
