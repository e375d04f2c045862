"""The folder of what was found in one file: aggregates, and what is restricted apart from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident import disk
from reident.io.outputs import FINISHED, as_json, publish, run_folder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import polars as pl


def write_found(
    folder: Path,
    results: Mapping[str, Any],
    restricted: Mapping[str, pl.DataFrame],
    manifest: Mapping[str, Any],
    *,
    force: bool,
) -> None:
    """Write results.json, manifest.json and restricted/NAME.parquet, private and all at once."""
    with run_folder(folder, force=force) as draft:
        if restricted:
            home = disk.make_folder(draft / "restricted")
            for name, frame in restricted.items():
                with disk.create(home / f"{name}.parquet") as stream:
                    frame.write_parquet(stream)
        disk.write_text(draft / "manifest.json", as_json(manifest))
        disk.write_text(draft / FINISHED, as_json(results))
        publish(draft, folder)
