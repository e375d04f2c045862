"""The façade: what a user of the Python package, and the command line, hold in hand."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from reident import disk, handover
from reident.audit import audit
from reident.encode.cells import number_table
from reident.engine.memory import give_back, refuse_beyond
from reident.engines import refuse_engine
from reident.errors import DataError, Fault, RefusalError, SpecError
from reident.guard import protect_options
from reident.haystack import haystack, look
from reident.io import kept, outputs
from reident.io.fingerprints import refuse_changed
from reident.io.intake import sources, take_in
from reident.io.room import need_of
from reident.io.saved import saved_text
from reident.io.spec import examine, read_study, read_text
from reident.io.tables import read_table, refuse_absent
from reident.loss import compare_files
from reident.masking import anonymise_file
from reident.model import result as results
from reident.model import study as model
from reident.model.files import SourceFile
from reident.model.microaggregated import Microaggregated, MicroaggregateOptions
from reident.model.variables import numeric
from reident.run import chosen, plan, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reident.engine.job import Watch
    from reident.model.anonymised import Anonymised
    from reident.model.engines import Spark
    from reident.model.notes import Note
    from reident.model.options import Attack
    from reident.model.protect import Protected
    from reident.model.uniques import MinimalUniques, Uniques
    from reident.model.utility import Utility
    from reident.report.charts import Chart


@dataclass(frozen=True, kw_only=True)
class StudyResult(results.StudyResult):
    """All that a study found. Index it by an attack's label; a notebook shows the rates.

    `charts` holds its pictures by name: `rates`, `funnel`, and for an attack `scores-LABEL`,
    `ranks-LABEL`, `ties-LABEL`, `orders-LABEL`, `steps-LABEL`, `strata-LABEL`. Each has `spec`
    (Vega-Lite), `svg`, `data` and `altair()`.
    """

    @classmethod
    def of(cls, result: results.StudyResult) -> Self:
        """The same result with the methods of the façade."""
        return cls(**{part.name: getattr(result, part.name) for part in fields(result)})

    def report(self, path: Path | str, *, audience: str = "internal", small_cell: int = 10) -> None:
        """Write the report as one page; for the "public" counts below `small_cell` are hidden."""
        disk.write_text(Path(path), _page(self, audience, small_cell))

    @cached_property
    def charts(self) -> Mapping[str, Chart]:
        """The pictures of the report, by name; each is drawn when it is asked for."""
        from reident.report.pictures import charts  # noqa: PLC0415  # only who looks waits

        return charts(self.to_dict())

    def to_polars(self) -> pl.DataFrame:
        """The suspected pairs of all attacks, by key: restricted."""
        return outputs.all_pairs(self)

    def _repr_html_(self) -> str:
        from reident.report.notebook import fragment  # noqa: PLC0415  # as above

        return fragment(self.to_dict())


class Study(model.Study):
    """A re-identification study: three files, linking variables, attacks.

    >>> import polars as pl
    >>> puf = pl.DataFrame({"pufid": ["a", "b"], "sex": ["f", "m"], "age": [31, 64]})
    >>> eif = pl.DataFrame({"eifid": ["x", "y"], "sex": ["f", "m"], "age": [31, 50]})
    >>> iuf = pl.DataFrame({"pufid": ["a"], "eifid": ["x"]})
    >>> from reident import IntruderFile, PublicFile, Taxicab, TruthFile, categorical, numeric
    >>> study = Study(
    ...     puf=PublicFile(puf, key="pufid"),
    ...     eif=IntruderFile(eif, key="eifid"),
    ...     truth=TruthFile(iuf),
    ...     variables=[categorical("sex"), numeric("age")],
    ... )
    >>> study.run(Taxicab())["taxicab"].rates.conditional
    50.0
    """

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read a study file; all its faults are reported at once."""
        study = read_study(path)
        return cls(**{name: getattr(study, name) for name in type(study).model_fields})

    def run(
        self,
        *attacks: Attack,
        jobs: int = 1,
        unperturbed: bool = False,
        watch: Watch | None = None,
        engine: Spark | None = None,
    ) -> StudyResult:
        """Run the given attacks, each labelled by its method, or the study's own.

        `jobs` is the number of threads, `watch` is called with progress, `engine` may be a cluster;
        none of them changes the result. `unperturbed` uses the IUF's values in place of the PUF's.
        """
        study = self
        if attacks:
            study = self._with(attacks)
        refuse_engine(engine, study)
        taken = take_in(study, unperturbed=unperturbed)
        return StudyResult.of(
            run(study, taken, jobs=jobs, unperturbed=unperturbed, watch=watch, engine=engine)
        )

    def _with(self, attacks: Sequence[Attack]) -> Self:
        """The same study with other attacks, checked like its own."""
        methods = [attack.method for attack in attacks]
        twice = sorted({method for method in methods if methods.count(method) > 1})
        if twice:
            raise SpecError(
                *(
                    Fault(
                        where=f"run, {method}",
                        found="two attacks of one method",
                        remedy="Give them labels: Study(attacks={label: attack, ...})",
                    )
                    for method in twice
                )
            )
        parts = {name: getattr(self, name) for name in type(self).model_fields}
        chosen_attacks = {attack.method: attack for attack in attacks}
        limits = {name: v for name, v in self.limits.items() if not name or name in chosen_attacks}
        return type(self)(**parts | {"attacks": chosen_attacks, "limits": limits})

    def run_to(  # noqa: PLR0913  # the flags of a whole study
        self,
        folder: Path | str,
        *,
        only: Sequence[str] = (),
        jobs: int = 1,
        audit_records: int = 0,
        unperturbed: bool = False,
        force: bool = False,
        resume: bool = False,
        memory: int | None = None,
        watch: Watch | None = None,
        engine: Spark | None = None,
    ) -> StudyResult:
        """Run the study and write its run folder; nothing is written if anything is wrong.

        `only` names the attacks by label. `audit_records` PUF records are derived again by the
        plain oracle. A finished run is replaced only by `force`. With `resume` a run that was
        interrupted goes on; the study, its files and the versions must be those it began with.
        A run that would take more than `memory` bytes stops, before it begins where that is known.
        The workers of an `engine` must see the folder.
        """
        folder = Path(folder)
        chosen(self, only)
        refuse_engine(engine, self)
        functions = kept.functions(self)
        if resume and functions:
            raise RefusalError(*functions)
        if memory is not None:
            refuse_beyond(memory, need_of(self), "the files take about")
        with outputs.run_folder(folder, force=force, resume=resume) as draft:
            taken = take_in(self, unperturbed=unperturbed, raw=audit_records > 0)
            asked = kept.asked_of(self, taken.inputs, only=tuple(only), unperturbed=unperturbed)
            with contextlib.ExitStack() as stack:
                keep = None
                if not functions:
                    keep = stack.enter_context(kept.checkpoints(draft, asked, resume=resume))
                result = run(
                    self,
                    taken,
                    only=only,
                    jobs=jobs,
                    unperturbed=unperturbed,
                    watch=watch,
                    keep=keep,
                    memory=memory,
                    engine=engine,
                    folder=draft.absolute().with_name("engine"),
                )
                if audit_records:
                    audit(self, taken, result, audit_records)
                # A result holds what it needs of the files; to write it down takes room.
                inputs = taken.inputs
                del taken
                give_back()
                outputs.write_draft(draft, self, result, _shown(result))
                refuse_changed(sources(self), inputs)
                outputs.publish(draft, folder)
        return StudyResult.of(result)

    def plan(
        self,
        *,
        only: Sequence[str] = (),
        jobs: int = 1,
        memory: int | None = None,
        cores: int = 0,
        records: tuple[int, int] | None = None,
    ) -> list[dict[str, Any]]:
        """What a run would do, per attack: pairs, method, expected seconds and bytes.

        A run that would take more than `memory` bytes is refused. With `cores`, what it would do on
        a Spark cluster that has so many, also for files of so many PUF and EIF `records`.
        """
        files = 0
        if memory is not None:
            files = need_of(self)
            refuse_beyond(memory, files, "the files take about")
        rows = plan(self, take_in(self), only=only, jobs=jobs, cores=cores, records=records)
        if memory is not None:
            most = max((row["bytes"] for row in rows), default=0)
            refuse_beyond(memory, files + most, "files and attack take about")
        return rows


