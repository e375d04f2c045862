"""The one way to create a file: private, whole, and never half-written."""

import fcntl
import os
import stat

import pytest

from reident import disk


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def _umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("_umask")
def test_a_file_is_0600_and_a_folder_0700_whatever_the_umask(tmp_path):
    folder = disk.make_folder(tmp_path / "a" / "b")
    disk.write_text(folder / "x.txt", "déjà")
    assert (folder / "x.txt").read_bytes() == "déjà".encode()
    assert mode(folder / "x.txt") == 0o600
    assert mode(folder) == mode(tmp_path / "a") == 0o700


@pytest.mark.usefixtures("_umask")
def test_a_file_is_private_from_its_first_moment(tmp_path):
    with disk.create(tmp_path / "x") as stream:
        stream.write(b"secret")
        stream.flush()
        [temporary] = tmp_path.iterdir()
        assert temporary.name != "x"
        assert mode(temporary) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_the_old_content_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "x"
    disk.write_text(path, "old")
    with disk.create(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("existed", [True, False])
def test_an_exception_leaves_nothing_new_behind(tmp_path, error, existed):
    path = tmp_path / "x"
    if existed:
        disk.write_text(path, "old")

    def fail():
        with disk.create(path) as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert [one.read_text() for one in tmp_path.iterdir()] == (["old"] if existed else [])


def test_what_is_to_last_is_flushed_to_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(os, "fsync", lambda _: flushed.append((tmp_path / "x").exists()))
    for lasting, seen in ((False, []), (True, [False])):
        (tmp_path / "x").unlink(missing_ok=True)
        with disk.create(tmp_path / "x", lasting=lasting) as stream:
            stream.write(b"new")
        assert flushed == seen
        assert (tmp_path / "x").read_bytes() == b"new"


def test_a_folder_that_is_there_already_is_left_as_it_is(tmp_path):
    (tmp_path / "a").mkdir(mode=0o755)
    (tmp_path / "a" / "kept").touch()
    assert disk.make_folder(tmp_path / "a") == tmp_path / "a"
    assert (tmp_path / "a" / "kept").exists()


def test_a_folder_that_is_not_there_cannot_hold_a_file(tmp_path):
    with pytest.raises(FileNotFoundError), disk.create(tmp_path / "no" / "x"):
        pass


def test_what_a_killed_process_has_left_is_removed_by_the_next(tmp_path):
    (tmp_path / ".x.4000000.tmp").write_bytes(b"half")
    (tmp_path / f".x.{os.getpid()}.tmp").write_bytes(b"half, of a process of our number")
    (tmp_path / ".y.4000000.tmp").write_bytes(b"of another file")
    disk.write_text(tmp_path / "x", "whole")
    assert {path.name for path in tmp_path.iterdir()} == {"x", ".y.4000000.tmp"}


def test_what_another_process_is_writing_stays(tmp_path):
    other = tmp_path / ".x.4000000.tmp"
    with other.open("wb") as stream:
        fcntl.flock(stream, fcntl.LOCK_SH)
        disk.write_text(tmp_path / "x", "whole")
        assert other.exists()
