"""InformationGain, ChiSquared, SymmetricalUncertainty: the classifier's view of one feature at a time."""

from __future__ import annotations

from typing import Any, ClassVar

from leanrank._declared import declared
from leanrank.engines.fold import fold
from leanrank.selectors._pooled import Pooled, PooledSelector
from leanrank.selectors.path import Path
from leanrank.stats.information import PerQueryScore, chi_squared, information_gain, symmetrical_uncertainty


@declared
class _TableScore(PooledSelector):
    """Rank features by a score of their table of (bin, label) counts.

    Parameters
    ----------
    scope : {"pooled", "query"}
        One table for all rows, or the mean over queries of the score of each query's own table.
    """

    _score: ClassVar[Any]  # a Score; as a Score it would be taken for a method
    _reason: ClassVar[str]

    scope: str = "pooled"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_one_of("scope", ("pooled", "query"))

    def _path(self, pooled: Pooled) -> Path:
        score = type(self)._score
        if self.scope == "pooled":
            scores = pooled.relevance(score)
        else:
            scores = fold(PerQueryScore(score, pooled.binning, pooled.labels), pooled.source, self.engine)
        return Path.by_score(scores, reason=self._reason)


@declared
class InformationGain(_TableScore):
    r"""Rank features by how much their discretised value tells about the label.

    .. math:: IG = H(Y) - H(Y \mid X)

    in bits, over the rows of all queries together; a feature with a single bin scores 0.

    Attributes
    ----------
    scores_ : array
        The gain.

    See Also
    --------
    ChiSquared, SymmetricalUncertainty, FCBF

    Notes
    -----
    One or two folds: for the cuts, and for the counts where the cuts go through values that were taken together (see
    `MDLDiscretizer`; always with "equal_width"). Memory: 8 (2 + labels) bytes for each value told apart, at most 16,384
    a feature. Cost: a sort of each column. Ranking is treated as classification: a label is a class without order, and
    values are compared across queries. A baseline.

    Alone it is behind random features on the MSLR sample and FLUCCS (docs/methods_alone.md).

    References
    ----------
    X. Geng, T.-Y. Liu, T. Qin, H. Li. Feature selection for ranking. SIGIR 2007 (as a baseline).

    Examples
    --------
    >>> from leanrank import InformationGain, RankingData
    >>> X = [[1, 1], [1, 0], [1, 1], [1, 0], [0, 1], [0, 0], [0, 1], [1, 0]]
    >>> data = RankingData(X, [1, 1, 1, 1, 0, 0, 0, 0], [0, 8])
    >>> InformationGain(discretizer="equal_width").fit(data).scores_.round(6).tolist()
    [0.548795, 0.0]
    """

    _score = staticmethod(information_gain)
    _reason = "information gain"


@declared
class ChiSquared(_TableScore):
    r"""Rank features by the chi-squared statistic of their discretised value against the label.

    .. math:: \chi^2 = \sum \frac{(O - E)^2}{E}

    over the cells of the table of bins by labels (O observed, E expected counts), without Yates' correction; rows and
    columns without any count are left out, and a feature with a single bin scores 0.

    Attributes
    ----------
    scores_ : array
        The statistic.

    See Also
    --------
    InformationGain, SymmetricalUncertainty

    Notes
    -----
    Memory and cost as `InformationGain`. Grows with the number of rows, so it compares features of one data set only.

    Alone it is behind random features on the MSLR sample and FLUCCS (docs/methods_alone.md).

    References
    ----------
    X. Geng, T.-Y. Liu, T. Qin, H. Li. Feature selection for ranking. SIGIR 2007 (as a baseline).

    Examples
    --------
    >>> from leanrank import ChiSquared, RankingData
    >>> X = [[1, 1], [1, 0], [1, 1], [1, 0], [0, 1], [0, 0], [0, 1], [1, 0]]
    >>> data = RankingData(X, [1, 1, 1, 1, 0, 0, 0, 0], [0, 8])
    >>> ChiSquared(discretizer="equal_width").fit(data).scores_.round(6).tolist()
    [4.8, 0.0]
    """

    _score = staticmethod(chi_squared)
    _reason = "chi-squared"


@declared
class SymmetricalUncertainty(_TableScore):
    r"""Rank features by information gain normalised by both entropies.

    .. math:: SU = \frac{2\, IG}{H(X) + H(Y)}

    in [0, 1]; 0 where either entropy is 0. What FCBF, CFS and INTERACT begin with.

    Attributes
    ----------
    scores_ : array
        SU.

    See Also
    --------
    InformationGain, ChiSquared, FCBF

    Notes
    -----
    Memory and cost as `InformationGain`. Unlike it, features with many bins are not favoured.

    Alone it is behind random features on the MSLR sample and FLUCCS (docs/methods_alone.md).

    References
    ----------
    L. Yu, H. Liu. Feature selection for high-dimensional data: a fast correlation-based filter solution. ICML 2003.

    Examples
    --------
    >>> from leanrank import RankingData, SymmetricalUncertainty
    >>> X = [[1, 1], [1, 0], [1, 1], [1, 0], [0, 1], [0, 0], [0, 1], [1, 0]]
    >>> data = RankingData(X, [1, 1, 1, 1, 0, 0, 0, 0], [0, 8])
    >>> SymmetricalUncertainty(discretizer="equal_width").fit(data).scores_.round(5).tolist()
    [0.56159, 0.0]
    """

    _score = staticmethod(symmetrical_uncertainty)
    _reason = "symmetrical uncertainty"
