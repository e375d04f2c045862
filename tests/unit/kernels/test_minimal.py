"""Minimal unique sets of small files, in rooms that are too small at first."""

import numba
import numpy as np
import pytest

from reident.encode.categories import Coded
from reident.engine.local import local
from reident.kernels import minimal
from reident.needles.minimal import minimal_sets
from reident.oracle import uniques as oracle


@pytest.fixture(autouse=True)
def _small_rooms(monkeypatch):
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    if numba.config.DISABLE_JIT:
        monkeypatch.setattr(minimal, "ROOM", 1)


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_sets_are_those_of_the_definition_whatever_the_room(missing):
    draw = np.random.default_rng(5)
    for _ in range(25):
        variables, n = int(draw.integers(2, 6)), int(draw.integers(2, 12))
        codes = draw.integers(0, 4, (variables, n)).astype(np.uint8)
        records = [tuple(None if c == 3 else str(c) for c in row) for row in codes.T.tolist()]
        whole = Coded(codes, (4,) * variables, (3,) * variables)
        found = minimal_sets(whole, variables, local(), wildcard=missing == "wildcard")
        sets = oracle.minimal_sets(records, variables, missing)
        want = [(r, sum(1 << j for j in one)) for r, mine in enumerate(sets) for one in mine]
        assert sorted(zip(found.rows.tolist(), found.masks.tolist(), strict=True)) == sorted(want)
