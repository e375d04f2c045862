"""How it runs never changes what it says: threads, tiles, order of rows and variables, machine.

Compared are the bytes of results.json and of restricted/pairs.parquet.
"""

import dataclasses
import functools
import io
import json
import os
import stat
import subprocess
import sys
import textwrap
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import reident as ri
from reident.attacks import blocks, index, lookups
from reident.engine.checkpoint import Checkpoints
from reident.engine.local import BUDGET
from reident.io.intake import take_in
from reident.io.outputs import all_pairs, as_json
from reident.run import run
from reident.scenario.population import study_scenario
from strategies import cases

STEPPED = ("microagg_interval", "microagg_nearest")
TOGETHER = ("attacks.pairwise", "attacks.verify", "encode.cells", "io.keys", "model.truth")
"""Modules that look at some records or pairs at a time, to save room."""
wide = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])


def as_bytes(result):
    """results.json and pairs.parquet."""
    stream = io.BytesIO()
    all_pairs(result).write_parquet(stream)
    return as_json(result.to_dict()).encode(), stream.getvalue()


def cut_up(study, **how):
    return as_bytes(run(study, take_in(study), **how))


@wide
@given(case=cases())
def test_tile_sizes_leave_every_byte_as_it_is(case):
    study = case.study()
    expected = as_bytes(study.run())
    for budget in (1, 7, 1000, BUDGET):
        assert cut_up(study, budget=budget) == expected


@wide
@given(case=cases())
def test_one_and_four_threads_give_the_same_bytes(case):
    study = case.study()
    expected = as_bytes(study.run(jobs=1))
    assert as_bytes(study.run(jobs=4)) == expected
    # Strips of three PUF records, so that there is something for every thread to do.
    assert cut_up(study, jobs=4, budget=3) == expected


@wide
@given(case=cases(), some=st.integers(1, 5))
def test_how_many_are_looked_at_together_leaves_every_byte_as_it_is(case, some):
    expected = as_bytes(case.study().run())
    with pytest.MonkeyPatch.context() as patch:
        for module in TOGETHER:
            patch.setattr(f"reident.{module}.AT_ONCE", some)
        assert as_bytes(case.study().run()) == expected


@wide
@given(case=cases(), data=st.data())
def test_the_order_of_rows_leaves_every_byte_as_it_is(case, data):
    shuffled = {
        file: tuple(data.draw(st.permutations(getattr(case, file))))
        for file in ("puf", "eif", "iuf")
        if getattr(case, file) is not None
    }
    other = dataclasses.replace(case, **shuffled)
    assert as_bytes(other.study().run()) == as_bytes(case.study().run())


def without_order_of_variables(results):
    """Results with what lists variables put in a fixed order."""
    found = json.loads(results)
    found["variables"].sort(key=lambda row: row["name"])
    found["true_pair_agreement"].sort(key=lambda row: row["variable"])
    for part in (found, *found["attacks"].values()):
        part["notes"].sort(key=lambda note: (note["code"], note["text"]))
    return as_json(found)


def goes_by_order(label, options):
    """Whether an attack takes the study's variables in their order, as its definition says."""
    method, chosen = options.get("method", label), options.get("variables", "")
    words = ("", "all", "uncorrelated") if method in STEPPED else ("uncorrelated",)
    return method.startswith("microagg_") and chosen in words


@wide
@given(case=cases(), data=st.data())
def test_the_order_of_variables_changes_nothing_but_their_listing(case, data):
    attacks = {name: one for name, one in case.attacks.items() if not goes_by_order(name, one)}
    case = dataclasses.replace(case, attacks=attacks)
    other = dataclasses.replace(case, variables=tuple(data.draw(st.permutations(case.variables))))
    one, two = as_bytes(case.study().run()), as_bytes(other.study().run())
    assert without_order_of_variables(two[0]) == without_order_of_variables(one[0])
    assert two[1] == one[1]


@wide
@given(case=cases(), budget=st.integers(1, 40))
def test_progress_reaches_the_number_of_pairs_and_changes_nothing(case, budget):
    study, events = case.study(), []
    assert cut_up(study, budget=budget, watch=events.append) == as_bytes(study.run())
    for label in {event.label for event in events}:
        done: list[list[int]] = []
        for event in events:
            if event.label != label:
                continue
            # What is told with its expected seconds begins a piece of work.
            if event.seconds is not None:
                assert event.done == 0
                done.append([])
            done[-1].append(event.total - event.done)
        assert all(left == sorted(left, reverse=True) and left[-1] == 0 for left in done)


