"""The table of measurements: one entry a row. Adding a row is adding an entry.

A row says what is measured, on which data, against whom, and what is asked of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

SMALL, LARGE = 100_000, 1_000_000
NUMPY, POLARS = "numpy", "polars"


@dataclass(frozen=True, kw_only=True)
class Shape:
    """One study: an attack on a pair of files of so many records each.

    `data` names the population in data.py; `missing` is the share of cells that are blanked,
    `noise` that of the numbers of a release, in standard deviations.
    """

    attack: str
    data: str = "synthetic"
    records: int = SMALL
    categorical: int = 0
    numeric: int = 0
    missing: float = 0.03
    noise: float = 0.0

    @property
    def variables(self) -> int:
        """Linking variables of a made-up file."""
        return self.categorical + self.numeric


@dataclass(frozen=True, kw_only=True)
class Need:
    """What is asked for: at least `ratio` times as fast as the peers meant, at most the others.

    `against` names the peers that are meant; all of the row where it is empty.
    """

    ratio: float | None = None
    against: tuple[str, ...] = ()
    seconds: float | None = None
    gigabytes: float | None = None
    required: bool = True


NOTHING_ASKED = Need(required=False)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measurement against its peers, together with `reident plan` and `reident run`.

    `limit` is how many seconds a process may take before it counts as not finished.
    """

    name: str
    family: str
    shape: Shape
    peers: tuple[str, ...] = ()
    need: Need = NOTHING_ASKED
    limit: float = 900.0

    def smaller(self, records: int) -> Row:
        """The same row on files of at most so many records."""
        shape = replace(self.shape, records=min(records, self.shape.records))
        return replace(self, shape=shape)


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How seconds grow along a line of studies that differ in one number."""

    name: str
    attack: str
    along: str
    shapes: tuple[Shape, ...] = field(repr=False)
    limit: float = 300.0
    family: str = "growth"

    def smaller(self, records: int) -> Growth:
        """The same line on files of at most so many records, each point smaller alike."""
        largest = max(shape.records for shape in self.shapes)
        shrunk = (
            replace(shape, records=min(shape.records, max(20, records * shape.records // largest)))
            for shape in self.shapes
        )
        return replace(self, shapes=tuple(shrunk))


@dataclass(frozen=True, kw_only=True)
class Start:
    """Wall seconds of a command in a fresh process; `cold` gives it an empty kernel cache."""

    name: str
    command: tuple[str, ...]
    cold: bool
    need: Need
    family: str = "start"
    limit: float = 300.0

    def smaller(self, records: int) -> Start:
        """A command has no size."""
        del records
        return self


@dataclass(frozen=True, kw_only=True)
class Search:
    """Unique records of one file of so many records, against peers in the same process.

    Each need is of one peer.
    """

    name: str
    records: int
    variables: int
    needs: tuple[Need, ...]
    family: str = "uniques"
    limit: float = 900.0

    def smaller(self, records: int) -> Search:
        """The same search in at most so many records."""
        return replace(self, records=min(records, self.records))


@dataclass(frozen=True, kw_only=True)
class Keeping:
    """What checkpoints cost an attack; at most so many percent of its time are asked for."""

    name: str
    shape: Shape
    percent: float = 3.0
    family: str = "keeping"
    limit: float = 900.0

    def smaller(self, records: int) -> Keeping:
        """The same attack on files of at most so many records."""
        shape = replace(self.shape, records=min(records, self.shape.records))
        return replace(self, shape=shape)


@dataclass(frozen=True, kw_only=True)
class Oddities:
    """An attack on awkward files; so many times a plain pair are asked for at most."""

    name: str
    attack: str
    records: int
    times: float = 10.0
    family: str = "awkward"
    limit: float = 900.0

    def smaller(self, records: int) -> Oddities:
        """The same attack on files of at most so many records."""
        return replace(self, records=min(records, self.records))


def _taxicab(name: str, records: int, v: int, need: Need) -> Row:
    shape = Shape(attack="taxicab", records=records, categorical=v)
    return Row(name=name, family="taxicab", shape=shape, peers=(NUMPY,), need=need)


def _euclidean(name: str, records: int, numeric: int, categorical: int, need: Need) -> Row:
    shape = Shape(attack="euclidean", records=records, numeric=numeric, categorical=categorical)
    return Row(name=name, family="euclidean", shape=shape, peers=(NUMPY,), need=need)


def _unicity(name: str, records: int, v: int, need: Need, peers: tuple[str, ...] = ()) -> Row:
    shape = Shape(attack="unicity", records=records, categorical=v)
    return Row(name=name, family="unicity", shape=shape, peers=peers, need=need)


def _microagg(attack: str, size: str, records: int, seconds: float) -> Row:
    """Ten variables; the intruder's file is as large as the release, or deviates from it."""
    shape = Shape(attack=f"microagg_{attack}", data="microagg", records=records, numeric=10)
    return Row(
        name=f"microagg-{attack}-{size}-v10",
        family="microagg",
        shape=replace(shape, missing=0.0),
        need=Need(seconds=seconds),
    )


