"""The folder of what was found in one file: aggregates, and what is restricted apart from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident import disk
from reident.io.fingerprints import fingerprint
from reident.io.outputs import FINISHED, as_json, publish, run_folder, write_parquet
from reident.io.writing import write_table
from reident.model.files import SourceFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars as pl

    from reident.io.labels import Table


def write_found(
    folder: Path,
    results: Mapping[str, Any],
    restricted: Mapping[str, pl.DataFrame],
    manifest: Mapping[str, Any],
    *,
    page: str,
    force: bool,
    released: tuple[Table, Path] | None = None,
) -> None:
    """Write results, manifest, report and restricted/NAME.parquet, private and all at once.

    `released` is a table that becomes a file beside the folder, when all else is written.
    """
    with run_folder(folder, force=force) as draft:
        fill(draft, folder, results, restricted, manifest, page=page, released=released)


def fill(
    draft: Path,
    folder: Path,
    results: Mapping[str, Any],
    restricted: Mapping[str, pl.DataFrame],
    manifest: Mapping[str, Any],
    *,
    page: str,
    released: tuple[Table, Path] | None = None,
) -> None:
    """Write all of it into the draft of a folder that is held, and publish it."""
    if restricted:
        home = disk.make_folder(draft / "restricted")
        for name, frame in restricted.items():
            write_parquet(home / f"{name}.parquet", frame)
    disk.write_text(draft / "report.html", page)
    outputs, made = {}, draft.parent / "released"
    if released is not None:
        table, out = released
        # In the folder at work, from where it can be renamed in one step.
        made = disk.make_folder(made) / out.name
        write_table(table, made)
        outputs["outputs"] = {"file": fingerprint(SourceFile(made), len(table.frame))}
    disk.write_text(draft / "manifest.json", as_json({**manifest, **outputs}))
    disk.write_text(draft / FINISHED, as_json(results))
    if released is not None:
        made.replace(released[1])
    publish(draft, folder)