def check_study(path: Path) -> tuple[tuple[Fault, ...], tuple[Note, ...]]:
    """Every fault of a study file and of the files it names, in one answer, and the notes."""
    study, faults = examine(read_text(path), folder=path.parent, name=path.name)
    if study is None:
        return faults, ()
    try:
        return faults, tuple(take_in(study).notes)
    except DataError as error:
        return (*faults, *error.faults), ()


def save_study(study: Study, path: Path, *, only: Sequence[str] = (), force: bool = False) -> None:
    """Write a study file that says what the study says, with all attacks or `only` some."""
    if path.exists() and not force:
        raise RefusalError(
            Fault(where=path.name, found="a file is there", remedy="Replace it by --force")
        )
    disk.make_folder(path.absolute().parent)
    narrowed = study.model_copy(update={"attacks": chosen(study, only)})
    disk.write_text(path, saved_text(narrowed, path.absolute().parent))


def uniques(
    source: Any,
    variables: Sequence[str],
    *,
    k: int = 2,
    jobs: int = 1,
    engine: Spark | None = None,
    **options: Any,
) -> Uniques:
    """Find the records of a file or frame whose data at most k records share (Dalenius 1986).

    Options: `key` (one name or several), `missing` ("category", "drop", "wildcard"), `method`
    ("auto", "sort", "stream", "catalogue", "t1", "t2"), `weight`, `household`, `minimal` (size),
    `fraction`, `missing_codes`, `separator`, `encoding`. `jobs` threads never change the answer,
    nor does an `engine`.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["f", "f", "f", "m"], "town": ["a", "a", "a", "b"]})
    >>> uniques(frame, ["sex", "town"]).unique_records
    1
    """
    asked, how = _how_to_read(options)
    return look(haystack(source, {"variables": variables, "k": k} | asked, how, jobs, engine))