def _guess(name: str, attack: str, records: int, noise: float, need: Need) -> Row:
    """Everybody is released, with noise on twelve numbers; euc2 has no category to go by."""
    shape = Shape(attack=attack, data="guesses", records=records, numeric=12, noise=noise)
    categories = 0 if need.ratio else 4
    return Row(
        name=name,
        family="guesses",
        shape=replace(shape, categorical=categories, missing=0.0),
        peers=("scikit-learn",) if need.ratio else (),
        need=need,
    )


def _real(data: str, attack: str, records: int = SMALL) -> Row:
    """Real files; group-bys over all sets of their variables would take the peer for ever."""
    return Row(
        name=f"{data}-{attack}",
        family="real",
        shape=Shape(attack=attack, data=data, records=records, missing=0.0),
        peers=(NUMPY,) if attack in {"taxicab", "euclidean"} else (),
    )


MEASURED = (
    _taxicab("taxicab-1e5-v10", SMALL, 10, Need(ratio=200)),
    _taxicab("taxicab-1e5-v20", SMALL, 20, Need(ratio=150)),
    _taxicab("taxicab-1e6-v10", LARGE, 10, Need(seconds=10, gigabytes=1.5)),
    _taxicab("taxicab-1e6-v20", LARGE, 20, Need(seconds=30, gigabytes=1.5)),
    _euclidean("euclidean-1e5-6+6", SMALL, 6, 6, Need(ratio=200)),
    _euclidean("euclidean-1e5-11+1", SMALL, 11, 1, NOTHING_ASKED),
    _euclidean("euclidean-1e5-3+2", SMALL, 3, 2, NOTHING_ASKED),
    _euclidean("euclidean-1e6-6+6", LARGE, 6, 6, Need(seconds=240, required=False)),
    _euclidean("euclidean-1e6-3+2", LARGE, 3, 2, NOTHING_ASKED),
    Row(
        name="adhoc-1e5-v10",
        family="adhoc",
        shape=Shape(attack="adhoc", categorical=6, numeric=4),
        peers=(NUMPY,),
        need=Need(ratio=100),
    ),
    _unicity("unicity-1e5-v10", SMALL, 10, NOTHING_ASKED, (POLARS,)),
    _unicity("unicity-1e5-v13", SMALL, 13, Need(ratio=50), (POLARS,)),
    _unicity("unicity-1e5-v20", SMALL, 20, NOTHING_ASKED),
    _unicity("unicity-1e5-v30", SMALL, 30, Need(seconds=5)),
    _unicity("unicity-1e5-v64", SMALL, 64, Need(seconds=900, required=False)),
    _unicity("unicity-1e6-v13", LARGE, 13, Need(seconds=150, required=False)),
    _unicity("unicity-1e6-v20", LARGE, 20, NOTHING_ASKED),
    _unicity("unicity-1e6-v30", LARGE, 30, NOTHING_ASKED),
    _guess("euc2-1e5-v12-far", "euc2", SMALL, 1.0, Need(ratio=5, required=False)),
    _guess("euc2-1e5-v12-near", "euc2", SMALL, 0.02, Need(ratio=1, required=False)),
    _guess("euc2-8333-v12", "euc2", 8_333, 0.1, Need(seconds=2, required=False)),
    *(
        _guess(f"{attack}-1e6", attack, LARGE, 0.1, Need(seconds=10, required=False))
        for attack in ("identify_rand", "identify_sa", "identify_sort", "identify_sa21")
    ),
    *(
        _microagg(attack, size, records, seconds)
        for attack in ("interval", "nearest", "windows", "trimmed")
        for size, records, seconds in (("1e5", SMALL, 20), ("1e6", LARGE, 180))
    ),
    *(_real("nist-acs", attack) for attack in ("unicity", "taxicab", "euclidean")),
    *(_real("eusilc", attack, 30_000) for attack in ("unicity", "taxicab", "euclidean")),
    *(_real("ahs", attack) for attack in ("unicity", "taxicab", "euclidean", "strict", "adhoc")),
    Row(
        name="nearest-5e3",
        family="nearest",
        shape=Shape(attack="euclidean", records=5_000, numeric=6, categorical=6, missing=0.0),
        peers=("anonymeter", "sdmetrics", "recordlinkage", "scikit-learn"),
        need=Need(
            ratio=1_000, against=("anonymeter", "sdmetrics", "recordlinkage"), required=False
        ),
    ),
)

