"""What holds for every attack: labels mean nothing, counts fit together, strata only help."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reident as ri
from small_study import (
    CATEGORICAL,
    KINDS,
    NUMERIC,
    STRATA_RENAMED,
    Small,
    place_of,
    renamings,
    scores,
    smalls,
)

few = settings(max_examples=20)
METHODS = ("unicity", "taxicab", "euclidean", "adhoc")
NEEDS_TRUTH = (
    "confirmed",
    "confirmed_pairs",
    "recall",
    "confirmed_rate",
    "conditional_rate",
    "conditional_interval",
    "pair_precision",
    "baseline_confirmed",
    "lift",
    "tied_out_true",
)


def confirmed(result):
    """The confirmed pairs of an attack, by places."""
    rows = result.pairs.filter("confirmed").select("puf_p", "eif_e").rows()
    return {(place_of(p), place_of(e)) for p, e in rows}


def told(result):
    """What results.json says of each attack."""
    return result.to_dict()["attacks"]


@few
@given(small=smalls(truth=True, strata=True), data=st.data())
def test_relabelling_ids_maps_results_one_to_one(small, data):
    """Keys are given by place, so records in another order are records under other keys."""
    puf = data.draw(st.permutations(range(len(small.puf))))
    eif = data.draw(st.permutations(range(len(small.eif))))
    other = replace(
        small,
        puf=tuple(small.puf[old] for old in puf),
        eif=tuple(small.eif[old] for old in eif),
        puf_strata=tuple(small.puf_strata[old] for old in puf),
        eif_strata=tuple(small.eif_strata[old] for old in eif),
        truth=tuple((puf.index(p), eif.index(e)) for p, e in small.truth),
    )
    before, after = small.run(*small.four()), other.run(*small.four())
    for label in METHODS:
        mapped = {(puf[p], eif[e]): score for (p, e), score in scores(after[label]).items()}
        assert mapped == scores(before[label])
        assert {(puf[p], eif[e]) for p, e in confirmed(after[label])} == confirmed(before[label])
    assert told(after) == told(before)


@few
@given(small=smalls(truth=True, strata=True), data=st.data())
def test_relabelling_categories_and_strata_changes_nothing(small, data):
    other = data.draw(renamings(small))
    before, after = small.run(*small.four()), other.run(*small.four())
    for label in METHODS:
        assert after[label].pairs.equals(before[label].pairs)
        mine, theirs = (told(one)[label] for one in (before, after))
        one, two = (
            {
                names.get(row["stratum"]["s"], row["stratum"]["s"]): row
                | {"stratum": names.get(row["stratum"]["s"], row["stratum"]["s"])}
                for row in attack.pop("by_stratum")
            }
            for attack, names in ((mine, STRATA_RENAMED), (theirs, {}))
        )
        assert one == two
        assert mine == theirs


@few
@given(small=smalls(truth=True, strata=True))
def test_counts_fit_together(small):
    result = small.run(*small.four())
    n, truth = len(small.puf), set(small.truth)
    assert result.puf_records == n
    assert result.overlap == len({p for p, _ in truth})
    for label, attack in told(result).items():
        listed = set(scores(result[label]))  # each pair once, or scores() fails
        assert 0 <= attack["confirmed"] <= attack["suspected"] <= attack["compared"] <= n
        assert attack["compared"] + sum(row["records"] for row in attack["set_aside"]) == n
        assert attack["suspected"] == len({p for p, _ in listed})
        assert confirmed(result[label]) == listed & truth
        assert attack["confirmed_pairs"] == len(listed & truth)
        assert attack["pairs"] == len(listed)
        assert attack["suspected_rate"] == 100 * attack["suspected"] / n
        assert attack["confirmed_rate"] == 100 * attack["confirmed"] / n
        if attack["suspected"]:
            assert attack["conditional_rate"] == 100 * attack["confirmed"] / attack["suspected"]
        else:
            assert attack["conditional_rate"] is attack["conditional_interval"] is None
        for name in ("suspected", "confirmed", "pairs"):
            assert sum(row[name] for row in attack["by_stratum"]) == attack[name]
        ranks = attack["by_rank"]
        if attack["method"] != "unicity":
            assert sum(row["confirmed"] for row in ranks) == attack["confirmed_pairs"]


@few
@given(small=smalls(strata=True))
def test_a_pair_shares_its_stratum(small):
    result = small.run(*small.four())
    for label in METHODS:
        for p, e in scores(result[label]):
            assert small.puf_strata[p] == small.eif_strata[e] is not None


@few
@given(small=smalls(truth=True, strata=True), data=st.data())
def test_shuffling_the_truth_leaves_suspicion_as_it_is(small, data):
    partners = data.draw(st.permutations([e for _, e in small.truth]))
    shuffled = replace(
        small, truth=tuple((p, e) for (p, _), e in zip(small.truth, partners, strict=True))
    )
    before, after = small.run(*small.four()), shuffled.run(*small.four())
    for label in METHODS:
        assert after[label].pairs.drop("confirmed").equals(before[label].pairs.drop("confirmed"))
        for name in ("suspected", "passing_records", "tied_out", "set_aside", "uniques"):
            assert getattr(after[label], name) == getattr(before[label], name)


@few
@given(small=smalls(truth=True, strata=True))
def test_without_truth_suspicion_is_the_same_and_confirmation_unknown(small):
    with_truth = small.run(*small.four())
    without = replace(small, truth=None).run(*small.four())
    assert (without.truth_pairs, without.overlap, without.truth_unknown) == (None, None, None)
    assert without.true_pair_agreement == ()
    for label in METHODS:
        one, other = with_truth[label].pairs, without[label].pairs
        assert other.drop("confirmed").equals(one.drop("confirmed"))
        assert other["confirmed"].is_null().all()
        attack = told(without)[label]
        assert [name for name in NEEDS_TRUTH if attack[name] is not None] == []
        for table in ("by_rank", "by_order", "readings", "by_stratum"):
            assert {row["confirmed"] for row in attack[table]} <= {None}


@few
@given(
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4),
    n=st.integers(1, 12),
    alpha=st.sampled_from([0.5, 0.1, 1]),
    data=st.data(),
)
def test_a_file_that_meets_itself_confirms_every_record(kinds, n, alpha, data):
    # Numbers differ in every record, so that five bins tell at most five of them apart; records
    # that categories do not tell apart either are left out.
    columns = []
    for kind in kinds:
        if kind == CATEGORICAL:
            columns.append(data.draw(st.lists(st.sampled_from("abcdef"), min_size=n, max_size=n)))
        else:
            columns.append([float(x) for x in data.draw(st.permutations(range(n)))])
    small = Small(kinds=tuple(kinds), puf=tuple(zip(*columns, strict=True)), eif=())
    small = replace(small, eif=small.puf, truth=tuple((place, place) for place in range(n)))
    all_apart = small.scores(ri.Taxicab(threshold=2, keep=1000))
    assume(all(score > 0 for (p, e), score in all_apart.items() if p != e))
    result = small.run(
        ri.Unicity(), ri.Taxicab(missing_score=alpha), ri.Euclidean(missing_score=alpha)
    )
    for label in result:
        assert result[label].suspected == result[label].confirmed == n
        assert result[label].rates.conditional == 100.0


@few
@given(small=smalls(kinds=(CATEGORICAL,), missing=False))
def test_files_without_a_shared_category_give_no_unicity_and_no_taxicab_pair(small):
    apart = replace(small, eif=tuple(tuple(f"other {cell}" for cell in row) for row in small.eif))
    result = apart.run(ri.Unicity(), ri.Taxicab())
    assert [result[label].suspected for label in result] == [0, 0]


@few
@given(small=smalls(truth=True, strata=True), data=st.data())
def test_finer_strata_never_lose_a_confirmed_pair(small, data):
    """With scale = "study", and for true pairs that still share their stratum."""
    finer = {}
    for side, strata in (("puf", small.puf_strata), ("eif", small.eif_strata)):
        parts = data.draw(
            st.lists(st.sampled_from("xy"), min_size=len(strata), max_size=len(strata))
        )
        finer[f"{side}_strata"] = tuple(
            None if one is None else one + part for one, part in zip(strata, parts, strict=True)
        )
    sharing = tuple(
        (p, e)
        for p, e in small.truth
        if finer["puf_strata"][p] == finer["eif_strata"][e] is not None
    )
    assume(sharing)
    coarse = replace(small, truth=sharing)
    none = replace(coarse, puf_strata=None, eif_strata=None)
    attacks = [*small.four(), ri.Unicity(interactions="consistent")]
    for some in (attacks[:4], attacks[4:]):
        found = [one.run(*some) for one in (none, coarse, replace(coarse, **finer))]
        for label in found[0]:
            pairs = [confirmed(result[label]) for result in found]
            assert pairs[0] <= pairs[1] <= pairs[2]


@pytest.mark.parametrize("kind", [CATEGORICAL, NUMERIC])
def test_one_variable_and_one_record_on_each_side_work(kind):
    value = "a" if kind == CATEGORICAL else 1.0
    small = Small(kinds=(kind,), puf=((value,),), eif=((value,),), truth=((0, 0),))
    result = small.run(*small.four())
    for label in METHODS:
        assert result[label].confirmed == 1
        assert result[label].lift == 1.0


def test_a_key_is_text_in_every_file_whatever_its_type_there():
    puf = pl.DataFrame({"id": [7, 8], "x": ["a", "b"]})
    eif = pl.DataFrame({"number": ["7", "8"], "x": ["a", "b"]})
    iuf = pl.DataFrame({"id": [7.0, 8.0], "number": [7, 8]})
    study = ri.Study(
        puf=ri.PublicFile(puf, key="id"),
        eif=ri.IntruderFile(eif, key="number"),
        truth=ri.TruthFile(iuf),
        variables=[ri.categorical("x")],
    )
    result = study.run(ri.Taxicab())
    assert result["taxicab"].confirmed == 2
    assert result["taxicab"].pairs["puf_id"].to_list() == ["7", "8"]
