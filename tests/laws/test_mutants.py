"""The list of deliberate wrong lines cannot rot, and some of them are tried every time."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest


def beside(name):
    """A script of this folder as a module."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


mutants = beside("mutants")
sweep = beside("sweep")

KERNELS = {
    "fields.scan",
    "twins.hashes",
    "twins.same",
    "twins.twins_of",
    "twins.stand_ins",
    "shortlist.put",
    "shortlist.unfold",
    "shortlist.gather",
    "shortlist.pour",
    "pairs.gap",
    "pairs.squared",
    "pairs.add_equal",
    "pairs.add_distance",
    "pairs.add_steps",
    "pairs.add_listed",
    "pairs.add_up",
    "pairs.above_floor",
    "pairs.score_tile",
    "pairs.score_some",
    "points.draw_points",
    "points.add_points",
    "points._pair",
    "points.add_last",
    "points.clear_sums",
    "pointwise.lay_out",
    "pointwise.prepare",
    "pointwise.settle_points",
    "pointwise.count_left",
    "pointwise.note_left",
    "pointwise.scan_points",
    "pointwise.begin_row",
    "planes.pack",
    "planes.turn",
    "planes.mark",
    "bitmaps.bits_in",
    "bitmaps.lowest",
    "bitmaps.draw_digits",
    "bitmaps.preload",
    "bitmaps.add_eight",
    "bitmaps.add_eight_more",
    "bitmaps.eight_words",
    "bitmaps._sum",
    "bitmaps.add_at",
    "bitmaps.add_digits",
    "coarse.least_by_steps",
    "coarse.least_by_lists",
    "runs.keys_of",
    "runs.copies_of",
    "runs.directory",
    "entries.several",
    "entries.missed",
    "entries.needy_rows",
    "tally.begin_tally",
    "tally.tally_eight",
    "tally.tally_at",
    "cellwise.scan_cells",
    "cellwise.whole_limit",
    "cellwise.up_to",
    "cellwise.show_parts",
    "cellwise.part_at",
    "cellwise.put_down",
    "cellwise.name_rows",
    "cellwise.halves_of",
    "cellwise.gaps_of",
    "cellwise.fill_gaps",
    "cellwise.bitmaps_of",
    "lanes.turn_bytes",
    "lanes.majority",
    "lanes.wide_registers",
    "lanes.load",
    "registers._turn_bytes",
    "registers._fetch",
    "registers._filled",
    "desk.fetch",
    "cellwise.drop_copies",
    "levels.level_of",
    "levels.below",
    "levels.note",
    "runs.find_runs",
    "candidates.settle",
    "blocks.scan_block",
    "bounds.scan_bounds",
    "exact.scan_exact",
    "desk.limit_of",
    "everyone.least_by_tiles",
    "everyone.near_enough",
    "everyone.scan_everyone",
    "boxes.survey",
    "boxes.widest",
    "boxes.cut",
    "boxes.grow",
    "boxes.least_apart",
    "boxes.least_units",
    "boxes.homes",
    "boxes.search",
    "desk.show_words",
    "tiles.scan_tile",
    "shortlist.put_some",
    "shortlist.put_all",
    "candidates.seed",
    "masks.agreement",
    "masks.insert",
    "masks.maximal_masks",
    "masks.merge",
    "keys.row_keys",
    "keys.counts",
    "keys.order_small",
    "cells.mixed_radix",
    "cells.powers_of_two",
    "dealing.deal_round",
    "dealing.fill",
    "dealing.count_parts",
    "dealing.number_parts",
    "dealing.collect",
    "cells.count_all",
    "cells.count_compatible",
    "cells.find_slot",
    "cells.add_words",
    "cells.move_words",
    "cells.look_up_words",
    "nearest.keep",
    "nearest.measure",
    "nearest.add_squares",
    "nearest.look_into",
    "nearest.least_squares",
    "nearest.search",
    "minimal.contains_one_of",
    "minimal.part",
    "minimal.sets_of_size",
    "windows.in_most",
    "windows.count_in_grids",
    "grids.rows_inside",
    "trimmed.nearest_trimmed",
    "stepwise.narrow",
    "groups.mdav_groups",
}
TRIED = ("kernels.shortlist.put", "attacks.pairwise._ranked", "model.rates.chance_of_a_hit")


