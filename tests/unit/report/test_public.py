"""The public sees no small count, and can work none out from what is published."""

import itertools
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from read_page import Page
from reident.report import public, suppress
from reident.report.html import render
from report_results import studies

SMALL = 10
MANIFEST = {"inputs": {"iuf": {"name": "iuf.csv", "records": 4, "sha256": "ab" * 32}}}

MANY = settings(max_examples=60, suppress_health_check=list(HealthCheck))


def shown(results, small=SMALL):
    return render(public.document(results, MANIFEST, small))


# What anybody can work out, as linear programmes from the definition: one unknown for each count of
# each stratum, and of the records without one; published sums and order are all that is known.


class Outsider:
    """Knows every stratum by name, all published counts, and how counts hang together."""

    def __init__(self, results, told):
        self.labels = list(told.attacks)
        self.fields = ["suspected"] + (["confirmed"] if results["overlap"] is not None else [])
        names = [
            row["stratum"]["state"] for row in results["attacks"][self.labels[0]]["by_stratum"]
        ]
        self.strata = [*names, None]
        self.columns = ["puf", "eif", *((a, f) for a in self.labels for f in self.fields)]
        size = len(self.strata) * len(self.columns)
        self.equal, self.is_, self.below = [], [], []
        self.ends = [(0, None)] * size
        self._published(told)
        for stratum in self.strata:
            for label in self.labels:
                chain = ["puf", *((label, field) for field in self.fields)]
                for more, less in itertools.pairwise(chain):
                    self._at_most((stratum, less), (stratum, more))
        for label in self.labels:
            for field in self.fields:
                self._know(None, (label, field), 0)

    def _at(self, stratum, column):
        return self.strata.index(stratum) * len(self.columns) + self.columns.index(column)

    def _know(self, stratum, column, value):
        self.ends[self._at(stratum, column)] = (value, value)

    def _at_most(self, less, more):
        row = np.zeros(len(self.ends))
        row[self._at(*less)], row[self._at(*more)] = 1, -1
        self.below.append(row)

    def _published(self, told):
        for row in told.strata:
            where = row.stratum["state"]
            self._know(where, "puf", row.puf_records)
            self._know(where, "eif", row.eif_records)
            for label, own in row.attacks.items():
                for field, value in own.items():
                    self._know(where, (label, field), value)
        totals = {"puf": told.totals["puf_records"], "eif": told.totals["eif_records"]}
        totals |= {(a, f): v for a, own in told.attacks.items() for f, v in own.items()}
        for column, total in totals.items():
            row = np.zeros(len(self.ends))
            row[[self._at(stratum, column) for stratum in self.strata]] = 1
            if total is None:  # all the outsider knows: it is small
                self.below.append(row)
            else:
                self.equal.append(row)
                self.is_.append(total)

    def range(self, stratum, column):
        """Smallest and largest value that a count can have."""
        goal = np.zeros(len(self.ends))
        goal[self._at(stratum, column)] = 1
        # Rows of `below` are differences at most 0, or hidden totals at most small_cell - 1.
        top = [0 if row.min() < 0 else SMALL - 1 for row in self.below]
        found = [
            linprog(
                sign * goal, A_ub=np.array(self.below), b_ub=top,
                A_eq=np.array(self.equal) if self.equal else None,
                b_eq=self.is_ or None, bounds=self.ends,
            ) for sign in (1, -1)
        ]  # fmt: skip
        assert all(one.status in {0, 3} for one in found)
        low, high = (
            sign * one.fun if one.status == 0 else np.inf
            for sign, one in zip((1, -1), found, strict=True)
        )
        return low, high


@pytest.mark.usefixtures("undrawn")
@MANY
@given(studies())
def test_every_published_number_is_large_or_a_rate(results):
    page = Page(shown(results))
    counts = [n for name in page.tables if name.startswith("strata-") for row in page.values(name)
              for n in row]  # fmt: skip
    rates = page.values("rates")
    counts += [row[place] for row in rates for place in (0, 2)]
    assert all(n is None or n >= SMALL for n in counts)
    assert all(v is None or v == int(v) for v in page.figures)
    told = " ".join(page.texts)
    for sentence in re.findall(r"suspects ([\d,]+) of ([\d,]+) records", told):
        assert min(int(n.replace(",", "")) for n in sentence) >= SMALL
    for number in re.findall(r"([\d,]+) of them are right", told):
        assert int(number.replace(",", "")) >= SMALL


