"""The tables beside the rates: by rank, by order, by reading, by stratum, histograms.

Primer 2.1, step 6; 2.2, step 4; 3. Without a truth file every ``confirmed`` is None.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from .links import Linked
from .microagg import STEPPED
from .prepared import Prepared
from .rates import percent
from .scores import HISTOGRAM_BINS
from .truth import Truth
from .unicity import count_sample_uniques, first_orders
from .values import Key

LARGEST_STRATA = 1000


def confirmed_pairs(pairs: Sequence[tuple[Key, Key]], truth: Truth | None) -> int | None:
    """How many of the pairs are true."""
    return None if truth is None else sum(pair in truth.pairs for pair in pairs)


def confirmed_records(pairs: Sequence[tuple[Key, Key]], truth: Truth | None) -> int | None:
    """How many PUF records have a true pair among these (Primer 1.2, step 3)."""
    return None if truth is None else len({pair[0] for pair in pairs if pair in truth.pairs})


def by_rank(linked: Linked, truth: Truth | None) -> list[dict[str, Any]]:
    """Pairs of each rank (Primer 2.2, step 4)."""
    rows = []
    for rank in range(1, max((link.rank or 0 for link in linked.links), default=0) + 1):
        pairs = [(link.puf, link.eif) for link in linked.links if link.rank == rank]
        confirmed = confirmed_pairs(pairs, truth)
        rows.append({"rank": rank, "pairs": len(pairs), "confirmed": confirmed})
    return rows


def first_rank_sizes(linked: Linked, keep: int) -> list[dict[str, Any]]:
    """PUF records by the size of their first rank; size None: more than ``keep``."""
    sizes = Counter(len(keys) for _, keys in linked.first_ranks.values())
    rows: list[dict[str, Any]] = []
    rows.extend({"size": size, "records": sizes[size]} for size in range(1, keep + 1))
    more = sum(records for size, records in sizes.items() if size > keep)
    return [*rows, {"size": None, "records": more}]


def tied_out(linked: Linked, keep: int) -> list[tuple[Key, list[Key]]]:
    """PUF records that pass but keep nothing, with their first rank (Primer 2.2, step 5)."""
    return [(p, keys) for p, (_, keys) in linked.first_ranks.items() if len(keys) > keep]


def by_order(prepared: Prepared, linked: Linked, truth: Truth | None) -> list[dict[str, Any]]:
    """Suspected records by the smallest order that exposes them (Primer 2.1, step 6)."""
    orders = min(int(prepared.options.get("orders", 3)), prepared.v)
    headline = {(link.puf, link.eif) for link in linked.links}
    first: dict[Key, int | None] = {p: None for p, _ in headline}
    for stratum, rows in prepared.puf_strata.items():
        others = prepared.eif_strata.get(stratum, [])
        puf_places = {row.key: i for i, row in enumerate(rows)}
        eif_places = {row.key: j for j, row in enumerate(others)}
        places = {(puf_places[p], eif_places[e]) for p, e in headline if p in puf_places}
        cells = [row.cells for row in rows], [row.cells for row in others]
        for i, order in first_orders(*cells, places, orders, prepared.reading).items():
            first[rows[i].key] = order
    table = []
    for step in [*range(1, orders + 1), None]:
        records = {p for p, order in first.items() if order == step}
        pairs = [pair for pair in headline if pair[0] in records]
        confirmed = confirmed_records(pairs, truth)
        table.append({"order": step, "suspected": len(records), "confirmed": confirmed})
    return table


def readings(linked: Linked, truth: Truth | None) -> list[dict[str, Any]]:
    """Suspected and confirmed records under each reading of unicity, side by side."""
    table = []
    for reading, pairs in linked.readings.items():
        suspected = len({p for p, _ in pairs})
        confirmed = confirmed_records(list(pairs), truth)
        table.append({"reading": reading, "suspected": suspected, "confirmed": confirmed})
    return table


def steps(prepared: Prepared, linked: Linked, truth: Truth | None) -> list[dict[str, Any]]:
    """Candidates left and records linked after each variable (Winkler 2002, Basic Situation)."""
    rows = []
    stepped = prepared.method in STEPPED
    for place, name in enumerate(prepared.names[:3] if stepped else ()):
        left = {key: keys[place] for key, keys in linked.steps.items()}
        pairs = [(key, keys[0]) for key, keys in left.items() if len(keys) == 1]
        confirmed = confirmed_records(pairs, truth)
        rows.append(
            {
                "variable": name,
                "candidates": sum(len(keys) for keys in left.values()) / len(left)
                if left
                else None,
                "suspected": len(pairs),
                "confirmed": confirmed,
                "confirmed_rate": None
                if confirmed is None
                else percent(confirmed, len(prepared.puf)),
            }
        )
    return rows


def uniques(prepared: Prepared) -> dict[str, int]:
    """Sample uniques of each file on all the values they have (Primer 2.1, steps 3 and 4)."""
    files = {"puf": prepared.puf_strata, "eif": prepared.eif_strata}
    return {
        file: sum(count_sample_uniques([row.cells for row in rows]) for rows in strata.values())
        for file, strata in files.items()
    }


def by_stratum(
    prepared: Prepared, linked: Linked, truth: Truth | None, names: Sequence[str], *, listed: bool
) -> list[dict[str, Any]]:
    """Counts and rates of each stratum (Primer 3), the largest first; none without strata."""
    if not names:
        return []
    seen = sorted(
        {**prepared.puf_strata, **prepared.eif_strata},
        key=lambda stratum: (-len(prepared.puf_strata.get(stratum, [])), stratum),
    )
    groups: list[tuple[dict[str, Any], list[Any]]] = [
        ({"stratum": dict(zip(names, stratum, strict=True))}, [stratum])
        for stratum in seen[:LARGEST_STRATA]
    ]
    if rest := seen[LARGEST_STRATA:]:
        groups.append(({"stratum": "other", "strata": len(rest)}, rest))
    table = []
    for head, strata in groups:
        puf_records = sum(len(prepared.puf_strata.get(stratum, [])) for stratum in strata)
        inside = [link for link in linked.links if prepared.puf[link.puf].stratum in strata]
        pairs = [(link.puf, link.eif) for link in inside]
        suspected = len({link.puf for link in inside})
        confirmed = confirmed_records(pairs, truth)
        head["puf_records"] = puf_records
        head["eif_records"] = sum(len(prepared.eif_strata.get(one, [])) for one in strata)
        head["suspected"] = suspected
        head["confirmed"] = confirmed
        head["pairs"] = len(pairs) if listed else None
        head["suspected_rate"] = percent(suspected, puf_records)
        known = confirmed is not None
        head["confirmed_rate"] = percent(confirmed or 0, puf_records) if known else None
        head["conditional_rate"] = percent(confirmed or 0, suspected) if known else None
        table.append(head)
    return table


def histogram(prepared: Prepared, linked: Linked, truth: Truth | None) -> dict[str, Any]:
    """Scores of the true pairs and of the false suspected ones, in 20 bins from 0 to the top."""
    true_counts, false_counts = [0] * HISTOGRAM_BINS, [0] * HISTOGRAM_BINS
    for p, e in truth.pairs if truth else ():
        stratum = prepared.puf[p].stratum
        if None not in stratum and stratum == prepared.eif[e].stratum:
            metric = prepared.metric_in(stratum)
            score = metric.score(prepared.puf[p].cells, prepared.eif[e].cells)
            true_counts[metric.histogram_bin(score)] += 1
    for link in linked.links:
        if truth and (link.puf, link.eif) not in truth.pairs and link.score is not None:
            metric = prepared.metric_in(prepared.puf[link.puf].stratum)
            false_counts[metric.histogram_bin(link.score)] += 1
    metric = prepared.metric_in(())
    return {
        "bins": HISTOGRAM_BINS,
        "top": metric.top,
        "threshold": metric.threshold_shown,
        "truth": true_counts if truth else None,
        "suspected_false": false_counts if truth else None,
    }
