"""A small study as a plain value, for the oracle, for the Python API and for files."""

import csv
import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl
import tomlkit

import case_features
from reident import oracle

METHODS = ("unicity", "taxicab", "euclidean", "adhoc")
GUESSES = ("identify_rand", "identify_sa", "identify_sort", "identify_sa21", "euc1", "euc2")
SEED = 1
DTYPES = {
    "text": pl.String,
    "category": pl.Categorical,
    "float": pl.Float64,
    "int": pl.Int64,
    "bool": pl.Boolean,
    "date": pl.Date,
    "moment": pl.Datetime("us"),
}


@dataclass(frozen=True, kw_only=True)
class Linking:
    """A linking variable of a case: its columns, how each file stores it, its codes."""

    name: str
    kind: str
    puf: str
    eif: str
    puf_store: str
    eif_store: str
    missing: tuple[str, ...] = ()
    not_applicable: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Case:
    """A whole study as plain values. Rows are dicts of raw values in no particular order."""

    puf: tuple[dict[str, Any], ...]
    eif: tuple[dict[str, Any], ...]
    iuf: tuple[dict[str, Any], ...] | None
    puf_key: tuple[str, ...]
    eif_key: tuple[str, ...]
    iuf_puf_key: tuple[str, ...]
    iuf_eif_key: tuple[str, ...]
    variables: tuple[Linking, ...]
    strata: tuple[tuple[str, str], ...]
    attacks: dict[str, dict[str, Any]]
    puf_missing: tuple[str, ...] = ()
    eif_missing: tuple[str, ...] = ()
    formats: tuple[str, str, str] = ("csv", "csv", "csv")
    stores: dict[str, dict[str, str]] = dataclasses.field(default_factory=dict)

    # What the oracle needs

    @property
    def oracle_variables(self) -> list[oracle.Variable]:
        return [
            oracle.Variable(
                name=one.name,
                kind=one.kind,
                missing_puf=one.missing + self.puf_missing,
                missing_eif=one.missing + self.eif_missing,
                not_applicable=one.not_applicable,
            )
            for one in self.variables
        ]

    @property
    def oracle_attacks(self) -> dict[str, dict[str, Any]]:
        attacks = self.attacks or {method: {} for method in METHODS[:3]}
        return {
            label: {"method": label} | options | {"seed": SEED, "label": label}
            for label, options in attacks.items()
        }

    def records(self, file: str) -> list[oracle.Record]:
        """The records of one file, "puf" or "eif", as the oracle takes them."""
        rows, key, codes = (
            (self.puf, self.puf_key, self.puf_missing)
            if file == "puf"
            else (self.eif, self.eif_key, self.eif_missing)
        )
        columns = [getattr(one, file) for one in self.variables]
        strata = [pair[0 if file == "puf" else 1] for pair in self.strata]
        return [
            oracle.Record(
                key=tuple(oracle.text_of(row[name]) for name in key),
                stratum=tuple(oracle.stratum_text(row[name], codes) for name in strata),
                values=tuple(row[name] for name in columns),
            )
            for row in rows
        ]

    @property
    def truth(self) -> list[tuple[oracle.Key, oracle.Key]] | None:
        if self.iuf is None:
            return None
        return [
            (
                tuple(oracle.text_of(row[name]) for name in self.iuf_puf_key),
                tuple(oracle.text_of(row[name]) for name in self.iuf_eif_key),
            )
            for row in self.iuf
        ]

    @cached_property
    def judged(self) -> dict[str, Any]:
        return oracle.study(
            self.records("puf"),
            self.records("eif"),
            self.truth,
            self.oracle_variables,
            self.oracle_attacks,
            [puf for puf, _ in self.strata],
        )

    def oracle(self) -> dict[str, Any]:
        """What the oracle says about the case; worked out once, so not to be changed."""
        return self.judged

    # What the product needs

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame | None]:
        """PUF, EIF and IUF as polars frames, rows as drawn."""
        puf, eif, iuf = (
            None
            if rows is None
            else pl.DataFrame(
                list(rows),
                schema={name: DTYPES[store] for name, store in self.stores[file].items()},
                strict=True,
            )
            for file, rows in (("puf", self.puf), ("eif", self.eif), ("iuf", self.iuf))
        )
        assert puf is not None
        assert eif is not None
        return puf, eif, iuf

    def study(self) -> Any:
        """The case as a study of the Python API."""
        import reident as ri
        from reident.model import options as attack_options

        puf, eif, iuf = self.frames()
        attacks = {}
        for label, options in self.attacks.items():
            given = {name: value for name, value in options.items() if name != "method"}
            attacks[label] = attack_options.METHODS[options.get("method", label)](**given)
        makers = {"numeric": ri.numeric, "categorical": ri.categorical, "date": ri.date}
        truth = None
        if iuf is not None:
            truth = ri.TruthFile(
                iuf, puf_key=list(self.iuf_puf_key), eif_key=list(self.iuf_eif_key)
            )
        more: dict[str, Any] = {"attacks": attacks} if attacks else {}
        return ri.Study(
            puf=ri.PublicFile(puf, key=list(self.puf_key), missing=list(self.puf_missing)),
            eif=ri.IntruderFile(eif, key=list(self.eif_key), missing=list(self.eif_missing)),
            truth=truth,
            variables=[
                makers[one.kind](
                    one.name,
                    puf=one.puf,
                    eif=one.eif,
                    missing=list(one.missing),
                    not_applicable=list(one.not_applicable),
                )
                for one in self.variables
            ],
            strata=[puf if puf == eif else {"puf": puf, "eif": eif} for puf, eif in self.strata],
            seed=SEED,
            **more,
        )

    def write(self, folder: Path) -> Path:
        """The case as files and a study.toml in a folder; returns the path of the latter."""
        names = []
        for file, frame, ending in zip(
            ("puf", "eif", "iuf"), self.frames(), self.formats, strict=True
        ):
            names.append(f"{file}.{ending}")
            if frame is None:
                continue
            if ending == "parquet":
                frame.write_parquet(folder / names[-1])
            else:
                write_csv(folder / names[-1], frame.columns, getattr(self, file))
        path = folder / "study.toml"
        path.write_text(tomlkit.dumps(self.document(names)), encoding="utf-8")
        return path

    def document(self, names: list[str]) -> dict[str, Any]:
        """The content of study.toml."""
        document: dict[str, Any] = {"schema": 1, "title": "drawn", "seed": SEED}
        document["puf"] = {"path": names[0], "key": one_or_list(self.puf_key)}
        document["eif"] = {"path": names[1], "key": one_or_list(self.eif_key)}
        for file, codes in (("puf", self.puf_missing), ("eif", self.eif_missing)):
            if codes:
                document[file]["missing"] = list(codes)
        if self.iuf is not None:
            document["iuf"] = {"path": names[2]}
            own = (self.puf_key, self.eif_key) == (self.iuf_puf_key, self.iuf_eif_key)
            if not own or set(self.puf_key) & set(self.eif_key):
                document["iuf"]["puf_key"] = list(self.iuf_puf_key)
                document["iuf"]["eif_key"] = list(self.iuf_eif_key)
        document["variables"] = {one.name: variable_entry(one) for one in self.variables}
        if self.strata:
            by = [puf if puf == eif else {"puf": puf, "eif": eif} for puf, eif in self.strata]
            document["strata"] = {"by": by}
        if self.attacks:
            document["attacks"] = self.attacks
        return document

    def features(self) -> set[str]:
        """Names of what this case contains, so that a run can show what it met."""
        return case_features.features(self)


def one_or_list(names: tuple[str, ...]) -> str | list[str]:
    return names[0] if len(names) == 1 else list(names)


def variable_entry(one: Linking) -> str | dict[str, Any]:
    """A variable as study.toml writes it: the kind alone where that says everything."""
    # In one line: a table of its own would stand behind the others, and so change the order.
    entry: dict[str, Any] = tomlkit.inline_table()
    entry["kind"] = one.kind
    if one.puf != one.name:
        entry["puf"] = one.puf
    if one.eif != one.name:
        entry["eif"] = one.eif
    if one.missing:
        entry["missing"] = list(one.missing)
    if one.not_applicable:
        entry["not_applicable"] = list(one.not_applicable)
    return one.kind if len(entry) == 1 else entry


def write_csv(path: Path, columns: list[str], rows: tuple[dict[str, Any], ...]) -> None:
    """A CSV file of the texts of the values; a missing value is an empty field."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            values = [row[name] for name in columns]
            missing = [
                value is None or (isinstance(value, float) and math.isnan(value))
                for value in values
            ]
            writer.writerow(
                "" if gone else oracle.text_of(value)
                for value, gone in zip(values, missing, strict=True)
            )
