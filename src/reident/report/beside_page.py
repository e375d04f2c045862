"""Runs side by side as a page: rates, utility and how it moved, notes, risk against utility."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import drawing, grounds
from reident.report.beside import MARKS, SHOWN, UNDEFINED, fitting
from reident.report.cells import factor, numbers, rate
from reident.report.charts import Chart
from reident.report.figures import decimal, percentage
from reident.report.plain import plain
from reident.report.sections import (
    Block,
    Cell,
    Column,
    Document,
    Items,
    Paragraph,
    Section,
    Table,
)
from reident.report.utility import INDICES
from reident.report.worth import index

if TYPE_CHECKING:
    from collections.abc import Mapping

    Results = Mapping[str, Any]


def document(found: Results) -> Document:
    """The page of a comparison, from what `reident compare --json` prints."""
    marks = dict.fromkeys(plain(run["marking"] or "").strip() for run in found["runs"])
    return Document(
        title="Runs side by side",
        marking=" / ".join(mark for mark in marks if mark),
        approval="",
        sections=(
            _rates(found),
            _utility(found),
            _map(found),
            _notes(found),
            grounds.cannot_show(found),
        ),
    )


def _names(found: Results) -> list[str]:
    return [plain(run["run"]) for run in found["runs"]]


def _rates(found: Results) -> Section:
    runs = found["runs"]
    rows = []
    for label in dict.fromkeys(label for run in runs for label in run["rates"]):
        for name, shown in SHOWN.items():
            held = [run["rates"].get(label, {}).get(name) for run in runs]
            if any(value is not None for value in held):
                rows.append((Cell(text=f"{plain(label)}, {shown}"), *(rate(v) for v in held)))
    table = Table(
        name="rates",
        caption="Rates by attack, in percent",
        columns=(Column(title="Attack, rate"), *numbers(*_names(found))),
        rows=tuple(rows),
    )
    none = Paragraph(text="No run has a rate that can be compared.")
    return Section(name="rates", heading="Rates", blocks=(table if rows else none,))


def _utility(found: Results) -> Section:
    runs = found["runs"]
    blocks: list[Block] = []
    if any(run["utility"] for run in runs):
        blocks = [
            Paragraph(text=f"The first run, {_names(found)[0]}, is what the others are held to."),
            Table(
                name="utility",
                caption="Indices; U grows with what is lost, S with what is hidden",
                columns=(Column(title="Index"), *numbers(*_names(found))),
                rows=tuple(
                    (
                        Cell(text=f"{name}: {text}"),
                        *(
                            index(run["utility"][name]) if run["utility"] else Cell(text="-")
                            for run in runs
                        ),
                    )
                    for name, text in INDICES.items()
                ),
            ),
        ]
        signed = [run for run in runs[1:] if run["signs"]]
        if signed:
            blocks += [_signs(signed), Items(texts=tuple(
                fitting(run, found["methods"]) for run in signed if run["fits"] is not None
            ))]  # fmt: skip
    else:
        blocks = [Paragraph(text="No run measured utility; a study's [utility] asks for it.")]
    return Section(name="utility", heading="Utility", blocks=tuple(blocks))


def _signs(runs: list[Results]) -> Table:
    return Table(
        name="signs",
        caption="How indices and expected rates moved: - lost or more at risk, + gained or less at "
        "risk, = the same as the first run",
        columns=(Column(title="Index"), *(Column(title=plain(run["run"])) for run in runs)),
        rows=tuple(
            (
                Cell(text=name),
                *(Cell(text=MARKS.get(run["signs"][name], UNDEFINED)) for run in runs),
            )
            for name in runs[0]["signs"]
        ),
    )


def _map(found: Results) -> Section:
    blocks: tuple[Block, ...] = (
        Paragraph(text="The map needs runs with truth and utility; there is none here."),
    )
    if found["map"]:
        blocks = (risk_utility(found["map"]).picture(),)
    return Section(name="map", heading="Risk and utility", blocks=blocks)


def risk_utility(rows: list[Results]) -> Chart:
    """Each run by what it loses and by its largest conditional rate."""
    lowest = min(rows, key=lambda row: (row["risk"], row["loss"]))
    name = rows[0]["index"]
    return Chart(
        title=f"{plain(lowest['run'])} has the lowest risk: {percentage(lowest['risk'])} at "
        f"{name} {decimal(lowest['loss'])}",
        caption=f"Down is less risk: the largest conditional rate of any attack. Left is less "
        f"lost: {name}, {INDICES[name]}. A run with another below and left of it is beaten on "
        "both.",
        alternative="Points of risk against what is lost, one for each run.",
        spec=drawing.spec(
            [
                {"label": plain(row["run"]), "x": row["loss"], "y": row["risk"]}
                for row in rows
            ],
            width=drawing.WIDTH,
            height=drawing.WIDTH * 3 // 4,
            encoding={
                "x": {"field": "x", "type": "quantitative", "title": f"lost ({name})",
                      "axis": {"tickCount": 5}},
                "y": {"field": "y", "type": "quantitative", "title": "conditional rate, percent",
                      "scale": {"zero": True}},
            },
            layer=[
                {"mark": {"type": "point", "filled": True, "size": 80, "opacity": 1,
                          "color": drawing.BLUE}},
                {"mark": {"type": "text", "align": "left", "dx": 8},
                 "encoding": {"text": {"field": "label"}}},
            ],
        ),
        table=Table(
            name="map",
            caption="Risk and utility of each run",
            columns=(Column(title="Run"), *numbers("Conditional rate", name),
                     Column(title="Attack")),
            rows=tuple(
                (Cell(text=plain(row["run"])), rate(row["risk"]), factor(row["loss"]),
                 Cell(text=plain(row["attack"])))
                for row in rows
            ),
        ),
    )  # fmt: skip


def _notes(found: Results) -> Section:
    """Which run has which note; texts that all share are told once."""
    held: dict[tuple[str, str], list[str]] = {}
    for run in found["runs"]:
        for note in run["notes"]:
            held.setdefault((plain(note["attack"]), plain(note["text"])), []).append(
                plain(run["run"])
            )
    table = Table(
        name="notes",
        caption="Notes, and the runs that have them",
        columns=(Column(title="Attack"), Column(title="Note"), Column(title="Runs")),
        rows=tuple(
            (
                Cell(text=label or "study"),
                Cell(text=text),
                Cell(text=", ".join(dict.fromkeys(runs))),
            )
            for (label, text), runs in held.items()
        ),
    )
    none = Paragraph(text="There are no notes.")
    return Section(name="notes", heading="Notes", blocks=(table if held else none,))
