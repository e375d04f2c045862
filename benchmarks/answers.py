"""Whether a peer says the same as the product, on what the peer decided.

Peers of the same task must agree, record by record; differences are counted. Peers of another
task are compared only in what they have in common, and say what differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path


def kept_pairs(folder: Path) -> dict[str, object]:
    """The pairs that NumPy keeps of the records it decided, and ours of the same records."""
    ours, theirs = np.load(folder / "ours.npz"), np.load(folder / "numpy.npz")
    decided = theirs["decided"]
    mine = np.isin(ours["puf"], decided)
    one = set(zip(ours["puf"][mine].tolist(), ours["eif"][mine].tolist(), strict=True))
    other = set(zip(theirs["puf"].tolist(), theirs["eif"].tolist(), strict=True))
    return {
        "task": "the same",
        "compared": f"{len(other):,} kept pairs of {len(decided):,} PUF records",
        "records_that_differ": len({puf for puf, _ in one ^ other}),
    }


def suspected_records(folder: Path) -> dict[str, object]:
    """Records that Polars suspects on every set of a few variables, and on a sample of all sets."""
    theirs = np.load(folder / "polars.npz")
    checked = np.load(folder / "checked.npz")["suspected"]
    ours = np.load(folder / "ours.npz")["suspected"]
    return {
        "task": "the same; the peer lists no pairs",
        "compared": f"{int(theirs['whole'].sum()):,} records suspected on all sets of the first "
        f"variables; {int(theirs['sample'].sum()):,} on the sampled sets, which must be ours too",
        "records_that_differ": int((theirs["whole"] != checked).sum())
        + int((theirs["sample"] & ~ours).sum()),
    }


def nearest_records(folder: Path, package: str) -> dict[str, object]:
    """How often the peer's five nearest hold the product's nearest record."""
    ours, theirs = np.load(folder / "ours.npz"), np.load(folder / f"{package}.npz")
    first = ours["rank"] == 1
    best = dict(zip(ours["puf"][first].tolist(), ours["eif"][first].tolist(), strict=True))
    found = [
        best[puf] in nearest
        for puf, nearest in zip(theirs["decided"].tolist(), theirs["nearest"].tolist(), strict=True)
        if puf in best
    ]
    told = theirs["nearest"].shape[1] > 0
    return {
        "task": "another",
        "compared": "our nearest record among its five" if told else "nothing in common to compare",
        "share_in_common": float(np.mean(found)) if told and found else None,
    }
