"""ReliefSelector: base of the Relief family, which weighs features by how near documents differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData, RankingSource, concatenate
from leanrank.engines.fold import fold
from leanrank.errors import is_whole, require, require_one_of
from leanrank.selectors._base import Selector
from leanrank.selectors.path import Path
from leanrank.stats.constant import Constant, varying
from leanrank.stats.relief import DataExtent, Extent, ReliefSums, Weighing
from leanrank.stats.row_sample import RowSample

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Neighbours:
    """Where the neighbours of a document are looked for, and for which documents.

    Parameters
    ----------
    scope : {"query", "global"}, default="query"
        In the same query, or anywhere (the classic method; needs all rows in memory).
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between documents.
    scale : bool, default=True
        Divide differences by the feature's range over all rows.
    n_samples : int or None, default=None
        Visit a random sample of so many documents; all if not given.
    random_state : int, default=0
        Seed of the sample.

    See Also
    --------
    ReliefF, RankFilter, RReliefF, RankWrapper

    Examples
    --------
    >>> from leanrank import Neighbours, ReliefF
    >>> ReliefF(neighbours=Neighbours("global"))
    ReliefF(neighbours=Neighbours(scope='global', metric='manhattan', scale=True, n_samples=None, random_state=0))
    """

    scope: str = "query"
    metric: str = "manhattan"
    scale: bool = True
    n_samples: int | None = None
    random_state: int = 0

    def check(self) -> None:
        """Refuse what cannot be."""
        require_one_of(self, scope=("query", "global"), metric=("manhattan", "euclidean"))
        some = self.n_samples is None or is_whole(self.n_samples, 1)
        require(self, "n_samples", "a whole number >= 1 or None", some)
        require(self, "random_state", "a whole number >= 0", is_whole(self.random_state, 0))


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
    neighbours : Neighbours or None
        Where they are looked for, by which distance, and for which documents; None is ``Neighbours()``.
    engine : Engine or None
        Where the sums are computed, if neighbours are those of a query.

    Attributes
    ----------
    scores_ : array
        The weight.
    """

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
        if self._near.scope == "global" and not isinstance(source, RankingData):
            source = concatenate(list(source.blocks()))
        statistics: list[Any] = [Constant(), DataExtent()]
        if self._near.n_samples is not None:
            statistics.append(RowSample(int(self._near.n_samples), int(self._near.random_state)))
        constant, extent, *threshold = fold(statistics, source, self.engine)
        kept = varying(constant)
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

    def _sums(self, statistic: ReliefSums, source: RankingSource) -> tuple[Floats, Floats, int]:
        if self._near.scope == "global":
            assert isinstance(source, RankingData)
            return statistic.finish(statistic.of_whole(source))
        sums: tuple[Floats, Floats, int] = fold(statistic, source, self.engine)
        return sums
