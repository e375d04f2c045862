"""The public names: sorted, importable, documented, and cheap to have."""

import inspect
import subprocess
import sys

import pytest

import reident
from reident.cli import VERBS

HEAVY = ("numba", "polars", "scipy", "rapidfuzz", "xlsxwriter", "jinja2")


def test_public_names_are_sorted_and_each_is_there_once():
    assert reident.__all__ == sorted(set(reident.__all__))
    assert dir(reident) == reident.__all__


@pytest.mark.parametrize("name", reident.__all__)
def test_a_public_name_can_be_imported_and_is_documented(name):
    thing = getattr(reident, name)
    assert inspect.isclass(thing) or callable(thing)
    assert inspect.getdoc(thing)
    assert thing.__name__ == name


def test_a_name_that_is_not_public_is_not_there():
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = reident.Nothing


def loaded(code):
    """Heavy modules that are loaded after some code has run in a new process."""
    script = f"{code}\nimport sys\nprint([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.splitlines()[-1]


def test_importing_the_package_imports_nothing_heavy():
    assert loaded("import reident; reident.__all__") == "[]"


@pytest.mark.parametrize(
    "flags", [["--help"], ["--version"], *([verb, "--help"] for verb in VERBS)]
)
def test_help_imports_nothing_heavy(flags):
    assert loaded(f"from reident.cli import main; assert main({flags!r}) == 0") == "[]"