@wide
@given(
    case=cases(), budget=st.integers(1, 40), stop=st.integers(1, 40), jobs=st.sampled_from([1, 4])
)
def test_an_interrupted_run_goes_on_to_the_same_bytes(case, budget, stop, jobs):
    study, told = case.study(), iter(range(stop))

    def watch(_):
        if next(told, None) is None:
            raise KeyboardInterrupt

    with TemporaryDirectory() as home:
        folder = Path(home)
        with suppress(KeyboardInterrupt), Checkpoints(folder) as keep:
            run(study, take_in(study), budget=budget, watch=watch, keep=keep)
        with Checkpoints(folder) as keep:
            resumed = run(study, take_in(study), budget=budget, jobs=jobs, keep=keep)
    assert as_bytes(resumed) == as_bytes(study.run())


# The index ----------------------------------------------------------------------------------------

KNOBS = {
    "few neighbours": {"SOON_READ": 0, "NEIGHBOURS": 1, "MOST_READ": 1e9, "SAMPLE": 50},
    "many neighbours": {"SOON_READ": 0, "NEIGHBOURS": 40, "MOST_READ": 1e9, "SAMPLE": 50},
    "small keys": {"NEIGHBOURS": 3, "MOST_READ": 1e9, "SAMPLE": 50, "CELLS": 1, "STRIP": 3},
    "copies": {"NEIGHBOURS": 3, "MOST_READ": 1e9, "SAMPLE": 50, "COPIES": 1000},
}


def of_codes(puf, eif, attacks, strata=()):
    """A study of whole-numbered categories, -1 missing, and of one number, the last column."""
    frames = []
    for table, key in ((puf, "p"), (eif, "e")):
        columns = {key: [f"{place:05}" for place in range(len(table))]}
        for place in range(table.shape[1] - 1):
            columns[f"v{place}"] = [None if x < 0 else str(x) for x in table[:, place].tolist()]
        columns["x"] = [None if x < 0 else float(x) for x in table[:, -1].tolist()]
        frames.append(pl.DataFrame(columns, infer_schema_length=None))
    names = [f"v{place}" for place in range(puf.shape[1] - 1)]
    return ri.Study(
        puf=ri.PublicFile(frames[0], key="p"),
        eif=ri.IntruderFile(frames[1], key="e"),
        variables=[*(ri.categorical(name) for name in names), ri.numeric("x")],
        strata=strata,
        attacks=attacks(names),
    )


def looked_up_and_met(study, monkeypatch, **knobs):
    """The bytes of a study whose pairs may be looked up, and of one whose pairs all meet."""
    monkeypatch.setattr(index, "WORTHWHILE", 1 << 62)
    met = study.run()
    monkeypatch.setattr(index, "WORTHWHILE", 0)
    for name, value in knobs.items():
        home = next(home for home in (index, lookups, blocks) if hasattr(home, name))
        monkeypatch.setattr(home, name, value)
    looked_up = study.run()
    return looked_up, as_bytes(looked_up), as_bytes(met)


@pytest.mark.parametrize("knobs", KNOBS)
def test_looking_pairs_up_finds_what_meeting_every_pair_finds(knobs, monkeypatch):
    draw = np.random.default_rng(5)
    eif = draw.integers(-1, 4, size=(120, 7))
    puf = eif[draw.integers(120, size=40)]
    puf = np.where(draw.random(puf.shape) < 0.2, draw.integers(-1, 4, size=puf.shape), puf)

    def attacks(names):
        rules = {name: {"equal": 5} for name in names} | {"x": {"difference": [[0, 5], [1, 2]]}}
        return {
            "all": ri.Taxicab(variables=names),
            "loose": ri.Taxicab(threshold=0.6, missing_score=0.2),
            "mixed": ri.Euclidean(),
            "rules": ri.AdHoc(rules),
        }

    study = of_codes(puf, eif, attacks)
    result, looked_up, met = looked_up_and_met(study, monkeypatch, **KNOBS[knobs])
    assert "index" in result.manifest["methods"].values()
    assert looked_up == met


@pytest.mark.parametrize("strata", [(), ("v0",)])
def test_looking_pairs_up_finds_what_lies_in_other_tiles_than_ones_own(strata, monkeypatch):
    """More EIF records than a tile holds, in classes that fill whole tiles."""
    draw = np.random.default_rng(6)
    sizes = [3, 4, 4, 30, 200]
    eif = np.stack([draw.integers(-1, size, size=16_000) for size in sizes], axis=1)
    puf = np.stack([draw.integers(-1, size, size=30) for size in sizes], axis=1)
    # Some PUF records stand behind all others.
    eif[:, 0] = draw.integers(2, size=len(eif))

    def attacks(names):
        rules = {name: {"equal": 5} for name in names[:3]}
        rules |= {"v3": {"table": [["1", "2", 3]]}, "x": {"difference": [[0, 5], [1, 2], [7, 1]]}}
        return {
            "taxicab": ri.Taxicab(threshold=0.4),
            "euclidean": ri.Euclidean(),
            "rules": ri.AdHoc(rules, threshold=13),
        }

    study = of_codes(puf, eif, attacks, strata)
    result, looked_up, met = looked_up_and_met(study, monkeypatch, MOST_READ=0)
    assert set(result.manifest["methods"].values()) == {"bitmaps"}
    assert looked_up == met


