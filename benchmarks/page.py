"""docs/benchmarks.md: the tables between its marks are made from the results, the prose is not.

    python benchmarks/page.py            writes the tables and the pictures
    python benchmarks/page.py --check    fails where they do not agree with the results

A table stands between `<!-- NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import statistics
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chart
from rows import (
    AWKWARD,
    GROWTH,
    KEEPING,
    MEASURED,
    ROWS,
    SEARCHES,
    STARTS,
    AnyRow,
    Growth,
    Need,
    Row,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PAGE = ROOT / "docs" / "benchmarks.md"
PICTURES = ROOT / "docs" / "img"
BLOCK = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
NOTHING = "-"
FACTOR = 2.0
"""A forecast is good when it is within this factor of what came."""
LONG = 1.0
"""Runs of so many seconds are counted apart: nobody waits for a forecast of the others."""
FEW = 0.01
"""A share of the plain file's pairs below which records decide what is taken, and not pairs."""
Figures = dict[str, Any]
Found = dict[str, Figures]


# Figures ------------------------------------------------------------------------------------------


def found_in(results: Path) -> Found:
    """The results by name of row, in the order of the table."""
    return {
        row.name: json.loads(path.read_text(encoding="utf-8"))
        for row in ROWS
        if (path := results / f"{row.name}.json").exists()
    }


def as_written(row: AnyRow) -> Figures:
    """What a result says of its row."""
    return dataclasses.asdict(row)


def median(values: Iterable[float | None]) -> float | None:
    """The median, or None where a repeat has no figure: what failed once has not been shown."""
    listed = list(values)
    return None if not listed or None in listed else statistics.median(listed)


def medians(repeats: list[Figures]) -> Figures:
    """Medians over the repeats; ratios are made within a repeat first."""
    peers = {name for repeat in repeats for name in repeat.get("peers", {})}
    ours = [repeat["ours"].get("seconds") for repeat in repeats]
    theirs = {
        name: [repeat["peers"].get(name, {}).get("seconds") for repeat in repeats]
        for name in sorted(peers)
    }
    ratios = {
        name: median(a and b and b / a for a, b in zip(ours, seconds, strict=True))
        for name, seconds in theirs.items()
    }
    return {
        "seconds": median(ours),
        "peer_seconds": {name: median(seconds) for name, seconds in theirs.items()},
        "ratios": {name: ratio for name, ratio in ratios.items() if ratio is not None},
        "peak_mb": median(r["ours"].get("link_peak_mb", r["ours"].get("peak_mb")) for r in repeats),
    }


def points(line: Growth, repeats: list[Figures]) -> list[tuple[int, float | None]]:
    """A line of growth: what grows, and the median seconds."""
    return [
        (same[0][line.along], median(point.get("seconds") for point in same))
        for same in zip(*(repeat["points"] for repeat in repeats), strict=True)
    ]


def verdict(need: Need, figures: Figures) -> str:
    """Whether what is asked for was reached."""
    asked = [
        (need.ratio, _least(figures["ratios"], need.against), -1),
        (need.seconds, figures["seconds"], 1),
        (need.gigabytes, figures["peak_mb"] and figures["peak_mb"] / 1000, 1),
    ]
    judged = [
        value is not None and sign * value <= sign * bound
        for bound, value, sign in asked
        if bound is not None
    ]
    return NOTHING if not judged else "met" if all(judged) else "**not met**"


def _least(ratios: dict[str, float], against: tuple[str, ...]) -> float | None:
    """The smallest ratio against those that are meant; None where one of them has none."""
    meant = against or tuple(ratios)
    return (
        min((ratios[peer] for peer in meant), default=None) if set(meant) <= set(ratios) else None
    )


# Cells --------------------------------------------------------------------------------------------


def number(value: float | None) -> str:
    """Two significant digits below a hundred, whole numbers above."""
    if value is None:
        return NOTHING
    return f"{value:,.0f}" if value >= 100 else f"{float(f'{value:.2g}'):g}"


