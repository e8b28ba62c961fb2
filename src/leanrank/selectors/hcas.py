"""HCAS: cluster the features, take the most important of each cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform

from leanrank._declared import declared
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph

LINKAGES = ("ward.D", "ward.D2", "single", "average", "complete")


@declared
class HCAS(GraphSelector):
    """Cut a tree of features into as many clusters as features are wanted; take the most important of each.

    The tree is agglomerative, on the distance

    .. math:: d_{ij} = 1 - |s_{ij}|

    where s is the similarity of two features. From one cluster more to the next one cluster is
    cut in two, and the best of the whole is the best of one half: the sets are nested, and the path takes at each cut
    the best of the other half.

    Parameters
    ----------
    linkage : {"ward.D", "ward.D2", "single", "average", "complete"}
        "ward.D" is Ward's update on the distances as they are (R's "ward", which the authors used); "ward.D2" squares
        them first (scipy's "ward").

    Attributes
    ----------
    scores_ : array
        The importance: it decides inside clusters.
    trace_ : list of dict
        `gain` is the height of the cut that set the feature free.

    See Also
    --------
    NGAS, XGAS, FSSCPR

    Notes
    -----
    O(K^2) for the tree, O(K) for the path. Clusters of noise are represented like any other: give it few clusters, or
    drop worthless features first.

    References
    ----------
    A. Gigli, C. Lucchese, F. M. Nardini, R. Perego. Fast feature selection for learning to rank. ICTIR 2016.
    F. Murtagh, P. Legendre. Ward's hierarchical agglomerative clustering method. Journal of Classification 31, 2014.

    Examples
    --------
    >>> from leanrank import HCAS, FeatureGraph
    >>> similarity = [[1, 0.9, 0.1, 0.3], [0.9, 1, 0.2, 0.4], [0.1, 0.2, 1, 0.8], [0.3, 0.4, 0.8, 1]]
    >>> HCAS(2).fit_graph(FeatureGraph([0.5, 0.45, 0.3, 0.4], similarity)).selected_
    array([0, 3])
    """

    linkage: str = "ward.D"
    importance: Any = "ndcg@10"

    def _check_parameters(self) -> None:
        self._require_one_of("linkage", LINKAGES)

    def _select(self, graph: FeatureGraph) -> Path:
        relevance, names = graph.importance, graph.feature_names
        m = len(relevance)
        tree = _tree(1 - np.abs(graph.similarity), self.linkage) if m > 1 else np.empty((0, 4))
        best = list(range(m))  # the most important feature below each node: leaves first, then merges in their order
        for left, right in tree[:, :2].astype(int):
            best.append(min(best[left], best[right], key=lambda j: (-relevance[j], j)))
        root = best[-1]
        steps = [Step(root, float(relevance[root]), float("inf"), "most important of all")]
        for node in range(len(tree) - 1, -1, -1):
            left, right = tree[node, :2].astype(int)
            part = right if best[left] == best[m + node] else left
            size = 1 if part < m else int(tree[part - m, 3])
            kin = "alone" if size == 1 else f"most important of {size}"
            why = f"{kin}, cut from the cluster of {names[best[m + node]]!r} at height {tree[node, 2]:.6g}"
            steps.append(Step(best[part], float(relevance[best[part]]), float(tree[node, 2]), why))
        return Path.of(steps, m, relevance)


def _tree(distance: NDArray[np.float64], kind: str) -> NDArray[np.float64]:
    """Scipy's linkage matrix; ward.D(d) is ward.D2(sqrt(d)) with heights squared (Murtagh & Legendre 2014)."""
    condensed = squareform(np.clip(distance, 0, None), checks=False)
    if kind == "ward.D":
        tree = linkage(np.sqrt(condensed), "ward")
        tree[:, 2] **= 2
    else:
        tree = linkage(condensed, "ward" if kind == "ward.D2" else kind)
    return np.asarray(tree, dtype=np.float64)
