"""What is done stays done: parts come back as they were, or not at all."""

import errno
from typing import NamedTuple

import numpy as np
import pytest

from reident import disk
from reident.engine import checkpoint
from reident.engine.checkpoint import Checkpoints, digest_of
from reident.engine.job import Tile
from reident.engine.local import local
from reident.errors import CapacityError, RefusalError


class Sums(NamedTuple):
    """Two kinds of array, one of them empty now and then."""

    sums: np.ndarray
    masks: np.ndarray


class Adding:
    """A job that adds rows of an array up, by strips of three tiles."""

    how, part = "adding", Sums

    def __init__(self, rows, strips=7):
        self.rows, self.strips = rows, strips
        self.begun = []

    def tiles(self, budget):
        return [
            Tile(3 * strip + k, strip, strip, strip + 1, k, k + 1, budget)
            for strip in range(self.strips)
            for k in range(3)
        ]

    def run(self, tile, so_far):
        del so_far
        self.begun.append(tile.number)
        masks = np.full(tile.strip % 2, tile.number, np.uint64)
        return Sums(self.rows[tile.first] + tile.start, masks)

    def merge(self, one, other):
        return Sums(one.sums + other.sums, np.concatenate([one.masks, other.masks]))

    def finish(self, tile, part):
        return tile.strip, part.sums.tolist(), part.masks.tolist()


class Basis(NamedTuple):
    rows: np.ndarray


ROWS = np.arange(14).reshape(7, 2)


def folded(folder, job, *, stop_after=None, jobs=1, every=0.0):
    """Fold a job and give all its answers; or interrupt it after so many tiles."""

    def watch(event):
        if event.done == stop_after:
            raise KeyboardInterrupt

    folder.mkdir(exist_ok=True)
    with Checkpoints(folder, every) as keep:
        return list(local(jobs, 1, watch, keep)(job, "label"))


def interrupted(folder, *, stop_after, every=0.0):
    job = Adding(ROWS)
    with pytest.raises(KeyboardInterrupt):
        folded(folder, job, stop_after=stop_after, every=every)
    return job


@pytest.mark.parametrize("every", [0.0, 1000.0])
@pytest.mark.parametrize("jobs", [1, 3])
def test_a_job_goes_on_where_it_was_interrupted(tmp_path, jobs, every):
    expected = folded(tmp_path / "none", Adding(ROWS))
    interrupted(tmp_path, stop_after=11, every=every)
    again = Adding(ROWS)
    assert folded(tmp_path, again, jobs=jobs) == expected
    # Strips 0, 1 and 2 were done; the fourth had begun.
    assert min(again.begun) == 9


def test_a_job_that_is_interrupted_twice_loses_nothing_of_either(tmp_path):
    expected = folded(tmp_path / "none", Adding(ROWS))
    interrupted(tmp_path, stop_after=7)
    interrupted(tmp_path, stop_after=16)
    again = Adding(ROWS)
    assert folded(tmp_path, again) == expected
    assert min(again.begun) == 15


def test_a_part_that_is_lost_is_computed_again(tmp_path):
    expected = folded(tmp_path / "none", Adding(ROWS))
    interrupted(tmp_path, stop_after=16)
    sorted(tmp_path.glob("*.parts"))[1].unlink()
    interrupted(tmp_path, stop_after=19)
    again = Adding(ROWS)
    assert folded(tmp_path, again) == expected
    assert min(again.begun) == 18


def test_progress_counts_what_was_done_before(tmp_path):
    interrupted(tmp_path, stop_after=11)
    events = []
    with Checkpoints(tmp_path) as keep:
        list(local(1, 1, events.append, keep)(Adding(ROWS), "label"))
    assert [event.done for event in events][:4] == [3, 6, 9, 10]
    assert events[-1].done == events[-1].total


def test_a_quick_run_writes_nothing(tmp_path):
    folded(tmp_path, Adding(ROWS), every=checkpoint.EVERY)
    assert list(tmp_path.iterdir()) == []


def test_files_come_at_most_so_often(tmp_path, monkeypatch):
    clock = iter(range(1000))
    monkeypatch.setattr(checkpoint.time, "monotonic", lambda: next(clock))
    # Every look at the clock is a second later; a file takes one, so the next waits for fifty.
    folded(tmp_path, Adding(np.zeros((200, 1)), strips=200), every=10.0)
    assert 1 < len(list(tmp_path.iterdir())) <= 6


