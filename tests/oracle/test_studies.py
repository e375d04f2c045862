"""Every attack equals the oracle in pairs, ranks, counts and rates, on thousands of studies."""

import contextlib
import io
import json
import math
import os
import tempfile
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reident.attacks import crowd, partners, sides, unicity
from reident.oracle import study as judge
from reident.oracle import text_of
from reident.oracle.values import is_blank
from strategies import Case, cases, large_case, tally
from study_case import Linking

EXAMPLES = int(os.environ.get("REIDENT_EXAMPLES", "2000"))
STUDY = ("puf_records", "eif_records", "truth_pairs", "truth_unknown", "truth_pairs_split")
NOT_JUDGED = {"options", "notes"}
oracle_study = import_module("reident.oracle.study")


def assert_same(expected, found, where):
    """Floats to 12 places, everything else exactly."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), where
        assert set(found) == set(expected), where
        for name, value in expected.items():
            assert_same(value, found[name], f"{where}.{name}")
    elif isinstance(expected, (list, tuple)):
        assert len(found) == len(expected), f"{where}: {found} instead of {expected}"
        for i, value in enumerate(expected):
            assert_same(value, found[i], f"{where}[{i}]")
    elif isinstance(expected, float):
        assert isinstance(found, float), f"{where}: {found!r} instead of {expected!r}"
        same = math.isclose(expected, found, rel_tol=1e-12)
        assert same, f"{where}: {found!r} instead of {expected!r}"
    else:
        same = type(found) is type(expected) and found == expected
        assert same, f"{where}: {found!r} instead of {expected!r}"


def assert_results(expected, found):
    """The content of results.json against the oracle."""
    for name in (*STUDY, "overlap", "true_pair_agreement"):
        assert_same(expected[name], found[name], name)
    assert list(found["attacks"]) == list(expected["attacks"])
    for label, attack in expected["attacks"].items():
        result = dict(found["attacks"][label])
        assert set(result) == set(attack) - {"pair_list"} | NOT_JUDGED, label
        if result["histogram"] is not None:
            result["histogram"] = dict(result["histogram"])
            sample = result["histogram"].pop("random_other")
            assert sum(sample) == result["histogram"].pop("random_pairs"), label
        for name in set(attack) - {"pair_list"}:
            assert_same(attack[name], result[name], f"{label}.{name}")


def pair_rows(case: Case, frame: pl.DataFrame) -> list[tuple]:
    """Pairs of a product table in the oracle's form."""
    puf = [f"puf_{name}" for name in case.puf_key]
    eif = [f"eif_{name}" for name in case.eif_key]
    assert frame.columns == [*puf, *eif, "score", "rank", "tied", "confirmed"]
    rows = []
    for row in frame.iter_rows(named=True):
        eif_key = tuple(row[name] for name in eif)
        rows.append(
            (
                tuple(row[name] for name in puf),
                None if all(part is None for part in eif_key) else eif_key,
                row["score"],
                row["rank"],
                row["tied"],
                row["confirmed"],
            )
        )
    return rows


@settings(max_examples=300)
@given(case=cases())
def test_a_study_of_texts_is_the_same_study(case):
    """As read from CSV, where every value is text, the oracle itself says the same."""
    files = []
    for file in ("puf", "eif"):
        records = []
        for record in case.records(file):
            values = tuple("" if is_blank(x) else text_of(x) for x in record.values)
            records.append(type(record)(key=record.key, stratum=record.stratum, values=values))
        files.append(records)
    strata = [puf for puf, _ in case.strata]
    attacks = case.oracle_attacks
    assert judge(*files, case.truth, case.oracle_variables, attacks, strata) == case.oracle()


def assert_api_equals_oracle(case):
    expected = case.oracle()
    result = case.study().run()
    assert_results(expected, result.to_dict())
    for label, attack in expected["attacks"].items():
        assert_same(attack["pair_list"], pair_rows(case, result[label].pairs), f"{label}.pairs")


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_api_equals_oracle(case):
    tally(case)
    assert_api_equals_oracle(case)


