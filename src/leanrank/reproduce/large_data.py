"""The large public data sets by folder: MSLR-WEB10K and 30K, Yahoo, Istella, each in the layout it is given out in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from leanrank.data.folds import Fold, Queries, letor_folds, read_alike
from leanrank.data.formats import COMPRESSIONS
from leanrank.errors import DataError

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
