"""Deliberate wrong lines, one at a time: each must make a test fail.

    .venv/bin/python tests/laws/mutants.py            all of them
    .venv/bin/python tests/laws/mutants.py shortlist  those whose place holds a word

A mutant is one line of the source and what stands in its place. The source is copied to a private
folder, changed there, and the named tests run against the copy, most with the kernels as plain
Python, the others compiled afresh, so that nothing can be stale. The outcome stands in README.md
beside this file.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = Path(__file__).resolve().parents[2]
SOURCE = HOME / "src"
KILLED, SURVIVED = 1, 0
"""Exit codes of pytest: a test failed, or none did. Any other is a fault of the attempt."""

FIELDS = "tests/unit/kernels/test_fields.py"
KEYS = "tests/unit/kernels/test_keys.py"
BITMAPS = "tests/unit/kernels/test_bitmaps.py"
PLANES = "tests/unit/kernels/test_planes.py"
RUNS = "tests/unit/kernels/test_runs.py"
EVERYONE = "tests/unit/kernels/test_everyone.py"
BOXES = "tests/unit/kernels/test_boxes.py"
DESK = "tests/unit/kernels/test_desk.py"
PUT_SOME = "tests/unit/kernels/test_put_some.py"
ENTRIES = "tests/unit/kernels/test_entries.py"
CELLWISE = "tests/unit/kernels/test_cellwise.py"
LEVELS = "tests/unit/kernels/test_levels.py"
TALLY = "tests/unit/kernels/test_tally.py"
LANES = "tests/unit/kernels/test_lanes.py"
EXACT = "tests/unit/kernels/test_exact.py"
COARSE = "tests/unit/kernels/test_coarse.py"
POINTS = "tests/unit/kernels/test_points.py"
POINTWISE = "tests/unit/kernels/test_pointwise.py"
PAIRS = "tests/unit/kernels/test_pairs.py"
RATES = "tests/unit/model/test_rates.py"
PUBLIC = "tests/unit/report/test_public.py"
RANKS = "tests/laws/test_ranks.py"
UNICITY = "tests/laws/test_unicity.py"
PRIMER = "tests/papers/test_primer.py"
EVERY = "tests/laws/test_every_attack.py"
RUNNING = "tests/laws/test_running.py"
UNIQUES = "tests/oracle/test_uniques.py"
NEAREST = "tests/unit/attacks/test_nearest.py"
VALUES = "tests/unit/remedies/test_values.py"
GROUPS = "tests/unit/remedies/test_groups.py"
SEALING = "tests/unit/test_sealing.py"
ACCOUNTS = "tests/unit/remedies/test_accounts.py"
GRIDS = "tests/unit/kernels/test_grids.py"
WINDOWS = "tests/unit/kernels/test_windows.py"
AGGREGATION = "tests/unit/remedies/test_microaggregation.py"
MICROAGG = "tests/oracle/test_microagg.py"
WINKLER = "tests/papers/test_winkler.py"
CHECKPOINT = "tests/unit/engine/test_checkpoint.py"
PARCEL = "tests/unit/engine/test_parcel.py"
REMOTE = "tests/unit/engine/test_remote.py"
SHARES = "tests/unit/needles/test_shares.py"
TWINS = "tests/unit/kernels/test_twins.py"
INDEX = "tests/oracle/test_index.py"


LOOKUPS = ("looking_pairs_up_finds", True)


class Mutant(NamedTuple):
    """A line of a file and a wrong one in its place; `test` and `pick` (-k) say what kills it.

    Lines are given without the blanks they begin with. Kernels run as plain Python unless they
    need to be `compiled`.
    """

    place: str
    file: str
    old: str
    new: str
    test: str
    pick: str = ""
    compiled: bool = False


def _mutants(file: str, *entries: tuple[Any, ...]) -> list[Mutant]:
    """Entries are (function, old line, new line, test, words that pick tests of it, compiled)."""
    stem = file.removesuffix(".py").replace("/", ".")
    return [Mutant(f"{stem}.{entry[0]}", f"reident/{file}", *entry[1:]) for entry in entries]


MUTANTS = [
    *_mutants(
        "kernels/fields.py",
        ("scan", "if fields != width:", "if fields < width:", FIELDS),
        ("scan", "taken = i + 1", "taken = i", FIELDS, "pieces_give"),
        (
            "scan",
            "if byte == _RETURN and i + 1 == size and not last:",
            "if byte == _RETURN and i + 1 == size and last:",
            FIELDS,
            "pieces_give",
        ),
    ),
    *_mutants(
        "kernels/nearest.py",
        ("widest", "low[j] = min(low[j], at)", "low[j] = at", NEAREST, "cut_across"),
        (
            "widest",
            "square = apart * apart * weight[j]",
            "square = apart * apart",
            NEAREST,
            "cut_across",
        ),
        (
            "keep",
            "if near.best[p] > limit:",
            "if near.best[p] > square:",
            NEAREST,
            "but_for_rounding_is_kept",
        ),
        ("keep", "near.size[p] = KEEP + 1", "near.size[p] = KEEP", NEAREST, "a_crowd_of"),
        ("measure", "square *= v / present", "square *= 1.0", NEAREST, "rescales_the_distance"),
        ("measure", "if present == 0:", "if present < 0:", NEAREST, "nothing_in_common"),
        (
            "add_squares",
            "one = np.float32(np.float32(e * e) + np.float32(f * f))",
            "one = np.float32(np.float32(e * e) + np.float32(f * f) + np.float32(1.0))",
            NEAREST,
            "boxes_and_blocks",
            True,
        ),
        (
            "look_into",
            "if room[w] <= limit and w != nearest:",
            "if room[w] < room[nearest]:",
            NEAREST,
            "boxes_and_blocks",
            True,
        ),
        (
            "least_squares",
            "low, high = space.low[j, first:last], space.high[j, first:last]",
            "low, high = space.high[j, first:last], space.low[j, first:last]",
            NEAREST,
            "boxes_and_blocks",
            True,
        ),
        (
            "search",
            "while end < last and points.leaves[end, 0] == points.leaves[begin, 0]:",
            "while end < last:",
            NEAREST,
            "nearest_rows_are_the_nearest",
        ),
    ),
    *_mutants(
        "kernels/shortlist.py",
        (
            "put",
            "cutoffs[row] = worst",
            "cutoffs[row] = worst + 1",
            RANKS,
            "shortlist_keeps",
        ),
        (
            "put",
            "if scores[row, k] < worst:",
            "if scores[row, k] <= worst and left < keep:",
            RANKS,
            "shortlist_keeps",
        ),
        ("unfold", "rank += 1", "rank += end - begin", RANKS, "ranks_are_dense"),
        (
            "gather",
            "eif[at], units[at] = held[row, k], scores[row, k]",
            "eif[at], units[at] = held[row, k], scores[row, 0]",
            RANKS,
            "shortlists_unfold",
        ),
        (
            "unfold",
            "or (out[2, place - 1] == score and out[1, place - 1] > position)",
            "or (out[2, place - 1] == score and out[1, place - 1] < position)",
            RANKS,
            "shortlists_unfold",
        ),
        (
            "pour",
            "if source.units[row, k] < target.cutoff[row]:",
            "if source.units[row, k] <= target.cutoff[row]:",
            RANKS,
            "merging_the_shortlists",
        ),
    ),
    *_mutants(
        "kernels/pairs.py",
        ("gap", "return min(apart / sd, CAP)", "return apart / sd", PAIRS, "gap"),
        ("gap", "if sd == 0.0:", "if sd < 0.0:", PAIRS, "gap"),
        ("squared", "t = math.tanh(x * 0.5)", "t = math.tanh(x)", PAIRS, "squared"),
        (
            "add_equal",
            "total[i] += missing if b < 0 else (0 if a == b else other)",
            "total[i] += missing if b < 0 else (0 if a >= b else other)",
            PAIRS,
            "test_equal_adds",
        ),
        (
            "add_distance",
            "total[i] += missing if b < 0 else (near if b == 0 else other)",
            "total[i] += missing if b < 0 else near",
            PAIRS,
            "distance_adds",
        ),
        (
            "add_steps",
            "outside = units[k]",
            "outside = other",
            PAIRS,
            "steps_add",
        ),
        (
            "add_listed",
            "at = np.searchsorted(listed, b)",
            'at = np.searchsorted(listed, b, "right")',
            PAIRS,
            "listed_adds",
        ),
        (
            "add_one",
            "elif kind == EQUAL or (kind == DISTANCE and a > 0):",
            "elif kind == EQUAL:",
            PAIRS,
            "lower_bounds or single_pairs",
        ),
        ("add_up", "total[:] = 0", "total[0] = 0", PAIRS, "lower_bounds_and"),
        (
            "above_floor",
            "more += squared(gap(a, b, scorer.sd[scale, j]))",
            "more += squared(gap(a, b, scorer.sd[0, j]))",
            PAIRS,
            "lower_bounds_and",
        ),
        (
            "score_tile",
            "end = min(meets[p, 1], tile[3])",
            "end = tile[3]",
            PAIRS,
            "tile_shortlists",
        ),
        (
            "score_tile",
            "if units < cutoff:",
            "if units <= cutoff:",
            PAIRS,
            "lower_bound_passes",
        ),
        (
            "score_some",
            "if measured and not rough and total < cutoff:",
            "if measured and rough and total < cutoff:",
            PAIRS,
            "single_pairs",
        ),
    ),
    *_mutants(
        "kernels/masks.py",
        (
            "agreement",
            "if puf[p, j] >= 0 and puf[p, j] == other[q, j]:",
            "if puf[p, j] == other[q, j]:",
            UNICITY,
            "maximal_masks_of_the_parts",
        ),
        (
            "insert",
            "owners[k] = TAKEN",
            "owners[k] = owner",
            UNICITY,
            "merging_the_antichains",
        ),
        (
            "maximal_masks",
            "if owner[q] == -2 - p:",
            "if owner[q] == -3 - p:",
            PRIMER,
            "test_2_1",
        ),
        (
            "maximal_masks",
            "size = insert(masks, owners, size, mask, max(owner[q], TAKEN))",
            "size = insert(masks, owners, size, mask, owner[q] % len(others))",
            PRIMER,
            "test_2_1",
        ),
        (
            "merge",
            "for part in (one, other):",
            "for part in (one, one):",
            UNICITY,
            "merging_the_antichains",
        ),
    ),
    *_mutants(
        "kernels/partners.py",
        (
            "search_cell",
            "if row != record.row:",
            "if row != -1:",
            UNICITY,
            "cells_and_masks",
        ),
        (
            "every_row",
            "for row in range(start, stop):",
            "for row in range(start + 1, stop):",
            UNICITY,
            "cells_and_masks",
        ),
        (
            "uncontested",
            "return find(both.eif, asked, record.eif[0], record.eif[1], two) == 1",
            "return find(both.eif, asked, record.eif[0], record.eif[1], two) >= 1",
            UNICITY,
            "contests_a_consistent",
        ),
    ),
    *_mutants(
        "kernels/crowd.py",
        (
            "agreements",
            "if code >= 0:",
            "if code >= -1:",
            UNICITY,
            "sorted_cells_show",
        ),
        (
            "count_partners",
            "if attained(masks, mine + theirs, masks[e]) != 1:",
            "if attained(masks, mine + theirs, masks[e]) < 1:",
            UNICITY,
            "sorted_cells_show",
        ),
        (
            "count_partners",
            "new &= known == 0 or masks[e] & known != known",
            "new &= known == 0 or masks[e] & known == known",
            UNICITY,
            "sorted_cells_show",
        ),
        (
            "sorted_cells",
            "while stop - start <= room and alike[stop] >= width:",
            "while stop - start <= room and alike[stop] >= width - 1:",
            UNICITY,
            "sorted_cells_show",
        ),
    ),
    *_mutants(
        "kernels/refine.py",
        (
            "expose",
            "if counts[1, code] == 1:",
            "if counts[1, code] >= 1:",
            UNICITY,
            "orders_name",
        ),
    ),
    *_mutants(
        "kernels/dealing.py",
        (
            "deal_round",
            "place[p] = bounds[p]",
            "place[p] = 0",
            UNIQUES,
            "many_records",
            True,
        ),
        (
            "fill",
            "while count[at] != 0 and held[at] != key:",
            "while count[at] != 0 and held[at] < key:",
            UNIQUES,
            "many_records",
            True,
        ),
        (
            "count_parts",
            "tally[min(int(count[table.taken[c]]), len(tally) - 1)] += 1",
            "tally[min(int(count[table.taken[c]]), len(tally) - 2)] += 1",
            UNIQUES,
            "many_records or huge_cell",
            True,
        ),
        (
            "number_parts",
            "held[at] = np.uint64(k)",
            "held[at] = np.uint64(k % ROUND)",
            UNIQUES,
            "many_records",
            True,
        ),
        (
            "collect",
            "to[i] = mine[place[part]]",
            "to[i] = mine[i]",
            UNIQUES,
            "many_records",
            True,
        ),
    ),
    *_mutants(
        "kernels/cells.py",
        (
            "mixed_radix",
            "weight = np.uint64(weight * np.uint64(sizes[k]))",
            "weight = np.uint64(weight + np.uint64(sizes[k]))",
            UNIQUES,
            "sums_are_those",
            True,
        ),
        (
            "powers_of_two",
            "before = bits[j] - 1 - low",
            "before = bits[j] - low",
            UNIQUES,
            "sums_are_those",
            True,
        ),
        (
            "count_all",
            "counters[keys[i]] += np.uint32(1)",
            "counters[keys[i]] = np.uint32(1)",
            UNIQUES,
            "keys_are_exact or all_methods",
            True,
        ),
        (
            "count_compatible",
            "if a != b and a != missing[j] and b != missing[j]:",
            "if a != b and a != missing[j]:",
            UNIQUES,
            "wildcard_agrees",
            True,
        ),
        (
            "find_slot",
            "same &= held[at, w] == words[w]",
            "same = held[at, w] == words[w]",
            UNIQUES,
            "stream_in_any",
            True,
        ),
        (
            "add_words",
            "held[at] = words[i]",
            "held[at, 0] = words[i, 0]",
            UNIQUES,
            "stream_in_any",
            True,
        ),
        (
            "move_words",
            "count[at] = old_count[s]",
            "count[at] = np.uint32(1)",
            UNIQUES,
            "stream_in_any",
            True,
        ),
        (
            "look_up_words",
            "out[i] = count[find_slot(words[i], held, count)]",
            "out[i] = np.uint32(1)",
            UNIQUES,
            "stream_in_any",
            True,
        ),
    ),
    *_mutants(
        "kernels/minimal.py",
        (
            "contains_one_of",
            "part_of_it |= known[k] & mask == known[k]",
            "part_of_it |= known[k] & mask == mask",
            UNIQUES,
            "many_small_files",
            True,
        ),
        (
            "part",
            "total[code] += 1",
            "total[code] = 1",
            UNIQUES,
            "many_small_files",
            True,
        ),
        (
            "sets_of_size",
            "if seekers[code] and total[code] + wild > 1:",
            "if seekers[code] and total[code] > 1:",
            UNIQUES,
            "many_small_files",
            True,
        ),
        (
            "sets_of_size",
            "arena[start[seen[other]]] = ~r",
            "arena[start[seen[other]]] = r",
            UNIQUES,
            "many_small_files",
            True,
        ),
    ),
    *_mutants(
        "kernels/windows.py",
        (
            "first_from",
            "if values[middle] < low:",
            "if values[middle] <= low:",
            WINKLER,
            "intervals_of_one",
        ),
        (
            "span_of_nearest",
            "if value - values[middle] > values[middle + count] - value:",
            "if value - values[middle] > values[middle + count - 1] - value:",
            WINDOWS,
            "spans_hold",
        ),
        ("in_most", "if v - i < best:", "if v - i <= best:", WINDOWS, "row_in_most"),
        ("count_in_grids", "if i > v - best:", "if i >= v - best:", GRIDS, "row_in_most", True),
    ),
    *_mutants(
        "kernels/grids.py",
        ("blocks_of", "pairs = min(v // 2, agree - 1)", "pairs = v // 2", GRIDS, "blocks_are_more"),
        (
            "set_sieve",
            "sieve.wide[j] = -(-spans[j, 1] // grids.part[j]) - first",
            "sieve.wide[j] = spans[j, 1] // grids.part[j] - first",
            GRIDS,
            "enough_spans_once",
            True,
        ),
        (
            "along",
            "return spans[j, 0] // size, -(-spans[j, 1] // size)",
            "return spans[j, 0] // size, spans[j, 1] // size",
            GRIDS,
            "enough_spans_once",
            True,
        ),
        ("first_met", "return k == i", "return True", GRIDS, "row_in_most", True),
        (
            "count_codes",
            "agreed[k] = np.uint8(agreed[k] + np.uint8(np.uint8(code[k] - first) < wide))",
            "agreed[k] = np.uint8(agreed[k] + np.uint8(np.uint8(code[k] - first) <= wide))",
            GRIDS,
            "enough_spans_once",
            True,
        ),
        (
            "rows_inside",
            "enough = levels * (needed - 1) + 1",
            "enough = levels * needed",
            GRIDS,
            "smallest_trimmed",
            True,
        ),
        (
            "rows_inside",
            "if sieve.agreed[at - base] < needed:",
            "if sieve.agreed[at - base] <= needed:",
            GRIDS,
            "enough_spans_once",
            True,
        ),
    ),
    *_mutants(
        "kernels/trimmed.py",
        ("difference", "if y == 0.0:", "if y < 0.0:", WINDOWS, "in_units"),
        (
            "trimmed_sum",
            "while k > 0 and units[k - 1] > apart:",
            "while k > 0 and units[k - 1] < apart:",
            GRIDS,
            "smallest_trimmed",
            True,
        ),
        (
            "span_of_parts",
            "return max(begin, (first - 1) * part), min(end, low * part)",
            "return max(begin, first * part), min(end, low * part)",
            GRIDS,
            "in_parts_holds",
            True,
        ),
        (
            "choose_blocks",
            "fill_spans(orders, grids.part, mine, most // (read - allowed), room.trial)",
            "fill_spans(orders, grids.part, mine, most // read, room.trial)",
            GRIDS,
            "smallest_trimmed",
            True,
        ),
        (
            "nearest_trimmed",
            "while most < CAP and not (out[p, 1] and out[p, 0] <= most):",
            "while most < CAP and not out[p, 1]:",
            GRIDS,
            "smallest_trimmed",
            True,
        ),
    ),
    *_mutants(
        "kernels/stepwise.py",
        (
            "cut_runs",
            "if same(table, j, first, middle):",
            "if not same(table, j, first, middle):",
            WINDOWS,
            "runs_of_equal",
        ),
        (
            "narrow",
            "least = min(least, value - table.values[j, at - 1])",
            "least = min(least, table.values[j, at - 1] - value)",
            WINKLER,
            "a_tie_is_settled",
        ),
        (
            "nearest_stepwise",
            "held = narrow(table, j, states[p, j], values[p, j], spans, held, spare)",
            "held = narrow(table, j, -1, values[p, j], spans, held, spare)",
            WINKLER,
            "nearest_on_the_second",
        ),
    ),
    *_mutants(
        "kernels/groups.py",
        (
            "end_of_run",
            "return size if size - first < 2 * k else first + k",
            "return size if size - first <= 2 * k else first + k",
            AGGREGATION,
            "may_be_cut",
        ),
        ("farthest", "if distance > best:", "if distance >= best:", MICROAGG, "mdav_on"),
        (
            "nearest",
            "if count == k and distance >= reach[k - 1]:",
            "if count == k and distance > reach[k - 1]:",
            WINDOWS,
            "first_of_the_nearest",
        ),
        ("mdav_groups", "pair = size >= 3 * k", "pair = size > 3 * k", MICROAGG, "mdav_on"),
    ),
    *_mutants(
        "kernels/keys.py",
        ("row_keys", "if size * base > ROOM:", "if size > ROOM:", KEYS),
        (
            "row_keys",
            "codes = column.astype(np.int64) + 1",
            "codes = np.abs(column.astype(np.int64))",
            KEYS,
        ),
        (
            "counts",
            "return count[inverse].astype(np.int64)",
            "return np.maximum(count[inverse] - 1, 1).astype(np.int64)",
            KEYS,
        ),
    ),
    *_mutants(
        "kernels/keys.py",
        ("order_small", "place[key] += 1", "place[key] += 0", KEYS),
    ),
    *_mutants(
        "kernels/planes.py",
        (
            "pack",
            "out[i, lane] |= min(np.uint64(sums[i]), MOST) << shift",
            "out[i, lane] |= np.uint64(sums[i]) << shift",
            PLANES,
        ),
        (
            "turn",
            "taken[i] = packed[rows[i], lane]",
            "taken[i] = packed[rows[i], 0]",
            PLANES,
        ),
        (
            "turn",
            "turn_bytes(taken, turned, at)",
            "turn_bytes(taken, turned, 0)",
            PLANES,
        ),
        (
            "mark",
            "here = held & ~sharing(columns, column, MISSING)",
            "here = held",
            PLANES,
        ),
        (
            "mark",
            "bits[piece, at + t - 1, w] = at_least(columns, column, t) & held",
            "bits[piece, at + t - 1, w] = at_least(columns, column, t + 1) & held",
            PLANES,
        ),
    ),
    *_mutants(
        "kernels/bitmaps.py",
        (
            "bits_in",
            "x = (x & PAIRS) + ((x >> TWO) & PAIRS)",
            "x = (x & PAIRS) + (x >> TWO)",
            BITMAPS,
        ),
        (
            "lowest",
            "return np.int64(bits_in((word & (~word + ONE)) - ONE))",
            "return np.int64(bits_in(word - ONE))",
            BITMAPS,
        ),
        (
            "draw_digits",
            "if (digits[t] ^ digits[t - 1]) >> q & 1:",
            "if digits[t] >> q & 1:",
            BITMAPS,
        ),
        (
            "preload",
            "counter[over + w] = (s & c) | (digit & (s | c))",
            "counter[over + w] = (s & c) | (digit & s)",
            BITMAPS,
        ),
        (
            "add_eight",
            "counter[w + MO] = before[s + MO] | over",
            "counter[w + MO] = before[s + MO]",
            BITMAPS,
        ),
        (
            "add_eight_more",
            "counter[w + MO] |= over",
            "counter[w + MO] = over",
            BITMAPS,
        ),
        (
            "_sum",
            "carry = (fours & carry) | (m2 & half)",
            "carry = (fours | carry) | (m2 & half)",
            BITMAPS,
        ),
        (
            "eight_words",
            "return ones, twos, fours ^ other, fours & other",
            "return ones, twos, fours | other, fours & other",
            BITMAPS,
        ),
        (
            "add_at",
            "carry[w] &= k",
            "carry[w] = k",
            BITMAPS,
        ),
        (
            "add_digits",
            "x, k = tile[at + w + S3], counter[w + S3]",
            "x, k = tile[at + w + S2], counter[w + S3]",
            BITMAPS,
        ),
    ),
    *_mutants(
        "kernels/coarse.py",
        (
            "least_by_steps",
            "for b in range(theirs[begin], theirs[end - 1] + 1):",
            "for b in range(theirs[begin], theirs[end - 1]):",
            COARSE,
        ),
        (
            "least_by_lists",
            "b = theirs[low[k]]",
            "b = theirs[0]",
            COARSE,
        ),
    ),
    *_mutants(
        "kernels/points.py",
        ("draw_points", "lowest = min(lowest, row[b])", "lowest = max(lowest, row[b])", POINTS),
        ("draw_points", "digit = row[b] >> q & 1", "digit = row[b] >> 1 & 1", POINTS),
        (
            "add_points",
            "stack[n + W6] = stack[s + W6] | (x & carry)",
            "stack[n + W6] = stack[s + W6]",
            POINTS,
        ),
        ("_pair", "carry = (x1 & y1) | (half & carry)", "carry = x1 & y1", POINTS),
        (
            "add_last",
            "passing = ~(beyond | sums[w + W6] | (x & carry))",
            "passing = ~(beyond | sums[w + W6])",
            POINTS,
        ),
        (
            "clear_sums",
            "stack[SUM_DIGITS * WIDE + (rows >> 6)] = ALL_BITS << np.uint64(rows & 63)",
            "stack[SUM_DIGITS * WIDE + (rows >> 6)] = ALL_BITS",
            POINTS,
        ),
    ),
    *_mutants(
        "kernels/pointwise.py",
        ("lay_out", "table.classes[:] = -1", "table.classes[:] = 1", POINTWISE),
        (
            "prepare",
            "reached[step + 1] = reached[step] + nearest[own]",
            "reached[step + 1] = reached[step] + 2 * nearest[own]",
            POINTWISE,
        ),
        ("settle_points", "found = units[last - inside]", "found = units[first]", POINTWISE),
        (
            "count_left",
            "number += np.int64(bits_in(left[w]))",
            "number = np.int64(bits_in(left[w]))",
            POINTWISE,
        ),
        (
            "note_left",
            "pairs[waiting, 0], pairs[waiting, 1] = p, start + np.int64(w) * 64 + lowest(word)",
            "pairs[waiting, 0], pairs[waiting, 1] = p, start + np.int64(w) * 63 + lowest(word)",
            POINTWISE,
        ),
        (
            "scan_points",
            "if (start <= home < stop) != (sweep == 0):",
            "if start <= home < stop or sweep == 0:",
            POINTWISE,
        ),
        (
            "begin_row",
            "if trial >= (short.cutoff[p] - 1) // point + 1:",
            "if trial >= (short.cutoff[p] - 1) // point:",
            POINTWISE,
        ),
    ),
    *_mutants(
        "kernels/candidates.py",
        (
            "settle",
            "if units[i] < cutoffs[row]:",
            "if units[i] + 1 < cutoffs[row]:",
            RUNNING,
            *LOOKUPS,
        ),
        (
            "seed",
            "cutoffs[p - base] = min(cutoffs[p - base], units[:chosen].max())",
            "cutoffs[p - base] = min(cutoffs[p - base], units[:chosen].min())",
            RUNNING,
            *LOOKUPS,
        ),
    ),
    *_mutants(
        "kernels/shortlist.py",
        (
            "put_all",
            "if scores[row, i] < cutoff:",
            "if scores[row, i] <= cutoff:",
            PUT_SOME,
        ),
        (
            "put_some",
            "cutoffs[row] = min(cutoffs[row], lowest[keep])",
            "cutoffs[row] = min(cutoffs[row], lowest[keep - 1])",
            PUT_SOME,
        ),
    ),
    *_mutants(
        "kernels/runs.py",
        (
            "keys_of",
            "complete[i] &= column[i] >= 0",
            "complete[i] = column[i] >= 0",
            RUNS,
        ),
        (
            "copies_of",
            "found *= size - 1",
            "found += size - 1",
            RUNS,
        ),
        (
            "directory",
            "rows[starts[copies[k]]] = whose[k]",
            "rows[starts[copies[k]]] = whose[0]",
            RUNS,
        ),
        (
            "directory",
            "filled_in = number > 0 and len(keys) + held <= most",
            "filled_in = number > 0 and len(keys) + held < most",
            RUNS,
        ),
        (
            "find_runs",
            "stack[waiting, 0], stack[waiting, 1] = key + (code + 1) * weight, done + 1",
            "stack[waiting, 0], stack[waiting, 1] = key + code * weight, done + 1",
            RUNS,
        ),
        (
            "find_runs",
            "agreed = agreed and done == depth",
            "agreed = True",
            RUNS,
            "many_runs",
            True,
        ),
    ),
    *_mutants(
        "kernels/blocks.py",
        (
            "scan_block",
            "while end < len(rows) and keys[end] == keys[begin]:",
            "while end < len(rows):",
            RUNNING,
            *LOOKUPS,
        ),
    ),
    *_mutants(
        "kernels/bounds.py",
        (
            "scan_bounds",
            "limit -= missing[j] if c == NO_CLASS else 0",
            "limit -= 2 * missing[j] if c == NO_CLASS else 0",
            RUNNING,
            *LOOKUPS,
        ),
    ),
    *_mutants(
        "kernels/desk.py",
        (
            "limit_of",
            "largest = (cutoff - 1) // grain * grain",
            "largest = cutoff - grain",
            DESK,
        ),
        (
            "show_words",
            "mask &= ALL_BITS << np.uint64(start & 63)",
            "mask &= ALL_BITS",
            EVERYONE,
        ),
    ),
    *_mutants(
        "kernels/everyone.py",
        (
            "least_by_tiles",
            "elif there[CLASSES]:",
            "elif there[0]:",
            EVERYONE,
        ),
        (
            "near_enough",
            "return total < limit",
            "return total + 1 < limit",
            EVERYONE,
        ),
        (
            "scan_everyone",
            "while at < end and (places[rows[at]] < stop or stop == last):",
            "while at < end and places[rows[at]] < stop:",
            RUNNING,
            *LOOKUPS,
        ),
    ),
    *_mutants(
        "kernels/boxes.py",
        (
            "survey",
            "held[j] |= BIT << np.uint64(code % BITS)",
            "held[j] = BIT << np.uint64(code % BITS)",
            BOXES,
        ),
        (
            "widest",
            "if gone and (others or low[j] <= high[j]):",
            "if gone:",
            BOXES,
        ),
        (
            "cut",
            "if keys[i] < pivot or (last == upto and keys[i] == pivot):",
            "if keys[i] < pivot:",
            BOXES,
        ),
        (
            "grow",
            "cuts[count] = cuts[count + 1] = cuts[b] + 1",
            "cuts[count] = cuts[count + 1] = 1",
            BOXES,
        ),
        (
            "grow",
            "if first < middle < last:",
            "if j >= 0:",
            BOXES,
            "infinite",
        ),
        (
            "least_apart",
            "return max(np.int64(0), np.int64(0.25 * square * (1.0 - square / 6) * ONE) - 2)",
            "return max(np.int64(0), np.int64(0.26 * square * (1.0 - square / 6) * ONE) - 2)",
            BOXES,
        ),
        (
            "least_units",
            "units = min(missing[j], other[j]) if bits >> GONE & BIT else other[j]",
            "units = other[j]",
            BOXES,
        ),
        (
            "homes",
            "b += two < one",
            "b += two <= one",
            BOXES,
        ),
        (
            "search",
            "waiting[number + 1], least[number + 1] = near, one",
            "waiting[number + 1], least[number + 1] = near, two",
            BOXES,
        ),
    ),
    *_mutants(
        "kernels/entries.py",
        (
            "several",
            "once[to + k] = once[at + k] | np.int64(code > 1) << d",
            "once[to + k] = once[at + k] | np.int64(code > 0) << d",
            ENTRIES,
        ),
        (
            "missed",
            "if runs > MOST_KEYS:",
            "if runs >= MOST_KEYS:",
            ENTRIES,
        ),
        (
            "needy_rows",
            "fewest[i] = max(fewest[i], asked[i])",
            "fewest[i] = asked[i]",
            ENTRIES,
        ),
    ),
    *_mutants(
        "kernels/lanes.py",
        (
            "turn_bytes",
            (
                "turned[place] = words[place].view(np.uint8).reshape(LANES, LANES)"
                ".T.copy().view(np.uint64)[:, 0]"
            ),
            "turned[place] = words[place]",
            LANES,
        ),
        (
            "wide_registers",
            "if config.CPU_NAME or config.CPU_FEATURES or not config.ENABLE_AVX:",
            "if config.CPU_NAME or config.CPU_FEATURES:",
            LANES,
        ),
        (
            "load",
            "return words[int(at) : int(at) + WIDTH].copy()",
            "return words[int(at) : int(at) + WIDTH]",
            LANES,
        ),
        (
            "majority",
            "return (one & two) | (one & three) | (two & three)",
            "return (one & two) | (one & three)",
            LANES,
        ),
    ),
    *_mutants(
        "kernels/registers.py",
        (
            "_turn_bytes",
            "place = _place(context, builder, sig.args[1], args[1], args[2], LINE)",
            "place = _place(context, builder, sig.args[0], args[0], args[2], LINE)",
            LANES,
            "turned_over",
            True,
        ),
        (
            "_fetch",
            "place = _place(context, builder, sig.args[0], args[0], args[1], BYTE)",
            "return context.get_dummy_value()",
            LANES,
            "ask_early",
            True,
        ),
        (
            "_filled",
            "return builder.zext(builder.bitcast(filled, ir.IntType(WIDTH)), WORD)",
            "return builder.sext(builder.bitcast(filled, ir.IntType(WIDTH)), WORD)",
            LANES,
            "as_single_words_are",
            True,
        ),
    ),
    *_mutants(
        "kernels/tally.py",
        (
            "begin_tally",
            "carry |= load(bits, part + (1 + q) * LANES)",
            "carry |= spread(NO_BITS)",
            TALLY,
        ),
        (
            "begin_tally",
            "own = load(bits, part + (1 + q) * LANES)",
            "own = load(bits, part + (1 + q) * WIDTH)",
            LANES,
            "of_each_width",
        ),
        (
            "tally_eight",
            "last = ones & m0",
            "last = ones & m1",
            TALLY,
        ),
        (
            "tally_at",
            "carry = own & carry",
            "carry = own",
            TALLY,
        ),
    ),
    *_mutants(
        "kernels/cellwise.py",
        (
            "whole_limit",
            "return (limit_of(cutoff, cost, grain) + step - 1) // step * step",
            "return limit_of(cutoff, cost, grain) // step * step",
            CELLWISE,
        ),
        (
            "up_to",
            "if number >= 64:",
            "if number >= 63:",
            CELLWISE,
        ),
        (
            "show_parts",
            "valid[w] = up_to(stop - w * 64) & ~up_to(start - w * 64)",
            "valid[w] = up_to(stop - w * 64)",
            CELLWISE,
        ),
        (
            "show_parts",
            "first, last = start // PART, (stop - 1) // PART + 1",
            "first, last = start // PART, stop // PART + 1",
            CELLWISE,
        ),
        (
            "part_at",
            "return word // LANES * apart + word % LANES",
            "return word // LANES * apart",
            CELLWISE,
        ),
        (
            "put_down",
            "store(counter, at + M2, m2)",
            "store(counter, at + M2, m1)",
            CELLWISE,
        ),
        (
            "name_rows",
            "found[i, 0] = places[found[i, 0]]",
            "found[i, 0] = places[i]",
            CELLWISE,
        ),
        (
            "drop_copies",
            "valid[w] &= up_to(whole - w * 64) | bits[own]",
            "valid[w] &= up_to(whole - w * 64) & bits[own]",
            CELLWISE,
        ),
        (
            "drop_copies",
            "own = named + w // LANES * apart + w % LANES",
            "own = named + w",
            CELLWISE,
        ),
        (
            "halves_of",
            "half = missing[j] == HALF and held < 2  # of two",
            "half = missing[j] == HALF and held < 1  # of two",
            CELLWISE,
        ),
        (
            "gaps_of",
            "gaps += mine[row, j] == NO_CLASS and halves[row, 0] != j and halves[row, 1] != j",
            "gaps += mine[row, j] == NO_CLASS and halves[row, 0] != j",
            CELLWISE,
        ),
        (
            "fill_gaps",
            "if missing[gap[k]] >> q & 1:",
            "if missing[k] >> q & 1:",
            CELLWISE,
        ),
        (
            "bitmaps_of",
            "table[k, c] = (first[compared[k]] + c) * LANES",
            "table[k, c] = (first[k] + c) * LANES",
            CELLWISE,
        ),
        (
            "scan_cells",
            "ends[waiting, 2] = level * cost >> DIGITS if level < limit else NO_CUTOFF",
            "ends[waiting, 2] = 0 if level < limit else NO_CUTOFF",
            RUNNING,
            "ranks_in_a_crowd",
        ),
        (
            "scan_cells",
            "over |= ~load(bits, own + present[variables[d]])",
            "over |= load(bits, own + present[variables[d]])",
            CELLWISE,
        ),
        (
            "scan_cells",
            "half, over = load(counter, to + H), load(counter, to + MO)",
            "over = load(counter, to + MO)",
            CELLWISE,
        ),
        (
            "scan_cells",
            "for q in range(low, DIGITS - 1 if not gaps else low):",
            "for q in range(low, DIGITS - 1):",
            CELLWISE,
        ),
        (
            "scan_cells",
            "hit |= 1 << part",
            "hit = 1 << part",
            CELLWISE,
        ),
    ),
    *_mutants(
        "kernels/levels.py",
        (
            "level_of",
            "while number > keep:",
            "while number >= keep:",
            LEVELS,
        ),
        (
            "below",
            "smaller = majority(~load(counter, at + M1), two, smaller)",
            "smaller = majority(~load(counter, at + M1), one, smaller)",
            LEVELS,
        ),
        (
            "below",
            "number += counted(smaller)",
            "number = counted(smaller)",
            LEVELS,
        ),
        (
            "note",
            "left &= left - ONE",
            "left &= left - ONE - ONE",
            LEVELS,
        ),
        (
            "note",
            "found[total, 0] = origin + part * PART + w * 64 + bit",
            "found[total, 0] = origin + w * 64 + bit",
            LEVELS,
        ),
    ),
    *_mutants(
        "kernels/desk.py",
        (
            "fetch",
            "tile[at + w] = bits[source[w] >> EIGHTH, row, source[w] & WITHIN]",
            "tile[at + w] = bits[source[w] >> EIGHTH, row, w & WITHIN]",
            EXACT,
        ),
    ),
    *_mutants(
        "kernels/tiles.py",
        (
            "scan_tile",
            "exact = least.exact and agreed",
            "exact = least.exact",
            RUNNING,
            *LOOKUPS,
        ),
    ),
    *_mutants(
        "kernels/exact.py",
        (
            "scan_exact",
            "if limit > MOST_SUM:",
            "if limit > 4 * MOST_SUM:",
            RUNNING,
            *LOOKUPS,
        ),
        (
            "scan_exact",
            "if passed > keep or trial == limit:",
            "if passed or trial == limit:",
            RUNNING,
            *LOOKUPS,
        ),
        (
            "scan_exact",
            "while 1 << top < trial:",
            "while 1 << top < trial - step:",
            RUNNING,
            *LOOKUPS,
        ),
    ),
    *_mutants(
        "kernels/twins.py",
        (
            "hashes",
            "out[i] = out[i] * radix[j] + np.uint64(np.int64(codes[j, i]) + 1)",
            "out[i] = out[i] + np.uint64(np.int64(codes[j, i]) + 1)",
            TWINS,
        ),
        (
            "same",
            "alike = alike and codes[j, one] == codes[j, other]",
            "alike = codes[j, one] == codes[j, other]",
            TWINS,
        ),
        ("twins_of", "alike[one] += np.int32(1)", "alike[one] += np.int32(2)", TWINS),
        ("stand_ins", "of[i] = of[first[i]]", "of[i] = first[i]", TWINS),
    ),
    *_mutants(
        "attacks/twins.py",
        (
            "_twins",
            "apart = not len(numbers) and combinations <= ROOM",
            "apart = not len(numbers)",
            TWINS,
        ),
        (
            "distinct",
            "needed = before <= metric.keep",
            "needed = before < metric.keep",
            INDEX,
            "alike",
            True,
        ),
        ("distinct", "eif=theirs,", "eif=np.arange(len(theirs)),", INDEX, "alike", True),
        ("distinct", "of=of,", "of=np.arange(len(of)) % len(mine),", INDEX, "alike", True),
        (
            "distinct",
            "pairs = alike * pairs.take(mine)",
            "pairs = alike",
            INDEX,
            "alike",
            True,
        ),
    ),
    *_mutants(
        "attacks/pairwise.py",
        (
            "_ranked",
            "order = sort_keys(layout.puf)",
            "order = np.arange(len(layout.puf))",
            RANKS,
            "pairs_stand_in",
        ),
        (
            "_ranking",
            "overflowed = cutoff < bound",
            "overflowed = cutoff <= bound",
            RANKS,
            "passing_records",
        ),
        (
            "_ranking",
            "tied_out[at] = nothing & overflowed",
            "tied_out[at] = overflowed",
            RANKS,
            "a_study_keeps",
        ),
        (
            "_ranking",
            "first_units[at] = cutoff",
            "first_units[at] = cutoff + 1",
            RANKS,
            "too_large_is_told",
        ),
        (
            "_ranking",
            "best = pairs.rank == 1",
            "best = pairs.rank >= 1",
            RANKS,
            "a_study_keeps",
        ),
    ),
    *_mutants(
        "remedies/groups.py",
        (
            "swapped",
            "takes[ends] = givers[starts]",
            "takes[ends] = givers[ends]",
            GROUPS,
            "swapping",
        ),
        (
            "rounded_counts",
            "ends = (np.cumsum(counts - fixed) + offset) // base",
            "ends = (np.cumsum(counts) + offset) // base",
            GROUPS,
            "rounded_counts",
        ),
        (
            "table_rounded",
            "leaves = place < np.repeat(np.maximum(counts - wanted, 0), counts)",
            "leaves = place <= np.repeat(np.maximum(counts - wanted, 0), counts)",
            GROUPS,
            "records_move",
        ),
    ),
    *_mutants(
        "remedies/values.py",
        (
            "rounded",
            "_multiples(nearest, base) == values, nearest, low + (draws < quotients - low)",
            "_multiples(nearest, base) == values, nearest, low + (draws < 0.5)",
            VALUES,
            "random_rounding",
        ),
    ),
    *_mutants(
        "remedies/accounts.py",
        (
            "log",
            "order = np.lexsort((variables, records))",
            "order = np.argsort(variables)",
            ACCOUNTS,
            "the_log_has",
        ),
    ),
    *_mutants(
        "sealing.py",
        (
            "digest",
            'total = hashlib.sha256(at.astype("<i8").tobytes())',
            "total = hashlib.sha256()",
            SEALING,
            "altered_table",
        ),
    ),
    *_mutants(
        "report/suppress.py",
        (
            "_strata",
            "shown = [row for row in rows if row.stratum and min(row.counts()) >= small_cell]",
            "shown = [row for row in rows if row.stratum]",
            PUBLIC,
            "large_stratum",
        ),
        (
            "_strata",
            "if len(rows) - len(shown) >= FEWEST and _wide(rest, small_cell):",
            "if _wide(rest, small_cell):",
            PUBLIC,
            "others_leave",
        ),
        (
            "_inside",
            '"puf_records": (0, rest.puf_records - most),',
            '"puf_records": (0, rest.puf_records),',
            PUBLIC,
            "count_away",
        ),
    ),
    *_mutants(
        "model/rates.py",
        (
            "percent",
            "return None if part is None or not whole else 100 * part / whole",
            "return None if part is None else 100 * part / (whole or 1)",
            RATES,
        ),
        (
            "wilson",
            "aside = math.sqrt(spread * (found * (1 - found) + spread / 4))",
            "aside = math.sqrt(spread * (found * (1 - found)))",
            RATES,
        ),
        (
            "Rates.suspected",
            "return percent(self.suspected_records, self.records)",
            "return percent(self.suspected_records, self.overlap)",
            RATES,
        ),
        (
            "Rates.confirmed",
            "return percent(self.confirmed_records, self.records)",
            "return percent(self.confirmed_records, self.suspected_records or None)",
            RATES,
        ),
        (
            "Rates.conditional",
            "return percent(self.confirmed_records, self.suspected_records)",
            "return percent(self.confirmed_pairs, self.suspected_records)",
            RATES,
        ),
        (
            "Rates.conditional_interval",
            "if self.confirmed_records is None or not self.suspected_records:",
            "if self.confirmed_records is None or self.suspected_records < 11:",
            PRIMER,
            "wilsons",
        ),
        (
            "Rates.pair_precision",
            "return percent(self.confirmed_pairs, self.pairs)",
            "return percent(self.confirmed_pairs, self.suspected_records)",
            RATES,
        ),
        (
            "Rates.recall",
            "return percent(self.confirmed_records, self.overlap)",
            "return percent(self.suspected_records, self.overlap)",
            RATES,
        ),
        (
            "chance_of_a_hit",
            "miss *= Fraction(others - many - step, others - step)",
            "miss *= Fraction(others - many - step, others)",
            RATES,
        ),
        ("chance_of_a_hit", "if few + many > others:", "if few + many >= others:", RATES),
        (
            "baseline",
            "chance_of_a_hit(others, true, guesses) * records for "
            + (rest := "others, true, guesses, records in cases"),
            f"chance_of_a_hit(others, true, guesses) for {rest}",
            RATES,
        ),
    ),
    *_mutants(
        "attacks/verify.py",
        (
            "verify",
            "confirmed[pairs.puf[flags]] = True",
            "confirmed[pairs.puf] = True",
            PRIMER,
            "test_1_2_rates",
        ),
        (
            "verify",
            "overlap=None if truth is None else truth.overlap,",
            "overlap=None if truth is None else len(truth),",
            PRIMER,
            "recall",
        ),
        (
            "_baseline",
            "inside = strata.puf[truth.puf] == strata.eif[truth.eif]",
            "inside = strata.puf[truth.puf] >= 0",
            PRIMER,
            "guesses_within",
        ),
        (
            "_baseline",
            "cases = held[strata.puf[at]], true[at], guesses[at]",
            "cases = held[strata.puf[at]], true[at], 0 * guesses[at] + 1",
            PRIMER,
            "by_hand",
        ),
        (
            "_by_stratum",
            "count(strata.puf[linked.suspected]),",
            "count(strata.puf[linked.pairs.puf]),",
            EVERY,
            "counts_fit",
        ),
        (
            "_ranked_fields",
            '"pairs": int((ranks == rank).sum()),',
            '"pairs": int((ranks >= rank).sum()),',
            RANKS,
            "passing_records",
        ),
        (
            "_ranked_fields",
            '"confirmed": None if flags is None else int(flags[ranks == rank].sum()),',
            '"confirmed": None if flags is None else int(flags[ranks <= rank].sum()),',
            RANKS,
            "by_rank_tells",
        ),
        (
            "_tied_out_true",
            "return len(np.unique(truth.puf[inside]))",
            "return len(np.unique(truth.puf))",
            RANKS,
            "too_large_is_told",
        ),
        (
            "_exposure_fields",
            "here = linked.suspected & (exposure.order == (order or 0))",
            "here = exposure.order == (order or 0)",
            PRIMER,
            "test_2_1_a_pair_on",
        ),
        (
            "_exposure_fields",
            '"suspected": int((exposure.reading >= place).sum()),',
            '"suspected": int((exposure.reading > place).sum()),',
            PRIMER,
            "test_2_1_a_pair_on",
        ),
        (
            "_confirmed_under",
            "return len(np.unique(truth.puf[linked.truth_reading >= place]))",
            "return len(truth.puf[linked.truth_reading >= place])",
            PRIMER,
            "counts_once",
        ),
    ),
    *_mutants(
        "engine/checkpoint.py",
        (
            "_read",
            "if not data.startswith(MAGIC) or hashlib.sha256(body).digest() != seal:",
            "if not data.startswith(MAGIC):",
            CHECKPOINT,
            "every_flipped_bit",
        ),
        (
            "found",
            "if held.digest != self.digest:",
            "if not held.digest:",
            CHECKPOINT,
            "parts_of_another_job",
        ),
        ("steps", "self._jobs += 1", "self._jobs = 1", CHECKPOINT, "jobs_in_turn"),
        (
            "_pieces",
            'own = hashlib.sha256(f"{value.dtype.str}{value.shape}".encode())',
            'own = hashlib.sha256(f"{value.dtype.str}".encode())',
            CHECKPOINT,
            "a_digest_tells",
        ),
    ),
    *_mutants(
        "engine/parcel.py",
        (
            "receive",
            "if _digest_of(stream) != parcel.digest:",
            "if not parcel.digest:",
            PARCEL,
            "not_as_it_was_sent",
        ),
        (
            "_class",
            "if not isinstance(found, type) or not (frozen or issubclass(found, tuple)):",
            "if not isinstance(found, type):",
            PARCEL,
            "nothing_but_a_value",
        ),
    ),
    *_mutants(
        "engine/remote.py",
        ("work", "if likeness() != errand.alike:", "if not errand.alike:", REMOTE, "differs"),
        (
            "work",
            "part = new if part is None else job.merge(part, new)",
            "part = new",
            REMOTE,
            "merged_within",
        ),
    ),
    *_mutants(
        "needles/shares.py",
        ("by_shares", "tally += share.tally", "tally = share.tally", SHARES, "as_other_ways", True),
    ),
]

PLUGIN = """
    import os
    import resource
    from pathlib import Path
    from hypothesis import Phase, settings

    # A wrong line may ask for memory without end.
    resource.setrlimit(resource.RLIMIT_DATA, (4 << 30, 4 << 30))

    def pytest_collection_modifyitems(items):
        # A failing example is enough: nobody needs the smallest one.
        name, phases = "_hypothesis_internal_use_settings", [Phase.explicit, Phase.generate]
        for test in (item.function for item in items if hasattr(item.function, name)):
            setattr(test, name, settings(getattr(test, name), phases=phases))

    def pytest_configure():
        import reident
        assert Path(reident.__file__).is_relative_to(os.environ["MUTATED"]), reident.__file__
