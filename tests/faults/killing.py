"""Kill a run at a random moment, resume it, and compare every byte with a run left in peace.

PYTHONPATH=tests .venv/bin/python -m faults.killing        50 kills of every attack (make faults)
PYTHONPATH=tests .venv/bin/python -m faults.killing 5 unicity
"""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl

from faults.nursery import Nursery

KILLED = -signal.SIGKILL
PHASES = ("read", "score", "merge", "write")
"""Before the first strip is done a run scores; then it also folds and keeps what is done."""
ATTEMPTS = 10
"""At a kill: on a busy machine a run may be done before it comes."""
NOT_COMPARED = ("manifest.json", "report.html", "talk.txt")
"""What tells how long the run took and on how many threads."""
SMALL = {"every": 0, "budget": 60}
LARGE = SMALL | {"worthwhile": 0}
TRADES = ("baker", "barber", "butcher", "cook", "cooper", None)
NUMBERS = '["age", "income", "rent", "rooms"]'

STUDY = f"""
schema = 1
seed = 5
[puf]
path = "puf.csv"
key = "p"
[eif]
path = "eif.csv"
key = "e"
[iuf]
path = "iuf.csv"
[variables]
age = "numeric"
income = "numeric"
rent = "numeric"
rooms = "numeric"
sex = "categorical"
race = "categorical"
county = "categorical"
trade = "categorical"
[strata]
by = ["state"]
[attacks.unicity]
[attacks.taxicab]
[attacks.euclidean]
[attacks.adhoc.rules]
age = {{ difference = [[0, 5], [1, 4], [5, 1]] }}
income = {{ ratio = [[0.01, 5], [0.1, 2]] }}
rent = {{ ratio = [[0.01, 5], [0.1, 2]] }}
rooms = {{ difference = [[0, 5]] }}
sex = {{ equal = 2 }}
race = {{ equal = 3 }}
county = {{ prefix = [[3, 5], [2, 2]] }}
trade = {{ similarity = "jaro_winkler", steps = [[0.95, 5], [0.8, 3]] }}
[attacks.identify_rand]
[attacks.identify_sa]
[attacks.identify_sort]
[attacks.identify_sa21]
[attacks.euc1]
[attacks.euc2]
[attacks.microagg_interval]
variables = {NUMBERS}
[attacks.microagg_nearest]
variables = {NUMBERS}
[attacks.microagg_windows]
variables = {NUMBERS}
agree = 3
[attacks.microagg_trimmed]
variables = {NUMBERS}
agree = 3
"""
METHODS = (
    "adhoc",
    "euc1",
    "euc2",
    "identify_rand",
    "identify_sa",
    "identify_sa21",
    "identify_sort",
    "microagg_interval",
    "microagg_nearest",
    "microagg_trimmed",
    "microagg_windows",
)
SEARCH = ("uniques", "eif.csv", "--vars", "age,sex,race,county,trade,rooms", "--key", "e")


def _attack(label):
    return ("run", "study.toml", "--only", label, "--out", "out")


CASES = {
    "unicity, few": (_attack("unicity"), SMALL),
    "unicity, many": (_attack("unicity"), LARGE),
    "taxicab, met": (_attack("taxicab"), SMALL),
    "taxicab, looked up": (_attack("taxicab"), LARGE),
    "euclidean, met": (_attack("euclidean"), SMALL),
    "euclidean, looked up": (_attack("euclidean"), LARGE),
    **{label: (_attack(label), SMALL) for label in METHODS},
    "uniques": ((*SEARCH, "--out", "out"), SMALL),
    "uniques, minimal sets": ((*SEARCH, "--minimal", "4", "--out", "out"), SMALL),
    "uniques, wildcard": ((*SEARCH, "--missing", "wildcard", "--out", "out"), SMALL),
    "uniques, stream": ((*SEARCH, "--method", "stream", "--out", "out"), SMALL),
}
"""Commands by name, and how they are cut up."""


def write_files(folder, records=300):
    """A made-up population, blurred for the PUF, and a study of it."""
    draw = np.random.default_rng(11)
    people = [
        {
            "age": int(draw.integers(18, 90)),
            "income": round(draw.lognormal(10, 1)),
            "rent": round(draw.lognormal(6, 0.5)),
            "rooms": int(draw.integers(1, 8)),
            "sex": str(draw.choice(["f", "m"])),
            "race": str(draw.integers(5)),
            "county": f"{draw.integers(300):03}",
            "trade": TRADES[draw.integers(len(TRADES))],
            "state": str(draw.choice(["A", "B"])),
        }
        for _ in range(records)
    ]
    eif = pl.DataFrame(people).with_columns(e=pl.int_range(pl.len()) + 5000)
    puf = eif.drop("e").with_columns(
        p=pl.int_range(pl.len()), income=(pl.col("income") / 100).round() * 100
    )
    puf.write_csv(folder / "puf.csv")
    eif.write_csv(folder / "eif.csv")
    pl.DataFrame({"p": range(records), "e": range(5000, 5000 + records)}).write_csv(
        folder / "iuf.csv"
    )
    (folder / "study.toml").write_text(STUDY)