def test_every_kernel_ranks_and_rates_have_a_wrong_line():
    places = {mutant.place for mutant in mutants.MUTANTS}
    assert {f"kernels.{name}" for name in KERNELS} <= places
    assert {"attacks.pairwise._ranked", "attacks.pairwise._ranking"} <= places
    rates = ("suspected", "confirmed", "conditional", "conditional_interval", "pair_precision")
    assert {f"model.rates.Rates.{name}" for name in (*rates, "recall")} <= places
    assert {f"model.rates.{name}" for name in ("wilson", "chance_of_a_hit", "baseline")} <= places
    assert any(place.startswith("attacks.verify.") for place in places)


@pytest.mark.parametrize("mutant", mutants.MUTANTS, ids=lambda mutant: mutant.place)
def test_the_line_stands_in_its_function_once_and_the_test_exists(mutant):
    text = (mutants.SOURCE / mutant.file).read_text(encoding="utf-8")
    changed = mutants.mutated(text, mutant)
    assert changed != text
    function = mutant.place.rpartition(".")[2]
    [at] = [n for n, line in enumerate(text.splitlines()) if line.strip() == mutant.old]
    above = [line.strip() for line in text.splitlines()[:at] if line.strip().startswith("def ")]
    # A function may hold a small one of its own above the line.
    assert any(line.startswith(f"def {function}(") for line in above[-2:])
    tests = (mutants.HOME / mutant.test).read_text(encoding="utf-8")
    assert all(word in tests for word in mutant.pick.split(" or "))


def test_the_outcome_of_every_mutant_stands_in_the_readme():
    told = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    for mutant in mutants.MUTANTS:
        start = f"| {mutant.place} | `{mutant.old}` | `{mutant.new}` |"
        [row] = [line for line in told.splitlines() if line.startswith(start)]
        assert "| killed |" in row
    assert "SURVIVED" not in told


@pytest.mark.parametrize("file", sweep.FILES)
def test_small_changes_are_named_once_each_differs_and_those_explained_are_among_them(file):
    changes = sweep.changes(file)
    sound = ast.unparse(ast.parse((sweep.SOURCE / file).read_text(encoding="utf-8")))
    ends = {ast.unparse(change.tree) for change in (changes[0], changes[-1])}
    assert len(ends) == 2
    assert sound not in ends
    names = {change.row for change in changes}
    assert len(names) == len(changes)
    told = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    rows = [line for line in told.splitlines() if line.startswith(f"| {file} |")]
    stale = {row for row in rows if not any(row.startswith(name) for name in names)}
    assert stale == set()
    # Nor is any of them explained twice.
    assert len(rows) == sum(map(sweep.explained, changes))


def test_a_sample_is_that_of_its_seed():
    one, again, other = (sweep.sample(9, seed, "") for seed in (1, 1, 2))
    assert one == again != other
    assert len(one) == 9
    assert len(sweep.sample(0, 0, "keys")) == len(sweep.changes("kernels/keys.py"))


def test_a_log_is_a_sample_of_those_that_survived(tmp_path):
    first, second, third = sweep.sample(3, 0, "keys")
    log = tmp_path / "log"
    rows = (f"{first.row} killed | 9 |", f"{second.row} SURVIVED | 9 |", f"{third.row} stuck | 9 |")
    log.write_text("\n".join(rows), encoding="utf-8")
    assert sweep.sample(0, 0, f"@{log}") == [second]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return mutants.Workshop(tmp_path_factory.mktemp("mutants"))


@pytest.mark.parametrize("place", TRIED)
def test_a_wrong_line_makes_a_test_fail(workshop, place):
    mutant = mutants.chosen(place)[0]
    assert workshop.attempt(mutant)


def test_no_line_changed_makes_no_test_fail(workshop):
    """The copy is sound, so what failed above failed because of its wrong line."""
    mutant = mutants.chosen(TRIED[0])[0]
    code, said = workshop.pytest(mutant.test, mutant.pick, compiled=False)
    assert code == mutants.SURVIVED, said
