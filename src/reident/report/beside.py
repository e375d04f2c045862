"""Runs side by side on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from reident.report.columns import columns
from reident.report.contest import figure
from reident.report.figures import percentage
from reident.report.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    Results = Mapping[str, Any]

SHOWN = {
    "confirmed_rate": "confirmed",
    "conditional_rate": "conditional",
    "expected_rate": "expected",
}
MARKS = {"worse": "-", "better": "+", "safer": "+", "less safe": "-", "same": "="}
UNDEFINED = "?"


def summary(results: Results) -> Group:
    """Rates by attack, indices with the way they moved, and the methods that fit."""
    runs = results["runs"]
    names = [plain(run["run"]) for run in runs]
    rates = columns("Attack", "Rate", *names, title="Rates")
    for label in dict.fromkeys(label for run in runs for label in run["rates"]):
        for rate, shown in SHOWN.items():
            cells = [run["rates"].get(label, {}).get(rate) for run in runs]
            if any(cell is not None for cell in cells):
                rates.add_row(plain(label), shown, *(percentage(cell) for cell in cells))
    parts: list[Any] = [rates]
    if any(run["utility"] for run in runs):
        worth = columns("Index", *names, title="Utility: - lost, + gained, = the same as the first")
        for name in next(run["utility"] for run in runs if run["utility"]):
            worth.add_row(name, *(_cell(run, name) for run in runs))
        parts.append(worth)
    parts += [Text(fitting(run, results["methods"])) for run in runs[1:] if run["fits"] is not None]
    return Group(*parts)


def _cell(run: Results, name: str) -> str:
    if not run["utility"]:
        return ""
    mark = MARKS.get(run["signs"][name], UNDEFINED) if run["signs"] else ""
    return f"{figure(run['utility'][name])} {mark}"


def fitting(run: Results, methods: Mapping[str, str]) -> str:
    """Single methods of anonymising whose pattern a run shows."""
    told = ", ".join(f"{methods[name]} ({name})" for name in run["fits"])
    return f"{plain(run['run'])}: single methods that fit: {told or 'none'}."
