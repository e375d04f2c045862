"""The truth comes in: suspected pairs become confirmed ones or false positives (Primer 1.2)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from reident.kernels.keys import row_keys
from reident.model.linked import BARS, READINGS, UNMET
from reident.model.rates import Rates, baseline, percent
from reident.model.result import StratumCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.encode.files import Files
    from reident.model.linked import Exposure, Guessed, Linked, Ranking, Steps
    from reident.model.truth import Truth

Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]
AT_ONCE = 1 << 17
"""Records or pairs that are counted together: what that takes does not grow with their number."""


@dataclass(frozen=True, kw_only=True)
class Verified:
    """Counts of one attack, ready for a result; `confirmed` flags the listed pairs."""

    confirmed: Flags | None
    rates: Rates
    fields: Mapping[str, Any]


def verify(linked: Linked, truth: Truth | None, files: Files) -> Verified:
    """Check suspected pairs against the truth and count. Counts stay integers."""
    pairs = linked.pairs
    flags = None if truth is None else truth.holds(pairs.puf, pairs.eif)
    confirmed = np.zeros(files.puf_records, np.bool_)
    if flags is not None:
        confirmed[pairs.puf[flags]] = True
    known = truth is not None
    rates = Rates(
        records=files.puf_records,
        suspected_records=int(linked.suspected.sum()),
        confirmed_records=int(confirmed.sum()) if known else None,
        pairs=len(pairs) if linked.listed else None,
        confirmed_pairs=None if flags is None else int(flags.sum()),
        overlap=None if truth is None else truth.overlap,
    )
    fields: dict[str, Any] = {
        "baseline_confirmed": _baseline(linked, truth, files),
        "by_stratum": _by_stratum(linked, confirmed if known else None, files),
    }
    if linked.ranking is not None:
        fields |= _ranked_fields(linked, linked.ranking, truth, flags)
    if linked.exposure is not None:
        fields |= _exposure_fields(linked, linked.exposure, truth, confirmed)
    if linked.steps is not None:
        fields["steps"] = _step_rows(linked.steps, truth, files.puf_records)
    if linked.guessed is not None:
        fields |= _guessed_fields(linked.guessed, truth, files)
    return Verified(confirmed=flags, rates=rates, fields=fields)


def _step_rows(steps: Steps, truth: Truth | None, records: int) -> tuple[dict[str, Any], ...]:
    """Candidates left and records linked after each variable (Winkler, Basic Situation)."""
    rows = []
    for place, name in enumerate(steps.names):
        left = steps.candidates[:, place]
        one = left == 1
        confirmed = None
        if truth is not None:
            confirmed = int(truth.holds(steps.puf[one], steps.eif[one, place]).sum())
        rows.append(
            {
                "variable": name,
                "candidates": float(left.sum() / len(left)) if len(left) else None,
                "suspected": int(one.sum()),
                "confirmed": confirmed,
                "confirmed_rate": percent(confirmed, records),
            }
        )
    return tuple(rows)


def _guessed_fields(guessed: Guessed, truth: Truth | None, files: Files) -> dict[str, Any]:
    """Give-ups, and what is expected when ties are broken at random (exactly rounded sum)."""
    expected = None if truth is None else math.fsum(guessed.truth_chance.tolist())
    return {
        "give_ups": int(guessed.gave_up.sum()),
        "expected_confirmed": expected,
        "expected_rate": percent(expected, files.puf_records),
    }


def _baseline(linked: Linked, truth: Truth | None, files: Files) -> float | None:
    """What blind guessing confirms: as many guesses for each record, in its stratum."""
    if truth is None or not linked.listed:
        return None
    n, strata = files.puf_records, files.strata
    held = np.bincount(strata.eif[strata.eif >= 0], minlength=len(strata.values))
    inside = strata.puf[truth.puf] == strata.eif[truth.eif]
    true = np.bincount(truth.puf[inside], minlength=n)
    guesses = np.bincount(linked.pairs.puf, minlength=n)
    found: Counter[tuple[int, int, int]] = Counter()
    for first in range(0, n, AT_ONCE):
        at = first + np.flatnonzero(linked.suspected[first : first + AT_ONCE])
        cases = held[strata.puf[at]], true[at], guesses[at]
        # One number for each case: rows of several would be sorted a hundred times as slowly.
        _, places, records = np.unique(row_keys(cases), return_index=True, return_counts=True)
        distinct = zip(*(column[places].tolist() for column in cases), strict=True)
        found.update(dict(zip(distinct, records.tolist(), strict=True)))
    return baseline((*case, records) for case, records in found.items())


def _by_stratum(linked: Linked, confirmed: Flags | None, files: Files) -> tuple[StratumCounts, ...]:
    strata = files.strata
    if not strata.names:
        return ()
    size = len(strata.values)

    def count(numbers: Whole) -> list[int]:
        return [int(c) for c in np.bincount(numbers[numbers >= 0], minlength=size)]

    columns = (
        count(strata.puf),
        count(strata.eif),
        count(strata.puf[linked.suspected]),
        [None] * size if confirmed is None else count(strata.puf[confirmed]),
        count(strata.puf[linked.pairs.puf]) if linked.listed else [None] * size,
    )
    rows = [
        StratumCounts(
            stratum=dict(zip(strata.names, values, strict=True)),
            puf_records=puf,
            eif_records=eif,
            suspected=suspected,
            confirmed=right,
            pairs=pairs,
        )
        for values, puf, eif, suspected, right, pairs in zip(strata.values, *columns, strict=True)
    ]
    return tuple(sorted(rows, key=lambda row: -row.puf_records))


def _ranked_fields(
    linked: Linked, ranking: Ranking, truth: Truth | None, flags: Flags | None
) -> dict[str, Any]:
    """What Primer 2.2 step 4 looks at before the cut, and ranks after it."""
    tied_out = int(ranking.tied_out.sum())
    sizes = [
        {"size": size, "records": int((ranking.first_size == size).sum())}
        for size in range(1, ranking.keep + 1)
    ]
    ranks = linked.pairs.rank
    return {
        "passing_records": int(ranking.passing.sum()),
        "tied_out": tied_out,
        "tied_out_true": _tied_out_true(linked, ranking, truth),
        "first_rank_sizes": (*sizes, {"size": None, "records": tied_out}),
        "by_rank": tuple(
            {
                "rank": rank,
                "pairs": int((ranks == rank).sum()),
                "confirmed": None if flags is None else int(flags[ranks == rank].sum()),
            }
            for rank in range(1, int(ranks.max(initial=0)) + 1)
        ),
        "histogram": _histogram(linked, truth, flags),
    }


def _tied_out_true(linked: Linked, ranking: Ranking, truth: Truth | None) -> int | None:
    """Of the records whose first rank is too large, those whose first rank holds a true pair."""
    if truth is None or linked.truth_units is None:
        return None
    inside = ranking.tied_out[truth.puf] & (linked.truth_units == ranking.first_units[truth.puf])
    return len(np.unique(truth.puf[inside]))


def _histogram(linked: Linked, truth: Truth | None, flags: Flags | None) -> dict[str, Any]:
    """True pairs, suspected false pairs and a sample of other pairs, by score."""
    scale = linked.scale
    assert scale is not None  # noqa: S101  # every ranked metric has a scale

    def bars(units: Whole | None) -> list[int] | None:
        if units is None:
            return None
        counts = np.zeros(BARS, np.int64)
        for first in range(0, len(units), AT_ONCE):
            some = units[first : first + AT_ONCE].astype(np.int64)
            counts += np.bincount(scale.bar(some[some != UNMET]), minlength=BARS)
        return counts.tolist()

    others = linked.random_units
    return {
        "bins": BARS,
        "top": scale.top,
        "threshold": scale.threshold,
        "truth": bars(linked.truth_units) if truth is not None else None,
        "suspected_false": None if flags is None else bars(linked.pairs.units[~flags]),
        "random_other": bars(others),
        "random_pairs": 0 if others is None else len(others),
    }


def _exposure_fields(
    linked: Linked, exposure: Exposure, truth: Truth | None, confirmed: Flags
) -> dict[str, Any]:
    """Orders of exposure and the three readings of the Primer's step 2."""
    known = truth is not None
    orders = [*range(1, exposure.orders + 1), None]
    by_order = []
    for order in orders:
        here = linked.suspected & (exposure.order == (order or 0))
        by_order.append(
            {
                "order": order,
                "suspected": int(here.sum()),
                "confirmed": int((here & confirmed).sum()) if known else None,
            }
        )
    return {
        "by_order": tuple(by_order),
        "readings": tuple(
            {
                "reading": name,
                "suspected": int((exposure.reading >= place).sum()),
                "confirmed": _confirmed_under(place, linked, truth),
            }
            for place, name in enumerate(READINGS)
        ),
        "uniques": {"puf": exposure.puf_uniques, "eif": exposure.eif_uniques},
    }


def _confirmed_under(place: int, linked: Linked, truth: Truth | None) -> int | None:
    if truth is None or linked.truth_reading is None:
        return None
    return len(np.unique(truth.puf[linked.truth_reading >= place]))
