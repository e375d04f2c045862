"""How an engine works, whatever it works on: none of it changes what is found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reident.engine.checkpoint import Checkpoints
    from reident.engine.job import Watch
    from reident.engine.ledger import Books

BUDGET = 1 << 24
"""Pairs a tile: some tens of milliseconds, so that progress is smooth and a stop is prompt."""


@dataclass(frozen=True, kw_only=True)
class How:
    """Threads, pairs a tile, who is told, what is kept, and the bytes that may be taken.

    Engines enter what was done in `books`; in `retried`, by label, the tiles whose part came from
    a later attempt, or from the faster of two.
    """

    jobs: int = 1
    budget: int = BUDGET
    watch: Watch | None = None
    keep: Checkpoints | None = None
    memory: int | None = None
    books: Books = field(default_factory=dict)
    retried: dict[str, list[int]] = field(default_factory=dict)
