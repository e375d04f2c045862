"""The made-up study: the same bytes every time, files that fit it, a truth that is true."""

import functools
import tomllib

import polars as pl
import pytest

import reident as ri
from reident.scenario.people import LONELY_STATE
from reident.scenario.population import study_scenario

RECORDS = 400


@functools.cache
def scenario(seed=3):
    return study_scenario(records=RECORDS, seed=seed)


@functools.cache
def study():
    return tomllib.loads(scenario().study)


def test_the_same_seed_gives_the_same_bytes_and_another_does_not():
    assert scenario().files() == study_scenario(records=RECORDS, seed=3).files()
    assert scenario().files() != scenario(seed=4).files()


@pytest.mark.parametrize("records", [1, 2, 10, RECORDS])
def test_the_sizes_are_those_asked_for(records):
    made = study_scenario(records=records, seed=11)
    assert made.puf.height == records
    assert made.eif.height == round(1.2 * records)
    assert made.iuf.height == max(1, round(0.6 * records))


def test_every_column_that_the_study_names_is_there():
    made, spec = scenario(), study()
    assert set(spec["puf"]["key"]) <= set(made.puf.columns)
    assert spec["eif"]["key"] in made.eif.columns
    for variable in spec["variables"].values():
        assert variable["puf"] in made.puf.columns
        assert variable["puf"] in made.iuf.columns
        assert variable["eif"] in made.eif.columns
    [stratum] = spec["strata"]["by"]
    assert stratum["puf"] in made.puf.columns
    assert stratum["eif"] in made.eif.columns
    assert list(spec["attacks"]) == ["unicity", "taxicab", "euclidean", "adhoc"]
    assert set(spec["attacks"]["adhoc"]["rules"]) == set(spec["variables"])
    assert spec["marking"] == "EXAMPLE"
    assert spec["seed"] == 3


def test_keys_are_keys():
    made = scenario()
    for frame, key in ((made.puf, ["household", "person"]), (made.eif, ["eifid"])):
        assert not frame.select(key).is_duplicated().any()
        assert frame.select(key).null_count().sum_horizontal().item() == 0


def test_the_truth_pairs_records_of_both_files_once():
    made = scenario()
    assert made.iuf.join(made.puf, on=["household", "person"], how="anti").is_empty()
    assert made.iuf.join(made.eif, on="eifid", how="anti").is_empty()
    assert not made.iuf.select("eifid").is_duplicated().any()
    assert not made.iuf.select("household", "person").is_duplicated().any()


def test_the_truth_is_about_one_person():
    made = scenario()
    both = made.iuf.join(made.eif, on="eifid")
    # The intruder's file is a year younger, so that everybody is a year older in it.
    older = both["age_years"].cast(pl.Int64) - both["AGE"].cast(pl.Int64)
    assert older.unique().to_list() == [1]
    assert (both["SEX"] == both["gender"]).mean() > 0.95
    assert ((both["RENT"] == "-6") == (both["rent_paid"] == "-6")).mean() > 0.95


def test_strata_are_unequal_one_is_unknown_to_the_intruder_and_some_are_missing():
    made = study_scenario(records=2000, seed=20261115)
    sizes = made.puf["ST"].drop_nulls().value_counts(sort=True)
    assert 4 <= sizes.height <= 8
    assert sizes["count"].max() > 5 * sizes["count"].min()
    assert LONELY_STATE in made.puf["ST"]
    assert LONELY_STATE not in made.eif["st"]
    assert 0 < made.puf["ST"].null_count() < 20


def test_codes_keep_their_leading_zeros_and_missing_codes_are_declared():
    made, spec = scenario(), study()
    assert made.puf["OCC"].str.len_chars().unique().to_list() == [2]
    assert set(made.puf["OCC"]) - {"-9"} <= {f"{code:02}" for code in range(1, 25)}
    assert made.puf["CNTY"].str.len_chars().unique().to_list() == [5]
    for variable in spec["variables"].values():
        values = made.puf[variable["puf"]]
        assert values.null_count() == 0
        if "missing" in variable:
            assert values.is_in(variable["missing"]).any()
        else:
            assert not values.is_in(["-9", "-6"]).any()
        if "not_applicable" in variable:
            assert values.is_in(variable["not_applicable"]).any()
            assert made.eif[variable["eif"]].is_in(variable["not_applicable"]).any()
    assert made.puf["MOVED"].str.to_date(strict=True).null_count() == 0


@pytest.fixture
def written(tmp_path):
    for name, content in scenario().files().items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def test_the_study_runs_and_its_rates_mean_something(written):
    results = ri.Study.read(written / "study.toml").run().to_dict()
    assert results["overlap"] == results["truth_pairs"] == scenario().iuf.height
    rates = [attack["conditional_rate"] for attack in results["attacks"].values()]
    assert all(5 < rate < 65 for rate in rates)
    assert len({round(rate) for rate in rates}) > 1
    assert any(20 < attack["suspected_rate"] < 60 for attack in results["attacks"].values())


def test_unperturbed_values_are_found_more_often(written):
    study = ri.Study.read(written / "study.toml")
    released, before = study.run(ri.Taxicab()), study.run(ri.Taxicab(), unperturbed=True)
    assert before["taxicab"].confirmed > 1.2 * released["taxicab"].confirmed


def test_the_variable_left_to_the_reader_can_be_taken_in(written):
    path = written / "study.toml"
    path.write_text(path.read_text().replace("# education", "education"))
    study = ri.Study.read(path)
    assert study.variables[-1].name == "education"
    more = study.run(ri.Taxicab())["taxicab"]
    less = ri.Study(**{**dict(study), "variables": study.variables[:-1], "attacks": {
        "taxicab": ri.Taxicab()}}).run()["taxicab"]  # fmt: skip
    assert more.rates.conditional > less.rates.conditional
