"""Both files made ready for one attack.

Primer 2.1, step 1; 2.2.1, step 1; 2.2.2, step 3 (moments of the PUF); 3 (strata). Sorting apart,
the time is linear in the files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import microagg
from .bins import binned, numbers_in
from .moments import spread_of
from .rules import Adhoc
from .scores import Euclidean, Metric, Taxicab
from .values import (
    Cell,
    Cells,
    Key,
    Record,
    Stratum,
    Variable,
    as_written,
    cells_of,
    in_key_order,
)

GUESSES = ("identify_rand", "identify_sa", "identify_sort", "identify_sa21", "euc1", "euc2")
"""Methods that make one guess for each PUF record, and have neither metric nor ranks."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A record with its cells instead of its raw values."""

    key: Key
    stratum: Stratum
    cells: Cells


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """Everything an attack needs: rows in key order, by key and by stratum, and the metric.

    A stratum with a missing value is none: its rows are in ``puf`` and ``eif`` only. ``metric`` is
    that of the whole study (None for unicity and guesses); ``own_metrics`` has those of single
    strata where the attack scales each stratum by itself. ``names`` are those of the variables;
    ``bounds`` the intervals of released values, for attacks that have any.
    """

    method: str
    options: Mapping[str, Any]
    used: Sequence[Variable]
    v: int
    puf: Mapping[Key, Row]
    eif: Mapping[Key, Row]
    puf_strata: Mapping[Stratum, Sequence[Row]]
    eif_strata: Mapping[Stratum, Sequence[Row]]
    metric: Metric | None
    own_metrics: Mapping[Stratum, Metric]
    names: Sequence[str] = ()
    bounds: Sequence[microagg.Bounds] = ()

    @property
    def microaggregated(self) -> bool:
        """Whether the attack is one on micro-aggregated values."""
        return self.method.startswith(microagg.PREFIX)

    @property
    def keep(self) -> int:
        """The largest number of pairs kept for a PUF record (Primer 2.2, step 5)."""
        return int(self.options.get("keep", 5))

    @property
    def reading(self) -> str:
        """The reading of unicity that counts."""
        return str(self.options.get("interactions", "all"))

    def metric_in(self, stratum: Stratum) -> Metric:
        """The metric by which the pairs of a stratum are scored."""
        metric = self.own_metrics.get(stratum, self.metric)
        if metric is None:
            raise ValueError("unicity has no metric")
        return metric


def prepare(
    puf: Sequence[Record],
    eif: Sequence[Record],
    variables: Sequence[Variable],
    options: Mapping[str, Any],
) -> Prepared:
    """Cells, bins or spreads, and strata of both files for one attack (Primer 2.1-2.2, step 1)."""
    method = options["method"]
    if method.startswith(microagg.PREFIX):
        return prepare_microagg(puf, eif, variables, options)
    chosen = options.get("variables") or [variable.name for variable in variables]
    used = [variable for variable in variables if variable.name in chosen]
    puf_rows = rows_of(puf, variables, used, "puf")
    eif_rows = rows_of(eif, variables, used, "eif")
    if method in ("unicity", "taxicab"):
        puf_rows, eif_rows = binned_rows(puf_rows, eif_rows, used, options)
    puf_strata, eif_strata = by_stratum(puf_rows), by_stratum(eif_rows)
    metric, own_metrics = None, {}
    if method not in ("unicity", *GUESSES):
        metric = metric_of(puf_rows, used, options)
        if options.get("scale", "study") == "stratum":
            for stratum, rows in puf_strata.items():
                own_metrics[stratum] = metric_of(rows, used, options)
    return Prepared(
        method=method,
        options=options,
        used=used,
        v=len(used),
        puf={row.key: row for row in puf_rows},
        eif={row.key: row for row in eif_rows},
        puf_strata=puf_strata,
        eif_strata=eif_strata,
        metric=metric,
        own_metrics=own_metrics,
    )


def prepare_microagg(
    puf: Sequence[Record],
    eif: Sequence[Record],
    variables: Sequence[Variable],
    options: Mapping[str, Any],
) -> Prepared:
    """Rows of the variables that an attack of Winkler compares, in its order, and intervals."""
    method = options["method"]
    default = "uncorrelated" if method in microagg.STEPPED else "all"
    chosen = options.get("variables") or default
    if isinstance(chosen, str):
        used = [variable for variable in variables if variable.kind != "categorical"]
    else:
        used = [next(one for one in variables if one.name == name) for name in chosen]
    if chosen == "uncorrelated":
        cells = [row.cells for row in rows_of(puf, variables, used, "puf")]
        columns = [[row[j] for row in cells] for j in range(len(used))]
        used = [used[j] for j in microagg.uncorrelated(columns)]
    puf_rows, eif_rows = (
        rows_of(file, variables, used, name) for file, name in ((puf, "puf"), (eif, "eif"))
    )
    bounds: list[microagg.Bounds] = []
    if method in ("microagg_interval", "microagg_windows"):
        both = [
            [[row.cells[j] for row in rows] for j in range(len(used))]
            for rows in (puf_rows, eif_rows)
        ]
        radius = "midpoint"
        if method == "microagg_interval":
            radius = microagg.radius_of(options.get("radius", "auto"), *both)
        bounds = [
            microagg.bounds_of(radius, microagg.numbers(a), microagg.numbers(b))
            for a, b in zip(*both, strict=True)
        ]
    return Prepared(
        method=method,
        options=options,
        used=used,
        v=len(used),
        puf={row.key: row for row in puf_rows},
        eif={row.key: row for row in eif_rows},
        puf_strata=by_stratum(puf_rows),
        eif_strata=by_stratum(eif_rows),
        metric=None,
        own_metrics={},
        names=[variable.name for variable in used],
        bounds=bounds,
    )


