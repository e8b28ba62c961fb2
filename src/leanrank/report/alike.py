"""Which features are alike: clusters, what a chosen feature stands for, and what is drawn of the feature graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.manifold import smacof

from leanrank.stats.copies import Groups
from leanrank.stats.feature_graph import FeatureGraph
from leanrank.stats.graph_layout import cluster_order, clusters, drawn_edges, layout

#: A feature left out counts as replaced by the kept feature most like it, from this similarity on: half way
#: from unrelated features, which have 0, to the same order.
STANDS_FOR = 0.5
#: Rounds of the layout, which improves a start that is already near.
LAYOUT_ROUNDS = 200
#: Features in the heatmap at most, and in the drawing; of more, each group is shown by one of its members.
HEATMAP_FEATURES = 200
DRAWN_FEATURES = 100


def alike(graph: FeatureGraph, path: NDArray[np.int64], n_kept: int, copies: Groups) -> dict[str, Any]:
    """What the report shows of a feature graph, in plain values; features are column numbers.

    `copies` are alike whatever the graph says: it knows nothing of features that are the same in each query.

    `nearest` tells for every feature which feature of the path is most like it, for any number of features kept: a
    list of [position in the path, similarity], each entry in force as soon as that position is among those kept.
    """
    S = graph.similarity.copy()
    S[np.ix_(graph.constant, graph.constant)] = 0.0  # they are alike in telling nothing: none stands for another
    for same in copies:
        S[np.ix_(same, same)] = 1.0
    np.fill_diagonal(S, 1.0)
    group = groups(S)
    kept = path[:n_kept]
    varying = graph if graph.constant.all() else graph.subset(~graph.constant)  # constants have no place in pictures
    columns = np.arange(graph.n_features) if varying is graph else np.flatnonzero(~graph.constant)
    place = np.full(graph.n_features, -1)
    place[columns] = np.arange(len(columns))
    kept_of_these = place[kept][place[kept] >= 0]
    shown = columns[representatives(varying, kept_of_these, HEATMAP_FEATURES)]
    order = shown[cluster_order(S[np.ix_(shown, shown)])]
    drawn = columns[representatives(varying, kept_of_these, DRAWN_FEATURES)]
    position = spread(S[np.ix_(drawn, drawn)])
    return {
        "importance_of": graph.computed_with.get("importance", {}).get("metric", ""),
        "similarity_of": graph.computed_with.get("similarity", {}).get("kind", ""),
        "stands_for_from": STANDS_FOR,
        "importance": np.round(graph.importance, 6).tolist(),
        "cluster": [int(number) or None for number in group],
        "n_clusters": int(group.max()),
        "nearest": nearest(S, path),
        "constant": graph.constant.tolist(),
        "heatmap": {
            "columns": order.tolist(),
            "similarity": np.round(S[np.ix_(order, order)], 3).tolist(),
            "thinned": len(shown) < len(columns),
        },
        "drawing": {
            "columns": drawn.tolist(),
            "x": np.round(position[:, 0], 5).tolist(),
            "y": np.round(position[:, 1], 5).tolist(),
            "edges": [[a, b, round(float(S[drawn[a], drawn[b]]), 3)] for a, b in drawn_edges(S[np.ix_(drawn, drawn)])],
            "thinned": len(drawn) < len(columns),
            "constant": int(graph.constant.sum()) if varying is not graph else 0,
        },
    }


def groups(similarity: NDArray[np.float64]) -> NDArray[np.int64]:
    """Clusters of features alike on average (from `STANDS_FOR` on), numbered from 1, largest first; 0: like no other.

    >>> groups(np.array([[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]]))
    array([1, 0, 1])
    """
    if len(similarity) < 2:
        return np.zeros(len(similarity), dtype=np.int64)
    tree = linkage(squareform(_distance(similarity), checks=False), method="average")
    _, first, label, size = np.unique(
        fcluster(tree, 1 - STANDS_FOR, criterion="distance"), return_index=True, return_inverse=True, return_counts=True
    )
    number = np.zeros(len(size), dtype=np.int64)
    number[np.lexsort((first, -size))] = np.arange(1, len(size) + 1)
    number[size == 1] = 0
    return number[label]


def spread(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """Positions (K, 2) whose distances are as near to 1 - similarity as they can be; the same for the same graph."""
    start, distance = layout(similarity), _distance(similarity)
    if len(similarity) < 3 or not distance.any():
        return start
    # features in one place pull each other nowhere: a little disorder lets them part
    start = start + 0.01 * np.random.default_rng(0).standard_normal(start.shape)
    position, _ = smacof(distance, init=start, n_init=1, max_iter=LAYOUT_ROUNDS, random_state=0)
    return np.asarray(position, dtype=np.float64)


def _distance(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    distance = np.maximum(0.0, 1.0 - similarity)
    np.fill_diagonal(distance, 0.0)
    return distance


def nearest(similarity: NDArray[np.float64], path: NDArray[np.int64]) -> list[list[list[float]]]:
    """For every feature, the records of its similarity to the features of the path, in the order of the path.

    A feature of the path is compared with those before it. The number of records grows like the logarithm of the
    length of the path, so all of this is small.

    >>> S = np.array([[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]])
    >>> nearest(S, np.array([1, 0]))
    [[[0, 0.2]], [], [[0, 0.3], [1, 0.9]]]
    """
    place = np.full(len(similarity), len(path))
    place[path] = np.arange(len(path))
    steps = []
    for j, to_path in enumerate(similarity[:, path]):
        before = to_path[: place[j]]
        best = np.maximum.accumulate(before) if before.size else before
        records = np.flatnonzero(np.diff(best, prepend=-np.inf) > 0)
        steps.append([[int(p), round(float(before[p]), 4)] for p in records])
    return steps


def stands_for(features: list[dict[str, Any]], path: list[int], n_kept: int) -> dict[int, list[tuple[float, int]]]:
    """The features that each of the first `n_kept` of the path stands for, with their similarity, most alike first."""
    standing: dict[int, list[tuple[float, int]]] = {column: [] for column in path[:n_kept]}
    for column, feature in enumerate(features):
        if column in standing:
            continue
        position, similarity = nearest_kept(feature["nearest"], n_kept)
        if similarity >= STANDS_FOR:
            standing[path[position]].append((similarity, column))
    return {column: sorted(others, key=lambda pair: (-pair[0], pair[1])) for column, others in standing.items()}


def nearest_kept(records: list[list[float]], n_kept: int) -> tuple[int, float]:
    """The position and similarity of the nearest of the first `n_kept`; similarity 0 where there is none."""
    in_force = [record for record in records if record[0] < n_kept]
    return (int(in_force[-1][0]), in_force[-1][1]) if in_force else (0, 0.0)


def representatives(graph: FeatureGraph, kept: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """At most `most` features: all, or one of each cluster, the first that is kept or else the most important."""
    if graph.n_features <= most:
        return np.arange(graph.n_features)
    rank = np.lexsort((np.arange(graph.n_features), -graph.importance))
    by_worth = np.concatenate([kept, rank[~np.isin(rank, kept)]])
    group = clusters(graph.similarity, most)
    _, first = np.unique(group[by_worth], return_index=True)
    return np.sort(by_worth[first])
