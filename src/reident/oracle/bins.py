"""Numeric variables become categories by quintile.

Primer 2.1, step 1 and 2.2.1, step 1. The paper does not say which quintile: here it is SAS
definition 5 over the PUF values, or PROC RANK (``sas_rank``) over each file by itself.
"""

from collections.abc import Sequence

from .values import Cell


def cut_points(values: Sequence[float], bins: int) -> list[float]:
    """The bins - 1 cuts of a list of values, SAS definition 5; none without values."""
    x = sorted(values)
    if not x:
        return []
    cuts = []
    for i in range(1, bins):
        # Whole-number arithmetic: a float i * N / bins could miss the exact case r == 0.
        j, r = divmod(i * len(x), bins)
        cuts.append(midpoint(x[j - 1], x[j]) if r == 0 else x[j])
    return cuts


def midpoint(a: float, b: float) -> float:
    """Halfway between two values, also where their sum is beyond the largest float."""
    middle = (a + b) / 2
    return middle if abs(middle) != float("inf") else a / 2 + b / 2


def code_by_cuts(x: float, cuts: Sequence[float]) -> int:
    """1 + the number of cuts strictly below x: a value on a cut stays in the lower bin."""
    return 1 + sum(cut < x for cut in cuts)


def codes_by_rank(values: Sequence[float], bins: int) -> dict[float, int]:
    """PROC RANK GROUPS=: 1 + floor(bins * mean rank / (N + 1)), for each distinct value."""
    x = sorted(values)
    first: dict[float, int] = {}
    last: dict[float, int] = {}
    for position, value in enumerate(x, start=1):
        first.setdefault(value, position)
        last[value] = position
    # Twice the mean rank of a group of ties is first + last, so nothing needs rounding.
    return {value: 1 + bins * (first[value] + last[value]) // (2 * (len(x) + 1)) for value in first}


def numbers_in(column: Sequence[Cell]) -> list[float]:
    """The values that count for cuts and moments: neither missing nor not applicable."""
    return [cell for cell in column if isinstance(cell, float)]


def binned(
    puf: Sequence[Cell], eif: Sequence[Cell], *, bins: int, method: str, cuts: str
) -> tuple[list[Cell], list[Cell]]:
    """One numeric variable of both files as codes 1..bins; other cells stay as they are."""
    in_puf, in_eif = numbers_in(puf), numbers_in(eif)
    if method == "sas_rank":
        if cuts != "puf":
            raise ValueError("sas_rank ranks each file by itself: cuts do not apply")
        puf_codes, eif_codes = codes_by_rank(in_puf, bins), codes_by_rank(in_eif, bins)
        return (
            [puf_codes[cell] if isinstance(cell, float) else cell for cell in puf],
            [eif_codes[cell] if isinstance(cell, float) else cell for cell in eif],
        )
    if method != "quantile":
        raise ValueError(f"unknown bins_method: {method}")
    if cuts == "puf":
        puf_cuts = eif_cuts = cut_points(in_puf, bins)
    elif cuts == "pooled":
        puf_cuts = eif_cuts = cut_points(in_puf + in_eif, bins)
    elif cuts == "each":
        puf_cuts, eif_cuts = cut_points(in_puf, bins), cut_points(in_eif, bins)
    else:
        raise ValueError(f"unknown cuts: {cuts}")
    return (
        [code_by_cuts(cell, puf_cuts) if isinstance(cell, float) else cell for cell in puf],
        [code_by_cuts(cell, eif_cuts) if isinstance(cell, float) else cell for cell in eif],
    )
