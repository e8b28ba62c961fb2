"""CFS: a set of features that tell the label but not each other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.errors import ParameterError
from leanrank.selectors._pooled import Pooled, SetFilter
from leanrank.selectors.path import Path, Step
from leanrank.selectors.set_search import best_first

_EXHAUSTIVE_LIMIT = 15
_TIE = 1e-12

Matrix = NDArray[np.float64]


def merit(group: Sequence[int], relevance: Matrix, uncertainty: Matrix) -> float:
    """sum r_ci / sqrt(k + 2 sum_{i<j} r_ij), 0 for the empty set.

    >>> round(float(merit([0, 1], np.array([0.5, 0.5]), np.array([[1.0, 0.0], [0.0, 1.0]]))), 6)
    0.707107
    """
    if not len(group):
        return 0.0
    chosen = np.asarray(group)
    among = uncertainty[np.ix_(chosen, chosen)].sum() - uncertainty[chosen, chosen].sum()
    return np.round(relevance[chosen].sum() / np.sqrt(len(chosen) + among), 12)  # type: ignore[no-any-return]


def merits_with(group: tuple[int, ...], relevance: Matrix, uncertainty: Matrix) -> Matrix:
    """Merit of the set with each feature added, for all features at once."""
    chosen = np.array(group, dtype=np.int64)
    among = uncertainty[np.ix_(chosen, chosen)].sum() - uncertainty[chosen, chosen].sum()
    width = len(chosen) + 1 + among + 2.0 * uncertainty[:, chosen].sum(axis=1)
    return np.asarray(np.round((relevance[chosen].sum() + relevance) / np.sqrt(width), 12))


def _greedy(relevance: Matrix, uncertainty: Matrix) -> tuple[int, ...]:
    group: tuple[int, ...] = ()
    best = 0.0
    while len(group) < len(relevance):
        merits = merits_with(group, relevance, uncertainty)
        merits[list(group)] = -np.inf
        i = int(np.argmax(merits))
        if merits[i] <= best + _TIE:
            break
        group, best = (*group, i), float(merits[i])
    return group


def _exhaustive(relevance: Matrix, uncertainty: Matrix) -> tuple[int, ...]:
    """The best of all sets: the smallest of equal ones, then the first in lexicographic order."""
    best: tuple[int, ...] = ()
    best_merit = 0.0
    for size in range(1, len(relevance) + 1):
        for group in combinations(range(len(relevance)), size):
            value = merit(group, relevance, uncertainty)
            if value > best_merit + _TIE:
                best, best_merit = group, value
    return tuple(sorted(best, key=lambda j: (-relevance[j], j)))


def _locally_predictive(group: tuple[int, ...], relevance: Matrix, uncertainty: Matrix) -> list[int]:
    """Other features in descending relevance, each told less by any member (the new ones too) than it tells."""
    members, added = list(group), []
    for j in np.argsort(-relevance, kind="stable"):
        if j in group or relevance[j] <= 0.0:
            continue
        if (uncertainty[members, j] <= relevance[j]).all():
            members.append(int(j))
            added.append(int(j))
    return added


@declared
class CFS(SetFilter):
    r"""Search the set with the largest correlation with the label against the correlation inside it.

    .. math:: \mathrm{Merit}(S) = \frac{\sum_{i \in S} r_{ci}}{\sqrt{k + 2 \sum_{i<j} r_{ij}}}

    where every r is a symmetrical uncertainty of discretised values over the rows of all queries together.

    Parameters
    ----------
    n_features_to_select : int, float or None
        The first so many of CFS's own set, in the order they were added; None keeps the set.
    search : {"best_first", "greedy", "exhaustive"}
        Forward best-first with `max_stale` fruitless expansions; forward until the merit no longer grows; or all
        sets, for at most 15 features.
    max_stale : int
        See `best_first`.
    locally_predictive : bool
        Afterwards add features, in descending r_c, that no member tells better than they tell the label.
    weka_zero_rule : bool
        Count a feature-feature uncertainty of exactly 0 as 1, as WEKA does.

    Attributes
    ----------
    scores_ : array
        r_c of every feature.
    merit_ : float
        Merit of the set found by the search.

    See Also
    --------
    FCBF, Consistency

    Notes
    -----
    Folds and memory as `FCBF`, with all features for the relevant ones; then a search on the matrix of uncertainties,
    8 K^2 bytes. Each expansion costs ``O(K |S|)``.

    Alone it is behind random features on OHSUMED (docs/methods_alone.md).

    References
    ----------
    M. Hall. Correlation-based feature selection for discrete and numeric class machine learning. ICML 2000.

    Examples
    --------
    >>> from leanrank import CFS, RankingData
    >>> A, C, D = [1, 1, 1, 1, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0, 0, 0], [0, 1, 0, 1, 0, 1, 0, 1]
    >>> X = [list(row) for row in zip(A, A, C, D)]
    >>> data = RankingData(X, [1, 1, 1, 1, 0, 0, 0, 0], [0, 8], feature_names=["A", "B", "C", "D"])
    >>> cfs = CFS(discretizer="equal_width").fit(data)
    >>> cfs.get_feature_names_out().tolist(), round(cfs.merit_, 6)
    (['A', 'C'], 0.679982)
    """

    search: str = "best_first"
    max_stale: int = 5
    locally_predictive: bool = True
    weka_zero_rule: bool = False

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_one_of("search", ("best_first", "greedy", "exhaustive"))
        self._require_whole("max_stale", 1)

    def _path(self, pooled: Pooled) -> Path:
        relevance = pooled.relevance()
        uncertainty = pooled.uncertainties(np.ones(pooled.n_features, dtype=bool))
        if self.weka_zero_rule:
            uncertainty[uncertainty == 0.0] = 1.0
        group = self._search(relevance, uncertainty)
        self.merit_ = float(merit(group, relevance, uncertainty))
        steps, before = [], 0.0
        for i, j in enumerate(group):
            now = float(merit(group[: i + 1], relevance, uncertainty))
            steps.append(Step(j, float(relevance[j]), now - before, f"merit {before:.6g} to {now:.6g}"))
            before = now
        if self.locally_predictive:
            for j in _locally_predictive(group, relevance, uncertainty):
                now = float(merit([*(step.feature for step in steps), j], relevance, uncertainty))
                steps.append(Step(j, float(relevance[j]), now - before, "locally predictive"))
                before = now
        steps = self._at_least(steps, relevance, "no feature tells anything about the label")
        return Path.of(steps, len(relevance), relevance)

    def _search(self, relevance: Matrix, uncertainty: Matrix) -> tuple[int, ...]:
        n_features = len(relevance)
        if self.search == "greedy":
            return _greedy(relevance, uncertainty)
        if self.search == "exhaustive":
            if n_features > _EXHAUSTIVE_LIMIT:
                raise ParameterError(
                    f"The 'search' parameter of CFS can be 'exhaustive' for at most {_EXHAUSTIVE_LIMIT} features; "
                    f"there are {n_features} that vary. Use 'best_first'."
                )
            return _exhaustive(relevance, uncertainty)

        def with_each(group: tuple[int, ...]) -> Matrix:
            return merits_with(group, relevance, uncertainty)

        return best_first(with_each, n_features, 0.0, max_stale=self.max_stale)[0]