DOUBLING = (25_000, 50_000, 100_000, 200_000)
ONE_MORE = (10, 11, 12, 13, 14)
GROWING = {
    "taxicab": Shape(attack="taxicab", categorical=10),
    "euclidean": Shape(attack="euclidean", numeric=6, categorical=6),
    "adhoc": Shape(attack="adhoc", numeric=4, categorical=6),
    "unicity": Shape(attack="unicity", categorical=13),
}
GROWTH = (
    *(
        Growth(
            name=f"growth-{attack}-n",
            attack=attack,
            along="records",
            shapes=tuple(replace(shape, records=n) for n in DOUBLING),
        )
        for attack, shape in GROWING.items()
    ),
    *(
        Growth(
            name=f"growth-{attack}-v",
            attack=attack,
            along="variables",
            shapes=tuple(replace(shape, categorical=v - shape.numeric) for v in ONE_MORE),
        )
        for attack, shape in GROWING.items()
    ),
)

DEMO = ("demo", "--out", "demo", "--force")
STARTS = (
    Start(name="start-help", command=("--help",), cold=False, need=Need(seconds=0.5)),
    Start(name="start-demo-first", command=DEMO, cold=True, need=Need(seconds=25)),
    Start(name="start-demo-again", command=DEMO, cold=False, need=Need(seconds=6)),
)

SEARCHES = (
    Search(
        name="uniques-1e7-v20",
        records=10_000_000,
        variables=20,
        needs=(
            Need(ratio=4, against=("duckdb-cells",)),
            Need(ratio=8, against=("duckdb-flags",)),
            Need(ratio=4, against=("polars",)),
        ),
    ),
)

KEEPING = (
    Keeping(
        name="keeping-taxicab-1e6-v20",
        shape=Shape(attack="taxicab", records=LARGE, categorical=20),
    ),
)

AWKWARD = tuple(
    Oddities(name=f"awkward-{attack}", attack=attack, records=SMALL) for attack in GROWING
)

AnyRow = Row | Growth | Start | Search | Keeping | Oddities
ROWS: tuple[AnyRow, ...] = (*MEASURED, *SEARCHES, *GROWTH, *STARTS, *KEEPING, *AWKWARD)


def chosen(names: list[str]) -> list[AnyRow]:
    """The rows whose name or family begins with one of the names; all without a name."""
    return [
        row
        for row in ROWS
        if not names
        or any(row.name.startswith(name) or row.family.startswith(name) for name in names)
    ]
