"""Ranks of the passing scores of one PUF record, and where the list is cut.

Primer 2.2, steps 3-5.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")
RankGroup: TypeAlias = tuple[int, list[T]]  # a score and everything that has it


def rank_groups(scored: Iterable[tuple[int, T]], *, highest_first: bool) -> list[RankGroup[T]]:
    """Distinct scores, best first, each with its members (Primer 2.2, step 4)."""
    members: dict[int, list[T]] = {}
    for score, member in scored:
        members.setdefault(score, []).append(member)
    return sorted(members.items(), key=lambda group: group[0], reverse=highest_first)


def kept_groups(groups: Sequence[RankGroup[T]], keep: int) -> list[RankGroup[T]]:
    """The ranks while their cumulative number of pairs is at most ``keep`` (Primer 2.2, step 5).

    A rank is kept whole or not at all, and the first that does not fit ends the list: smaller
    ranks behind it do not move up.
    """
    kept: list[RankGroup[T]] = []
    total = 0
    for score, members in groups:
        total += len(members)
        if total > keep:
            break
        kept.append((score, members))
    return kept
