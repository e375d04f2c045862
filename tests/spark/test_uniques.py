"""Unique records, minimal sets and wildcards on a cluster: the same answers."""

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.needles import shares, wildcard

pytestmark = pytest.mark.xdist_group("spark")
ASKED = {
    "cells": {},
    "drop, k = 3": {"missing": "drop", "k": 3},
    "wildcard": {"missing": "wildcard"},
    "weights": {"weight": "weight"},
    "minimal sets": {"minimal": 3},
    "minimal sets, wildcard": {"minimal": 2, "missing": "wildcard"},
}


def drawn(seed, rows=400, variables=7):
    """Some categories, some of them missing, and long ones so that keys take several words."""
    rng = np.random.default_rng(seed)
    table = {}
    for j in range(variables):
        values = rng.integers(rng.integers(2, 12), size=rows)
        table[f"v{j}"] = [None if rng.random() < 0.05 else f"c{value}" for value in values]
    return pl.DataFrame(table | {"weight": rng.integers(1, 50, rows), "id": range(rows)})


@pytest.mark.parametrize("name", ASKED)
def test_unique_records_are_the_same(session, tmp_path, monkeypatch, name):
    monkeypatch.setattr(wildcard, "MOST_PATTERNS", 1)
    monkeypatch.setattr(wildcard, "MET", 20_000)
    monkeypatch.setattr(shares, "FEWEST", 16)
    frame = drawn(len(name))
    variables = [name for name in frame.columns if name.startswith("v")]
    asked = {"key": "id", **ASKED[name]}
    expected = ri.uniques(frame, variables, **asked)
    for partitions in (1, 64) if name == "cells" else (7,):
        engine = ri.Spark(session, shared=tmp_path, partitions=partitions)
        found = ri.uniques(frame, variables, engine=engine, **asked)
        assert found.to_dict() == expected.to_dict()
        assert np.array_equal(found.counts, expected.counts)
        assert found.listed.equals(expected.listed)
        if expected.minimal is not None:
            assert found.minimal.sets.equals(expected.minimal.sets)
            assert found.minimal.values.equals(expected.minimal.values)
    assert not list(tmp_path.iterdir())
