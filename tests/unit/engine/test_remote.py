"""What workers do: groups of tiles, by the same kernels and merges, and only if they are alike."""

import itertools
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from laws.test_running import as_bytes
from reident import run as where_layers_meet
from reident.attacks import boxes, index, unicity
from reident.attacks.pairwise import NO_NUMBERS, Metric, scorer
from reident.engine import remote
from reident.engine.checkpoint import digest_of
from reident.engine.how import How
from reident.engine.job import Tile
from reident.engine.local import local
from reident.engine.parcel import Parcel, receive, unpack_part
from reident.io.intake import take_in
from reident.kernels.pairs import EQUAL, Rows
from reident.run import run
from strategies import cases, large_case

WAYS = {
    *("brute", "bitmaps", "boxes", "masks", "cells", "leaves"),
    *("windows", "grids", "stepwise", "trimmed"),
}
"""Of jobs that name their parts; `index` is that of `bitmaps`, with more blocks."""


def in_turn(folder, groups, kinds):
    """An engine without a cluster: groups are worked off here, the last one first."""
    lying = []

    @contextmanager
    def folding(_engine, how, _folder):
        at_home = local(how.jobs, how.budget, books=how.books)

        def fold(job, label):
            if getattr(job, "makes", False):
                return iter([made(job)])
            if not hasattr(job, "part"):
                return at_home(job, label)
            kinds.add(job.how)
            assert isinstance(how, How)
            list(at_home(job, label))  # keeps the books
            return finished(job, job.tiles(how.budget))

        yield fold

    def made(making):
        (row,) = remote.work(remote.commission(folder, making, kept=True), 0)
        assert row.said == remote.DONE
        told = remote.made_of(row.part)
        found = receive(told.parcel)
        assert told.digest == digest_of(found.job)
        lying[:] = [(found.job, told.parcel)]
        return found

    def finished(job, tiles):
        if not tiles:
            return
        bounds = remote.grouped(tiles, groups)
        parcels = [parcel for one, parcel in lying if one is job]
        errand = remote.dispatch(folder, *(parcels or [job]), tiles, bounds)
        strips, done = {}, []
        for group in reversed(range(len(bounds) - 1)):
            for row in remote.work(errand, group):
                assert row.said == remote.DONE
                part = unpack_part(job.part, row.part)
                strips[row.strip] = (
                    job.merge(part, strips[row.strip]) if row.strip in strips else part
                )
                done += range(row.first, row.last)
        assert sorted(done) == list(range(len(tiles)))
        first = {tile.strip: tile for tile in reversed(tiles)}
        yield from (job.finish(first[strip], strips[strip]) for strip in sorted(strips))

    return folding


def by_workers(study, folder, groups, kinds, budget):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(where_layers_meet, "folding", in_turn(folder, groups, kinds))
        return as_bytes(run(study, take_in(study), budget=budget))


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(callables=False), groups=st.sampled_from([1, 2, 7, 64]))
def test_jobs_that_travelled_give_the_same_bytes(tmp_path_factory, case, groups):
    study = case.study()
    folder = tmp_path_factory.mktemp("jobs")
    assert by_workers(study, folder, groups, set(), 7) == as_bytes(study.run())


def test_every_way_of_large_files_travels(tmp_path, monkeypatch):
    kinds = set()
    monkeypatch.setattr(boxes, "SPARED", 1e-9)
    for seed in (2, 3, 5, 29, 41):
        monkeypatch.setattr(boxes, "FEW", 1e9 if seed == 3 else -1.0)
        for home in (index, unicity):
            monkeypatch.setattr(home, "WORTHWHILE", 0 if seed % 2 else 1 << 40)
        study = large_case(seed, callables=False).study()
        assert by_workers(study, tmp_path, 5, kinds, 3000) == as_bytes(study.run())
    assert kinds == WAYS


@given(
    work=st.lists(st.integers(0, 100), min_size=1, max_size=40),
    groups=st.integers(1, 70),
)
def test_groups_hold_every_tile_once_and_none_is_empty(work, groups):
    tiles = [Tile(n, n, n, n + 1, 0, 1, one) for n, one in enumerate(work)]
    bounds = remote.grouped(tiles, groups)
    assert bounds[0] == 0
    assert bounds[-1] == len(tiles)
    assert bounds == sorted(set(bounds))
    assert len(bounds) - 1 <= groups
    share = sum(one + 1 for one in work) / groups
    for first, last in itertools.pairwise(bounds):
        # All but the last tile of a group fit into its share and what others have left.
        assert sum(one + 1 for one in work[first : last - 1]) <= share


class Noting:
    """A job whose parts are the numbers of tiles, in the order in which they were done."""

    def run(self, tile, so_far):
        assert (so_far is None) == (tile.start == 0)
        return (np.array([tile.number]),)

    def merge(self, one, other):
        return (np.concatenate([one[0], other[0]]),)


