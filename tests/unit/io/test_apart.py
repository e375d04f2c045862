"""Files of statistical packages are read in a process that may die without harm."""

import os
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from reident.errors import DataError
from reident.io import writing
from reident.io.formats import apart, statistical
from reident.io.labels import Labels, Span, Table
from reident.model.files import SourceFile

FRAME = pl.DataFrame({"age": [1.0, 2.0, None], "name": ["a", None, "c"]})
LABELS = Labels(
    variables={"age": "Age"},
    values={"age": {"1": "one"}},
    missing={"age": pl.Series("age", [None, None, "7"], dtype=pl.String)},
    declared={"age": (Span(7.0, 9.0),)},
)


@pytest.fixture
def path(tmp_path):
    """An SPSS file with labels, a declared value and a declared range."""
    path = tmp_path / "held.sav"
    writing.write_table(Table(frame=FRAME, labels=LABELS), path)
    return path


def test_the_process_apart_reads_what_the_reader_reads(path):
    file = SourceFile(path)
    assert apart.names(path, file) == statistical.names(path, file)
    assert apart.frame(path, file, ["name"]).equals(statistical.frame(path, file, ["name"]))
    got, want = apart.table(path, file, None), statistical.table(path, file, None)
    assert got.frame.equals(want.frame)
    assert got.labels == want.labels
    assert got.labels.declared["age"]


def test_an_error_comes_over_as_it_was_raised(tmp_path):
    path = tmp_path / "text.sav"
    path.write_text("no such thing", encoding="utf-8")
    with pytest.raises(DataError) as expected:
        statistical.names(path, SourceFile(path))
    with pytest.raises(DataError) as found:
        apart.names(path, SourceFile(path))
    assert found.value.faults == expected.value.faults


@pytest.mark.parametrize(("limit", "value"), [("ROOM", 0), ("SECONDS", 0.0)])
def test_reading_that_breaks_a_limit_is_an_error_of_that_file_alone(
    tmp_path, path, monkeypatch, limit, value
):
    large = tmp_path / "large.dta"
    numbers = pl.Series(range(300_000), dtype=pl.Float64)
    writing.write_table(Table(frame=pl.DataFrame({f"v{j}": numbers for j in range(2)})), large)
    apart.names(path, SourceFile(path))  # started before the limits
    with monkeypatch.context() as patch:
        patch.setattr(apart, limit, value)
        patch.setattr(apart, "ROOM_PER_BYTE", 0)
        patch.setattr(apart, "BYTES_PER_SECOND", 1e12)
        with pytest.raises(DataError, match=r"large\.dta"):
            apart.frame(large, SourceFile(large), None)
    assert apart.frame(path, SourceFile(path), None).equals(FRAME)


def test_nothing_is_left_when_the_process_that_asked_is_killed(path):
    ask = (
        "import sys, time; from pathlib import Path; from reident.io.formats import apart;"
        "from reident.model.files import SourceFile; p = Path(sys.argv[1]);"
        "apart.names(p, SourceFile(p)); print(apart._READER._process.pid, flush=True);"
        "time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", ask, str(path)], stdout=subprocess.PIPE, text=True
    ) as asking:
        other = int(asking.stdout.readline())
        asking.kill()
    for _ in range(100):
        if not _runs(other):
            break
        time.sleep(0.1)
    assert not _runs(other)


def _runs(pid):
    """Whether a process runs; one that has ended but was not waited for does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").split()[2] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
