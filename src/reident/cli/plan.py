"""reident plan: what a run would do, before it does it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from reident.cli.flags import Count, Engine, bytes_in, names_in, numbers_in

if TYPE_CHECKING:
    from collections.abc import Sequence


def plan(
    study: Path,
    /,
    *,
    only: str = "",
    jobs: Count = 0,
    memory: str = "",
    engine: Engine = "local",
    cores: Count = 0,
    records: str = "",
    json: bool = False,
) -> int:
    """Forecast a study: pairs with and without strata, method, seconds, memory, per attack.

    Args:
        study: The study file (TOML).
        only: Labels of the attacks, separated by commas.
        jobs: Threads; by default one per core.
        memory: The most memory that the run may take, such as 2GB: fail if it would take more.
        engine: Where it would run: this machine, or a Spark cluster.
        cores: Cores of the cluster.
        records: Records of larger files, PUF,EIF: what these would take on the cluster.
        json: Print the forecast as JSON.
    """
    import os

    from rich.table import Table

    from reident.api import Study
    from reident.cli import talk
    from reident.io.outputs import as_json

    sizes = _cluster(engine, cores, records)
    rows = Study.read(study).plan(
        only=names_in(only),
        jobs=jobs or len(os.sched_getaffinity(0)),
        memory=bytes_in(memory, "memory"),
        **sizes,
    )
    if json:
        talk.stdout().print(as_json({"attacks": rows}), end="", soft_wrap=True)
        return 0
    if sizes:
        return _show_cluster(rows)
    table = Table("Attack", "Pairs", "Without strata", "Method", "Seconds", "MB")
    for row in rows:
        table.add_row(
            row["attack"],
            f"{row['pairs']:,}",
            f"{row['pairs_without_strata']:,}",
            row["method"],
            f"{row['seconds']:.1f}",
            f"{row['bytes'] / 1e6:.0f}",
        )
    talk.stdout().print(table)
    return 0


def _cluster(engine: str, cores: int, records: str) -> dict[str, Any]:
    """What was asked of a cluster; nothing where this machine would do the work."""
    from reident.errors import Fault, SpecError

    wanted = numbers_in(records, "records")
    if engine == "local" and (cores or wanted):
        raise SpecError(
            Fault(where="--cores", found="no cluster", remedy="Give --engine spark as well")
        )
    if engine == "spark" and not cores:
        raise SpecError(Fault(where="--cores", found="missing", remedy="Give those of the cluster"))
    if wanted and len(wanted) != len(("puf", "eif")):
        raise SpecError(
            Fault(where="--records", found="not two numbers", remedy="Write PUF,EIF records")
        )
    asked = {"records": (wanted[0], wanted[1])} if wanted else {}
    return {"cores": cores, **asked} if cores else {}


def _show_cluster(rows: Sequence[dict[str, Any]]) -> int:
    from rich.table import Table

    from reident.cli import talk
    from reident.engine.sizing import ASSUMED

    table = Table("Attack", "Method", "Seconds", "MB to each machine", "MB a worker", "MB returned")
    for row in rows:
        sizes = (row[name] / 1e6 for name in ("shipped", "worker", "returned"))
        numbers = (f"{row['seconds']:,.0f}", *(f"{size:,.0f}" for size in sizes))
        table.add_row(row["attack"], row["method"], *numbers)
    talk.stdout().print(table)
    for line in ASSUMED:
        talk.say(f"assumed: {line}")
    return 0
