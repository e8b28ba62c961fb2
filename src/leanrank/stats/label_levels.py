"""LabelLevels: the distinct labels and the longest query of a source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import WEIGHTS


class Levels(NamedTuple):
    """Distinct labels, ascending; the number of documents of the longest query, and its id."""

    labels: NDArray[np.float32]
    longest: int
    query: str


@dataclass(frozen=True)
class LabelLevels:
    """What a library wants to know of labels and queries before it trains on data nobody has seen as a whole.

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> levels = fold(LabelLevels(), RankingData([[1.0], [2.0], [3.0]], [0, 2, 2], [0, 1, 3], ["tea", "cup"]))
    >>> levels.labels.tolist(), levels.longest, levels.query
    ([0.0, 2.0], 2, 'cup')
    """

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)  # none of them matters

    def of(self, block: RankingData) -> Levels:
        q = int(np.argmax(block.query_sizes))
        return Levels(np.unique(block.y), int(block.query_sizes[q]), str(block.query_ids[q]))

    def merge(self, a: Levels, b: Levels) -> Levels:
        longer = b if b.longest > a.longest else a
        return Levels(np.union1d(a.labels, b.labels), longer.longest, longer.query)

    def finish(self, partial: Levels) -> Levels:
        return partial
