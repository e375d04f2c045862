"""The study: three files, the linking variables, the attacks: one frozen, serialisable value."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Any

from pydantic import AfterValidator, AliasChoices, BeforeValidator, Field

from reident.errors import Fault, SpecError
from reident.model.files import IntruderFile, PublicFile, TruthFile
from reident.model.limits import NEEDS_TRUTH, Limits
from reident.model.options import DEFAULT_ATTACKS, MOST_VARIABLES, AdHoc, Attack, Guess, Unicity
from reident.model.utility import OriginalFile
from reident.model.value import Value
from reident.model.variables import Stratum, Variable

LABEL = re.compile(r"[A-Za-z0-9_-]+")


def _strata(data: Any) -> Any:
    if isinstance(data, (str, dict)):
        data = (data,)
    return tuple(Stratum.model_validate(part) for part in data)


class Study(Value):
    """What is linked with what, and how.

    `strata` are columns that a PUF record and an EIF record must share to meet at all; `attacks`
    maps a label to a method with its settings.
    """

    title: str = ""
    seed: Annotated[int, Field(ge=0)] = 0
    marking: str | None = None
    approval: str | None = None
    puf: PublicFile
    eif: IntruderFile
    truth: TruthFile | None = Field(default=None, validation_alias=AliasChoices("truth", "iuf"))
    variables: tuple[Variable, ...]
    strata: Annotated[tuple[Stratum, ...], BeforeValidator(_strata)] = ()
    attacks: Annotated[
        dict[str, Attack], AfterValidator(lambda given: given or DEFAULT_ATTACKS)
    ] = Field(default_factory=lambda: dict(DEFAULT_ATTACKS))
    limits: dict[str, Limits] = Field(default_factory=dict)
    utility: OriginalFile | None = None
    small_cell: Annotated[int, Field(ge=1)] = 10

    def model_post_init(self, _context: Any) -> None:
        """Check what no part can check alone."""
        faults = faults_between(self)
        if faults:
            raise SpecError(*faults)

    def linking(self, attack: Attack) -> tuple[Variable, ...]:
        """The variables an attack looks at, in the study's order."""
        chosen = attack.named or tuple(
            variable.name for variable in self.variables if variable.kind in attack.kinds
        )
        found = [variable for variable in self.variables if variable.name in chosen]
        # Attacks that go from variable to variable go in the order that was asked for.
        return tuple(
            sorted(found, key=lambda one: chosen.index(one.name) if attack.stepwise else 0)
        )


def faults_between(study: Study) -> list[Fault]:
    """Faults that lie between the parts of a study, all at once."""
    return [
        *_variable_faults(study),
        *_key_faults(study),
        *(
            fault
            for label, attack in study.attacks.items()
            for fault in _attack_faults(study, label, attack)
        ),
        *_limit_faults(study),
        *_utility_faults(study),
    ]


def _variable_faults(study: Study) -> list[Fault]:
    if not study.variables:
        return [Fault(where="variables", found="no linking variable", remedy="Name at least one")]
    names = Counter(variable.name for variable in study.variables)
    return [
        Fault(where=f"variables.{name}", found="named twice", remedy="Name it once")
        for name, times in names.items()
        if times > 1
    ]


def _key_faults(study: Study) -> list[Fault]:
    faults = []
    for side, file in (("puf", study.puf), ("eif", study.eif)):
        linking = {variable.column(side): variable.name for variable in study.variables}
        faults += [
            Fault(
                where=f"variables.{linking[key]}",
                found=f"a {side} key column is used as linking variable",
                remedy="Take it out of the variables or out of the key",
            )
            for key in file.key
            if key in linking
        ]
    truth = study.truth
    shared = set(study.puf.key) & set(study.eif.key)
    if truth is not None and shared and not (truth.puf_key and truth.eif_key):
        faults.append(
            Fault(
                where="iuf",
                found="a PUF and an EIF key column share a name",
                remedy="Say which IUF columns hold which key by puf_key = [...], eif_key = [...]",
            )
        )
    if truth is not None:
        faults += [
            Fault(
                where=f"iuf.{name}",
                found=f"{len(given)} columns",
                remedy=f"Give {len(own)}, one per key column of the {side}, in its order",
            )
            for name, given, own, side in (
                ("puf_key", truth.puf_key, study.puf.key, "PUF"),
                ("eif_key", truth.eif_key, study.eif.key, "EIF"),
            )
            if given and len(given) != len(own)
        ]
    return faults


