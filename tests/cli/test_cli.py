"""The command line: exit codes, what goes to stdout and stderr, and no data value anywhere."""

import io
import json
import os
import re
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

import polars as pl
import pytest

from reident import oracle
from reident.cli import main
from reident.io import outputs

COMMAND = Path(sys.executable).with_name("reident")
STUDY = """\
schema = 1
title = "A study: [bold]of a few[/bold] records"
seed = 3
marking = "CONFIDENTIAL"
[puf]
path = "puf.csv"
key = "p"
[eif]
path = "eif.csv"
key = "e"
[iuf]
path = "iuf.csv"
values = true
[variables]
sex = "categorical"
age = "numeric"
city = "categorical"
[strata]
by = ["state"]
[attacks.unicity]
[attacks.taxicab]
[attacks.strict]
method = "euclidean"
threshold = "consistent"
[attacks.adhoc.rules]
sex = { equal = 5 }
age = { difference = [[0, 5], [2, 3]] }
city = { equal = 4.5 }
"""
ROWS = [("f", 30, "rome"), ("m", 41, "oslo"), ("f", 52, "rome"), ("m", 63, ""), ("f", 74, "bern")]


def write(folder, study=STUDY, rows=ROWS):
    """The study's files in a folder; returns the path of the study."""
    for name, key in (("puf", "p"), ("eif", "e")):
        lines = [f"{key},sex,age,city,state"]
        for place, (sex, age, city) in enumerate(rows):
            lines.append(f"{key}{place},{sex},{age},{city},{'AB'[place % 2]}")
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    lines = [f"p{i},e{i},{sex},{age},{city}" for i, (sex, age, city) in enumerate(rows)]
    (folder / "iuf.csv").write_text("p,e,sex,age,city\n" + "\n".join(lines) + "\n")
    (folder / "study.toml").write_text(study)
    return folder / "study.toml"


@pytest.fixture
def study(tmp_path):
    return write(tmp_path)


@pytest.fixture
def command(capsys):
    """Run a command in this process: its exit code, stdout and stderr."""

    def call(*argv):
        code = main([str(part) for part in argv])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return code, out, err

    return call


