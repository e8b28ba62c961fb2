"""RankWrapper: a good feature differs between near documents that a ranker scores far apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from leanrank._declared import declared
from leanrank.data.door import as_ranking_data, in_memory, is_source
from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.data.weights import QUERIES, refuse_weights, row_weights, rows_that_weigh
from leanrank.engines.fold import fold
from leanrank.errors import DataError
from leanrank.rankers._base import Ranker
from leanrank.rankers.adapters import as_ranker
from leanrank.selectors._relief import Floats, ReliefSelector, Sums
from leanrank.stats.relief import Extent, ReliefSums, ScoreDifferences, Weighing

Scorer = Callable[[RankingData], Floats]


@dataclass(frozen=True)
class _Scores:
    """Scores of a block's documents by a ranker, or their ranks inside each query."""

    ranker: Any
    as_ranks: bool
    columns: tuple[int, ...] | None  # what the ranker was trained on, if not on all

    def __call__(self, block: RankingData) -> Floats:
        block = block if self.columns is None else block.subset(self.columns)
        takes_queries = isinstance(self.ranker, Ranker)
        scores = np.asarray(self.ranker.predict(block if takes_queries else block.X), dtype=np.float64)
        return _ranks(scores, block) if self.as_ranks else scores


def _ranks(scores: Floats, data: RankingData) -> Floats:
    parts = [rankdata(scores[a:b]) for a, b in zip(data.query_ptr[:-1], data.query_ptr[1:], strict=True)]
    return np.concatenate(parts)


