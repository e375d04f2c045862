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
    from collections.abc import Mapping, Sequence

    from rich.table import Table

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
    if any(run["notes"] for run in runs):
        parts.append(_notes(runs, names))
    return Group(*parts)


def _notes(runs: Sequence[Results], names: Sequence[str]) -> Table:
    """Which run has which note; the page and the JSON tell what they say."""
    held = [{(note["attack"], note["code"]) for note in run["notes"]} for run in runs]
    table = columns("Attack", "Note", *names, title="Notes: x where a run has it")
    for label, code in dict.fromkeys(
        (note["attack"], note["code"]) for run in runs for note in run["notes"]
    ):
        marks = ("x" if (label, code) in own else "" for own in held)
        table.add_row(plain(label) or "study", plain(code), *marks)
    return table


def _cell(run: Results, name: str) -> str:
    if not run["utility"]:
        return ""
    mark = MARKS.get(run["signs"][name], UNDEFINED) if run["signs"] else ""
    return f"{figure(run['utility'][name])} {mark}"


def fitting(run: Results, methods: Mapping[str, str]) -> str:
    """Single methods of anonymising whose pattern a run shows."""
    told = ", ".join(f"{methods[name]} ({name})" for name in run["fits"])
    return f"{plain(run['run'])}: single methods that fit: {told or 'none'}."
