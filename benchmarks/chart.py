"""Pictures of the figures as SVG, dark on white so that they read on a light and a dark page."""

from __future__ import annotations

import math
from html import escape

WIDTH = 760
LEFT, RIGHT = 190, 90
STEP = 15
"""From one dot to the next."""
INK, FAINT = "#222222", "#c8c8c8"
OURS = "#0072b2"
PEERS = {
    "numpy": "#e69f00",
    "polars": "#009e73",
    "anonymeter": "#cc79a7",
    "sdmetrics": "#d55e00",
    "recordlinkage": "#56b4e9",
    "scikit-learn": "#8a8a00",
}
"""Okabe and Ito's colours, each told apart from its neighbours in grey as well by its label."""
LINES = {
    "taxicab": ("#0072b2", ""),
    "euclidean": ("#d55e00", "6 3"),
    "adhoc": ("#009e73", "2 3"),
    "unicity": ("#cc79a7", "9 3 2 3"),
}
Dot = tuple[str, float, dict[str, tuple[float, float]]]
"""A row, our seconds, and for each peer its seconds and its ratio."""
Line = tuple[str, str, list[tuple[float, float]]]


def _svg(height: float, title: str, parts: list[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="12" fill="{INK}">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{WIDTH}" height="{height:.0f}" rx="6" fill="#ffffff" stroke="{FAINT}"/>\n'
        f'<text x="16" y="26" font-size="15" font-weight="600">{escape(title)}</text>\n'
        f"{body}\n</svg>\n"
    )


def _text(x: float, y: float, text: str, anchor: str = "start", size: int = 12) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">'
        f"{escape(text)}</text>"
    )


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{FAINT}" fill="none"/>'


def told(seconds: float) -> str:
    """Seconds as one reads them: ms, s, min, h."""
    for size, unit in ((3600, "h"), (60, "min"), (1, "s")):
        if seconds >= size * (2 if size > 1 else 1):
            return f"{float(f'{seconds / size:.2g}'):g} {unit}"
    return f"{float(f'{seconds * 1000:.2g}'):g} ms"


def _decades(values: list[float]) -> range:
    """Powers of ten that enclose the values."""
    return range(math.floor(math.log10(min(values))), math.ceil(math.log10(max(values))) + 1)


def compared(dots: list[Dot]) -> str:
    """A dot for each row and peer, on a logarithmic scale of seconds."""
    every = [
        seconds for _, ours, peers in dots for seconds in (ours, *(s for s, _ in peers.values()))
    ]
    decades = _decades(every)
    span = max(1, len(decades) - 1)

    def across(seconds: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(seconds) - decades[0]) / span

    parts, y = [], 64.0
    for name, ours, peers in dots:
        parts.append(_text(LEFT - 8, y + 10, name, "end"))
        parts += _dot(across(ours), y, OURS, told(ours))
        y += STEP
        for peer, (seconds, ratio) in peers.items():
            label = f"{told(seconds)} {peer} ({float(f'{ratio:.2g}'):,g}x)"
            parts += _dot(across(seconds), y, PEERS[peer], label)
            y += STEP
        y += 8
    grid = [
        part
        for power in decades
        for part in (
            _line(across(10.0**power), 48, across(10.0**power), y),
            _text(across(10.0**power), 44, told(10.0**power), "middle", 11),
        )
    ]
    title = "Seconds from coded columns to kept pairs (blue: reident)"
    return _svg(y + 14, title, grid + parts)


def _dot(x: float, y: float, colour: str, label: str) -> list[str]:
    """A dot with its label, on the side where the page has room."""
    dot = f'<circle cx="{x:.1f}" cy="{y + 6:.1f}" r="5" fill="{colour}"/>'
    if x + 9 + 6.2 * len(label) < WIDTH - 8:
        return [dot, _text(x + 9, y + 10, label, size=11)]
    return [dot, _text(x - 9, y + 10, label, "end", 11)]


HEIGHT = 300
PANEL = {"records": (64, 350), "variables": (430, 716)}
TOP, BOTTOM = 60, 260


def grown(lines: list[Line]) -> str:
    """Two panels, seconds against records and against variables; both scales logarithmic."""
    every = [seconds for _, _, points in lines for _, seconds in points]
    decades = _decades(every)
    span = max(1, len(decades) - 1)

    def up(seconds: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (math.log10(seconds) - decades[0]) / span

    parts = []
    for along, (left, right) in PANEL.items():
        mine = [(attack, points) for attack, to, points in lines if to == along and points]
        places = sorted({x for _, points in mine for x, _ in points})
        if not places:
            continue
        low, high = math.log(places[0]), math.log(places[-1])

        def over(
            x: float, low: float = low, high: float = high, at: int = left, to: int = right
        ) -> float:
            return at + (to - at) * (math.log(x) - low) / max(1e-9, high - low)

        for power in decades:
            parts += [
                _line(left, up(10.0**power), right, up(10.0**power)),
                _text(left - 6, up(10.0**power) + 4, told(10.0**power), "end", 11),
            ]
        parts += [_text(over(x), BOTTOM + 16, f"{x:,.0f}", "middle", 11) for x in places]
        parts.append(_text((left + right) / 2, BOTTOM + 33, along, "middle"))
        for attack, points in mine:
            colour, dash = LINES[attack]
            path = "L".join(f"{over(x):.1f} {up(y):.1f}" for x, y in points)
            parts.append(
                f'<path d="M{path}" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}" '
                f'fill="none"/>'
            )
            parts += [
                f'<circle cx="{over(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}"/>'
                for x, y in points
            ]
    for place, (attack, (colour, dash)) in enumerate(LINES.items()):
        x = 330 + 105 * place
        parts.append(
            f'<path d="M{x} 22L{x + 26} 22" stroke="{colour}" stroke-width="2" '
            f'stroke-dasharray="{dash}" fill="none"/>'
        )
        parts.append(_text(x + 32, 26, attack))
    return _svg(HEIGHT + 4, "How seconds grow", parts)