def test_looking_pairs_up_finds_whole_ranks_in_a_crowd(monkeypatch):
    """More pairs than may be kept agree with a record on a block, some with values missing."""
    draw = np.random.default_rng(9)
    eif = np.where(draw.random((90, 7)) < 0.05, -1, draw.integers(2, size=(90, 7)))
    puf = np.where(draw.random((30, 7)) < 0.1, -1, eif[draw.integers(90, size=30)])

    def attacks(names):  # the units of euclidean are many
        return {"taxicab": ri.Taxicab(variables=names), "euclidean": ri.Euclidean(variables=names)}

    study = of_codes(puf, eif, attacks)
    result, looked_up, met = looked_up_and_met(study, monkeypatch, **KNOBS["copies"])
    assert result.manifest["methods"] == {"taxicab": "index", "euclidean": "index"}
    assert looked_up == met


def test_looking_pairs_up_finds_no_others_where_runs_are_too_many_to_tell_apart(monkeypatch):
    """Two codes missing of a key with 31 each: more runs than a lookup holds."""
    draw = np.random.default_rng(8)
    eif = draw.integers(31, size=(30_000, 9))
    puf = eif[draw.integers(len(eif), size=60)]
    for row in puf:
        row[draw.choice(8, size=2, replace=False)] = -1
        row[draw.integers(8)] = draw.integers(31)
    study = of_codes(puf, eif, lambda names: {"taxicab": ri.Taxicab(variables=names)})
    # Bitmaps of so many rows are made in several parts.
    result, looked_up, met = looked_up_and_met(study, monkeypatch, MOST_READ=1e9, PIECES=7)
    assert result.manifest["methods"] == {"taxicab": "index"}
    assert looked_up == met


def test_looking_pairs_up_finds_what_sums_of_missing_values_cannot_hold(monkeypatch):
    """EIF records that miss nearly everything, and a threshold that lets them pass."""
    draw = np.random.default_rng(9)
    eif = draw.integers(3, size=(300, 41))
    eif[:40, :36] = -1
    puf = draw.integers(-1, 3, size=(20, 41))
    study = of_codes(puf, eif, lambda names: {"loose": ri.Taxicab(threshold=0.6, variables=names)})
    _, looked_up, met = looked_up_and_met(study, monkeypatch)
    assert looked_up == met


@pytest.mark.parametrize("v", [70, 100])
def test_looking_pairs_up_loses_none_with_more_than_64_variables(v, monkeypatch):
    draw = np.random.default_rng(1)
    eif = draw.integers(14 * v, size=(1500, v + 1))
    puf = draw.integers(14 * v, size=(40, v + 1))
    for row in puf:
        equal = draw.choice(v, size=draw.integers(1, 6), replace=False)
        row[equal] = eif[draw.integers(1500), equal]
    study = of_codes(puf, eif, lambda names: {"taxicab": ri.Taxicab(threshold=2, variables=names)})
    _, looked_up, met = looked_up_and_met(study, monkeypatch)
    same = looked_up == met  # said here, because pytest would write a book on the difference
    assert same


# Whole runs, into folders -------------------------------------------------------------------------


@functools.cache
def scenario():
    return study_scenario(records=1200, seed=4)


def written(folder):
    """The scenario's files in a folder; returns the study's path."""
    made = scenario()
    for name, frame in (("puf", made.puf), ("eif", made.eif), ("iuf", made.iuf)):
        frame.write_csv(folder / f"{name}.csv")
    path = folder / "study.toml"
    path.write_text(made.study, encoding="utf-8")
    return path


def outputs(folder):
    return tuple(
        (folder / name).read_bytes() for name in ("results.json", "restricted/pairs.parquet")
    )


@pytest.fixture(scope="module")
def first_run(tmp_path_factory):
    """A run of one thread, and its study."""
    folder = tmp_path_factory.mktemp("first")
    path = written(folder)
    ri.Study.read(path).run_to(folder / "out", jobs=1)
    return path, outputs(folder / "out")


def test_a_run_folder_holds_the_bytes_of_the_api(first_run):
    path, expected = first_run
    assert as_bytes(ri.Study.read(path).run()) == expected


def test_a_run_of_four_threads_writes_the_same_bytes(first_run, tmp_path):
    path, expected = first_run
    ri.Study.read(path).run_to(tmp_path / "out", jobs=4)
    assert outputs(tmp_path / "out") == expected


