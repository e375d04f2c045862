"""Values sealed into texts that only the key opens again (Dalenius 6.5): AES-SIV.

AES-SIV is authenticated, and the same values under the same key make the same text: a run can be
repeated byte for byte. Each text is bound to its record's place and to the rest of the file. All
texts of a file are equally long, whatever they hide.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import TYPE_CHECKING, Any

import polars as pl
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KEY_BYTES = 64
"""AES-256-SIV takes two keys of 32 bytes."""
LONGEST = 200
"""Signs of a text in a column: what the narrowest format (xpt) holds."""


class OtherKeyError(Exception):
    """The key does not open a text: it is another one, or something was altered."""


def new_key() -> bytes:
    """A key for AES-256-SIV."""
    return AESSIV.generate_key(8 * KEY_BYTES)


def seal(key: bytes, contents: Sequence[tuple[int, Any]], bound: bytes) -> list[str]:
    """A text for the content of each record, given by its place; `bound` is what it goes with."""
    cipher = AESSIV(key)
    plain = [(place, json.dumps(content).encode()) for place, content in contents]
    longest = max((len(text) for _, text in plain), default=0)
    return [
        base64.b64encode(cipher.encrypt(text.ljust(longest), [bound, _place(place)])).decode()
        for place, text in plain
    ]


def unseal(key: bytes, texts: Sequence[tuple[int, str]], bound: bytes) -> list[Any]:
    """What was sealed, by the records' places; OtherKeyError where anything is not as it was."""
    cipher = AESSIV(key)
    try:
        return [
            json.loads(cipher.decrypt(_decoded(text), [bound, _place(place)]))
            for place, text in texts
        ]
    except (InvalidTag, binascii.Error, ValueError):
        raise OtherKeyError from None


def _decoded(text: str) -> bytes:
    """The bytes of a text; several texts stand for the same bytes, and only one was written."""
    found = base64.b64decode(text, validate=True)
    if base64.b64encode(found).decode() != text:
        raise OtherKeyError
    return found


def _place(place: int) -> bytes:
    return place.to_bytes(8, "big")


# Columns ------------------------------------------------------------------------------------------


def split(texts: Sequence[str]) -> list[list[str]]:
    """Equally long texts as columns of texts that every format can hold."""
    length = len(texts[0]) if texts else 0
    return [[text[at : at + LONGEST] for text in texts] for at in range(0, length, LONGEST)]


# Values -------------------------------------------------------------------------------------------

SIMPLE = {
    str(kind): kind
    for kind in (
        pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128,
        pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64,
        pl.Float32, pl.Float64, pl.Boolean, pl.String, pl.Date, pl.Time, pl.Null, pl.Categorical,
    )
}  # fmt: skip
"""Types that their name tells all of."""


def plain_values(column: pl.Series) -> list[Any]:
    """The values as JSON holds them exactly: moments by their number, decimals by their digits."""
    if column.dtype.is_temporal():
        column = column.to_physical()
    elif isinstance(column.dtype, pl.Decimal | pl.Categorical | pl.Enum):
        column = column.cast(pl.String)
    return column.to_list()


def as_column(values: Sequence[Any], kind: pl.DataType) -> pl.Series:
    """Values of JSON as a column of their type."""
    if kind.is_temporal():
        return pl.Series(values, dtype=pl.Int64).cast(kind)
    if isinstance(kind, pl.Decimal | pl.Categorical | pl.Enum):
        return pl.Series(values, dtype=pl.String).cast(kind)
    return pl.Series(values, dtype=kind)


def told(kind: pl.DataType) -> list[Any]:
    """A type as JSON; an enumeration is told without its categories, which its column keeps."""
    return list(_told(kind))


def _told(kind: pl.DataType) -> Iterator[Any]:
    if isinstance(kind, pl.Datetime):
        yield from ("Datetime", kind.time_unit, kind.time_zone)
    elif isinstance(kind, pl.Decimal):
        yield from ("Decimal", kind.precision, kind.scale)
    elif isinstance(kind, pl.Enum):
        yield "String"
    else:
        yield str(kind.base_type())


def kind_of(said: Sequence[Any]) -> pl.DataType:
    """The type that was told."""
    match list(said):
        case ["Datetime", unit, zone]:
            return pl.Datetime(unit, zone)
        case ["Decimal", precision, scale]:
            return pl.Decimal(precision, scale)
        case [name]:
            return SIMPLE[name]()
    raise OtherKeyError
