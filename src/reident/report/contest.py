"""The tables of Identify-euc 4 on the terminal: Table 13, Table 12 beside it, Table 16."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.text import Text

from reident.report.columns import columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.table import Table

    Results = Mapping[str, Any]

RATES = {"E1": "id-rand", "E2": "id-sa", "E3": "id-sort", "E4": "id-sa21", "EUC1": "EUC1"}
"""Columns of Table 16."""
CLOSE = {"box": SIMPLE_HEAD, "padding": (0, 1, 0, 0), "pad_edge": False}
"""So that ten columns have room for their figures on eighty."""
MARKS = {"worse": "-", "safer": "+", "same": "="}


def summary(results: Results) -> Group:
    """All tables of a contest: of the sample and of the whole file."""
    parts: list[Any] = []
    for part in results["parts"]:
        parts += [
            Text(f"\n{part['name']}: {part['records']} records"),
            _table_13(part),
            _table_12(part),
            *(Text(told) for told in _told(part)),
            _table_16(part["trials"]),
        ]
    return Group(*parts)


def _table_13(part: Results) -> Table:
    names = [row["name"] for row in part["trials"]]
    table = columns("", "Original", *names, title="Table 13: utility and safety", **CLOSE)
    for name, base in part["original"].items():
        table.add_row(
            name, figure(base), *(figure(row["measured"][name]) for row in part["trials"])
        )
    return table


def figure(value: float | None) -> str:
    """As Table 13 prints: three places, none from a hundred on."""
    if value is None:
        return "-"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3f}".rstrip("0").rstrip(".")


def _table_12(part: Results) -> Table:
    """What is expected beside what was measured; a blank where the paper expects nothing."""
    legend = "Expected: - worse, + safer, = the same; then whether it was found."
    names = (f"{row['name']} {row['method']}" for row in part["trials"])
    table = columns("", *names, title="Table 12: expected and found", caption=legend, **CLOSE)
    for name in part["original"]:
        verdicts = [_verdict(row, name) for row in part["trials"]]
        if any(verdicts):
            table.add_row(name, *verdicts)
    return table


def _verdict(row: Results, name: str) -> str:
    expected = row["expected"].get(name)
    if expected is None:
        return ""
    return f"{MARKS[expected]} {'differ' if name in row['differ'] else 'agree'}"


def _told(part: Results) -> list[str]:
    """Every difference in words."""
    return [
        f"{row['name']}, {name}: {row['expected'][name]} expected, {row['signs'][name]} found"
        + (f": {row['differ'][name]}." if row["differ"][name] else ".")
        for row in part["trials"]
        for name in row["differ"]
    ]


def _table_16(trials: Sequence[Results]) -> Table:
    table = columns("", *RATES.values(), title="Table 16: rates of re-identification", **CLOSE)
    best = dict.fromkeys(RATES, 0)
    for row in trials:
        rates = {name: row["measured"][name] or 0.0 for name in RATES}
        top = max(rates.values())
        for name, rate in rates.items():
            best[name] += rate == top
        marked = (f"{rate:.3f}{'*' if rate == top else ''}" for rate in rates.values())
        table.add_row(row["name"], *marked)
    held = [[row["measured"][name] or 0.0 for row in trials] for name in RATES]
    table.add_row("average", *(f"{statistics.mean(column):.3f}" for column in held))
    table.add_row("standard deviation", *(f"{statistics.stdev(column):.3f}" for column in held))
    table.add_row("best score", *(str(count) for count in best.values()))
    return table
