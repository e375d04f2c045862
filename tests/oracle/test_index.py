"""Looking pairs up finds what meeting every pair finds, whatever the index is made to do."""

import os

import numba
import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reident as ri
from reident.attacks import blocks, boxes, index, lookups
from reident.kernels import cellwise, everyone, pointwise, tiles
from reident.kernels.bitmaps import WORDS
from strategies import Case, cases, large_case

EXAMPLES = int(os.environ.get("REIDENT_EXAMPLES", "2000")) // 5
KNOBS = st.fixed_dictionaries(
    {
        "SOON_READ": st.sampled_from([0, 6_000]),
        "NEIGHBOURS": st.sampled_from([0, 1, 3, 1000]),
        "MOST_READ": st.sampled_from([0.3, 1e9]),
        "SAMPLE": st.just(50),
        "STRIP": st.sampled_from([1, 3, 16_384]),
        "ROOM": st.sampled_from([6, 200, 2**62]),
    }
)
ALWAYS, NEVER = {"FEW": 1e9, "SPARED": 1e-9}, {"FEW": -1.0}
"""Boxes wherever numbers are compared, and nowhere."""
BOXES = st.one_of(
    st.just(NEVER),
    st.fixed_dictionaries({"MOST": st.sampled_from([1, 2, 16]), "PARTS": st.sampled_from([1, 3])}),
)
COPIES = st.sampled_from([0, 3, 1000])
"""Rows and copies of a block for each of its rows: none, as usual, as many as there may be."""


@pytest.fixture(scope="module", autouse=True)
def _little_room():
    """Compiled kernels hold their constants; plain ones can be made to meet every case soon."""
    with pytest.MonkeyPatch.context() as patch:
        if numba.config.DISABLE_JIT:
            patch.setattr(tiles, "ENOUGH", 20)
            patch.setattr(everyone, "ROWS", 256)
            patch.setattr(pointwise, "ROWS", 256)
            patch.setattr(pointwise, "ENOUGH", 20)
            patch.setattr(cellwise, "ROOM", 8)
        yield


def found(case: Case):
    result = case.study().run()
    return result.to_dict(), {label: result[label].pairs for label in result}


def assert_index_agrees(case: Case, knobs: dict, boxed: dict, copies: int = 3) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "WORTHWHILE", 1 << 62)
        met, met_pairs = found(case)
        patch.setattr(index, "WORTHWHILE", 0)
        patch.setattr(blocks, "COPIES", copies)
        for name, value in knobs.items():
            patch.setattr(index if hasattr(index, name) else lookups, name, value)
        for name, value in (ALWAYS | boxed).items():
            patch.setattr(boxes, name, value)
        looked_up, pairs = found(case)
    assert looked_up == met
    assert all(pairs[label].equals(met_pairs[label]) for label in pairs)


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(cases(), KNOBS, BOXES, COPIES)
def test_lookups_equal_the_cartesian_product(case, knobs, boxed, copies):
    assert_index_agrees(case, knobs, boxed, copies)


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32), KNOBS, BOXES)
def test_lookups_equal_the_cartesian_product_on_larger_studies(seed, knobs, boxed):
    assert_index_agrees(large_case(seed, callables=True), knobs, boxed)


# Shapes that an index could stumble over ---------------------------------------------------------

