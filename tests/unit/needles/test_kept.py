"""Searches for unique records that are resumed: what was counted is not counted again."""

from contextlib import suppress

import numpy as np
import pytest

from reident.encode.categories import Coded
from reident.engine.checkpoint import Checkpoints
from reident.engine.local import local
from reident.kernels import cells
from reident.kernels import minimal as minimal_kernel
from reident.needles import minimal, stream, wildcard

DRAWN = np.random.default_rng(3).integers(5, size=(6, 200)).astype(np.uint8)
CODED = Coded(DRAWN, (5,) * 6, (4,) * 6)


def by_wildcard(keep):
    return wildcard.compatible(CODED, 2, local(2, keep=keep))


def by_minimal_sets(keep):
    sets = minimal.minimal_sets(CODED, 3, local(2, keep=keep), wildcard=False)
    return sets.rows, sets.masks


def by_stream(keep):
    """So little room that the file is gone over in shares."""
    halves = (CODED.take(np.arange(100)), CODED.take(np.arange(100, 200)))
    found = stream.stream(lambda: iter(halves), 2, drop=False, most=2000, keep=keep)
    return found.rows, found.counts, found.counted.by_count, found.counted.tally


SEARCHES = {
    "wildcard": (by_wildcard, cells, "count_compatible"),
    "minimal sets": (by_minimal_sets, minimal_kernel, "sets_of_size"),
    "stream": (by_stream, cells, "look_up_words"),
}


def counted_again(*_):
    raise LookupError


@pytest.mark.parametrize("name", SEARCHES)
def test_what_was_counted_is_not_counted_again(tmp_path, monkeypatch, name):
    search, home, kernel = SEARCHES[name]
    monkeypatch.setattr(wildcard, "MOST_PATTERNS", 0)
    monkeypatch.setattr(wildcard, "MET", 10_000)
    monkeypatch.setattr(stream, "FIRST_SLOTS", 64)
    expected = search(None)
    with suppress(KeyboardInterrupt), Checkpoints(tmp_path, 0.0) as keep:
        search(keep)
        raise KeyboardInterrupt
    assert len(list(tmp_path.glob("*.parts"))) > 1
    monkeypatch.setattr(home, kernel, counted_again)
    with Checkpoints(tmp_path, 0.0) as keep:
        again = search(keep)
    for one, other in zip(expected, again, strict=True):
        assert np.array_equal(one, other)
    with Checkpoints(tmp_path / "none") as keep, pytest.raises(LookupError):
        search(keep)
