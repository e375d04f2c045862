"""What is asked of an original and its release, and what was found (Identify-euc, Table 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from reident.model.files import SourceFile
from reident.model.uniques import counts_html
from reident.model.value import Names, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.model.notes import Note

INDICES = ("U1", "U2", "U3", "U4", "U5", "U6", "S1", "S2")


class UtilityOptions(Value):
    """QI and SA, how the cross tables of U2 and U3 are read, and who counts in U5.

    `cross` is one table of the first six QI, or all tables of two of them; `cells` are those
    occupied in the release, or in either file. To U5 the values of a `deleted` record are lost, or
    the record is left out.
    """

    qi: Names = ()
    sa: Names = Field(min_length=1)
    cross: Literal["six", "pairs"] = "six"
    cells: Literal["released", "union"] = "released"
    deleted: Literal["lost", "left_out"] = "lost"


class OriginalFile(SourceFile):
    """The file that the PUF was made from: a study's [utility] table."""

    source: Any = Field(alias="original", exclude=True, repr=False)
    key: Names = Field(min_length=1)
    qi: Names = ()
    sa: Names = ()

    def __init__(self, source: Any = None, **details: Any) -> None:
        given = {"original": source} if source is not None else {}
        Value.__init__(self, **given, **details)


@dataclass(frozen=True, kw_only=True)
class Utility:
    """Indices of a release: U1 to U6 grow with what is lost, S1 and S2 with what is hidden.

    `variables` tells each variable before and after, `correlations` each pair of SAs. An index is
    None where it is undefined.
    """

    indices: Mapping[str, float | int | None]
    variables: tuple[Mapping[str, Any], ...]
    correlations: tuple[Mapping[str, Any], ...]
    notes: tuple[Note, ...]

    def __getitem__(self, name: str) -> float | int | None:
        return self.indices[name]

    def to_dict(self) -> dict[str, Any]:
        """As `reident utility --json` prints it."""
        return {
            **{name: self.indices[name] for name in INDICES},
            "variables": [dict(row) for row in self.variables],
            "correlations": [dict(row) for row in self.correlations],
            "notes": [note.to_dict() for note in self.notes],
        }

    def _repr_html_(self) -> str:
        return counts_html(self.indices)
