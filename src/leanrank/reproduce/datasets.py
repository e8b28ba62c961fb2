"""Where the papers' data are on this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from leanrank.data.folds import LetorFolds, letor_folds
from leanrank.errors import DataError
from leanrank.reproduce.large_data import LARGE
from leanrank.stats.similarity import Similarity

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
