"""Attacks on micro-aggregated files equal the oracle: ties, zeros, missing values, other sizes."""

import os
import random

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judging import assert_api_equals_oracle
from reident.oracle.groups import mdav, single
from reident.remedies import microaggregation
from study_case import Case, Linking

EXAMPLES = int(os.environ.get("REIDENT_EXAMPLES", "2000"))
SHAPES = ("skewed", "zeros", "few", "negative", "decimals")


def column(draw, shape, n):
    """Original values of some shape."""
    values = {
        "skewed": lambda: float(round(draw.lognormvariate(3, 1.2), 1)),
        "zeros": lambda: 0.0 if draw.random() < 0.6 else float(draw.randrange(1, 9)),
        "few": lambda: float(draw.choice([1, 2, 5])),
        "negative": lambda: float(draw.randrange(-6, 7)),
        "decimals": lambda: draw.randrange(0, 30) / 10,
    }[shape]
    return [values() for _ in range(n)]


def released(values, k, statistic):
    return single(values, min(k, len(values)), statistic)


def case_of(seed, *, many=False):
    """A release, micro-aggregated or not, an intruder's file of another size, and attacks.

    `many` are enough for several cells of a grid, of which a few are released.
    """
    draw = random.Random(seed)  # noqa: S311  # no secret is made
    n, v = draw.randrange(300, 900) if many else draw.randrange(2, 40), draw.randrange(1, 6)
    k = draw.randrange(1, 5)
    shapes = [draw.choice(SHAPES) for _ in range(v)]
    originals = [column(draw, shape, n) for shape in shapes]
    aggregated = [released(one, k, draw.choice(["mean", "median"])) for one in originals]
    strata = draw.choice([(), (), (("s", "s"),)])
    gaps, deviate = draw.choice([0, 0, 0.15]), draw.choice([0, 0, 0.1])
    code = draw.random() < 0.2

    def row(file, place, columns, key):
        cells = {key: place}
        for j, values in enumerate(columns):
            x = values[place]
            if file == "eif" and draw.random() < 0.7:
                x *= 1 + deviate * draw.uniform(-1, 1)
            if code and draw.random() < 0.2:
                x = -99.0
            cells[f"x{j}"] = None if draw.random() < gaps else x
        if strata:
            cells["s"] = "ab"[place % 2]
        return cells

    sizes = [4, n] if many else [draw.choice([n, n, max(1, n // 3)]) for _ in range(2)]
    chosen = [draw.sample(range(n), size) for size in sizes]
    stores = {f"x{j}": "float" for j in range(v)} | ({"s": "text"} if strata else {})
    both = sorted(set(chosen[0]) & set(chosen[1])) or [chosen[0][0]]
    return Case(
        puf=tuple(row("puf", place, aggregated, "p") for place in chosen[0]),
        eif=tuple(row("eif", place, originals, "e") for place in chosen[1]),
        iuf=tuple(
            {"p": place, "e": place if place in chosen[1] else chosen[1][0]} for place in both
        ),
        puf_key=("p",),
        eif_key=("e",),
        iuf_puf_key=("p",),
        iuf_eif_key=("e",),
        variables=tuple(
            Linking(
                name=f"x{j}",
                kind="numeric",
                puf=f"x{j}",
                eif=f"x{j}",
                puf_store="float",
                eif_store="float",
                not_applicable=("-99",) if code else (),
            )
            for j in range(v)
        ),
        strata=strata,
        attacks=attacks_of(draw, v),
        stores={
            "puf": {"p": "int"} | stores,
            "eif": {"e": "int"} | stores,
            "iuf": {"p": "int", "e": "int"},
        },
    )


def attacks_of(draw, v):
    names = [f"x{j}" for j in range(v)]
    some = draw.choice(["all", "uncorrelated", draw.sample(names, draw.randrange(1, v + 1))])
    agree = draw.randrange(1, v + 1)
    made = {
        f"interval-{radius}": {"method": "microagg_interval", "radius": radius, "variables": some}
        for radius in ("auto", "half_gap", "midpoint", "rank")
    }
    made["microagg_nearest"] = {"k": draw.randrange(1, 4), "variables": some}
    made["printed"] = {"method": "microagg_windows", "window": draw.randrange(1, 6), "agree": agree}
    made["microagg_windows"] = {"agree": agree, "deviation": draw.choice([0.03, 0.2])}
    made["microagg_trimmed"] = {"agree": agree}
    return made


@settings(max_examples=max(20, EXAMPLES // 20), suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32 - 1))
def test_attacks_on_micro_aggregated_files_equal_the_oracle(seed):
    assert_api_equals_oracle(case_of(seed))


@settings(max_examples=max(10, EXAMPLES // 100), suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32 - 1))
def test_attacks_on_a_small_release_of_a_large_file_equal_the_oracle(seed):
    assert_api_equals_oracle(case_of(seed, many=True))


VALUES = st.lists(st.one_of(st.integers(-9, 9).map(float), st.none()), min_size=1, max_size=40)


@given(values=VALUES, k=st.integers(2, 5), statistic=st.sampled_from(["mean", "median"]))
def test_one_variable_in_groups_of_k_equals_the_definition(values, k, statistic):
    given_values = np.array([np.nan if x is None else x for x in values])
    present = [x for x in values if x is not None]
    if 0 < len(present) < k:
        return
    found = microaggregation.microaggregate(given_values, k, statistic)
    expected = np.full(len(values), np.nan)
    expected[~np.isnan(given_values)] = single(present, k, statistic) if present else []
    np.testing.assert_allclose(found, expected, rtol=1e-15)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 5))
def test_mdav_on_whole_numbers_equals_the_definition(seed, k):
    draw = np.random.default_rng(seed)
    table = draw.integers(-4, 5, size=(draw.integers(k, 45), draw.integers(1, 4))).astype(float)
    found = microaggregation.mdav(table, k, standardize=False)
    assert found.tolist() == mdav(table.tolist(), k)
    sizes = np.bincount(found)
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
