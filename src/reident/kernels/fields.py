"""Look at the bytes of a csv file before a parser does, which would be silent about short rows."""

from __future__ import annotations

import numpy as np

from reident.kernels import compiled

FINE, RAGGED, UNCLOSED_QUOTE, NUL_BYTE, STRAY_QUOTE = range(5)
_START, _PLAIN, _QUOTED, _CLOSED = range(4)
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34


@compiled
def scan(
    data: np.ndarray, separator: int, width: int, last: bool
) -> tuple[int, int, int, int, int, int]:
    """Walk through a piece that begins with a record, once.

    Returns verdict, line of the fault, whole records, fields a record, and the bytes and lines that
    the whole records take. Lines end with LF, CRLF or CR; a line end inside quotes belongs to the
    field. The first record of a file, where `width` is 0, sets the number of fields. Only the last
    piece ends with a record: in others what begins after the last whole one is left to the next.
    """
    state, line, records, fields, record_line, taken = _START, 1, 0, 1, 1, 0
    size = len(data)
    i = 0
    while i < size or (i == size and last):
        byte = _NEWLINE if i == size else data[i]
        if byte == 0:
            return NUL_BYTE, line, records, width, taken, record_line - 1
        is_end = byte in (_NEWLINE, _RETURN)
        if byte == _RETURN and i + 1 == size and not last:
            # Whether a newline belongs to it is seen in the next piece.
            break
        if state == _QUOTED:
            if i == size:
                return UNCLOSED_QUOTE, record_line, records, width, taken, record_line - 1
            if byte == _QUOTE:
                state = _CLOSED
        elif byte == _QUOTE:
            if state == _PLAIN:
                return STRAY_QUOTE, line, records, width, taken, record_line - 1
            state = _QUOTED
        elif byte == separator:
            fields += 1
            state = _START
        elif is_end:
            if width == 0:
                width = fields
            if fields != width:
                return RAGGED, record_line, records, width, taken, record_line - 1
            records += 1
            fields = 1
            state = _START
        elif state == _CLOSED:
            return STRAY_QUOTE, line, records, width, taken, record_line - 1
        else:
            state = _PLAIN
        if is_end and i < size:
            if byte == _RETURN and i + 1 < size and data[i + 1] == _NEWLINE:
                i += 1
            line += 1
            if state != _QUOTED:
                record_line = line
                taken = i + 1
        i += 1
    return FINE, 0, records, width, size if last else taken, record_line - 1
