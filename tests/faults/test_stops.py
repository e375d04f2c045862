"""Signals, full disks, a second run, other surroundings: a command ends as it should."""

import os
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from faults.killing import SMALL, follow, outputs, write_files
from faults.nursery import Nursery
from reident.cli import main

RUN = ("run", "study.toml", "--only", "taxicab", "--out", "out")
LONG = 1000.0
MOUNTED = """
    mount -t tmpfs -o size=4m tmpfs "$0" && cp "$0".files/* "$0" && cd "$0" || exit 1
    dd if=/dev/zero of=filler bs=4k 2>/dev/null
    truncate -s -{room} filler
    exec "$@"
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    return folder


@pytest.fixture
def home(files, tmp_path):
    return shutil.copytree(files, tmp_path / "home")


@pytest.fixture(scope="module")
def expected(nursery, files):
    """The bytes of a run in peace."""
    assert nursery.run(RUN, files, **SMALL) == 0
    found = written(files)
    shutil.rmtree(files / "out")
    return found


def written(home):
    """The bytes of a run; its study says where its files lie, which differs from test to test."""
    return {name: data for name, data in outputs(home / "out").items() if name != "study.toml"}


def until_something_is_kept(home):
    end = time.monotonic() + 60
    while not list((home / "out/.work/kept").glob("*.parts")):
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_a_run_that_then_goes_on(nursery, home, expected, number, code):
    process = nursery.start(RUN, home, **SMALL)
    until_something_is_kept(home)
    os.kill(process, number)
    assert nursery.wait() == code
    assert "Stopped; nothing was written under a final name." in nursery.talk
    assert "the same command with --resume continues" in nursery.talk
    assert outputs(home / "out") == {}
    assert nursery.run((*RUN, "--resume"), home, **SMALL) == 0
    assert written(home) == expected


@pytest.mark.parametrize(
    ("grace", "signals"), [(0.2, 1), (LONG, 2)], ids=["in time", "by a second signal"]
)
def test_a_process_that_does_not_listen_is_ended(nursery, home, grace, signals):
    process = nursery.start(RUN, home, stuck=grace)
    while not (home / "deaf").exists():
        time.sleep(0.001)
    for _ in range(signals):
        os.kill(process, signal.SIGINT)
        time.sleep(0.1)  # two at the same moment are one
    assert nursery.wait() == 130
    assert "Stopped at once; nothing was written under a final name." in nursery.talk


def test_no_core_is_dumped(nursery, home):
    process = nursery.start(RUN, home, stuck=LONG)
    follow(home / "out", ("read",))
    limits = Path(f"/proc/{process}/limits").read_text().splitlines()
    assert [line.split()[4] for line in limits if line.startswith("Max core")] == ["0"]
    os.kill(process, signal.SIGKILL)
    assert nursery.wait() == -signal.SIGKILL


def test_a_second_run_in_one_folder_is_refused(nursery, home, monkeypatch, capsys):
    process = nursery.start(RUN, home, stuck=LONG)
    follow(home / "out", ("read",))
    monkeypatch.chdir(home)
    for more in ((), ("--force",), ("--resume",)):
        assert main([*RUN, *more]) == 2
        assert "another run at work here" in capsys.readouterr().err
    os.kill(process, signal.SIGKILL)
    nursery.wait()


def test_a_full_disk_is_told_and_the_run_goes_on_when_there_is_room(files, tmp_path, expected):
    place = tmp_path / "full"
    place.mkdir()
    shutil.copytree(files, tmp_path / "full.files")
    within = ["unshare", "-rm", "sh", "-c", MOUNTED.format(room=64 << 10), str(place)]
    if subprocess.run([*within, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small tmpfs, so no disk can be filled")
    with Nursery(within=within) as nursery:
        inside = nursery.seen(place)
        assert nursery.run(RUN, place, **SMALL) == 1
        assert "out: the disk is full" in nursery.talk
        assert "MB are free" in nursery.talk
        assert "the same command with --resume continues" in nursery.talk
        assert outputs(inside / "out") == {}
        assert nursery.run((*RUN, "--resume"), place, remove="filler", **SMALL) == 0
        assert written(inside) == expected


@pytest.mark.parametrize("verb", ["run", "plan"])
def test_what_does_not_fit_into_memory_is_told_before(home, monkeypatch, capsys, verb):
    monkeypatch.chdir(home)
    assert main([verb, "study.toml", "--memory", "1KB"]) == 1
    told = capsys.readouterr().err
    assert "memory: the files take about" in told
    assert "1e-06 GB are allowed" in told
    assert not (home / "study.run").exists()


def test_a_run_that_takes_too_much_memory_is_told_and_goes_on(nursery, home, expected):
    assert nursery.run((*RUN, "--memory", "50MB"), home, **SMALL) == 1
    assert "memory: the run takes" in nursery.talk
    assert nursery.run((*RUN, "--resume", "--memory", "4GB"), home, **SMALL) == 0
    assert written(home) == expected


def modes(folder):
    paths = [folder, *folder.rglob("*")]
    return {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in paths}


def test_what_is_kept_is_private_under_every_umask(nursery, home):
    process = nursery.start(RUN, home, umask=0, **SMALL)
    until_something_is_kept(home)
    os.kill(process, signal.SIGINT)
    assert nursery.wait() == 130
    assert list((home / "out/.work/kept").glob("*.parts"))
    assert modes(home / "out") == {(True, 0o700), (False, 0o600)}


@pytest.fixture(scope="module")
def locales(tmp_path_factory):
    """Locales in which i has a dot as a capital, and numbers have commas.

    Skipped only where they cannot be made, and not even there where nothing may be missing.
    """
    folder = tmp_path_factory.mktemp("locales")
    missing = pytest.fail if os.environ.get("REIDENT_REQUIRE_DATA") == "1" else pytest.skip
    if not shutil.which("localedef"):
        missing("localedef is not on this machine, so no locale can be made")
    for name in ("tr_TR", "de_DE"):
        command = ["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if "cannot open locale definition file" in made.stderr:
            missing("the sources of locales are not on this machine (Debian: apt install locales)")
        assert made.returncode <= 1, made.stderr  # 1: made, with warnings
    return folder


SURROUNDINGS = {
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "0"},
    "German": {"LC_ALL": "de_DE.UTF-8", "TZ": "America/New_York", "PYTHONHASHSEED": "1"},
}

MACHINES = {
    "Turkish": ("--jobs", "4", "--memory", "1GB"),
    "German": ("--jobs", "1", "--memory", "900GB"),
}


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings_leave_every_byte_as_it_is(locales, home, expected, name):
    surroundings = SURROUNDINGS[name] | {"LOCPATH": str(locales)}
    with Nursery(environment=surroundings) as nursery:
        assert nursery.run((*RUN, *MACHINES[name]), home, locale=True, umask=0, **SMALL) == 0
    assert written(home) == expected
    assert modes(home / "out") == {(True, 0o700), (False, 0o600)}
