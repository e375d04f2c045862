"""The run folder: private, whole, and marked as finished by results.json alone.

Work goes on in `.work` under a lock. Everything is written there first; final names appear by
rename at the end, results.json last. What a run that is interrupted has done stays in `.work/kept`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import json
import os
import re
import shutil
import time
from typing import TYPE_CHECKING, Any

import polars as pl
from polars.io.plugins import register_io_source

from reident import disk
from reident.errors import CapacityError, ClusterError, Fault, RefusalError
from reident.io.spec import study_dict, study_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from reident.model.result import StratumCounts, StudyResult
    from reident.model.study import Study

CONTROLS = re.compile(r"[\x7f-\x9f]")
FINISHED = "results.json"
WORK = ".work"
KEPT = "kept"
LOCK = "lock"
INTERRUPTIONS = (KeyboardInterrupt, SystemExit, OSError, MemoryError, CapacityError, ClusterError)
"""What ends a run that could go on another time."""
GROUP = 1 << 16
"""Pairs that are written together."""
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of the system that tell of a full disk, or of a limit on what may be written."""


def refuse_unless_free(folder: Path, *, force: bool, resume: bool = False) -> None:
    """Refuse a folder that holds a finished run, unless forced, or files of somebody else.

    To `resume`, an interrupted run must be there.
    """
    if folder.exists() and not folder.is_dir():
        raise _refusal(folder, "a file stands where the run folder would be", "Name another --out")
    if (folder / FINISHED).exists() and not force:
        raise _refusal(folder, "a finished run", "Name another --out, or replace it by --force")
    foreign = (
        folder.exists()
        and any(folder.iterdir())
        and not ((folder / FINISHED).exists() or (folder / WORK).exists())
    )
    if foreign:
        raise _refusal(folder, "a folder with other files", "Name an empty or a new folder")
    if resume and not (folder / WORK).exists():
        raise _refusal(folder, "no interrupted run to resume", "Run it without --resume")