def results(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


# run ----------------------------------------------------------------------------------------------


def test_run_prints_results_on_stdout_and_talk_on_stderr(command, study):
    code, out, err = command("run", study)
    assert code == 0
    for label in ("unicity", "taxicab", "strict", "adhoc"):
        assert label in out.lower()
    assert "CONFIDENTIAL" in out
    assert "[bold]of a few[/bold]" in out
    assert "100.0" in out
    # Pairs, and how long they should take, before anything else is said of an attack.
    for label in ("unicity", "taxicab", "strict", "adhoc"):
        assert re.search(rf"(?m)^{label}: [\d,]+ pairs, (less than a second|about \d+ \w+)$", err)
    assert "Report:" in err
    assert "Report:" not in out
    assert (study.parent / "study.run" / "report.html").exists()


def test_run_as_json_prints_the_bytes_of_results_json(command, study):
    code, out, _ = command("run", study, "--json")
    assert code == 0
    assert out == (study.parent / "study.run/results.json").read_text(encoding="utf-8")
    assert json.loads(out)["attacks"]["taxicab"]["confirmed"] == 5


@pytest.mark.parametrize(
    "title", [":smile: and :a:", "[red]x[/red]", "a\\tb \\u2028 \\u001b[31m", "é " * 90]
)
def test_whatever_the_title_json_on_stdout_is_that_of_the_file(command, study, title):
    study.write_text(STUDY.replace("A study: [bold]of a few[/bold] records", title))
    code, out, _ = command("run", study, "--json", "--only", "taxicab")
    assert code == 0
    assert out == (study.parent / "study.run/results.json").read_text(encoding="utf-8")


def test_only_runs_the_attacks_that_it_names(command, study):
    code, out, _ = command("run", study, "--only", "strict, taxicab", "--json")
    assert code == 0
    assert list(json.loads(out)["attacks"]) == ["taxicab", "strict"]


def test_only_refuses_a_label_that_is_none(command, study):
    code, out, err = command("run", study, "--only", "taxicab,euclidean")
    assert (code, out) == (2, "")
    assert "no attack is labelled 'euclidean'" in err
    assert "unicity, taxicab, strict, adhoc" in err
    assert not (study.parent / "study.run").exists()


def test_out_names_the_run_folder(command, study, tmp_path):
    code, _, err = command("run", study, "--out", tmp_path / "deep" / "there")
    assert code == 0
    assert (tmp_path / "deep/there/results.json").exists()
    assert str(tmp_path / "deep/there/report.html") in err
    assert not (study.parent / "study.run").exists()


def test_a_finished_run_is_refused_without_force_and_replaced_with_it(command, study):
    assert command("run", study)[0] == 0
    before = (study.parent / "study.run/results.json").stat().st_mtime_ns
    code, out, err = command("run", study)
    assert (code, out) == (2, "")
    assert "a finished run" in err
    assert "--force" in err
    assert (study.parent / "study.run/results.json").stat().st_mtime_ns == before
    code, _, _ = command("run", study, "--force", "--only", "taxicab")
    assert code == 0
    assert list(results(study.parent / "study.run")["attacks"]) == ["taxicab"]


def test_jobs_change_nothing(command, study, tmp_path):
    printed = set()
    for jobs in (1, 4):
        code, out, _ = command(
            "run", study, "--json", "--jobs", jobs, "--out", tmp_path / f"{jobs}"
        )
        assert code == 0
        printed.add(out)
    assert len(printed) == 1


def test_an_audit_that_agrees_is_told(command, study):
    code, _, err = command("run", study, "--audit", 5)
    assert code == 0
    assert "5 PUF records derived again by the plain oracle agree" in err


def test_an_audit_that_differs_fails_and_leaves_no_result(command, study, monkeypatch):
    monkeypatch.setattr(oracle, "suspects", lambda *_: [])
    code, out, err = command("run", study, "--audit", 5)
    assert (code, out) == (1, "")
    assert "differ from the plain oracle" in err
    assert not (study.parent / "study.run/results.json").exists()


def test_an_audit_reads_numbers_as_the_study_declares_them(command, study):
    text = (study.parent / "puf.csv").read_text().replace(",", ";").replace(";30;", ";30,5;")
    (study.parent / "puf.csv").write_text(text)
    study.write_text(STUDY.replace('key = "p"', 'key = "p"\nseparator = ";"\ndecimal = ","'))
    code, _, err = command("run", study, "--audit", 5)
    assert code == 0, err


def test_unperturbed_values_go_to_a_folder_of_their_own(command, study):
    puf = study.parent / "puf.csv"
    puf.write_text(re.sub(r",(\d)\d,", r",\g<1>9,", puf.read_text()))  # ages are perturbed
    assert command("run", study, "--only", "adhoc")[0] == 0
    code, _, _ = command("run", study, "--only", "adhoc", "--unperturbed")
    assert code == 0
    released = results(study.parent / "study.run")
    unperturbed = results(study.parent / "study.unperturbed.run")
    assert unperturbed["notes"][0]["code"] == "unperturbed"
    assert unperturbed["attacks"]["adhoc"]["confirmed"] > released["attacks"]["adhoc"]["confirmed"]


def test_unperturbed_values_that_are_not_declared_are_refused(command, study):
    study.write_text(STUDY.replace("values = true\n", ""))
    code, out, err = command("run", study, "--unperturbed")
    assert (code, out) == (2, "")
    assert "no unperturbed values are declared" in err
    assert not (study.parent / "study.unperturbed.run").exists()


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ("conditional_rate = 100", 0),
        ("conditional_rate = 99.9", 3),
        ("suspected_rate = 0", 3),
        ('conditional_rate = 100\nuse = "upper"', 0),
        ("[limits.taxicab]\nconfirmed_rate = 50", 3),
    ],
)
def test_an_exceeded_limit_is_told_by_exit_code_3_and_the_run_is_done(command, study, limits, code):
    study.write_text(f"{STUDY}[limits]\n{limits}\n")
    found, _, _ = command("run", study)
    assert found == code
    checks = results(study.parent / "study.run")["limits"]
    assert any(check["exceeded"] for check in checks) == (code == 3)