def minimal_uniques(
    source: Any,
    variables: Sequence[str],
    *,
    size: int = 3,
    jobs: int = 1,
    engine: Spark | None = None,
    **options: Any,
) -> MinimalUniques:
    """Find the few variables that make a record stand alone: minimal sets of up to `size` (SUDA).

    Options as for `uniques`: `key`, `missing`, `fraction`, and how the file is read.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["f", "f", "f", "m"], "town": ["a", "b", "b", "b"]})
    >>> minimal_uniques(frame, ["sex", "town"], size=1).by_size
    (2,)
    """
    asked, how = _how_to_read(options)
    question = {"variables": variables, "minimal": size} | asked
    found = look(haystack(source, question, how, jobs, engine))
    if found.minimal is None:
        raise SpecError(Fault(where="size", found="less than one", remedy="Give at least 1"))
    return found.minimal


def protect(
    source: Any,
    variables: Sequence[str],
    *,
    action: str,
    k: int = 2,
    key_file: Path | str | None = None,
    out: Path | str | None = None,
    force: bool = False,
    jobs: int = 1,
    **options: Any,
) -> Protected:
    """Act on the unique records of a file or frame, and look again (Dalenius 1986, part 6).

    `action`: "destroy", "blank", "perturb" (with `how`: "round", "noise", "swap", "pram",
    "table_round") or "encrypt" (with `key_file`, which is made if there is none). Options:
    `change` (which variables), `domains`, `base`, `rounding` ("random", "nearest"), `scale`,
    `share`, `seed`, and of `uniques` `key`, `missing` and how the file is read. With `out` the
    new file is written, and beside it what was done.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["f", "f", "f", "m"], "town": ["a", "a", "a", "b"]})
    >>> protect(frame, ["sex", "town"], action="blank").frame["town"].to_list()
    ['a', 'a', 'a', None]
    """
    asked, how = _how_to_read(options)
    question = {name: asked.pop(name) for name in ("key", "missing") if name in asked}
    hay = haystack(source, {"variables": variables, "k": k} | question, how, jobs)
    wanted = protect_options({"action": action} | asked)
    at = None if key_file is None else Path(key_file)
    if out is not None:
        return handover.protect_to(hay, wanted, Path(out), key_file=at, force=force)
    return handover.protect_held(hay, wanted, key_file=at)


def decrypt(
    source: Any,
    *,
    key_file: Path | str,
    out: Path | str | None = None,
    force: bool = False,
    **options: Any,
) -> pl.DataFrame:
    """Restore a file or frame whose unique records `protect` has encrypted.

    With `out` the file is written. Another key and a file that was altered are refused. Options
    say how the file is read.

    >>> import polars as pl, tempfile
    >>> frame = pl.DataFrame({"sex": ["f", "f", "f", "m"], "town": ["a", "a", "a", "b"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     key = f"{folder}/key"
    ...     hidden = protect(frame, ["sex", "town"], action="encrypt", key_file=key)
    ...     decrypt(hidden.frame, key_file=key).equals(frame)
    True
    """
    asked, how = _how_to_read(options)
    file = SourceFile(source, **how, **asked)
    if out is not None:
        return handover.decrypt_to(file, Path(key_file), Path(out), force=force).frame
    return handover.decrypt(file, Path(key_file)).frame


