"""One server of processes for all tests of faults: it takes seconds to start."""

import pytest

from faults.nursery import Nursery


@pytest.fixture(scope="session")
def nursery():
    with Nursery() as server:
        yield server