@settings(max_examples=max(1, EXAMPLES // 50), suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32 - 1))
def test_large_studies_equal_oracle(seed):
    """Up to 150 records and 20 variables: long masks, many strata, deep ties."""
    assert_api_equals_oracle(large_case(seed, callables=seed % 2 == 0))


# Unicity settled by small cells, however they are tried
CELLS = st.fixed_dictionaries(
    {
        "FEW": st.sampled_from([1, 2, 24]),
        "SWIFT": st.sampled_from([1, 32]),
        "ORDERS": st.sampled_from([1, 3, 128]),
        "MOST_ROWS": st.sampled_from([2, 5, 256]),
        "MOST_PAIRS": st.sampled_from([0, 2, 9, 10_000_000]),
        "MOST_COMPARED": st.sampled_from([9, 40, 5_000_000_000]),
    }
)


def assert_cells_equal_oracle(case, knobs):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(unicity, "WORTHWHILE", 0)
        patch.setattr(partners, "FEW", knobs["FEW"])
        patch.setattr(partners, "SWIFT", knobs["SWIFT"])
        patch.setattr(sides, "ORDERS", knobs["ORDERS"])
        patch.setattr(crowd, "MOST_ROWS", knobs["MOST_ROWS"])
        # What is listed is part of the answer, so the oracle has to know where a list ends.
        patch.setattr(unicity, "MOST_PAIRS", knobs["MOST_PAIRS"])
        patch.setattr(oracle_study, "MOST_LISTED", knobs["MOST_PAIRS"])
        patch.setattr(unicity, "MOST_COMPARED", knobs["MOST_COMPARED"])
        patch.setattr(oracle_study, "MOST_COMPARED", knobs["MOST_COMPARED"])
        assert_api_equals_oracle(case)


@settings(max_examples=max(1, EXAMPLES // 5), suppress_health_check=list(HealthCheck))
@given(case=cases(), knobs=CELLS)
def test_small_cells_equal_oracle(case, knobs):
    assert_cells_equal_oracle(case, knobs)


@settings(max_examples=max(1, EXAMPLES // 20), suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32 - 1), knobs=CELLS)
def test_small_cells_equal_oracle_on_large_studies(seed, knobs):
    assert_cells_equal_oracle(large_case(seed, callables=False), knobs)


def test_more_than_a_thousand_strata_equal_oracle():
    """Above 1,000 the smallest strata become one row."""
    places = [*range(1030), *range(20)]
    stores = {"x": "text", "place": "int"}
    case = Case(
        puf=tuple({"p": i, "x": "a", "place": place} for i, place in enumerate(places)),
        eif=tuple({"e": i, "x": "ab"[i % 2], "place": i + 15} for i in range(1030)),
        iuf=tuple({"p": i, "e": i - 15} for i in range(15, 1030, 3)),
        puf_key=("p",),
        eif_key=("e",),
        iuf_puf_key=("p",),
        iuf_eif_key=("e",),
        variables=(
            Linking(name="x", kind="categorical", puf="x", eif="x", puf_store="", eif_store=""),
        ),
        strata=(("place", "place"),),
        attacks={"taxicab": {}, "unicity": {}},
        stores={
            "puf": {"p": "int"} | stores,
            "eif": {"e": "int"} | stores,
            "iuf": {"p": "int", "e": "int"},
        },
    )
    rows = case.oracle()["attacks"]["taxicab"]["by_stratum"]
    assert (len(rows), rows[-1]["stratum"], rows[-1]["strata"]) == (1001, "other", 45)
    assert_api_equals_oracle(case)


@settings(max_examples=max(1, EXAMPLES // 10), suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(callables=False))
def test_command_line_equals_oracle(case):
    from reident.cli import main

    tally(case)
    expected = case.oracle()
    with tempfile.TemporaryDirectory() as folder:
        path = case.write(Path(folder))
        out = Path(folder) / "out"
        printed, talk = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(talk):
            code = main(["run", str(path), "--json", "--out", str(out)])
        assert code == 0, talk.getvalue()
        found = json.loads((out / "results.json").read_text(encoding="utf-8"))
        pairs = pl.read_parquet(out / "restricted" / "pairs.parquet")
    assert json.loads(printed.getvalue()) == found
    assert_results(expected, found)
    with_pairs = [label for label, attack in expected["attacks"].items() if attack["pair_list"]]
    assert pairs["attack"].unique(maintain_order=True).to_list() == with_pairs
    for label, attack in expected["attacks"].items():
        listed = pairs.filter(pl.col("attack") == label).drop("attack")
        assert_same(attack["pair_list"], pair_rows(case, listed), f"{label}.pairs")
