"""The truth door: pairs of keys as text, unknown ids counted, unperturbed values put in place."""

import polars as pl
import pytest

import reident as ri

PUF = pl.DataFrame({"p": ["0", "1", "2"], "x": [30, 40, 50]})
EIF = pl.DataFrame({"e": ["0", "1", "2"], "x": [30.6, 40.6, 50.6]})


def study(iuf, puf=PUF, **details):
    return ri.Study(
        puf=ri.PublicFile(puf, key="p"),
        eif=ri.IntruderFile(EIF, key="e"),
        truth=ri.TruthFile(iuf, **details),
        variables=[ri.numeric("x")],
    )


def pairs(*rows):
    return pl.DataFrame(rows, schema={"p": pl.String, "e": pl.String}, orient="row")


def test_unknown_ids_are_counted_and_noted():
    result = study(pairs(("0", "0"), ("9", "0"), ("0", "9"), ("8", "8"), ("8", "8"))).run(
        ri.Taxicab()
    )
    assert result.truth_pairs == 1
    assert result.truth_unknown == {"puf": 2, "eif": 2}
    assert {note.code: note.count for note in result.notes if "unknown" in note.code} == {
        "truth_unknown_puf": 2,
        "truth_unknown_eif": 2,
    }


def test_unknown_ids_above_one_percent_are_stated_first():
    puf = pl.DataFrame({"p": [str(i) for i in range(200)], "x": [1] * 200})
    known = [(str(i), "0") for i in range(198)]
    for unknown, first in ((2, False), (3, True)):
        rows = [*known, *((f"no{i}", "0") for i in range(unknown))]
        result = study(pairs(*rows), puf=puf).run(ri.Taxicab())
        [note] = [note for note in result.notes if note.code == "truth_unknown_puf"]
        assert (note.count, note.first) == (unknown, first)
        assert (result.notes[0] == note) or not first


@pytest.mark.parametrize("rows", [[("8", "9")], [("0", "9"), ("9", "0")]])
def test_a_truth_without_any_pair_in_both_files_is_refused(rows):
    with pytest.raises(ri.DataError, match="no pair whose keys are in both files"):
        study(pairs(*rows)).run(ri.Taxicab())


def test_an_empty_truth_is_refused():
    with pytest.raises(ri.DataError, match="a table without records"):
        study(pairs().clear()).run(ri.Taxicab())


def test_the_columns_of_the_truth_may_have_other_names():
    iuf = pairs(("0", "0")).rename({"p": "mine", "e": "theirs"})
    result = study(iuf, puf_key="mine", eif_key="theirs").run(ri.Taxicab())
    assert result.truth_pairs == 1


def test_unperturbed_values_need_to_be_declared():
    with pytest.raises(ri.DataError, match="no unperturbed values are declared"):
        study(pairs(("0", "0")).with_columns(x=1)).run(ri.Taxicab(), unperturbed=True)


def test_unperturbed_values_take_the_place_of_those_of_the_puf():
    iuf = pairs(("0", "0"), ("2", "2")).with_columns(x=pl.Series([50, 30]))
    result = study(iuf, values=True).run(ri.Euclidean(threshold=2, keep=1000), unperturbed=True)
    swapped = PUF.with_columns(x=pl.Series([50, 40, 30]))
    expected = study(iuf, puf=swapped).run(ri.Euclidean(threshold=2, keep=1000))
    assert result["euclidean"].pairs.equals(expected["euclidean"].pairs)
    assert result.notes[0].code == "unperturbed"


def test_two_sets_of_unperturbed_values_for_a_record_are_refused():
    iuf = pairs(("0", "0"), ("0", "1")).with_columns(x=pl.Series([1, 2]))
    with pytest.raises(ri.DataError, match="rows give a PUF record different values"):
        study(iuf, values=True).run(ri.Taxicab(), unperturbed=True)


def test_unperturbed_values_are_not_rounded_to_the_type_of_the_puf():
    iuf = pairs(("0", "0"), ("1", "1"), ("2", "2")).with_columns(x=EIF["x"])
    result = study(iuf, values=True).run(ri.Euclidean(), unperturbed=True)
    assert result["euclidean"].pairs["score"].to_list() == [0.0, 0.0, 0.0]


def test_unperturbed_values_may_be_texts_where_the_puf_holds_numbers():
    iuf = pairs(("0", "0"), ("1", "1")).with_columns(x=pl.Series([".", "40.6"]))
    made = study(iuf, values=True).model_copy(
        update={"variables": (ri.numeric("x", missing=["."]),)}
    )
    assert made.run(ri.Euclidean(), unperturbed=True)["euclidean"].suspected == 2