def microaggregate(
    source: Any, variables: Sequence[str], *, k: int = 3, **options: Any
) -> Microaggregated:
    """Replace numbers by what groups of at least k have in common (Winkler 2002).

    Options: `method` ("single": each variable by itself; "mdav": all at once), `statistic` ("mean",
    "median"; MDAV takes means), `missing_codes`, `separator`, `encoding`. Other columns and the
    order of rows stay.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"income": [10, 70, 20, 90, 30, 80]})
    >>> microaggregate(frame, ["income"], k=3).frame["income"].to_list()
    [20.0, 80.0, 20.0, 80.0, 20.0, 80.0]
    """
    from reident.remedies import microaggregation  # noqa: PLC0415  # compiles kernels

    asked, how = _how_to_read(options)
    chosen_options = MicroaggregateOptions(variables=tuple(variables), k=k, **asked)
    file = SourceFile(source, **how)
    frame = read_table(file).frame
    refuse_absent(file, frame.columns, chosen_options.variables)
    before = number_table(frame, [numeric(name) for name in chosen_options.variables], file)
    after = microaggregation.aggregated(before, chosen_options)
    columns = [
        pl.Series(name, values).fill_nan(None)
        for name, values in zip(chosen_options.variables, after.T, strict=True)
    ]
    return Microaggregated(
        options=chosen_options,
        records=len(frame),
        information_loss=microaggregation.information_loss(before, after),
        frame=frame.with_columns(columns),
    )


def anonymise(
    source: Any,
    methods: Sequence[str],
    *,
    key: str,
    qi: Sequence[str],
    sa: Sequence[str],
    **options: Any,
) -> Anonymised:
    """Anonymise a file or frame by methods in order (Identify-euc 4.2), and keep the truth.

    Methods: kanonymise, noise, cheat, unify, average, swap, delete, rank_swap, pram, round,
    microaggregate, mdav.
    Options: `k`, `share`, `scale`, `window`, `base`, `unify`, `seed`, `hierarchies` (for each QI:
    value to its steps), and how the file is read.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"id": [1, 2], "sex": ["f", "f"], "income": [10.0, 20.0]})
    >>> made = anonymise(frame, ["average"], key="id", qi=["sex"], sa=["income"])
    >>> made.released["income"].to_list()
    [15.0, 15.0]
    """
    asked, how = _how_to_read(options)
    levels = asked.pop("hierarchies", None)
    roles = {"methods": tuple(methods), "key": key, "qi": qi, "sa": sa}
    return anonymise_file(source, roles | asked, how, levels)


def utility(
    original: Any,
    released: Any,
    *,
    sa: Sequence[str],
    qi: Sequence[str] = (),
    **options: Any,
) -> Utility:
    """Compare a release with its original: U1 to U6, S1, S2 and each variable before and after.

    Options: `key` (of the release), `original_key` (the same unless given), `truth` (a file or
    frame of both keys), `truth_keys` (its columns, if they have other names), `cross`, `cells`,
    `deleted`, and how the files are read. Without a key records are aligned by their place.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"sex": ["f", "m", "m"], "income": [10.0, 20.0, 30.0]})
    >>> utility(frame, frame[:2], qi=["sex"], sa=["income"])["U6"]
    1
    """
    asked, how = _how_to_read(options)
    return compare_files(original, released, {"qi": qi, "sa": sa} | asked, how)


def _how_to_read(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of the question, and options of the file that it is asked of."""
    names = {"missing_codes": "missing", "separator": "separator", "encoding": "encoding"}
    how = {names[name]: value for name, value in options.items() if name in names}
    return {name: value for name, value in options.items() if name not in names}, how


def _shown(result: results.StudyResult) -> dict[str, bytes]:
    """What people read: the report and the tables, by name in the run folder."""
    # Only a run that is written down needs a template engine and a workbook writer.
    from reident.report import tables  # noqa: PLC0415

    found = result.to_dict()
    shown = {f"tables/{name}": content for name, content in tables.csv_tables(found).items()}
    return shown | {
        "tables/results.xlsx": tables.workbook(found),
        "report.html": _page(result).encode(),
    }


def _page(
    result: results.StudyResult, audience: str = "internal", small_cell: int | None = None
) -> str:
    from reident.paperwork import page  # noqa: PLC0415  # as above

    return page(result.to_dict(), result.manifest, audience, small_cell)
