"""The product's results held against the oracle's: exact but for the last digits of floats."""

import math

import polars as pl

from study_case import Case

STUDY = ("puf_records", "eif_records", "truth_pairs", "truth_unknown", "truth_pairs_split")
NOT_JUDGED = {"options", "notes"}


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


def assert_api_equals_oracle(case):
    expected = case.oracle()
    result = case.study().run()
    assert_results(expected, result.to_dict())
    for label, attack in expected["attacks"].items():
        assert_same(attack["pair_list"], pair_rows(case, result[label].pairs), f"{label}.pairs")
