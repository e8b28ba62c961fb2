"""The official folds of a LETOR data set, from either layout of its files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np
import scipy.sparse as sp

from leanrank.data.formats import COMPRESSIONS
from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.errors import DataError

_PACKED = ("", *COMPRESSIONS)
_N_PARTS = 5


@dataclass(frozen=True)
class Fold:
    """One fold of a data set: what to learn from, what to tune on, what to report."""

    name: str
    train: RankingData
    valid: RankingData
    test: RankingData


class LetorFolds(Sequence[Fold]):
    """The folds of a LETOR data set, each built when it is asked for; see `letor_folds`."""

    def __init__(self, folder: Path, files: list[tuple[str, list[Path]]], options: dict[str, Any]) -> None:
        self._folder = folder
        self._files = files  # name and files of every fold (train, vali, test) or of every part (one file)
        self._options = options
        self._parts: list[RankingData] = []

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        kind = "parts, rotated" if self._rotated else "folders"
        return f"LetorFolds: {len(self)} folds of {str(self._folder)!r} ({kind})"

    @property
    def _rotated(self) -> bool:
        return len(self._files[0][1]) == 1

    @overload
    def __getitem__(self, index: int) -> Fold: ...
    @overload
    def __getitem__(self, index: slice) -> list[Fold]: ...
    def __getitem__(self, index: int | slice) -> Fold | list[Fold]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = range(len(self))[index]
        if not self._rotated:
            name, paths = self._files[i]
            return Fold(name, *_read_alike(paths, self._options))
        if not self._parts:
            self._parts = _read_alike([paths[0] for _, paths in self._files], self._options)
        a, b, c, valid, test = (self._parts[(i + step) % _N_PARTS] for step in range(_N_PARTS))
        return Fold(f"Fold{i + 1}", concatenate([a, b, c]), valid, test)


def letor_folds(folder: str | Path, **options: Any) -> LetorFolds:
    """The folds of a LETOR data set, from either layout of its files.

    ``S1.txt`` .. ``S5.txt`` are five parts under the official rotation: fold i learns from S_i, S_i+1 and S_i+2,
    tunes on S_i+3 and tests on S_i+4 (cyclic). ``Fold1/train.txt``, ``Fold1/vali.txt``, ``Fold1/test.txt`` and so on
    are folds as they are. Where both are there, the parts are used. Files may be packed (.gz, .zst, .bz2).

    Parameters
    ----------
    folder : path
        Where the files are.
    **options
        Passed on to `read_letor`, for instance ``n_features``, ``feature_names`` or ``null``.

    Returns
    -------
    sequence of Fold
        ``fold.name``, ``fold.train``, ``fold.valid``, ``fold.test``, all with the same features. A fold is built when
        it is asked for and not kept: a loop holds one training part at a time (``list(...)`` keeps them all). The
        parts S1..S5 are read once; files of a fold folder are read whenever that fold is asked for.

    References
    ----------
    T. Qin, T.-Y. Liu, J. Xu, H. Li, "LETOR: A Benchmark Collection for Research on Learning to Rank for Information
    Retrieval", Information Retrieval 13, 2010.
    """
    root = Path(folder)
    if not root.is_dir():
        raise DataError(f"There is no folder {str(root)!r}: name the folder with S1.txt..S5.txt or Fold1..Fold5.")
    parts = {name: path for i in range(_N_PARTS) if (path := _find(root, name := f"S{i + 1}")) is not None}
    if parts:
        absent = [f"S{i + 1}" for i in range(_N_PARTS) if f"S{i + 1}" not in parts]
        if absent:
            raise DataError(f"{root} has {', '.join(parts)} but no {absent[0]}.txt: the rotation needs S1..S5.")
        return LetorFolds(root, [(name, [path]) for name, path in parts.items()], options)
    folds: list[tuple[str, list[Path]]] = []
    while (inside := root / f"Fold{len(folds) + 1}").is_dir():
        folds.append((inside.name, [_need(inside, role) for role in ("train", "vali", "test")]))
    if not folds:
        raise DataError(f"{root} has neither S1.txt..S5.txt nor Fold1/train.txt: it is not the folder of a LETOR set.")
    return LetorFolds(root, folds, options)


def _find(folder: Path, stem: str) -> Path | None:
    return next((path for packed in _PACKED if (path := folder / f"{stem}.txt{packed}").is_file()), None)


def _need(folder: Path, role: str) -> Path:
    path = _find(folder, role) or (_find(folder, "valid") if role == "vali" else None)
    if path is None:
        raise DataError(f"{folder} has no {role}.txt (nor {role}.txt.gz, .zst, .bz2): a fold is train, vali and test.")
    return path


def _read_alike(paths: list[Path], options: dict[str, Any]) -> list[RankingData]:
    """Read files one by one; all get the features of the widest (absent trailing ones are 0) and one storage."""
    from leanrank.data.letor.reader import read_letor

    parts: list[RankingData] = [read_letor(path, **options) for path in paths]
    names = max((part.feature_names for part in parts), key=len)
    sparse = all(part.is_sparse for part in parts)
    return [_alike(part, names, sparse=sparse) for part in parts]


def _alike(part: RankingData, names: tuple[str, ...], *, sparse: bool) -> RankingData:
    if part.n_features == len(names) and part.is_sparse == sparse:
        return part
    if sparse:
        X: Any = sp.csr_array((part.X.data, part.X.indices, part.X.indptr), shape=(part.n_rows, len(names)))
    else:
        X = np.zeros((part.n_rows, len(names)), dtype=part.X.dtype)
        X[:, : part.n_features] = part.dense()
    return replace(part, X=X, feature_names=names)
