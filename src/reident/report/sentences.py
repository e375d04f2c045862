"""One plain sentence for each finding, made from the numbers of results.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reident.report.figures import (
    beside,
    bound,
    count,
    decimal,
    interval,
    percentage,
    plural,
)
from reident.report.plain import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

RATES = {
    "suspected_rate": "suspected rate",
    "confirmed_rate": "confirmed rate",
    "conditional_rate": "conditional rate",
}


def name_of(label: str, attack: Mapping[str, Any]) -> str:
    """What an attack is called: its method, or its own label with the method.

    >>> name_of("taxicab", {"method": "taxicab"}), name_of("strict", {"method": "euclidean"})
    ('Taxicab', 'strict (euclidean)')
    """
    method = plain(attack["method"])
    return method.capitalize() if label == attack["method"] else f"{plain(label)} ({method})"


def finding(label: str, attack: Mapping[str, Any], puf_records: int) -> str:
    """What an attack found, in one sentence."""
    name = name_of(label, attack)
    suspected = attack["suspected"]
    if not suspected:
        return (
            f"{name} suspects none of {plural(puf_records, 'record', 'records')}, "
            "so a conditional rate is not defined."
        )
    told = (
        f"{name} suspects {count(suspected)} of {plural(puf_records, 'record', 'records')} "
        f"({percentage(attack['suspected_rate'])}); "
    )
    if attack["confirmed"] is None:
        return told + "how many of them are right is not known, because no truth file was given."
    return f"{told}{_right(attack)}{_expected(attack)}; {_guesser(attack['baseline_confirmed'])}."


def _right(attack: Mapping[str, Any]) -> str:
    confirmed = attack["confirmed"]
    how_many = "none of them is" if not confirmed else f"{count(confirmed)} of them "
    if confirmed:
        how_many += "is" if confirmed == 1 else "are"
    ends = attack["conditional_interval"]
    within = "" if ends is None else f" (95 % interval {interval((ends[0], ends[1]))})"
    return f"{how_many} right, {percentage(attack['conditional_rate'])}{within}"


def _expected(attack: Mapping[str, Any]) -> str:
    """What a choice at random among tied records is worth, for attacks with one guess a record."""
    if attack["expected_confirmed"] is None:
        return ""
    return (
        f"; with ties broken at random {decimal(attack['expected_confirmed'])} would be, "
        f"{percentage(attack['expected_rate'])} of all"
    )


def _guesser(baseline: float | None) -> str:
    if baseline is None:
        return "what blind guessing would reach is not known, because pairs are not listed"
    if not baseline:
        return "blind guessing would be right for none"
    return f"blind guessing would be right for {decimal(baseline)}"


def ties(label: str, attack: Mapping[str, Any]) -> str | None:
    """What the cut by rank left out, for the metrics that rank."""
    passing, out = attack["passing_records"], attack["tied_out"]
    if not passing or out is None:
        return None
    keep = attack["options"].get("keep", 5)
    told = (
        f"{name_of(label, attack)}: {plural(passing, 'record has', 'records have')} a pair within "
        "the threshold; "
    )
    if not out:
        return f"{told}for none of these do more than {keep} intruder records tie for the closest."
    told += (
        f"{count(out)} of these {'is' if out == 1 else 'are'} not suspected, because more than "
        f"{keep} intruder records tie for the closest"
    )
    true = attack["tied_out_true"]
    if true is not None:
        told += f" (the true partner is among the tied for {count(true) if true else 'none'})"
    return told + "."


def set_aside(label: str, attack: Mapping[str, Any], puf_records: int) -> str | None:
    """PUF records that could be compared with nobody, if there are any."""
    rules = {
        "missing_stratum": "have a missing stratum",
        "stratum_not_in_eif": "lie in a stratum without intruder records",
        "nothing_present": "have no linking value",
        "missing_sa": "lack a number to be sorted by",
    }
    parts = [
        f"{count(row['records'])} {rules.get(row['rule'], plain(row['rule']))}"
        for row in attack["set_aside"]
    ]
    if not parts:
        return None
    return (
        f"{name_of(label, attack)} compares {count(attack['compared'])} of "
        f"{plural(puf_records, 'record', 'records')}; set aside, and counted as not suspected: "
        f"{'; '.join(parts)}."
    )


def limit(check: Mapping[str, Any], attack: Mapping[str, Any]) -> str:
    """Whether an agreed limit is met or exceeded."""
    name = name_of(check["attack"], attack)
    rate = RATES.get(check["rate"], plain(check["rate"]))
    agreed = f"the agreed limit of {bound(check['limit'])} %"
    value = check["value"]
    if value is None:
        return (
            f"Met: the {rate} of {name} is not defined, because nothing is suspected; "
            f"{agreed} counts as met."
        )
    # A limit may be held against the end of the interval instead of the rate itself.
    what = rate if value == attack[check["rate"]] else f"upper end of the interval of the {rate}"
    where = "above" if check["exceeded"] else "within"
    verdict = "Exceeded" if check["exceeded"] else "Met"
    shown = beside(value, check["limit"])
    return f"{verdict}: the {what} of {name} is {shown}, {where} {agreed}."


def limits(results: Mapping[str, Any]) -> str:
    """How many agreed limits are exceeded."""
    checks = results["limits"]
    if not checks:
        return "No limit was agreed before this run."
    over = sum(check["exceeded"] for check in checks)
    if not over:
        return f"None of {plural(len(checks), 'agreed limit', 'agreed limits')} is exceeded."
    verb = "is" if over == 1 else "are"
    return (
        f"{count(over)} of {plural(len(checks), 'agreed limit', 'agreed limits')} {verb} exceeded."
    )