"""


class Workshop:
    """A private copy of the source, one line of which can be changed at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._source = folder / "src"
        shutil.copytree(SOURCE, self._source, ignore=shutil.ignore_patterns("__pycache__"))
        plugin = textwrap.dedent(PLUGIN)
        (folder / "the_copy_is_imported.py").write_text(plugin, encoding="utf-8")

    def attempt(self, mutant: Mutant) -> bool:
        """Whether the tests of a mutant notice it; the copy is as before afterwards."""
        sound = (self._source / mutant.file).read_text(encoding="utf-8")
        with self.standing(mutant.file, mutated(sound, mutant)):
            code, said = self.pytest(mutant.test, mutant.pick, compiled=mutant.compiled)
        if code not in (KILLED, SURVIVED):
            raise RuntimeError(f"{mutant.place}: pytest ended with {code}\n{said}")
        return code == KILLED

    @contextmanager
    def standing(self, file: str, text: str) -> Iterator[None]:
        """Another text in the place of a file of the copy, which is as before afterwards."""
        path = self._source / file
        sound = path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(sound, encoding="utf-8")

    def pytest(
        self, test: str, pick: str, *, compiled: bool, seconds: int = 600
    ) -> tuple[int, str]:
        """Run tests against the copy; examples are always the same."""
        folders = os.pathsep.join(map(str, (self._source, self._folder)))
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-x", "-q", "-p", "the_copy_is_imported"),
                *("-p", "no:cacheprovider", "--hypothesis-seed=0"),
                *(["-k", pick] if pick else []),
                *test.split(),
            ],
            cwd=HOME,
            env=os.environ
            | {
                "PYTHONPATH": folders,
                "MUTATED": str(self._source),
                "NUMBA_DISABLE_JIT": "0" if compiled else "1",
                "NUMBA_CACHE_DIR": str(self._folder / "numba"),
                "PYTHONDONTWRITEBYTECODE": "1",
                "HYPOTHESIS_STORAGE_DIRECTORY": str(self._folder / "hypothesis"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
        return done.returncode, done.stdout + done.stderr


def mutated(text: str, mutant: Mutant) -> str:
    """The text with the mutant's line; the old line must stand in it exactly once."""
    lines = text.splitlines()
    places = [place for place, line in enumerate(lines) if line.strip() == mutant.old]
    if len(places) != 1:
        raise LookupError(f"{mutant.file} holds {len(places)} times: {mutant.old}")
    [place] = places
    lines[place] = lines[place].replace(mutant.old, mutant.new)
    return "\n".join(lines) + "\n"


def chosen(word: str) -> list[Mutant]:
    """Mutants whose place holds a word."""
    return [mutant for mutant in MUTANTS if word in mutant.place]


def main(word: str = "") -> int:
    """Try the mutants and print a table; the exit code is the number of those that survived."""
    survived = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        workshop = Workshop(Path(folder))
        for test, pick, compiled in dict.fromkeys(one[4:] for one in chosen(word)):
            code, said = workshop.pytest(test, pick, compiled=compiled)
            if code != SURVIVED:
                raise RuntimeError(f"{test} fails on the sound source\n{said}")
        print("| place | the line | made wrong | test | outcome | seconds |")
        print("|---|---|---|---|---|---|")
        for mutant in chosen(word):
            start = time.perf_counter()
            killed = workshop.attempt(mutant)
            survived += not killed
            outcome = "killed" if killed else "SURVIVED"
            test = (
                f"{mutant.test.removeprefix('tests/')}{f' -k {mutant.pick!r}' * bool(mutant.pick)}"
            )
            row = (
                mutant.place,
                f"`{mutant.old}`",
                f"`{mutant.new}`",
                test,
                outcome,
                f"{time.perf_counter() - start:.1f}",
            )
            print("| " + " | ".join(row) + " |", flush=True)
    return survived


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
