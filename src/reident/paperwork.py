"""What people read, made again from a run folder alone: the report for a board or the public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident import disk
from reident.errors import Fault, RefusalError, SpecError
from reident.io.finished import read_contribution, read_manifest, read_results, read_suite
from reident.report import (
    beside_page,
    document,
    html,
    paper,
    protect_page,
    public,
    suites,
    uniques_page,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reident.report.sections import Document

AUDIENCES = ("internal", "public")
PAGES = {
    "attacks": document.document,
    "by_count": uniques_page.document,
    "by_domain": protect_page.document,
}
"""A part that only these results have: of a study, of unique records, of a protection."""
SUITES = {"claims.json": suites.claims, "tables.json": suites.contest}
"""What suites of the papers write, which have no results.json."""


def page(
    results: Mapping[str, Any],
    manifest: Mapping[str, Any],
    audience: str = "internal",
    small_cell: int | None = None,
) -> str:
    """The report of a run. `small_cell` is the study's own unless given."""
    return html.render(_document(results, manifest, audience, small_cell))


def _document(
    results: Mapping[str, Any], manifest: Mapping[str, Any], audience: str, small_cell: int | None
) -> Document:
    if audience not in AUDIENCES:
        raise SpecError(
            Fault(where="--audience", found="not known", remedy=f"Name {' or '.join(AUDIENCES)}")
        )
    kind = next((part for part in PAGES if part in results), None)
    if kind is None:
        raise SpecError(
            Fault(
                where="results.json",
                found="no results that have a report",
                remedy="Name the folder of a run, of uniques or of protect",
            )
        )
    if audience == "internal":
        return PAGES[kind](results, manifest)
    if kind != "attacks":
        raise SpecError(
            Fault(
                where="--audience public",
                found="no study",
                remedy="Only a study has a report for the public",
            )
        )
    own = manifest.get("study", {}).get("report", {}).get("small_cell", public.SMALL_CELL)
    return public.document(results, manifest, own if small_cell is None else small_cell)


def write_report(
    folder: Path,
    *,
    audience: str = "internal",
    out: Path | None = None,
    pdf: bool = False,
    force: bool = False,
) -> list[Path]:
    """Make the report of a finished run again, and with `pdf` print it; returns what was written.

    Without `out` it goes into the run folder, where the report for the public has its own name.
    """
    text = _page_of(folder, audience)
    name = "report.html" if audience == "internal" else f"report.{audience}.html"
    home = folder / name if out is None else out
    wanted = {home: text.encode()}
    if pdf:
        printed = home.with_suffix(".pdf")
        _refuse_taken(printed, force=force or out is None)
        wanted[printed] = paper.pdf(text, folder)
    _refuse_taken(home, force=force or out is None)
    for path, content in wanted.items():
        disk.make_folder(path.absolute().parent)
        with disk.create(path) as stream:
            stream.write(content)
    return list(wanted)


def _page_of(folder: Path, audience: str) -> str:
    suite = read_suite(folder)
    if suite is not None and audience == "internal":
        return html.render(SUITES[suite[0]](suite[1]))
    results = {**read_results(folder), "contribution": read_contribution(folder)}
    return page(results, read_manifest(folder), audience)


def write_comparison(found: Mapping[str, Any], out: Path, *, force: bool) -> None:
    """Runs side by side as a page."""
    _refuse_taken(out, force=force)
    text = html.render(beside_page.document(found))
    disk.make_folder(out.absolute().parent)
    disk.write_text(out, text)


def _refuse_taken(path: Path, *, force: bool) -> None:
    if path.is_dir() or (path.exists() and not force):
        raise RefusalError(
            Fault(
                where=path.name,
                found="something is there",
                remedy="Name another --out, or replace a file by --force",
            )
        )
