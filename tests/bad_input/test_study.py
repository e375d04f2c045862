"""Bad input, Study: what the study file says is checked as a whole, and told by its lines."""

import json
import re

import duckdb
import pytest

from bad_input.formats import DUCKDB, FORMATS, TABLE, source
from bad_input.study_folder import (
    CANARY,
    RECORDS,
    assert_noted,
    assert_refused,
    command,
    folder_of,
)
from reident.io.intake import take_in
from reident.io.spec import read_study


def _set(path, value):
    """Set a dotted name of the study file."""

    def change(inputs):
        *tables, last = path.split(".")
        table = inputs.study
        for name in tables:
            table = table.setdefault(name, {})
        table[last] = value

    return change


def _adhoc(**rules):
    def change(inputs):
        equal = {"equal": 5}
        every = {"age": equal, "income": equal, "sex": equal, "county": equal}
        every |= rules
        inputs.study["attacks"] = {
            "adhoc": {"rules": {name: rule for name, rule in every.items() if rule is not None}}
        }

    return change


def _many_variables(inputs):
    for place in range(65):
        inputs.study["variables"][f"v{place}"] = "categorical"
        for side in ("puf", "eif"):
            inputs.fill(side, f"v{place}", f"{CANARY}{place}")
    inputs.study["attacks"] = {"unicity": {}}


def _no_variables(inputs):
    inputs.study["variables"] = {}


def _shared_key(inputs):
    for side, key in (("puf", "pid"), ("eif", "eid")):
        inputs.tables[side]["id"] = inputs.tables[side].pop(key)
        inputs.study[side]["key"] = "id"


