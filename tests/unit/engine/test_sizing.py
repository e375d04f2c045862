"""What a job would take on a cluster, from what it is expected to take here."""

import pytest

from reident.engine.forecast import Forecast
from reident.engine.sizing import PROCESS, RETURNED, START, WRITTEN, sized

HERE = Forecast(
    how="index", seconds=1.5 + 0.3 + 40.0, prepared=1.5, loading=0.3, size=1_000_000, made=5_000
)


def test_pairs_are_shared_among_cores_and_kernels_are_not_loaded_twice():
    found = sized(HERE, 8, (200, 300), None)
    assert found.seconds == pytest.approx(1.5 + 2 * 1_000_000 / WRITTEN + START + 40.0 / 8)
    assert found.shipped == 1_000_000
    assert found.worker == 1_000_000 + 5_000 + PROCESS
    assert found.returned == 200 * RETURNED


def test_larger_files_cost_by_pair_and_hold_by_record():
    found = sized(HERE, 8, (200, 300), (2000, 900))
    shipped = 10 * 1_000_000
    seconds = 10 * 1.5 + 2 * shipped / WRITTEN + START + 40.0 * 10 * 3 / 8
    assert found.seconds == pytest.approx(seconds)
    assert found.shipped == shipped
    assert found.worker == shipped + 10 * 5_000 + PROCESS
    assert found.returned == 2000 * RETURNED
