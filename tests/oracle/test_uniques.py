"""Every way of finding unique records gives what the definition gives."""

import os
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.encode.categories import Coded
from reident.engine.local import local
from reident.errors import CapacityError
from reident.kernels.dealing import ROUND
from reident.needles import find, stream, transforms, wildcard
from reident.needles.minimal import minimal_sets
from reident.needles.risk import individual_risk
from reident.oracle import uniques as oracle

EXAMPLES = int(os.environ.get("REIDENT_EXAMPLES", "2000")) // 5
IN_CELLS = ("auto", "sort", "stream", "catalogue", "t1", "t2")


@st.composite
def tables(draw, most_variables=6, most_records=14):
    """Records of few values, so that many share them; None is missing."""
    variables = draw(st.integers(1, most_variables))
    kinds = draw(st.integers(1, 4))
    cell = st.sampled_from([None, "", *"abcd"[:kinds]])
    row = st.tuples(*[cell] * variables)
    return draw(st.lists(row, min_size=1, max_size=most_records))


def frame_of(records):
    names = [f"v{j}" for j in range(len(records[0]))]
    columns = zip(*records, strict=True)
    frame = pl.DataFrame(
        [pl.Series(n, list(c), pl.String) for n, c in zip(names, columns, strict=True)]
    )
    return frame.with_columns(pl.Series("id", [f"r{i}" for i in range(len(records))])), names


def plain(records):
    """As the oracle takes them: a blank is missing."""
    return [tuple(value or None for value in record) for record in records]


def assert_agrees(found, counts, k):
    """An answer against the oracle's count of each record."""
    part = [c for c in counts if c]
    assert (found.records, found.compared) == (len(counts), len(part))
    assert [row["records"] for row in found.by_count] == [part.count(c) for c in range(1, k + 1)]
    assert found.unique_records == sum(c <= k for c in part)
    assert found.smallest == min(part, default=None)
    assert found.violations == {level: sum(c < level for c in part) for level in (2, 3, 5, 10)}
    listed = [(r + 1, f"r{r}", c) for r, c in enumerate(counts) if 0 < c <= k]
    assert found.listed.select("record", "key_id", "count").rows() == listed
    if found.counts is not None:
        assert found.counts.tolist() == counts


@settings(max_examples=EXAMPLES)
@given(tables(), st.integers(1, 12), st.sampled_from(["category", "drop"]), st.integers(1, 3))
def test_all_methods_agree_with_the_definition(records, k, missing, jobs):
    frame, names = frame_of(records)
    counts = oracle.counts(plain(records), missing)
    cells = sum(1 / c for c in counts if c)
    for method in IN_CELLS:
        found = ri.uniques(frame, names, k=k, key="id", missing=missing, method=method, jobs=jobs)
        assert_agrees(found, counts, k)
        assert found.cells == round(cells)
        assert found.mean == (sum(map(bool, counts)) / found.cells if found.cells else None)
        of_size = Counter(c for c in counts if c)
        assert [row["cells"] for row in found.by_count] == [
            of_size[c] // c for c in range(1, k + 1)
        ]


@settings(max_examples=EXAMPLES)
@given(tables(), st.integers(1, 12), st.integers(1, 2), st.sampled_from([0, 64]))
def test_missing_as_a_wildcard_agrees_with_the_definition(records, k, jobs, patterns):
    frame, names = frame_of(records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wildcard, "MOST_PATTERNS", patterns)
        found = ri.uniques(frame, names, k=k, key="id", missing="wildcard", jobs=jobs)
    assert_agrees(found, oracle.counts(plain(records), "wildcard"), k)
    assert found.cells is None
    assert found.mean is None


