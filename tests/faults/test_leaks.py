"""No data value is seen when a run is killed, stopped, starved or lied to, at debug level.

Every key, category and number carries a canary. What the command says, what its libraries say when
they are asked to say all, the names of all files that it leaves, temporary ones and checkpoints
among them, and whatever stands in them outside `restricted/`: no hit.
"""

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass

import pytest

from bad_input.formats import FORMATS
from bad_input.study_folder import CANARY, CANARY_NUMBER, RECORDS, Folder, folder_of, leaks
from faults.killing import SMALL, follow, outputs
from faults.nursery import Nursery
from faults.test_stops import MOUNTED, until_something_is_kept
from reident.cli import main
from reident.io import outputs as run_folders

TIMES = 25
"""Copies of twelve people: a run that can be stopped halfway."""
RUN = ("run", "study.toml", "--only", "taxicab", "--out", "out")
ALL = SMALL | {"budget": 900, "debug": True}


def canaries(inputs):
    """Many records, each of which carries the canary in every column."""
    for side, columns in inputs.tables.items():
        for name, values in columns.items():
            columns[name] = values * TIMES
            if name.endswith("id"):
                columns[name] = [f"{CANARY}{name}{place:03}" for place in range(RECORDS * TIMES)]
        if side != "iuf":
            columns["age"] = [*columns["age"][1:], CANARY_NUMBER]
            columns["income"] = [*columns["income"][1:], CANARY_NUMBER]


@dataclass
class Home:
    """A study in a folder, with a folder beside it for what is temporary."""

    folder: Folder
    before: dict

    @property
    def path(self):
        return self.folder.path

    def assert_nothing_leaks(self, talk, within=None):
        """`within` is the folder as seen from here, where it is mounted elsewhere."""
        assert leaks(talk) == []
        folder = Folder(within or self.path, {}, "")
        made = {name: data for name, data in folder.content().items() if name not in self.before}
        assert any(name.startswith("out/") for name in made)
        for name, data in made.items():
            text = "" if "/restricted/" in name else data.decode("utf-8", "replace")
            assert leaks(name + text) == [], name


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return folder_of(tmp_path_factory.mktemp("files"), "csv", canaries)


@pytest.fixture
def home(files, tmp_path):
    shutil.copytree(files.path, tmp_path / "home")
    folder = Folder(tmp_path / "home", {}, "csv")
    return Home(folder, folder.content())


def stopped(nursery, home, number):
    """Send a signal when a checkpoint has been written; what was said."""
    process = nursery.start(RUN, home.path, **ALL)
    until_something_is_kept(home.path)
    os.kill(process, number)
    nursery.wait()
    return nursery.talk


def test_a_run_that_is_killed_and_goes_on(nursery, home):
    home.assert_nothing_leaks(stopped(nursery, home, signal.SIGKILL))
    assert list((home.path / "out/.work" / run_folders.KEPT).glob("*.parts"))
    assert nursery.run((*RUN, "--resume"), home.path, **ALL) == 0
    assert "DEBUG" in nursery.talk
    home.assert_nothing_leaks(nursery.talk)
    assert CANARY.encode() in (home.path / "out/restricted/pairs.parquet").read_bytes()


def test_a_run_that_is_interrupted(nursery, home):
    home.assert_nothing_leaks(stopped(nursery, home, signal.SIGINT))


@pytest.mark.parametrize("kind", FORMATS)
def test_a_run_on_any_format_that_is_stopped(nursery, tmp_path, kind):
    folder = folder_of(tmp_path, kind, canaries)
    home = Home(folder, folder.content())
    home.assert_nothing_leaks(stopped(nursery, home, signal.SIGTERM))


def test_a_ceiling_of_memory(nursery, home):
    assert nursery.run((*RUN, "--memory", "50MB"), home.path, **ALL) == 1
    assert "memory: the run takes" in nursery.talk
    home.assert_nothing_leaks(nursery.talk)


def test_a_full_disk(files, tmp_path):
    place = tmp_path / "full"
    place.mkdir()
    before = files.content()
    shutil.copytree(files.path, tmp_path / "full.files")
    within = ["unshare", "-rm", "sh", "-c", MOUNTED.format(room=64 << 10), str(place)]
    if subprocess.run([*within, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a small tmpfs, so no disk can be filled")
    with Nursery(within=within) as nursery:
        assert nursery.run(RUN, place, **ALL) == 1
        assert "out: the disk is full" in nursery.talk
        inside = nursery.seen(place)
        home = Home(Folder(place, {}, "csv"), before | {"filler": b"", "talk.txt": b""})
        home.assert_nothing_leaks(nursery.talk, inside)


@pytest.mark.parametrize("side", ["puf", "iuf"])
def test_an_input_that_changes(nursery, home, side):
    assert nursery.run(RUN, home.path, rewrite=f"{side}.csv", **ALL) == 1
    assert "has changed since the run began" in nursery.talk
    assert outputs(home.path / "out") == {}
    assert leaks(nursery.talk) == []


@pytest.mark.parametrize(("name", "place"), [("*.parts", 0.0), ("*.parts", 0.5), ("run.json", 0.5)])
def test_a_damaged_checkpoint(nursery, home, name, place):
    stopped(nursery, home, signal.SIGTERM)
    path = next((home.path / "out/.work" / run_folders.KEPT).glob(name))
    data = bytearray(path.read_bytes())
    data[int(len(data) * place)] ^= 2
    path.write_bytes(data)
    assert nursery.run((*RUN, "--resume"), home.path, **ALL) == 2
    home.assert_nothing_leaks(nursery.talk)


def test_a_second_run(nursery, home, capsys, monkeypatch):
    process = nursery.start(RUN, home.path, stuck=1000.0, **ALL)
    follow(home.path / "out", ("read",))
    monkeypatch.chdir(home.path)
    assert main([*RUN]) == 2
    home.assert_nothing_leaks("".join(capsys.readouterr()))
    os.kill(process, signal.SIGKILL)
    nursery.wait()
