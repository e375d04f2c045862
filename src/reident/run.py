"""Run a study: where the layers meet. Files -> attack -> suspected pairs -> truth -> rates."""

from __future__ import annotations

import hashlib
import platform
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reident.attacks import link
from reident.attacks.agreement import true_pair_agreement
from reident.attacks.verify import Verified, verify
from reident.engine.forecast import Forecast, Forecasted, forecasting, noting
from reident.engine.how import BUDGET, How
from reident.engine.job import Progress
from reident.engine.memory import give_back
from reident.engine.sizing import sized
from reident.engines import folding
from reident.errors import Fault, InternalError, SpecError
from reident.io.kept import versions
from reident.loss import utility_of_study
from reident.model.listed import Listed
from reident.model.notes import Note, in_order
from reident.model.rates import Rates, percent, wilson
from reident.model.result import AttackResult, LimitCheck, StudyResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt
    import polars as pl

    from reident.engine.checkpoint import Checkpoints
    from reident.engine.job import Fold, Watch
    from reident.engine.ledger import Books
    from reident.io.intake import Intake
    from reident.model.engines import Spark
    from reident.model.limits import Limits
    from reident.model.linked import Linked
    from reident.model.options import Attack
    from reident.model.study import Study

RANKED = ("taxicab", "euclidean", "adhoc")
"""Attacks that decide every pair by its score."""


def run(  # noqa: PLR0913  # the flags of a whole study
    study: Study,
    taken: Intake,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    budget: int = BUDGET,
    unperturbed: bool = False,
    watch: Watch | None = None,
    keep: Checkpoints | None = None,
    memory: int | None = None,
    engine: Spark | None = None,
    folder: Path | None = None,
) -> StudyResult:
    """Run the attacks of a study, or those labelled in `only`, and check them against the truth.

    `taken` are its files as they came through the door. `jobs`, `budget` (pairs a tile), `watch`,
    `keep` (what an earlier run has done), `memory` (bytes that it may take), `engine` (None is this
    machine) and `folder` (where an engine puts its work) say how it runs; they never change the
    result.
    """
    attacks = chosen(study, only)
    how = How(jobs=jobs, budget=budget, watch=watch, keep=keep, memory=memory)
    results = {}
    forecasts: dict[str, Forecast] = {}
    encoding = {}
    seconds = {}
    methods = {}
    with folding(engine, how, folder) as fold:
        give_back()
        for label, attack in attacks.items():
            start = time.perf_counter()
            noted = fold
            if engine is None:
                # A driver does no tile itself; `plan` forecasts a cluster.
                noted = noting(fold, jobs, budget, partial(_note, forecasts, watch, label))
            linked = _linked(study, label, attack, taken, noted)
            results[label] = _result(label, attack, linked, taken)
            encoding[label] = dict(linked.encoding)
            methods[label] = linked.how
            seconds[label] = time.perf_counter() - start
            # A result holds all that is told of it.
            del linked
            give_back()
    return _study_result(
        study,
        taken,
        results,
        encoding=encoding,
        unperturbed=unperturbed,
        manifest={
            "inputs": taken.inputs,
            "unperturbed": unperturbed,
            "versions": versions(),
            "engine": "local" if engine is None else "spark",
            "jobs": jobs,
            "retried_tiles": how.retried,
            "methods": methods,
            "ledger": _ledger(taken, results, how.books),
            "forecast": {
                "pairs": taken.files.layout.pairs,
                "attacks": {label: _told(forecasts.get(label)) for label in attacks},
            },
            "timings": {**taken.seconds, "attacks": seconds},
            "machine": {
                "python": platform.python_version(),
                "system": platform.system(),
                "processor": platform.machine(),
                "byte_order": sys.byteorder,
            },
        },
    )


def plan(
    study: Study,
    taken: Intake,
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    cores: int = 0,
    records: tuple[int, int] | None = None,
) -> list[dict[str, Any]]:
    """What each attack would do: pairs, way, seconds, bytes. Parts of tiles are timed, none kept.

    With `cores`, on a cluster that has so many, if the files had so many `records`.
    """
    have = taken.files.puf_records, taken.files.eif_records
    rows = []
    for label, attack in chosen(study, only).items():
        start = time.perf_counter()
        try:
            linked = _linked(study, label, attack, taken, forecasting(1 if cores else jobs, BUDGET))
        except Forecasted as ended:
            found = ended.forecast
        else:
            # An attack without tiles is done by now but for its rates, and knows what it took.
            _result(label, attack, linked, taken)
            seconds = time.perf_counter() - start
            found = Forecast(how=linked.how, seconds=seconds, prepared=seconds)
        rows.append(
            {
                "attack": label,
                "pairs": taken.files.layout.pairs,
                "pairs_without_strata": taken.files.puf_records * taken.files.eif_records,
                "method": found.how,
                "seconds": found.seconds,
                "bytes": found.bytes,
            }
            | (sized(found, cores, have, records)._asdict() if cores else {})
        )
    return rows


