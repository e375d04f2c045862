"""The section of what the release is still good for, where a study measured it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report import drawing
from reident.report.cells import factor, number, numbers
from reident.report.charts import Chart
from reident.report.plain import plain
from reident.report.sections import Cell, Column, Items, Paragraph, Section, Table
from reident.report.utility import INDICES

if TYPE_CHECKING:
    from collections.abc import Mapping

    Results = Mapping[str, Any]


def utility(results: Results) -> Section:
    """The indices, and how far each variable has moved; single values are never shown."""
    found = results["utility"]
    told = tuple(plain(note["text"]) for note in found["notes"])
    return Section(
        name="utility",
        heading="What the release is still good for",
        blocks=(
            Paragraph(
                text="Indices of PWSCUP2015 (Identify-euc, Table 1): U1 to U6 grow with what is "
                "lost, S1 and S2 with what is hidden."
            ),
            _indices(found),
            utility_chart(found).picture(),
            *((Items(texts=told),) if told else ()),
        ),
    )


def _indices(found: Results) -> Table:
    return Table(
        name="utility",
        caption="Utility of the public-use file beside its original",
        columns=(Column(title="Index"), *numbers("Value"), Column(title="What it says")),
        rows=tuple(
            (Cell(text=name), index(found[name]), Cell(text=text)) for name, text in INDICES.items()
        ),
    )


def index(value: float | None) -> Cell:
    """An index: a count of records, or a factor."""
    return number(value) if isinstance(value, int) else factor(value)


def utility_chart(found: Results) -> Chart:
    """How far the distribution of each variable has moved."""
    known = [row for row in found["variables"] if row["distance"] is not None]
    rows = sorted(known, key=lambda row: -row["distance"])
    title = (
        f"{plain(rows[0]['name'])} has moved furthest: by {_far(rows[0]['distance'])}"
        if rows and rows[0]["distance"]
        else "No variable has moved"
    )
    return Chart(
        title=title,
        caption="Distance between a variable's distributions before and after: 0 where they are "
        "the same, 1 where they have nothing in common. Categories: total variation; numbers: "
        "Kolmogorov and Smirnov.",
        alternative="Bars of the distance that each variable has moved, furthest first.",
        spec=drawing.spec(
            [
                {
                    "label": plain(row["name"]),
                    "value": row["distance"],
                    "text": _far(row["distance"]),
                }
                for row in rows
            ],
            width=drawing.WIDTH,
            height={"step": drawing.STEP},
            encoding={
                "y": drawing.labels(),
                "x": drawing.along("distance", axis={"tickCount": 5}, scale={"domain": [0, 1]}),
            },
            layer=[{"mark": {"type": "bar", "color": drawing.BLUE}}, drawing.ends()],
        ),
        table=_moved(found),
    )


def _far(distance: float) -> str:
    return f"{distance:.3g}"


def _moved(found: Results) -> Table:
    return Table(
        name="moved",
        caption="Each variable before and after",
        columns=(
            Column(title="Variable"),
            *numbers("Present before", "Present after", "Mean before", "Mean after", "Distance"),
        ),
        rows=tuple(
            (
                Cell(text=plain(row["name"])),
                *(number(row[side]["records"]) for side in ("before", "after")),
                *(factor(row[side].get("mean")) for side in ("before", "after")),
                factor(row["distance"]),
            )
            for row in found["variables"]
        ),
    )
