"""`scenario study`: a survey, an intruder and the truth, made up from one seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from reident.scenario import intruder, release
from reident.scenario.people import LONELY_STATE, Ints, People, people
from reident.scenario.streams import stream
from reident.scenario.study_file import study_text

OVERLAP = 0.6
"""Share of the public-use file's persons that the intruder holds too."""
INTRUDER_SIZE = 1.2
"""Records of the intruder's file for each record of the public-use file."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Public-use file, intruder's file, truth file, and the text of a study that links them."""

    puf: pl.DataFrame
    eif: pl.DataFrame
    iuf: pl.DataFrame
    study: str

    def files(self) -> dict[str, bytes]:
        """The files by the names that the study uses; the same bytes every time."""
        frames = {"puf.csv": self.puf, "eif.csv": self.eif, "iuf.csv": self.iuf}
        return {name: frame.write_csv().encode() for name, frame in frames.items()} | {
            "study.toml": self.study.encode()
        }


def study_scenario(records: int, seed: int) -> Scenario:
    """A scenario with so many records in the public-use file.

    >>> study_scenario(records=50, seed=1).puf.height
    50
    """
    # Two households for each record: enough people for both files, whatever the sizes drawn.
    everyone = people(2 * records, seed)
    # Nobody stands in any order yet, so the first are as good a sample as any.
    surveyed = everyone.take(np.arange(records))
    known = _known(everyone, records, seed)
    puf_keys, eif_keys = _puf_keys(surveyed, seed), _eif_keys(len(known), seed)
    both = np.flatnonzero(known < records)
    at = known[both]
    truth = pl.concat(
        [
            puf_keys[at],
            eif_keys[both],
            release.unperturbed(surveyed.take(at)),
        ],
        how="horizontal",
    )
    puf = pl.concat([puf_keys, release.released(surveyed, seed)], how="horizontal")
    eif = pl.concat([eif_keys, intruder.held(everyone.take(known), seed)], how="horizontal")
    return Scenario(
        puf=_shuffled(puf, seed, "puf rows"),
        eif=_shuffled(eif, seed, "eif rows"),
        iuf=_shuffled(truth, seed, "iuf rows"),
        study=study_text(seed),
    )


def _known(everyone: People, records: int, seed: int) -> Ints:
    """Whom the intruder knows: some of the surveyed and some others, none in the lonely state."""
    draw = stream(seed, "overlap")
    reachable = np.flatnonzero(everyone.state != LONELY_STATE)
    surveyed, others = reachable[reachable < records], reachable[reachable >= records]
    shared = min(len(surveyed), max(1, round(OVERLAP * records)))
    more = min(len(others), round(INTRUDER_SIZE * records) - shared)
    return np.concatenate(
        [draw.permutation(surveyed)[:shared], draw.permutation(others)[: max(more, 0)]]
    )


def _puf_keys(surveyed: People, seed: int) -> pl.DataFrame:
    """Household and person; numbers of households say nothing about their order."""
    homes, place = np.unique(surveyed.household, return_inverse=True)
    numbers = _numbers(len(homes), seed, "household numbers")
    return pl.DataFrame({"household": numbers[place], "person": surveyed.person.astype(str)})


def _eif_keys(size: int, seed: int) -> pl.DataFrame:
    return pl.DataFrame({"eifid": np.strings.add("E", _numbers(size, seed, "eifids"))})


def _numbers(size: int, seed: int, name: str) -> np.ndarray:
    """Different numbers as texts of one length, in no order; gaps between them."""
    drawn = stream(seed, name).permutation(3 * size)[:size] + 1
    return np.strings.zfill(drawn.astype(str), max(6, len(str(3 * size))))


def _shuffled(frame: pl.DataFrame, seed: int, name: str) -> pl.DataFrame:
    return frame[stream(seed, name).permutation(frame.height)]
