"""Kinds of flags that several verbs share."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

Count = Annotated[int, Parameter(validator=Number(gte=0))]
"""A whole number that counts something."""
