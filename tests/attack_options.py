"""Drawn options of the attacks, every rule of adhoc included."""

from typing import Any

import numpy as np

from columns import Column
from reident import oracle
from study_case import GUESSES, METHODS
from tape import Tape


def nearness(puf_values: Any, eif_values: Any) -> Any:
    """A callable rule for numbers, with scores that need rounding to six places."""
    with np.errstate(over="ignore"):
        return 5 / (1 + np.abs(puf_values - eif_values))


def same_initial(puf_values: Any, eif_values: Any) -> Any:
    """A callable rule for texts."""
    pairs = zip(puf_values, eif_values, strict=True)
    return np.array([2.5 * (a == b) + 2.5 * (a[0] == b[0]) for a, b in pairs])


def scores(tape: Tape, count: int) -> list[Any]:
    """Scores for steps: decimals of every length allowed."""
    return [tape.pick(5, 4, 3, 2.5, 1, 0, 4.75, 0.000001, 1.666667) for _ in range(count)]


def draw_steps(tape: Tape, bounds: tuple[Any, ...], *, falling: bool = False) -> list[list[Any]]:
    """Some of the bounds, in order, each with a score."""
    chosen = [bound for bound in bounds if tape.chance(50)] or [bounds[0]]
    chosen.sort(reverse=falling)
    return [[bound, score] for bound, score in zip(chosen, scores(tape, len(chosen)), strict=True)]


def draw_rule(tape: Tape, column: Column, *, callables: bool) -> Any:
    """A rule of some kind that fits the variable."""
    kinds = {
        "numeric": ["equal", "difference", "ratio"],
        "date": ["equal", "days"],
        "categorical": ["equal", "table", "prefix", "similarity"],
    }[column.linking.kind]
    if callables:
        kinds = [*kinds, "callable"]
    kind = tape.pick(*kinds)
    if kind == "callable":
        return same_initial if column.linking.kind == "categorical" else nearness
    if kind == "difference":
        return {"difference": draw_steps(tape, (0, 0.1, 0.2, 1, 2.5, 10, 1e307))}
    if kind == "ratio":
        return {"ratio": draw_steps(tape, (0, 0.01, 0.1, 0.5, 1, 2))}
    if kind == "days":
        return {"days": draw_steps(tape, (0, 1, 31, 60))}
    if kind == "prefix":
        return {"prefix": draw_steps(tape, (1, 2, 3, 4, 5), falling=True)}
    if kind == "similarity":
        names = ("jaro_winkler", "jaro", "levenshtein", "indel", "osa", "damerau_levenshtein")
        bounds = (0.1, 0.5, 0.75, 0.8, 0.85, 0.95, 1)
        return {"similarity": tape.pick(*names), "steps": draw_steps(tape, bounds, falling=True)}
    if kind == "table":
        return draw_table(tape, column)
    return {"equal": tape.pick(5, 4, 2.5, 0.5, 4.999999)}


def draw_table(tape: Tape, column: Column) -> dict[str, Any]:
    """A table of texts, each pair of texts listed at most once."""
    texts = [oracle.text_of(value) for value in column.pool] + list(column.linking.not_applicable)
    ordered = tape.chance(40)
    listed: dict[Any, list[Any]] = {}
    for _ in range(tape.number(1, 4)):
        a, b = tape.pick(*texts), tape.pick(*texts)
        (score,) = scores(tape, 1)
        listed.setdefault((a, b) if ordered else frozenset((a, b)), [a, b, score])
    rule: dict[str, Any] = {"table": list(listed.values())}
    if ordered:
        rule["ordered"] = True
    if tape.chance(30):
        rule["equal"] = tape.pick(4, 5, 0)
    if tape.chance(30):
        rule["otherwise"] = tape.pick(1, 0, 2.5)
    return rule


def draw_options(
    tape: Tape, method: str, columns: list[Column], *, callables: bool
) -> dict[str, Any]:
    """Options of one attack; each often left at its default."""
    options: dict[str, Any] = {}
    used = columns
    if len(columns) > 1 and tape.chance(20):
        used = [column for column in columns if tape.chance(60)] or columns[:1]
        options["variables"] = tape.shuffled([column.linking.name for column in used])
    if method in ("unicity", "taxicab"):
        options |= draw_bins(tape)
    if method != "adhoc" and tape.chance(30):
        options["scale"] = tape.pick("stratum", "study")
    if method == "unicity":
        return options | draw_unicity(tape)
    if method != "adhoc" and tape.chance(60):
        options["missing_score"] = tape.pick(0.5, 0.3, 0.25, 1, 0.1, 0.7, 0.05)
    if tape.chance(60):
        options["keep"] = tape.number(1, 6)
    if tape.chance(60):
        options["threshold"] = draw_threshold(tape, method, len(used))
    if method == "adhoc":
        options["rules"] = {
            column.linking.name: draw_rule(tape, column, callables=callables) for column in used
        }
    return options


