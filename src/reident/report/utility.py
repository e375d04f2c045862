"""Utility of a release on the terminal: the indices, and each variable before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.text import Text

from reident.report.columns import columns
from reident.report.figures import count, decimal
from reident.report.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    Results = Mapping[str, Any]

INDICES = {
    "U1": "meanMAE: how far the means of the SAs have moved",
    "U2": "crossMean: the same in the cells of the cross table of the QIs",
    "U3": "crossCnt: how far the counts of these cells have moved",
    "U4": "corMAE: how far the correlations of the SAs have moved",
    "U5": "IL: change of a value, in ranges of its SA",
    "U6": "nrow: records more or fewer",
    "S1": "k-anony: records in the smallest class of QIs",
    "S2": "k-anonyMean: records in a class on average",
}
"""What each index says; U grows with what is lost, S with what is hidden."""


def summary(results: Results) -> Group:
    """The indices and the variables as rich draws them."""
    return Group(_indices(results), Text(), _numbers(results), Text(), _categories(results))


def _indices(results: Results) -> Table:
    table = columns("Index", "Value", "What it says")
    for name, text in INDICES.items():
        value = results[name]
        table.add_row(name, count(value) if isinstance(value, int) else decimal(value), text)
    return table


def _numbers(results: Results) -> Table:
    table = columns("SA", "Mean", "after", "Variance", "after", "Median", "after", "Distance")
    for row in results["variables"]:
        if row["role"] == "sa":
            told = [(row[side]["mean"], row[side]["variance"], row[side]["quantiles"][2])
                    for side in ("before", "after")]  # fmt: skip
            cells = [decimal(value) for pair in zip(*told, strict=True) for value in pair]
            table.add_row(Text(plain(row["name"])), *cells, decimal(row["distance"]))
    return table


def _categories(results: Results) -> Table:
    table = columns("QI", "Categories", "after", "Missing", "after", "Distance")
    for row in results["variables"]:
        if row["role"] == "qi":
            cells = [
                count(row[side][name])
                for name in ("categories", "missing")
                for side in ("before", "after")
            ]
            table.add_row(Text(plain(row["name"])), *cells, decimal(row["distance"]))
    return table