def rows_of(
    records: Sequence[Record], variables: Sequence[Variable], used: Sequence[Variable], file: str
) -> list[Row]:
    """Records in key order with the cells of the attack's own variables."""
    positions = [variables.index(variable) for variable in used]
    rows = []
    for record in in_key_order(records):
        short = Record(key=record.key, values=tuple(record.values[i] for i in positions))
        cells = cells_of(short, used, file)
        rows.append(Row(key=record.key, stratum=record.stratum, cells=cells))
    return rows


def by_stratum(rows: Sequence[Row]) -> dict[Stratum, list[Row]]:
    """The rows of each stratum (Primer 3); a missing stratum value belongs to none."""
    strata: dict[Stratum, list[Row]] = {}
    for row in rows:
        if None not in row.stratum:
            strata.setdefault(row.stratum, []).append(row)
    return strata


def binned_rows(
    puf: Sequence[Row],
    eif: Sequence[Row],
    used: Sequence[Variable],
    options: Mapping[str, Any],
) -> tuple[list[Row], list[Row]]:
    """Numeric variables as categories (Primer 2.1, step 1), over the study or each stratum."""
    if options.get("scale", "study") == "study":
        return binned_group(puf, eif, used, options)
    strata = by_stratum(puf), by_stratum(eif)
    coded: tuple[dict[Key, Row], dict[Key, Row]] = ({}, {})
    for stratum in {**strata[0], **strata[1]}:
        both = binned_group(strata[0].get(stratum, []), strata[1].get(stratum, []), used, options)
        for codes, rows in zip(coded, both, strict=True):
            codes.update((row.key, row) for row in rows)
    # Rows without a stratum keep their numbers: they are compared with nothing.
    return [coded[0].get(row.key, row) for row in puf], [coded[1].get(row.key, row) for row in eif]


def binned_group(
    puf: Sequence[Row],
    eif: Sequence[Row],
    used: Sequence[Variable],
    options: Mapping[str, Any],
) -> tuple[list[Row], list[Row]]:
    """The rows of one group of records with every numeric variable binned."""
    columns: tuple[list[Sequence[Cell]], list[Sequence[Cell]]] = ([], [])
    for i, variable in enumerate(used):
        puf_column: Sequence[Cell] = [row.cells[i] for row in puf]
        eif_column: Sequence[Cell] = [row.cells[i] for row in eif]
        if variable.kind != "categorical":
            puf_column, eif_column = binned(
                puf_column,
                eif_column,
                bins=int(options.get("bins", 5)),
                method=options.get("bins_method", "quantile"),
                cuts=options.get("cuts", "puf"),
            )
        columns[0].append(puf_column)
        columns[1].append(eif_column)
    return recelled(puf, columns[0]), recelled(eif, columns[1])


def recelled(rows: Sequence[Row], columns: Sequence[Sequence[Cell]]) -> list[Row]:
    """The same rows with other cells, given column by column."""
    return [
        Row(key=row.key, stratum=row.stratum, cells=tuple(column[i] for column in columns))
        for i, row in enumerate(rows)
    ]


def metric_of(rows: Sequence[Row], used: Sequence[Variable], options: Mapping[str, Any]) -> Metric:
    """The metric of an attack; for euclidean the spreads are those of the PUF rows given."""
    method, v = options["method"], len(used)
    alpha = as_written(options.get("missing_score", 0.5))
    named = options.get("threshold", "paper")
    threshold = None if isinstance(named, str) else as_written(named)
    if method == "taxicab":
        return Taxicab(v=v, alpha=alpha, threshold=threshold)
    if method == "adhoc":
        rules = [options["rules"][variable.name] for variable in used]
        return Adhoc(v=v, rules=rules, threshold=threshold)
    if method != "euclidean":
        raise ValueError(f"unknown method: {method}")
    spreads = [
        spread_of(numbers_in([row.cells[i] for row in rows]))
        if variable.kind != "categorical"
        else None
        for i, variable in enumerate(used)
    ]
    return Euclidean(
        v=v, alpha=alpha, spreads=spreads, threshold=named if threshold is None else threshold
    )