def outputs(folder):
    """The bytes under final names, but for those that tell how it went."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".work" not in path.parts and path.name not in NOT_COMPARED
    }


def phase(out):
    """How far a run is, by what is in its folder."""
    if (out / "results.json").exists():
        return "done"
    work = out / ".work"
    if any((work / "draft").glob("*")) or any(path != work for path in out.glob("*")):
        return "write"
    if (work / "kept/run.json").exists():
        return "merge" if any((work / "kept").glob("*.parts")) else "score"
    return "read" if (work / "lock").exists() else "start"


def follow(out, until, patience=300.0):
    """Wait for a phase or for the end of the command, whichever comes first."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        now = phase(out)
        if now in until:
            return now
        time.sleep(0.0005)
    raise TimeoutError(f"no {until} in {out}")


class Case:
    """A command, the bytes that it gives in peace, and how long its phases take."""

    def __init__(self, name, nursery, folder):
        self.command, self.knobs = CASES[name]
        self.nursery, self.folder, self.out = nursery, folder, folder / "out"
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self.fresh()
        nursery.run(self.command, folder, **self.knobs)  # kernels are compiled, if they are new
        self.fresh()
        nursery.start(self.command, folder, **self.knobs)
        begun, before = time.monotonic(), "read"
        follow(self.out, ("read",))
        while before != "done":
            now = follow(self.out, {*PHASES, "done"} - {before})
            self.seconds[before] += time.monotonic() - begun
            begun, before = time.monotonic(), now
        code = nursery.wait()
        assert code in {0, 3}, (folder / "talk.txt").read_text()
        self.expected = outputs(self.out)

    def fresh(self):
        shutil.rmtree(self.out, ignore_errors=True)

    def kill(self, wanted, draw):
        """Kill a run somewhere in a phase; returns the phase in which it died."""
        self.fresh()
        number = self.nursery.start(self.command, self.folder, **self.knobs)
        follow(self.out, (*PHASES[PHASES.index(wanted) :], "done"))
        time.sleep(draw.random() * self.seconds[wanted])
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
        code = self.nursery.wait()
        return phase(self.out) if code == KILLED else "done"

    def whole(self):
        """Whether all that stands under a final name is as it should be."""
        return all(self.expected[name] == data for name, data in outputs(self.out).items())

    def resume(self, jobs):
        """Go on; returns how many files of parts were there, and whether all bytes are right."""
        parts = len(list((self.out / ".work/kept").glob("*.parts")))
        if not (self.out / "results.json").exists():
            again = ["--resume"] if (self.out / ".work").exists() else []
            argv = [*self.command, *again, "--jobs", str(jobs)]
            code = self.nursery.run(argv, self.folder, **self.knobs)
            assert code in {0, 3}, (self.folder / "talk.txt").read_text()
        left = (self.out / ".work").exists() and parts
        return parts, outputs(self.out) == self.expected and not left


def kills(case, number, draw):
    """So many kills, spread evenly over the phases: (phase, files of parts, right)."""
    for place in range(number):
        died = "done"
        for _ in range(ATTEMPTS):
            if died == "done":
                died = case.kill(PHASES[place % len(PHASES)], draw)
        right = case.whole()
        parts, same = case.resume(jobs=int(draw.choice([1, 2, 4])))
        yield died, parts, right and same


def main(number=50, words=""):
    """Print a line for each command; returns whether all was right."""
    right = True
    print(f"{'command':24} {'kills':>5} {'resumed from parts':>18} {'same bytes':>10}  died in")
    with tempfile.TemporaryDirectory() as home, Nursery() as nursery:
        write_files(Path(home))
        for seed, name in enumerate(CASES):
            if not name.startswith(words):
                continue
            found = list(
                kills(Case(name, nursery, Path(home)), number, np.random.default_rng(seed))
            )
            same = sum(ok for _, _, ok in found)
            resumed = sum(parts > 0 for _, parts, _ in found)
            died = ", ".join(f"{n} {w}" for w, n in sorted(Counter(w for w, _, _ in found).items()))
            print(f"{name:24} {number:5} {resumed:18} {same:10}  {died}", flush=True)
            right &= same == number
    return right


if __name__ == "__main__":
    sys.exit(not main(*[int(part) if part.isdigit() else part for part in sys.argv[1:]]))
