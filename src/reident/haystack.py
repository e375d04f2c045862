"""Look for unique records in one file: where its door, the finder and the outputs meet."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from reident.encode.categories import Codebook, Coded, codebook, coded, survey
from reident.encode.cells import MISSING, cells
from reident.engine.how import How
from reident.engines import folding, refuse_engine
from reident.errors import DataError, Fault, SpecError
from reident.io.batches import batches, outgrows
from reident.io.fingerprints import fingerprint, refuse_changed
from reident.io.found import fill
from reident.io.intake import plain
from reident.io.kept import checkpoints, versions
from reident.io.keys import key_order, keys_of
from reident.io.outputs import run_folder
from reident.io.remarks import codes_among
from reident.io.tables import all_columns, read
from reident.model.files import SourceFile
from reident.model.notes import Note, plural
from reident.model.uniques import RiskFound, UniquesOptions
from reident.model.variables import numeric
from reident.needles.costs import Way, cheapest, ways
from reident.needles.explain import explained
from reident.needles.find import Found, complete, count_categories, find
from reident.needles.listing import listed, scores, sums, with_keys
from reident.needles.risk import household_risks, record_risks
from reident.needles.shares import by_shares
from reident.needles.stream import stream
from reident.needles.summary import Counted, summary
from reident.needles.wildcard import compatible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reident.engine.checkpoint import Checkpoints
    from reident.engine.job import Fold
    from reident.model.engines import Spark
    from reident.model.uniques import Uniques
    from reident.model.value import Value
    from reident.needles.stream import Streamed

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Haystack:
    """A file and what is asked of it. `jobs` threads and `memory` bytes never change the answer.

    Neither does `keep`, what an earlier search has done, nor the `engine`, which works in `folder`.
    `protected` marks records whose data were blanked or encrypted: they are set aside.
    """

    file: SourceFile
    asked: UniquesOptions
    jobs: int = 1
    memory: int = 0
    protected: npt.NDArray[np.bool_] | None = None
    keep: Checkpoints | None = None
    engine: Spark | None = None
    folder: Path | None = None

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        asked = self.asked
        others = [name for name in (asked.weight, asked.household) if name]
        return list(dict.fromkeys([*asked.variables, *asked.key, *others]))

    @property
    def streams(self) -> bool:
        """Whether the file is gone over in batches rather than held."""
        asked = self.asked
        held = asked.weight or asked.minimal or asked.missing == "wildcard"
        large = asked.method == "auto" and not held and outgrows(self.file, self.memory)
        return asked.method == "stream" or large


@dataclass(frozen=True, kw_only=True)
class _Held:
    """A file in memory: its frame, its categories, and the records that take part."""

    frame: pl.DataFrame
    books: Sequence[Codebook]
    coded: Coded
    kept: npt.NDArray[np.bool_]

    @property
    def compared(self) -> Coded:
        """The codes of the records that take part."""
        return self.coded if self.kept.all() else self.coded.take(self.kept)


def haystack(
    source: Any,
    asked: dict[str, Any],
    how: dict[str, Any],
    jobs: int,
    engine: Spark | None = None,
) -> Haystack:
    """A file and a question, checked; wrong options are told by their own names."""
    refuse_engine(engine)
    with told_by_name(UniquesOptions):
        options = UniquesOptions(**asked)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    return Haystack(
        file=SourceFile(source, **how), asked=options, jobs=jobs, memory=memory, engine=engine
    )


@contextlib.contextmanager
def told_by_name(kind: type[Value]) -> Iterator[None]:
    """Faults of a value's options under the options' own names."""
    try:
        yield
    except SpecError as error:
        raise SpecError(
            *(
                replace(fault, where=fault.where.removeprefix(f"{kind.__name__}."))
                for fault in error.faults
            )
        ) from None


def look(hay: Haystack) -> Uniques:
    """Find the unique records of a file. A stream is gone over by this machine alone."""
    if hay.streams:
        return _streamed(hay)
    how = How(jobs=hay.jobs, keep=hay.keep)
    with folding(hay.engine, how, hay.folder) as fold:
        return _held(hay, fold)


def plan(hay: Haystack) -> list[Way]:
    """What each way of counting cells would cost; the file is read, nothing is counted."""
    if hay.streams:
        books, records = _survey(hay)
    else:
        held = _take_in(hay)
        books, records = list(held.books), held.coded.records
    return ways(records, [book.size for book in books], hay.jobs)


def look_to(hay: Haystack, folder: Path, *, force: bool, resume: bool = False) -> Uniques:
    """Find the unique records and write them: aggregates for all, the list restricted.

    With `resume` a search that was interrupted goes on.
    """
    with run_folder(folder, force=force, resume=resume) as draft:
        all_columns(hay.file)  # refuses a file that is not there or that nothing can read
        file = fingerprint(hay.file)
        how = hay.file.model_dump(mode="json", exclude={"source"})
        asked = {"inputs": {"file": file}, "read": how, "options": _plain_options(hay.asked)}
        with checkpoints(draft, asked, resume=resume) as keep:
            found = look(replace(hay, keep=keep, folder=draft.absolute().with_name("engine")))
            refuse_changed({"file": hay.file}, asked["inputs"])
            _write(draft, folder, hay, found, file)
    return found


def _write(draft: Path, folder: Path, hay: Haystack, found: Uniques, file: dict[str, Any]) -> None:
    from reident.report import html, uniques_page  # noqa: PLC0415  # only who writes a page waits

    restricted = {}
    if hay.asked.key:
        restricted["uniques"] = found.listed
        if found.minimal is not None:
            restricted |= {"minimal": found.minimal.sets, "values": found.minimal.values}
    manifest = {
        "inputs": {"file": file | {"records": found.records}},
        "options": _plain_options(hay.asked),
        "method": {"name": found.method, "why": found.why},
        "versions": versions(),
        "engine": "local" if hay.engine is None else "spark",
        "jobs": hay.jobs,
    }
    results = found.to_dict()
    page = html.render(uniques_page.document(results, manifest))
    fill(draft, folder, results, restricted, manifest, page=page)


def _plain_options(asked: UniquesOptions) -> dict[str, Any]:
    return asked.model_dump(mode="json") | {"fraction": float(asked.fraction)}


def _take_in(hay: Haystack) -> _Held:
    frame = plain(read(hay.file, hay.columns), hay.file)
    names = hay.asked.variables
    books = survey([frame], names, hay.file)
    codes = coded(frame, names, books)
    drop = hay.asked.missing == "drop"
    kept = complete(codes) if drop else np.ones(len(frame), np.bool_)
    if hay.protected is not None:
        kept &= ~hay.protected
    return _Held(frame=frame, books=books, coded=codes, kept=kept)


def _held(hay: Haystack, fold: Fold) -> Uniques:
    """The answer for a file that is held in memory."""
    asked = hay.asked
    held = _take_in(hay)
    keys = _keys(hay, held.frame)
    weights = _weights(hay, held.frame) if asked.weight else None
    rows = held.compared
    sizes = [np.zeros(book.size, np.int64) for book in held.books]
    count_categories(held.coded, sizes)
    method, why, found = _found(hay, rows, fold)
    counts = np.zeros(len(held.frame), np.uint32)
    counts[held.kept] = found.counts
    few = np.flatnonzero((counts > 0) & (counts <= asked.k))
    risk = None if weights is None else _risk(hay, held, rows, weights)
    minimal = None
    if asked.minimal:
        minimal = explained(hay.asked, held.books, rows, found, held.kept, fold)
        minimal = replace(minimal, sets=with_keys(minimal.sets, keys))
    return summary(
        asked,
        Counted(
            records=len(counts),
            by_count=found.by_count(asked.k),
            tally=found.tally,
            smallest=int(found.counts.min()) if rows.records else None,
        ),
        list(zip(held.books, sizes, strict=True)),
        _code_notes(asked, held.books),
        method=method,
        why=why,
        counts=counts,
        listed=pl.DataFrame(
            [
                *listed(few, counts[few], keys[few] if asked.key else keys),
                *sums(asked.method, held.coded.take(few)),
                *scores(few, risk, minimal),
            ]
        ),
        risk=risk,
        minimal=minimal,
        protected=0 if hay.protected is None else int(hay.protected.sum()),
    )


def _found(hay: Haystack, rows: Coded, fold: Fold) -> tuple[str, str, Found]:
    """Count, the way asked for or the cheapest."""
    asked = hay.asked
    if asked.missing == "wildcard":
        found = compatible(rows, hay.jobs, fold) if rows.records else find(rows, asked.k, "t2", 1)
        return "wildcard", "missing matches everything, so there are no cells", found
    method, why = (
        cheapest(ways(rows.records, rows.sizes, hay.jobs))
        if asked.method == "auto"
        else (asked.method, "it was asked for")
    )
    if hay.engine is not None:
        return method, why, by_shares(rows, asked.k, fold, "uniques")
    return method, why, find(rows, asked.k, method, hay.jobs)


def _survey(hay: Haystack) -> tuple[list[Codebook], int]:
    """The categories of a file in batches, and how many records it has."""
    records = 0

    def counted() -> Iterator[pl.DataFrame]:
        nonlocal records
        for batch in batches(hay.file, hay.asked.variables):
            records += len(batch)
            yield plain(batch, hay.file)

    return survey(counted(), hay.asked.variables, hay.file), records


def _streamed(hay: Haystack) -> Uniques:
    """The answer for a file that is gone over in batches."""
    asked = hay.asked
    books, _ = _survey(hay)
    names = asked.variables
    sizes = [np.zeros(book.size, np.int64) for book in books]

    whole = False

    def code() -> Iterator[Coded]:
        """Each pass counts the categories from zero, so that the last one leaves them counted."""
        nonlocal whole
        whole = False
        for counters in sizes:
            counters[:] = 0
        for frame in batches(hay.file, names):
            batch = coded(frame, names, books)
            count_categories(batch, sizes)
            yield batch
        whole = True

    streamed = stream(code, asked.k, drop=asked.missing == "drop", keep=hay.keep)
    if not whole:
        # What is resumed may need no pass, or only a part of one.
        deque(code(), maxlen=0)
    keys = _keys_at(hay, streamed) if asked.key else pl.DataFrame()
    large = "the file is larger than what may be held in memory"
    return summary(
        asked,
        streamed.counted,
        list(zip(books, sizes, strict=True)),
        _code_notes(asked, books),
        method="stream",
        why="it was asked for" if asked.method == "stream" else large,
        counts=None,
        listed=listed(streamed.rows, streamed.counts, keys),
        risk=None,
        minimal=None,
    )


def _code_notes(asked: UniquesOptions, books: Sequence[Codebook]) -> list[Note]:
    """Categories that look like codes of missing, where missing is more than a category."""
    if asked.missing == "category":
        return []
    named = zip(asked.variables, books, strict=True)
    return [
        Note(
            code="undeclared_code",
            text=f"{name}: {plural(codes, 'category', 'categories')} that often stand for missing "
            "and are not declared so; declare them by missing_codes if they do.",
            count=codes,
        )
        for name, book in named
        if (codes := codes_among(book.labels))
    ]


def _keys_at(hay: Haystack, streamed: Streamed) -> pl.DataFrame:
    """The keys of the listed records of a stream."""
    parts, first = [], 0
    for batch in batches(hay.file, hay.asked.key):
        low, high = np.searchsorted(streamed.rows, [first, first + len(batch)])
        parts.append(keys_of(batch, hay.asked.key, hay.file)[streamed.rows[low:high] - first])
        first += len(batch)
    keys = pl.concat(parts)
    key_order(keys, hay.file)
    return keys


def _keys(hay: Haystack, frame: pl.DataFrame) -> pl.DataFrame:
    """The keys as text, no two alike; an empty frame where none are asked for."""
    if not hay.asked.key:
        return pl.DataFrame()
    keys = keys_of(frame, hay.asked.key, hay.file)
    key_order(keys, hay.file)
    return keys


def _weights(hay: Haystack, frame: pl.DataFrame) -> Floats:
    """The weights, every one a positive number."""
    name = hay.asked.weight
    read_in = cells(frame[name], numeric(name), hay.file)
    assert read_in.number is not None  # noqa: S101  # numeric cells hold numbers
    wrong = (read_in.state == MISSING) | (read_in.number <= 0)
    if wrong.any():
        raise DataError(
            Fault(
                where=f"{hay.file.name}, column {name!r}",
                found=f"{plural(int(wrong.sum()), 'weight', 'weights')} missing or not above zero, "
                f"the first in record {int(np.argmax(wrong)) + 1}",
                remedy="Give every record a positive weight",
            )
        )
    return read_in.number


def _risk(hay: Haystack, held: _Held, rows: Coded, weights: Floats) -> RiskFound:
    """The risk of every record that takes part, and of the households."""
    risks = np.full(len(weights), np.nan)
    risks[held.kept], crowded = record_risks(rows, weights[held.kept], hay.jobs)
    households = None
    if hay.asked.household:
        name = hay.asked.household
        keys_of(held.frame, [name], hay.file)  # refuses a record without a household
        members = held.frame[name].filter(held.kept).alias("household")
        number = codebook(members.unique(), hay.file).codes(members).astype(np.int64)
        households = household_risks(number, risks[held.kept])
    return RiskFound(records=risks, households=households, crowded=crowded)
