"""Finished runs side by side: rates, utility, and which way of anonymising fits (Table 15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.contest import ATTACKS, INSIDE, OUTSIDE, fits, pattern, rates, trials
from reident.io.finished import read_results
from reident.model.utility import INDICES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

RATES = ("suspected_rate", "confirmed_rate", "conditional_rate", "expected_rate")
LOSSES = ("U5", "U1", "U2", "U3", "U4", "U6")
"""Indices for the map of risk and utility: the first that all runs on it have."""


def compare_runs(folders: Sequence[Path]) -> dict[str, Any]:
    """Rates by attack and the indices of all runs; patterns are held against the first.

    The first run is the original attacked by itself, or whatever the others shall be compared
    with. Single methods are named where every run has utility and the attacks E1 to E4, EUC1, EUC2.
    """
    found = [read_results(folder) for folder in folders]
    values = [_values(one) for one in found]
    known = trials(INSIDE, OUTSIDE)
    runs = []
    for folder, one, own in zip(folders, found, values, strict=True):
        row: dict[str, Any] = {
            "run": folder.name,
            "title": one["title"],
            "marking": one["marking"],
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
            "notes": _notes(one),
        }
        if own is not None and values[0] is not None:
            row["signs"] = pattern(own, values[0])
            row["fits"] = fits(row["signs"], known)
        runs.append(row)
    return {
        "runs": runs,
        "methods": {trial.name: trial.methods[0] for trial in known},
        "map": risk_and_utility(runs),
    }


def risk_and_utility(runs: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each run by its largest conditional rate and one index of what is lost.

    Only runs that have both are on the map, and all by the same index; empty where none is.
    """
    placed = []
    for run in runs:
        rates = {label: one["conditional_rate"] for label, one in run["rates"].items()}
        known = {label: rate for label, rate in rates.items() if rate is not None}
        if known and run["utility"] is not None:
            placed.append((run, max(known, key=lambda label: known[label])))
    for index in LOSSES:
        if all(run["utility"][index] is not None for run, _ in placed):
            return [
                {
                    "run": run["run"],
                    "attack": label,
                    "risk": run["rates"][label]["conditional_rate"],
                    "index": index,
                    "loss": run["utility"][index],
                }
                for run, label in placed
            ]
    return []


def _notes(results: dict[str, Any]) -> list[dict[str, Any]]:
    """All notes of a run, of the study and of each attack."""
    told = [("", results["notes"])]
    told += [(label, attack["notes"]) for label, attack in results["attacks"].items()]
    return [
        {"attack": label, "code": note["code"], "text": note["text"]}
        for label, notes in told
        for note in notes
    ]


def _values(results: dict[str, Any]) -> dict[str, float | None] | None:
    """The indices and the rates of the paper's attacks, if a run has all of them."""
    by_method = {attack["method"]: attack for attack in results["attacks"].values()}
    if results["utility"] is None or not set(ATTACKS.values()) <= set(by_method):
        return None
    expected = {method: attack["expected_confirmed"] for method, attack in by_method.items()}
    found = rates(expected, results["puf_records"], results["eif_records"])
    return {name: results["utility"][name] for name in INDICES} | found
