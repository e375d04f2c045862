"""Look at the bytes of a csv file before a parser does, which would be silent about short rows."""

from __future__ import annotations

import numba
import numpy as np

FINE, RAGGED, UNCLOSED_QUOTE, NUL_BYTE, STRAY_QUOTE = range(5)
_START, _PLAIN, _QUOTED, _CLOSED = range(4)
_NEWLINE, _RETURN, _QUOTE = 10, 13, 34


@numba.njit(cache=True, nogil=True)
def scan(data: np.ndarray, separator: int) -> tuple[int, int, int, int]:
    """Walk through the bytes once: (verdict, line of the fault, records, fields a record).

    Lines end with LF, CRLF or CR; a line end inside quotes belongs to the field. The first record
    sets the number of fields.
    """
    state, line, records, fields, width, record_line = _START, 1, 0, 1, 0, 1
    size = len(data)
    i = 0
    while i <= size:
        byte = _NEWLINE if i == size else data[i]
        if byte == 0:
            return NUL_BYTE, line, records, width
        is_end = byte in (_NEWLINE, _RETURN)
        if state == _QUOTED:
            if i == size:
                return UNCLOSED_QUOTE, record_line, records, width
            if byte == _QUOTE:
                state = _CLOSED
        elif byte == _QUOTE:
            if state == _PLAIN:
                return STRAY_QUOTE, line, records, width
            state = _QUOTED
        elif byte == separator:
            fields += 1
            state = _START
        elif is_end:
            if records == 0:
                width = fields
            if fields != width:
                return RAGGED, record_line, records, width
            records += 1
            fields = 1
            state = _START
        elif state == _CLOSED:
            return STRAY_QUOTE, line, records, width
        else:
            state = _PLAIN
        if is_end and i < size:
            if byte == _RETURN and i + 1 < size and data[i + 1] == _NEWLINE:
                i += 1
            line += 1
            if state != _QUOTED:
                record_line = line
        i += 1
    return FINE, 0, records, width
