"""Results and manifest become a document: sections in the order a review board reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import details, findings, grounds
from reident.report.plain import plain
from reident.report.sections import Document

if TYPE_CHECKING:
    from collections.abc import Mapping

UNTITLED = "Re-identification study"


def document(results: Mapping[str, Any], manifest: Mapping[str, Any]) -> Document:
    """The report of a run, from the content of results.json and manifest.json.

    Numbers are shown as they stand there; none is worked out here.
    """
    return Document(
        title=plain(results["title"]).strip() or UNTITLED,
        marking=plain(results["marking"] or "").strip(),
        approval=plain(results["approval"] or "").strip(),
        sections=(
            findings.rates(results),
            findings.limits(results),
            grounds.intruder(results),
            findings.strata(results),
            details.behind(results),
            grounds.notes(results),
            grounds.cannot_show(results),
            grounds.methods(results),
            grounds.certificate(results, manifest),
            grounds.glossary(results),
        ),
    )