# what is wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "argv",
    [
        ["run"],
        ["run", "study.toml", "--nosuch"],
        ["run", "study.toml", "--jobs", "many"],
        ["run", "study.toml", "extra.toml"],
        ["nosuch"],
        ["scenario", "nosuch"],
        ["scenario", "study"],
        ["check"],
    ],
)
def test_a_bad_flag_or_verb_is_exit_code_2(command, argv):
    code, out, err = command(*argv)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")


@pytest.mark.parametrize("flags", [["--audit", "-1"], ["--jobs", "-1"]])
def test_a_negative_count_is_a_bad_flag(command, study, flags):
    code, _, _ = command("run", study, *flags)
    assert code == 2
    assert not (study.parent / "study.run").exists()


@pytest.mark.parametrize("verb", ["run", "check"])
def test_a_study_that_is_not_there_is_exit_code_2(command, tmp_path, verb):
    code, _, err = command(verb, tmp_path / "nosuch.toml")
    assert code == 2
    assert "nosuch.toml: not a readable text file" in err


@pytest.mark.parametrize("verb", ["run", "check"])
def test_all_faults_of_a_study_are_told_with_their_lines(command, study, verb):
    study.write_text(
        STUDY.replace("age = ", "aeg = ", 1)
        .replace("threshold", "treshold")
        .replace('key = "e"', 'keys = "e"')
    )
    code, _, err = command(verb, study)
    assert code == 2
    assert "study.toml, line 10: eif.keys: unknown name. Did you mean 'key'." in err
    assert "line 24: attacks.strict.treshold: unknown name. Did you mean 'threshold'." in err
    assert not (study.parent / "study.run").exists()


@pytest.mark.parametrize("verb", ["run", "check"])
def test_faults_of_all_files_are_told_at_once(command, study, verb):
    for name in ("puf", "eif"):
        path = study.parent / f"{name}.csv"
        path.write_text(path.read_text().replace(",41,", ",forty-one,"))
    code, _, err = command(verb, study)
    assert code == 2
    for name in ("puf.csv", "eif.csv"):
        assert f"error: {name}, column 'age'" in err
    assert err.count("not a finite number") == 2
    assert not (study.parent / "study.run").exists()


CANARY = "8675309-zebra"


def searched(folder):
    """Everything that stands in the files below a folder, compressed or not."""
    for path in folder.rglob("*"):
        yield path, path.name.encode()
        if path.is_file():
            content = path.read_bytes()
            yield path, content
            if zipfile.is_zipfile(io.BytesIO(content)):
                with zipfile.ZipFile(io.BytesIO(content)) as held:
                    for name in held.namelist():
                        yield path, held.read(name)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(",41,", f",{CANARY},"),
        lambda text: text + f"{CANARY}\n",
        lambda text: text + f'p9,"{CANARY}\n',
        lambda text: text + f"p9,{CANARY}\0,1,x,A\n",
        lambda text: text + f'p9,{CANARY}"x",1,x,A\n',
        lambda text: text + f"p9,{CANARY}\udcff,1,x,A\n",
        lambda text: text + f"{CANARY},m,1,x,A\n" * 2,
        lambda text: text + f",{CANARY},1,x,A\n",
        lambda text: text.replace(",41,", ",inf,").replace("oslo", CANARY),
        lambda text: text.replace("p,sex", "q,sex").replace("oslo", CANARY),
    ],
    ids=[
        "text among numbers",
        "short row",
        "open quote",
        "NUL byte",
        "stray quote",
        "not UTF-8",
        "doubled key",
        "blank key",
        "infinity",
        "no key column",
    ],
)
@pytest.mark.parametrize("verb", ["run", "check"])
def test_bad_data_are_refused_without_a_value_in_any_message(command, study, change, verb):
    path = study.parent / "puf.csv"
    path.write_bytes(change(path.read_text()).encode(errors="surrogateescape"))
    code, out, err = command(verb, study)
    assert code == 2
    assert CANARY not in out + err
    assert "puf.csv" in err
    assert not (study.parent / "study.run").exists()