def test_files_with_shuffled_rows_give_a_run_with_the_same_bytes(first_run, tmp_path):
    path, expected = first_run
    made = scenario()
    for seed, (name, frame) in enumerate((("puf", made.puf), ("eif", made.eif), ("iuf", made.iuf))):
        shuffled = frame.sample(fraction=1, shuffle=True, seed=seed)
        assert not shuffled.equals(frame)
        shuffled.write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "study.toml").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    ri.Study.read(tmp_path / "study.toml").run_to(tmp_path / "out")
    assert outputs(tmp_path / "out") == expected


@contextmanager
def umask(mode):
    before = os.umask(mode)
    try:
        yield
    finally:
        os.umask(before)


def modes(folder):
    """Modes of a folder and of all it holds, folders and files apart."""
    found = {"folder": {stat.S_IMODE(folder.stat().st_mode)}, "file": set()}
    for path in folder.rglob("*"):
        found["folder" if path.is_dir() else "file"].add(stat.S_IMODE(path.stat().st_mode))
    return found


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077], ids=oct)
def test_a_run_folder_is_private_and_the_same_whatever_the_umask(first_run, tmp_path, mask):
    path, expected = first_run
    with umask(mask):
        ri.Study.read(path).run_to(tmp_path / "deep" / "out")
    assert outputs(tmp_path / "deep" / "out") == expected
    assert modes(tmp_path / "deep") == {"folder": {0o700}, "file": {0o600}}


def test_a_run_folder_that_was_there_already_becomes_private(first_run, tmp_path):
    path, _ = first_run
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o755)
    ri.Study.read(path).run_to(out, only=["taxicab"])
    assert modes(out) == {"folder": {0o700}, "file": {0o600}}


# Other processes ----------------------------------------------------------------------------------

SCRIPT = """
    import hashlib, io, json, random
    import polars as pl
    import reident as ri
    from reident.io.outputs import all_pairs, as_json

    draw = random.Random(7)
    def frame(key, count):
        return pl.DataFrame({
            key: [f"{key}{place}" for place in range(count)],
            "name": [draw.choice(["anna", "anne", "hanna", None]) for _ in range(count)],
            "race": [draw.choice("123") for _ in range(count)],
            "age": [draw.choice([20.0, 30.0, 31.5, None]) for _ in range(count)],
            "day": [draw.choice(["2020-01-01", "2020-02-29", ""]) for _ in range(count)],
            "state": [draw.choice("ABC") for _ in range(count)],
        })
    puf, eif = frame("p", 40), frame("e", 30)
    iuf = pl.DataFrame({"p": [f"p{i}" for i in range(20)], "e": [f"e{i}" for i in range(20)]})
    study = ri.Study(
        puf=ri.PublicFile(puf, key="p"), eif=ri.IntruderFile(eif, key="e"),
        truth=ri.TruthFile(iuf), strata=["state"],
        variables=[ri.categorical("name"), ri.categorical("race"), ri.numeric("age"),
                   ri.date("day")],
    )
    def digests(*attacks):
        result = study.run(*attacks)
        stream = io.BytesIO()
        all_pairs(result).write_parquet(stream)
        content = [as_json(result.to_dict()).encode(), stream.getvalue()]
        return [hashlib.sha256(one).hexdigest() for one in content]
    one_key = {"name": {"equal": 5}, "race": {"equal": 5}, "age": {"difference": [[0, 5], [2, 1]]},
               "day": {"days": [[0, 5]]}}
    several = one_key | {
        "name": {"similarity": "jaro_winkler", "steps": [[0.9, 5], [0.8, 3]]},
        "race": {"table": [["1", "2", 3], ["2", "3", 1]], "equal": 5, "otherwise": 0},
    }
    print(json.dumps({
        "plain": digests(ri.Unicity(), ri.Taxicab(), ri.Euclidean(), ri.AdHoc(one_key)),
        "rules of several keys": digests(ri.AdHoc(several)),
    }))
"""
SURROUNDINGS = (
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "2", "TZ": "America/New_York", "PYTHONUTF8": "1"},
)


@pytest.fixture(scope="module")
def elsewhere():
    """What processes with other hash seeds, time zones and locales make of one study."""
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT)]
    running = [
        subprocess.Popen(command, env=os.environ | one, stdout=subprocess.PIPE)
        for one in SURROUNDINGS
    ]
    found = [json.loads(process.communicate(timeout=120)[0]) for process in running]
    assert all(process.returncode == 0 for process in running)
    return found


def test_hash_seed_time_zone_and_locale_leave_every_byte_as_it_is(elsewhere):
    assert len({json.dumps(one["plain"]) for one in elsewhere}) == 1


def test_hash_seed_leaves_the_recorded_rules_as_they_are(elsewhere):
    assert len({json.dumps(one["rules of several keys"]) for one in elsewhere}) == 1
