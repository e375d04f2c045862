"""Which stages an index has, whatever the files are like."""

import numpy as np
import polars as pl
import pytest

import reident as ri
from reident.attacks import blocks, index


def levels_of(study, monkeypatch):
    """The stages of each index that a run of the study makes, as variables of their blocks."""
    seen, sound = [], index._levels

    def levels(*told):
        made = sound(*told)
        seen.append([[len(block.variables) for block in level.blocks] for level in made])
        return made

    monkeypatch.setattr(index, "_levels", levels)
    monkeypatch.setattr(index, "WORTHWHILE", 0)
    monkeypatch.setattr(index, "MOST_READ", 1e9)
    study.run()
    return seen


def drawn(sizes, strata=1):
    draw = np.random.default_rng(3)

    def frame(key, rows):
        columns = {f"v{j}": draw.integers(size, size=rows) for j, size in enumerate(sizes)}
        return pl.DataFrame(
            {key: range(rows), "s": draw.integers(strata, size=rows)} | columns
        ).cast(pl.String)

    names = [f"v{j}" for j in range(len(sizes))]
    return ri.Study(
        puf=ri.PublicFile(frame("p", 60), key="p"),
        eif=ri.IntruderFile(frame("e", 900), key="e"),
        variables=[ri.categorical(name) for name in names],
        strata=["s"],
        attacks={"taxicab": ri.Taxicab()},
    )


@pytest.mark.parametrize(
    ("sizes", "strata", "cells"),
    [
        ([1] * 9 + [6], 1, blocks.CELLS),  # a share of which nobody differs is left empty
        ([1000] * 10, 600, 1),  # no variable has room beside the strata
        ([4] * 10, 1, blocks.CELLS),
    ],
)
def test_only_the_last_stage_may_meet_everyone_and_then_does_so_once(
    sizes, strata, cells, monkeypatch
):
    monkeypatch.setattr(blocks, "CELLS", cells)
    (stages,) = levels_of(drawn(sizes, strata), monkeypatch)
    *before, last = stages
    assert all(all(stage) for stage in before)
    assert last == [0] or all(last)
    # The last case is an index of several blocks; the others meet everyone.
    assert (last == [0]) == (sizes != [4] * 10)
