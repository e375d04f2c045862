"""Pictures as inline SVG: horizontal bars with their numbers, readable without colour."""

from __future__ import annotations

from typing import Any, NamedTuple

from reident.report.plain import plain

COLOURS = ("#0072B2", "#E69F00")
"""Okabe and Ito's blue and orange, which also differ in grey."""
INK = "currentColor"
"""The colour of the text around the picture, by day, by night and on paper."""
WIDTH = 460
STEP = 22
SIZE = 13


class Bar(NamedTuple):
    """One bar: what it is of, its length, and what is written at its end."""

    label: str
    value: float
    text: str
    group: str = ""


def bars(rows: list[Bar], axis: str) -> str:
    """Bars in their order as SVG; two groups stand side by side, told apart by a legend."""
    # Only who draws waits for the library.
    import vl_convert  # noqa: PLC0415

    svg = vl_convert.vegalite_to_svg(
        _spec(rows, axis), vl_version="5.20", show_warnings=False, allowed_base_urls=[]
    )
    return str(svg)


def _spec(rows: list[Bar], axis: str) -> dict[str, Any]:
    groups = list(dict.fromkeys(row.group for row in rows))
    values = [
        row._asdict() | {"label": plain(row.label), "group": plain(row.group)} for row in rows
    ]
    shared: dict[str, Any] = {
        "y": {"field": "label", "type": "nominal", "sort": None, "title": None},
        "x": {"field": "value", "type": "quantitative", "title": axis},
    }
    colour: dict[str, Any] = {"value": COLOURS[0]}
    if len(groups) > 1:
        shared["yOffset"] = {"field": "group", "sort": None}
        colour = {
            "field": "group",
            "type": "nominal",
            "sort": None,
            "scale": {"domain": groups, "range": list(COLOURS)},
            "legend": {"title": None, "orient": "top"},
        }
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": None,
        "width": WIDTH,
        "height": {"step": STEP},
        "data": {"values": values},
        "encoding": shared,
        "layer": [
            {"mark": "bar", "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "align": "left", "dx": 4, "color": INK, "fontSize": SIZE},
                "encoding": {"text": {"field": "text"}},
            },
        ],
        "config": {
            "font": "sans-serif",
            "view": {"stroke": None},
            "axis": {
                "labelColor": INK,
                "titleColor": INK,
                "domainColor": INK,
                "tickColor": INK,
                "gridColor": "#8884",
                "labelFontSize": SIZE,
                "titleFontSize": SIZE,
                "titleFontWeight": "normal",
                "labelLimit": 240,
                "tickMinStep": 1,
            },
            "legend": {"labelColor": INK, "labelFontSize": SIZE},
        },
    }
