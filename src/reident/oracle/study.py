"""A whole study in one call, as plain values.

Primer 1.2: link, count the suspected, check them against the truth, make the rates.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from . import tables
from .links import Linked, linked, shown_fit
from .prepared import GUESSES, Prepared, prepare
from .rates import baseline, percent, wilson
from .truth import Truth, split_pairs, true_pair_agreement, truth_of
from .values import Key, Record, Variable, in_key_order

MOST_LISTED = 10_000_000
MOST_COMPARED = 5_000_000_000


def study(
    puf: Sequence[Record],
    eif: Sequence[Record],
    truth: Sequence[tuple[Key, Key]] | None,
    variables: Sequence[Variable],
    attacks: Mapping[str, Mapping[str, Any]],
    strata: Sequence[str] = (),
) -> dict[str, Any]:
    """Every attack on the same files (Primer 1.2), under the names of results.json.

    ``attacks`` maps a label to the options of its method and "method" itself. ``strata`` names
    the parts of a record's stratum. Each attack also has "pair_list": (PUF key, EIF key, score,
    rank, tied, confirmed) in order of PUF key, rank, EIF key.
    """
    puf_records = {record.key: record for record in in_key_order(puf)}
    eif_records = {record.key: record for record in in_key_order(eif)}
    known = None if truth is None else truth_of(truth, puf_records, eif_records)
    results: dict[str, Any] = {
        "puf_records": len(puf_records),
        "eif_records": len(eif_records),
        "truth_pairs": None,
        "truth_unknown": None,
        "truth_pairs_split": None,
        "overlap": None,
        "true_pair_agreement": [],
    }
    if known:
        files = puf_records, eif_records
        results["truth_pairs"] = len(known.pairs)
        results["truth_unknown"] = {"puf": known.unknown_puf, "eif": known.unknown_eif}
        results["truth_pairs_split"] = split_pairs(known, *files)
        results["overlap"] = known.overlap
        results["true_pair_agreement"] = true_pair_agreement(known, *files, variables)
    results["attacks"] = {}
    for label, options in attacks.items():
        prepared = prepare(puf, eif, variables, options)
        results["attacks"][label] = attack_result(prepared, known, strata)
    return results


def attack_result(prepared: Prepared, truth: Truth | None, strata: Sequence[str]) -> dict[str, Any]:
    """All counts, rates and tables of one attack (Primer 1.2, steps 2-6)."""
    found = linked(prepared)
    pairs = [(link.puf, link.eif) for link in found.links]
    listed = is_listed(prepared, len(pairs))
    aside = set_aside(prepared, found)
    n = len(prepared.puf)
    suspected = len({p for p, _ in pairs})
    confirmed = tables.confirmed_records(pairs, truth)
    confirmed_pairs = tables.confirmed_pairs(pairs, truth)
    guesser = baseline(guesses(prepared, pairs, truth)) if truth and listed else None
    result: dict[str, Any] = {
        "method": prepared.method,
        "compared": n - sum(rule["records"] for rule in aside),
        "set_aside": aside,
        "suspected": suspected,
        "confirmed": confirmed,
        "recall": None,
        "give_ups": None,
        "pairs": len(pairs) if listed else None,
        "confirmed_pairs": confirmed_pairs,
        "suspected_rate": percent(suspected, n),
        "confirmed_rate": None,
        "conditional_rate": None,
        "conditional_interval": None,
        "pair_precision": None,
        "expected_confirmed": None,
        "expected_rate": None,
        "baseline_confirmed": guesser,
        "lift": confirmed / guesser if guesser and confirmed is not None else None,
    }
    if truth is not None and confirmed is not None and confirmed_pairs is not None:
        result["recall"] = percent(confirmed, truth.overlap)
        result["confirmed_rate"] = percent(confirmed, n)
        result["conditional_rate"] = percent(confirmed, suspected)
        result["conditional_interval"] = wilson(confirmed, suspected)
        result["pair_precision"] = percent(confirmed_pairs, len(pairs)) if listed else None
    result |= guess_tables(prepared, found, truth)
    result |= ranked_tables(prepared, found, truth)
    result |= unicity_tables(prepared, found, truth)
    result["steps"] = tables.steps(prepared, found, truth)
    result["by_stratum"] = tables.by_stratum(prepared, found, truth, strata, listed=listed)
    result["pair_list"] = pair_list(prepared, found, truth, listed=listed)
    return result


def is_ranked(prepared: Prepared) -> bool:
    """Whether pairs are scored by a metric, ranked and cut (Primer 2.2)."""
    return not prepared.microaggregated and prepared.method not in ("unicity", *GUESSES)


def is_listed(prepared: Prepared, pairs: int) -> bool:
    """Unicity may give rates without its list of pairs, which can be very long."""
    wanted = str(prepared.options.get("pairs", "auto"))
    if wanted != "auto" or prepared.method != "unicity":
        return wanted != "none"
    compared = sum(
        len(rows) * len(prepared.eif_strata.get(stratum, ()))
        for stratum, rows in prepared.puf_strata.items()
    )
    too_large = prepared.reading == "all" and compared > MOST_COMPARED
    return pairs <= MOST_LISTED and not too_large


def set_aside(prepared: Prepared, found: Linked) -> list[dict[str, Any]]:
    """PUF records that are compared with nothing, by the first rule that applies."""
    rules = ("missing_stratum", "stratum_not_in_eif", "nothing_present", "missing_sa")
    counts = dict.fromkeys(rules, 0)
    needs_values = prepared.method == "unicity" or prepared.microaggregated
    for row in prepared.puf.values():
        if None in row.stratum:
            counts["missing_stratum"] += 1
        elif row.stratum not in prepared.eif_strata:
            counts["stratum_not_in_eif"] += 1
        elif needs_values and all(cell is None for cell in row.cells):
            counts["nothing_present"] += 1
        elif row.key in found.guesses and found.guesses[row.key].aside:
            counts["missing_sa"] += 1
    return [{"rule": rule, "records": records} for rule, records in counts.items() if records]


def guesses(
    prepared: Prepared, pairs: Sequence[tuple[Key, Key]], truth: Truth
) -> list[tuple[int, int, int]]:
    """For each suspected record: EIF records, true partners and pairs, in its stratum."""
    numbers = []
    for p in sorted({p for p, _ in pairs}):
        within = prepared.eif_strata[prepared.puf[p].stratum]
        partners = sum((p, row.key) in truth.pairs for row in within)
        numbers.append((len(within), partners, sum(pair[0] == p for pair in pairs)))
    return numbers


def guess_tables(prepared: Prepared, found: Linked, truth: Truth | None) -> dict[str, Any]:
    """Give-ups, and what a choice at random in each tie group is expected to confirm."""
    if prepared.method not in GUESSES:
        return {}
    table: dict[str, Any] = {"give_ups": sum(one.gave_up for one in found.guesses.values())}
    if truth is not None:
        hits = [
            chance
            for p, one in found.guesses.items()
            for e, chance in one.chances.items()
            if (p, e) in truth.pairs
        ]
        expected = float(sum(hits, Fraction(0)))
        table["expected_confirmed"] = expected
        table["expected_rate"] = 100 * expected / len(prepared.puf)
    return table


def ranked_tables(prepared: Prepared, found: Linked, truth: Truth | None) -> dict[str, Any]:
    """What the three ranked metrics report besides the rates (Primer 2.2, steps 4 and 5)."""
    if not is_ranked(prepared):
        names = ("passing_records", "tied_out", "tied_out_true", "histogram")
        return dict.fromkeys(names) | {"first_rank_sizes": [], "by_rank": []}
    out = tables.tied_out(found, prepared.keep)
    true = [p for p, keys in out if truth and any((p, e) in truth.pairs for e in keys)]
    return {
        "passing_records": len(found.first_ranks),
        "tied_out": len(out),
        "tied_out_true": len(true) if truth else None,
        "first_rank_sizes": tables.first_rank_sizes(found, prepared.keep),
        "by_rank": tables.by_rank(found, truth),
        "histogram": tables.histogram(prepared, found, truth),
    }


def unicity_tables(prepared: Prepared, found: Linked, truth: Truth | None) -> dict[str, Any]:
    """What unicity reports besides the rates (Primer 2.1, steps 3, 4 and 6)."""
    if prepared.method != "unicity":
        return {"by_order": [], "readings": [], "uniques": None}
    return {
        "by_order": tables.by_order(prepared, found, truth),
        "readings": tables.readings(found, truth),
        "uniques": tables.uniques(prepared),
    }


def pair_list(
    prepared: Prepared, found: Linked, truth: Truth | None, *, listed: bool
) -> list[tuple[Any, ...]]:
    """The suspected pairs, or, when they are not listed, what is certain without the list.

    That is the confirmed pairs, and one row for every other suspected record: which of its
    partners a search meets first is an accident.
    """
    rows: list[tuple[Any, ...]] = []
    for link in found.links:
        confirmed = None if truth is None else (link.puf, link.eif) in truth.pairs
        shown = found.guesses[link.puf].score if found.guesses else None
        if prepared.microaggregated and link.score is not None:
            shown = shown_fit(prepared, link.score)
        elif link.score is not None:
            metric = prepared.metric_in(prepared.puf[link.puf].stratum)
            shown = metric.shown(link.score)
        if listed or confirmed:
            rows.append((link.puf, link.eif, shown, link.rank, link.tied, confirmed))
    if not listed:
        with_row = {row[0] for row in rows}
        unconfirmed = None if truth is None else False
        without = {link.puf for link in found.links} - with_row
        rows.extend((p, None, None, None, None, unconfirmed) for p in without)
        rows.sort(key=lambda row: (row[0], row[1] or ()))
    return rows