def test_tiles_of_a_strip_are_merged_within_a_group(monkeypatch):
    tiles = [Tile(3 * strip + k, strip, 0, 1, k, k + 1, 1) for strip in range(2) for k in range(3)]
    monkeypatch.setattr(remote, "_load", lambda _: remote._Load(Noting(), tiles, [0, 4, 6]))
    monkeypatch.setattr(remote, "likeness", lambda: "alike")
    errand = remote.Errand("alike", Parcel("some.job", ""), Parcel("some.tiles", ""))
    tiles[4], tiles[5] = tiles[4]._replace(start=0), tiles[5]
    found = [row for group in (0, 1) for row in remote.work(errand, group)]
    assert [row[:4] for row in found] == [("done", 0, 0, 3), ("done", 1, 3, 4), ("done", 1, 4, 6)]
    parts = [unpack_part(Numbers, row.part).numbers.tolist() for row in found]
    assert parts == [[0, 1, 2], [3], [4, 5]]


class Numbers(NamedTuple):
    numbers: np.ndarray


def test_a_worker_that_differs_or_sees_nothing_says_so_and_does_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "likeness", lambda: "alike")
    errand = remote.Errand("another machine", Parcel(str(tmp_path / "none.job"), ""))
    assert list(remote.work(errand, 0)) == [(remote.OTHER, 0, 0, 0, b"")]
    errand = errand._replace(alike="alike")
    assert list(remote.work(errand, 0)) == [(remote.UNSEEN, 0, 0, 0, b"")]


def test_a_worker_that_cannot_leave_what_it_makes_says_so(tmp_path):
    rows = Rows(np.arange(6, dtype=np.int32).reshape(2, 3) % 4, NO_NUMBERS)
    metric = Metric(
        puf=rows,
        eif=rows,
        scorer=scorer([EQUAL] * 2, [1] * 2, [2] * 2),
        bound=3,
        keep=5,
        scale=None,
        encoding={},
        notes=[],
    )
    strata, meets = (np.zeros(3, np.int64),) * 2, np.array([[0, 3]] * 3)
    making = index.Making(metric=metric, strata=strata, meets=meets, fold=None)
    errand = remote.commission(tmp_path, making, kept=True)
    sealed = errand._replace(folder=str(tmp_path / "none"))
    assert list(remote.work(sealed, 0)) == [(remote.SEALED, 0, 0, 0, b"")]
    # Two attempts do not get into each other's way.
    found = [remote.made_of(row.part) for row in (*remote.work(errand, 0), *remote.work(errand, 1))]
    assert found[0].parcel.path != found[1].parcel.path
    assert found[0].digest == found[1].digest != ""
    (row,) = remote.work(errand._replace(kept=False), 0)
    assert remote.made_of(row.part).digest == ""
    assert remote.made_of(row.part).pace > 0
    assert receive(found[1].parcel).of.tolist() == [0, 1, 2]


@given(st.data())
def test_waves_hold_every_group_once_and_no_more_rows_than_can_be_taken_in(data):
    tiles, cores = own_tiles(data.draw), data.draw(st.integers(1, 5))
    groups = remote.grouped(tiles, data.draw(st.integers(1, 80)))
    took, alone, at = [], data.draw(st.booleans()), 0
    for wave in remote.waves_of(tiles, groups, cores, took, alone=alone):
        number = wave.last - wave.first
        assert wave.first == at < wave.last
        assert 1 <= wave.tasks <= number <= remote.WAVE * cores
        strips = {(tile.first, tile.last) for tile in tiles[groups[at] : groups[wave.last]]}
        assert number == 1 or sum(last - first for first, last in strips) <= remote.ROWS
        # Nothing is known of the first ones, and no task should be long.
        assert wave.tasks == number or (took and not alone)
        share = -(-number // wave.tasks)
        assert share == 1 or share * took[-1] <= remote.LONG
        took.append(data.draw(st.floats(0, 3)))
        at = wave.last
    assert at == len(groups) - 1


def own_tiles(draw):
    """Some strips of a tile each."""
    wide = draw(st.lists(st.integers(1, remote.ROWS + 1), min_size=1, max_size=60))
    ends = [0, *itertools.accumulate(wide)]
    return [Tile(n, n, *ends[n : n + 2], 0, 1, wide[n]) for n in range(len(wide))]


def test_quick_groups_share_a_task_and_each_core_has_its_part():
    tiles = [Tile(n, n, n, n + 1, 0, 1, 1) for n in range(20)]
    took = []
    waves = remote.waves_of(tiles, range(21), 2, took, alone=False)
    assert [next(waves), next(waves)] == [(0, 2, 2), (2, 4, 2)]
    took.append(0.1)
    assert list(waves) == [(4, 12, 2), (12, 20, 2)]
    for alone, tasks in ((False, [4, 4, 2]), (True, [8, 8, 4])):
        slow = remote.waves_of(tiles, range(21), 2, [0.7], alone=alone)
        assert [wave.tasks for wave in slow] == tasks


def test_whoever_is_greeted_says_whether_it_is_alike(monkeypatch):
    greeting = remote.greet()
    assert list(remote.work(greeting, 7)) == [(remote.DONE, 0, 0, 0, b"")]
    monkeypatch.setattr(remote, "likeness", lambda: "another machine")
    assert list(remote.work(greeting, 7)) == [(remote.OTHER, 0, 0, 0, b"")]


def test_likeness_tells_one_tanh_from_another(monkeypatch):
    here = remote.likeness()
    remote.likeness.cache_clear()
    exact = remote.squared
    monkeypatch.setattr(remote, "squared", lambda gap: exact(gap) + (1.0 < gap < 1.01))
    assert remote.likeness() != here
    monkeypatch.undo()
    remote.likeness.cache_clear()
    assert remote.likeness() == here