@st.composite
def wide(draw):
    """Codes of up to 64 variables; the sizes multiply up beyond 2^64 and 2^128."""
    sizes = draw(
        st.one_of(
            st.lists(st.sampled_from([1, 2, 3, 10, 200]), min_size=1, max_size=64),
            st.just([10] * 64),
            st.just([2] * 64),
            st.just([2**16] * 4),
            st.just([2**32, 2**32, 2]),
            st.just([10_000]),
            st.just([10_000, 3, 2, 10_000]),
        )
    )
    stream_of = np.random.default_rng(draw(st.integers(0, 2**32)))
    records = draw(st.integers(1, 40))
    few = np.stack([stream_of.integers(0, size, 1 + records // 3) for size in sizes])
    codes = few[:, stream_of.integers(0, few.shape[1], records)]
    # Neighbours that differ in one variable only: what a key that is too short would merge.
    for _ in range(draw(st.integers(0, 6))):
        j = int(stream_of.integers(len(sizes)))
        codes[j, stream_of.integers(records)] = stream_of.choice([0, sizes[j] - 1])
    narrow = np.min_scalar_type(max(sizes) - 1)
    return Coded(codes.astype(narrow), tuple(sizes), (-1,) * len(sizes))


def grouped(codes):
    rows = list(map(tuple, codes.T.tolist()))
    of_row = Counter(rows)
    return [of_row[row] for row in rows]


@settings(max_examples=EXAMPLES)
@given(wide(), st.integers(1, 3))
def test_keys_are_exact_whatever_the_product_of_categories(coded, jobs):
    want = grouped(coded.codes)
    for method in find.WAYS:
        if method == "t1" and sum(coded.sizes) > 25_000:
            continue  # thousands of windows: right, and slow
        if method == "catalogue" and np.prod([float(size) for size in coded.sizes]) > 1e6:
            continue
        found = find.find(coded, 2, method, jobs)
        assert found.counts.tolist() == want, method
        assert found.tally.sum() == len(set(map(tuple, coded.codes.T.tolist())))


@settings(max_examples=EXAMPLES)
@given(wide(), st.integers(1, 9), st.integers(0, 3), st.sampled_from([100, 10**6]))
def test_a_stream_in_any_batches_and_shares_agrees(coded, rows, k, most):
    k += 1

    def batches():
        for first in range(0, coded.records, rows):
            yield coded.take(np.arange(first, min(first + rows, coded.records)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream, "FIRST_SLOTS", 4)
        found = stream.stream(batches, k, drop=False, most=most)
    want = grouped(coded.codes)
    few = [r for r, c in enumerate(want) if c <= k]
    assert found.rows.tolist() == few
    assert found.counts.tolist() == [want[r] for r in few]
    assert found.counted.records == coded.records
    assert found.counted.smallest == min(want)


@settings(max_examples=EXAMPLES)
@given(wide())
def test_sums_are_those_of_the_paper_and_decode_back(coded):
    rows = coded.codes.T.tolist()
    for transform, plain_sum in (("t1", oracle.t1_sum), ("t2", oracle.t2_sum)):
        if transform == "t1" and sum(coded.sizes) > 25_000:
            continue
        sums = transforms.sums_of(coded, transform).tolist()
        assert sums == [plain_sum(row, coded.sizes) for row in rows]
        assert max(sums).bit_length() <= transforms.bits_of(coded.sizes, transform)
        if transforms.bits_of(coded.sizes, transform) <= 64:
            assert transforms.keys_of(coded, transform, 1).tolist() == sums
        assert len(set(sums)) == len(set(map(tuple, rows)))
    for total, row in zip(transforms.sums_of(coded, "t2").tolist(), rows, strict=True):
        decoded = []
        for size in coded.sizes:
            total, code = divmod(total, size)  # noqa: PLW2901  # digit by digit
            decoded.append(code)
        assert decoded == row


@pytest.mark.parametrize("jobs", [1, 2, 3])
@pytest.mark.parametrize("sizes", [(3, 4, 5), (300, 500), (2**31, 2**31, 8)])
def test_many_records_in_many_rounds_and_partitions(sizes, jobs):
    draw = np.random.default_rng(7)
    many = draw.integers(0, 30_000, 2 * ROUND + 30_000)
    codes = np.stack([draw.integers(0, size, 30_000)[many] for size in sizes])
    coded = Coded(codes.astype(np.uint32), sizes, (-1,) * len(sizes))
    _, inverse, count = np.unique(codes, axis=1, return_inverse=True, return_counts=True)
    want = count[inverse]
    for method in ("t2", "sort"):
        found = find.find(coded, 2, method, jobs)
        assert (found.counts == want).all()
        assert found.tally.tolist() == find.tally_of(count, 2).tolist()


def test_one_huge_cell_and_no_record():
    codes = np.zeros((2, 100_000), np.uint8)
    codes[0, 5] = 1
    found = find.find(Coded(codes, (2, 1), (-1, -1)), 1, "t2", 2)
    assert found.tally.tolist() == [0, 1, *[0] * 9, 1]
    for method in find.WAYS:
        assert find.find(Coded(codes[:, :0], (2, 1), (-1, -1)), 1, method, 2).tally.sum() == 0


def test_a_catalogue_that_would_be_too_big_is_refused():
    coded = Coded(np.zeros((4, 3), np.uint16), (10_000,) * 4, (-1,) * 4)
    with pytest.raises(CapacityError, match="counter for each possible cell"):
        find.find(coded, 2, "catalogue", 1)


@settings(max_examples=EXAMPLES)
@given(tables(5, 10), st.integers(1, 5), st.sampled_from(["category", "drop", "wildcard"]))
def test_minimal_sets_are_those_of_the_definition(records, size, missing):
    frame, names = frame_of(records)
    found = ri.minimal_uniques(frame, names, size=size, key="id", missing=missing, jobs=2)
    reach = min(size, len(names))
    sets = oracle.minimal_sets(plain(records), reach, missing)
    listed = [
        (r + 1, f"r{r}", len(one), [f"v{j}" for j in one])
        for r, mine in enumerate(sets)
        for one in mine
    ]
    got = found.sets.select("record", "key_id", "size", "variables").rows()
    assert sorted(got) == sorted(listed)
    scores = [oracle.score(mine, len(names), size) for mine in sets]
    assert found.scores.tolist() == scores
    assert found.records == sum(map(bool, sets))
    counts = oracle.counts(plain(records), missing)
    assert found.beyond == sum(c == 1 and not mine for c, mine in zip(counts, sets, strict=True))
    assert np.isnan(found.dis).tolist() == [not mine for mine in sets]
    assert all(0 < dis <= 1 for dis in found.dis[~np.isnan(found.dis)])
    total = sum(scores)
    for j, name in enumerate(names):
        mine = sum(
            oracle.score([one], len(names), size) for held in sets for one in held if j in one
        )
        share = found.contributions[name]
        assert share == (pytest.approx(100 * mine / total) if total else None)
        values = found.values.filter(pl.col("variable") == name)
        assert values["share"].sum() == pytest.approx(share or 0.0)


@pytest.mark.parametrize("missing", ["category", "wildcard"])
def test_minimal_sets_of_many_small_files(missing):
    """Files with many missing values, where a record is company in several parts of a cell."""
    draw = np.random.default_rng(11)
    for _ in range(300):
        variables, n = int(draw.integers(2, 6)), int(draw.integers(2, 9))
        codes = draw.integers(0, 4, (variables, n)).astype(np.uint8)
        records = [tuple(None if c == 3 else str(c) for c in row) for row in codes.T.tolist()]
        whole = Coded(codes, (4,) * variables, (3,) * variables)
        found = minimal_sets(whole, variables, local(), wildcard=missing == "wildcard")
        sets = oracle.minimal_sets(records, variables, missing)
        want = [(r, sum(1 << j for j in one)) for r, mine in enumerate(sets) for one in mine]
        assert sorted(zip(found.rows.tolist(), found.masks.tolist(), strict=True)) == sorted(want)


@settings(max_examples=EXAMPLES)
@given(tables(5, 10), st.sampled_from(["category", "drop", "wildcard"]))
def test_a_record_has_a_minimal_set_iff_it_is_unique_on_all_variables(records, missing):
    frame, names = frame_of(records)
    found = ri.minimal_uniques(frame, names, size=len(names), missing=missing)
    unique = ri.uniques(frame, names, k=1, missing=missing).counts == 1
    if missing == "wildcard":
        # Alone in the file and without any value: no variable tells it apart.
        unique &= np.array([any(value for value in record) for record in records])
    assert ((found.scores > 0) == unique).all()


@pytest.mark.parametrize("variables", [2, 64])
def test_minimal_sets_of_the_last_of_64_variables(variables):
    codes = np.zeros((variables, 4), np.uint8)
    codes[-1] = [0, 0, 0, 1]
    codes[0] = [0, 0, 1, 1]
    found = minimal_sets(
        Coded(codes, (2,) * variables, (-1,) * variables), 2, local(), wildcard=False
    )
    assert found.rows.tolist() == [2, 3]
    assert found.masks.tolist() == [1 + 2 ** (variables - 1), 2 ** (variables - 1)]


@settings(max_examples=EXAMPLES)
@given(st.integers(1, 300), st.floats(0.5, 1e7))
def test_individual_risk_is_the_expectation(f, scale):
    weight = f * scale
    assert individual_risk(np.array([f]), np.array([weight]))[0] == pytest.approx(
        oracle.risk(f, weight), rel=1e-9
    )


@settings(max_examples=EXAMPLES)
@given(tables(), st.randoms(use_true_random=False), st.integers(1, 3))
def test_order_of_records_and_of_variables_and_names_of_values_do_not_matter(records, draw, k):
    frame, names = frame_of(records)
    weight = [draw.uniform(1, 50) for _ in records]
    frame = frame.with_columns(pl.Series("w", weight), pl.Series("h", [w < 20 for w in weight]))
    how = {"k": k, "key": "id", "weight": "w", "household": "h", "minimal": 3}
    want = ri.uniques(frame, names, **how)
    rows = draw.sample(range(len(records)), len(records))
    order = draw.sample(names, len(names))
    other = frame[rows].with_columns(
        pl.col(names).replace({"a": "z", "b": "y", "c": "x", "d": "w"})
    )
    got = ri.uniques(other, order, **how)
    assert got.counts.tolist() == want.counts[rows].tolist()
    assert got.risk.records.tolist() == want.risk.records[rows].tolist()
    assert got.risk.to_dict() == want.risk.to_dict()
    assert got.minimal.scores.tolist() == want.minimal.scores[rows].tolist()
    assert got.minimal.contributions == {
        name: pytest.approx(share) for name, share in want.minimal.contributions.items()
    }
    assert got.by_count == want.by_count
    more = ri.uniques(frame, names, k=k + 1)
    assert more.unique_records >= want.unique_records
