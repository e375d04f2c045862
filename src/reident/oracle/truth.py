"""The truth file, and what it says before any attack.

Primer 1.1, step 3 (the IUF) and 1.2, step 3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .values import Key, Record, Variable, cells_of


@dataclass(frozen=True, kw_only=True)
class Truth:
    """The distinct pairs of the IUF whose records exist, and how many name unknown ones."""

    pairs: frozenset[tuple[Key, Key]]
    unknown_puf: int
    unknown_eif: int

    @property
    def overlap(self) -> int:
        """PUF records that have a true partner in the EIF at all."""
        return len({p for p, _ in self.pairs})


def truth_of(
    listed: Sequence[tuple[Key, Key]], puf: Mapping[Key, Record], eif: Mapping[Key, Record]
) -> Truth:
    """The IUF with its duplicate rows collapsed and its unknown ids counted."""
    distinct = set(listed)
    return Truth(
        pairs=frozenset((p, e) for p, e in distinct if p in puf and e in eif),
        unknown_puf=sum(p not in puf for p, _ in distinct),
        unknown_eif=sum(e not in eif for _, e in distinct),
    )


def split_pairs(truth: Truth, puf: Mapping[Key, Record], eif: Mapping[Key, Record]) -> int:
    """True pairs that no attack can meet: in different strata, or with a stratum missing."""
    return sum(not same_stratum(puf[p], eif[e]) for p, e in truth.pairs)


def same_stratum(p: Record, e: Record) -> bool:
    """Whether two records meet at all (Primer 3)."""
    return p.stratum == e.stratum and None not in p.stratum


def true_pair_agreement(
    truth: Truth,
    puf: Mapping[Key, Record],
    eif: Mapping[Key, Record],
    variables: Sequence[Variable],
) -> list[dict[str, Any]]:
    """How the true pairs compare on each variable, before any binning."""
    empty = {"equal": 0, "different": 0, "missing_puf": 0, "missing_eif": 0}
    table: list[dict[str, Any]] = [{"variable": one.name, **empty} for one in variables]
    for p, e in truth.pairs:
        puf_cells = cells_of(puf[p], variables, "puf")
        eif_cells = cells_of(eif[e], variables, "eif")
        for row, a, b in zip(table, puf_cells, eif_cells, strict=True):
            if a is None:
                row["missing_puf"] += 1
            elif b is None:
                row["missing_eif"] += 1
            elif a == b:
                row["equal"] += 1
            else:
                row["different"] += 1
    return table