@contextlib.contextmanager
def told_if_full(folder: Path, need: str = "") -> Iterator[None]:
    """Say that a disk is full, and how much is needed where that is known."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        free = shutil.disk_usage(folder).free
        raise CapacityError(
            Fault(
                where=folder.name,
                found=f"the disk is full: {need}{free / 1e6:,.0f} MB are free",
                remedy="Free some room there",
            )
        ) from None


@contextlib.contextmanager
def run_folder(folder: Path, *, force: bool, resume: bool = False) -> Iterator[Path]:
    """Hold a run folder while a study runs; yields the folder to write into.

    A folder in which another run is at work is refused. What an interrupted run left in `.work`
    is removed, unless it is to be resumed. An interrupt leaves what the run has kept.
    """
    refuse_unless_free(folder, force=force, resume=resume)
    ours = not folder.exists() or (folder / WORK).exists()
    disk.make_folder(folder)
    folder.chmod(disk.PRIVATE_FOLDER)  # also one that was there, empty
    with _lock(folder) as work:
        _clear(work, kept=resume)
        stays = resume
        try:
            with told_if_full(folder):
                yield disk.make_folder(work / "draft")
            stays = False
        except INTERRUPTIONS as error:
            stays = resume or (work / KEPT).exists()
            if stays:
                error.add_note("What is done is kept: the same command with --resume continues.")
            raise
        finally:
            # Work in progress is confidential: nothing else stays, whether it went well or not.
            if stays:
                _clear(work, kept=True)
            else:
                shutil.rmtree(work)
                if ours and not any(folder.iterdir()):
                    folder.rmdir()


def _clear(work: Path, *, kept: bool) -> None:
    """Remove what is in the folder at work but the lock, and what is kept if it is to be."""
    for path in work.iterdir():
        if path.name == LOCK or (kept and path.name == KEPT):
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


@contextlib.contextmanager
def _lock(folder: Path) -> Iterator[Path]:
    work = disk.make_folder(folder / WORK)
    handle = os.open(work / LOCK, os.O_RDWR | os.O_CREAT, disk.PRIVATE_FILE)
    with os.fdopen(handle, "r+") as stream:
        try:
            # The system frees the lock when its holder dies, however it dies.
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise _refusal(
                folder, "another run at work here", "Wait for it, or name another --out"
            ) from None
        stream.truncate(0)
        stream.write(json.dumps({"pid": os.getpid(), "start": time.time()}))
        stream.flush()
        yield work


def _refusal(folder: Path, found: str, remedy: str) -> RefusalError:
    return RefusalError(Fault(where=folder.name, found=found, remedy=remedy))


def write_draft(
    draft: Path, study: Study, result: StudyResult, extras: Mapping[str, bytes]
) -> None:
    """Write every output of a run. `extras` are files that other layers made, by relative name."""
    listed = sum(attack.listed.room for attack in result.attacks.values())
    need = listed + sum(map(len, extras.values()))
    with told_if_full(draft.parent.parent, f"the outputs take up to {need / 1e6:,.0f} MB, "):
        _write(draft, study, result, extras)


def _write(draft: Path, study: Study, result: StudyResult, extras: Mapping[str, bytes]) -> None:
    start = time.perf_counter()
    restricted = disk.make_folder(draft / "restricted")
    _write_pairs(restricted / "pairs.parquet", result)
    disk.write_text(restricted / "encoding.json", as_json(result.encoding))
    if result.strata:
        write_parquet(restricted / "strata.parquet", _all_strata(result))
    disk.write_text(draft / "study.toml", study_text(study))
    for name, content in extras.items():
        disk.make_folder((draft / name).parent)
        with disk.create(draft / name) as stream:
            stream.write(content)
    timings = result.manifest["timings"] | {"write": time.perf_counter() - start}
    manifest = {**result.manifest, "study": study_dict(study), "timings": timings}
    disk.write_text(draft / "manifest.json", as_json(manifest))
    disk.write_text(draft / FINISHED, as_json(result.to_dict()))


def write_parquet(path: Path, frame: pl.DataFrame) -> None:
    """Write a frame. polars would write into the file by itself, and hide that a disk is full."""
    content = io.BytesIO()
    frame.write_parquet(content)
    with disk.create(path) as stream:
        stream.write(content.getbuffer())


def _write_pairs(path: Path, result: StudyResult) -> None:
    """Write the pairs of all attacks, some at a time: the frame of all would take far more room."""
    if not result.attacks:
        write_parquet(path, all_pairs(result))
        return
    content = io.BytesIO()
    schema = next(_slices(result)).schema
    source = register_io_source(lambda *_: _slices(result), schema=schema)
    source.sink_parquet(content, row_group_size=GROUP, maintain_order=True)
    with disk.create(path) as stream:
        stream.write(content.getbuffer())


def _slices(result: StudyResult) -> Iterator[pl.DataFrame]:
    """The frame of all pairs from its first row on."""
    for label, attack in result.attacks.items():
        for some in attack.listed.slices(GROUP):
            yield _labelled(label, some)


def publish(draft: Path, folder: Path) -> None:
    """Give the outputs their final names, results.json last; an older run is replaced."""
    (folder / FINISHED).unlink(missing_ok=True)
    for part in sorted(draft.iterdir()):
        if part.name == FINISHED:
            continue
        final = folder / part.name
        if final.is_dir():
            shutil.rmtree(final)
        part.replace(final)
    # The mark of a finished run must not reach the disk before what it vouches for. What was kept
    # goes before it, so that no finished run holds any.
    disk.sync_folder(folder)
    shutil.rmtree(draft.with_name(KEPT), ignore_errors=True)
    (draft / FINISHED).replace(folder / FINISHED)
    disk.sync_folder(folder)


def as_json(value: Any) -> str:
    """JSON for people and programs alike; NaN would be a bug and is refused.

    Control signs that JSON lets through are escaped too: a terminal may show the text.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return CONTROLS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def all_pairs(result: StudyResult) -> pl.DataFrame:
    """The suspected pairs of all attacks: by attack, PUF key, rank, EIF key."""
    parts = [_labelled(label, attack.pairs) for label, attack in result.attacks.items()]
    return pl.concat(parts) if parts else pl.DataFrame()


def _labelled(label: str, pairs: pl.DataFrame) -> pl.DataFrame:
    return pairs.select(pl.lit(label).alias("attack"), pl.all())


def _stratum(row: StratumCounts) -> dict[str, str]:
    """Values under prefixed names: a stratum may be called like a count."""
    return {f"stratum_{name}": value for name, value in row.stratum.items()}


def _counts(row: StratumCounts) -> dict[str, Any]:
    return {name: value for name, value in row.to_dict().items() if name != "stratum"}


def _all_strata(result: StudyResult) -> pl.DataFrame:
    rows = [
        {"attack": label, **_stratum(row), **_counts(row)}
        for label, attack in result.attacks.items()
        for row in attack.by_stratum
    ]
    return pl.DataFrame(rows, infer_schema_length=None)
