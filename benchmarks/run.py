"""The runner: every row of rows.py, each measurement in a fresh process.

    python benchmarks/run.py [ROW or FAMILY ...] [--repeats 3] [--slice 5] [--records N]

A repeat draws new data and then takes turns: ours, a peer, the next peer, plan, the whole command.
Ratios are made within a repeat; the median of the repeats is the figure. Results go to
benchmarks/results, one file a row; docs/benchmarks.md and its pictures are made from them at the
end. `--records` cuts the files down, to see that everything works: such results belong elsewhere
(`--results FOLDER`), and the page is left alone.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import answers
import child
import data
import machine
import page
import peers
from rows import (
    NUMPY,
    POLARS,
    AnyRow,
    Growth,
    Keeping,
    Oddities,
    Row,
    Search,
    Shape,
    Start,
    chosen,
)

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
CHECKED = 7
"""Variables whose every set Polars groups by, as a check of the answer."""
COMMAND = ("-c", "from reident.cli import entry; entry()")
LIMIT_EXCEEDED = 3
TRIES = 3
"""Processes until one finds all its kernels compiled; the second should."""
TERMINATED = 143
LEFT_OUT = {"failed": "left out: a smaller one failed"}
Figures = dict[str, Any]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """How the rows are measured."""

    repeats: int
    slice_seconds: float
    seed: int
    jobs: int
    environments: bool


def _python(script: str, *arguments: object, limit: float) -> child.Child:
    """One of the scripts beside this one, in a fresh process of this environment."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    return child.run(command, limit=limit, env=os.environ | {"OMP_NUM_THREADS": "1"})


def _peer(name: str, script: str, *arguments: object, limit: float) -> child.Child:
    """One of the scripts beside this one, in a fresh process of the peer's environment."""
    # -P: the folder of the script, with its own names, is not searched for packages.
    command = [str(peers.python(name)), "-P", str(HERE / script), *map(str, arguments)]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return child.run(command, limit=limit, env=env)


def _reident(*arguments: object, limit: float, folder: Path | None = None) -> child.Child:
    command = [sys.executable, *COMMAND, *map(str, arguments)]
    return child.run(command, limit=limit, folder=folder, accepted=(0, LIMIT_EXCEEDED))


# Rows ---------------------------------------------------------------------------------------------


def measured(row: Row, settings: Settings) -> list[Figures]:
    """The repeats of a row; one that we fail is not repeated."""
    repeats: list[Figures] = []
    for k in range(settings.repeats):
        repeats.append(_repeat(row, settings, settings.seed + k))
        if "failed" in repeats[-1]["ours"]:
            break
    return repeats


def _repeat(row: Row, settings: Settings, seed: int) -> Figures:
    """Ours, each peer, plan and command, on data of their own; nothing more after a failure."""
    label, jobs, limit = row.shape.attack, settings.jobs, row.limit
    figures: Figures = {"seed": seed, "load": machine.load()}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "study"
        _made(folder, row.shape, seed)
        figures["ours"] = _tried(lambda: _ours(folder, label, jobs, limit))
        if "failed" in figures["ours"]:
            return figures | {"peers": {}, "plan": {}, "command": {}}
        figures["peers"] = {
            peer: _tried(lambda peer=peer: _beside(peer, row, folder, settings, seed))
            for peer in row.peers
            if peer == NUMPY or settings.environments
        }
        figures["plan"] = _tried(lambda: _planned(folder, label, jobs, limit))
        figures["command"] = _tried(lambda: _commanded(folder, label, jobs, limit))
    return figures


def _tried(measure: Callable[[], Figures]) -> Figures:
    """Figures, or why there are none."""
    try:
        return measure()
    except child.ChildUnfinishedError:
        return {"failed": "not finished in time"}
    except child.ChildFailedError as error:
        print(str(error), file=sys.stderr)
        return {"failed": "ended with an error"}


def _made(folder: Path, shape: Shape, seed: int) -> None:
    _python("data.py", folder, json.dumps(dataclasses.asdict(shape)), seed, limit=900)


def _ours(folder: Path, label: str, jobs: int, limit: float) -> Figures:
    return _when_compiled("ours.py", folder, label, jobs, limit=limit)


def _when_compiled(script: str, *arguments: object, limit: float) -> Figures:
    """Our figures, of a process that found all its kernels compiled.

    What a compiler leaves in memory slows a process down for as long as it lives.
    """
    for _ in range(TRIES):
        figures = json.loads(_python(script, *arguments, limit=limit).said)
        if not figures.pop("compiled"):
            return figures
    raise child.ChildFailedError(
        "Compiled kernels are not kept here: see that the cache can be written"
    )


