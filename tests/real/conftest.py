"""Real microdata, read in place. Without the folder these tests are skipped, in one line."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("REIDENT_DATA", ROOT.parent / "shared" / "data"))


def pytest_collection_modifyitems(config, items):
    del config
    if DATA.is_dir() or os.environ.get("REIDENT_REQUIRE_DATA") == "1":
        return
    skip = pytest.mark.skip(reason="no data folder; set REIDENT_DATA to run tests on real files")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def data():
    """The folder of real microdata."""
    assert DATA.is_dir(), "REIDENT_REQUIRE_DATA=1 and no data folder: set REIDENT_DATA"
    return DATA
