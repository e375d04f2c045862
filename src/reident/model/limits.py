"""Limits agreed before the run: which rates may not be exceeded."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from reident.model.value import Number, Value

Percent = Annotated[Number, Field(ge=0, le=100)]
RATES = ("suspected_rate", "confirmed_rate", "conditional_rate")
NEEDS_TRUTH = ("confirmed_rate", "conditional_rate")


class Limits(Value):
    """Largest rates in percent; `use = "upper"` judges the end of the interval instead."""

    suspected_rate: Percent | None = None
    confirmed_rate: Percent | None = None
    conditional_rate: Percent | None = None
    use: Literal["rate", "upper"] = "rate"

    def agreed(self) -> dict[str, float]:
        """The limits that were set, by the name of the rate."""
        return {
            name: float(getattr(self, name)) for name in RATES if getattr(self, name) is not None
        }
