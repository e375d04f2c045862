"""Random studies for Hypothesis, small enough for the oracle to judge.

A study is drawn as a few strings of bytes, read by a ``Tape``: fast to draw, and since a zero
byte always means the simplest choice, shrinking leads to small plain studies. What a study is
then stands in a frozen ``Case``, which can be handed to the oracle, to the Python API, or to files.
"""

import math
import random
from typing import Any

from hypothesis import strategies as st

from attack_options import draw_attacks
from case_features import tally
from columns import Column, draw_column, stored
from study_case import Case
from tape import Tape

__all__ = ["Case", "cases", "large_case", "tally"]

SMALL = (12, 6)  # at most so many records in a file, and variables
LARGE = (150, 20)


def draw_cells(
    tape: Tape, columns: list[Column], count: int, change: int, sources: list[list[Any]] | None
) -> tuple[list[list[tuple[str, int]]], list[int | None]]:
    """The cells of one file, rows copied with some cells changed or new, and what was copied.

    Copies are what makes ties, twins and true partners in files this small. Without sources the
    rows of the file itself are copied.
    """
    rows: list[list[tuple[str, int]]] = []
    origins: list[int | None] = []
    sources = rows if sources is None else sources
    for _ in range(count):
        origin = tape.number(0, len(sources) - 1) if sources and tape.chance(75) else None
        if origin is None:
            row = [column.draw(tape) for column in columns]
        else:
            row = [
                column.draw(tape) if tape.chance(change) else cell
                for column, cell in zip(columns, sources[origin], strict=True)
            ]
        rows.append(row)
        origins.append(origin)
    return rows, origins


KEYS = ("7", "007", "1e5", "TRUE", "-8", "-9", "10", "9", "a-b", "é", "A", "a", "=1", "z z")


def draw_keys(tape: Tape, count: int, width: int) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Distinct keys in some order, and how their columns are stored."""
    style = tape.pick("int", "text", "odd")
    if width == 2:
        keys: list[tuple[Any, ...]] = [(i // 3, i % 3) for i in range(count)]
        if style == "text":
            keys = [
                ("a-b" if i % 2 else "a", f"{'' if i % 2 else 'b-'}{i // 2}") for i in range(count)
            ]
        elif style == "odd":
            keys = [(KEYS[i % 14], i // 4) for i in range(count)]
        stores = {"int": ["int", "float"], "text": ["text", "text"], "odd": ["text", "int"]}[style]
    else:
        keys = [(i,) for i in range(count)]
        if style == "text":
            keys = [(f"k{i:02}",) for i in range(count)]
        elif style == "odd":
            keys = [(KEYS[i % 14] + "+" * (i // 14),) for i in range(count)]
        stores = [tape.pick("int", "float") if style == "int" else "text"]
    return tape.shuffled(keys), stores


STRATA_VALUES = ((1, 2, 3), ("A", "B"), ("A", "B", "C", "-8"), ("06", "6"))


def draw_truth(
    tape: Tape,
    puf: list[tuple[Any, ...]],
    eif: list[tuple[Any, ...]],
    origins: list[int | None],
) -> list[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Pairs of keys: at least one of records that exist; copies, duplicates, unknown ids."""
    unknown_puf = tuple(f"no{x}" if isinstance(x, str) else 999 for x in puf[0])
    unknown_eif = tuple(f"no{x}" if isinstance(x, str) else 999 for x in eif[0])
    pairs = []
    for e, origin in zip(eif, origins, strict=True):
        if origin is not None and tape.chance(40):
            pairs.append((puf[origin], e))
    strangers = tape.chance(30)
    crowded = tape.chance(40)
    for _ in range(tape.number(1, 14)):
        p = puf[tape.number(0, min(len(puf), 3 if crowded else 12) - 1)]
        e = eif[tape.number(0, min(len(eif), 3 if crowded else 12) - 1)]
        if strangers and tape.chance(25):
            p = unknown_puf
        if strangers and tape.chance(25):
            e = unknown_eif
        pairs.append((p, e))
        if tape.chance(15):
            pairs.append((p, e))
    pairs.append((puf[tape.number(0, len(puf) - 1)], eif[tape.number(0, len(eif) - 1)]))
    return tape.shuffled(pairs)


