"""Consistency: the smallest set found whose values contradict each other no more than all features do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._pooled import Pooled, SetFilter
from leanrank.selectors.path import Path, Step
from leanrank.selectors.set_search import best_first
from leanrank.stats.patterns import Inconsistency

_SLACK = 1e-12

Steps = tuple[list[Step], NDArray[np.float64]]


def eliminate(inconsistency: Inconsistency, order: list[int]) -> list[tuple[int, int]]:
    """Take features away one by one until none is left: (feature, rows inconsistent after its removal).

    Each time the one that leaves the fewest rows inconsistent; of equal ones, the last in `order`.
    """
    left = list(order)
    removed = []
    while left:
        rows = inconsistency.rows_without_each(left)
        place = len(left) - 1 - int(np.argmin(rows[::-1]))
        removed.append((left.pop(place), int(rows[place])))
    return removed


@declared
class Consistency(SetFilter):
    r"""Remove features as long as rows with equal values contradict each other no more than before.

    .. math:: U(S) = \frac1N \sum_{\text{patterns of } S} (\text{count} - \text{count of the majority label})

    The search goes backward from all features: remove the feature whose removal gives the smallest U (of equal ones
    the highest index) while U stays at most U(all) + epsilon.

    Parameters
    ----------
    n_features_to_select : int, float or None
        The last so many that the elimination leaves, at most the method's own set; None keeps the set.
    search : {"backward", "best_first"}
        Backward elimination, or WEKA's forward best-first search for the largest 1 - U.
    epsilon : float
        How much U may rise (backward only).
    max_stale : int
        See `best_first`.

    Attributes
    ----------
    order_ : array
        The elimination is carried on to the last feature, and what goes last stands first.
    scores_ : array
        By how much U rose when the feature was removed (backward), or fell when it was added (best-first).
    inconsistency_ : float
        U of the selected set; `inconsistency_of_all_` that of all features.

    See Also
    --------
    INTERACT, CFS

    Notes
    -----
    Two folds. Memory: the distinct patterns of all features, 12 bytes per pattern and feature plus 8 per pattern and
    label, and patterns are often as many as rows: about 12 n K bytes. Cost: K^2 / 2 passes over the patterns, each
    O(patterns) by hashing. With continuous labels or nearly unique rows it keeps most features, as on OHSUMED.

    Alone it is behind the plain ranking on the mean of twelve data sets, and behind random features on the MSLR sample
    and on made data of many weak features (docs/methods_alone.md).

    References
    ----------
    M. Dash, H. Liu, H. Motoda. Consistency based feature selection. PAKDD 2000.

    Examples
    --------
    >>> from leanrank import Consistency, RankingData
    >>> X = [[0, 0, 0, 0], [0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1], [0, 0, 1, 0], [1, 1, 0, 1]]
    >>> data = RankingData(X, [row[0] ^ row[1] for row in X], [0, 6])
    >>> Consistency(discretizer="equal_width").fit(data).support_.tolist()
    [True, True, False, False]
    """

    search: str = "backward"
    epsilon: float = 0.0
    max_stale: int = 5

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_one_of("search", ("backward", "best_first"))
        self._require_number("epsilon", "a number in [0, 1]", 0.0, 1.0)
        self._require_whole("max_stale", 1)

    def _path(self, pooled: Pooled) -> Path:
        inconsistency = pooled.inconsistency()
        n = inconsistency.n_rows
        of_all = inconsistency.rows(np.arange(pooled.n_features))
        several = pooled.binning.n_bins > 1
        if self.search == "backward":
            steps, scores = self._backward(inconsistency, of_all, several)
        else:
            steps, scores = self._forward(inconsistency, pooled.label_counts, several)
        self.inconsistency_of_all_ = of_all / n
        self.inconsistency_ = inconsistency.rows([step.feature for step in steps]) / n
        steps = self._at_least(steps, pooled.relevance(), "the majority label alone is as consistent as all features")
        return Path.of(steps, pooled.n_features, scores)

    def _backward(self, inconsistency: Inconsistency, of_all: int, several: NDArray[np.bool_]) -> Steps:
        n = inconsistency.n_rows
        allowed = of_all + (self.epsilon + _SLACK) * n
        scores = np.zeros(len(several))
        steps: list[Step] = []
        before = of_all
        for feature, rows in eliminate(inconsistency, np.flatnonzero(several).tolist()):
            scores[feature] = (rows - before) / n
            if steps or rows > allowed:  # once one has to stay, all those left stay
                why = f"without it the inconsistency rises from {before / n:.6g} to {rows / n:.6g}"
                steps.append(Step(feature, rows / n, scores[feature], why))
            before = rows
        return steps[::-1], scores

    def _forward(
        self, inconsistency: Inconsistency, label_counts: NDArray[np.int64], several: NDArray[np.bool_]
    ) -> Steps:
        n = inconsistency.n_rows

        def with_each(group: tuple[int, ...]) -> NDArray[np.float64]:
            rows = np.full(len(several), n)
            for j in np.flatnonzero(several):
                rows[j] = inconsistency.rows((*group, int(j)))
            return np.asarray(1.0 - rows / n)

        group, _ = best_first(with_each, len(several), label_counts.max() / n, max_stale=self.max_stale)
        scores = np.zeros(len(several))
        steps = []
        before = inconsistency.rows([])
        for i, j in enumerate(group):
            rows = inconsistency.rows(group[: i + 1])
            scores[j] = (before - rows) / n
            steps.append(Step(j, rows / n, scores[j], f"inconsistency {before / n:.6g} to {rows / n:.6g}"))
            before = rows
        return steps, scores
