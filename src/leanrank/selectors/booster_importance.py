"""BoosterImportance: train once on everything, keep what the ranker made most use of."""

from __future__ import annotations

from dataclasses import field
from typing import Any

import numpy as np

from leanrank._declared import declared
from leanrank.selectors._ranker_selector import KINDS, Bench, RankerSelector
from leanrank.selectors.path import Path


@declared
class BoosterImportance(RankerSelector):
    r"""Features by their importance to one ranker trained on all of them.

    For a booster the gain of all splits on the feature, for a linear ranker the size of its weight, for any other what
    the metric M loses on average over queries when the feature's values are shuffled within each query:

    .. math:: I_j = \frac1{|Q|} \sum_q M(y_q, f(X_q)) - M(y_q, f(X_q^{(j)}))

    Parameters
    ----------
    kind : {"auto", "gain", "split", "shap", "permutation", "loss", "coef"}
        "gain": gain of the splits on a feature. "split": their number. "shap": mean absolute SHAP value.
        "permutation": loss of `metric` when the feature is shuffled within each query. "loss": loss of `metric` when it
        is held at its mean within each query. "coef": absolute weight in a linear ranker. "auto": "gain" of a booster,
        "coef" of a linear ranker, "permutation" of any other.

    Attributes
    ----------
    scores_ : array
        The importance.

    See Also
    --------
    RankingRFE, RelevanceMRMR, RankingBoruta

    Notes
    -----
    One training. With an `eval_set` in `fit`, the ranker may stop early by it, and SHAP values, permutation and loss
    are measured on it. The usual baseline in practice, and strong where features are raw and many; copies of a feature
    share its importance, and all of them may be kept.

    References
    ----------
    L. Breiman. Random forests. Machine Learning 45, 2001 (permutation).
    S. M. Lundberg, S.-I. Lee. A unified approach to interpreting model predictions. NIPS 2017 (SHAP).

    Examples
    --------
    >>> from leanrank import BoosterImportance, make_ranking
    >>> data, truth = make_ranking(30, n_informative=2, n_redundant=0, n_noise=4, random_state=0)
    >>> [truth[j].role for j in BoosterImportance(n_features_to_select=2, kind="permutation").fit(data).selected_]
    ['informative', 'informative']
    """

    ranker: Any = field(default=None, kw_only=False)
    n_features_to_select: int | float | None = field(default=None, kw_only=False)
    kind: str = "auto"
    metric: Any = "ndcg@10"
    random_state: int = 0

    def _check_parameters(self) -> None:
        self._require_one_of("kind", KINDS)

    def _search(self, bench: Bench) -> Path:
        weight = bench.importances(np.arange(bench.n_features), self.kind, self.metric, self.random_state)
        return Path.by_score(weight, reason="importance" if self.kind == "auto" else self.kind)
