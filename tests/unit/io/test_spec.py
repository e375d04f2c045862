"""The study file: every fault at once, by line, with the nearest name; and back to text."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from reident.errors import SpecError
from reident.io.spec import parse_study, read_study, study_dict, study_text
from strategies import cases

GOOD = """\
schema = 1
title = "A study"
seed = 7
marking = "CONFIDENTIAL"

[puf]
path = "puf.csv"
key = ["household", "person"]
missing = ["-8"]
[eif]
path = "eif.parquet"
key = "eifid"
[iuf]
path = "iuf.csv"
[variables]
age = "numeric"
sex = "categorical"
moved = "date"
county = { kind = "categorical", puf = "CNTY", eif = "c", missing = ["-9", "."] }
[strata]
by = ["state", { puf = "ST", eif = "st" }]
[attacks.unicity]
interactions = "consistent"
[attacks.strict]
method = "euclidean"
threshold = 0.3
missing_score = 0.1
[attacks.adhoc]
variables = ["age", "sex"]
[attacks.adhoc.rules]
age = { difference = [[0, 5], [0.1, 4.5]] }
sex = { table = [["1", "2", 3]], otherwise = 1 }
[limits]
suspected_rate = 20
[limits.strict]
conditional_rate = 5.5
use = "upper"
[report]
small_cell = 3
"""
HERE = Path("/somewhere")


def parse(text):
    return parse_study(text, folder=HERE, name="s.toml")


def faults(text):
    with pytest.raises(SpecError) as caught:
        parse(text)
    return [str(fault) for fault in caught.value.faults]


def test_a_study_file_says_what_the_study_is():
    study = parse(GOOD)
    assert (study.title, study.seed, study.marking) == ("A study", 7, "CONFIDENTIAL")
    assert study.puf.path == HERE / "puf.csv"
    assert study.puf.key == ("household", "person")
    assert study.puf.missing == ("-8",)
    assert [(one.name, one.kind) for one in study.variables] == [
        ("age", "numeric"),
        ("sex", "categorical"),
        ("moved", "date"),
        ("county", "categorical"),
    ]
    assert study.variables[3].column("puf") == "CNTY"
    assert [(one.puf, one.eif) for one in study.strata] == [("state", "state"), ("ST", "st")]
    assert {label: one.method for label, one in study.attacks.items()} == {
        "unicity": "unicity",
        "strict": "euclidean",
        "adhoc": "adhoc",
    }
    assert str(study.attacks["strict"].missing_score) == "0.1"
    assert study.limits["strict"].use == "upper"
    assert study.small_cell == 3


def test_a_study_survives_being_written_down_and_read_again():
    study = parse(GOOD)
    again = parse(study_text(study))
    assert study_dict(again) == study_dict(study)
    assert study_text(again) == study_text(study)
    assert again.puf.path == study.puf.path
    for name in ("title", "seed", "variables", "strata", "limits", "small_cell"):
        assert getattr(again, name) == getattr(study, name)
    for label, attack in study.attacks.items():
        assert again.attacks[label].options() == attack.options()


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases(callables=False))
def test_any_drawn_study_survives_being_written_down_and_read_again(tmp_path_factory, case):
    folder = tmp_path_factory.mktemp("study")
    study = read_study(case.write(folder))
    again = parse_study(study_text(study), folder=HERE)
    assert study_dict(again) == study_dict(study)


def test_without_attacks_the_three_that_need_no_rules_run():
    study = parse(GOOD.partition("[attacks.unicity]")[0])
    assert list(study.attacks) == ["unicity", "taxicab", "euclidean"]


def test_an_empty_table_of_attacks_is_no_attack_named():
    study = parse(GOOD.partition("[attacks.unicity]")[0] + "[attacks]\n")
    assert list(study.attacks) == ["unicity", "taxicab", "euclidean"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("seed = 7", "sed = 7", "s.toml, line 3: sed: unknown name. Did you mean 'seed'."),
        ('key = "eifid"', 'kex = "eifid"', "s.toml, line 12: eif.kex: unknown name. Did you mean"),
        (
            "missing_score = 0.1",
            "mising_score = 0.1",
            "s.toml, line 27: attacks.strict.mising_score: unknown name. Did you mean 'missing_sc",
        ),
        (
            "small_cell = 3",
            "smallcell = 3",
            "s.toml, line 39: report.smallcell: unknown name. Did you mean 'small_cell'.",
        ),
        (
            'sex = "categorical"',
            'sex = "categoric"',
            "s.toml, line 17: variables.sex.kind: not valid.",
        ),
        (
            'puf = "CNTY"',
            'pub = "CNTY"',
            "s.toml, line 19: variables.county.pub: unknown name. Did you mean 'puf'.",
        ),
        (
            "[strata]\nby",
            "[strata]\nbuy",
            "s.toml, line 21: strata.buy: unknown name. Did you mean",
        ),
        (
            'method = "euclidean"',
            'method = "euclidian"',
            "s.toml, line 24: attacks.strict: not a known method. Did you mean 'euclidean'.",
        ),
        (
            "threshold = 0.3",
            'threshold = "papr"',
            "s.toml, line 26: attacks.strict.threshold",
        ),
        (
            "missing_score = 0.1",
            "missing_score = 0.0",
            "s.toml, line 27: attacks.strict.missing_score: not valid.",
        ),
        (
            "missing_score = 0.1",
            "missing_score = nan",
            "s.toml, line 27: attacks.strict.missing_score: not valid.",
        ),
        (
            "missing_score = 0.1",
            "keep = 0",
            "s.toml, line 27: attacks.strict.keep: not valid.",
        ),
        (
            "suspected_rate = 20",
            "suspected_rate = 120",
            "s.toml, line 34: limits.suspected_rate: not valid.",
        ),
        (
            "[limits.strict]",
            "[limits.strickt]",
            "s.toml, line 35: limits.strickt: no attack has this label.",
        ),
        (
            "sex = { table",
            "sec = { table",
            "s.toml, line 30: attacks.adhoc.rules.sex: no rule for this linking variable.",
        ),
        (
            "[[0, 5], [0.1, 4.5]]",
            "[[0, 5], [0.1, 5.5]]",
            "s.toml, line 31: attacks.adhoc.rules.age",
        ),
        ("schema = 1", "schema = 2", "s.toml, line 1: schema: not the schema"),
        ('key = ["household", "person"]', "key = []", "s.toml, line 8: puf.key"),
        ('path = "puf.csv"', "path = 7", "s.toml, line 7: puf.path: not a text."),
        ("seed = 7", 'seed = "seven"', "s.toml, line 3: seed: not valid."),
        (
            'key = "eifid"',
            'key = "c"',
            "s.toml, line 19: variables.county: a eif key column is used as linking variable.",
        ),
        (
            'key = "eifid"',
            'key = "person"',
            "s.toml, line 13: iuf: a PUF and an EIF key column share a name.",
        ),
    ],
)
def test_a_fault_is_told_by_line_and_with_a_remedy(old, new, fault):
    assert GOOD.count(old) >= 1
    assert any(one.startswith(fault) for one in faults(GOOD.replace(old, new, 1)))


def test_all_faults_of_the_parts_are_told_at_once():
    text = (
        GOOD.replace("key = ", "kee = ")
        .replace('"numeric"', '"number"')
        .replace("interactions", "interaction")
        .replace("small_cell", "small")
    )
    told = "\n".join(faults(text))
    for part in ("puf.kee", "eif.kee", "variables.age", "unicity.interaction", "report.small"):
        assert part in told


def test_faults_of_scalars_and_between_parts_are_told_with_the_others():
    text = GOOD.replace("seed = 7", "seed = -7").replace("small_cell", "small")
    text = text.replace("[limits.strict]", "[limits.nobody]")
    told = "\n".join(faults(text))
    for part in ("seed", "report.small", "limits.nobody"):
        assert part in told


@pytest.mark.parametrize("section", ["puf", "eif"])
def test_a_missing_file_table_is_told_with_what_to_add(section):
    head, _, tail = GOOD.partition(f"[{section}]")
    text = head + tail[tail.index("\n[") :]
    assert any(
        f"{section}: missing. Add a table [{section}] with path and key." in one
        for one in faults(text)
    )


def test_a_study_without_variables_is_refused():
    text = 'schema = 1\n[puf]\npath = "p"\nkey = "p"\n[eif]\npath = "e"\nkey = "e"\n'
    assert any("variables: no linking variable" in one for one in faults(text))


@pytest.mark.parametrize("text", ["schema = \nb = 3", "[puf\n", "a = 1\na = 2\nb = 3"])
def test_what_is_not_toml_is_refused_by_line(text):
    [fault] = faults(text)
    assert fault.startswith("s.toml, at line")
    assert "not valid TOML" in fault


@pytest.mark.parametrize("text", ['puf = "x"', "variables = 3", "attacks = []", "limits = 1"])
def test_a_table_that_is_none_is_refused(text):
    assert any("not a table" in one for one in faults(f"schema = 1\n{text}\n"))


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe")
    for name in ("bad.toml", "nosuch.toml", "."):
        with pytest.raises(SpecError, match="not a readable text file"):
            read_study(tmp_path / name)


def test_limits_that_need_the_truth_are_refused_without_it():
    head, _, tail = GOOD.partition("[iuf]")
    told = faults(head + tail[tail.index("\n[") :])
    assert any("limits.strict.conditional_rate: a limit that needs the truth" in x for x in told)
