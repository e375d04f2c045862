"""The contest: each way of anonymising against all attacks and indices (Identify-euc 4.2-4.5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reident.io.intake import take_in
from reident.loss import compare_files
from reident.masking import EIF, PUF, anonymise_file, guessing, write_study
from reident.model.files import IntruderFile, PublicFile, TruthFile
from reident.model.options import EUC1, METHODS
from reident.model.study import Study
from reident.model.utility import INDICES
from reident.model.variables import categorical, numeric
from reident.run import run
from reident.scenario.pwscup import QI, SA, ZERO, pwscup_file, sample

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from reident.model.anonymised import Anonymised
    from reident.model.options import Attack

ATTACKS = {
    "E1": "identify_rand",
    "E2": "identify_sa",
    "E3": "identify_sort",
    "E4": "identify_sa21",
    "EUC1": "euc1",
    "EUC2": "euc2",
}
OF_ORIGINAL = {name: f"{name} of X" for name in ATTACKS}
"""The same rates divided by the records of the original X, as section 2.3 does. Table 13 divides by
those released; the two differ after deletion only."""
MEASURES = (*INDICES, *ATTACKS, *OF_ORIGINAL.values())
ROLES: dict[str, Any] = {"key": "id", "qi": QI, "sa": SA}
INSIDE, OUTSIDE = "a3", "a7"
"""QI that are unified: one of the first six, and one that is not."""
SAMPLE = 100
FIGURES = (("qi", "seconds"), ("qi", "rate"), ("sa", "seconds"), ("sa", "rate"))
"""What Figures 1 to 4 show, against the number of which attributes."""
ALONE = 1.2
"""Mean records of a class below which next to every record has its QI for itself."""
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


UNTOUCHED = Trial(name="original", methods=("delete",), options={"share": 0.0})
"""The original as it is, under new keys."""


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
            worse=("U1", "U2", "U3", "U5", "U6"), safer=("E3 of X", "E4 of X"),
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
    return hold(frame, roles, UNTOUCHED, seed=0, variable=variable)


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
    attacks = {name: METHODS[name](**how) for name, how in as_in_table_13(variable).items()}
    study = _study(made, roles, truth, attacks)
    found = run(study, take_in(study))
    expected = {method: found[method].expected_confirmed for method in ATTACKS.values()}
    sizes = found.puf_records, found.eif_records
    return {name: worth[name] for name in INDICES} | rates(expected, *sizes)


def as_in_table_13(variable: str) -> dict[str, dict[str, Any]]:
    """The six attacks; E4 gives up on ties, without which its 0.24 cannot be had."""
    attacks = guessing(variable)
    attacks["identify_sa21"]["ties"] = "none"
    return attacks


def rates(
    expected: Mapping[str, float | None], released: int, original: int
) -> dict[str, float | None]:
    """Shares of records that each method is expected to find: of those released, and of X."""

    def share(method: str, records: int) -> float | None:
        found = expected[method]
        return None if found is None else found / records

    return {name: share(method, released) for name, method in ATTACKS.items()} | {
        OF_ORIGINAL[name]: share(method, original) for name, method in ATTACKS.items()
    }


def _study(
    made: Anonymised, roles: Mapping[str, Any], truth: pl.DataFrame, attacks: dict[str, Attack]
) -> Study:
    key = roles["key"]
    return Study(
        puf=PublicFile.model_validate({"path": made.released, "key": key}),
        eif=IntruderFile.model_validate({"path": made.original, "key": key}),
        truth=TruthFile.model_validate(
            {"path": truth, "puf_key": [f"{PUF}_{key}"], "eif_key": [f"{EIF}_{key}"]}
        ),
        variables=(*map(categorical, roles["qi"]), *map(numeric, roles["sa"])),
        attacks=attacks,
    )


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


def expected(trial: Trial) -> dict[str, str]:
    """How a trial is expected to move the indices of which the paper says anything."""
    kinds = (("worse", trial.worse), ("safer", trial.safer), ("same", trial.same))
    return {name: kind for kind, names in kinds for name in names}


def differences(trial: Trial, signs: Mapping[str, str]) -> list[str]:
    """Indices that did not move as expected."""
    return [name for name, kind in expected(trial).items() if signs[name] != kind]


def explained(trial: Trial, name: str, values: Mapping[str, float | None]) -> str:
    """Why an index did not move as expected, as far as that follows from definitions and data."""
    if name == OF_ORIGINAL["E4"]:
        return "nobody who was left out had been found before"
    if trial.methods[0] in {"average", "swap", "delete"} and (values["S2"] or 0) < ALONE:
        return "next to every record has its QI for itself, so a class has nothing to share"
    return ""


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


# The scenario -----------------------------------------------------------------------------------


def contest(records: int, seed: int) -> dict[str, Any]:
    """Every trial on a sample of 100 records and on the whole made-up file, side by side."""
    whole = pwscup_file(records, seed)
    parts = [("sample", sample(whole, min(SAMPLE, records), seed)), ("whole", whole)]
    return {"seed": seed, "parts": [_part(name, frame, seed) for name, frame in parts]}


def _part(name: str, frame: pl.DataFrame, seed: int) -> dict[str, Any]:
    base = untouched(frame, ROLES, variable=ZERO)
    rows = []
    for trial in trials(INSIDE, OUTSIDE):
        values = hold(frame, ROLES, trial, seed=seed, variable=ZERO)
        signs = pattern(values, base)
        rows.append(
            {
                "name": trial.name,
                "method": trial.methods[0],
                "against": trial.against,
                "measured": values,
                "signs": signs,
                "expected": expected(trial),
                "differ": {one: explained(trial, one, values) for one in differences(trial, signs)},
                "fits": fits(signs, trials(INSIDE, OUTSIDE)),
            }
        )
    return {"name": name, "records": len(frame), "original": base, "trials": rows}


def write_releases(folder: Path, *, records: int, seed: int, force: bool) -> None:
    """Original and releases of sample and whole, each in a folder with a study ready to run."""
    whole = pwscup_file(records, seed)
    for part, frame in (("sample", sample(whole, SAMPLE, seed)), ("whole", whole)):
        for trial in (UNTOUCHED, *trials(INSIDE, OUTSIDE)):
            asked = {"methods": trial.methods, "seed": seed, **ROLES, **trial.options}
            made = anonymise_file(frame, asked, {})
            name = trial.name if trial is UNTOUCHED else f"{trial.name}-{trial.methods[0]}"
            how: dict[str, Any] = {
                "against": trial.against,
                "attacks": as_in_table_13(ZERO),
                "force": force,
            }
            write_study(made, folder / part / name, asked, **how)


def figures(records: int, seed: int) -> dict[str, list[dict[str, float]]]:
    """Figures 1-4: rate and seconds of EUC1 by the number of QI, and by the number of SA.

    The first so many of each; the other kind is used in full. The release has noise on its SA.
    """
    frame = pwscup_file(records, seed)
    asked = {"methods": ("noise",), "seed": seed, **ROLES}
    made = anonymise_file(frame, asked, {})
    counts = {"qi": range(len(QI) + 1), "sa": range(1, len(SA) + 1)}
    return {
        role: [_point(made, {**ROLES, role: ROLES[role][:count]}, count) for count in numbers]
        for role, numbers in counts.items()
    }


def _point(made: Anonymised, roles: Mapping[str, Any], count: int) -> dict[str, float]:
    attack = EUC1()
    study = _study(made, roles, made.truth, {attack.method: attack})
    found = run(study, take_in(study))
    rate = found[attack.method].expected_rate or 0.0
    return {
        "count": count,
        "rate": rate / 100,
        "seconds": found.manifest["timings"]["attacks"][attack.method],
    }