def test_no_value_of_the_data_leaves_the_restricted_folder(command, tmp_path):
    """Tokens in every key, text and number; strata values are the one stated exception."""
    canaries = ["ZEBRA", "GIRAFFE", "7654321", "PANGOLIN"]
    for name, key in (("puf", "p"), ("eif", "e")):
        rows = [f"{key},sex,age,city,state"]
        rows += [f"{canaries[3]}{i},{canaries[0]},{canaries[2]}{i},{canaries[1]},A" for i in "12"]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    pairs = [f"{canaries[3]}{i},{canaries[3]}{i}" for i in "12"]
    (tmp_path / "iuf.csv").write_text("p,e\n" + "\n".join(pairs) + "\n")
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace("values = true\n", ""))
    code, out, err = command("run", path, "--audit", 2)
    assert code == 0
    run = tmp_path / "study.run"
    places = [("stdout", out.encode()), ("stderr", err.encode()), *searched(run)]
    hits = {str(place) for place, text in places for one in canaries if one.encode() in text}
    assert hits
    assert all("restricted" in place for place in hits), hits


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, ""),
        (OSError(28, "No space left on device", "/x"), 1, "study.run: the disk is full"),
        (MemoryError(), 1, "out of memory"),
        (ValueError(f"a value: {CANARY}"), 1, "This is a bug in reident"),
    ],
    ids=["interrupt", "disk", "memory", "bug"],
)
def test_a_run_that_fails_says_so_without_traceback_or_value(
    command, study, monkeypatch, error, code, said
):
    def broken(*_args, **_kwargs):
        raise error

    monkeypatch.setattr(outputs, "write_draft", broken)
    found, out, err = command("run", study)
    assert (found, out) == (code, "")
    assert said in err
    assert CANARY not in err
    assert not (study.parent / "study.run/results.json").exists()


