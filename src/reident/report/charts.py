"""A picture of the report as a value: its finding, its spec, its numbers; drawn when asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from reident.errors import Fault, SpecError
from reident.report import drawing
from reident.report.plain import plain
from reident.report.sections import Picture

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.report.sections import Table


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture: a title that states the finding, a caption, a Vega-Lite spec and a table.

    `spec` is a plain dict and holds its data; `svg`, `data` and `altair()` are made when asked for.
    """

    title: str
    caption: str
    alternative: str
    spec: Mapping[str, Any] = field(repr=False)
    table: Table = field(repr=False)

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return drawing.svg(self.spec)

    @property
    def data(self) -> pl.DataFrame:
        """The numbers that are drawn."""
        return pl.DataFrame(self.spec["data"]["values"], infer_schema_length=None)

    def altair(self) -> Any:
        """The picture as an altair object, to be changed further; needs the extra `altair`."""
        try:
            import altair as alt  # noqa: PLC0415  # an extra
        except ImportError:
            raise SpecError(
                Fault(
                    where="altair",
                    found="the package is not installed",
                    remedy="Install reident[altair], or use spec, svg or data",
                )
            ) from None
        return alt.Chart.from_dict(dict(self.spec))

    def picture(self, level: int = 3) -> Picture:
        """The picture as a part of a document."""
        return Picture(
            title=self.title,
            svg=self.svg,
            alternative=f"{self.alternative} {self.title}.",
            caption=self.caption,
            table=self.table,
            level=level,
        )

    def _repr_html_(self) -> str:
        told = escape(f"{self.alternative} {self.title}.")
        return (
            f"<figure><p><strong>{escape(self.title)}</strong></p>"
            f'<div role="img" aria-label="{told}">{self.svg}</div>'
            f"<figcaption>{escape(self.caption)}</figcaption></figure>"
        )


class Bar(NamedTuple):
    """One bar: what it is of, its length, and what is written at its end."""

    label: str
    value: float
    text: str
    group: str = ""


def bars(rows: list[Bar], axis: str) -> str:
    """Bars in their order as SVG; two groups stand side by side, told apart by a legend."""
    groups = [plain(name) for name in dict.fromkeys(row.group for row in rows)]
    values = [
        {"label": plain(row.label), "value": row.value, "text": row.text, "kind": plain(row.group)}
        for row in rows
    ]
    shared: dict[str, Any] = {"y": drawing.labels(), "x": drawing.along(axis)}
    colour: dict[str, Any] = {"value": drawing.BLUE}
    if len(groups) > 1:
        shared["yOffset"] = {"field": "kind", "sort": None}
        colour = drawing.kinds(groups, [drawing.BLUE, drawing.ORANGE])
    return drawing.svg(
        drawing.spec(
            values,
            width=drawing.WIDTH,
            height={"step": drawing.STEP},
            encoding=shared,
            layer=[{"mark": "bar", "encoding": {"color": colour}}, drawing.ends()],
        )
    )
