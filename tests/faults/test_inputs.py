"""An input that changes while a run goes on is seen, and nothing is written."""

import pytest

import reident as ri
from bad_input.study_folder import folder_of
from reident import haystack


@pytest.mark.parametrize("side", ["puf", "eif", "iuf"])
@pytest.mark.parametrize("change", ["written", "gone"])
def test_a_file_that_changes_during_a_run_fails_it(tmp_path, side, change):
    folder = folder_of(tmp_path, "csv")
    path = folder.files[side]

    def spoil(_):
        if change == "gone":
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(path.read_bytes() + b" ")

    with pytest.raises(ri.ChangedError, match="has changed since the run began") as error:
        ri.Study.read(folder.study).run_to(folder.run, only=["taxicab"], watch=spoil)
    assert [fault.where for fault in error.value.faults] == [path.name]
    assert not (folder.run / "results.json").exists()


def test_a_file_that_changes_while_its_uniques_are_searched_fails_the_search(tmp_path, monkeypatch):
    path = folder_of(tmp_path, "csv").files["puf"]
    found = haystack.look

    def looked(hay):
        answer = found(hay)
        path.write_bytes(path.read_bytes() + b" ")
        return answer

    monkeypatch.setattr(haystack, "look", looked)
    with pytest.raises(ri.ChangedError):
        haystack.look_to(
            haystack.haystack(path, {"variables": ["sex", "county"]}, {}, 1),
            tmp_path / "found",
            force=False,
        )
    assert not (tmp_path / "found" / "results.json").exists()
