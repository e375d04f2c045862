"""Random content of results.json, consistent as a run's would be, for pages to be held against."""

from hypothesis import strategies as st

from reident.model.rates import percent, wilson

METHODS = ("taxicab", "unicity", "euclidean", "adhoc", "microagg_interval", "euc1")
BARS = 20
HOSTILE = (
    "<script>document.title='owned'</script>{{7*7}}\"'--></style><img src=x onerror=alert(1)>=cmd"
)
"""A text that would act wherever it is not taken for one."""
MANIFEST = {
    "inputs": {
        "puf": {"name": "puf.csv", "bytes": 99, "sha256": "ab" * 32, "records": 2000},
        "eif": {"name": "DataFrame in memory", "bytes": None, "sha256": None, "records": 2400},
    },
    "versions": {"reident": "0.1.0", "numpy": "2.4.6"},
    "engine": "local",
    "jobs": 2,
    "timings": {"read": 3.0, "encode": 3.0, "attacks": {"unicity": 24.0, "taxicab": 30.0}},
    "machine": {"python": "3.11.0"},
}
"""What stands in manifest.json of a made-up run."""
NAMES = st.text("abc<&'\"{=é ", min_size=1, max_size=6)
EITHER = st.booleans()
FEW = st.one_of(st.integers(0, 15), st.integers(20, 400), st.integers(50, 200))
"""Counts on both sides of the usual small cell."""


@st.composite
def studies(draw, *, strata=EITHER, counts=FEW):
    """The content of results.json of a study with one to four attacks."""
    known = draw(st.booleans())
    sizes = draw(_strata(counts)) if draw(strata) else []
    missing = draw(st.integers(0, 30)) if sizes else draw(counts)
    puf = sum(n for n, _ in sizes) + missing
    eif = sum(e for _, e in sizes) + (draw(st.integers(0, 30)) if sizes else draw(counts))
    labels = draw(st.lists(st.sampled_from(METHODS), min_size=1, max_size=4, unique=True))
    attacks = {
        label: draw(_attack(label, puf, sizes, known=known, counts=counts)) for label in labels
    }
    overlap = max([a["confirmed"] for a in attacks.values()] if known else [0])
    return {
        "schema": 1,
        "title": draw(NAMES),
        "marking": draw(st.none() | NAMES),
        "approval": draw(st.none() | NAMES),
        "seed": draw(st.integers(0, 2**31)),
        "puf_records": puf,
        "eif_records": eif,
        "truth_pairs": overlap if known else None,
        "truth_unknown": {"puf": draw(counts), "eif": 0} if known else None,
        "truth_pairs_split": 0 if known else None,
        "overlap": overlap if known else None,
        "true_pair_agreement": [
            {"variable": "v", "equal": draw(counts), "different": draw(counts), "missing_puf": 0,
             "missing_eif": draw(counts)}
        ] if known else [],
        "variables": [{"name": "v", "kind": "numeric"}],
        "strata": ["state"] if sizes else [],
        "limits": draw(_limits(attacks)),
        "attacks": attacks,
        "utility": None,
        "notes": [],
    }  # fmt: skip


@st.composite
def _strata(draw, counts):
    return draw(st.lists(st.tuples(counts, counts), min_size=1, max_size=7))


@st.composite
def _limits(draw, attacks):
    label = draw(st.sampled_from(list(attacks)))
    value = attacks[label]["suspected_rate"]
    limit = draw(st.floats(0, 100).map(lambda x: round(x, 2)))
    exceeded = value is not None and value > limit
    one = {"attack": label, "rate": "suspected_rate", "limit": limit, "value": value,
           "exceeded": exceeded}  # fmt: skip
    return draw(st.sampled_from([[], [one]]))


@st.composite
def _attack(draw, method, puf, sizes, *, known, counts):
    rows = [draw(_stratum(place, *size, known=known)) for place, size in enumerate(sizes)]
    rows.sort(key=lambda row: -row["puf_records"])
    suspected = sum(r["suspected"] for r in rows) if rows else draw(st.integers(0, puf))
    confirmed = None
    if known:
        confirmed = sum(r["confirmed"] for r in rows) if rows else draw(st.integers(0, suspected))
    pairs = suspected + draw(counts)
    ranked = method in {"taxicab", "euclidean", "adhoc"}
    base = draw(st.floats(0.001, 50)) if known and suspected else None

    def part(whole):
        return draw(st.integers(0, whole)) if known else None

    def rows_of(key, values, **names):
        return [{key: v, names["whole"]: (n := draw(counts)), "confirmed": part(n)} for v in values]

    bars = st.lists(counts, min_size=BARS, max_size=BARS)
    return {
        "method": method,
        "options": {"keep": 5, "variables": []},
        "compared": draw(st.integers(suspected, max(puf, suspected))),
        "set_aside": [],
        "suspected": suspected,
        "confirmed": confirmed,
        "recall": percent(confirmed, confirmed),
        "give_ups": None,
        "pairs": pairs,
        "confirmed_pairs": confirmed,
        "suspected_rate": percent(suspected, puf),
        "confirmed_rate": percent(confirmed, puf),
        "conditional_rate": percent(confirmed, suspected),
        "conditional_interval": list(wilson(confirmed, suspected)) if known and suspected else None,
        "pair_precision": percent(confirmed, pairs),
        "expected_confirmed": None,
        "expected_rate": None,
        "baseline_confirmed": base,
        "lift": None if base is None else confirmed / base,
        "passing_records": draw(counts) if ranked else None,
        "tied_out": draw(counts) if ranked else None,
        "tied_out_true": part(draw(counts)) if ranked else None,
        "first_rank_sizes": [{"size": s, "records": draw(counts)} for s in (1, 2, None)]
        if ranked
        else [],
        "by_rank": rows_of("rank", (1, 2), whole="pairs") if ranked else [],
        "by_order": rows_of("order", (1, 2, None), whole="suspected")
        if method == "unicity"
        else [],
        "readings": rows_of("reading", ("all", "highest"), whole="suspected")
        if method == "unicity"
        else [],
        "steps": [
            {"variable": "v", "candidates": draw(st.floats(0, 99)),
             "suspected": (n := draw(counts)), "confirmed": (c := part(n)),
             "confirmed_rate": percent(c, puf)}
        ] if method.startswith("microagg") else [],
        "uniques": {"puf": draw(counts), "eif": draw(counts)} if method == "unicity" else None,
        "by_stratum": rows,
        "histogram": {
            "bins": BARS, "top": 1.0, "threshold": 0.25,
            "truth": draw(bars) if known else None,
            "suspected_false": draw(bars) if known else None,
            "random_other": draw(bars), "random_pairs": 100000,
        } if ranked else None,
        "notes": [],
    }  # fmt: skip


@st.composite
def _stratum(draw, place, puf, eif, *, known):
    # Nobody is suspected where there is nobody to link to.
    suspected = draw(st.integers(0, puf)) if eif else 0
    confirmed = draw(st.integers(0, suspected)) if known else None
    return {
        "stratum": {"state": f"S{place}"},
        "puf_records": puf,
        "eif_records": eif,
        "suspected": suspected,
        "confirmed": confirmed,
        "pairs": suspected,
        "suspected_rate": percent(suspected, puf),
        "confirmed_rate": percent(confirmed, puf),
        "conditional_rate": percent(confirmed, suspected),
    }
