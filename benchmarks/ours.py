"""The product in a fresh process: from coded columns to kept pairs.

    python benchmarks/ours.py FOLDER LABEL JOBS

prints the figures as JSON and writes ours.npz (kept pairs and suspected records) to the folder.

The files are read and coded before the clock starts; what this took is printed beside. Then the
attack runs from the coded columns to the kept pairs: the building of an index and the planner's
look at the data are inside; the scoring of true and of random pairs for the histogram is not,
because peers have none. It runs three times, up to fifteen while all took less than two seconds: a
peer's slice lasts longer, and a short run alone is at the mercy of what else the machine does.
The first run loads compiled kernels and is printed apart; the figure is the median of the others. A
run of ten seconds or more is not repeated: loading does not matter there. `compiled` tells whether
kernels had to be compiled; then the figures are of no use.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from numba.core.event import install_recorder

from reident import Study, attacks
from reident.attacks import microagg, pairwise, pwscup, unicity
from reident.engine.local import local
from reident.io.intake import take_in
from reident.model.options import METHODS
from reident.run import drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reident.model.pairs import Pairs

RUNS, MOST_RUNS = 3, 15
ENOUGH = 2.0
"""Seconds that all runs but the first should take together."""
LONG = 10.0
"""A run of so many seconds is not repeated."""
CODING = {
    "unicity": (unicity, "coded_matrix"),
    **{name: (microagg, "release_of") for name in METHODS if name.startswith("microagg_")},
    **{
        name: (pwscup, "roles")
        for name in METHODS
        if name.startswith(("identify_", "euc1", "euc2"))
    },
}
RANKED = (attacks, "_metric")
"""Where an attack turns cells into coded columns: before the clock, for us as for the peers."""


def peak_mb() -> float:
    """The most memory held since the last reset."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def reset_peak() -> None:
    """Let the peak start again from what is held now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def measure(folder: Path, label: str, jobs: int) -> dict[str, object]:
    """Read, code, link; figures of each, and whether this process had to compile a kernel."""
    with install_recorder("numba:compile") as compiling:
        return _measured(folder, label, jobs) | {"compiled": bool(compiling.buffer)}


def _measured(folder: Path, label: str, jobs: int) -> dict[str, object]:
    study = Study.read(folder / "study.toml")
    attack = study.attacks[label]
    variables = study.linking(attack)
    start = time.perf_counter()
    taken = take_in(study)
    read = time.perf_counter()
    home, name = CODING.get(attack.method, RANKED)
    arguments = (attack, taken.files, variables)
    if attack.method in CODING:
        arguments = {
            unicity: (taken.files, variables, attack, lambda _, column: column),
            microagg: (taken.files, variables),
            pwscup: (attack, variables),
        }[home]
    ready = getattr(home, name)(*arguments)
    coded = time.perf_counter()
    peaks = [peak_mb()]
    runs: list[tuple[float, float]] = []
    with patch.object(home, name, lambda *_: ready):
        while not runs or (not enough(runs) and runs[-1][0] < LONG):
            reset_peak()
            begin, cpu = time.perf_counter(), time.process_time()
            if attack.method in CODING:
                linked = attacks.link(
                    attack,
                    taken.files,
                    variables,
                    taken.truth,
                    local(jobs),
                    label,
                    seed=study.seed,
                    draw=lambda: drawn(study.seed, label, taken.puf.keys),
                )
            else:
                pairs, how = pairwise.kept_pairs(ready, taken.files, local(jobs), label)
            runs.append((time.perf_counter() - begin, time.process_time() - cpu))
            peaks.append(peak_mb())
    if attack.method in CODING:
        pairs, how, suspected, listed = linked.pairs, linked.how, linked.suspected, linked.listed
    else:
        suspected, listed = np.zeros(taken.files.puf_records, np.bool_), True
        suspected[pairs.puf] = True
    _keep(folder, pairs, suspected)
    counted = runs[1:] or runs
    return {
        "seconds": statistics.median(run[0] for run in counted),
        "cpu_seconds": statistics.median(run[1] for run in counted),
        "first_seconds": runs[0][0],
        "runs": len(runs),
        "read_seconds": read - start,
        "coding_seconds": coded - read,
        "link_peak_mb": max(peaks[1:]),
        "peak_mb": max(peaks),
        "jobs": jobs,
        "how": how,
        "puf_records": taken.files.puf_records,
        "eif_records": taken.files.eif_records,
        "compared": taken.files.layout.pairs,
        "variables": len(variables),
        "suspected": int(suspected.sum()),
        "pairs": len(pairs) if listed else None,
    }


def enough(runs: Sequence[tuple[float, ...]]) -> bool:
    """Whether runs, by their seconds, are so many that their median can be told."""
    seconds = sum(run[0] for run in runs[1:])
    return len(runs) >= (RUNS if seconds >= ENOUGH else MOST_RUNS)


def _keep(folder: Path, pairs: Pairs, suspected: np.ndarray) -> None:
    np.savez(
        folder / "ours.npz", puf=pairs.puf, eif=pairs.eif, rank=pairs.rank, suspected=suspected
    )


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
