"""Results and manifest become a document: sections in the order a review board reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import details, findings, grounds, wording, worth
from reident.report.attack_pictures import PICTURES
from reident.report.pictures import charts
from reident.report.plain import plain
from reident.report.sections import Block, Document, Heading, Section
from reident.report.sentences import name_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def document(results: Mapping[str, Any], manifest: Mapping[str, Any]) -> Document:
    """The report of a run, from the content of results.json and manifest.json.

    Numbers are shown as they stand there; none is worked out here.
    """
    return Document(
        title=plain(results["title"]).strip() or wording.UNTITLED,
        marking=plain(results["marking"] or "").strip(),
        approval=plain(results["approval"] or "").strip(),
        sections=(
            findings.rates(results),
            findings.limits(results),
            grounds.intruder(results),
            findings.strata(results),
            pictures(results),
            *([] if results["utility"] is None else [worth.utility(results)]),
            grounds.notes(results),
            grounds.cannot_show(results),
            grounds.methods(results),
            grounds.certificate(results, manifest),
            grounds.glossary(results),
        ),
    )


def pictures(results: Mapping[str, Any]) -> Section:
    """The pictures across attacks, then those of each attack with what no picture shows."""
    drawn = charts(results)
    blocks: list[Block] = [drawn["rates"].picture(), drawn["funnel"].picture()]
    for label, attack in results["attacks"].items():
        names = [f"{kind}-{label}" for kind in (*PICTURES, "contribution")]
        own = [drawn[name].picture(level=4) for name in names if name in drawn]
        beside = [table for table in details.undrawn(label, attack) if table.rows]
        if own or beside:
            blocks += [Heading(text=name_of(label, attack)), *own, *beside]
    return Section(name="pictures", heading="Pictures, with their numbers", blocks=tuple(blocks))
