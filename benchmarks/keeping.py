"""What checkpoints cost: an attack with and without them, in turn, in one process.

    python benchmarks/keeping.py FOLDER LABEL JOBS

prints the figures as JSON. The files are read before the clock starts. The attack runs once to load
its kernels, then without and with checkpoints. The cost is told twice: by the clock of each run and
as the share of the run that was spent on digests and files, which a busy machine cannot hide.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reident import Study
from reident.attacks import link
from reident.engine.checkpoint import Checkpoints
from reident.engine.local import local
from reident.io.intake import take_in


class Timed(Checkpoints):
    """Checkpoints that know how long they took."""

    spent = 0.0

    def _write(self, batch: Any) -> None:
        begin = time.perf_counter()
        super()._write(batch)
        self.spent += time.perf_counter() - begin


def measure(folder: Path, label: str, jobs: int) -> dict[str, object]:
    """Seconds without and with checkpoints, and those that were spent on them."""
    study = Study.read(folder / "study.toml")
    attack = study.attacks[label]
    taken = take_in(study)

    def seconds(keep: Checkpoints | None) -> float:
        begin = time.perf_counter()
        link(
            attack,
            taken.files,
            study.linking(attack),
            taken.truth,
            local(jobs, keep=keep),
            label,
            seed=study.seed,
        )
        return time.perf_counter() - begin

    seconds(None)
    without = seconds(None)
    with tempfile.TemporaryDirectory(dir=folder) as name, Timed(Path(name)) as keep:
        kept = seconds(keep)
        files = list(Path(name).iterdir())
        return {
            "seconds": kept,
            "without_seconds": without,
            "spent_seconds": keep.spent,
            "files": len(files),
            "mb": sum(path.stat().st_size for path in files) / 1e6,
            "jobs": jobs,
        }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))))