def wanted(need: Need) -> str:
    """What is asked for, in words; required things in bold."""
    parts = [
        need.ratio and f"{need.ratio:,.0f}x",
        need.seconds and f"{need.seconds:g} s",
        need.gigabytes and f"{need.gigabytes:g} GB",
    ]
    text = ", ".join(part for part in parts if part)
    return f"**{text}**" if text and need.required else text or NOTHING


def table(head: list[str], body: list[list[str]]) -> str:
    """A table of Markdown, or a line that says that nothing is measured yet."""
    if not body:
        return "Not measured yet.\n"
    rows = [head, ["---"] * len(head), *body]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in rows)


# Tables -------------------------------------------------------------------------------------------


def machines(found: Found) -> str:
    """What the figures were measured on; more than one line where machines differ."""
    lines = {}
    for result in found.values():
        told = result["machine"]
        versions = ", ".join(f"{name} {value}" for name, value in told["versions"].items())
        lines[
            f"- {told['processor']}, {told['cores']} cores, {told['memory_gb']} GB, "
            f"{told['system']}, Python {told['python']}, {versions}.\n"
        ] = None
    return "".join(lines) or "Not measured yet.\n"


def loads(found: Found) -> str:
    """How busy the machine was: figures of a busy machine are too high."""
    seen = [repeat["load"] for result in found.values() for repeat in result["repeats"]]
    if not seen:
        return "Not measured yet.\n"
    return (
        f"Load before a repeat: median {number(statistics.median(seen))}, largest "
        f"{number(max(seen))}. The measurements themselves are part of it.\n"
    )


def _rows(found: Found) -> list[tuple[Row, Figures, list[Figures]]]:
    return [
        (row, medians(found[row.name]["repeats"]), found[row.name]["repeats"])
        for row in MEASURED
        if row.name in found
    ]


def figures(found: Found) -> str:
    """Every row against its first peer."""
    body = []
    for row, one, _ in _rows(found):
        peer = row.peers[0] if row.peers and row.family != "nearest" else None
        body.append(
            [
                f"`{row.name}`",
                number(one["seconds"]),
                peer or NOTHING,
                number(one["peer_seconds"].get(peer)),
                f"{number(one['ratios'][peer])}x" if peer in one["ratios"] else NOTHING,
                number(one["peak_mb"]),
                wanted(row.need),
                verdict(row.need, one),
            ]
        )
    head = ["row", "seconds", "peer", "peer's seconds", "ratio", "MB", "asked for", "verdict"]
    return table(head, body)


def around(found: Found) -> str:
    """What lies outside the clock: reading, coding, the first run, the whole command."""
    body = []
    for row, one, repeats in _rows(found):
        ours = [repeat["ours"] for repeat in repeats]
        command = [repeat["command"] for repeat in repeats]
        body.append(
            [
                f"`{row.name}`",
                str(ours[0].get("how", NOTHING)),
                number(one["seconds"]),
                number(median(o.get("cpu_seconds") for o in ours)),
                number(median(o.get("first_seconds") for o in ours)),
                number(median(o.get("coding_seconds") for o in ours)),
                number(median(c.get("seconds") for c in command)),
                number(median(c.get("peak_mb") for c in command)),
            ]
        )
    head = ["row", "way", "seconds", "CPU", "first run", "coding", "command", "its MB"]
    return table(head, body)


def checked(found: Found) -> str:
    """What was compared with each peer, and what differed."""
    body = []
    for row, _, repeats in _rows(found):
        for peer in row.peers:
            given = [r["peers"].get(peer, {}) for r in repeats]
            compared = [one["answer"] for one in given if "answer" in one]
            if not compared or compared[0]["task"] == "another":
                continue
            differ = sum(answer["records_that_differ"] for answer in compared)
            body.append([f"`{row.name}`", peer, compared[0]["compared"], f"{differ:,}"])
    return table(
        ["row", "peer", "compared, in the first repeat", "records that differ, in all"], body
    )


