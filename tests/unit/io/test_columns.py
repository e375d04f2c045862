"""A file read column by column gives what it gives as a whole: the same cells, the same faults."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reident as ri
from reident.errors import ChangedError, DataError
from reident.io import intake
from reident.io.columns import Columnar, Held, columnar
from reident.io.intake import columns_of, take_in

WRITE = {"parquet": pl.DataFrame.write_parquet, "arrow": pl.DataFrame.write_ipc}
SOUND = {
    "puf": pl.DataFrame(
        {"p": ["b", "a", "c"], "k": [1, 2, None], "x": [0.5, None, 3.0], "s": ["n", "s", "n"]}
    ),
    "eif": pl.DataFrame(
        {"e": [7, 8], "k": ["1", " "], "x": [1, 2], "s": ["n", None]}, strict=False
    ),
    "iuf": pl.DataFrame({"p": ["a", "b ", "zz"], "e": ["8", "7", "9"]}),
}


def study(puf, eif, iuf):
    return ri.Study(
        puf=ri.PublicFile(puf, key="p"),
        eif=ri.IntruderFile(eif, key="e"),
        truth=ri.TruthFile(iuf),
        variables=[ri.categorical("k"), ri.numeric("x")],
        strata=["s"],
    )


def written(folder, frames, ending):
    paths = [folder / f"{name}.{ending}" for name in frames]
    for path, frame in zip(paths, frames.values(), strict=True):
        WRITE[ending](frame, path)
    return study(*paths)


def told(taken):
    """All that came through the door, as plain values."""
    sides = [
        (
            side.keys.rows(),
            {
                name: (
                    one.state.tolist(),
                    None if one.text is None else one.text.to_list(),
                    None if one.number is None else one.number.tolist(),
                )
                for name, one in side.cells.items()
            },
            [text.to_list() for text in side.strata],
            None if side.raw is None else side.raw.rows(),
        )
        for side in (taken.puf, taken.eif)
    ]
    truth = taken.truth
    pairs = (truth.puf.tolist(), truth.eif.tolist(), truth.unknown_puf, truth.unknown_eif)
    records = {name: one["records"] for name, one in taken.inputs.items()}
    return sides, pairs, taken.split, taken.notes, records


def whole(monkeypatch):
    """No file is read column by column."""
    monkeypatch.setattr(intake, "columnar", lambda *_: None)


@pytest.mark.parametrize("ending", WRITE)
@pytest.mark.parametrize("raw", [False, True])
def test_columns_one_by_one_are_the_columns_of_the_whole(tmp_path, monkeypatch, ending, raw):
    asked = written(tmp_path, SOUND, ending)
    one_by_one = told(take_in(asked, raw=raw))
    whole(monkeypatch)
    assert told(take_in(asked, raw=raw)) == one_by_one


@settings(max_examples=40)
@given(
    keys=st.lists(st.text("ab~é7", min_size=1, max_size=3), min_size=1, max_size=9),
    kinds=st.lists(st.sampled_from(["1", " ", None, "x"]), min_size=9, max_size=9),
    gone=st.sampled_from(["", "k", "x", "p", "s"]),
)
def test_faults_are_the_same_all_at_once(tmp_path_factory, keys, kinds, gone):
    size = len(keys)
    puf = pl.DataFrame(
        {"p": keys, "k": kinds[:size], "x": kinds[:size], "s": ["n"] * size},
        schema_overrides={"k": pl.String, "x": pl.String},
    ).drop([gone] if gone else [])
    asked = written(tmp_path_factory.mktemp("f"), SOUND | {"puf": puf}, "parquet")
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for _ in range(2):
            try:
                found.append(told(take_in(asked)))
            except DataError as error:
                found.append(error.faults)
            whole(patch)
    assert found[0] == found[1]


def test_only_sound_files_whose_columns_lie_apart_are_read_one_by_one(tmp_path):
    asked = written(tmp_path, SOUND, "parquet")
    names = columns_of(asked, "puf")
    found = columnar(asked.puf, names)
    assert isinstance(found, Columnar)
    assert (found.names, found.records) == (names, 3)
    assert found.select(["x"]).equals(Held(SOUND["puf"]).select(["x"]))
    assert columnar(asked.puf, [*names, "absent"]) is None
    assert columnar(study(*SOUND.values()).puf, names) is None
    SOUND["puf"].write_csv(tmp_path / "puf.csv")
    assert columnar(study(tmp_path / "puf.csv", *list(SOUND.values())[1:]).puf, names) is None
    odd = SOUND["puf"].with_columns(pl.lit(b"1").alias("x"))
    for frame in (odd, SOUND["puf"].clear()):
        frame.write_parquet(tmp_path / "puf.parquet")
        assert columnar(asked.puf, names) is None
    (tmp_path / "puf.parquet").write_bytes(b"PAR1 and nothing else")
    assert columnar(asked.puf, names) is None


def test_a_file_that_changes_between_two_columns_is_told(tmp_path):
    asked = written(tmp_path, SOUND, "parquet")
    found = columnar(asked.puf, columns_of(asked, "puf"))
    SOUND["puf"].head(2).write_parquet(tmp_path / "puf.parquet")
    with pytest.raises(ChangedError, match="has changed since the run began"):
        found.select(["k"])
