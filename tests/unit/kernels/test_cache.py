"""Compiled kernels are kept in a private folder named by what they were compiled from."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from reident import kernels


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """A copy of the kernel sources that the digest is taken of."""
    folder = tmp_path / "kernels"
    shutil.copytree(Path(kernels.__file__).parent, folder)
    monkeypatch.setattr(kernels, "__file__", str(folder / "__init__.py"))
    return folder


def test_the_digest_is_that_of_the_sources_wherever_they_lie(copied):
    there = kernels.source_digest()
    (copied / "__pycache__" / "more.pyc").parent.mkdir(exist_ok=True)
    (copied / "__pycache__" / "more.pyc").touch()
    assert kernels.source_digest() == there == kernels.CACHE.name


@pytest.mark.parametrize(
    "name", sorted(path.name for path in Path(kernels.__file__).parent.glob("*.py"))
)
def test_a_change_in_any_kernel_source_changes_the_digest(copied, name):
    before = kernels.source_digest()
    with (copied / name).open("a", encoding="utf-8") as stream:
        stream.write("# a remark\n")
    assert kernels.source_digest() != before


def test_another_version_of_numba_changes_the_digest(monkeypatch):
    before = kernels.source_digest()
    monkeypatch.setattr(kernels.numba, "__version__", "0.0")
    assert kernels.source_digest() != before


@pytest.mark.parametrize(
    ("named", "told"), [("CPU_NAME", "haswell"), ("CPU_FEATURES", "+avx2"), ("ENABLE_AVX", 0)]
)
def test_another_processor_to_compile_for_changes_the_digest(monkeypatch, named, told):
    before = kernels.source_digest()
    monkeypatch.setattr(kernels.config, named, told)
    assert kernels.source_digest() != before


def cache_folder(home, umask=0o022):
    """The cache folder that a new process makes below another home."""
    code = f"import os; os.umask({umask}); from reident.kernels import CACHE; print(CACHE)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
        | {"XDG_CACHE_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return Path(done.stdout.strip())


def test_the_cache_folder_lies_in_the_users_cache_and_is_private(tmp_path):
    folder = cache_folder(tmp_path)
    assert folder == tmp_path / "reident" / kernels.source_digest()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_nobody_else_can_write_where_compiled_code_is_looked_for(tmp_path):
    folder = cache_folder(tmp_path / "home", umask=0)
    for path in (folder, folder.parent, folder.parent.parent):
        assert stat.S_IMODE(path.stat().st_mode) & 0o022 == 0


def test_where_no_folder_can_be_made_compiled_code_is_kept_for_the_moment(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(kernels.config, "CACHE_DIR", str(tmp_path / "file" / "below"))
    monkeypatch.setattr(kernels.tempfile, "tempdir", str(tmp_path))
    folder = kernels._cache_folder()
    assert folder.parent == tmp_path
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_folder_that_is_named_is_made_and_tells_whether_it_was_used(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels.config, "CACHE_DIR", str(tmp_path / "named"))
    folder = kernels._cache_folder()
    assert folder == tmp_path / "named" / kernels.source_digest()
    monkeypatch.setattr(kernels, "CACHE", folder)
    assert not kernels.compiled_before()
    (folder / "pairs").mkdir()
    (folder / "pairs" / "gap.nbi").touch()
    assert kernels.compiled_before()


def twice(x):
    return x + x


@pytest.mark.skipif(bool(kernels.config.DISABLE_JIT), reason="kernels run as plain Python here")
def test_two_processes_that_compile_a_kernel_at_the_same_moment_keep_their_code_apart(tmp_path):
    # As in two processes: nothing is shared but the folder.
    one, other = (kernels.compiled(twice)._cache._cache_file for _ in range(2))
    for files in (one, other):
        files._cache_path, files._index_path = str(tmp_path), str(tmp_path / files._index_name)
    read, write, late = one._load_index, other._save_data, []

    def read_before_the_other_writes():
        found = read()
        other._save_data = lambda *told: late.append(told)
        other.save("of floats", "code of floats")
        return found

    one._load_index = read_before_the_other_writes
    one.save("of integers", "code of integers")
    one._load_index = read
    write(*late.pop())
    assert one.load("of integers") == "code of integers"
    assert one.load("of floats") is None
