"""Wrong sas7bdat files: nothing writes the format, so cells of vendor files are changed in place.

The records of these two files are not compressed and stand one after another, numbers as doubles,
texts filled up with blanks.
"""

import struct
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Vendor:
    """Where the cells of a vendor file are: the first record, its length, columns in it."""

    name: str
    start: int
    length: int
    records: int
    columns: dict[str, tuple[int, int]]
    """Place and width; numbers have width 0."""

    def put(self, data: bytes, column: str, row: int, value: Any) -> bytes:
        """The file with one cell changed: a number, a text, or the letter of a missing number."""
        at, width = self.columns[column]
        if width:
            cell = value.encode().ljust(width)
            assert len(cell) == width, "a text that the column cannot hold"
        elif isinstance(value, str):
            cell = missing(value)
        else:
            cell = struct.pack("<d", value)
        place = self.start + row * self.length + at
        return data[:place] + cell + data[place + len(cell) :]


def missing(letter: str) -> bytes:
    """A missing number of SAS: `.`, `_`, or a letter."""
    code = {"_": 0xFF, ".": 0xFE}.get(letter) or 0xFD - (ord(letter) - ord("A"))
    return bytes([0, 0, 0, 0, 0, code, 0xFF, 0xFF])


NUMBERS = Vendor(
    name="sample.sas7bdat",
    start=65936,
    length=56,
    records=5,
    columns={
        "mynum": (0, 0),
        "mydate": (8, 0),
        "mylabl": (24, 0),
        "myord": (32, 0),
        "mychar": (48, 1),
    },
)
TEXTS = Vendor(
    name="test_data_linux.sas7bdat",
    start=65840,
    length=24,
    records=3,
    columns={"ID": (0, 8), "SEXA": (8, 8), "SEXB": (16, 8)},
)
RECORDS_AT = 130312
"""Where both files say how many records they hold."""
