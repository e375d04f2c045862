"""Settings of Hypothesis, and the list of what the drawn studies contained."""

import os

import pytest
from hypothesis import HealthCheck, settings

from case_features import SEEN

# One commit has one verdict: the suite draws the same examples every time. `make fuzz` draws new
# ones; those that fail are kept in .hypothesis, which git ignores.
# Nothing fails for want of time: the machine may be busy, or may have stopped the tests.
timeless = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("reident", timeless, derandomize=True)
settings.register_profile("new", timeless, derandomize=False)
settings.load_profile("reident")


@pytest.hookimpl
def pytest_configure(config):
    """Kernels as plain Python wrap around silently, as compiled ones do: they mean to."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        wrapping = "ignore:overflow encountered:RuntimeWarning:reident.kernels"
        config.addinivalue_line("filterwarnings", wrapping)


@pytest.hookimpl
def pytest_sessionfinish(session):
    """A worker of pytest-xdist hands its counts to the session that started it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["features"] = dict(SEEN)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Add the counts of a worker that has ended; one that crashed has none."""
    SEEN.update(getattr(node, "workeroutput", {}).get("features", {}))


@pytest.hookimpl
def pytest_terminal_summary(terminalreporter):
    """Print how many of the drawn studies had each feature."""
    if not SEEN:
        return
    counts = dict(SEEN)
    studies = counts.pop("studies")
    terminalreporter.section(f"features of {studies} drawn studies")
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        terminalreporter.write_line(f"{count:7}  {name}")