def draw_case(
    shape: Tape,
    content: Tape,
    settings: Tape,
    *,
    callables: bool,
    most: tuple[int, int] = SMALL,
) -> Case:
    """A case from three tapes: its shape, its cells and keys, its attacks."""
    n, m, v = shape.number(1, most[0]), shape.number(1, most[0]), shape.number(1, most[1])
    missing_rate = shape.pick(0, 10, 30, 60)
    columns = [draw_column(shape, i, missing_rate) for i in range(v)]
    codes = [("-8",) if shape.chance(30) else () for _ in range(2)]
    change, templates = shape.pick(0, 10, 30), shape.pick(1, 2, 3, most[0])
    puf_cells, _ = draw_cells(content, columns, n, shape.pick(60, 30, 0), None)
    eif_cells, origins = draw_cells(content, columns, m, change, puf_cells[:templates])

    puf_key = shape.pick(("pufid",), ("household", "person"), ("id",))
    eif_key = shape.pick(("eifid",), ("id",), ("firm id", "line"))
    puf_keys, puf_key_stores = draw_keys(content, n, len(puf_key))
    eif_keys, eif_key_stores = draw_keys(content, m, len(eif_key))
    rows: dict[str, list[dict[str, Any]]] = {"puf": [], "eif": []}
    stores: dict[str, dict[str, str]] = {
        "puf": dict(zip(puf_key, puf_key_stores, strict=True)),
        "eif": dict(zip(eif_key, eif_key_stores, strict=True)),
    }
    for side, file, names, keys, cells in (
        (0, "puf", puf_key, puf_keys, puf_cells),
        (1, "eif", eif_key, eif_keys, eif_cells),
    ):
        for column in columns:
            name = getattr(column.linking, file)
            stores[file][name] = getattr(column.linking, f"{file}_store")
        for key, row_cells in zip(keys, cells, strict=True):
            row = {name: stored(x, stores[file][name]) for name, x in zip(names, key, strict=True)}
            for column, cell in zip(columns, row_cells, strict=True):
                row[getattr(column.linking, file)] = column.spell(cell, file, codes[side])
            rows[file].append(row)
    strata = draw_strata(shape, content, rows, stores)

    iuf, iuf_puf_key, iuf_eif_key = None, puf_key, eif_key
    if not shape.chance(15):
        if set(puf_key) & set(eif_key) or shape.chance(30):
            iuf_puf_key = tuple(f"p{i}" for i in range(len(puf_key)))
            iuf_eif_key = tuple(f"e{i}" for i in range(len(eif_key)))
        names = iuf_puf_key + iuf_eif_key
        kinds = puf_key_stores + eif_key_stores
        if shape.chance(50):  # the truth may hold as text what the files hold as numbers
            kinds = ["text"] * len(names)
        stores["iuf"] = dict(zip(names, kinds, strict=True))
        iuf = tuple(
            {name: stored(x, kind) for name, x, kind in zip(names, p + e, kinds, strict=True)}
            for p, e in draw_truth(content, puf_keys, eif_keys, origins)
        )
    return Case(
        puf=tuple(rows["puf"]),
        eif=tuple(rows["eif"]),
        iuf=iuf,
        puf_key=puf_key,
        eif_key=eif_key,
        iuf_puf_key=iuf_puf_key,
        iuf_eif_key=iuf_eif_key,
        variables=tuple(column.linking for column in columns),
        strata=strata,
        attacks=draw_attacks(settings, columns, callables=callables),
        puf_missing=codes[0],
        eif_missing=codes[1],
        formats=tuple(shape.pick("csv", "parquet") for _ in range(3)),
        stores=stores,
    )


def draw_strata(
    shape: Tape,
    content: Tape,
    rows: dict[str, list[dict[str, Any]]],
    stores: dict[str, dict[str, str]],
) -> tuple[tuple[str, str], ...]:
    """None, one or two strata columns, added to the rows; values missing or on one side only."""
    strata = []
    for i in range(shape.pick(0, 0, 1, 1, 2)):
        names = (f"stratum{i}", shape.pick(f"stratum{i}", f"S {i}"))
        values = shape.pick(*STRATA_VALUES)
        gaps = shape.pick(0, 0, 15)
        for name, file in zip(names, ("puf", "eif"), strict=True):
            store = "text" if isinstance(values[0], str) else shape.pick("int", "text", "float")
            stores[file][name] = store
            for row in rows[file]:
                value = stored(values[content.number(0, len(values) - 1)], store)
                if gaps and content.chance(gaps):
                    value = content.pick(None, " ") if store == "text" else None
                    value = math.nan if store == "float" else value
                row[name] = value
        strata.append(names)
    return tuple(strata)


def cases(*, callables: bool = True) -> st.SearchStrategy[Case]:
    """Valid studies of every shape. Only without callables can they be written to a file."""
    return st.builds(
        lambda shape, content, settings: draw_case(
            Tape(shape), Tape(content), Tape(settings), callables=callables
        ),
        st.binary(min_size=120, max_size=120),
        st.binary(min_size=600, max_size=600),
        st.binary(min_size=250, max_size=250),
    )


def large_case(seed: int, *, callables: bool) -> Case:
    """A study of up to 150 records and 20 variables, where fast code takes its fast ways.

    Made from a seed: these are too many bytes for Hypothesis to draw and to shrink.
    """
    rng = random.Random(seed)  # noqa: S311  no secret is made
    tapes = [Tape(rng.randbytes(size)) for size in (1_000, 40_000, 1_000)]
    return draw_case(*tapes, callables=callables, most=LARGE)
