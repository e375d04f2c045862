"""The report of a run is made again from its folder alone, for a board and for the public."""

import json
import stat

import polars as pl
import pytest

import reident as ri
from read_page import Page
from reident.cli import main
from reident.made_up import write_scenario
from reident.report import paper


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    write_scenario(folder, records=150, seed=3)
    ri.Study.read(folder / "study.toml").run_to(folder / "run", only=["taxicab", "unicity"])
    return folder / "run"


def test_the_report_made_again_is_the_report_of_the_run(run, capsys):
    first = (run / "report.html").read_bytes()
    (run / "report.html").unlink()
    assert main(["report", str(run)]) == 0
    assert (run / "report.html").read_bytes() == first
    told = capsys.readouterr()
    assert told.out == ""
    assert "report.html" in told.err


def test_only_results_and_manifest_are_read(run, tmp_path):
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("results.json", "manifest.json"):
        (bare / name).write_bytes((run / name).read_bytes())
    assert main(["report", str(bare), "--out", str(tmp_path / "page.html")]) == 0
    assert (tmp_path / "page.html").read_bytes() == (run / "report.html").read_bytes()
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o600
    assert sorted(path.name for path in bare.iterdir()) == ["manifest.json", "results.json"]


def test_the_public_has_a_page_of_its_own_by_the_studys_small_cell(run):
    assert main(["report", str(run), "--audience", "public"]) == 0
    text = (run / "report.public.html").read_text()
    assert "counts below 10 are hidden" in text
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["study"]["report"]["small_cell"] = 30
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert main(["report", str(run), "--audience", "public"]) == 0
    text = (run / "report.public.html").read_text()
    assert "counts below 30 are hidden" in text
    assert all(n is None or n >= 30 for row in Page(text).values("rates") for n in row[::2][:2])


def test_a_file_that_is_there_is_replaced_only_by_force(run, tmp_path):
    out = tmp_path / "page.html"
    out.write_text("mine")
    assert main(["report", str(run), "--out", str(out)]) == 2
    assert out.read_text() == "mine"
    assert main(["report", str(run), "--out", str(out), "--force"]) == 0
    assert out.read_text() != "mine"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "no finished run"),
        ("not json", "no finished run"),
        ("[1]", "no finished run"),
        ("{}", "no results that have a report"),
    ],
)
def test_a_folder_without_a_finished_run_is_refused(tmp_path, capsys, content, told):
    if content is not None:
        (tmp_path / "results.json").write_text(content)
        (tmp_path / "manifest.json").write_text("{}")
    assert main(["report", str(tmp_path)]) == 2
    assert told in capsys.readouterr().err


def test_an_unknown_audience_is_refused(run, capsys):
    assert main(["report", str(run), "--audience", "press"]) == 2
    assert "Name internal or public" in capsys.readouterr().err


def test_searches_and_protections_have_reports_again_but_none_for_the_public(tmp_path, capsys):
    path = tmp_path / "file.csv"
    pl.DataFrame({"id": range(6), "sex": list("ffffmm"), "town": list("aaabbb")}).write_csv(path)
    found, out = tmp_path / "found", tmp_path / "out.csv"
    asked = [str(path), "--vars", "sex,town", "--key", "id"]
    assert main(["uniques", *asked, "--out", str(found)]) == 0
    assert main(["protect", *asked, "--action", "blank", "--out", str(out)]) == 0
    for folder in (found, tmp_path / "out.csv.protect"):
        first = (folder / "report.html").read_bytes()
        assert main(["report", str(folder)]) == 0
        assert (folder / "report.html").read_bytes() == first
        capsys.readouterr()
        assert main(["report", str(folder), "--audience", "public"]) == 2
        assert "Only a study has" in capsys.readouterr().err


def test_without_a_browser_pdf_is_refused_and_nothing_is_written(
    run, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(paper.shutil, "which", lambda _: None)
    assert main(["report", str(run), "--out", str(tmp_path / "page.html"), "--pdf"]) == 2
    assert "no Chromium on this machine" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_browser_that_fails_is_told_without_its_own_words(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(paper.shutil, "which", lambda _: "/bin/false")
    assert main(["report", str(run), "--out", str(tmp_path / "page.html"), "--pdf"]) == 1
    assert "Chromium made no PDF" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert not list(run.glob(".pdf-*"))


def test_a_result_in_memory_writes_both(tmp_path):
    frame = pl.DataFrame({"id": range(30), "sex": list("fm" * 15)})
    study = ri.Study(
        puf=ri.PublicFile(frame, key="id"),
        eif=ri.IntruderFile(frame.rename({"id": "number"}), key="number"),
        variables=[ri.categorical("sex")],
    )
    result = study.run(ri.Taxicab())
    result.report(tmp_path / "page.html")
    result.report(tmp_path / "public.html", audience="public", small_cell=25)
    assert "counts below 25 are hidden" in (tmp_path / "public.html").read_text()
    assert "<strong>" in result._repr_html_()
    assert "<style" not in result._repr_html_()
    assert "<th>suspected</th><td>0</td>" in result["taxicab"]._repr_html_()
    worth = ri.utility(frame, frame, qi=["sex"], sa=["id"])
    assert "<th>U1</th><td>0.0</td>" in worth._repr_html_()


CANARY, NUMBER = "canary7f3a", 918273.625


def test_no_key_and_no_value_of_a_record_reaches_a_page(tmp_path):
    """Keys, categories, numbers and dates carry canaries; strata are the stated exception."""
    rows = range(40)
    puf = pl.DataFrame(
        {
            "p": [f"{CANARY}p{row}" for row in rows],
            "name": [f"{CANARY}n{row % 20}" for row in rows],
            "income": [NUMBER + row for row in rows],
            "state": ["A" if row < 25 else "B" for row in rows],
        }
    )
    eif = puf.rename({"p": "e"})
    iuf = pl.DataFrame({"p": puf["p"], "e": eif["e"]})
    for name, frame in (("puf", puf), ("eif", eif), ("iuf", iuf)):
        frame.write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "study.toml").write_text(
        """
        schema = 1
        [puf]
        path = "puf.csv"
        key = "p"
        [eif]
        path = "eif.csv"
        key = "e"
        [iuf]
        path = "iuf.csv"
        [variables]
        name = "categorical"
        income = "numeric"
        [strata]
        by = ["state"]
        [attacks.unicity]
        [attacks.taxicab]
        [attacks.euclidean]
        [attacks.euc2]
        [attacks.microagg_nearest]
        k = 3
        [utility]
        original = "eif.csv"
        key = "e"
        """
    )
    run = tmp_path / "run"
    assert main(["run", str(tmp_path / "study.toml"), "--out", str(run)]) == 0
    assert main(["report", str(run), "--audience", "public"]) == 0
    assert main(["compare", str(run), str(run), "--out", str(tmp_path / "beside.html")]) == 0
    result = ri.Study.read(tmp_path / "study.toml").run()
    (tmp_path / "notebook.html").write_text(result._repr_html_())
    for path in [*tmp_path.glob("*.html"), *run.glob("*.html"), *(run / "tables").iterdir()]:
        text = path.read_bytes().decode("utf-8", "replace")
        assert CANARY not in text, path.name
        assert not [row for row in rows if f"{NUMBER + row:.1f}" in text], path.name
        assert "918,2" not in text.replace("918,293.1", ""), path.name  # but for the mean
    assert CANARY in pl.read_parquet(run / "restricted" / "pairs.parquet")["puf_p"][0]