MICROAGG = ("microagg_interval", "microagg_nearest", "microagg_windows", "microagg_trimmed")


def draw_microagg(tape: Tape, columns: list[Column]) -> dict[str, dict[str, Any]]:
    """One attack on micro-aggregated values, if there is a number to compare."""
    names = [one.linking.name for one in columns if one.linking.kind != "categorical"]
    if not names:
        return {}
    method = tape.pick(*MICROAGG)
    options: dict[str, Any] = {}
    if tape.chance(60):
        options["variables"] = tape.pick("uncorrelated", "all", tape.shuffled(names))
    if method == "microagg_interval" and tape.chance(75):
        options["radius"] = tape.pick("half_gap", "midpoint", "rank", "auto")
    if method == "microagg_nearest" and tape.chance(75):
        options["k"] = tape.number(1, 3)
    if method == "microagg_windows" and tape.chance(75):
        options["window"] = tape.pick(1, 2, 4, 100, "auto")
        options["deviation"] = tape.pick(0.03, 0.1, 0.5, 0.9)
    if method in MICROAGG[2:]:
        options["agree"] = tape.number(1, len(names))
    return {method: options}


def draw_bins(tape: Tape) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if tape.chance(40):
        options["bins"] = tape.number(2, 7)
    if tape.chance(25):
        options["bins_method"] = tape.pick("sas_rank", "quantile")
    if options.get("bins_method") != "sas_rank" and tape.chance(40):
        options["cuts"] = tape.pick("pooled", "each", "puf")
    return options


def draw_unicity(tape: Tape) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if tape.chance(40):
        options["interactions"] = tape.pick("consistent", "highest", "all")
    if tape.chance(30):
        options["orders"] = tape.number(1, 6)
    if tape.chance(35):
        options["pairs"] = tape.pick("none", "all", "auto")
    return options


def draw_threshold(tape: Tape, method: str, v: int) -> Any:
    choices = {
        "taxicab": ("paper", 0.25, 0.5, 0.3, 1, 1.5, 0.75),
        "euclidean": ("paper", "consistent", "consistent", 0.25, 0.5, 0.3, 1, 1.5),
        "adhoc": ("paper", 0, 1, 2.5, v, 1.5 * v, 4.5 * v),
    }
    return tape.pick(*choices[method])


def draw_attacks(
    tape: Tape, columns: list[Column], *, callables: bool
) -> dict[str, dict[str, Any]]:
    """Between none (then the product runs its three defaults) and five attacks."""
    attacks: dict[str, dict[str, Any]] = {}
    for method in METHODS:
        if tape.chance(55):
            attacks[method] = draw_options(tape, method, columns, callables=callables)
    if tape.chance(30) or (not attacks and not tape.chance(50)):
        method = tape.pick(*METHODS)
        options = draw_options(tape, method, columns, callables=callables)
        attacks[tape.pick("another", "strict-2")] = {"method": method} | options
    if tape.chance(40):
        attacks |= draw_microagg(tape, columns)
    for method in GUESSES:
        if tape.chance(20) and (method == "identify_rand" or sa_of(columns)):
            attacks[method] = draw_guess(tape, method, columns)
    return attacks


def sa_of(columns: list[Column]) -> list[str]:
    """Variables that can be an SA."""
    return [one.linking.name for one in columns if one.linking.kind != "categorical"]


def draw_guess(tape: Tape, method: str, columns: list[Column]) -> dict[str, Any]:
    """Options of a method that guesses; roles are often left at their default."""
    qi = [one.linking.name for one in columns if one.linking.kind == "categorical"]
    options: dict[str, Any] = {}
    for role, names in (("qi", qi), ("sa", sa_of(columns))):
        if names and tape.chance(40):
            chosen = [name for name in names if tape.chance(50)] or names[:1]
            options[role] = tape.shuffled(chosen)
    if method in ("identify_sa", "identify_sa21") and tape.chance(50):
        options["variable"] = tape.pick(*sa_of(columns))
    if method != "identify_rand" and tape.chance(30):
        options["ties"] = tape.pick("none", "first")
    if method in ("euc1", "euc2") and tape.chance(40):
        options["give_up"] = tape.pick("index", "none")
    if method in ("euc1", "euc2") and tape.chance(40):
        options["standardize"] = True
    return options