def test_jobs_in_turn_are_told_apart(tmp_path):
    def both(stop_after=None):
        done = 0

        def watch(_):
            nonlocal done
            done += 1
            if done == stop_after:
                raise KeyboardInterrupt

        with Checkpoints(tmp_path, 0.0) as keep:
            fold = local(1, 1, watch, keep)
            return [list(fold(Adding(ROWS + more), "label")) for more in (0, 100)]

    with pytest.raises(KeyboardInterrupt):
        both(stop_after=30)
    found = both()
    assert found == [folded(tmp_path / str(more), Adding(ROWS + more)) for more in (0, 100)]


@pytest.mark.parametrize("change", ["data", "tiles", "label"])
def test_parts_of_another_job_are_refused(tmp_path, change):
    with Checkpoints(tmp_path, 0.0) as keep:
        keep.steps(Sums, lambda: ("label", 7, Basis(ROWS))).add(0, Sums(ROWS[0], ROWS[0]))
    other = {
        "data": ("label", 7, Basis(ROWS + 1)),
        "tiles": ("label", 8, Basis(ROWS)),
        "label": ("babel", 7, Basis(ROWS)),
    }[change]
    with pytest.raises(RefusalError, match="parts of other data"):
        Checkpoints(tmp_path).steps(Sums, lambda: other).found(0)
    assert Checkpoints(tmp_path).steps(Sums, lambda: ("label", 7, Basis(ROWS))).found(0) is not None


def test_every_flipped_bit_and_every_missing_end_is_seen(tmp_path):
    interrupted(tmp_path, stop_after=5)
    [path, *_] = sorted(tmp_path.iterdir())
    whole = path.read_bytes()
    for place in range(len(whole)):
        flipped = bytearray(whole)
        flipped[place] ^= 1 << place % 8
        for damaged in (bytes(flipped), whole[:place]):
            path.write_bytes(damaged)
            with pytest.raises(RefusalError, match="a damaged checkpoint"):
                Checkpoints(tmp_path)
    path.write_bytes(whole)
    Checkpoints(tmp_path)


def test_nothing_is_unpickled(tmp_path):
    with pytest.raises(ValueError, match="allow_pickle"), Checkpoints(tmp_path, 0.0) as keep:
        keep.steps(Sums, lambda: 0).add(0, Sums(np.array([{}]), np.zeros(0)))


def test_a_full_disk_ends_the_run_and_leaves_what_was_kept(tmp_path, monkeypatch):
    real, room = disk.create, iter([True, True])

    def create(path, **how):
        if not next(room, False):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, **how)

    monkeypatch.setattr(disk, "create", create)
    with pytest.raises(OSError, match="No space left"):
        folded(tmp_path, Adding(ROWS))
    monkeypatch.undo()
    again = Adding(ROWS)
    folded(tmp_path, again)
    assert min(again.begun) == 6


def test_a_run_stops_at_its_ceiling_of_memory(tmp_path):
    with Checkpoints(tmp_path) as keep, pytest.raises(CapacityError, match=r"takes [\d.]+ GB, and"):
        list(local(1, 1, None, keep, 1000)(Adding(ROWS), "label"))


def test_a_digest_tells_values_types_and_shapes_apart():
    values = [
        ROWS,
        ROWS.T,
        ROWS.astype(np.int32),
        ROWS.ravel(),
        (ROWS,),
        Basis(ROWS),
        [ROWS],
        ((ROWS, 1),),
        ((ROWS, True),),
        ((ROWS, 1.0),),
        ((ROWS, "1"),),
        (ROWS, ROWS.copy()),
        (ROWS.copy(), ROWS + 1),
        None,
        np.zeros((0, 3)),
        np.zeros((3, 0)),
    ]
    assert len({digest_of(value) for value in values}) == len(values)
    assert digest_of((ROWS, ROWS)) == digest_of((ROWS, ROWS.copy()))
    assert digest_of(Basis(ROWS.copy())) == digest_of(Basis(np.asfortranarray(ROWS)))
