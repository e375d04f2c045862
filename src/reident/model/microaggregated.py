"""A micro-aggregated table, and what the aggregation has cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from reident.errors import Fault, SpecError
from reident.model.value import Names, Value

if TYPE_CHECKING:
    import polars as pl


class MicroaggregateOptions(Value):
    """What is aggregated and how: `single` takes each variable by itself, `mdav` all at once."""

    variables: Annotated[Names, Field(min_length=1)]
    k: Annotated[int, Field(ge=2)] = 3
    statistic: Literal["mean", "median"] = "mean"
    method: Literal["single", "mdav"] = "single"

    def model_post_init(self, _context: Any) -> None:
        """Check what no option can check alone."""
        if self.method == "mdav" and self.statistic != "mean":
            raise SpecError(
                Fault(
                    where="statistic",
                    found="another statistic than the mean, which MDAV takes",
                    remedy="Leave it out, or aggregate one variable at a time",
                )
            )


@dataclass(frozen=True, kw_only=True)
class Microaggregated:
    """The table with its values aggregated, rows in their order; `frame` is what to release.

    `information_loss` is 100 SSE / SST over the standardised variables, None where none varies.
    """

    options: MicroaggregateOptions
    records: int
    information_loss: float | None
    frame: pl.DataFrame = field(repr=False)

    def to_polars(self) -> pl.DataFrame:
        """The released table."""
        return self.frame

    def to_dict(self) -> dict[str, Any]:
        """Options and cost, without the table."""
        return {
            "records": self.records,
            "variables": list(self.options.variables),
            "k": self.options.k,
            "statistic": self.options.statistic,
            "method": self.options.method,
            "information_loss": self.information_loss,
        }