def _beside(peer: str, row: Row, folder: Path, settings: Settings, seed: int) -> Figures:
    """A peer's figures, with how its answer compares with ours."""
    label, least, limit = row.shape.attack, settings.slice_seconds, row.limit
    if peer == NUMPY:
        said = _python("tuned.py", folder, label, seed, least, limit=limit).said
        compare = answers.kept_pairs
    else:
        _python("coded.py", folder, label, CHECKED, limit=limit)
        if peer == POLARS:
            said = _peer(peer, "group_bys.py", folder, CHECKED, seed, least, limit=limit).said
            compare = answers.suspected_records
        else:
            said = _peer(peer, "nearest.py", folder, peer, seed, least, limit=limit).said
            compare = functools.partial(answers.nearest_records, package=peer)
    # The last line: some packages print of their own accord.
    return json.loads(said.splitlines()[-1]) | {"answer": compare(folder)}


def _planned(folder: Path, label: str, jobs: int, limit: float) -> Figures:
    study = folder / "study.toml"
    done = _reident("plan", study, "--only", label, "--jobs", jobs, "--json", limit=limit)
    (forecast,) = json.loads(done.said)["attacks"]
    wanted = ("seconds", "bytes", "method")
    return {name: forecast[name] for name in wanted} | {"took_seconds": done.seconds}


def _commanded(folder: Path, label: str, jobs: int, limit: float) -> Figures:
    """The whole command: files read, linked, checked against the truth, reported."""
    out = folder / "out.run"
    study = folder / "study.toml"
    done = _reident("run", study, "--only", label, "--jobs", jobs, "--out", out, limit=limit)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    return {
        "seconds": done.seconds,
        "cpu_seconds": done.cpu_seconds,
        "peak_mb": done.peak_mb,
        "attack_seconds": manifest["timings"]["attacks"][label],
        "forecast_seconds": manifest["forecast"]["attacks"][label]["seconds"],
    }


# Growth and start ---------------------------------------------------------------------------------


def grown(line: Growth, settings: Settings) -> list[Figures]:
    """The points of a line, all of them in each repeat, up to the first that fails."""
    repeats: list[Figures] = []
    reached = len(line.shapes)
    for k in range(settings.repeats):
        seed = settings.seed + k
        points: list[Figures] = []
        for shape in line.shapes:
            figures = _point(shape, line, settings, seed) if len(points) < reached else LEFT_OUT
            points.append({"records": shape.records, "variables": shape.variables} | figures)
            if "failed" in figures:
                reached = min(reached, len(points) - 1)
        repeats.append({"seed": seed, "load": machine.load(), "points": points})
    return repeats


def _point(shape: Shape, line: Growth, settings: Settings, seed: int) -> Figures:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "study"
        _made(folder, shape, seed)
        return _tried(lambda: _ours(folder, shape.attack, settings.jobs, line.limit))


def started(start: Start, settings: Settings) -> list[Figures]:
    """Wall seconds of a command; a cold one has a kernel cache of its own, empty at first.

    Others run once before they are measured: it may be they who compile.
    """
    repeats = []
    for _ in range(settings.repeats + (not start.cold)):
        with tempfile.TemporaryDirectory() as name:
            cache = {"NUMBA_CACHE_DIR": str(Path(name) / "cache")} if start.cold else {}
            command = [sys.executable, *COMMAND, *start.command]
            env = os.environ | cache
            done = child.run(command, limit=start.limit, folder=Path(name), env=env)
        figures = {name: getattr(done, name) for name in ("seconds", "cpu_seconds", "peak_mb")}
        repeats.append({"load": machine.load(), "ours": figures})
    return repeats[-settings.repeats :]


def searched(search: Search, settings: Settings) -> list[Figures]:
    """Repeats of a search for unique records, each in a process that the peers share."""
    repeats = []
    for k in range(settings.repeats):
        asked = (search.records, search.variables, settings.seed + k, settings.jobs)
        load = machine.load()
        found = _tried(
            lambda asked=asked: json.loads(_python("cells.py", *asked, limit=search.limit).said)
        )
        if "failed" in found:
            found = {"ours": found, "peers": {}}
        repeats.append({"seed": asked[2], "load": load} | found)
        if "failed" in found["ours"]:
            break
    return repeats


