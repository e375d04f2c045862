"""Nothing is fetched at run time: a study runs where there is no network at all."""

import shutil
import subprocess
import sys

import pytest

from bad_input.study_folder import folder_of

APART = ["unshare", "--map-root-user", "--net"]
"""Runs a command without any network, not even a loopback that is up."""


def _can_cut():
    return (
        bool(shutil.which(APART[0]))
        and not subprocess.run([*APART, "true"], check=False).returncode
    )


@pytest.mark.skipif(not _can_cut(), reason="this system does not let a process give up its network")
def test_a_study_runs_without_a_network(tmp_path):
    folder = folder_of(tmp_path, "csv")
    reident = [sys.executable, "-c", "from reident.cli import entry; entry()"]
    cut = subprocess.run(
        [*APART, *reident, "run", folder.study, "--jobs", "1"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert cut.returncode == 0, cut.stderr
    assert (folder.run / "report.html").exists()
