"""INTERACT: remove features, the least relevant first, unless the set's consistency would suffer."""

from __future__ import annotations

import numpy as np

from leanrank._declared import declared
from leanrank.selectors._pooled import Pooled, SetFilter
from leanrank.selectors.path import Path, Step

_SLACK = 1e-12


@declared
class INTERACT(SetFilter):
    r"""Walk features from the least relevant up; remove each one whose removal leaves the set as consistent.

    Relevance is SU(f, label) (equal: the higher index first). A feature f of the current set S is removed if its
    contribution

    .. math:: cc(f) = U(S \setminus f) - U(S)

    is at most `delta`, with U the inconsistency of `Consistency`: so a feature that is useless alone stays if it
    matters together with others.

    Parameters
    ----------
    n_features_to_select : int, float or None
        The most relevant so many of the method's own set; None keeps the set.
    delta : float
        Largest contribution of a feature that is removed.

    Attributes
    ----------
    order_ : array
        The features that stay, the most relevant first.
    scores_ : array
        The contribution of each feature when it was its turn.
    inconsistency_ : float
        U of the set that stays; `inconsistency_of_all_` that of all features.

    See Also
    --------
    Consistency, FCBF

    Notes
    -----
    Two folds. Memory: about 12 bytes per distinct pattern and feature, as `Consistency`. Cost: K passes over the
    patterns.

    Alone it is behind the plain ranking on the mean of twelve data sets, and behind random features on the MSLR sample
    and on made data of many weak features (docs/methods_alone.md).

    References
    ----------
    Z. Zhao, H. Liu. Searching for interacting features. IJCAI 2007.

    Examples
    --------
    >>> from leanrank import INTERACT, RankingData
    >>> X = [[0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1]]
    >>> data = RankingData(X, [0, 1, 1, 0], [0, 4])
    >>> INTERACT(discretizer="equal_width").fit(data).scores_.tolist()
    [0.5, 0.5, 0.0, 0.0]
    """

    delta: float = 1e-4

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_number("delta", "a number in [0, 1]", 0.0, 1.0)

    def _path(self, pooled: Pooled) -> Path:
        relevance = pooled.relevance()
        inconsistency = pooled.inconsistency()
        n = inconsistency.n_rows
        current = list(range(pooled.n_features))
        before = of_all = inconsistency.rows(current)
        scores = np.zeros(pooled.n_features)
        steps = []
        for f in np.lexsort((-np.arange(pooled.n_features), relevance)).tolist():
            without = [j for j in current if j != f]
            rows = inconsistency.rows(without)
            scores[f] = (rows - before) / n
            if scores[f] <= self.delta + _SLACK:
                current, before = without, rows
            else:
                why = f"without it the inconsistency rises by {scores[f]:.6g}"
                steps.append(Step(f, float(relevance[f]), float(scores[f]), why))
        self.inconsistency_of_all_ = of_all / n
        self.inconsistency_ = before / n
        steps = self._at_least(steps[::-1], relevance, f"no feature's removal costs more than {self.delta:g}")
        return Path.of(steps, pooled.n_features, scores)
