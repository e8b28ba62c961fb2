"""What stands beside what: an order of features, clusters of them, places in a drawing and the edges worth drawing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError

#: Edges drawn at most: more are a grey cloud.
_MOST_EDGES = 400


def cluster_order(similarity: NDArray[np.float64]) -> NDArray[np.int64]:
    """An order of features in which like ones are neighbours (average linkage, optimal leaf order)."""
    from scipy.cluster.hierarchy import leaves_list, optimal_leaf_ordering

    if len(similarity) < 3:
        return np.arange(len(similarity))
    distance = _condensed(similarity)
    tree = _tree(distance)
    if len(similarity) <= 400:  # it costs K^3
        tree = optimal_leaf_ordering(tree, distance)
    return np.asarray(leaves_list(tree), dtype=np.int64)


def clusters(similarity: NDArray[np.float64], n_clusters: int | None = None) -> NDArray[np.int64]:
    """A cluster number per feature, 0.. by first member; the square root of K / 2 clusters if not said."""
    from scipy.cluster.hierarchy import fcluster

    K = len(similarity)
    wanted = max(1, round((K / 2) ** 0.5)) if n_clusters is None else n_clusters
    if not 1 <= wanted <= K:
        raise ParameterError.of("draw", "n_clusters", f"from 1 to the number of features, {K}", n_clusters)
    if K < 2:
        return np.zeros(K, dtype=np.int64)
    labels = fcluster(_tree(_condensed(similarity)), wanted, criterion="maxclust")
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[number], dtype=np.int64)


def layout(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Positions (K, 2) by classical scaling: like features near each other; the same for the same graph."""
    from scipy.spatial.distance import squareform

    squared = squareform(_condensed(similarity)) ** 2
    K = len(squared)
    centring = np.eye(K) - 1.0 / K
    values, vectors = np.linalg.eigh(-0.5 * centring @ squared @ centring)
    positions = np.zeros((K, 2))
    for axis in range(min(2, K)):
        vector = vectors[:, -1 - axis]
        vector = vector * np.sign(vector[np.argmax(np.abs(vector))])  # the sign of an eigenvector is arbitrary
        positions[:, axis] = vector * np.sqrt(max(values[-1 - axis], 0.0))
    return positions


def drawn_edges(similarity: NDArray[np.float64], sigma: float | None = None) -> list[tuple[int, int]]:
    """Pairs (i, j), i < j, to draw, strongest first."""
    first, second = np.triu_indices(len(similarity), k=1)
    strength = similarity[first, second]
    order = np.argsort(-strength, kind="stable")
    if sigma is not None:
        kept = [int(e) for e in order if strength[e] > sigma][:_MOST_EDGES]
    else:
        reached: set[int] = set()
        strongest = []
        for e in order:
            if not {int(first[e]), int(second[e])} <= reached:
                strongest.append(int(e))
                reached |= {int(first[e]), int(second[e])}
        kept = list(dict.fromkeys([*strongest, *order.tolist()]))[: min(2 * len(similarity), _MOST_EDGES)]
    return [(int(first[e]), int(second[e])) for e in kept if strength[e] > 0]


def _condensed(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Distances 1 - similarity of all pairs, never below 0."""
    first, second = np.triu_indices(len(similarity), k=1)
    return np.maximum(0.0, 1.0 - similarity[first, second])


def _tree(distance: NDArray[np.float64]) -> Any:
    from scipy.cluster.hierarchy import linkage

    return linkage(distance, method="average")
