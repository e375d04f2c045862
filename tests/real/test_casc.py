"""Reference microdata of the CASC project: MDAV's loss as in the literature, and what is linked."""

import numpy as np
import polars as pl
import pytest

import reident as ri

LOSSES = {3: 5.6922, 4: 7.4947, 5: 9.0884, 10: 14.1559}


@pytest.fixture(scope="module")
def census(data):
    return pl.read_csv(data / "casc" / "census.csv")


@pytest.fixture(scope="module")
def eia(data):
    frame = pl.read_csv(data / "casc" / "eia.csv")
    return frame.select("UTILITYID", *frame.columns[5:])


def study_of(original, released):
    """Every record released, the intruder holds the originals."""
    return ri.Study(
        puf=ri.PublicFile(released.with_row_index("p"), key="p"),
        eif=ri.IntruderFile(original.with_row_index("e"), key="e"),
        truth=ri.TruthFile(
            pl.DataFrame({"p": np.arange(len(original)), "e": np.arange(len(original))})
        ),
        variables=[ri.numeric(name) for name in original.columns],
    )


@pytest.mark.parametrize("k", LOSSES)
def test_the_loss_of_mdav_on_census_is_that_of_the_literature(census, k):
    released = ri.microaggregate(census, census.columns, k=k, method="mdav")
    assert released.information_loss == pytest.approx(LOSSES[k], abs=5e-5)


@pytest.mark.parametrize("k", [3, 10])
def test_mdav_runs_on_eia_and_every_released_record_stands_for_k(eia, k):
    released = ri.microaggregate(eia, eia.columns, k=k, method="mdav")
    assert released.frame.group_by(eia.columns).len()["len"].min() >= k
    assert 0 < released.information_loss < 5


@pytest.mark.parametrize("k", range(3, 11))
def test_single_variable_micro_aggregation_of_census_is_undone(census, k):
    released = ri.microaggregate(census, census.columns, k=k)
    result = study_of(census, released.frame).run(ri.MicroaggInterval(variables="all"))
    assert result["microagg_interval"].rates.confirmed >= 99


@pytest.mark.parametrize("k", [3, 5, 10])
def test_mdav_of_census_leaves_about_one_in_k(census, k):
    released = ri.microaggregate(census, census.columns, k=k, method="mdav")
    study = study_of(census, released.frame)
    result = study.run(
        ri.MicroaggInterval(variables="all"),
        ri.MicroaggTrimmed(agree=13),
        ri.Euclidean(keep=1, threshold=2),
    )
    rates = {label: result[label].rates.confirmed for label in result}
    assert rates["euclidean"] == pytest.approx(100 / k, abs=3)
    assert max(rates.values()) == rates["euclidean"]