def nearest(found: Found) -> str:
    """Packages that look for near records, each by its own distance."""
    body = []
    for row, one, repeats in _rows(found):
        if row.family != "nearest":
            continue
        for peer in row.peers:
            given = [r["peers"].get(peer, {}) for r in repeats]
            shares = [g.get("answer", {}).get("share_in_common") for g in given]
            share = median(shares)
            body.append(
                [
                    f"{peer} {given[0].get('version', '')}".strip(),
                    number(one["peer_seconds"].get(peer)),
                    f"{number(one['ratios'][peer])}x" if peer in one["ratios"] else NOTHING,
                    number(median(g.get("peak_mb") for g in given)),
                    NOTHING if share is None else f"{100 * share:.0f} %",
                    given[0].get("difference", given[0].get("failed", NOTHING)),
                ]
            )
    head = [
        "package",
        "seconds",
        "ratio",
        "MB",
        "our nearest among its five",
        "what it does instead",
    ]
    return table(head, body)


def uniques(found: Found) -> str:
    """Unique records of one file, against each peer in the same process."""
    body = []
    for row in SEARCHES:
        if row.name not in found:
            continue
        repeats = found[row.name]["repeats"]
        one = medians(repeats)
        for need in row.needs:
            (peer,) = need.against
            answers = [r["peers"][peer]["answer"] for r in repeats if peer in r["peers"]]
            body.append(
                [
                    f"`{row.name}`",
                    number(one["seconds"]),
                    peer,
                    number(one["peer_seconds"].get(peer)),
                    f"{number(one['ratios'][peer])}x" if peer in one["ratios"] else NOTHING,
                    wanted(need),
                    verdict(need, one),
                    f"{sum(answer['records_that_differ'] for answer in answers):,}",
                ]
            )
    head = ["row", "seconds", "peer", "peer's seconds", "ratio", "asked for", "verdict", "differ"]
    return table(head, body)


def growth(found: Found) -> str:
    """Seconds along each line, and the factor from a point to the next."""
    body = []
    for line in GROWTH:
        if line.name not in found:
            continue
        grown = points(line, found[line.name]["repeats"])
        seconds = [took for _, took in grown]
        factors = [b / a if a and b else None for a, b in itertools.pairwise(seconds)]
        body.append(
            [
                line.attack,
                f"{line.along} {', '.join(f'{size:,}' for size, _ in grown)}",
                ", ".join(map(number, seconds)),
                ", ".join(map(number, factors)),
            ]
        )
    return table(["attack", "along", "seconds", "factor from point to point"], body)


def start(found: Found) -> str:
    """How long a command takes to begin."""
    body = []
    for one in STARTS:
        if one.name in found:
            got = medians(found[one.name]["repeats"])
            command = f"`reident {one.command[0]}`" + (", first time" if one.cold else "")
            cells = [number(got["seconds"]), number(got["peak_mb"])]
            body.append([command, *cells, wanted(one.need), verdict(one.need, got)])
    return table(["command", "seconds", "MB", "asked for", "verdict"], body)


def keeping(found: Found) -> str:
    """What checkpoints cost, by the share of the time and by the clock."""
    body = []
    for row in KEEPING:
        repeats = [one["ours"] for one in found.get(row.name, {}).get("repeats", [])]
        if not repeats or any("failed" in one for one in repeats):
            continue
        # One thread writes while the others go on.
        share = median(
            100 * one["spent_seconds"] / (one["seconds"] * one["jobs"]) for one in repeats
        )
        clock = median(100 * (one["seconds"] / one["without_seconds"] - 1) for one in repeats)
        body.append(
            [
                f"`{row.name}`",
                number(median(one["without_seconds"] for one in repeats)),
                number(median(one["seconds"] for one in repeats)),
                number(median(one["files"] for one in repeats)),
                number(median(one["mb"] for one in repeats)),
                f"{share:.2f} %",
                f"{clock:+.1f} %",
                f"**{row.percent:g} %**",
                "met" if share is not None and share < row.percent else "**not met**",
            ]
        )
    head = ["row", "without", "with", "files", "MB", "spent on them", "by the clock"]
    return table([*head, "asked for at most", ""], body)


