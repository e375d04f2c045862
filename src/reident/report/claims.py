"""Claims against measurements: a table for the terminal, and confirmed rate against k as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from reident.report.columns import columns
from reident.report.figures import percentage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    Rows = Sequence[Mapping[str, Any]]

WIDTH, HEIGHT = 640, 380
LEFT, RIGHT, TOP, BOTTOM = 60, 150, 60, 60
INK, FAINT = "#222222", "#c8c8c8"
CURVES = {
    "single": ("one variable at a time", "#0072b2", ""),
    "mdav": ("MDAV, all at once", "#d55e00", "6 3"),
    "one of k": ("1 / k", "#8a8a8a", "2 3"),
}
"""Lines of the picture: name, colour of Okabe and Ito, dashes."""
TITLE = "Confirmed rate against k: single-variable micro-aggregation beside MDAV"
TICKS = (0, 20, 40, 60, 80, 100)


def table(rows: Rows) -> Table:
    """A line for each claim and way, a column for each k; figures are means over the seeds."""
    ks = sorted({row["k"] for row in rows})
    shown = columns("Situation", "Claim", "Measured: confirmed rate", *(f"k = {k}" for k in ks))
    ways = dict.fromkeys((row["situation"], row["claim"], row["way"]) for row in rows)
    for situation, claim, way in ways:
        figures = {row["k"]: row["mean"] for row in rows if _is(row, situation, way)}
        name = CURVES[way][0] if situation == "curve" else way
        shown.add_row(situation, claim, name, *(percentage(figures.get(k)) for k in ks))
    return shown


def _is(row: Mapping[str, Any], situation: str, way: str) -> bool:
    return bool(row["situation"] == situation and row["way"] == way)


def picture(rows: Rows) -> str:
    """Confirmed rate against k, a line for each kind of release, and one record in k."""
    lines = {
        way: [(row["k"], row["mean"]) for row in rows if _is(row, "curve", way)]
        for way in ("single", "mdav")
    }
    lines["one of k"] = [(k, 100 / k) for k, _ in lines["mdav"]]
    ks = [k for k, _ in lines["mdav"]]
    parts = [*_axes(ks)]
    for way, points in lines.items():
        parts += _curve(way, points, ks)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{INK}">\n'
        f"<title>{escape(TITLE)}</title>\n<desc>{escape(_told(lines))}</desc>\n"
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff" stroke="{FAINT}"/>\n'
        f"{_text(16, 28, TITLE, size=14)}\n" + "\n".join(parts) + "\n</svg>\n"
    )


def _told(lines: Mapping[str, Sequence[tuple[int, float]]]) -> str:
    """The picture in words, for who cannot see it."""
    return " ".join(
        f"{CURVES[way][0]}: "
        + ", ".join(f"k = {k}: {percentage(rate)}" for k, rate in points)
        + "."
        for way, points in lines.items()
    )


def _across(k: int, ks: Sequence[int]) -> float:
    """Each k has its place in order; gaps between them are not to scale."""
    return LEFT + (WIDTH - LEFT - RIGHT) * ks.index(k) / max(1, len(ks) - 1)


def _up(rate: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rate / 100


def _axes(ks: Sequence[int]) -> list[str]:
    parts = [
        f'<path d="M{LEFT} {_up(tick):.1f}H{WIDTH - RIGHT}" stroke="{FAINT}" fill="none"/>'
        + _text(LEFT - 8, _up(tick) + 4, f"{tick} %", "end")
        for tick in TICKS
    ]
    parts += [_text(_across(k, ks), HEIGHT - BOTTOM + 20, str(k), "middle") for k in ks]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [*parts, _text(middle, HEIGHT - 16, "k, records in a group", "middle")]


def _curve(way: str, points: Sequence[tuple[int, float]], ks: Sequence[int]) -> list[str]:
    name, colour, dashes = CURVES[way]
    at = [(_across(k, ks), _up(rate)) for k, rate in points]
    path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in at)
    marks = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in at)
    below = 14 if way == "one of k" else 0
    line = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}" fill="none"'
    return [
        f'<path d="{path}" {line}/>{marks}',
        _text(at[-1][0] + 8, at[-1][1] + 4 - below, name),
    ]


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
        f"{escape(text)}</text>"
    )