def test_a_run_that_is_stopped_says_so(command, study, monkeypatch):
    def broken(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(outputs, "write_draft", broken)
    code, _, err = command("run", study)
    assert code == 130
    assert "Stopped" in err


# check, link, scenario, demo ----------------------------------------------------------------------


def test_check_finds_nothing_wrong_with_a_good_study_and_writes_nothing(command, study):
    before = sorted(study.parent.rglob("*"))
    code, out, err = command("check", study)
    assert (code, err) == (0, "")
    assert "No faults." in out
    assert sorted(study.parent.rglob("*")) == before


def test_check_as_json_holds_faults_and_notes(command, study):
    code, out, _ = command("check", study, "--json")
    assert code == 0
    found = json.loads(out)
    assert set(found) == {"faults", "notes"}
    assert found["faults"] == []
    study.write_text(STUDY.replace("seed", "sede"))
    code, out, _ = command("check", study, "--json")
    assert code == 2
    assert any("unknown name" in fault for fault in json.loads(out)["faults"])


def test_link_says_what_a_saved_study_says(command, study, tmp_path):
    folder = study.parent
    code, out, _ = command(
        "link",
        folder / "puf.csv",
        folder / "eif.csv",
        *("--puf-key", "p", "--eif-key", "e", "--on", "sex,age:numeric,city"),
        *("--truth", folder / "iuf.csv", "--strata", "state", "--json"),
        *("--out", tmp_path / "linked", "--save", tmp_path / "saved.toml"),
    )
    assert code == 0
    code, again, _ = command("run", tmp_path / "saved.toml", "--json")
    assert code == 0
    assert again == out
    assert list(json.loads(out)["attacks"]) == ["unicity", "taxicab", "euclidean"]


def test_a_scenario_is_a_study_that_runs_and_the_same_every_time(command, tmp_path):
    for name in ("one", "two"):
        argv = ("scenario", "study", "--out", tmp_path / name, "--records", 60, "--seed", 5)
        code, out, _ = command(*argv)
        assert code == 0
        assert "study.toml" in out.replace("\n", "")
    files = ("puf.csv", "eif.csv", "iuf.csv", "study.toml")
    one, two = (
        [(tmp_path / name / file).read_bytes() for file in files] for name in ("one", "two")
    )
    assert one == two
    code, _, _ = command("run", tmp_path / "one/study.toml", "--audit", 5)
    assert code in (0, 3)
    told = results(tmp_path / "one/study.run")
    assert told["puf_records"] == 60
    assert list(told["attacks"]) == ["unicity", "taxicab", "euclidean", "adhoc"]


def test_a_scenario_is_replaced_only_by_force(command, tmp_path):
    argv = ("scenario", "study", "--out", tmp_path / "s", "--records", 5)
    assert command(*argv)[0] == 0
    code, _, err = command(*argv)
    assert code == 2
    assert "--force" in err
    assert command(*argv, "--force")[0] == 0
    assert command("scenario", "study", "--out", tmp_path / "none", "--records", 0)[0] == 2


def test_the_demo_prints_the_three_rates_of_four_metrics(command, tmp_path):
    code, out, err = command("demo", "--out", tmp_path / "demo")
    assert code == 0
    told = results(tmp_path / "demo/study.run")
    for label in ("unicity", "taxicab", "euclidean", "adhoc"):
        assert label in out.lower()
        attack = told["attacks"][label]
        assert 0 < attack["confirmed"] < attack["suspected"] < told["puf_records"]
    for heading in ("Suspected", "Confirmed", "Conditional"):
        assert heading in out
    assert "report.html" in err
    code, _, err = command("demo", "--out", tmp_path / "demo")
    assert code == 2
    assert "--force" in err


# the console script -------------------------------------------------------------------------------


def started(*argv, **environment):
    return subprocess.run(
        [COMMAND, *map(str, argv)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_command_runs_a_study_with_nothing_but_json_on_stdout(study):
    done = started("run", study, "--json", "--only", "taxicab")
    assert done.returncode == 0
    assert json.loads(done.stdout) == results(study.parent / "study.run")
    assert "Report:" in done.stderr
    pairs = pl.read_parquet(study.parent / "study.run/restricted/pairs.parquet")
    assert pairs["confirmed"].all()


@pytest.mark.parametrize(
    ("argv", "code"),
    [(["--version"], 0), (["--help"], 0), (["run", "nosuch.toml"], 2), (["--nosuch"], 2)],
)
def test_the_command_ends_with_the_code_of_what_happened(argv, code):
    done = started(*argv)
    assert done.returncode == code
    assert bool(done.stdout) == (code == 0)
    assert bool(done.stderr) == (code != 0)
    assert "Traceback" not in done.stderr


def test_output_to_a_pipe_has_no_terminal_codes(study):
    done = started("run", study, "--only", "taxicab", TERM="xterm-256color")
    assert "\x1b" not in done.stdout + done.stderr


def test_help_answers_in_half_a_second_of_work():
    """Counted is time at work, so that a busy machine does not matter."""

    def spent():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times = []
    for _ in range(3):
        before = spent()
        assert started("--help").returncode == 0
        times.append(spent() - before)
    assert min(times) < 0.5
