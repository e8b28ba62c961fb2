"""ForwardRegression: add the feature that explains most of what is left of the labels inside queries."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingSource
from leanrank.data.weights import WEIGHTS
from leanrank.engines.fold import fold
from leanrank.selectors._base import Selector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.greedy import greedy
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.constant import Constant
from leanrank.stats.query_moments import SCALES, Moments, QueryMoments

Floats = NDArray[np.float64]


@declared
class ForwardRegression(Selector):
    r"""Take the feature that, beside those taken, explains most of the labels' differences inside queries.

    Documents are compared with others of their query alone: features, scaled there, and labels are taken less their
    means in the query. With S the features taken, the next is the one that raises

    .. math:: R^2(S) = \frac{c_S^\top (G_{SS} + \lambda I)^{-1} c_S}{v}

    most, G being the correlations of the features inside queries, c their products with the labels, and v those of
    the labels with themselves: forward selection in the least-squares regression on the differences of all pairs of
    documents of a query. What a feature shares with those taken it cannot explain again, so copies come last.

    Parameters
    ----------
    scale : {"auto", "minmax", "rank"}
        How a feature is scaled inside each query: to [0, 1], or by its ranks, which are the same for all increasing
        functions of a feature. "auto" is [0, 1]; `leanrank.select` takes ranks for rankers that want no scaling, trees.
    ridge : float
        :math:`\lambda`, against chance among features that are nearly alike; must be > 0. From .001 to .3 it hardly
        matters on made data.

    Attributes
    ----------
    scores_ : array of shape (n_features_in_,)
        What R^2 rose by when each feature was taken.

    See Also
    --------
    MRMR : Relevance against the mean likeness, two features at a time.
    BestGain : The same idea with ranked lists in the place of regression.

    Notes
    -----
    One pass over the data, O(n K^2) by a product of matrices, then O(K k^2) for k features. It sees what a linear
    ranker can use: pairs of features that tell nothing alone it does not.

    References
    ----------
    S. Chen, S. A. Billings, W. Luo. Orthogonal least squares methods and their application to non-linear system
    identification. International Journal of Control 50(5), 1989.

    Examples
    --------
    >>> from leanrank import ForwardRegression, make_ranking
    >>> data, truth = make_ranking(40, n_informative=3, n_redundant=6, n_noise=6, random_state=0)
    >>> chosen = ForwardRegression(3).fit(data)
    >>> sorted({truth[j].source or truth[j].name for j in chosen.selected_}) == sorted(
    ...     t.name for t in truth if t.role == "informative"
    ... )
    True
    """

    _takes_weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    scale: str = "auto"
    ridge: float = 0.03
    limits: Limits | None = None
    engine: Any = None

    def _check_parameters(self) -> None:
        self._require_one_of("scale", ("auto", *SCALES))
        self._require("ridge", "a number > 0", isinstance(self.ridge, (int, float)) and 0 < self.ridge < np.inf)

    def _fit(self, source: RankingSource) -> Path:
        scale = "minmax" if self.scale == "auto" else self.scale
        constant, moments = fold([Constant(), QueryMoments(scale)], source, self.engine)
        limits = self._limits(source.feature_names)
        kept = self._begin(constant, source)
        part = Moments(moments.features[np.ix_(kept, kept)], moments.labels[kept], *moments[2:])
        path = forward_regression(part, limits.only(kept), ridge=self.ridge)
        return path.lift(kept, len(constant))


def forward_regression(moments: Moments, limits: ColumnLimits, *, ridge: float) -> Path:
    """The path of the regression; a row of the triangular factor is added for each feature taken."""
    width = np.sqrt(np.diag(moments.features))
    unit = np.divide(1.0, width, out=np.zeros_like(width), where=width > 0)
    G = moments.features * np.outer(unit, unit)
    total = float(moments.spread)
    left = moments.labels * unit / np.sqrt(total) if total > 0 else np.zeros_like(unit)
    variance = np.diag(G) + ridge
    factor = np.empty((0, len(unit)))

    def gains(newest: int | None) -> Floats:
        nonlocal left, variance, factor
        if newest is not None:
            own = G[newest].copy()
            own[newest] += ridge
            row = (own - factor[:, newest] @ factor) / np.sqrt(variance[newest])
            left = left - row * (left[newest] / np.sqrt(variance[newest]))
            variance = np.maximum(variance - row**2, ridge**2)
            factor = np.vstack([factor, row])
        return np.asarray(left**2 / variance)

    steps = [
        Step(j, gain, gain, f"explains {gain:.6g} more of the labels' variance inside queries")
        for j, gain in greedy(gains, len(unit), limits=limits)
    ]
    return Path.of(steps, len(unit))
