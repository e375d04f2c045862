"""Notes: what a reader of the result must know, each with a code that programs can rely on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Note:
    """A remark on a result. `first` marks one that is stated before anything else."""

    code: str
    text: str
    count: int | None = None
    first: bool = False

    def to_dict(self) -> dict[str, object]:
        """As in results.json."""
        return {
            "code": self.code,
            "text": self.text,
            "count": self.count,
            "first": self.first,
        }


def plural(count: int, one: str, many: str) -> str:
    """A count with its noun.

    >>> plural(1, "stratum", "strata"), plural(2000, "stratum", "strata")
    ('1 stratum', '2,000 strata')
    """
    return f"{count:,} {one if count == 1 else many}"


def in_order(notes: list[Note]) -> list[Note]:
    """Notes to be stated first come first; otherwise the order they were made in."""
    return sorted(notes, key=lambda note: not note.first)
