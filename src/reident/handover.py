"""Protected and restored files: made by `guard` and `sealing`, and where they go."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from reident.errors import Fault, RefusalError
from reident.guard import protect
from reident.io.fingerprints import fingerprint, refuse_changed
from reident.io.found import write_found
from reident.io.kept import versions
from reident.io.key_file import keep_key, key_for, read_key
from reident.io.outputs import refuse_unless_free
from reident.io.tables import read_table
from reident.io.writing import refuse_unless_writable, write_table
from reident.sealing import open_table

if TYPE_CHECKING:
    from pathlib import Path

    from reident.haystack import Haystack
    from reident.io.labels import Table
    from reident.model.files import SourceFile
    from reident.model.protect import Protected, ProtectOptions


def protect_held(
    hay: Haystack, asked: ProtectOptions, *, key_file: Path | None = None
) -> Protected:
    """Protect a file and write nothing but a new key."""
    key = None if key_file is None else key_for(key_file)
    found, _ = protect(hay, asked, key=key)
    if key_file is not None and key is not None:
        keep_key(key_file, key)
    return found


def protect_to(
    hay: Haystack, asked: ProtectOptions, out: Path, *, key_file: Path | None, force: bool
) -> Protected:
    """Protect a file and write the new one; beside it what was found, and the restricted log.

    A key file that is not there is made. Nothing is written if anything is wrong.
    """
    from reident.report import html, protect_page  # noqa: PLC0415  # only who writes a page waits

    folder = folder_of(out)
    _refuse_place(hay.file, out, force=force)
    refuse_unless_free(folder, force=force)
    key = None if key_file is None else key_for(key_file)
    inputs = {"file": fingerprint(hay.file)}
    found, table = protect(hay, asked, key=key, out=out)
    refuse_changed({"file": hay.file}, inputs)
    manifest = {
        "inputs": {"file": inputs["file"] | {"records": found.records_in}},
        "options": hay.asked.model_dump(mode="json", include={"variables", "key", "k", "missing"})
        | asked.model_dump(mode="json"),
        "versions": versions() | {"cryptography": version("cryptography")},
        "jobs": hay.jobs,
    }
    if key_file is not None and key is not None:
        keep_key(key_file, key)
    results = found.to_dict()
    write_found(
        folder,
        results,
        {"changes": found.changes},
        manifest,
        page=html.render(protect_page.document(results, manifest)),
        force=force,
        released=(table, out),
    )
    return found


def folder_of(out: Path) -> Path:
    """The folder beside a protected file that says what was done."""
    return out.with_name(f"{out.name}.protect")


def decrypt(file: SourceFile, key_file: Path) -> Table:
    """The table as it was before its unique records were encrypted."""
    return open_table(read_table(file), read_key(key_file), file.name)


def decrypt_to(file: SourceFile, key_file: Path, out: Path, *, force: bool) -> Table:
    """Decrypt a file and write it."""
    _refuse_place(file, out, force=force)
    table = decrypt(file, key_file)
    write_table(table, out)
    return table


def _refuse_place(file: SourceFile, out: Path, *, force: bool) -> None:
    """Refuse an output that no format has, that would replace its input, or anything unasked."""
    refuse_unless_writable(out)
    if file.path is not None and out.exists() and file.path.exists() and out.samefile(file.path):
        raise RefusalError(
            Fault(where=out.name, found="the input itself", remedy="Name another --out")
        )
    if out.is_dir() or (out.exists() and not force):
        raise RefusalError(
            Fault(
                where=out.name,
                found="something is there",
                remedy="Name another --out, or replace a file by --force",
            )
        )
