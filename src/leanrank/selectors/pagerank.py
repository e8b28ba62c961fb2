"""Biased PageRank on a weighted graph of features: relevance that neighbours lend each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve

from leanrank.errors import require, require_one_of


@dataclass(frozen=True)
class BiasedPageRank:
    """Settings of the relevance of `FSSCPR`: how much neighbours lend each other, and what becomes of it.

    Parameters
    ----------
    alpha : float, default=0.85
        Damping, in [0, 1): how much neighbours count against a feature's own importance.
    dangling : {"leak", "redistribute"}, default="leak"
        Whether the share of a feature without edges is lost, or returned to all by p.
    scale : {"cluster_minmax", "max", "none"}, default="cluster_minmax"
        PageRank stretched to [0, 1] inside each cluster, over its maximum, or as it is: then it mostly breaks ties,
        being near 1/K. The paper adds it as it is; the default makes the better features of the three
        (docs/method_defaults.md).

    See Also
    --------
    FSSCPR, Clustering

    Examples
    --------
    >>> from leanrank import FSSCPR, BiasedPageRank
    >>> FSSCPR(3, pagerank=BiasedPageRank(scale="max")).pagerank.alpha
    0.85
    """

    alpha: float = 0.85
    dangling: str = "leak"
    scale: str = "cluster_minmax"

    def check(self) -> None:
        """Refuse what cannot be."""
        require(self, "alpha", ">= 0 and < 1", 0 <= self.alpha < 1)
        require_one_of(self, dangling=("leak", "redistribute"), scale=("none", "max", "cluster_minmax"))


def biased_pagerank(
    edges: NDArray[np.float64],
    preference: NDArray[np.float64],
    *,
    alpha: float = 0.85,
    redistribute: bool = False,
    tolerance: float = 1e-10,
    max_iterations: int = 1000,
) -> NDArray[np.float64]:
    """The fixed point of ``s_i = (1 - alpha) p_i + alpha sum_j (w_ji / sum_l w_jl) s_j``, by power iteration.

    p is `preference` scaled to sum 1 (uniform if it is all 0). A vertex without edges passes nothing on: s then sums
    to less than 1, unless `redistribute` returns its share to all by p. Where the iteration has not settled to
    `tolerance` (alpha very near 1), the linear equations are solved instead.

    Examples
    --------
    >>> biased_pagerank(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([3.0, 1.0]), alpha=0.5).round(6)
    array([0.583333, 0.416667])
    """
    m = len(preference)
    total = float(preference.sum())
    p = preference / total if total > 0 else np.full(m, 1 / m)
    degree = edges.sum(axis=1)
    isolated = degree == 0
    passed_on = edges / np.where(isolated, 1.0, degree)  # column j: what j gives to each neighbour
    if redistribute:
        passed_on = np.where(isolated, p[:, None], passed_on)
    s = p
    for _ in range(max_iterations):
        following = (1 - alpha) * p + alpha * (passed_on @ s)
        change = float(np.abs(following - s).sum())
        s = following
        if change < tolerance:
            return s
    return np.asarray(solve(np.eye(m) - alpha * passed_on, (1 - alpha) * p))
