"""The engine leaves every byte as it is: all attacks, on any number of partitions."""

import pytest

import reident as ri
from laws.test_running import as_bytes
from real.conftest import DATA
from reident.attacks import index, unicity
from reident.io.intake import take_in
from reident.run import run
from spark.real_studies import nist_acs
from strategies import large_case

pytestmark = pytest.mark.xdist_group("spark")
PARTITIONS = (1, 2, 7, 64)
SEEDS = (2, 5, 13, 29, 34, 38, 41, 49)
"""Of studies that take all attacks between them, each at least once."""


def on_cluster(study, session, folder, partitions, **how):
    engine = ri.Spark(session, shared=folder, partitions=partitions)
    return as_bytes(run(study, take_in(study), engine=engine, **how))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_studies_give_the_same_bytes(session, tmp_path, monkeypatch, seed):
    study = large_case(seed, callables=False).study()
    if seed % 2:
        # Ways that only large files take.
        for home in (index, unicity):
            monkeypatch.setattr(home, "WORTHWHILE", 0)
    expected = as_bytes(study.run())
    for partitions in PARTITIONS:
        found = on_cluster(study, session, tmp_path, partitions, budget=1000)
        assert found == expected
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not DATA.is_dir(), reason="no data folder; set REIDENT_DATA")
def test_real_persons_are_looked_up_alike(session, tmp_path):
    study = nist_acs(DATA, ri.Taxicab())
    engine = ri.Spark(session, shared=tmp_path)
    found = run(study, take_in(study), engine=engine)
    assert found.manifest["methods"] == {"taxicab": "index"}
    assert as_bytes(found) == as_bytes(study.run(jobs=2))