LINE = r"study\.toml, line \d+: "
REFUSED = {
    "an unknown key": (_set("titel", "x"), (LINE + "titel: unknown name", "Did you mean 'title'")),
    "an unknown table": (
        _set("variable", {"x": "numeric"}),
        (LINE + "variable: unknown name", "Did you mean 'variables'"),
    ),
    "an unknown key of a file": (
        _set("puf.seperator", ";"),
        (LINE + r"puf\.seperator: unknown name", "Did you mean 'separator'"),
    ),
    "an unknown key of a variable": (
        _set("variables.age", {"kind": "numeric", "mising": ["-9"]}),
        (LINE + r"variables\.age\.mising: unknown name", "Did you mean 'missing'"),
    ),
    "a name inside a variable": (
        _set("variables.age", {"kind": "numeric", "name": "Age"}),
        (LINE + r"variables\.age\.name: unknown name", "Known are: kind"),
    ),
    "an unknown option": (
        _set("attacks.taxicab.missing_scor", 0.5),
        (LINE + r"attacks\.taxicab\.missing_scor: unknown name", "Did you mean 'missing_score'"),
    ),
    "an unknown key far from all": (
        _set("zzzzz", 1),
        (LINE + "zzzzz: unknown name", "Known are: schema, title"),
    ),
    "an unknown method": (
        _set("attacks.taxicap", {}),
        (LINE + r"attacks\.taxicap: not a known method", "Did you mean 'taxicab'"),
    ),
    "a method that is no text": (
        _set("attacks.mine", {"method": ["taxicab"]}),
        (LINE + r"attacks\.mine: not a known method",),
    ),
    "an unknown kind": (
        _set("variables.age", "numerical"),
        (LINE + r"variables\.age\.kind: not valid", "'numeric', 'categorical' or 'date'"),
    ),
    "no variables": (_no_variables, ("variables: no linking variable", "Name at least one")),
    "more than 64 variables for unicity": (
        _many_variables,
        (LINE + r"attacks\.unicity: 69 variables", "at most 64"),
    ),
    "no schema": (_set("schema", 2), (LINE + "schema: not the schema", "Set schema = 1")),
    "a seed that is no number": (_set("seed", "x"), (LINE + "seed: not valid", "integer")),
    "a title that is no text": (_set("title", 5), (LINE + "title: not valid", "string")),
    "a small cell of nothing": (
        _set("report.small_cell", 0),
        (LINE + r"report\.small_cell: not valid", "greater than or equal to 1"),
    ),
    "a report that is no table": (_set("report", 5), ("report: not a table", r"\[report\]")),
    "a key as linking variable": (
        _set("variables.pid", "categorical"),
        (LINE + r"variables\.pid: a puf key column is used", "Take it out"),
    ),
    "keys of one name in both files": (
        _shared_key,
        (LINE + "iuf: a PUF and an EIF key column share a name", "puf_key ="),
    ),
    "a limit without the truth": (
        lambda inputs: (inputs.study.pop("iuf"), _set("limits.conditional_rate", 20)(inputs)),
        (LINE + r"limits\.conditional_rate: a limit that needs the truth", "Give the IUF"),
    ),
    "a limit for no attack": (
        _set("limits.taxi", {"suspected_rate": 20}),
        (LINE + r"limits\.taxi: no attack has this label", "taxicab, euclidean"),
    ),
    "an adhoc rule missing": (
        _adhoc(age=None),
        (LINE + r"attacks\.adhoc\.rules\.age: no rule", "Give a rule"),
    ),
    "an adhoc score above 5": (
        _adhoc(age={"equal": 6}),
        (LINE + r"attacks\.adhoc\.rules\.age\.equal: not valid", "from 0 to 5"),
    ),
    "an adhoc score below 0": (
        _adhoc(age={"difference": [[0, 5], [1, -1]]}),
        (LINE + r"attacks\.adhoc\.rules\.age\S*: not valid", "from 0 to 5"),
    ),
    "adhoc steps out of order": (
        _adhoc(age={"difference": [[2, 5], [1, 3]]}),
        (LINE + r"attacks\.adhoc\.rules\.age\.difference: not valid", "strictly upwards"),
    ),
    "an adhoc rule of another kind": (
        _adhoc(age={"prefix": [[2, 5]]}),
        (LINE + r"attacks\.adhoc\.rules\.age: this rule does not judge a numeric variable",),
    ),
    "an adhoc rule for nobody": (
        _adhoc(rent={"equal": 5}),
        (LINE + r"attacks\.adhoc\.rules\.rent: a rule for no linking variable", "age, income"),
    ),
    **{
        f"alpha {value!r}": (
            _set("attacks.taxicab.missing_score", value),
            (LINE + r"attacks\.taxicab\.missing_score: not valid", "0|1|finite"),
        )
        for value in (0, -0.5, 1.01, float("nan"), float("inf"))
    },
    **{
        f"keep {value}": (
            _set("attacks.taxicab.keep", value),
            (LINE + r"attacks\.taxicab\.keep: not valid", "greater than or equal to 1"),
        )
        for value in (0, -1)
    },
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_wrong_study_is_refused_with_its_line_and_a_remedy(tmp_path, capsys, name):
    change, says = REFUSED[name]
    folder = folder_of(tmp_path, "csv", change)
    told = assert_refused(capsys, folder, says)
    lines = folder.study.read_text().splitlines()
    for number, label in re.findall(r"line (\d+): ([\w.-]+)", told):
        assert any(part in lines[int(number) - 1] for part in label.split("."))


TEXTS = {
    "not TOML": ("title = \n", ("line 1", "not valid TOML", "Correct the syntax")),
    "a key twice": ("title = 'a'\ntitle = 'b'\n", ("line 2", "not valid TOML")),
    "tables without end": ("x = " + "[" * 5000, ("not valid TOML",)),
    "a number without end": ("seed = " + "9" * 5000, ("not valid TOML",)),
    "nothing": ("", ("schema", r"\[puf\]", r"\[eif\]")),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_study_is_refused(tmp_path, capsys, name):
    text, says = TEXTS[name]
    folder = folder_of(tmp_path, "csv")
    folder.study.write_text(text)
    assert_refused(capsys, folder, (r"study\.toml", *says))


@pytest.mark.parametrize("spoil", ["missing", "folder", "bytes"])
def test_a_study_that_cannot_be_read_is_refused(tmp_path, capsys, spoil):
    folder = folder_of(tmp_path, "csv")
    folder.study.unlink()
    if spoil == "folder":
        folder.study.mkdir()
    if spoil == "bytes":
        folder.study.write_bytes(b"title = '\xff'")
    assert_refused(capsys, folder, (r"study\.toml: not a readable text file", "Check the path"))


def test_one_variable_is_enough(tmp_path, capsys):
    def change(inputs):
        inputs.study["variables"] = {"age": "numeric"}
        inputs.study["attacks"] = {
            "unicity": {},
            "taxicab": {},
            "euclidean": {},
            "adhoc": {"rules": {"age": {"difference": [[0, 5], [2, 3]]}}},
        }

    folder = folder_of(tmp_path, "csv", change)
    said = command(capsys, "run", folder.study, "--jobs", "1", "--audit", "12")
    assert said.code == 0, said
    assert [one["compared"] for one in folder.results["attacks"].values()] == [RECORDS] * 4


def test_sixty_four_variables_are_not_too_many(tmp_path, capsys):
    def change(inputs):
        _many_variables(inputs)
        for place in range(5):
            del inputs.study["variables"][f"v{place}"]

    folder = folder_of(tmp_path, "csv", change)
    assert command(capsys, "run", folder.study, "--jobs", "1").code == 0


@pytest.mark.parametrize("kind", FORMATS)
def test_one_file_as_both_is_noted_first(tmp_path, capsys, kind):
    def change(inputs):
        inputs.study["eif"] = {"path": source("puf", kind), "key": "pid"}
        inputs.study["iuf"] |= {"puf_key": "pid", "eif_key": "pid"}

    folder = folder_of(tmp_path, kind, change)
    assert_noted(capsys, folder, "same_file", ("the same (file|table)",))
    assert take_in(read_study(folder.study)).notes[0].code == "same_file"


def test_another_table_of_the_same_database_is_no_same_file(tmp_path, capsys):
    folder = folder_of(tmp_path, DUCKDB)
    with duckdb.connect(str(folder.files["puf"])) as connection:
        connection.execute(f"attach '{folder.files['eif']}' as other (read_only)")
        connection.execute(f"create table intruder as from other.{TABLE}")
    told = folder.study.read_text()
    folder.study.write_text(told.replace(source("eif", DUCKDB), "duckdb:puf.db::intruder"))
    said = command(capsys, "check", folder.study, "--json")
    assert (said.code, json.loads(said.out)["notes"]) == (0, [])


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize(("side", "other"), [("puf", "EIF"), ("eif", "PUF")])
def test_a_stratum_in_one_file_only_is_noted_with_counts(tmp_path, capsys, kind, side, other):
    def change(inputs):
        inputs.strata()
        for place in (0, 2, 5):
            inputs.put(side, "st", place, f"island {place % 2}")

    says = (f"2 strata with {side.upper()} records and no {other} record: 3 records",)
    note = assert_noted(capsys, folder_of(tmp_path, kind, change), f"stratum_{side}_only", says)
    assert note["count"] == 3


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("side", ["puf", "eif"])
def test_a_missing_stratum_is_noted_with_counts(tmp_path, capsys, kind, side):
    def change(inputs):
        inputs.strata()
        inputs.put(side, "st", 3, None)

    folder = folder_of(tmp_path, kind, change)
    assert assert_noted(capsys, folder, f"stratum_missing_{side}")["count"] == 1


# All at once -------------------------------------------------------------------------------------


def _ten_faults(inputs):
    inputs.study |= {"titel": "x", "seed": -1}
    inputs.study["puf"]["seperator"] = ";"
    inputs.study["attacks"] = {"taxicab": {"keep": 0}, "euclidian": {}, "unicity": {}}
    inputs.study["limits"] = {"taxi": {"suspected_rate": 5}}
    inputs.study["variables"] |= {"pid": "categorical", "rent": "numeric"}
    inputs.put("puf", "age", 3, CANARY)
    inputs.put("eif", "eid", 4, inputs.tables["eif"]["eid"][5])
    inputs.fill("iuf", "pid", [CANARY, *[None] * (RECORDS - 1)])


def test_check_lists_ten_faults_of_one_study_at_once(tmp_path, capsys):
    folder = folder_of(tmp_path, "csv", _ten_faults)
    before = folder.content()
    said = command(capsys, "check", folder.study)
    assert said.code == 2
    told = said.err.splitlines()
    for says in (
        r"titel: unknown name. Did you mean 'title'",
        r"seed: not valid",
        r"puf\.seperator: unknown name. Did you mean 'separator'",
        r"attacks\.taxicab\.keep: not valid",
        r"attacks\.euclidian: not a known method. Did you mean 'euclidean'",
        r"limits\.taxi: no attack has this label",
        r"variables\.pid: a puf key column is used as linking variable",
        r"puf\.csv: no column 'rent'",
        r"eif\.csv: no column 'rent'",
        r"puf\.csv, column 'age': 1 value that is not a finite number",
        r"eif\.csv, key 'eid': 2 records share a key",
        r"iuf\.csv, key 'pid': 11 records with a blank key",
    ):
        assert [line for line in told if re.search(says, line)], (says, told)
    assert len(told) == 12
    assert folder.content() == before


def test_a_broken_part_brings_no_faults_but_its_own(tmp_path, capsys):
    def change(inputs):
        _adhoc(age={"difference": [[0, 5]]})(inputs)
        inputs.study["variables"]["age"] = "number"
        inputs.study["attacks"]["strict"] = {"method": "euclidean", "keep": 0}
        inputs.study["limits"] = {"strict": {"conditional_rate": 5}}
        inputs.study["iuf"]["path"] = 5

    said = command(capsys, "check", folder_of(tmp_path, "csv", change).study)
    told = [re.sub(r"^error: study.toml, line \d+: ", "", line) for line in said.err.splitlines()]
    assert [line.partition(":")[0] for line in told] == [
        "iuf.path",
        "variables.age.kind",
        "attacks.strict.keep",
    ]


def test_faults_of_three_files_are_told_at_once(tmp_path, capsys):
    def change(inputs):
        inputs.put("puf", "age", 3, CANARY)
        inputs.put("eif", "income", 3, CANARY)
        inputs.fill("iuf", "eid", [f"{CANARY}x"] * RECORDS)

    says = (r"puf\.csv, column 'age'", r"eif\.csv, column 'income'", r"iuf\.csv: no pair")
    assert_refused(capsys, folder_of(tmp_path, "csv", change), says)
