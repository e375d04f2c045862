"""Real files anonymised and attacked: what must hold whatever the persons in them."""

import polars as pl
import pytest

from reident import contest
from reident.masking import anonymise_file, read_hierarchy

FILES = {
    "ses": (
        "ses/ses.csv.gz",
        ["location", "size", "sex", "age", "education", "occupation", "contract"],
        ["earningsMonth", "earnings", "earningsHour", "hoursPaid"],
    ),
    "eusilc": (
        "eusilc/eusilc.csv.gz",
        ["db040", "hsize", "rb090", "pl030", "pb220a", "age"],
        ["py010n", "py050n", "hy040n", "hy050n"],
    ),
    "adult": (
        "adult/adult_uci_48842.csv.gz",
        ["education", "marital-status", "occupation", "race", "sex", "workclass"],
        ["age", "fnlwgt", "capital-gain", "hours-per-week"],
    ),
}


def some(data, name):
    """The first 2,000 records, and the roles of their columns."""
    path, qi, sa = FILES[name]
    frame = pl.read_csv(data / path, infer_schema=False)[:2000].select(*qi, *sa)
    blank = [pl.when(pl.col(one) != "NA").then(pl.col(one)).alias(one) for one in qi + sa]
    keyed = frame.with_columns(blank).with_row_index("key").cast(pl.String)
    return keyed, {"key": "key", "qi": qi, "sa": sa}


@pytest.mark.parametrize("name", FILES)
def test_averages_are_worth_a_random_guess(data, name):
    """All records of a class look alike after averaging: euc1 is as good as identify_rand."""
    frame, roles = some(data, name)
    made = anonymise_file(frame, {"methods": ("average",), **roles}, {})
    found = contest.measured(made, roles, "truth", roles["sa"][0])
    assert found["U1"] == pytest.approx(0, abs=1e-6)
    assert found["U3"] == 0
    if frame.select(roles["qi"]).null_count().sum_horizontal()[0] == 0:
        whole = frame.select(roles["sa"]).null_count().sum_horizontal()[0] == 0
        assert not whole or found["EUC1"] == pytest.approx(found["E1"])


def test_hierarchies_of_adult_give_classes_of_k(data):
    frame, roles = some(data, "adult")
    steps = {
        name: read_hierarchy(data / "adult" / f"adult_hierarchy_{name}.csv") for name in roles["qi"]
    }
    made = anonymise_file(frame, {"methods": ("kanonymise",), "k": 5, **roles}, {}, steps)
    assert made.after["S1"] >= 5
    known = {value for levels in steps["education"].values() for value in levels}
    assert set(made.released["education"]) <= known | set(steps["education"])
