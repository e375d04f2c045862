"""The base of every value that a user writes: frozen, closed, validated when it is made."""

from __future__ import annotations

from decimal import Decimal
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from reident.errors import Fault, SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Value(BaseModel):
    """A frozen value. Wrong fields raise SpecError with every fault of this value."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, arbitrary_types_allowed=True
    )

    @model_validator(mode="wrap")
    @classmethod
    def _speak_plainly(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            raise SpecError(*faults_of(error, cls.__name__, list(cls.model_fields))) from None


def faults_of(error: ValidationError, where: str, names: Sequence[str] = ()) -> list[Fault]:
    """Turn pydantic's findings into faults, without the values that it looked at."""
    return [fault_of(dict(found), where, names) for found in error.errors(include_url=False)]


def fault_of(found: dict[str, Any], where: str, names: Sequence[str]) -> Fault:
    """One finding of pydantic as a fault; an unknown name gets the nearest valid one."""
    place = ".".join([where, *(str(part) for part in found["loc"])])
    match found["type"]:
        case "extra_forbidden" | "unexpected_keyword_argument":
            near = get_close_matches(str(found["loc"][-1]), names, n=1)
            known = f"Did you mean {near[0]!r}" if near else f"Known are: {', '.join(names)}"
            return Fault(where=place, found="unknown name", remedy=known)
        case "missing" | "missing_argument":
            return Fault(where=place, found="missing", remedy="Give it")
        case "value_error":
            return Fault(where=place, found="not valid", remedy=str(found["ctx"]["error"]))
        case _:
            return Fault(where=place, found="not valid", remedy=found["msg"])


def _as_written(value: Any) -> Any:
    """A float means the decimal that Python prints for it: 0.1 is one tenth."""
    return Decimal(repr(value)) if isinstance(value, float) else value


def _finite(value: Decimal) -> Decimal:
    if not value.is_finite():
        raise ValueError("Give a finite number")
    return value


Number = Annotated[Decimal, BeforeValidator(_as_written), AfterValidator(_finite)]
"""A decimal as written."""


def _tuple_of_names(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Names = Annotated[tuple[str, ...], BeforeValidator(_tuple_of_names)]
"""One name or several."""


def _code_text(value: Any) -> Any:
    """Codes are texts; a whole number stands for its text."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        value = (value,)
    if isinstance(value, (list, tuple)):
        return tuple(
            str(v) if isinstance(v, (int, Decimal)) and not isinstance(v, bool) else v
            for v in value
        )
    return value


Codes = Annotated[tuple[str, ...], BeforeValidator(_code_text)]
"""Codes that stand for missing or not applicable, as texts."""
