"""What files will take, told before they are read."""

import polars as pl
import pytest

import reident as ri
from reident.cli.flags import bytes_in
from reident.io.batches import EXPANDS
from reident.io.room import need_of


def study(folder, ending, write):
    for name, key in (("puf", "p"), ("eif", "e")):
        columns = {key: range(50), "sex": ["f"] * 50, "age": range(50), "other": ["x" * 40] * 50}
        write(pl.DataFrame(columns), folder / f"{name}{ending}")
    return ri.Study(
        puf=ri.PublicFile(folder / f"puf{ending}", key="p"),
        eif=ri.IntruderFile(folder / f"eif{ending}", key="e"),
        variables=[ri.categorical("sex"), ri.numeric("age")],
    )


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_need_is_what_the_columns_that_are_read_take(tmp_path, ending):
    write = {".csv": pl.DataFrame.write_csv, ".parquet": pl.DataFrame.write_parquet}[ending]
    made = study(tmp_path, ending, write)
    size = sum((tmp_path / f"{name}{ending}").stat().st_size for name in ("puf", "eif"))
    assert need_of(made) == pytest.approx(size * EXPANDS[ending] * 3 / 4, abs=2)


def test_what_does_not_tell_counts_for_nothing(tmp_path):
    assert need_of(study(tmp_path, ".xlsx", pl.DataFrame.write_excel)) == 0
    made = study(tmp_path, ".csv", pl.DataFrame.write_csv)
    (tmp_path / "puf.csv").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "eif.csv").unlink()
    assert need_of(made) == 0
    frame = pl.DataFrame({"p": ["1"], "sex": ["f"]})
    held = ri.Study(
        puf=ri.PublicFile(frame, key="p"),
        eif=ri.IntruderFile(frame, key="p"),
        variables=[ri.categorical("sex")],
    )
    assert need_of(held) == 0


@pytest.mark.parametrize(
    ("text", "size"),
    [("", None), ("2GB", 2 * 10**9), ("1.5 g", 1.5e9), ("500mb", 5e8), ("64K", 64e3), ("7", 7)],
)
def test_sizes_are_read_as_people_write_them(text, size):
    assert bytes_in(text, "memory") == size


@pytest.mark.parametrize("text", ["much", "-2GB", "2XB", "GB", "1e9"])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(ri.SpecError, match="--memory: not a size"):
        bytes_in(text, "memory")