def oddities(repeats: list[Figures]) -> list[tuple[str, int, float | None, float | None]]:
    """Each shape: pairs that meet, seconds, and how many times as long as the plain file.

    By pair; where few meet, records decide and not pairs, and all of it stands beside all of it.
    """
    shapes = [repeat["ours"].get("shapes", {}) for repeat in repeats]
    told = []
    for name in shapes[0] if all(shapes) else ():
        seconds = [one[name]["seconds"] for one in shapes]
        shares = [one[name]["compared"] / one["plain"]["compared"] for one in shapes]
        times = median(
            took / one["plain"]["seconds"] / (share if share >= FEW else 1.0)
            for took, share, one in zip(seconds, shares, shapes, strict=True)
        )
        told.append((name, shapes[0][name]["compared"], median(seconds), times))
    return told


def awkward(found: Found) -> str:
    """Shape by shape what each attack takes, and how many times as long as the plain file."""
    told = {row: oddities(found[row.name]["repeats"]) for row in AWKWARD if row.name in found}
    rows, columns = [row for row in told if told[row]], filter(None, told.values())
    failed = "".join(f"\n`{row.name}`: not finished.\n" for row in told if not told[row])
    body = []
    for cells in zip(*columns, strict=True):
        name, pairs = cells[0][:2]
        times = [(row, one[3]) for row, one in zip(rows, cells, strict=True)]
        body.append(
            [
                name,
                f"{pairs:.2g}",
                *(f"{number(seconds)} s, {number(more)}x" for *_, seconds, more in cells),
                "met" if all(more and more <= row.times for row, more in times) else "**not met**",
            ]
        )
    asked = f"at most {rows[0].times:g}x" if rows else ""
    return table(["files", "pairs", *(row.attack for row in rows), asked], body) + failed


def planner(found: Found) -> str:
    """Forecasts against outcomes, every repeat of every row: of `plan`, and of the run itself."""
    body: list[list[str]] = []
    runs: dict[str, list[tuple[float, float]]] = {"`plan`": [], "the run itself": []}
    for row, _, repeats in _rows(found):
        plans, commands = ([repeat[side] for repeat in repeats] for side in ("plan", "command"))
        outcomes = [command.get("attack_seconds") for command in commands]
        told = {
            "`plan`": [plan.get("seconds") for plan in plans],
            "the run itself": [command.get("forecast_seconds") for command in commands],
        }
        cells = [f"`{row.name}`", number(median(outcomes))]
        for whose, forecasts in told.items():
            mine = [both for both in zip(forecasts, outcomes, strict=True) if None not in both]
            runs[whose].extend(mine)
            each = ", ".join(number(forecast / came) for forecast, came in mine)
            cells += [number(median(forecasts)), each or NOTHING]
        body.append([*cells, number(median(plan.get("took_seconds") for plan in plans))])
    by = "by outcome, each repeat"
    head = ["row", "outcome", "`plan`", by, "the run itself", by, "seconds of `plan`"]
    return table(head, body) + "".join(itertools.starmap(_good, runs.items()))


def _good(whose: str, runs: list[tuple[float, float]]) -> str:
    """How many forecasts were good."""
    longer = [run for run in runs if run[1] >= LONG]
    good, good_longer = (sum(within(*run) for run in some) for some in (runs, longer))
    if not runs:
        return ""
    return (
        f"\nForecasts of {whose} within a factor of {FACTOR:g}: {good} of {len(runs)} runs; of "
        f"those that took {LONG:g} s or more {good_longer} of {len(longer)}.\n"
    )