class _Range(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class _ScoreRange:
    """Statistic: the smallest and the largest score."""

    scores: Scorer
    weights: ClassVar[tuple[str, ...]] = (QUERIES,)  # they do not matter

    def of(self, block: RankingData) -> _Range:
        scores = self.scores(block)
        return _Range(float(scores.min()), float(scores.max()))

    def merge(self, a: _Range, b: _Range) -> _Range:
        return _Range(min(a.low, b.low), max(a.high, b.high))

    def finish(self, partial: _Range) -> float:
        return partial.high - partial.low


@declared
class RankWrapper(ReliefSelector):
    r"""Weigh features by whether they differ between near documents whose scores differ more than usual.

    For each document x its k nearest documents z of the same query are compared with x by their distance in score,
    :math:`\delta_z = |s(x) - s(z)|`, against the median of the k:

    .. math::
        w_j \leftarrow w_j + \sum_z (\delta_z - \operatorname{median} \delta)\, d_z\, |x_j - z_j|, \qquad
        d_z \propto e^{-(\mathrm{rank}_z / \sigma)^2}

    s comes from a ranker trained on all features, or is given to `fit`.

    Parameters
    ----------
    ranker : ranker, optional
        Anything with `fit(X, y)` and `predict(X)`, or a ranker of leanrank. `RankSVM()` if not given. A clone of it is
        trained, unless `prefit`. Not used where `fit` is given scores.
    prefit : bool
        Whether `ranker` is trained already; then only `predict` is needed.
    n_neighbors : int
        k, at least 3 (with 1 all weights are 0), better odd.
    sigma : float, None or "auto", default=20
        How the weight of neighbours falls with their rank 1, 2, ...; None weighs all alike, "auto" is k/2, where one or
        two neighbours decide. 20 is usual for `RReliefF`; with five neighbours it weighs them nearly alike.
    normalise : {None, "median", "max"}
        Divide the differences from the median by the median or by the largest distance in score.
    rank_scores : bool
        Replace scores by their ranks inside the query.

    Attributes
    ----------
    ranker_ : ranker or None
        The ranker that gave the scores; where copies were left out, it was trained without them.

    See Also
    --------
    RankFilter, RReliefF

    Notes
    -----
    Cost O(K sum of n_q^2) after training. The paper repeats: weigh, drop the three lowest (or half), train again.

    Alone, with its defaults, it is behind the plain ranking on the mean of twelve data sets, and behind random features
    on OHSUMED, the MSLR sample, the LightGBM example and made data of many weak features (docs/methods_alone.md).

    References
    ----------
    H. Yu, J. Oh, W.-S. Han. Efficient feature weighting methods for ranking. CIKM 2009.

    Examples
    --------
    >>> from leanrank import Neighbours, RankingData, RankWrapper
    >>> X = [[0, 0.2], [0.1, 0.9], [0.5, 0.1], [0.6, 0.8], [1, 0.3], [0.9, 0.7]]
    >>> data = RankingData(X, [0, 0, 1, 1, 2, 2], [0, 6])
    >>> wrapper = RankWrapper(n_neighbors=3, sigma=None, neighbours=Neighbours(scale=False))
    >>> wrapper.fit(data, scores=[0, 0.1, 0.5, 0.6, 1, 0.9]).scores_.round(6).tolist()
    [0.061111, -0.051667]
    """

    _fewest_neighbors = 3

    ranker: Any = None
    prefit: bool = False
    n_neighbors: int = 5
    sigma: float | str | None = 20.0
    normalise: str | None = None
    rank_scores: bool = False

    def fit(
        self, X: Any, y: Any = None, *, qid: Any = None, regroup: bool = False, scores: ArrayLike | None = None
    ) -> Self:
        """Learn the order of the features.

        Parameters
        ----------
        X, y, qid, regroup
            As in every selector; y may be left out where scores are given.
        scores : array of shape (n,), optional
            The ranking score of every row, higher is better, instead of a ranker's. A given order is the score minus
            its position.
        """
        self._given: Floats | None = None
        if scores is None:
            return super().fit(X, y, qid=qid, regroup=regroup)
        given = np.asarray(scores, dtype=np.float64)
        if is_source(X):
            X = in_memory(X)
            n = X.n_rows
        else:
            n = len(np.asarray(qid)) if y is None else len(np.asarray(y))
            y = np.zeros(n) if y is None else y
        if given.shape != (n,) or not np.isfinite(given).all():
            raise DataError(f"scores must be {n:,} finite numbers, one per row. Got shape {given.shape}.")
        if regroup and not isinstance(X, RankingData):
            rows = as_ranking_data(np.arange(n, dtype=np.float64)[:, None], y, qid=qid, regroup=True).X[:, 0]
            given = given[rows.astype(np.int64)]
        self._given = given[rows_that_weigh(X)] if isinstance(X, RankingData) else given
        try:
            return super().fit(X, y, qid=qid, regroup=regroup)
        finally:
            self._given = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.sigma not in (None, "auto"):
            self._require_number("sigma", "a number > 0, None or 'auto'", np.nextafter(0.0, 1.0))
        self._require("normalise", "None, 'median' or 'max'", self.normalise in (None, "median", "max"))

    def _weighing(self, source: RankingSource, extent: Extent) -> Weighing:
        scores: Scorer
        if self._given is not None:
            assert isinstance(source, RankingData)
            given = _ranks(self._given, source) if self.rank_scores else self._given
            self.ranker_ = None
            scores = _Given(given, source)
            width = float(np.ptp(given))
        else:
            copies = {j for others in self.stands_for_.values() for j in others}
            columns = tuple(j for j in range(self.n_features_in_) if j not in copies)
            few = columns if copies and not self.prefit else None
            self.ranker_ = self._trained(source, few)
            scores = _Scores(self.ranker_, bool(self.rank_scores), few)
            width = fold(_ScoreRange(scores), source, self.engine)
        # a power of two: dividing by it loses nothing
        self._unit = 2.0 ** np.ceil(np.log2(width)) if width > 0.0 and self.normalise is None else 1.0
        sigma = self.n_neighbors / 2 if self.sigma == "auto" else self.sigma
        return ScoreDifferences(scores, self._unit, sigma, self.normalise)  # type: ignore[arg-type]

    def _trained(self, source: RankingSource, columns: tuple[int, ...] | None) -> Any:
        """The ranker, trained on these columns; None is all of them."""
        if self.prefit:
            return self.ranker
        if self.ranker is None:
            from leanrank.rankers.ranksvm import RankSVM

            ranker: Any = RankSVM()
        else:
            ranker = as_ranker(self.ranker) if isinstance(self.ranker, str) else clone(self.ranker)
        data = in_memory(source)
        if columns is not None:
            data = data.subset(columns)
            if isinstance(ranker, Ranker):
                ranker = ranker.for_columns(columns, self.n_features_in_)
        if isinstance(ranker, Ranker):
            return ranker.fit(data)
        weight = row_weights(data)
        if weight is None:
            return ranker.fit(data.X, data.y)
        if not has_fit_parameter(ranker, "sample_weight"):
            refuse_weights(data, type(ranker).__name__)
        return ranker.fit(data.X, data.y, sample_weight=weight)

    def _sums(self, statistic: ReliefSums, source: RankingSource) -> tuple[Floats, Floats, float]:
        if self._given is None or self._near.scope == "global":
            return super()._sums(statistic, source)
        return statistic.finish(statistic.of(source))  # type: ignore[arg-type]

    def _weights(self, sums: Sums) -> Floats:
        total = np.round(sums.differences[0] / (sums.plain[0] or 1.0), 12)
        return np.asarray(total * self._unit)


@dataclass(frozen=True, eq=False)
class _Given:
    """Scores given for the rows of one data set, asked for as a whole."""

    scores: Floats
    data: RankingData

    def __call__(self, block: RankingData) -> Floats:
        assert block.n_rows == self.data.n_rows
        return self.scores
