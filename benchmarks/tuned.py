"""Tuned NumPy, one thread: what a careful analyst would write, in a fresh process.

    python benchmarks/tuned.py FOLDER LABEL SEED SECONDS

decides PUF records in random order for at least so many seconds, prints the figures as JSON and
writes numpy.npz (records decided, kept pairs of these) to the folder.

It starts from coded columns, as the product does: codes, z-scores and the tables of the adhoc
rules are made before the clock starts. A PUF record, or a block of them, meets a column of the
EIF at a time; every step is in place. Taxicab: uint8 codes, `not_equal` into a buffer, sums of
uint8. Euclidean: float64, categories added first because their sums are exact. Adhoc: each rule is
a table of what two distinct values lose, looked up by `take`. Then it does what keeping pairs
needs: scores below the threshold, the sixth best by `partition`, and what lies below that.

It decides ties on float sums, which the product does not: a record may differ there.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from reident import AdHoc, Euclidean, Study, Taxicab
from reident.encode.cells import MISSING, PRESENT
from reident.encode.matrix import category_codes, coded_matrix
from reident.io.intake import take_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reident.encode.files import Files
    from reident.model.variables import Variable

BLOCK = 8
"""PUF records that taxicab scores at a time: larger blocks leave the cache, smaller ones call."""
CAP = 6.0
BEST = 5
Array = np.ndarray[Any, np.dtype[Any]]


def kept(total: Array, bound: float, keep: int) -> Array:
    """The rank rule: below the threshold and below the score that would pass `keep`."""
    found = np.flatnonzero(total < bound)
    if len(found) > keep:
        scores = total[found]
        found = found[scores < np.partition(scores, keep)[keep]]
    return found


class TaxicabColumns:
    """Units 2 x mismatches + missings, for a missing score of one half."""

    def __init__(self, attack: Taxicab, files: Files, variables: Sequence[Variable]) -> None:
        puf, eif, _ = coded_matrix(files, variables, attack, lambda *_: None)
        # 254 and 255 differ from every code and from each other: a missing value counts as a
        # mismatch first and gives one unit back.
        self.puf = np.where(puf == MISSING, 254, puf).astype(np.uint8)
        self.eif = np.where(eif == MISSING, 255, eif).astype(np.uint8)
        self.gone = (self.eif == 255).astype(np.uint8)
        self.gone_by_record = self.gone.sum(axis=0, dtype=np.uint8)
        self.bound = len(variables) / 2
        shape = (BLOCK, self.eif.shape[1])
        self.differ, self.total = np.empty(shape, np.bool_), np.empty(shape, np.uint8)

    def scores(self, rows: Array) -> Iterator[Array]:
        """Units of some PUF records with every EIF record."""
        mine = self.puf[:, rows]
        total, differ = self.total[: len(rows)], self.differ[: len(rows)]
        total[:] = 0
        for codes, column in zip(mine, self.eif, strict=True):
            np.not_equal(codes[:, None], column, out=differ)
            np.add(total, differ.view(np.uint8), out=total)
        np.add(total, total, out=total)
        np.subtract(total, self.gone_by_record, out=total)
        for j, row in zip(*np.nonzero(mine == 254), strict=True):
            # Missing on both sides counts once.
            total[row] -= 1 - self.gone[j]
        yield from total


class EuclideanColumns:
    """Sums of squared scores."""

    def __init__(self, attack: Euclidean, files: Files, variables: Sequence[Variable]) -> None:
        v = len(variables)
        self.missing = float(attack.missing_score) ** 2
        self.bound = v * v * self.missing / 4
        if attack.threshold == "consistent":
            self.bound = v * self.missing / 2
        self.codes, self.numbers = [], []
        for variable in variables:
            if variable.kind == "categorical":
                column = category_codes(files, variable)
                gone = np.flatnonzero(column.eif == MISSING)
                self.codes.append((column.puf, column.eif.astype(np.int16), gone))
            else:
                self.numbers.append(_z_scores(files, variable))
        self.buffer, self.total = np.empty((2, files.eif_records))
        self.differ = np.empty(files.eif_records, np.bool_)

    def scores(self, rows: Array) -> Iterator[Array]:
        """Sums of each PUF record with every EIF record; one after another in one buffer."""
        for row in rows:
            self.total[:] = 0
            for puf, eif, gone in self.codes:
                self._add_codes(int(puf[row]), eif, gone)
            for states, z in self.numbers:
                self._add_numbers(row, states, z)
            yield self.total

    def _add_codes(self, mine: int, eif: Array, gone: Array) -> None:
        total = self.total
        if mine == MISSING:
            np.add(total, self.missing, out=total)
            return
        np.not_equal(eif, mine, out=self.differ)
        np.add(total, self.differ, out=total)
        total[gone] += self.missing - 1

    def _add_numbers(self, row: int, states: tuple[Array, Array, Array, Array], z: Any) -> None:
        total, buffer = self.total, self.buffer
        mine, theirs, gone, skipped = states
        if mine[row] == MISSING:
            np.add(total, self.missing, out=total)
            return
        if mine[row] != PRESENT:
            np.not_equal(theirs, mine[row], out=self.differ)
            np.copyto(buffer, self.differ)
        else:
            np.subtract(z[1], z[0][row], out=buffer)
            np.abs(buffer, out=buffer)
            np.minimum(buffer, CAP, out=buffer)
            np.multiply(buffer, 0.5, out=buffer)
            np.tanh(buffer, out=buffer)
            np.multiply(buffer, buffer, out=buffer)
            buffer[skipped] = 1.0
        buffer[gone] = self.missing
        np.add(total, buffer, out=total)


def _z_scores(files: Files, variable: Variable) -> tuple[Any, Any]:
    """States of both sides, where the EIF is missing or skipped, and z on the PUF's scale."""
    puf, eif = files.puf[variable.name], files.eif[variable.name]
    assert puf.number is not None  # noqa: S101  # the kind is numeric
    assert eif.number is not None  # noqa: S101
    values = puf.number[puf.present]
    mean, sd = values.mean(), values.std(ddof=1)
    gone, skipped = (np.flatnonzero(flags) for flags in (eif.state == MISSING, eif.state > PRESENT))
    states = (puf.state, eif.state, gone, skipped)
    return states, ((puf.number - mean) / sd, (eif.number - mean) / sd)


