"""The contest: each way of anonymising against all attacks and indices (Identify-euc 4.2-4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reident.io.intake import take_in
from reident.loss import compare_files
from reident.masking import EIF, PUF, anonymise_file
from reident.model.files import IntruderFile, PublicFile, TruthFile
from reident.model.options import EUC1, EUC2, IdentifyRand, IdentifySA, IdentifySA21, IdentifySort
from reident.model.study import Study
from reident.model.utility import INDICES
from reident.model.variables import categorical, numeric
from reident.run import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from reident.model.anonymised import Anonymised

ATTACKS = {
    "E1": "identify_rand",
    "E2": "identify_sa",
    "E3": "identify_sort",
    "E4": "identify_sa21",
    "EUC1": "euc1",
    "EUC2": "euc2",
}
MEASURES = (*INDICES, *ATTACKS)
EXPLAINED = {
    ("Dh", "U5"): "the records that stay are as they were, and only these can be aligned",
    ("Dh", "E4"): "who is nearest in the original does not depend on who else is released; the "
    "rate divides by fewer records",
}
"""Differences from section 4.2 that follow from the definitions."""
SMALL = 1e-9
"""Differences below are rounding of sums."""


@dataclass(frozen=True, kw_only=True)
class Trial:
    """A way of anonymising, what it is expected to do, and what it is held against.

    `worse` are indices that lose, `safer` those that gain, `same` those that must not move
    (Identify-euc 4.2).
    """

    name: str
    methods: tuple[str, ...]
    options: Mapping[str, Any]
    worse: tuple[str, ...] = ()
    safer: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    against: str = "truth"


def trials(inside: str, outside: str) -> tuple[Trial, ...]:
    """The eight of Table 9; `inside` and `outside` are QI to unify, of the first six and not."""
    return (
        Trial(
            name="Da", methods=("kanonymise",), options={"k": 3},
            worse=("U2", "U3"), safer=("S1", "S2", "E1", "E2"), same=("U1", "U4", "U5", "U6"),
        ),
        Trial(
            name="Db", methods=("noise",), options={"scale": 0.1},
            worse=("U1", "U2", "U4", "U5"), safer=("E3", "E4"), same=("U3", "U6", "S1", "S2"),
        ),
        Trial(
            name="Dc", methods=("cheat",), options={}, against="declared",
            worse=("U5",), safer=("E1", "E2", "E3", "E4"),
            same=("U1", "U2", "U3", "U4", "U6", "S1", "S2"),
        ),
        Trial(
            name="Dd", methods=("unify",), options={"unify": outside},
            same=("U1", "U2", "U3", "U4", "U5", "U6"),
        ),
        Trial(
            name="De", methods=("unify",), options={"unify": inside},
            worse=("U2", "U3"), same=("U1", "U4", "U5", "U6"),
        ),
        Trial(
            name="Df", methods=("average",), options={},
            worse=("U4", "U5"), safer=("E3", "E4"), same=("U1", "U2", "U3", "U6", "S1", "S2"),
        ),
        Trial(
            name="Dg", methods=("swap",), options={},
            worse=("U4", "U5"), safer=("E2", "E3", "E4"),
            same=("U1", "U2", "U3", "U6", "S1", "S2"),
        ),
        Trial(
            name="Dh", methods=("delete",), options={"share": 0.1},
            worse=("U1", "U2", "U3", "U5", "U6"), safer=("E3", "E4"),
        ),
    )  # fmt: skip


def hold(
    frame: pl.DataFrame, roles: Mapping[str, Any], trial: Trial, *, seed: int, variable: str
) -> dict[str, float | None]:
    """All indices and expected rates (0 to 1) of one trial; E2 and E4 go by `variable`."""
    asked = {"methods": trial.methods, "seed": seed, **roles, **trial.options}
    return measured(anonymise_file(frame, asked, {}), roles, trial.against, variable)


def untouched(
    frame: pl.DataFrame, roles: Mapping[str, Any], *, variable: str
) -> dict[str, float | None]:
    """The original against itself: what every trial is compared with."""
    nothing = {"methods": ("delete",), "share": 0.0, **roles}
    return measured(anonymise_file(frame, nothing, {}), roles, "truth", variable)


def measured(
    made: Anonymised, roles: Mapping[str, Any], against: str, variable: str
) -> dict[str, float | None]:
    """Indices by what the release declares, rates by the truth or by what it declares."""
    key = roles["key"]
    names = [f"{PUF}_{key}", f"{EIF}_{key}"]
    worth = compare_files(
        made.original,
        made.released,
        {
            "qi": tuple(roles["qi"]),
            "sa": tuple(roles["sa"]),
            "key": key,
            "truth": made.declared,
            "truth_keys": names,
        },
        {},
    )
    truth = made.truth if against == "truth" else made.declared
    attacks = (
        IdentifyRand(),
        IdentifySA(variable=variable),
        IdentifySort(),
        IdentifySA21(variable=variable, ties="none"),
        EUC1(),
        EUC2(),
    )
    study = Study(
        puf=PublicFile(made.released, key=key),
        eif=IntruderFile(made.original, key=key),
        truth=TruthFile(truth, puf_key=names[:1], eif_key=names[1:]),
        variables=(*map(categorical, roles["qi"]), *map(numeric, roles["sa"])),
        attacks={attack.method: attack for attack in attacks},
    )
    found = run(study, take_in(study))
    rates = {name: found[method].expected_rate for name, method in ATTACKS.items()}
    return {name: worth[name] for name in INDICES} | {
        name: None if rate is None else rate / 100 for name, rate in rates.items()
    }


def moves(value: float | None, base: float | None, name: str) -> str:
    """How an index moved: "worse", "same" or "safer" ("better" for a U that shrank)."""
    if value is None or base is None:
        return "undefined"
    if abs(value - base) <= SMALL * max(1.0, abs(value), abs(base)):
        return "same"
    up = value > base
    if name.startswith("U"):
        return "worse" if up else "better"
    return "safer" if up == name.startswith("S") else "less safe"


def pattern(values: Mapping[str, float | None], base: Mapping[str, float | None]) -> dict[str, str]:
    """How every index moved."""
    return {name: moves(values[name], base[name], name) for name in MEASURES}


def differences(trial: Trial, signs: Mapping[str, str]) -> list[str]:
    """Indices that did not move as expected."""
    wanted = {
        name: kind
        for kind, names in (("worse", trial.worse), ("safer", trial.safer), ("same", trial.same))
        for name in names
    }
    return [name for name, kind in wanted.items() if signs[name] != kind]


def fits(signs: Mapping[str, str], known: Sequence[Trial]) -> list[str]:
    """Names of the single methods whose expected utility a pattern shows (Table 15).

    A method fits when all that it makes worse is worse, and what it leaves alone is as it was.
    """
    return [
        trial.name
        for trial in known
        if all(signs[name] == "worse" for name in trial.worse)
        and all(signs[name] == "same" for name in trial.same)
        and all(signs[name] == "safer" for name in trial.safer if name.startswith("S"))
    ]
