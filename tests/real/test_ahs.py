"""Two waves of the American Housing Survey: many suspected, almost none confirmed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# One worker runs the study once for all tests of this file.
pytestmark = pytest.mark.xdist_group("ahs")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ahs" / "study.toml"
FIGURES = {
    # suspected, confirmed, pairs, confirmed pairs, passing, tied out, tied out with a true pair
    "unicity": (0, 0, 0, 0, None, None, None),
    "taxicab": (26, 1, 76, 1, 64141, 64115, 9736),
    "euclidean": (60723, 337, 297567, 337, 64139, 3416, 440),
    "adhoc": (39018, 133, 106364, 133, 64141, 25123, 604),
}
MEASURED = """
import resource, sys
from reident.cli import main
code = main(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, file=sys.stderr)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ahs")
    for wave in ("ahs2019.csv.gz", "ahs2021.csv.gz"):
        (folder / wave).symlink_to(data / "ahs" / wave)
    shutil.copy(EXAMPLE, folder)
    labels = ",".join(FIGURES)
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "run", "study.toml", "--only", labels, "--audit", "50"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    results = json.loads((folder / "study.run" / "results.json").read_text())
    return done, results, json.loads((folder / "study.run" / "manifest.json").read_text())


def test_the_study_of_two_waves_finishes_and_the_auditor_agrees(finished):
    done, results, manifest = finished
    assert done.returncode == 0, done.stderr
    assert "Audit: 50" in done.stderr
    assert (results["puf_records"], results["eif_records"]) == (64141, 63185)
    assert (results["truth_pairs"], results["truth_unknown"]["puf"]) == (47700, 15485)
    assert manifest["ledger"]["pairs"] == 64141 * 63185


def test_four_billion_pairs_are_decided_within_two_gigabytes(finished):
    done, _, _ = finished
    peak = int(done.stderr.rpartition("peak ")[2])
    assert peak < 2 * 10**9


@pytest.mark.parametrize("label", FIGURES)
def test_figures_of_each_metric_are_pinned(finished, label):
    _, results, _ = finished
    found = results["attacks"][label]
    names = ("suspected", "confirmed", "pairs", "confirmed_pairs")
    more = ("passing_records", "tied_out", "tied_out_true")
    assert tuple(found[name] for name in (*names, *more)) == FIGURES[label]


def test_many_are_suspected_and_almost_none_confirmed(finished):
    _, results, _ = finished
    euclidean = results["attacks"]["euclidean"]
    assert euclidean["suspected_rate"] > 90
    assert euclidean["conditional_rate"] < 1