def _attack_faults(study: Study, label: str, attack: Attack) -> list[Fault]:
    where = f"attacks.{label}"
    faults = []
    if not LABEL.fullmatch(label):
        faults.append(
            Fault(
                where=where,
                found="a label with other signs than letters, digits, - and _",
                remedy="Rename it",
            )
        )
    names = [variable.name for variable in study.variables]
    faults += [
        Fault(
            where=f"{where}.variables",
            found=f"{name!r} is not a linking variable",
            remedy=f"Name some of: {', '.join(names)}",
        )
        for name in attack.named
        if name not in names
    ]
    linking = study.linking(attack)
    faults += [
        Fault(
            where=f"{where}.variables",
            found=f"{variable.name!r} is {variable.kind}",
            remedy=f"This attack compares: {', '.join(attack.kinds)}",
        )
        for variable in linking
        if variable.kind not in attack.kinds
    ]
    if len(linking) < attack.needs and set(attack.named) <= set(names):
        faults.append(
            Fault(
                where=where,
                found=f"{len(linking)} variables that it can compare",
                remedy=f"It needs {attack.needs} of these kinds: {', '.join(attack.kinds)}",
            )
        )
    if isinstance(attack, Unicity) and len(linking) > MOST_VARIABLES:
        faults.append(
            Fault(
                where=where,
                found=f"{len(linking)} variables",
                remedy=f"Unicity takes at most {MOST_VARIABLES}; name them by variables = [...]",
            )
        )
    if isinstance(attack, AdHoc):
        faults += _rule_faults(attack, linking, where, names)
    if isinstance(attack, Guess):
        faults += _guess_faults(attack, linking, where)
    return faults


def _guess_faults(attack: Guess, linking: tuple[Variable, ...], where: str) -> list[Fault]:
    """QI are compared for equality and SA by distance: each takes its own kinds of variables."""
    kinds = {"qi": ("categorical",), "sa": ("numeric", "date"), "variable": ("numeric", "date")}
    fit = {
        option: [variable.name for variable in linking if variable.kind in own]
        for option, own in kinds.items()
    }
    one = getattr(attack, "variable", "")
    asked = {"qi": attack.qi, "sa": attack.sa, "variable": (one,) if one else ()}
    faults = [
        Fault(
            where=f"{where}.{option}",
            found=f"{name!r} is not a {' or '.join(kinds[option])} variable of this attack",
            remedy=f"Name some of: {', '.join(fit[option])}",
        )
        for option, names in asked.items()
        for name in names
        if name not in fit[option]
    ]
    if not fit["sa"] and attack.method != "identify_rand":
        faults.append(
            Fault(
                where=where,
                found="no numeric variable to be its SA",
                remedy="Declare one, or leave this attack out",
            )
        )
    return faults


def _rule_faults(
    attack: AdHoc, linking: tuple[Variable, ...], where: str, names: list[str]
) -> list[Fault]:
    faults = [
        Fault(
            where=f"{where}.rules.{variable.name}",
            found="no rule for this linking variable",
            remedy="Give a rule, or leave the variable out by variables = [...]",
        )
        for variable in linking
        if variable.name not in attack.rules
    ]
    faults += [
        Fault(
            where=f"{where}.rules.{name}",
            found="a rule for no linking variable",
            remedy=f"Linking variables are: {', '.join(names)}",
        )
        for name in attack.rules
        if name not in names
    ]
    return faults + [
        Fault(
            where=f"{where}.rules.{variable.name}",
            found=f"this rule does not judge a {variable.kind} variable",
            remedy=f"It judges: {', '.join(attack.rules[variable.name].kinds)}",
        )
        for variable in linking
        if variable.name in attack.rules and variable.kind not in attack.rules[variable.name].kinds
    ]


def _limit_faults(study: Study) -> list[Fault]:
    faults = [
        Fault(
            where=f"limits.{label}",
            found="no attack has this label",
            remedy=f"Labels are: {', '.join(study.attacks)}",
        )
        for label in study.limits
        if label and label not in study.attacks
    ]
    if study.truth is None:
        faults += [
            Fault(
                where=".".join(part for part in ("limits", label, name) if part),
                found="a limit that needs the truth, and no [iuf]",
                remedy="Give the IUF, or limit the suspected_rate only",
            )
            for label, limits in study.limits.items()
            for name in limits.agreed()
            if name in NEEDS_TRUTH
        ]
    return faults


def _utility_faults(study: Study) -> list[Fault]:
    """QI and SA of [utility] are linking variables, because the PUF is read for these."""
    if study.utility is None:
        return []
    kinds = {"qi": ("categorical",), "sa": ("numeric",)}
    faults = []
    for role, own in kinds.items():
        fit = [variable.name for variable in study.variables if variable.kind in own]
        faults += [
            Fault(
                where=f"utility.{role}",
                found=f"{name!r} is not a {own[0]} linking variable",
                remedy=f"Name some of: {', '.join(fit)}",
            )
            for name in getattr(study.utility, role)
            if name not in fit
        ]
    if not any(variable.kind == "numeric" for variable in study.variables):
        faults.append(
            Fault(
                where="utility",
                found="no numeric linking variable to be an SA",
                remedy="Declare one, or leave [utility] out",
            )
        )
    return faults
