"""What a drawn study contains, so that a run of the tests can show what it met."""

from collections import Counter
from typing import Any

from reident import oracle
from reident.oracle.links import passing_groups
from reident.oracle.prepared import GUESSES
from reident.oracle.ranks import kept_groups
from reident.oracle.values import cell_of

SEEN: Counter[str] = Counter()
"""How many studies had each feature; the test session prints it at its end (conftest.py)."""


def tally(case: Any) -> None:
    """Count the features of a case for the end of the session."""
    SEEN["studies"] += 1
    SEEN.update(case.features())


def features(case: Any) -> set[str]:
    """Names of what this case contains, so that a run can show what it met."""
    found = file_features(case) | truth_features(case) | option_features(case)
    if len(case.puf) == 1 or len(case.eif) == 1:
        found.add("one record")
    if len(case.variables) == 1:
        found.add("one variable")
    if case.strata:
        found |= strata_features(case)
    for label, options in case.oracle_attacks.items():
        found |= attack_features(case, options, case.judged["attacks"][label])
    return found


def file_features(case: Any) -> set[str]:
    found = set()
    if len(case.puf_key) > 1 or len(case.eif_key) > 1:
        found.add("composite key")
    if case.puf_missing or case.eif_missing:
        found.add("missing codes of a file")
    for i, one in enumerate(case.variables):
        found |= {f"{one.kind} variable", f"stored as {one.puf_store}"}
        if one.puf != one.eif:
            found.add("columns named differently")
        variable = case.oracle_variables[i]
        cells = []
        for file, codes in (("puf", variable.missing_puf), ("eif", variable.missing_eif)):
            values = [record.values[i] for record in case.records(file)]
            cells += [cell_of(value, one.kind, codes, one.not_applicable) for value in values]
        if None in cells:
            found.add("missing")
        if all(cell is None for cell in cells):
            found.add("variable all missing")
        if any(isinstance(cell, oracle.NotApplicable) for cell in cells):
            found.add("not applicable")
        if any(isinstance(cell, float) and abs(cell) > 1e300 for cell in cells):
            found.add("huge numbers")
    return found


def truth_features(case: Any) -> set[str]:
    truth = case.truth
    if truth is None:
        return {"no truth"}
    found = set()
    if len(set(truth)) < len(truth):
        found.add("duplicate truth rows")
    puf_counts = Counter(p for p, _ in set(truth))
    eif_counts = Counter(e for _, e in set(truth))
    if max(puf_counts.values()) > 1 and max(eif_counts.values()) > 1:
        found.add("many-to-many truth")
    unknown = case.judged["truth_unknown"]
    if unknown["puf"] or unknown["eif"]:
        found.add("unknown ids in the truth")
    if case.judged["truth_pairs_split"]:
        found.add("truth pair across strata")
    return found


def strata_features(case: Any) -> set[str]:
    found = {"strata"} | ({"two strata columns"} if len(case.strata) > 1 else set())
    puf = {record.stratum for record in case.records("puf")}
    eif = {record.stratum for record in case.records("eif")}
    if any(None in stratum for stratum in puf | eif):
        found.add("missing stratum")
    if any(None not in stratum for stratum in puf ^ eif):
        found.add("strata empty on one side")
    return found


def option_features(case: Any) -> set[str]:
    found = set() if case.attacks else {"default attacks"}
    for options in case.oracle_attacks.values():
        found.add(options["method"])
        named = (
            "bins_method",
            "cuts",
            "scale",
            "interactions",
            "pairs",
            "radius",
            "ties",
            "give_up",
        )
        for name in named:
            if name in options:
                found.add(f"{name} = {options[name]}")
        for name in ("keep", "bins", "orders", "variables", "missing_score"):
            if name in options:
                found.add(f"{name} given")
        threshold = options.get("threshold")
        if threshold is not None:
            named = isinstance(threshold, str)
            found.add(f"threshold = {threshold}" if named else "threshold a number")
        for rule in options.get("rules", {}).values():
            kind = "callable" if callable(rule) else next(iter(rule))
            found.add(f"{kind} rule")
    return found


def attack_features(case: Any, options: dict[str, Any], result: dict[str, Any]) -> set[str]:
    found = set()
    if result["confirmed"]:
        found.add("confirmed")
    if any(row["rule"] == "nothing_present" for row in result["set_aside"]):
        found.add("record with nothing present")
    if options["method"] == "unicity":
        counts = {row["suspected"] for row in result["readings"]}
        return found | ({"readings differ"} if len(counts) > 1 else set())
    if options["method"].startswith("microagg_"):
        tied = any(row["candidates"] not in (None, 0, 1) for row in result["steps"][-1:])
        return found | ({"several candidates left"} if tied else set())
    if options["method"] in GUESSES:
        tied = {row[4] for row in result["pair_list"]}
        found |= {"tied guesses"} if tied - {1} else set()
        return found | ({"give-ups"} if result["give_ups"] else set())
    if result["tied_out"]:
        found.add("tied out")
    files = case.records("puf"), case.records("eif")
    prepared = oracle.prepare(*files, case.oracle_variables, options)
    for row in prepared.puf.values():
        groups = passing_groups(prepared, row)
        kept = kept_groups(groups, prepared.keep)
        if len(kept) < len(groups):
            size = len(groups[len(kept)][1])
            found |= {"cut"} | ({"tie at the cut"} if size > 1 else set())
            if size in (4, 5, 6, 7):
                found.add(f"tie of {size} at the cut")
    return found
