"""Planted-truth scenarios: reported counts equal planted counts (trust.md, Running)."""

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.scenario.planted import CODES, EIF_KEY, NUMBER, PUF_KEY, planted_scenario

ATTACKS = ("unicity", "taxicab", "euclidean", "adhoc")


def found(planted, **details):
    study = ri.Study(
        puf=ri.PublicFile(planted.puf, key=list(PUF_KEY)),
        eif=ri.IntruderFile(planted.eif, key=list(EIF_KEY)),
        truth=ri.TruthFile(planted.iuf, puf_key=list(PUF_KEY), eif_key=list(EIF_KEY)),
        variables=[*(ri.categorical(name) for name in CODES), ri.numeric(NUMBER)],
        attacks={
            "unicity": ri.Unicity(),
            "taxicab": ri.Taxicab(),
            "euclidean": ri.Euclidean(),
            "adhoc": ri.AdHoc({name: {"equal": 5} for name in (*CODES, NUMBER)}),
        },
        **details,
    )
    return study.run()


def counts(result, attack):
    told = result.to_dict()["attacks"][attack]
    return tuple(told[name] for name in ("suspected", "confirmed", "pairs", "confirmed_pairs"))


def expected(planted):
    return planted.suspected, planted.confirmed, planted.pairs, planted.confirmed


@functools.cache
def known():
    planted = planted_scenario(hits=17, misses=11, false=9, seed=5)
    return planted, found(planted)


@pytest.mark.parametrize("attack", ATTACKS)
def test_reported_counts_equal_planted_counts(attack):
    planted, result = known()
    assert counts(result, attack) == expected(planted) == (26, 17, 26, 17)
    assert result[attack].suspected == planted.suspected
    assert result[attack].confirmed == planted.confirmed
    assert result.overlap == planted.overlap


@settings(max_examples=25)
@given(
    hits=st.integers(0, 8),
    misses=st.integers(0, 8),
    false=st.integers(0, 8),
    seed=st.integers(0, 2**32),
)
def test_whatever_is_planted_is_found(hits, misses, false, seed):
    planted = planted_scenario(hits=hits, misses=misses, false=false, seed=seed)
    result = found(planted)
    for attack in ATTACKS:
        assert counts(result, attack) == expected(planted)


def test_the_planted_pairs_are_the_suspected_ones():
    planted, result = known()
    true = set(planted.iuf.select(*PUF_KEY, *EIF_KEY).rows())
    for attack in ATTACKS:
        pairs = result[attack].pairs
        keys = pairs.select("puf_household", "puf_person", "eif_eifid").rows()
        assert [row in true for row in keys] == pairs["confirmed"].to_list()


def test_planted_scenarios_are_the_same_every_time():
    one, two = (planted_scenario(hits=4, misses=3, false=2, seed=9) for _ in range(2))
    assert one.puf.equals(two.puf)
    assert one.eif.equals(two.eif)
    assert one.iuf.equals(two.iuf)
