"""What can go wrong, drawn as a tree.

    ReidentError
    ├── SpecError       the study, an option or a flag is wrong        exit 2
    ├── DataError       a file does not hold what the study says       exit 2
    ├── RefusalError    something stands where the output would go    exit 2
    ├── ChangedError    an input is not what it was when the run began exit 1
    ├── CapacityError   the machine cannot hold what the run needs     exit 1
    ├── ClusterError    a cluster fails, or its machines differ        exit 1
    ├── AuditError      the oracle disagrees with the result           exit 1
    └── InternalError   our bug; never the user's fault                exit 1

A message says where, what was found, what was expected and what to do. It never holds a data value.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong: where it stands, what was found, and one remedy."""

    where: str
    found: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.where}: {self.found}. {self.remedy}."


class ReidentError(Exception):
    """Base of every error that reident raises on purpose; holds one fault or several."""

    exit_code = 1

    def __init__(self, *faults: Fault) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults


class SpecError(ReidentError):
    """The study, an option or a flag is wrong."""

    exit_code = 2


class DataError(ReidentError):
    """A file does not hold what the study says it holds."""

    exit_code = 2


class RefusalError(ReidentError):
    """A finished or running study stands where the output would go."""

    exit_code = 2


class ChangedError(ReidentError):
    """An input is not what it was when the run began."""


class CapacityError(ReidentError):
    """The machine cannot hold what the run needs."""


class ClusterError(ReidentError):
    """A cluster fails, or its machines differ from the one that asks."""


class AuditError(ReidentError):
    """The plain oracle derives another answer than the run did."""


class InternalError(ReidentError):
    """A promise inside reident does not hold: our bug."""
