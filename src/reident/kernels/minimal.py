"""Variable sets on which a record is alone, and on no part of which it is (minimal sample uniques).

A walk over sets of variables in order, depth first: the records that agree on a set are parted by
one more variable. A record that stands alone is nobody's company on any larger set, so it goes no
further. Where missing matches everything, a record whose value is missing goes into every part, as
company only.
"""

from __future__ import annotations

import numpy as np

from reident.kernels import compiled

ROOM = 1024


@compiled
def contains_one_of(mask: np.uint64, known: np.ndarray, first: int, last: int) -> bool:
    """Whether one of the known sets first..last - 1 is a part of the set."""
    part_of_it = False
    for k in range(first, last):
        part_of_it |= known[k] & mask == known[k]
    return part_of_it


@compiled
def part(
    cell: np.ndarray,
    codes: np.ndarray,
    missing: int,
    total: np.ndarray,
    seen: np.ndarray,
    seekers: np.ndarray,
) -> tuple[int, int]:
    """Count a cell's entries by code: (codes seen, entries whose value is missing).

    An entry is a record, or ~record where it is company only. total[c] and seekers[c] count the
    entries of code c and those that are records; seen lists the codes in order of first sight.
    """
    kinds = wild = 0
    for k in range(len(cell)):
        entry = cell[k]
        code = np.int64(codes[entry if entry >= 0 else ~entry])
        if code == missing:
            wild += 1
            continue
        if total[code] == 0:
            seen[kinds] = code
            kinds += 1
        total[code] += 1
        if entry >= 0:
            seekers[code] += 1
    return kinds, wild


@compiled
def sets_of_size(
    codes: np.ndarray,
    missing: np.ndarray,
    bounds: np.ndarray,
    known: np.ndarray,
    begin: int,
    size: int,
) -> tuple[np.ndarray, np.ndarray]:
    """Minimal sets of one size that begin with one variable: (records, sets as bit masks).

    known[bounds[r]]..known[bounds[r + 1] - 1] are the smaller minimal sets of record r. A code that
    equals missing[j] matches everything; without one, missing[j] is -1.
    """
    variables, n = codes.shape
    kinds_most = 1
    for j in range(variables):
        for r in range(n):
            kinds_most = max(kinds_most, int(codes[j, r]) + 1)
    total = np.zeros(kinds_most, np.int64)
    seekers = np.zeros(kinds_most, np.int64)
    start = np.zeros(kinds_most, np.int64)
    seen = np.empty(kinds_most, np.int64)
    arena = np.empty(2 * n + ROOM, np.int64)
    for r in range(n):
        arena[r] = r
    ends = np.empty(ROOM, np.int64)
    # Depth d: cells first_cell[d]..top_cell[d] - 1, by their ends, lie in the arena from base[d].
    first_cell = np.zeros(size + 1, np.int64)
    top_cell = np.zeros(size + 1, np.int64)
    base = np.zeros(size + 1, np.int64)
    now = np.zeros(size + 1, np.int64)
    upcoming = np.zeros(size + 1, np.int64)
    mask = np.zeros(size + 1, np.uint64)
    variable = np.zeros(size + 1, np.int64)
    ends[0] = n
    top_cell[0] = 1
    upcoming[0] = begin
    variable[0] = begin - 1
    out_rows = np.empty(ROOM, np.int64)
    out_masks = np.empty(ROOM, np.uint64)
    found = 0
    depth = 0
    while True:  # the one cell of depth 0 ends it
        if now[depth] == top_cell[depth]:
            depth -= 1
            continue
        j = upcoming[depth]
        if j > variables - (size - depth) or (depth == 0 and j > begin):
            now[depth] += 1
            upcoming[depth] = variable[depth] + 1
            if depth == 0:
                break
            continue
        upcoming[depth] = j + 1
        at = now[depth]
        low = base[depth] if at == first_cell[depth] else ends[at - 1]
        high = ends[at]
        cell = arena[low:high]
        kinds, wild = part(cell, codes[j], missing[j], total, seen, seekers)
        new_mask = mask[depth] | (np.uint64(1) << np.uint64(j))
        if depth + 1 == size:
            if wild == 0:
                for k in range(high - low):
                    r = cell[k]
                    if r < 0 or total[np.int64(codes[j, r])] != 1:
                        continue
                    if contains_one_of(new_mask, known, bounds[r], bounds[r + 1]):
                        continue
                    if found == len(out_rows):
                        out_rows = np.concatenate((out_rows, np.empty_like(out_rows)))
                        out_masks = np.concatenate((out_masks, np.empty_like(out_masks)))
                    out_rows[found] = r
                    out_masks[found] = new_mask
                    found += 1
            for k in range(kinds):
                total[seen[k]] = 0
                seekers[seen[k]] = 0
            continue
        # Lay the parts that hold a record in company behind everything that is in use.
        top = ends[top_cell[depth] - 1]
        need = top
        for k in range(kinds):
            need += total[seen[k]] + wild
        if need > len(arena):
            arena = np.concatenate((arena, np.empty(need, np.int64)))
            cell = arena[low:high]
        while top_cell[depth] + kinds > len(ends):
            ends = np.concatenate((ends, np.empty_like(ends)))
        free = top_cell[depth]
        for k in range(kinds):
            code = seen[k]
            start[code] = -1
            if seekers[code] and total[code] + wild > 1:
                start[code] = top
                top += total[code] + wild
                ends[free] = top
                free += 1
        for k in range(high - low):
            entry = cell[k]
            r = entry if entry >= 0 else ~entry
            code = np.int64(codes[j, r])
            if code != missing[j]:
                if start[code] >= 0:
                    arena[start[code]] = entry
                    start[code] += 1
                continue
            for other in range(kinds):
                if start[seen[other]] >= 0:
                    arena[start[seen[other]]] = ~r
                    start[seen[other]] += 1
        for k in range(kinds):
            total[seen[k]] = 0
            seekers[seen[k]] = 0
        if free == top_cell[depth]:
            continue
        base[depth + 1] = ends[top_cell[depth] - 1]
        first_cell[depth + 1] = top_cell[depth]
        top_cell[depth + 1] = free
        depth += 1
        now[depth] = first_cell[depth]
        variable[depth] = j
        upcoming[depth] = j + 1
        mask[depth] = new_mask
    return out_rows[:found], out_masks[:found]