SHAPES = {
    "20 % missing": {"missing": 0.2},
    "half missing": {"missing": 0.5},
    "20 binary variables": {"sizes": [2] * 20},
    "a variable of 5,000 categories": {"sizes": [5000, 3, 4, 5]},
    "as many categories as a byte holds": {"sizes": [128, 3, 4, 5], "numbers": 0},
    "nothing but one such variable": {"sizes": [5000], "numbers": 0},
    "constant variables": {"sizes": [1, 1, 4, 6], "spread": 1},
    "nothing but one that is not constant": {"sizes": [1] * 9 + [6], "numbers": 0},
    "hundreds of tiny strata": {"strata": 700},
    "one giant stratum and a tiny one": {"strata": -1},
    "one EIF record": {"eif": 1},
    "one PUF record": {"puf": 1},
    "numbers alone": {"sizes": [], "numbers": 3},
    "more EIF records of a key than a tile holds": {
        "puf": 2,
        "eif": 64 * WORDS + 700,
        "sizes": [1, 1, 2, 9],
        "numbers": 1,
    },
    "more of them, no two alike": {
        "puf": 2,
        "eif": 64 * WORDS + 700,
        "sizes": [1, 1, 1, 1, 1, 30, 30, 30],
        "numbers": 0,
    },
    "few that are not alike": {"sizes": [2, 3, 2], "numbers": 0, "missing": 0.1},
    "some that are alike": {"sizes": [2, 3, 2, 12], "numbers": 0},
}


PUF_RECORDS = 12 if numba.config.DISABLE_JIT else 900
"""Kernels as plain Python take long."""


def shaped(
    *,
    puf=PUF_RECORDS,
    eif=1100,
    sizes=(2, 3, 5, 8, 12),
    numbers=2,
    spread=400,
    missing=0.03,
    strata=1,
):
    draw = np.random.default_rng(11)
    many = max(2000, eif)
    population = {f"c{j}": draw.integers(size, size=many) for j, size in enumerate(sizes)}
    population |= {f"x{j}": draw.integers(spread, size=many) for j in range(numbers)}
    if strata == -1:
        population["s"] = (np.arange(many) % 300 == 0).astype(np.int64)
    else:
        population["s"] = draw.integers(strata, size=many)
    frames = []
    for key, rows in (("p", puf), ("e", eif)):
        taken = draw.permutation(many)[:rows]
        columns = {key: [f"{place:04}" for place in range(rows)]}
        for name, values in population.items():
            hidden = draw.random(rows) < (0 if name == "s" else missing)
            cells = values[taken].astype(float if name[0] == "x" else str).tolist()
            columns[name] = [None if h else cell for cell, h in zip(cells, hidden, strict=True)]
        schema = {name: pl.Float64 if name[0] == "x" else pl.String for name in columns}
        frames.append(pl.DataFrame(columns, schema=schema))
    names = [name for name in population if name != "s"]
    rules = {n: {"difference": [[0, 5], [5, 3]]} if n[0] == "x" else {"equal": 5} for n in names}
    return ri.Study(
        puf=ri.PublicFile(frames[0], key="p"),
        eif=ri.IntruderFile(frames[1], key="e"),
        variables=[ri.numeric(n) if n[0] == "x" else ri.categorical(n) for n in names],
        strata=["s"],
        attacks={
            "taxicab": ri.Taxicab(),
            "euclidean": ri.Euclidean(),
            "consistent": ri.Euclidean(threshold="consistent", keep=2),
            "adhoc": ri.AdHoc(rules),
            "vacuous": ri.Euclidean(
                threshold=40, missing_score=1, variables=names[: -numbers or None]
            ),
        },
    )


WAYS = {
    "some looked up": {"MOST_READ": 0.25} | NEVER,
    "all looked up": {"MOST_READ": 1e9} | NEVER,
    "in boxes": ALWAYS,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("shape", SHAPES)
def test_lookups_equal_the_cartesian_product_on_odd_shapes(shape, way, monkeypatch):
    study = shaped(**SHAPES[shape])
    monkeypatch.setattr(index, "WORTHWHILE", 1 << 62)
    met = study.run()
    monkeypatch.setattr(index, "WORTHWHILE", 0)
    for name, value in WAYS[way].items():
        monkeypatch.setattr(boxes if hasattr(boxes, name) else index, name, value)
    looked_up = study.run()
    methods = looked_up.manifest["methods"]
    assert "brute" not in methods.values()
    assert (methods["euclidean"] == "boxes") == (
        way == "in boxes" and any(variable.kind == "numeric" for variable in study.variables)
    )
    assert looked_up.to_dict() == met.to_dict()
    assert all(looked_up[label].pairs.equals(met[label].pairs) for label in met)
