"""reident: how many people in a public-use file could really be found?

Files -> attack -> suspected pairs -> truth -> rates -> report.

Reading guide: `model` holds the values that a user writes and gets; `io` is the door that files
come through; `encode` turns tables into matrices; `attacks` link them, on an `engine`, with
`kernels`; `oracle` is the same in slow plain Python, and judges; `run` is where the layers meet.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "AdHoc": "reident.model.options",
    "Anonymised": "reident.model.anonymised",
    "AttackResult": "reident.model.result",
    "AuditError": "reident.errors",
    "CapacityError": "reident.errors",
    "ChangedError": "reident.errors",
    "ClusterError": "reident.errors",
    "DataError": "reident.errors",
    "EUC1": "reident.model.options",
    "EUC2": "reident.model.options",
    "Euclidean": "reident.model.options",
    "IdentifyRand": "reident.model.options",
    "IdentifySA": "reident.model.options",
    "IdentifySA21": "reident.model.options",
    "IdentifySort": "reident.model.options",
    "InternalError": "reident.errors",
    "IntruderFile": "reident.model.files",
    "Limits": "reident.model.limits",
    "MicroaggInterval": "reident.model.options",
    "MicroaggNearest": "reident.model.options",
    "MicroaggTrimmed": "reident.model.options",
    "MicroaggWindows": "reident.model.options",
    "Microaggregated": "reident.model.microaggregated",
    "MinimalUniques": "reident.model.uniques",
    "Protected": "reident.model.protect",
    "PublicFile": "reident.model.files",
    "Rates": "reident.model.rates",
    "RefusalError": "reident.errors",
    "ReidentError": "reident.errors",
    "Spark": "reident.model.engines",
    "SpecError": "reident.errors",
    "Study": "reident.api",
    "StudyResult": "reident.api",
    "Taxicab": "reident.model.options",
    "TruthFile": "reident.model.files",
    "Unicity": "reident.model.options",
    "Uniques": "reident.model.uniques",
    "Utility": "reident.model.utility",
    "Variable": "reident.model.variables",
    "anonymise": "reident.api",
    "categorical": "reident.model.variables",
    "date": "reident.model.variables",
    "decrypt": "reident.api",
    "microaggregate": "reident.api",
    "minimal_uniques": "reident.api",
    "numeric": "reident.model.variables",
    "protect": "reident.api",
    "uniques": "reident.api",
    "utility": "reident.api",
}
__all__ = sorted(_HOMES)  # noqa: PLE0605  # a list of names, made from the one table of homes


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that --help answers at once (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'reident' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