@MANY
@given(studies(strata=st.just(value=True)))
def test_no_small_count_of_a_stratum_can_be_worked_out(results):
    told = suppress.publish(results, SMALL)
    published = {row.stratum["state"] for row in told.strata}
    outsider = Outsider(results, told)
    for label, attack in results["attacks"].items():
        for row in attack["by_stratum"]:
            if row["stratum"]["state"] in published:
                continue
            for field in outsider.fields:
                if row[field] < SMALL:
                    low, high = outsider.range(row["stratum"]["state"], (label, field))
                    assert low <= 1e-6
                    assert high >= SMALL - 1 - 1e-6
    for row in next(iter(results["attacks"].values()))["by_stratum"]:
        for column in ("puf", "eif"):
            if row["stratum"]["state"] not in published and row[f"{column}_records"] < SMALL:
                low, high = outsider.range(row["stratum"]["state"], column)
                assert low <= 1e-6
                assert high >= SMALL - 1 - 1e-6


@MANY
@given(studies(strata=st.just(value=True)))
def test_records_without_a_stratum_cannot_be_counted(results):
    told = suppress.publish(results, SMALL)
    if told.merged is None or not told.strata:
        return
    low, high = Outsider(results, told).range(None, "puf")
    assert low <= 1e-6
    assert high >= SMALL - 1 - 1e-6


def test_a_large_study_is_told(results):
    text = shown(consistent(results))
    page = Page(text)
    assert page.values("strata-taxicab") == [[1500, 1800, 300, 20], [500, 600, 112, 11]]
    assert (
        page.tables["strata-taxicab"][2][0]["text"] == "all others, and records without a stratum"
    )
    assert "Taxicab suspects 412 of 2,000 records (21 %); 31 of them are right, 8 %." in text
    assert "Met: the conditional rate of Taxicab and the agreed limit of 20 %." in text


def consistent(results):
    """The fixture's taxicab, its merged row parted into two small strata and a missing one."""
    taxicab = results["attacks"]["taxicab"]
    other = taxicab["by_stratum"].pop()
    small = {"puf_records": 200, "eif_records": 300, "suspected": 56, "confirmed": 5}
    taxicab["by_stratum"] += [
        other | small | {"stratum": {"state": "07"}},
        other | small | {"stratum": {"state": "08"}, "confirmed": 6},
    ]
    results["attacks"] = {"taxicab": taxicab}
    results["limits"] = results["limits"][:1]
    return results


def test_a_hidden_count_takes_its_rates_its_verdict_and_its_strata_with_it(results):
    results = consistent(results)
    results["attacks"]["taxicab"] |= {
        "confirmed": 3, "confirmed_rate": 0.15, "conditional_rate": 100 * 3 / 412,
        "conditional_interval": [0.2, 2.1],
    }  # fmt: skip
    text = shown(results)
    page = Page(text)
    assert page.values("rates") == [[412, 21, None, None, None]]
    assert "how many of them are right is hidden" in text
    assert "Hidden: the conditional rate of Taxicab and the agreed limit of 20 %" in text
    assert "strata-taxicab" not in page.tables
    assert not {0.15, 3} & set(page.figures)


def test_a_small_count_in_a_large_stratum_hides_the_stratum(results):
    results = consistent(results)
    rows = results["attacks"]["taxicab"]["by_stratum"]
    rows[0] |= {"puf_records": 700, "eif_records": 900, "suspected": 150, "confirmed": 4}
    rows.insert(1, rows[0] | {"stratum": {"state": "16"}, "confirmed": 16})
    told = suppress.publish(results, SMALL)
    assert [row.stratum["state"] for row in told.strata] == ["16"]
    assert told.merged.attacks["taxicab"] == {"suspected": 262, "confirmed": 15}


def test_one_stratum_is_never_what_the_others_leave(results):
    results = consistent(results)
    rows = results["attacks"]["taxicab"]["by_stratum"]
    large = rows[0] | {"puf_records": 200, "eif_records": 300, "suspected": 56}
    rows[1:] = [large | {"stratum": {"state": "07"}, "confirmed": 11}]
    told = suppress.publish(results, SMALL)
    assert told.strata == ()
    assert told.merged is None


def test_parts_that_count_records_one_by_one_are_left_out(results):
    results = consistent(results)
    text = shown(results)
    tables = set(Page(text).tables)
    assert tables == {
        "rates", "variables", "strata-taxicab", "rates-picture", "options-taxicab", "inputs", "run",
    }  # fmt: skip
    assert "The IUF holds 40 unknown EIF keys." not in text
    assert "Up to 2 of 9 may differ." not in text
    assert "lets pairs pass that differ on some variables" in text


def test_small_cell_one_hides_nothing_but_zero(results):
    results = consistent(results)
    assert len(suppress.publish(results, 1).strata) == 1


def test_a_choice_that_gives_a_count_away_is_a_bug_and_fails(results):
    from dataclasses import replace

    from reident.errors import InternalError

    told = suppress.publish(consistent(results), SMALL)
    narrow = replace(told.merged, puf_records=told.merged.attacks["taxicab"]["suspected"] + 3)
    with pytest.raises(InternalError, match="could be worked out"):
        suppress._check(replace(told, merged=narrow))
