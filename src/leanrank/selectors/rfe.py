"""RankingRFE: train, drop the features the ranker needs least, train again."""

from __future__ import annotations

from dataclasses import field
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._ranker_selector import KINDS, Bench, RankerSelector
from leanrank.selectors.column_limits import ColumnLimits, per_cost
from leanrank.selectors.families import Mask
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step

#: What `step` may be.
STEPS = "a number of features >= 1 or a share in (0, 1)"


@declared
class RankingRFE(RankerSelector):
    r"""Recursive feature elimination with a ranker: what is least important to it goes, whole queries always together.

    Repeat: train on the features left, drop the `step` least important, until one is left. For a linear ranker that is

    .. math:: \arg\min_j |w_j|

    of its weights w, for a booster the least gain. The path is the order of
    elimination reversed; of features dropped together, the more important comes first. With `costs` the feature of
    least importance per what leaving it out saves goes; the last one left of a group saves the group. With a `budget`
    features that it cannot pay at all go first, and the path passes over those that do not fit in what is left of it:
    there may be fewer features than asked for.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None keeps all (the path is what matters).
    importance : {"auto", "coef", "gain", "split", "shap", "permutation", "loss"}
        How a ranker's features are weighed. "coef": absolute weights of a linear ranker, which compare only where
        features have one scale. "gain", "split", "shap": of a booster. "permutation": loss of `metric` when a feature
        is shuffled within each query. "loss": loss of `metric` when it is held at its mean within each query. "auto":
        "coef" of a linear ranker, "gain" of a booster, "permutation" of any other.
    step : int or float
        Features to drop at a time: a number, or a share in (0, 1) of those left.

    Attributes
    ----------
    scores_ : array
        The importance of each feature the last time it was trained on, as a share of the largest then.
    n_trained_ : int
        Rankers trained.

    See Also
    --------
    FilteredRFE, RankingBoruta, BoosterImportance

    Notes
    -----
    K / step trainings, down to the size asked for. With an `eval_set` in `fit`, rankers that stop early stop by it, and
    "permutation", "loss" and "shap" are measured on it instead of the training data. Good with boosters, whose gain
    tells features apart that a filter cannot; near copies share their importance, so one of a pair may go too early:
    put a graph filter before it.

    References
    ----------
    I. Guyon, J. Weston, S. Barnhill, V. Vapnik. Gene selection for cancer classification using support vector machines.
    Machine Learning 46, 2002.

    Examples
    --------
    >>> from leanrank import RankingRFE, make_ranking
    >>> data, truth = make_ranking(30, n_informative=2, n_redundant=0, n_noise=4, random_state=0)
    >>> [truth[j].role for j in RankingRFE(n_features_to_select=2).fit(data).selected_]
    ['informative', 'informative']
    """

    ranker: Any = field(default=None, kw_only=False)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    importance: str = "auto"
    step: int | float = 1
    metric: Any = "ndcg@10"
    random_state: int = 0
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_one_of("importance", KINDS)
        self._require("step", STEPS, is_step(self.step))

    def _search(self, bench: Bench) -> Path:
        limits = self._limits(bench.data.feature_names)
        left = limits.payable()
        gone: list[Step] = []
        shares = np.full(bench.n_features, np.nan)
        self.n_trained_ = 0
        enough = self._wanted(self.n_features_in_) or 0  # the last of these are ordered by the last training
        while n_left := int(left.sum()):
            if n_left > enough or not self.n_trained_:
                weight = bench.importances(np.flatnonzero(left), self.importance, self.metric, self.random_state)
                self.n_trained_ += 1
            largest = weight[left].max()
            shares[left] = weight[left] / largest if largest > 0 else weight[left]
            spare = int((left & ~limits.must_keep).sum()) or n_left
            step = int(self.step) if self.step >= 1 else max(1, int(self.step * n_left))
            n_out = min(step, max(n_left - enough, 1), n_left - 1, spare)
            for _ in range(max(1, n_out)):
                feature = _least_needed(weight, shares, left, limits)
                why = f"importance {shares[feature]:.6g} of the largest among the last {n_left}"
                gone.append(Step(feature, float(shares[feature]), float(shares[feature]), why))
                left[feature] = False
        paid = set(limits.obeyed([step.feature for step in gone[::-1]]).tolist())
        return Path.of([step for step in gone[::-1] if step.feature in paid], bench.n_features, shares)


def is_step(step: Any) -> bool:
    """Whether so many features, or this share of them, can be dropped at a time."""
    whole = not isinstance(step, bool) and isinstance(step, Integral) and int(step) >= 1
    return whole or (isinstance(step, Real) and 0 < float(step) < 1)


def _least_needed(weight: NDArray[np.float64], shares: NDArray[np.float64], left: Mask, limits: ColumnLimits) -> int:
    """The feature of least importance per cost saved; of equals the less important, the dearer, the highest index.

    Those that must be kept go last.
    """
    may = left & ~limits.must_keep
    places = np.flatnonzero(may if may.any() else left)
    saved = limits.saved(left)[places]
    return int(places[np.lexsort((-places, -saved, weight[places], per_cost(shares[places], saved)))[0]])
