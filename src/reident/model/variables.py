"""Linking variables: what the PUF and the EIF have in common (Primer 1.4)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from reident.model.value import Codes, Value

Kind = Literal["numeric", "categorical", "date"]


class Variable(Value):
    """A linking variable, its kind, its column in each file and its special codes.

    >>> Variable(name="county", kind="categorical", puf="CNTY").column("puf")
    'CNTY'
    """

    name: str
    kind: Kind
    puf: str = ""
    eif: str = ""
    missing: Codes = ()
    not_applicable: Codes = ()

    @model_validator(mode="before")
    @classmethod
    def _columns_default_to_name(cls, data: Any) -> Any:
        if isinstance(data, dict) and isinstance(data.get("name"), str):
            return {"puf": data["name"], "eif": data["name"]} | data
        return data

    def column(self, side: str) -> str:
        """The variable's column in the file of that side, "puf" or "eif"."""
        return self.puf if side == "puf" else self.eif


def numeric(name: str, **details: Any) -> Variable:
    """A numeric variable: compared by distance, or binned.

    >>> numeric("age", missing=["-9"]).kind
    'numeric'
    """
    return Variable(name=name, kind="numeric", **details)


def categorical(name: str, **details: Any) -> Variable:
    """A categorical or ordinal variable: equal or different, as text.

    >>> categorical("sex").kind
    'categorical'
    """
    return Variable(name=name, kind="categorical", **details)


def date(name: str, **details: Any) -> Variable:
    """A date, a moment or a time of day: numeric, in days.

    >>> date("moved").kind
    'date'
    """
    return Variable(name=name, kind="date", **details)


class Stratum(Value):
    """A column that a PUF record and an EIF record must share to meet at all (Primer 3)."""

    puf: str
    eif: str

    @model_validator(mode="before")
    @classmethod
    def _one_name_for_both(cls, data: Any) -> Any:
        return {"puf": data, "eif": data} if isinstance(data, str) else data

    def column(self, side: str) -> str:
        """The column in the file of that side, "puf" or "eif"."""
        return self.puf if side == "puf" else self.eif
