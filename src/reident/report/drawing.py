"""The look of all pictures, and Vega-Lite specs drawn as inline SVG without a browser."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    Spec = Mapping[str, Any]

BLUE, ORANGE, SKY, GREEN = "#0072B2", "#E69F00", "#56B4E9", "#009E73"
"""Colours of Okabe and Ito. Blue, sky and orange also differ in grey."""
INK = "currentColor"
"""The colour of the text around the picture, by day, by night and on paper."""
WIDTH = 340
"""With labels a picture fits a window of 640 pixels at twice the size."""
STEP = 20
SIZE = 13
LABEL = 170
VERSION = "6.1"
KEPT = 256
TAG = re.compile(r"<[^>]*>")
NEEDLESS = re.compile(r' (?:role|aria-\w+|class|xmlns:xlink)="[^"]*"')

CONFIG: dict[str, Any] = {
    # The page says what a picture shows; labels of single marks would only repeat its table.
    "aria": False,
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
        "labelLimit": LABEL,
    },
    "header": {"labelColor": INK, "labelFontSize": SIZE, "labelFontWeight": "bold"},
    "legend": {"labelColor": INK, "labelFontSize": SIZE, "symbolStrokeColor": INK},
    "text": {"color": INK, "fontSize": SIZE},
    "rule": {"color": INK},
}


def spec(values: list[dict[str, Any]], **parts: Any) -> dict[str, Any]:
    """A Vega-Lite spec in the house's look: plain values, its own data, no address to fetch."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "background": "transparent",
        "data": {"values": values},
        **parts,
        "config": CONFIG,
    }


def svg(drawn: Spec) -> str:
    """The picture of a spec."""
    return _svg(json.dumps(drawn))


@lru_cache(maxsize=KEPT)
def _svg(text: str) -> str:
    # Only who draws waits for the library.
    import vl_convert  # noqa: PLC0415  # only who draws waits

    drawn = vl_convert.vegalite_to_svg(
        json.loads(text), vl_version=VERSION, show_warnings=False, allowed_base_urls=[]
    )
    # Nothing in it links, and the page says what it shows: marks need neither links nor roles.
    return TAG.sub(lambda tag: NEEDLESS.sub("", tag[0]), str(drawn))


def labels(**more: Any) -> dict[str, Any]:
    """Names down the side, in their order."""
    return {"field": "label", "type": "nominal", "sort": None, "title": None, **more}


def along(title: str, **more: Any) -> dict[str, Any]:
    """Numbers along the foot."""
    return {
        "field": "value",
        "type": "quantitative",
        "title": title,
        "axis": {"tickMinStep": 1, "tickCount": 5},
        **more,
    }


def kinds(names: list[str], colours: list[str], **more: Any) -> dict[str, Any]:
    """Colours of kinds of marks, told by a legend above the picture."""
    return {
        "field": "kind",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": names, "range": colours},
        "legend": {"title": None, "orient": "top", "columns": 2},
        **more,
    }


def ends(where: str = "text") -> dict[str, Any]:
    """What is written at the end of a bar."""
    return {
        "mark": {"type": "text", "align": "left", "dx": 4},
        "encoding": {"text": {"field": where}},
    }
