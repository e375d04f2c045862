"""The engine of one machine: strips in order, errors and interrupts at once, nothing else known."""

import gc
import threading
import time

import pytest

from reident.engine.job import Tile
from reident.engine.local import local
from reident.errors import InternalError


class Counting:
    """A job whose parts are lists of tile numbers; strips and tiles as told."""

    def __init__(self, strips, tiles, delay=None, fail=None):
        self._strips, self._tiles = strips, tiles
        self._delay, self._fail = delay, fail
        self.begun = []

    def tiles(self, budget):
        return [
            Tile(strip * self._tiles + k, strip, strip, strip + 1, k, k + 1, budget)
            for strip in range(self._strips)
            for k in range(self._tiles)
        ]

    def run(self, tile, so_far):
        self.begun.append(tile.number)
        expected = [tile.number - k for k in range(tile.start, 0, -1)]
        assert (so_far or []) == expected, "a strip knows its own earlier tiles, and no others"
        if self._delay:
            time.sleep(self._delay(tile))
        if self._fail and tile.number == self._fail[0]:
            raise self._fail[1]
        return [tile.number]

    def merge(self, one, other):
        return one + other

    def finish(self, tile, part):
        return tile.strip, part


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_strips_come_in_order_and_tiles_of_a_strip_in_theirs(jobs):
    # Early strips are the slow ones, so that later ones are ready first.
    job = Counting(9, 3, delay=lambda tile: 0.02 if tile.strip % 4 == 0 else 0)
    found = list(local(jobs)(job, "label"))
    assert found == [(strip, [3 * strip, 3 * strip + 1, 3 * strip + 2]) for strip in range(9)]


@pytest.mark.parametrize("jobs", [1, 4])
def test_progress_is_told_after_every_tile_and_ends_at_the_total(jobs):
    events = []
    list(local(jobs, budget=10, watch=events.append)(Counting(5, 2), "mine"))
    assert [event.label for event in events] == ["mine"] * 10
    assert [event.done for event in events] == [10 * k for k in range(1, 11)]
    assert {event.total for event in events} == {100}


@pytest.mark.parametrize("jobs", [1, 4])
@pytest.mark.parametrize("error", [ValueError("tile"), KeyboardInterrupt(), MemoryError()])
def test_an_error_in_a_tile_reaches_the_caller_and_stops_the_rest(jobs, error):
    job = Counting(400, 2, delay=lambda _: 0.001, fail=(7, error))
    with pytest.raises(type(error)):
        list(local(jobs)(job, "label"))
    begun = len(job.begun)
    assert begun < 400
    time.sleep(0.02)
    assert len(job.begun) == begun, "a thread goes on after the error"


@pytest.mark.parametrize("jobs", [2, 4])
def test_a_caller_who_stops_listening_stops_the_threads(jobs):
    job = Counting(400, 2, delay=lambda _: 0.001)
    strips = local(jobs)(job, "label")
    assert next(strips)[0] == 0
    strips.close()
    begun = len(job.begun)
    assert begun < 400
    time.sleep(0.02)
    assert len(job.begun) == begun


def test_only_a_few_strips_are_under_way_at_once():
    job = Counting(300, 1)
    strips = local(2)(job, "label")
    next(strips)
    time.sleep(0.05)
    assert len(job.begun) <= 9  # four for each thread, and the one that was taken
    strips.close()


def test_as_many_threads_work_as_were_asked_for():
    seen, together = set(), threading.Barrier(3)

    class Meeting(Counting):
        def run(self, tile, so_far):
            seen.add(threading.get_ident())
            together.wait(timeout=20)
            return super().run(tile, so_far)

    list(local(3)(Meeting(3, 1), "label"))
    assert len(seen) == 3
    assert threading.main_thread().ident not in seen


def test_a_job_without_tiles_gives_nothing():
    assert list(local(4)(Counting(0, 1), "label")) == []


class Repeating(Counting):
    """Says that two tiles are one."""

    def tiles(self, budget):
        return [tile._replace(number=0) for tile in super().tiles(budget)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_jobs_are_entered_in_the_books_when_every_tile_was_done_once(jobs):
    books = {}
    fold = local(jobs, budget=3, books=books)
    list(fold(Counting(5, 2), "mine"))
    list(fold(Counting(5, 2), "mine"))
    assert books == {"mine": {"jobs": 2, "tiles": 20, "work": 60}}
    unfinished = fold(Counting(5, 2), "other")
    next(unfinished)
    unfinished.close()
    assert "other" not in books


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_tile_done_twice_fails_the_run(jobs):
    with pytest.raises(InternalError, match="done twice"):
        list(local(jobs)(Repeating(2, 1), "mine"))


class Noted(Counting):
    """Notes the threads that it runs on."""

    def run(self, tile, so_far):
        SEEN.add(threading.current_thread())
        return super().run(tile, so_far)


SEEN: set[threading.Thread] = set()


def test_jobs_of_a_fold_share_their_threads_which_end_with_it():
    SEEN.clear()
    fold = local(2)
    for _ in range(5):
        list(fold(Noted(6, 1, delay=lambda _: 0.002), "label"))
    assert len(SEEN) <= 2
    assert all(thread.is_alive() for thread in SEEN)
    del fold
    gc.collect()
    for thread in SEEN:
        thread.join(timeout=20)
    assert not any(thread.is_alive() for thread in SEEN)


def test_a_fold_goes_on_after_an_error_in_one_of_its_jobs():
    fold = local(2)
    with pytest.raises(ValueError, match="tile"):
        list(fold(Counting(9, 2, fail=(3, ValueError("tile"))), "label"))
    assert [strip for strip, _ in fold(Counting(9, 2), "label")] == list(range(9))
