"""However the pairs of a ranked job are cut up, its rows find the same; some pairs are scored."""

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.attacks import pairwise
from reident.attacks.pairwise import (
    NO_NUMBERS,
    Metric,
    RankedJob,
    bounded,
    kept_pairs,
    scorer,
    set_aside,
    units_of,
)
from reident.kernels.pairs import EQUAL, Rows
from reident.model.linked import UNMET

PUF, EIF = 9, 14


def job():
    draw = np.random.default_rng(5)
    puf, eif = (
        Rows(draw.integers(-1, 3, size=(4, rows)).astype(np.int32), NO_NUMBERS)
        for rows in (PUF, EIF)
    )
    metric = Metric(
        puf=puf,
        eif=eif,
        scorer=scorer([EQUAL] * 4, [1] * 4, [3] * 4),
        bound=8,
        keep=2,
        scale=None,
        encoding={},
        notes=[],
    )
    return RankedJob(metric=metric, meets=np.array([[0, 8]] * 4 + [[8, EIF]] * 5))


def found(budget):
    """What each PUF row keeps, and its cutoff, strip after strip."""
    ranked, strips = job(), {}
    for tile in ranked.tiles(budget):
        so_far = strips.get(tile.strip)
        part = ranked.run(tile, so_far)
        strips[tile.strip] = part if so_far is None else ranked.merge(so_far, part)
    return [
        (set(zip(eif[:size], units[:size], strict=True)), cutoff)
        for short in strips.values()
        for size, eif, units, cutoff in zip(*(part.tolist() for part in short), strict=True)
    ]


@pytest.mark.parametrize("budget", [1, 2, 4, 20, 60])
def test_strips_and_tiles_of_any_size_find_what_one_of_all_finds(budget):
    whole = found(10**6)
    assert len(whole) == PUF
    assert any(pairs for pairs, _ in whole)
    assert found(budget) == whole


def test_pairs_that_meet_are_scored_and_others_are_told_from_them():
    metric = job().metric
    # Positions in the files are not rows of the layout; a record without a stratum is in no row.
    puf, eif = np.roll(np.arange(PUF), 2), np.roll(np.arange(EIF), 5)
    stratum = [np.append(np.arange(records) % 3, -1) for records in (PUF, EIF)]
    files = SimpleNamespace(
        puf_records=PUF + 1,
        eif_records=EIF + 1,
        layout=SimpleNamespace(puf=puf, eif=eif),
        strata=SimpleNamespace(puf=stratum[0], eif=stratum[1]),
    )
    every = np.array([(p, e) for p in range(PUF + 1) for e in range(EIF + 1)])
    expected = []
    for p, e in every:
        if stratum[0][p] != stratum[1][e] or stratum[0][p] < 0:
            expected.append(UNMET)
            continue
        a, b = metric.puf.codes[:, puf == p], metric.eif.codes[:, eif == e]
        gone = (a < 0) | (b < 0)
        expected.append(np.where(gone, 1, 3 * (a != b)).sum())
    assert units_of(metric, files, every).tolist() == expected


def fold(ranked, _):
    """Strips one after another, each a tile."""
    return [ranked.finish(tile, ranked.run(tile, None)) for tile in ranked.tiles(10**6)]


def told_pairs():
    """Pairs of the job by position, and the way it went."""
    first, last = job().meets.T
    puf, eif = np.roll(np.arange(PUF), 2), np.roll(np.arange(EIF), 5)
    files = SimpleNamespace(layout=SimpleNamespace(puf=puf, eif=eif, first=first, last=last))
    return kept_pairs(job().metric, files, fold, "")


def columns(pairs):
    return [part.tolist() for part in (pairs.puf, pairs.eif, pairs.units, pairs.rank, pairs.tied)]


@pytest.mark.parametrize("many", [PUF - 1, PUF, EIF - 1, EIF])
def test_positions_are_told_in_eight_bytes_where_four_do_not_hold_them(monkeypatch, many):
    few, how = told_pairs()
    assert how == "brute"
    assert few.puf.dtype == few.eif.dtype == np.int32
    monkeypatch.setattr(pairwise, "MANY", many)
    told, _ = told_pairs()
    assert told.puf.dtype == (np.int64 if many < PUF else np.int32)
    assert told.eif.dtype == (np.int64 if many < EIF else np.int32)
    assert columns(told) == columns(few)


@pytest.mark.parametrize("at_once", [1, 4, PUF])
def test_pairs_of_a_few_rows_at_a_time_are_those_of_all_at_once(monkeypatch, at_once):
    whole, _ = told_pairs()
    assert len(set(whole.puf.tolist())) > 1
    assert whole.puf.tolist() == sorted(whole.puf.tolist())
    monkeypatch.setattr(pairwise, "AT_ONCE", at_once)
    assert columns(told_pairs()[0]) == columns(whole)


def test_a_record_with_one_pair_below_the_threshold_passes():
    people = pl.DataFrame({"key": ["1"], "a": ["x"]})
    study = ri.Study(
        puf=ri.PublicFile(people, key="key"),
        eif=ri.IntruderFile(people, key="key"),
        variables=[ri.categorical("a")],
        attacks={"taxicab": ri.Taxicab()},
    )
    found = study.run()["taxicab"]
    assert (found.passing_records, found.tied_out, found.rates.pairs) == (1, 0, 1)


def test_records_that_meet_nobody_are_counted_by_the_rule_that_keeps_them_apart():
    # Strata 0 and 1 are not in the EIF.
    stratum = np.array([-1, 0, 0, 1, 2, -1, -1, 0, 2])
    met = np.flatnonzero(stratum == 2)
    files = SimpleNamespace(
        puf_records=9, strata=SimpleNamespace(puf=stratum), layout=SimpleNamespace(puf=met)
    )
    assert set_aside(files) == [("missing_stratum", 3), ("stratum_not_in_eif", 4)]
    all_met = SimpleNamespace(
        puf_records=2,
        strata=SimpleNamespace(puf=np.zeros(2, np.int64)),
        layout=SimpleNamespace(puf=np.arange(2)),
    )
    assert set_aside(all_met) == []


@pytest.mark.parametrize(("bound", "held"), [(-3, 0), (0, 0), (1, 1), (9, 9), (2**90, 2**58)])
def test_a_bound_is_held_as_it_is_between_nothing_and_beyond_every_score(bound, held):
    assert bounded(bound) == held
