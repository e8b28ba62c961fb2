"""FCBF: relevant features, each not better told by a more relevant one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.selectors._pooled import Pooled, SetFilter
from leanrank.selectors.path import Path, Step


def predominant(relevance: NDArray[np.float64], uncertainty: NDArray[np.float64], delta: float) -> list[int]:
    """Features in order of relevance (> delta), less those some better kept one predicts at least as well.

    >>> su = np.array([0.5, 0.4, 0.3])
    >>> predominant(su, np.array([[1, 0.4, 0.2], [0.4, 1, 0.9], [0.2, 0.9, 1]]), 0.0)
    [0, 2]
    """
    kept: list[int] = []
    for q in np.argsort(-relevance, kind="stable"):
        if relevance[q] > delta and all(uncertainty[p, q] < relevance[q] for p in kept):
            kept.append(int(q))
    return kept


@declared
class FCBF(SetFilter):
    r"""Keep the features that no more relevant kept feature predicts as well as they predict the label.

    With ``su_j = SU(f_j, label)``, features with ``su_j > delta`` are walked in descending order; a feature q is
    removed if some kept feature p before it has

    .. math:: SU(f_p, f_q) \ge su_q

    SU being the `SymmetricalUncertainty` of two discretised columns.

    Parameters
    ----------
    n_features_to_select : int, float or None
        The first so many of FCBF's own set; None keeps the set.
    delta : float
        Features with an SU of at most this are irrelevant.

    Attributes
    ----------
    scores_ : array
        su_j of every feature.

    See Also
    --------
    SymmetricalUncertainty, CFS, INTERACT

    Notes
    -----
    Two folds; more where the relevant features have more than 2,896 bins, for then groups of them are counted against
    each other one by one. Memory: as `InformationGain`, then at most 64 MiB. Cost O(rows x relevant features^2). It
    likes very few features: on OHSUMED a single one.

    Alone it is behind random features on OHSUMED (docs/methods_alone.md).

    References
    ----------
    L. Yu, H. Liu. Feature selection for high-dimensional data: a fast correlation-based filter solution. ICML 2003.

    Examples
    --------
    >>> from leanrank import FCBF, RankingData
    >>> A, C, D = [1, 1, 1, 1, 0, 0, 0, 1], [1, 1, 1, 0, 0, 0, 0, 0], [0, 1, 0, 1, 0, 1, 0, 1]
    >>> X = [list(row) for row in zip(A, A, C, D)]
    >>> data = RankingData(X, [1, 1, 1, 1, 0, 0, 0, 0], [0, 8], feature_names=["A", "B", "C", "D"])
    >>> FCBF(discretizer="equal_width").fit(data).get_feature_names_out().tolist()
    ['A', 'C']
    """

    delta: float = 0.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._require_number("delta", "a number in [0, 1]", 0.0, 1.0)

    def _path(self, pooled: Pooled) -> Path:
        relevance = pooled.relevance()
        uncertainty = pooled.uncertainties(relevance > self.delta)
        kept = predominant(relevance, uncertainty, self.delta)
        steps = []
        for i, q in enumerate(kept):
            nearest = max(kept[:i], key=lambda p: uncertainty[p, q], default=None)
            told = 0.0 if nearest is None else float(uncertainty[nearest, q])
            why = f"SU {relevance[q]:.6g} with the label, at most {told:.6g} with those before"
            steps.append(Step(q, float(relevance[q]), float(relevance[q] - told), why))
        steps = self._at_least(steps, relevance, f"no feature's SU with the label exceeds {self.delta:g}")
        return Path.of(steps, len(relevance), relevance)
