"""ReliefSelector: base of the Relief family, which weighs features by how near documents differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, RankingSource, concatenate
from leanrank.engines.fold import fold
from leanrank.errors import DataError
from leanrank.selectors._base import Selector
from leanrank.selectors._declared import declared
from leanrank.selectors.path import Path
from leanrank.stats.constant import Constant
from leanrank.stats.relief import DataExtent, Extent, ReliefSums, Weighing
from leanrank.stats.row_sample import RowSample

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sums:
    """What a fold of `ReliefSums` gives: sums of differences (sums, K), plain sums, number of visited rows."""

    differences: Floats
    plain: Floats
    n_visited: int


@declared
class ReliefSelector(Selector):
    """Base of the Relief family. A subclass declares its parameters and writes `_weighing` and `_weights`.

    Parameters
    ----------
    n_neighbors : int
        k; where there are fewer, as many as there are.
    scope : {"query", "global"}
        Neighbours in the same query, or anywhere (the classic method; needs all rows in memory).
    scale : bool
        Divide differences by the feature's range over all rows.
    metric : {"manhattan", "euclidean"}
        Distance between documents.
    n_samples : int or None
        Visit a random sample of so many documents; all if not given.
    random_state : int
        Seed of the sample.
    engine : Engine or None
        Where the sums are computed (scope "query").
    """

    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    n_neighbors: int = 10
    scope: str = "query"
    scale: bool = True
    metric: str = "manhattan"
    n_samples: int | None = None
    random_state: int = 0
    engine: Any = None
    _fewest_neighbors = 1

    def _check_parameters(self) -> None:
        least = self._fewest_neighbors
        for name in ("n_neighbors", "n_samples"):
            value = getattr(self, name)
            if name == "n_samples" and value is None:
                continue
            low = least if name == "n_neighbors" else 1
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            self._require(name, f"a whole number >= {low}", whole and value >= low)
        self._require_one_of("scope", ("query", "global"))
        self._require_one_of("metric", ("manhattan", "euclidean"))
        self._require_number("random_state", "a whole number >= 0", 0)

    def _weighing(self, source: RankingSource, extent: Extent) -> Weighing:
        raise NotImplementedError(f"{type(self).__name__} must define _weighing.")

    def _weights(self, sums: Sums) -> Floats:
        """The weight of each feature."""
        raise NotImplementedError(f"{type(self).__name__} must define _weights.")

    def _fit(self, source: RankingSource) -> Path:
        if self.scope == "global" and not isinstance(source, RankingData):
            source = concatenate(list(source.blocks()))
        statistics: list[Any] = [Constant(), DataExtent()]
        if self.n_samples is not None:
            statistics.append(RowSample(int(self.n_samples), int(self.random_state)))
        constant, extent, *threshold = fold(statistics, source, self.engine)
        kept = np.flatnonzero(~constant)
        if not len(kept):
            raise DataError(f"All {len(constant)} features are constant inside every query: nothing to select.")
        width = (extent.high - extent.low)[kept]
        statistic = ReliefSums(
            self._weighing(source, extent),
            kept,
            np.divide(1.0, width, out=np.zeros(len(kept)), where=width > 0.0) if self.scale else np.ones(len(kept)),
            int(self.n_neighbors),
            self.metric == "euclidean",
            (threshold[0], int(self.random_state)) if threshold else None,
        )
        weights = self._weights(Sums(*self._sums(statistic, source)))
        return Path.by_score(weights, reason="weight").lift(kept, len(constant))

    def _sums(self, statistic: ReliefSums, source: RankingSource) -> tuple[Floats, Floats, int]:
        if self.scope == "global":
            assert isinstance(source, RankingData)
            return statistic.finish(statistic.of_whole(source))
        found: tuple[Floats, Floats, int] = fold(statistic, source, self.engine)
        return found
