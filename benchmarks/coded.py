"""Coded columns of a study for peers that know nothing of the product.

    python benchmarks/coded.py FOLDER LABEL CHECKED

writes coded.npz (codes of both files, -1 where missing), mixed.npz (codes of the categories and
the numbers) and, for unicity, checked.npz: the suspected records when only the first CHECKED
variables link.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from reident import Study, Unicity, attacks
from reident.encode.matrix import category_codes, coded_matrix
from reident.engine.local import local
from reident.io.intake import take_in


def write(folder: Path, label: str, checked: int) -> None:
    """What the peers of this attack need."""
    study = Study.read(folder / "study.toml")
    attack = study.attacks[label]
    taken = take_in(study)
    variables = study.linking(attack)
    if isinstance(attack, Unicity):
        puf, eif, _ = coded_matrix(taken.files, variables, attack, lambda *_: None)
        np.savez(folder / "coded.npz", puf=puf.T, eif=eif.T)
        few = variables[:checked]
        linked = attacks.link(attack, taken.files, few, None, local(), label, seed=study.seed)
        np.savez(folder / "checked.npz", suspected=linked.suspected)
        return
    codes = [category_codes(taken.files, v) for v in variables if v.kind == "categorical"]
    numbers = [v.name for v in variables if v.kind == "numeric"]
    np.savez(
        folder / "mixed.npz",
        puf_codes=_columns([column.puf for column in codes], taken.files.puf_records),
        eif_codes=_columns([column.eif for column in codes], taken.files.eif_records),
        puf_numbers=np.stack([taken.files.puf[name].number for name in numbers], axis=1),
        eif_numbers=np.stack([taken.files.eif[name].number for name in numbers], axis=1),
    )


def _columns(columns: list[np.ndarray], records: int) -> np.ndarray:
    return np.stack(columns, axis=1) if columns else np.zeros((records, 0), np.int32)


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
