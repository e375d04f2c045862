"""Both files as cells, in key order, with the strata that decide who meets whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reident.encode.strata import Layout, Strata, layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reident.encode.cells import Cells


@dataclass(frozen=True, kw_only=True)
class Files:
    """The PUF and the EIF as the attacks see them: positions, not keys."""

    puf: Mapping[str, Cells]
    eif: Mapping[str, Cells]
    strata: Strata
    layout: Layout

    @property
    def puf_records(self) -> int:
        """Every PUF record read, also those that cannot be compared."""
        return len(self.strata.puf)

    @property
    def eif_records(self) -> int:
        """Every EIF record read."""
        return len(self.strata.eif)


def files(puf: Mapping[str, Cells], eif: Mapping[str, Cells], strata: Strata) -> Files:
    """Lay both files out by stratum."""
    return Files(puf=puf, eif=eif, strata=strata, layout=layout(strata))
