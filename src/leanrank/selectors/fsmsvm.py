"""FSMSVM: the largest weights of FSMRank, then a Ranking SVM on those features alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from leanrank._declared import declared
from leanrank.rankers._base import Ranker
from leanrank.rankers.ranksvm import RankSVM
from leanrank.selectors._ranker_selector import Bench
from leanrank.selectors.fsmrank import FSMRank, Vector, by_weight
from leanrank.selectors.path import Path


@declared
class FSMSVM(FSMRank):
    r"""Rank features by their weight in `FSMRank`; score documents by a `RankSVM` trained on the first of them.

    The order is that of ``|w|``, w the minimum of

    .. math::
        \frac1p \sum_{(i,j)} \max(0,\, 1 - w^\top (x_i - x_j))^2 + \frac{\lambda_1}{2} |w|^\top A |w|
        + \lambda_2\, b^\top |w|

    The weights of FSMRank are shrunken by their prices; those of the Ranking SVM on the features that survive are not.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all. None: the number whose RankSVM ranks the `eval_set` of `fit` best (of equals
        the smallest), or all that have a weight where there is none.
    C : float or sequence of floats
        The C of RankSVM; several need an `eval_set`.

    Attributes
    ----------
    coef_ : array of shape (n_features_in_,)
        Weights of the RankSVM, 0 for features not selected; `predict` ranks by it.
    weights_ : array of shape (n_features_in_,)
        Weights of FSMRank.
    order_ : array
        All features by absolute weight in FSMRank; sizes are nested.
    scores_ : array
        Those weights.

    See Also
    --------
    FSMRank, RankSVM

    Notes
    -----
    FSMRank and a RankSVM, or one for each size tried.

    References
    ----------
    H.-J. Lai, Y. Pan, Y. Tang, R. Yu. FSMRank: feature selection algorithm for learning to rank. IEEE Transactions on
    Neural Networks and Learning Systems 24(6), 2013.

    Examples
    --------
    >>> from leanrank import FSMSVM, make_ranking
    >>> data, truth = make_ranking(40, n_informative=2, n_redundant=0, n_noise=6, random_state=0)
    >>> selector = FSMSVM(2, lambda1=0.01, lambda2=0.01).fit(data)
    >>> sorted({truth[j].role for j in selector.selected_}), int((selector.coef_ != 0).sum())
    (['informative'], 2)
    """

    C: Any = 1.0

    def _new_ranker(self) -> Ranker:
        return RankSVM(self.C, eval_metric=self._way.metric)

    def _conclude(self, bench: Bench, weight: Vector) -> Path:
        path = by_weight(weight, self.graph_)
        wanted, n_used = self._wanted(bench.n_features_in), int((weight != 0).sum())
        if wanted is not None:
            sizes = [min(wanted, bench.n_features)]
        else:
            sizes = [n_used] if bench.valid is None else list(range(1, n_used + 1))
        self.coef_, self.weights_ = np.zeros(bench.n_features_in), np.zeros(bench.n_features_in)
        self.weights_[bench.kept] = weight
        stop, best = 0, -np.inf
        for size in sizes:
            if size == 0:
                continue
            ranker, columns = bench.train(path.order[:size].tolist(), valid=bench.valid)
            quality = 0.0
            if bench.valid is not None:
                quality = round(ranker.score(bench.valid.subset(columns), metric=self._way.metric), 12)
            if stop == 0 or quality > best:
                stop, best = size, quality
                self.coef_[:] = 0.0
                self.coef_[bench.kept[columns]] = ranker.coef_
        return replace(path, stop=stop)
