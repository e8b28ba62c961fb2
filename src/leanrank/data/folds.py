"""The official folds of a LETOR data set, from either layout of its files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.formats import COMPRESSIONS
from leanrank.data.ranking_data import RankingData, concatenate
from leanrank.data.reordered import ReorderedData
from leanrank.errors import DataError

_PACKED = ("", *COMPRESSIONS)
_N_PARTS = 5


@dataclass(frozen=True, eq=False)
class Queries:
    """Some queries of a data set, by their indices: a view that is copied when its data are asked for."""

    data: RankingData
    index: NDArray[np.int64]  # which queries
    features: NDArray[np.int64] | None = None  # which features; None are all

    @property
    def feature_names(self) -> tuple[str, ...]:
        names = self.data.feature_names
        return names if self.features is None else tuple(names[j] for j in self.features)

    def only(self, columns: Sequence[int]) -> Queries:
        """The view of these of its features."""
        wanted = np.asarray(columns, dtype=np.int64)
        return replace(self, features=wanted if self.features is None else self.features[wanted])

    def taken(self) -> RankingData:
        """These queries as data of their own; a slice, not a copy, where they stand one after another."""
        return self.data.take_queries(self.index, self.features)

    def seen(self) -> RankingData:
        """As `taken`, but a view of the matrix where the data are one themselves: for what copies anyway."""
        return self.data.view(self.index, self.features) if isinstance(self.data, ReorderedData) else self.taken()


Part = RankingData | Queries
#: How a part is changed, query by query and feature by feature, before it is given out.
Prepare = Callable[[RankingData], RankingData]


class Fold:
    """One fold of a data set: what to learn from, what to tune on, what to report.

    Parameters
    ----------
    name : str
    train, valid, test : RankingData or Queries
        Views cost no memory: they are copied whenever `fold.train`, `fold.valid` or `fold.test` is asked for, and the
        copy is not kept.
    prepare : callable, default=None
        Changes a part when it is asked for; a query's and a feature's result may depend on that query and that feature
        only.

    Examples
    --------
    >>> from leanrank import make_ranking
    >>> data, _ = make_ranking(6, 10, random_state=0)
    >>> fold = Fold("first", *(Queries(data, np.array(index)) for index in ([2, 3, 4, 5], [1], [0])))
    >>> fold.train.n_queries, fold.only([0, 2]).test.n_features
    (4, 2)
    """

    def __init__(self, name: str, train: Part, valid: Part, test: Part, *, prepare: Prepare | None = None) -> None:
        self.name = name
        self.parts: tuple[Part, Part, Part] = (train, valid, test)
        self.prepare = prepare

    @property
    def train(self) -> RankingData:
        return self._data(0)

    @property
    def valid(self) -> RankingData:
        return self._data(1)

    @property
    def test(self) -> RankingData:
        return self._data(2)

    def learned(self) -> tuple[RankingData, RankingData]:
        """What to learn from and what to tune on, for a learner that copies them: see `Queries.seen`."""
        return self._data(0, view=True), self._data(1, view=True)

    def _data(self, role: int, *, view: bool = False) -> RankingData:
        part = self.parts[role]
        data = (part.seen() if view else part.taken()) if isinstance(part, Queries) else part
        return data if self.prepare is None else self.prepare(data)

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.parts[0].feature_names

    @property
    def n_features(self) -> int:
        return len(self.feature_names)

    def prepared(self, prepare: Prepare) -> Fold:
        """The fold with its parts changed so when they are asked for."""
        return Fold(self.name, *self.parts, prepare=prepare)

    def only(self, columns: Sequence[int]) -> Fold:
        """The fold with these features alone, in the order given."""
        if list(columns) == list(range(self.n_features)):
            return self
        train, valid, test = (p.only(columns) if isinstance(p, Queries) else p.subset(columns) for p in self.parts)
        return Fold(self.name, train, valid, test, prepare=self.prepare)


def rotation(n_parts: int, tested: int) -> tuple[list[int], int]:
    """The parts to learn from and the one to tune on where part `tested` is tested: the one before it, cyclically.

    >>> rotation(5, 4), rotation(5, 1)
    (([0, 1, 2], 3), ([2, 3, 4], 0))
    """
    return [(tested + step) % n_parts for step in range(1, n_parts - 1)], (tested - 1) % n_parts


class LetorFolds(Sequence[Fold]):
    """The folds of a LETOR data set, each built when it is asked for; see `letor_folds`."""

    def __init__(self, folder: Path, files: list[tuple[str, list[Path]]], options: dict[str, Any]) -> None:
        self._folder = folder
        self._files = files  # name and files of every fold (train, vali, test) or of every part (one file)
        self._options = options
        self._whole: RankingData | None = None
        self._index: list[NDArray[np.int64]] = []  # the queries of each part S1..S5 in the whole

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
            return Fold(name, *read_alike(paths, self._options))
        if self._whole is None:
            parts = read_alike([paths[0] for _, paths in self._files], self._options)
            ends = np.cumsum([part.n_queries for part in parts])
            self._whole = concatenate(parts)
            self._index = np.split(np.arange(ends[-1]), ends[:-1])
        tested = (i - 1) % _N_PARTS  # Fold1 learns from S1, S2 and S3
        learned, tuned = rotation(_N_PARTS, tested)
        indices = np.concatenate([self._index[part] for part in learned]), self._index[tuned], self._index[tested]
        return Fold(f"Fold{i + 1}", *(Queries(self._whole, index) for index in indices))


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
        ``fold.name``, ``fold.train``, ``fold.valid``, ``fold.test``, all with the same features. The parts S1..S5 are
        read once, and a fold of them is a view: its parts are taken from them when asked for, and not kept. Files of a
        fold folder are read whenever that fold is asked for (``list(...)`` keeps them all).

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


def read_alike(paths: list[Path], options: dict[str, Any]) -> list[RankingData]:
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
