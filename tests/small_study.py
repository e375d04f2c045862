"""Studies of a few plain records, for laws that change one thing and compare what comes out.

A record is a tuple of cells, a cell a text, a number or None; records are known by their place.
`strategies.py` draws studies with everything in them, for the oracle to judge. Here a test must
be able to say what it changed.
"""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl
from hypothesis import strategies as st

import reident as ri

CATEGORICAL, NUMERIC = "categorical", "numeric"
KINDS = (CATEGORICAL, NUMERIC)
TYPES = {CATEGORICAL: pl.String, NUMERIC: pl.Float64}
TEXTS = ("a", "b", "c")
NUMBERS = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 40.0, -7.0)

LISTS_ALL = {"threshold": 2, "keep": 1000}
"""Options of taxicab and euclidean under which every pair is suspected, so that all scores show."""

Row = tuple[Any, ...]


STRATA_RENAMED = {"A": "north", "B": "Ω", "C": "1", None: None}


@dataclass(frozen=True, kw_only=True)
class Small:
    """Records of both files, true pairs by place, and a stratum for each record if any."""

    kinds: tuple[str, ...]
    puf: tuple[Row, ...]
    eif: tuple[Row, ...]
    truth: tuple[tuple[int, int], ...] | None = None
    puf_strata: tuple[str | None, ...] | None = None
    eif_strata: tuple[str | None, ...] | None = None

    @property
    def names(self) -> list[str]:
        return [f"v{place}" for place in range(len(self.kinds))]

    def study(self, **details: Any) -> ri.Study:
        """The study; `details` are further fields of it."""
        makers = {CATEGORICAL: ri.categorical, NUMERIC: ri.numeric}
        variables = [makers[kind](name) for kind, name in zip(self.kinds, self.names, strict=True)]
        truth = None
        if self.truth is not None:
            truth = ri.TruthFile(
                pl.DataFrame(
                    {
                        "p": [puf_key(p) for p, _ in self.truth],
                        "e": [eif_key(e) for _, e in self.truth],
                    },
                    schema={"p": pl.String, "e": pl.String},
                )
            )
        strata = {} if self.puf_strata is None else {"strata": ["s"]}
        return ri.Study(
            **{
                "puf": ri.PublicFile(self.frame("puf"), key="p"),
                "eif": ri.IntruderFile(self.frame("eif"), key="e"),
                "truth": truth,
                "variables": variables,
                **strata,
                **details,
            }
        )

    def frame(self, side: str) -> pl.DataFrame:
        """One file as a frame."""
        rows, strata, key, key_of = (
            (self.puf, self.puf_strata, "p", puf_key)
            if side == "puf"
            else (self.eif, self.eif_strata, "e", eif_key)
        )
        columns = {key: pl.Series([key_of(place) for place in range(len(rows))], dtype=pl.String)}
        for place, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True)):
            columns[name] = pl.Series([row[place] for row in rows], dtype=TYPES[kind])
        if strata is not None:
            columns["s"] = pl.Series(strata, dtype=pl.String)
        return pl.DataFrame(columns)

    def run(self, *attacks: Any, **details: Any) -> ri.StudyResult:
        return self.study(**details).run(*attacks)

    def scores(self, attack: Any) -> dict[tuple[int, int], float]:
        """The score of every suspected pair of one attack, by places."""
        return scores(self.run(attack)[attack.method])

    def pairs(self, attack: Any) -> set[tuple[int, int]]:
        """The suspected pairs of one attack, by places."""
        return set(self.scores(attack))

    def rules(self) -> dict[str, Any]:
        """Adhoc rules for the variables, some with ties and some with steps."""
        by_kind = {
            CATEGORICAL: {"equal": 5},
            NUMERIC: {"difference": [[0, 5], [1, 3.5], [4, 1]]},
        }
        return {name: by_kind[kind] for name, kind in zip(self.names, self.kinds, strict=True)}

    def four(self) -> list[Any]:
        """The four metrics with default options."""
        return [ri.Unicity(), ri.Taxicab(), ri.Euclidean(), ri.AdHoc(self.rules())]

    def swapped(self) -> "Small":
        """PUF and EIF in each other's place."""
        truth = None if self.truth is None else tuple((e, p) for p, e in self.truth)
        return replace(
            self,
            puf=self.eif,
            eif=self.puf,
            puf_strata=self.eif_strata,
            eif_strata=self.puf_strata,
            truth=truth,
        )

    def relabelled(self, names: list[dict[str, str]]) -> "Small":
        """Other names for categories, by variable, and for strata."""

        def renamed(row: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(
                own[cell] if isinstance(cell, str) else cell
                for own, cell in zip(names, row, strict=True)
            )

        assert self.puf_strata is not None
        assert self.eif_strata is not None
        return replace(
            self,
            puf=tuple(map(renamed, self.puf)),
            eif=tuple(map(renamed, self.eif)),
            puf_strata=tuple(STRATA_RENAMED[one] for one in self.puf_strata),
            eif_strata=tuple(STRATA_RENAMED[one] for one in self.eif_strata),
        )


@st.composite
def renamings(draw, small: Small):
    """The same study with its categories and strata called otherwise."""
    names = [
        dict(zip(TEXTS, draw(st.permutations(["zz", "é", "0"])), strict=True)) for _ in small.kinds
    ]
    return small.relabelled(names)


def puf_key(place: int) -> str:
    return f"p{place:03}"


def eif_key(place: int) -> str:
    return f"e{place:03}"


def place_of(key: str) -> int:
    return int(key[1:])


def scores(result: ri.AttackResult) -> dict[tuple[int, int], float]:
    """Pairs by place, with their scores."""
    rows = result.pairs.select("puf_p", "eif_e", "score").rows()
    found = {(place_of(p), place_of(e)): score for p, e, score in rows}
    assert len(found) == len(rows), "a pair is listed twice"
    return found


def ranks(result: ri.AttackResult) -> dict[tuple[int, int], tuple[int, int]]:
    """Rank and size of the rank group of each suspected pair, by places."""
    rows = result.pairs.select("puf_p", "eif_e", "rank", "tied").rows()
    return {(place_of(p), place_of(e)): (rank, tied) for p, e, rank, tied in rows}


@st.composite
def smalls(
    draw: Any,
    *,
    kinds: tuple[str, ...] = KINDS,
    missing: bool = True,
    truth: bool = False,
    strata: bool = False,
    records: int = 8,
    variables: int = 4,
    least: int = 1,
) -> Small:
    """Small studies with ties; `least` is the least number of records in a file."""
    chosen = tuple(draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=variables)))
    cells = {
        kind: st.sampled_from(
            (TEXTS if kind == CATEGORICAL else NUMBERS) + ((None,) if missing else ())
        )
        for kind in KINDS
    }
    rows = st.tuples(*(cells[kind] for kind in chosen))
    puf = draw(st.lists(rows, min_size=least, max_size=records))
    # Copies of PUF records make ties and true partners; new ones make near misses.
    eif = draw(st.lists(st.one_of(st.sampled_from(puf), rows), min_size=least, max_size=records))
    small = Small(kinds=chosen, puf=tuple(puf), eif=tuple(eif))
    if truth:
        places = st.tuples(st.integers(0, len(puf) - 1), st.integers(0, len(eif) - 1))
        small = replace(small, truth=tuple(draw(st.lists(places, min_size=1, max_size=8))))
    if strata:
        one = st.sampled_from(("A", "B", "C", None))
        small = replace(
            small,
            puf_strata=tuple(draw(st.lists(one, min_size=len(puf), max_size=len(puf)))),
            eif_strata=tuple(draw(st.lists(one, min_size=len(eif), max_size=len(eif)))),
        )
    return small