def kept(row: Keeping, settings: Settings) -> list[Figures]:
    """An attack with and without checkpoints, on data of its own each time."""
    repeats = []
    for k in range(settings.repeats):
        seed = settings.seed + k
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "study"
            _made(folder, row.shape, seed)
            asked = (folder, row.shape.attack, settings.jobs)
            figures = _tried(
                lambda asked=asked: json.loads(_python("keeping.py", *asked, limit=row.limit).said)
            )
        repeats.append({"seed": seed, "load": machine.load(), "ours": figures})
    return repeats


def strained(row: Oddities, settings: Settings) -> list[Figures]:
    """An attack on awkward files, all shapes of a repeat in one process."""
    repeats = []
    for k in range(settings.repeats):
        asked = (row.attack, row.records, settings.seed + k, settings.jobs)
        load = machine.load()
        figures = _tried(lambda asked=asked: _when_compiled("awkward.py", *asked, limit=row.limit))
        repeats.append({"seed": asked[2], "load": load, "ours": figures})
    return repeats


# Results ------------------------------------------------------------------------------------------


def rounded(value: Any) -> Any:
    """Figures with five significant digits: a clock tells no more."""
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, dict):
        return {name: rounded(part) for name, part in value.items()}
    if isinstance(value, list):
        return [rounded(part) for part in value]
    return value


def told(row: AnyRow, repeats: list[Figures]) -> str:
    """A line for the terminal."""
    if isinstance(row, Growth):
        seconds = [took for _, took in page.points(row, repeats)]
        return f"{row.name}: {', '.join(map(page.number, seconds))} s"
    if isinstance(row, Oddities):
        times = [page.number(times) for *_, times in page.oddities(repeats)]
        return f"{row.name}: {', '.join(times)} times"
    found = page.medians(repeats)
    ratios = ", ".join(f"{name} {ratio:.3g}x" for name, ratio in found["ratios"].items())
    seconds = found["seconds"]
    return f"{row.name}: " + (f"{seconds:.3g} s; {ratios}" if seconds else "not finished")


def measure(row: AnyRow, settings: Settings, results: Path) -> None:
    """Measure a row, print it, write it down."""
    begin = time.perf_counter()
    match row:
        case Growth():
            repeats = grown(row, settings)
        case Start():
            repeats = started(row, settings)
        case Search():
            repeats = searched(row, settings)
        case Keeping():
            repeats = kept(row, settings)
        case Oddities():
            repeats = strained(row, settings)
        case Row():
            repeats = measured(row, settings)
    written = {
        "row": page.as_written(row),
        "machine": machine.described(),
        "settings": {"repeats": settings.repeats, "slice_seconds": settings.slice_seconds},
        "repeats": repeats,
    }
    results.mkdir(parents=True, exist_ok=True)
    text = json.dumps(rounded(written), indent=1) + "\n"
    (results / f"{row.name}.json").write_text(text, encoding="utf-8")
    print(f"{told(row, repeats)}  ({time.perf_counter() - begin:.0f} s)", flush=True)


def main() -> None:
    """Measure the chosen rows; then the page and its pictures."""
    parser = argparse.ArgumentParser(description="Measure rows of the benchmark.")
    parser.add_argument("rows", nargs="*", help="names or families; all by default")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--slice", type=float, default=5.0, help="seconds of a peer's slice")
    parser.add_argument("--records", type=int, help="cut files down to so many records")
    parser.add_argument("--seed", type=int, default=1, help="of the first repeat's data")
    parser.add_argument("--jobs", type=int, default=machine.cores())
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--no-environments", action="store_true", help="leave PyPI's peers out")
    asked = parser.parse_args()
    # Stopped from outside it still ends its process and removes its files.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    settings = Settings(
        repeats=asked.repeats,
        slice_seconds=asked.slice,
        seed=asked.seed,
        jobs=asked.jobs,
        environments=not asked.no_environments,
    )
    rows = chosen(asked.rows)
    if not rows:
        sys.exit("No row and no family has such a name.")
    if asked.records and asked.results.resolve() == RESULTS:
        sys.exit("Results of files cut down belong elsewhere: give --results FOLDER.")
    for row in rows:
        if isinstance(row, Row) and not data.is_here(row.shape.data):
            print(f"{row.name}: left out, no data folder; set REIDENT_DATA", flush=True)
            continue
        measure(row.smaller(asked.records) if asked.records else row, settings, asked.results)
    if asked.results.resolve() == RESULTS:
        page.write()


if __name__ == "__main__":
    main()