def _note(
    forecasts: dict[str, Forecast], watch: Watch | None, label: str, forecast: Forecast
) -> None:
    """Write down what an attack is expected to take, and tell whoever watches.

    More may come of it: records that found nobody among their own class search once more.
    """
    before = forecasts.get(label)
    forecasts[label] = forecast if before is None else before.then(forecast)
    if watch is not None and forecast.work:
        watch(Progress(label, 0, forecast.work, forecast.left))


def _told(forecast: Forecast | None) -> dict[str, Any]:
    """What the manifest tells of a forecast; nothing where an attack has no tiles."""
    if forecast is None:
        return {"seconds": None, "bytes": None}
    return {"seconds": forecast.seconds, "bytes": forecast.bytes}


def chosen(study: Study, only: Sequence[str]) -> Mapping[str, Attack]:
    """The attacks that a run takes: all, or those labelled in `only`."""
    unknown = [label for label in only if label not in study.attacks]
    if unknown:
        known = ", ".join(study.attacks)
        raise SpecError(
            *(
                Fault(
                    where="only",
                    found=f"no attack is labelled {label!r}",
                    remedy=f"Labels are: {known}",
                )
                for label in unknown
            )
        )
    return {label: attack for label, attack in study.attacks.items() if not only or label in only}


def _linked(study: Study, label: str, attack: Attack, taken: Intake, fold: Fold) -> Linked:
    variables = study.linking(attack)
    return link(
        attack,
        taken.files,
        variables,
        taken.truth,
        fold,
        label,
        seed=study.seed,
        draw=lambda: drawn(study.seed, label, taken.puf.keys),
    )


def drawn(seed: int, label: str, keys: pl.DataFrame) -> npt.NDArray[np.uint64]:
    """A random number for each record, by seed, attack and key: no other record can change it."""
    texts = ("\0".join([str(seed), label, *key]).encode() for key in keys.iter_rows())
    digests = b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in texts)
    return np.frombuffer(digests, ">u8").astype(np.uint64)


def _result(label: str, attack: Attack, linked: Linked, taken: Intake) -> AttackResult:
    verified = verify(linked, taken.truth, taken.files)
    apart = sum(records for _, records in linked.set_aside)
    return AttackResult(
        label=label,
        method=attack.method,
        options=attack.options(),
        compared=taken.files.puf_records - apart,
        set_aside=tuple(linked.set_aside),
        rates=verified.rates,
        listed=_listed(linked, verified, taken),
        notes=tuple(
            in_order([*linked.notes, *_set_aside_notes(linked), *_original_notes(verified, taken)])
        ),
        **verified.fields,
    )


def _set_aside_notes(linked: Linked) -> list[Note]:
    texts = {
        "missing_stratum": "have a missing stratum and were compared with nobody",
        "stratum_not_in_eif": "lie in a stratum without EIF records and were compared with nobody",
        "nothing_present": "have no linking value at all and were compared with nobody",
        "missing_sa": "lack an SA, so have no sum to be sorted by, and were compared with nobody",
    }
    return [
        Note(code="set_aside", text=f"{records:,} PUF records {texts[rule]}.", count=records)
        for rule, records in linked.set_aside
    ]


def _original_notes(verified: Verified, taken: Intake) -> list[Note]:
    """The rate by records of the original, where some of them are not released (Identify-euc 2.3).

    The rates divide by the records released, as Table 13 does; the text divides by the original.
    """
    expected = verified.fields.get("expected_confirmed")
    original = taken.files.eif_records
    if expected is None or original == taken.files.puf_records:
        return []
    return [
        Note(
            code="rate_of_original",
            text=f"Divided by the {original:,} records of the original file, the expected rate is "
            f"{percent(expected, original):.4g} %.",
        )
    ]


def _listed(linked: Linked, verified: Verified, taken: Intake) -> Listed:
    """The pairs by key. Where pairs are not listed, other suspected records stand without one."""
    others = None
    if not linked.listed:
        alone = linked.suspected.copy()
        alone[linked.pairs.puf] = False
        others = alone.nonzero()[0]
    return Listed(
        puf=taken.puf.keys,
        eif=taken.eif.keys,
        pairs=linked.pairs,
        score=None if linked.guessed is None else linked.guessed.score,
        scale=linked.scale,
        ranked=linked.scale is not None or linked.guessed is not None,
        confirmed=verified.confirmed,
        others=others,
    )