class AdHocColumns:
    """Sums of what each rule loses against its best; rules of the synthetic files only."""

    def __init__(self, attack: AdHoc, files: Files, variables: Sequence[Variable]) -> None:
        self.bound = BEST * len(variables) / 2
        self.tables = [
            _categories(attack.rules[variable.name], files, variable)
            if variable.kind == "categorical"
            else _amounts(attack.rules[variable.name], files, variable)
            for variable in variables
        ]
        self.buffer, self.total = np.empty((2, files.eif_records), np.uint8)

    def scores(self, rows: Array) -> Iterator[Array]:
        """Losses of each PUF record with every EIF record; one after another in one buffer."""
        for row in rows:
            self.total[:] = 0
            for puf, eif, table in self.tables:
                # Any other mode than "raise" lets take write into the buffer itself.
                np.take(table[puf[row]], eif, out=self.buffer, mode="clip")
                np.add(self.total, self.buffer, out=self.total)
            yield self.total


def _framed(losses: Array) -> Array:
    """A table with a row and a column more, for missing values: nothing is gained there."""
    return np.pad(losses, (0, 1), constant_values=BEST).astype(np.uint8)


def _categories(rule: Any, files: Files, variable: Variable) -> tuple[Array, Array, Array]:
    column = category_codes(files, variable)
    size = len(column.labels)
    losses = np.full((size, size), BEST)
    np.fill_diagonal(losses, BEST - int(rule.equal))
    if hasattr(rule, "table"):
        place = {label: code for code, label in enumerate(column.labels)}
        for (a, b), score in rule.entries().items():
            if a in place and b in place:
                losses[place[a], place[b]] = BEST - int(score)
    # The code of a missing value, -1, is the last row and, as an index of take, the last column.
    eif = np.where(column.eif == MISSING, size, column.eif).astype(np.intp)
    return column.puf, eif, _framed(losses)


def _amounts(rule: Any, files: Files, variable: Variable) -> tuple[Array, Array, Array]:
    puf, eif = files.puf[variable.name], files.eif[variable.name]
    mine, my_codes = np.unique(_whole(puf), return_inverse=True)
    theirs, their_codes = np.unique(_whole(eif), return_inverse=True)
    losses = np.full((len(mine), len(theirs)), BEST, np.uint8)
    apart = np.abs(mine[:, None] - theirs)
    steps = rule.ratio if hasattr(rule, "ratio") else rule.difference
    for bound, score in reversed(steps):
        # Whole numbers and bounds in percent: compared exactly, as the product does.
        scale = np.abs(mine)[:, None] if hasattr(rule, "ratio") else 1
        losses[apart * 100 <= int(bound * 100) * scale] = BEST - int(score)
    return (
        np.where(puf.present, my_codes, len(mine)),
        np.where(eif.present, their_codes, len(theirs)),
        _framed(losses),
    )


def _whole(cells: Any) -> Array:
    return np.asarray(cells.number.astype(np.int64))


COLUMNS: dict[type, Callable[..., Any]] = {
    Taxicab: TaxicabColumns,
    Euclidean: EuclideanColumns,
    AdHoc: AdHocColumns,
}


def measure(folder: Path, label: str, seed: int, least: float) -> dict[str, object]:
    """Decide records for at least so many seconds; from the first again after the last."""
    study = Study.read(folder / "study.toml")
    attack = study.attacks[label]
    files = take_in(study).files
    columns = COLUMNS[type(attack)](attack, files, study.linking(attack))
    order = np.random.default_rng(seed).permutation(files.puf_records)
    found: dict[int, Array] = {}
    decided = 0
    start, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - start < least:
        first = decided % len(order)
        rows = order[first : first + BLOCK]
        for row, total in zip(rows, columns.scores(rows), strict=True):
            found[row] = kept(total, columns.bound, attack.keep)
        decided += len(rows)
    took, cpu = time.perf_counter() - start, time.process_time() - cpu
    np.savez(
        folder / "numpy.npz",
        decided=np.array(list(found)),
        puf=np.repeat(list(found), [len(eif) for eif in found.values()]),
        eif=np.concatenate(list(found.values())),
    )
    share = files.puf_records / decided
    return {
        "seconds": took * share,
        "cpu_seconds": cpu * share,
        "slice_seconds": took,
        "slice": f"{decided:,} of {files.puf_records:,} PUF records",
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "version": np.__version__,
    }


if __name__ == "__main__":
    folder, label, seed, seconds = sys.argv[1:]
    print(json.dumps(measure(Path(folder), label, int(seed), float(seconds))))
