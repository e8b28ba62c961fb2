"""ReliefSelector: base of the Relief family, which weighs features by how near documents differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.door import in_memory
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import QUERIES, refuse_weights
from leanrank.engines.fold import fold
from leanrank.selectors._base import Selector
from leanrank.selectors.neighbours import Neighbours
from leanrank.selectors.path import Path
from leanrank.stats.constant import Constant
from leanrank.stats.relief import DataExtent, Extent, ReliefSums, Weighing
from leanrank.stats.row_sample import RowSample

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sums:
    """What a fold of `ReliefSums` gives: sums of differences (sums, K), plain sums, number of visited rows.

    Where queries have weights, rows count as much as theirs.
    """

    differences: Floats
    plain: Floats
    n_visited: float


@declared
class ReliefSelector(Selector):
    """Base of the Relief family. A subclass declares its parameters and writes `_weighing` and `_weights`.

    Parameters
    ----------
    n_neighbors : int
        k; where there are fewer, as many as there are.
    neighbours : Neighbours or None
        Where they are looked for, by which distance, and for which documents; None is ``Neighbours()``.
    engine : Engine or None
        Where the sums are computed, if neighbours are those of a query.

    Attributes
    ----------
    scores_ : array
        The weight.
    """

    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    n_neighbors: int = 10
    neighbours: Neighbours | None = None
    engine: Any = None
    _fewest_neighbors = 1

    def _check_parameters(self) -> None:
        self._require_whole("n_neighbors", self._fewest_neighbors)
        self._require("neighbours", "a Neighbours or None", isinstance(self._near, Neighbours))
        self._near.check()

    @property
    def _near(self) -> Neighbours:
        return Neighbours() if self.neighbours is None else self.neighbours

    def _weighing(self, source: RankingSource, extent: Extent) -> Weighing:
        raise NotImplementedError(f"{type(self).__name__} must define _weighing.")

    def _weights(self, sums: Sums) -> Floats:
        """The weight of each feature."""
        raise NotImplementedError(f"{type(self).__name__} must define _weights.")

    def _fit(self, source: RankingSource) -> Path:
        if self._near.scope == "global":
            refuse_weights(source, f"{type(self).__name__} with Neighbours('global')")
            source = in_memory(source)
        statistics: list[Any] = [Constant(), DataExtent()]
        if self._near.n_samples is not None:
            statistics.append(RowSample(int(self._near.n_samples), int(self._near.random_state)))
        constant, extent, *threshold = fold(statistics, source, self.engine)
        kept = self._begin(constant, source)
        width = (extent.high - extent.low)[kept]
        statistic = ReliefSums(
            self._weighing(source, extent),
            kept,
            np.divide(1.0, width, out=np.zeros(len(kept)), where=width > 0.0)
            if self._near.scale
            else np.ones(len(kept)),
            int(self.n_neighbors),
            self._near.metric == "euclidean",
            (threshold[0], int(self._near.random_state)) if threshold else None,
        )
        weights = self._weights(Sums(*self._sums(statistic, source)))
        return Path.by_score(weights, reason="weight").lift(kept, len(constant))

    def _sums(self, statistic: ReliefSums, source: RankingSource) -> tuple[Floats, Floats, float]:
        if self._near.scope == "global":
            assert isinstance(source, RankingData)
            return statistic.finish(statistic.of_whole(source))
        sums: tuple[Floats, Floats, float] = fold(statistic, source, self.engine)
        return sums