def within(forecast: float, came: float) -> bool:
    """Whether a forecast was good."""
    return max(forecast, came) <= FACTOR * min(forecast, came)


def slower(found: Found) -> str:
    """Where a peer is faster, and what was asked for and not reached."""
    lines = []
    for row, one, repeats in _rows(found):
        lines += [
            f"- `{row.name}`: {peer} is {number(1 / ratio)} times as fast.\n"
            for peer, ratio in one["ratios"].items()
            if ratio < 1
        ]
        if one["seconds"] is None:
            why = next(repeat["ours"]["failed"] for repeat in repeats if "failed" in repeat["ours"])
            lines.append(f"- `{row.name}`: {why} ({row.limit:,.0f} s).\n")
        elif verdict(row.need, one) not in {"met", NOTHING}:
            lines.append(f"- `{row.name}`: {wanted(row.need)} was asked for and is not met.\n")
    if not found:
        return "Not measured yet.\n"
    return "".join(lines) or "No row is slower than its peer, and none misses what was asked for.\n"


def pictures(found: Found) -> str:
    """The two pictures, where there is something to draw."""
    drawn = drawings(found)
    alternatives = {
        "benchmarks": "Seconds of reident and of its peers for each row, on a logarithmic scale; "
        "the numbers are in the table below.",
        "growth": "Seconds against the number of records and of variables for each attack; the "
        "numbers are in the table of growth.",
    }
    blocks = [f"```{{image}} img/{name}.svg\n:alt: {alternatives[name]}\n```\n" for name in drawn]
    return "\n".join(blocks) or "Not measured yet.\n"


def drawings(found: Found) -> dict[str, str]:
    """Each picture by name, as SVG."""
    made = {}
    dots = [
        (
            row.name,
            one["seconds"],
            {peer: (one["peer_seconds"][peer], ratio) for peer, ratio in one["ratios"].items()},
        )
        for row, one, _ in _rows(found)
        if one["seconds"] is not None
    ]
    if dots:
        made["benchmarks"] = chart.compared(dots)
    lines = [
        (
            line.attack,
            line.along,
            [point for point in points(line, found[line.name]["repeats"]) if point[1] is not None],
        )
        for line in GROWTH
        if line.name in found
    ]
    if any(drawn for _, _, drawn in lines):
        made["growth"] = chart.grown(lines)
    return made


TABLES: dict[str, Callable[[Found], str]] = {
    "machine": machines,
    "load": loads,
    "pictures": pictures,
    "figures": figures,
    "around": around,
    "answers": checked,
    "nearest": nearest,
    "uniques": uniques,
    "growth": growth,
    "start": start,
    "keeping": keeping,
    "awkward": awkward,
    "planner": planner,
    "slower": slower,
}


def filled(text: str, found: Found) -> str:
    """The page with its tables as the results give them."""
    return BLOCK.sub(lambda mark: f"{mark[1]}\n{TABLES[mark[2]](found)}\n{mark[3]}", text)


def write(results: Path = RESULTS, *, page: Path = PAGE, folder: Path = PICTURES) -> None:
    """Write the tables and the pictures."""
    found = found_in(results)
    page.write_text(filled(page.read_text(encoding="utf-8"), found), encoding="utf-8")
    for name, picture in drawings(found).items():
        (folder / f"{name}.svg").write_text(picture, encoding="utf-8")


def faults(results: Path = RESULTS) -> list[str]:
    """What of the page or its pictures does not agree with the results."""
    found = found_in(results)
    text = PAGE.read_text(encoding="utf-8")
    wrong = [] if filled(text, found) == text else [PAGE.name]
    for name, picture in drawings(found).items():
        path = PICTURES / f"{name}.svg"
        if not path.exists() or path.read_text(encoding="utf-8") != picture:
            wrong.append(path.name)
    return wrong


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        if wrong := faults():
            sys.exit(f"Not as the results say: {', '.join(wrong)}. Run benchmarks/page.py.")
    else:
        write()
