"""Charts of a feature graph: the clustered heatmap and the drawing of nodes and edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leanrank._optional import require
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    import altair

    from leanrank.stats.feature_graph import FeatureGraph

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


def heatmap(graph: FeatureGraph) -> altair.Chart:
    """Similarity of all pairs, like features beside each other."""
    alt = require("altair", "A chart of the feature graph")
    order = [graph.feature_names[j] for j in cluster_order(graph.similarity)]
    rows = [
        {"feature": a, "other": b, "similarity": round(float(graph.similarity[i, j]), 6)}
        for i, a in enumerate(graph.feature_names)
        for j, b in enumerate(graph.feature_names)
    ]
    signed = bool((graph.similarity < 0).any())
    scale = alt.Scale(scheme="redblue", domain=[-1, 1]) if signed else alt.Scale(scheme="viridis", domain=[0, 1])
    side = max(240, min(900, 14 * graph.n_features))
    chart: altair.Chart = (
        alt.Chart(alt.Data(values=rows), title=_title(graph), width=side, height=side)
        .mark_rect()
        .encode(
            x=alt.X("other:N", sort=order, title=None),
            y=alt.Y("feature:N", sort=order, title=None),
            color=alt.Color("similarity:Q", scale=scale),
            tooltip=["feature:N", "other:N", alt.Tooltip("similarity:Q", format=".4f")],
        )
    )
    return chart


def draw(graph: FeatureGraph, *, n_clusters: int | None = None, sigma: float | None = None) -> altair.LayerChart:
    """Nodes sized by importance and coloured by cluster, joined where similarity is above `sigma`.

    Without `sigma`, each feature's strongest edge is drawn, and the strongest of all others: twice as many edges
    as features.
    """
    alt = require("altair", "A chart of the feature graph")
    position, cluster = layout(graph.similarity), clusters(graph.similarity, n_clusters)
    nodes = [
        {"feature": name, "x": x, "y": y, "importance": importance, "cluster": int(number)}
        for name, (x, y), importance, number in zip(
            graph.feature_names, position.round(6).tolist(), graph.importance.tolist(), cluster, strict=True
        )
    ]
    edges = [
        {"x": nodes[i]["x"], "y": nodes[i]["y"], "x2": nodes[j]["x"], "y2": nodes[j]["y"],
         "similarity": round(float(graph.similarity[i, j]), 6),
         "edge": f"{graph.feature_names[i]} ~ {graph.feature_names[j]}"}
        for i, j in drawn_edges(graph.similarity, sigma)
    ]  # fmt: skip
    axis: dict[str, Any] = {"axis": None, "scale": alt.Scale(zero=False, padding=20)}
    x, y = alt.X("x:Q", **axis), alt.Y("y:Q", **axis)
    strength = alt.Opacity("similarity:Q", scale=alt.Scale(range=[0.05, 0.6]), legend=None)
    shown = alt.Tooltip("similarity:Q", format=".4f")
    lines = (
        alt.Chart(alt.Data(values=edges))
        .mark_rule(color="#888888")
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q", opacity=strength, tooltip=["edge:N", shown])
    )
    base = alt.Chart(alt.Data(values=nodes)).encode(x=x, y=y)
    points = base.mark_circle(opacity=0.9).encode(
        size=alt.Size("importance:Q", scale=alt.Scale(zero=False, range=[30, 600])),
        color=alt.Color("cluster:N", scale=alt.Scale(scheme="tableau20")),
        tooltip=["feature:N", alt.Tooltip("importance:Q", format=".4f"), "cluster:N"],
    )
    labels = base.mark_text(dy=-12, fontSize=10).encode(text="feature:N")
    chart: altair.LayerChart = alt.layer(lines, points, labels)
    return chart.properties(width=640, height=480, title=_title(graph))


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


def _title(graph: FeatureGraph) -> str:
    queries = f" over {graph.n_queries:,} queries" if graph.n_queries else ""
    return f"{graph.n_features:,} features{queries}"
