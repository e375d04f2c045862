"""The truth comes in: every count of a small case, by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from reident.attacks.verify import verify
from reident.model.linked import BARS, UNMET, Exposure, Guessed, Linked, Ranking, Scale, Steps
from reident.model.pairs import Pairs, no_pairs
from reident.model.truth import Truth


def ints(*values):
    return np.array(values, np.int64)


def flags(*values):
    return np.array(values, np.bool_)


# Record 4 has no stratum; the second stratum is the larger one. Record 2 lies in another stratum
# than both of its true partners.
STRATA = SimpleNamespace(
    names=("s",), values=(("a",), ("b",)), puf=ints(0, 1, 1, 1, -1), eif=ints(0, 0, 1, 1, 1, -1)
)
FILES = SimpleNamespace(puf_records=5, strata=STRATA)
TRUTH = Truth(
    puf=ints(0, 1, 1, 2, 2, 3),
    eif=ints(0, 2, 3, 0, 1, 4),
    unknown_puf=0,
    unknown_eif=0,
    eif_records=6,
)
LINKED = Linked(
    pairs=Pairs(
        puf=ints(0, 0, 1, 1, 3),
        eif=ints(0, 1, 2, 4, 3),
        units=ints(10, 20, 10, 10, 30),
        rank=ints(1, 2, 1, 1, 1),
        tied=ints(1, 1, 2, 2, 1),
    ),
    suspected=flags(1, 1, 0, 1, 0),
    listed=True,
    set_aside=[],
    notes=[],
    encoding={},
)
RANKED = replace(
    LINKED,
    scale=Scale(score=lambda units: units / 10, bar=lambda u: u // 10, top=2.0, threshold=1.5),
    ranking=Ranking(
        keep=2,
        passing=flags(1, 1, 1, 1, 0),
        tied_out=flags(0, 0, 1, 0, 0),
        first_units=ints(10, 10, 40, 30, 0),
        first_size=ints(1, 2, 3, 1, 0),
    ),
    truth_units=ints(10, 10, 50, 40, 40, UNMET),
    random_units=ints(0, 0, UNMET),
)
EXPOSED = replace(
    LINKED,
    exposure=Exposure(
        reading=ints(2, 0, -1, 1, -1),
        order=ints(1, 2, 0, 0, 1),
        orders=2,
        puf_uniques=3,
        eif_uniques=4,
    ),
    truth_reading=ints(2, 0, 0, -1, -1, -1),
)


def bars(**counts):
    return [counts.get(f"at{bar}", 0) for bar in range(BARS)]


def test_rates_count_records_pairs_and_the_overlap():
    verified = verify(LINKED, TRUTH, FILES)
    assert verified.confirmed.tolist() == [True, False, True, False, False]
    rates = verified.rates
    assert (rates.records, rates.suspected_records, rates.confirmed_records) == (5, 3, 2)
    assert (rates.pairs, rates.confirmed_pairs, rates.overlap) == (5, 2, 4)
    assert set(verified.fields) == {"baseline_confirmed", "by_stratum"}


def test_without_the_truth_nothing_is_known_of_it():
    verified = verify(LINKED, None, FILES)
    assert verified.confirmed is None
    rates = verified.rates
    assert (rates.records, rates.suspected_records, rates.pairs) == (5, 3, 5)
    assert (rates.confirmed_records, rates.confirmed_pairs, rates.overlap) == (None, None, None)
    assert verified.fields["baseline_confirmed"] is None
    assert [row.confirmed for row in verified.fields["by_stratum"]] == [None, None]


def test_the_blind_guesser_guesses_among_the_records_of_the_stratum():
    # Two guesses among two, two for two among three, one for one among three.
    assert verify(LINKED, TRUTH, FILES).fields["baseline_confirmed"] == pytest.approx(2 + 1 / 3)
    # With two more in the first stratum: two guesses for one among four.
    more = SimpleNamespace(**vars(STRATA) | {"eif": ints(0, 0, 1, 1, 1, -1, 0, 0)})
    crowded = verify(LINKED, TRUTH, SimpleNamespace(puf_records=5, strata=more))
    assert crowded.fields["baseline_confirmed"] == pytest.approx(1 / 2 + 1 + 1 / 3)


def test_strata_come_by_size_and_records_of_none_are_left_out():
    rows = verify(LINKED, TRUTH, FILES).fields["by_stratum"]
    assert [
        (*row.stratum.values(), row.puf_records, row.eif_records, row.suspected, row.confirmed)
        for row in rows
    ] == [("b", 3, 3, 2, 1), ("a", 1, 2, 1, 1)]
    assert [row.pairs for row in rows] == [3, 2]
    whole = SimpleNamespace(puf_records=5, strata=SimpleNamespace(**vars(STRATA) | {"names": ()}))
    assert verify(LINKED, TRUTH, whole).fields["by_stratum"] == ()


def test_pairs_that_are_not_listed_are_not_counted():
    verified = verify(replace(LINKED, listed=False), TRUTH, FILES)
    assert verified.rates.pairs is None
    assert verified.rates.confirmed_pairs == 2
    assert verified.fields["baseline_confirmed"] is None
    assert [row.pairs for row in verified.fields["by_stratum"]] == [None, None]


def test_ranks_before_and_after_the_cut():
    fields = verify(RANKED, TRUTH, FILES).fields
    assert (fields["passing_records"], fields["tied_out"], fields["tied_out_true"]) == (4, 1, 1)
    sizes = [(row["size"], row["records"]) for row in fields["first_rank_sizes"]]
    assert sizes == [(1, 2), (2, 1), (None, 1)]
    assert fields["by_rank"] == (
        {"rank": 1, "pairs": 4, "confirmed": 2},
        {"rank": 2, "pairs": 1, "confirmed": 0},
    )
    assert fields["histogram"] == {
        "bins": BARS,
        "top": 2.0,
        "threshold": 1.5,
        "truth": bars(at1=2, at4=2, at5=1),
        "suspected_false": bars(at1=1, at2=1, at3=1),
        "random_other": bars(at0=2),
        "random_pairs": 3,
    }


def test_ranks_without_the_truth_and_without_pairs():
    fields = verify(replace(RANKED, random_units=None), None, FILES).fields
    assert fields["tied_out_true"] is None
    assert [row["confirmed"] for row in fields["by_rank"]] == [None, None]
    shown = fields["histogram"]
    assert (shown["truth"], shown["suspected_false"], shown["random_other"]) == (None, None, None)
    assert shown["random_pairs"] == 0
    nobody = replace(RANKED, pairs=no_pairs(), suspected=flags(0, 0, 0, 0, 0))
    assert verify(nobody, TRUTH, FILES).fields["by_rank"] == ()
    assert verify(replace(RANKED, truth_units=None), TRUTH, FILES).fields["tied_out_true"] is None


def test_orders_and_readings_of_unicity():
    fields = verify(EXPOSED, TRUTH, FILES).fields
    assert fields["by_order"] == (
        {"order": 1, "suspected": 1, "confirmed": 1},
        {"order": 2, "suspected": 1, "confirmed": 1},
        {"order": None, "suspected": 1, "confirmed": 0},
    )
    readings = [tuple(row.values()) for row in fields["readings"]]
    assert readings == [("all", 3, 2), ("consistent", 2, 1), ("highest", 1, 1)]
    assert fields["uniques"] == {"puf": 3, "eif": 4}
    unknown = verify(EXPOSED, None, FILES).fields
    assert [row["confirmed"] for row in unknown["by_order"]] == [None] * 3
    assert [row["confirmed"] for row in unknown["readings"]] == [None] * 3
    unread = verify(replace(EXPOSED, truth_reading=None), TRUTH, FILES).fields["readings"]
    assert [row["confirmed"] for row in unread] == [None] * 3


def test_steps_tell_the_candidates_left_and_the_records_linked():
    steps = Steps(
        names=("x", "y"),
        puf=ints(0, 1, 3),
        candidates=np.array([[2, 1], [1, 1], [3, 0]]),
        eif=np.array([[1, 0], [2, 3], [4, 4]]),
    )
    linked = replace(LINKED, steps=steps)
    rows = [tuple(row.values()) for row in verify(linked, TRUTH, FILES).fields["steps"]]
    assert rows == [("x", 2.0, 1, 1, 20.0), ("y", 2 / 3, 2, 2, 40.0)]
    unknown = verify(linked, None, FILES).fields["steps"]
    assert [row["confirmed"] for row in unknown] == [None, None]
    nobody = replace(steps, puf=ints(), candidates=steps.candidates[:0], eif=steps.eif[:0])
    empty = verify(replace(LINKED, steps=nobody), TRUTH, FILES).fields["steps"]
    assert [tuple(row.values()) for row in empty] == [
        ("x", None, 0, 0, 0.0),
        ("y", None, 0, 0, 0.0),
    ]


def test_one_guess_for_each_record():
    chance = np.array([0.5, 0.25, 0, 0, 0, 0])
    guessed = Guessed(gave_up=flags(0, 0, 1, 0, 1), score=None, truth_chance=chance)
    linked = replace(LINKED, guessed=guessed)
    fields = verify(linked, TRUTH, FILES).fields
    told = (fields["give_ups"], fields["expected_confirmed"], fields["expected_rate"])
    assert told == (2, 0.75, 15.0)
    unknown = verify(linked, None, FILES).fields
    assert (unknown["expected_confirmed"], unknown["expected_rate"]) == (None, None)
