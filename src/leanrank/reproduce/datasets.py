"""Where the papers' data are on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leanrank.data.folds import Fold, LetorFolds, Queries, letor_folds, read_alike
from leanrank.data.formats import COMPRESSIONS
from leanrank.errors import DataError
from leanrank.stats.similarity import Similarity

#: By name: other names its folder may have.
LARGE = {
    "MSLR-WEB10K": ("mslr-web10k", "web10k"),
    "MSLR-WEB30K": ("mslr-web30k", "web30k"),
    "Yahoo": ("yahoo", "yahoo-set1", "ltrc_yahoo"),
    "Istella": ("istella", "istella-full"),
    "Istella-S": ("istella-s", "istella-sample"),
}
_ROLES = (("train",), ("vali", "valid"), ("test",))
_VALIDATION = 5


def large_folds(folder: Path) -> Iterator[Fold]:
    """Folds `Fold1`, ... as MSLR has them; else one of train, vali (or valid) and test files, in a folder below if so.

    Where nothing is there to tune on, it is every fifth of the training queries.
    """
    if (folder / "Fold1").is_dir():
        yield from letor_folds(folder)
        return
    paths = [_only(folder, names) for names in _ROLES]
    train, valid, test = paths
    if train is None or test is None:
        raise DataError(
            f"{folder} has neither Fold1/train.txt nor files whose names end in train.txt and test.txt: name the "
            "folder that holds the data set as it was unpacked."
        )
    if valid is not None:
        yield Fold(folder.name, *read_alike([train, valid, test], {}))
        return
    learned, tested = read_alike([train, test], {})
    tuned = np.arange(learned.n_queries) % _VALIDATION == _VALIDATION - 1
    learn, stop = (Queries(learned, np.flatnonzero(which)) for which in (~tuned, tuned))
    yield Fold(folder.name, learn, stop, tested)


def _only(folder: Path, names: tuple[str, ...]) -> Path | None:
    """The file of a role: `train.txt`, `set1.train.txt`; the first by name of several."""
    endings = [f"{name}.txt{packed}" for name in names for packed in ("", *COMPRESSIONS)]
    fitting = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file() and any(path.name == end or path.name.endswith(f".{end}") for end in endings)
    ]
    return fitting[0] if fitting else None


VARIABLE = "LEANRANK_DATA"

#: Likeness of features as the papers count it: pairs that both put in the same order, a pair tied in either in none.
STRICT = Similarity("kendall", ties="strict")

NAMES = (
    *("ohsumed", "mq2008", "hp2004", "np2004", "td2003", "td2004", "gov", "sushi"),
    *(folder for folders in LARGE.values() for folder in folders),
)

LAYOUT = (
    "a folder with one folder for each data set: ohsumed, mq2008, hp2004, np2004, td2003, td2004, gov (S1.txt to "
    "S5.txt or Fold1/train.txt, ...; .gz, .bz2, .zst as well; query-level normalised files of LETOR) and sushi "
    "(sushi3.idata, sushi3b.5000.10.order). Those that are not there are left out"
)


@dataclass(frozen=True)
class DataFolder:
    """The folder the user named. Data sets in it are looked up by their names in the papers."""

    root: Path

    @classmethod
    def of(cls, folder: str | Path | None) -> DataFolder:
        """The folder given, or that of the environment."""
        named = folder if folder is not None else os.environ.get(VARIABLE)
        if not named:
            raise DataError(f"Name the data with --data FOLDER, or set {VARIABLE}: {LAYOUT}.")
        root = Path(named)
        if not root.is_dir():
            raise DataError(f"There is no folder {str(root)!r}. Expected is {LAYOUT}.")
        return cls(root)

    def folder(self, name: str) -> Path | None:
        """The folder of a data set, however its name is capitalised; None if it is not there."""
        for path in sorted(self.root.iterdir()):
            if path.is_dir() and path.name.lower() == name.lower():
                return path
        return None

    def needed(self, name: str) -> Path:
        """The folder of a data set that nothing can be done without."""
        folder = self.folder(name)
        if folder is None:
            raise DataError(f"There is no folder {name!r} in {str(self.root)!r}. Expected is {LAYOUT}.")
        return folder

    def sizes(self) -> dict[str, int]:
        """The bytes of every file of the data sets, by which results of other data are told apart."""
        folders = [folder for name in NAMES if (folder := self.folder(name)) is not None]
        files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
        return {path.relative_to(self.root).as_posix(): path.stat().st_size for path in files}

    def folds(self, name: str) -> LetorFolds | None:
        """The official folds of a LETOR data set; None if it is not there."""
        folder = self.folder(name)
        return None if folder is None else letor_folds(folder)
