"""Canaries are looked for in all that is said: by compiled libraries too, and at debug level."""

import logging

import pytest

from bad_input.study_folder import leaks


@pytest.fixture
def capsys(capfd):
    """What is written past Python is seen too."""
    return capfd


@pytest.fixture(autouse=True)
def _nothing_is_logged(caplog):
    caplog.set_level(logging.DEBUG)
    logging.getLogger("numba").setLevel(logging.INFO)  # it tells every step of compiling
    yield
    said = "\n".join(record.getMessage() for record in caplog.get_records("call"))
    assert leaks(said) == []
