"""ExpectedRankRegression: least squares on the ranks that documents have within their query."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import PolynomialFeatures

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import QUERIES, row_weights
from leanrank.errors import DataError
from leanrank.rankers._base import Ranker, Scores
from leanrank.rankers._query_order import expected_ranks

Vector = NDArray[np.float64]


@declared
class ExpectedRankRegression(Ranker):
    r"""Regress ``rank / (L + 1)`` on the features, L being the length of the list; small expected ranks come first.

    A document of rank r among L others is expected at ``r / (L + 1)`` of a list of all items, if the L were drawn at
    random:

    .. math:: \min_{w, b} \sum_q \sum_{i \in q} \left( \frac{r_i}{L_q + 1} - w^\top x_i - b \right)^2

    The score is minus the value fitted by least squares, so that higher is better.

    Parameters
    ----------
    degree : {1, 2}
        2 adds squares and products of the features.
    ridge : float
        Penalty ``ridge |b|^2``; the intercept is free. With 0, of several minima the one of smallest norm is taken.

    Attributes
    ----------
    coef_ : array of shape (K,), or (K + K(K + 1)/2,) for degree 2
        Weights of the score: features, then for degree 2 the products x_1 x_1, x_1 x_2, ..., x_K x_K.
    intercept_ : float

    Notes
    -----
    Documents with the same label share the mean of their ranks. A query of one document has the target 1/2.
    Cost: O(n P^2) for P columns after expansion, once; memory O(n P), sparse data are made dense.
    Take it as the fastest baseline where every query orders a sample of the same items.

    References
    ----------
    T. Kamishima, H. Kazawa, S. Akaho. Supervised ordering: an empirical survey. ICDM 2005.

    Examples
    --------
    >>> from leanrank import from_orders
    >>> data = from_orders([[0.0], [1.0], [2.0]], [[0, 1, 2], [2, 0]])  # targets 1/4, 1/2, 3/4; 1/3, 2/3
    >>> ranker = ExpectedRankRegression().fit(data)
    >>> ranker.coef_.round(4), round(ranker.intercept_, 4)
    (array([-0.0417]), -0.4583)
    """

    _name = "expectedrankregression"
    _learned: ClassVar[dict[str, Any]] = {"coef_": ("P",), "intercept_": ()}

    _takes_weights: ClassVar[tuple[str, ...]] = (QUERIES,)
    degree: int = field(default=1, kw_only=False)
    ridge: float = 0.0

    def _fit(self, data: RankingData, valid: RankingData | None) -> None:
        self._must("degree", "1 or 2", self.degree in (1, 2))
        self._must("ridge", ">= 0", self.ridge >= 0)
        sizes = np.repeat(data.query_sizes, data.query_sizes)
        target = expected_ranks(data) / (sizes + 1.0)
        Z = _expanded(data.X, self.degree)
        centre, middle, times = Z.mean(axis=0), target.mean(), row_weights(data)
        if times is not None:
            centre, middle = (Z * times[:, None]).sum(axis=0) / times.sum(), (target * times).sum() / times.sum()
        Z = Z - centre
        target = target - middle
        if times is not None:
            Z, target = Z * np.sqrt(times)[:, None], target * np.sqrt(times)
        if self.ridge > 0:
            Z = np.vstack((Z, np.sqrt(self.ridge) * np.eye(Z.shape[1])))
            target = np.concatenate((target, np.zeros(Z.shape[1])))
        b = np.linalg.lstsq(Z, target, rcond=None)[0]
        self.coef_ = -b
        self.intercept_ = float(centre @ b - middle)

    def _check_learned(self) -> None:
        K = self.n_features_in_
        expected = K if self.degree == 1 else K + K * (K + 1) // 2
        if len(self.coef_) != expected:
            raise DataError(f"'coef_' has {len(self.coef_)} weights, expected {expected}.")

    def _scores(self, X: Any, query_ptr: NDArray[np.int64]) -> Scores:
        scores: Scores = _expanded(X, self.degree) @ self.coef_ + self.intercept_
        return scores


def _expanded(X: Any, degree: int) -> Vector:
    """X, dense, with the products of its columns behind for degree 2."""
    dense = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    if degree == 1:
        return dense
    expanded: Vector = PolynomialFeatures(2, include_bias=False).fit_transform(dense)
    return expanded
