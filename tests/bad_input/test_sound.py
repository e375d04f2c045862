"""The study that the other tests spoil is sound, and its canaries do stand in its inputs."""

import subprocess
import sys

import pytest

from bad_input.formats import FORMATS, TEXT
from bad_input.study_folder import (
    CANARY,
    assert_nothing_leaks,
    command,
    folder_of,
    leaks,
)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_unspoilt_study_runs_without_notes_and_leaks_nothing(tmp_path, capsys, kind):
    folder = folder_of(tmp_path, kind)
    before = folder.content()
    said = command(capsys, "run", folder.study, "--jobs", "1")
    assert said.code == 0, said
    assert folder.results["notes"] == []
    assert_nothing_leaks(folder, before, said)


def test_the_canaries_stand_in_the_inputs_and_in_the_restricted_pairs(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv")
    assert len(leaks(folder.files["puf"].read_text())) == 2
    command(capsys, "run", folder.study, "--jobs", "1")
    pairs = (folder.run / "restricted" / "pairs.parquet").read_bytes()
    assert CANARY.encode() in pairs


def test_check_finds_no_fault_and_no_note(tmp_path, capsys):
    folder = folder_of(tmp_path, TEXT[0])
    said = command(capsys, "check", folder.study)
    assert (said.code, said.out.strip()) == (0, "No faults.")


@pytest.mark.parametrize("kind", FORMATS)
def test_no_library_talks_to_the_user(tmp_path, kind):
    folder = folder_of(tmp_path, kind)
    code = "from reident.cli import entry; entry()"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", str(folder.study)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "No faults.", "")
