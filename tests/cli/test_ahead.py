"""Kernels that a second process compiles while a first run goes on."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from reident.cli import ahead
from reident.made_up import write_scenario

HELPER = "reident.cli.ahead"


def helpers():
    """Processes of this one that compile ahead."""
    task = Path("/proc/self/task") / str(os.getpid()) / "children"
    found = (Path("/proc") / pid / "cmdline" for pid in task.read_text().split())
    return [line for path in found if HELPER in (line := path.read_text())]


@pytest.fixture(autouse=True)
def _scratch(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_a_first_run_has_a_helper_that_ends_with_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(ahead, "compiled_before", lambda: False)
    seen = []

    def interrupted():
        with ahead.compiling_ahead(2):
            seen.extend(helpers())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert len(seen) == 1
    assert not helpers()
    assert not list(tmp_path.iterdir())
    assert "Compiling kernels" in capsys.readouterr().err


def test_who_may_use_one_process_alone_has_none(monkeypatch, capsys):
    monkeypatch.setattr(ahead, "compiled_before", lambda: False)
    with ahead.compiling_ahead(1):
        assert not helpers()
    assert "Compiling kernels" in capsys.readouterr().err


def test_later_runs_have_none_and_say_nothing(monkeypatch, capsys):
    monkeypatch.setattr(ahead, "compiled_before", lambda: True)
    with ahead.compiling_ahead(2):
        assert not helpers()
    assert not capsys.readouterr().err


def test_ranked_attacks_find_what_the_helper_has_compiled(tmp_path):
    own = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    own["XDG_CACHE_HOME"] = str(tmp_path / "cache")

    def compiled(*command):
        # 3: a limit of the study is exceeded.
        done = subprocess.run(command, env=own, check=False, capture_output=True)
        assert done.returncode in {0, 3}
        return {path.name for path in tmp_path.glob("cache/**/*.nbc")}

    home = tmp_path / "home"
    home.mkdir()
    before = compiled(sys.executable, "-m", HELPER, home)
    assert any("score_tile" in name for name in before)
    study = write_scenario(tmp_path / "study", records=300, seed=5)
    command = Path(sys.executable).with_name("reident")
    assert compiled(command, "run", study, "--only", "taxicab,euclidean,adhoc") <= before
