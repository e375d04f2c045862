"""Finished runs side by side: rates, utility, and which way of anonymising fits (Table 15)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reident.contest import ATTACKS, INSIDE, OUTSIDE, fits, pattern, rates, trials
from reident.errors import DataError, Fault
from reident.io.outputs import FINISHED
from reident.model.utility import INDICES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

RATES = ("suspected_rate", "confirmed_rate", "conditional_rate", "expected_rate")


def compare_runs(folders: Sequence[Path]) -> dict[str, Any]:
    """Rates by attack and the indices of all runs; patterns are held against the first.

    The first run is the original attacked by itself, or whatever the others shall be compared
    with. Single methods are named where every run has utility and the attacks E1 to E4, EUC1, EUC2.
    """
    found = [_results(folder) for folder in folders]
    values = [_values(one) for one in found]
    known = trials(INSIDE, OUTSIDE)
    runs = []
    for folder, one, own in zip(folders, found, values, strict=True):
        row: dict[str, Any] = {
            "run": folder.name,
            "title": one["title"],
            "puf_records": one["puf_records"],
            "rates": {
                label: {name: attack[name] for name in RATES}
                for label, attack in one["attacks"].items()
            },
            "utility": None
            if one["utility"] is None
            else {name: one["utility"][name] for name in INDICES},
            "signs": None,
            "fits": None,
        }
        if own is not None and values[0] is not None:
            row["signs"] = pattern(own, values[0])
            row["fits"] = fits(row["signs"], known)
        runs.append(row)
    return {"runs": runs, "methods": {trial.name: trial.methods[0] for trial in known}}


def _results(folder: Path) -> dict[str, Any]:
    try:
        text = (folder / FINISHED).read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
    except (OSError, ValueError):
        raise DataError(
            Fault(
                where=folder.name,
                found="no finished run",
                remedy=f"Name a folder that holds {FINISHED}",
            )
        ) from None
    return found


def _values(results: dict[str, Any]) -> dict[str, float | None] | None:
    """The indices and the rates of the paper's attacks, if a run has all of them."""
    by_method = {attack["method"]: attack for attack in results["attacks"].values()}
    if results["utility"] is None or not set(ATTACKS.values()) <= set(by_method):
        return None
    expected = {method: attack["expected_confirmed"] for method, attack in by_method.items()}
    found = rates(expected, results["puf_records"], results["eif_records"])
    return {name: results["utility"][name] for name in INDICES} | found