def _study_result(
    study: Study,
    taken: Intake,
    results: dict[str, AttackResult],
    *,
    encoding: dict[str, Any],
    unperturbed: bool,
    manifest: dict[str, Any],
) -> StudyResult:
    truth = taken.truth
    checks, undefined = _limits(study, results)
    notes = [*taken.notes, *undefined]
    if unperturbed:
        notes.append(
            Note(
                code="unperturbed",
                text="The attacks used the IUF's unperturbed values in place of the PUF's.",
                first=True,
            )
        )
    return StudyResult(
        title=study.title,
        marking=study.marking,
        approval=study.approval,
        seed=study.seed,
        puf_records=taken.files.puf_records,
        eif_records=taken.files.eif_records,
        truth_pairs=None if truth is None else len(truth),
        truth_unknown=None
        if truth is None
        else {"puf": truth.unknown_puf, "eif": truth.unknown_eif},
        truth_pairs_split=None if truth is None else taken.split,
        overlap=None if truth is None else truth.overlap,
        true_pair_agreement=true_pair_agreement(taken.files, study.variables, truth),
        variables=tuple({"name": v.name, "kind": v.kind} for v in study.variables),
        strata=tuple(part.puf for part in study.strata),
        limits=tuple(checks),
        attacks=results,
        notes=tuple(in_order(notes)),
        utility=utility_of_study(study, taken),
        encoding=encoding,
        manifest=manifest,
    )


def _limits(
    study: Study, results: Mapping[str, AttackResult]
) -> tuple[list[LimitCheck], list[Note]]:
    """Hold the rates against the agreed limits; an undefined rate is met, with a note."""
    checks, notes = [], []
    for label, result in results.items():
        for limits in (study.limits.get(""), study.limits.get(label)):
            for rate, limit in (limits.agreed() if limits else {}).items():
                assert limits is not None  # noqa: S101  # it agreed to something
                value = _judged(result.rates, rate, limits)
                exceeded = value is not None and value > limit
                checks.append(
                    LimitCheck(attack=label, rate=rate, limit=limit, value=value, exceeded=exceeded)
                )
                if value is None:
                    notes.append(
                        Note(
                            code="limit_undefined",
                            text=f"{label}: the {rate} is undefined, because nothing is "
                            "suspected; its limit counts as met.",
                        )
                    )
    return checks, notes


def _judged(rates: Rates, rate: str, limits: Limits) -> float | None:
    """The rate, or the upper end of its Wilson interval."""
    parts = {
        "suspected_rate": (rates.suspected_records, rates.records, rates.suspected),
        "confirmed_rate": (rates.confirmed_records, rates.records, rates.confirmed),
        "conditional_rate": (rates.confirmed_records, rates.suspected_records, rates.conditional),
    }
    part, whole, value = parts[rate]
    if limits.use == "upper" and part is not None and whole:
        return wilson(part, whole)[1]
    return value


def _ledger(taken: Intake, results: Mapping[str, AttackResult], books: Books) -> dict[str, Any]:
    """Rows read = compared + set aside; pairs decided = sum over strata; else the run fails.

    Metrics meet every pair: the work of their tiles is what the strata add up to. The engine has
    seen to it that each tile was done once.
    """
    layout = taken.files.layout
    strata = taken.files.strata
    held = {side: _sizes(numbers) for side, numbers in (("puf", strata.puf), ("eif", strata.eif))}
    by_stratum = sum(n * held["eif"].get(s, 0) for s, n in held["puf"].items())
    rows: dict[str, dict[str, Any]] = {
        label: {
            "read": taken.files.puf_records,
            "compared": result.compared,
            "set_aside": dict(result.set_aside),
        }
        for label, result in results.items()
    }
    decided = [books[label]["work"] for label, one in results.items() if one.method in RANKED]
    balanced = all(pairs == by_stratum for pairs in (layout.pairs, *decided)) and all(
        row["read"] == row["compared"] + sum(row["set_aside"].values()) for row in rows.values()
    )
    if not balanced:
        raise InternalError(
            Fault(
                where="ledger",
                found="records or pairs that no rule accounts for",
                remedy="Report this: the result would not be trustworthy",
            )
        )
    return {
        "puf": rows,
        "eif": {"read": taken.files.eif_records},
        "pairs": by_stratum,
        "engine": {label: dict(own) for label, own in books.items()},
    }


def _sizes(numbers: Any) -> dict[int, int]:
    return dict(enumerate(np.bincount(numbers[numbers >= 0]).tolist()))
