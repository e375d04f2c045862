"""Nothing is fetched at run time: studies run where there is no network at all.

A part of the suite's core here; `make offline` runs all of the core.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bad_input.study_folder import folder_of

APART = ["unshare", "--map-root-user", "--net"]
"""Runs a command without any network, not even a loopback that is up."""


def _can_cut():
    return (
        bool(shutil.which(APART[0]))
        and not subprocess.run([*APART, "true"], check=False).returncode
    )


HOME = Path(__file__).resolve().parents[2]
CORE = (
    "tests/papers/test_primer.py",
    "tests/cli/test_plan.py",
    "tests/unit/report/test_sentences.py",
)
cut_off = pytest.mark.skipif(
    not _can_cut(), reason="this system does not let a process give up its network"
)


def apart(*command, **more):
    return subprocess.run(
        [*APART, sys.executable, *command], check=False, capture_output=True, text=True, **more
    )


@cut_off
def test_there_is_no_network():
    code = "import socket; socket.create_connection(('127.0.0.1', 9), 1)"
    assert "Network is unreachable" in apart("-c", code).stderr


@cut_off
def test_a_study_runs_without_a_network(tmp_path):
    folder = folder_of(tmp_path, "csv")
    reident = ("-c", "from reident.cli import entry; entry()")
    cut = apart(*reident, "run", folder.study, "--jobs", "1")
    assert cut.returncode == 0, cut.stderr
    assert (folder.run / "report.html").exists()


@cut_off
def test_tests_of_the_core_pass_without_a_network():
    few = os.environ | {"REIDENT_EXAMPLES": "20"}
    cut = apart("-m", "pytest", "-q", "-p", "no:cacheprovider", *CORE, cwd=HOME, env=few)
    assert cut.returncode == 0, cut.stdout
