"""FS-SCPR: spectral clustering of the features, then biased PageRank to choose one of each cluster."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.errors import require, require_one_of
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.pagerank import BiasedPageRank, biased_pagerank
from leanrank.selectors.path import Path, Step
from leanrank.selectors.spectral import Spectrum
from leanrank.stats.feature_graph import FeatureGraph

AUTOMATIC = ("eigengap", "silhouette")


@dataclass(frozen=True)
class Clustering:
    """Settings of the spectral clustering of `FSSCPR`.

    Parameters
    ----------
    k_min : int, default=2
        The fewest clusters of "eigengap" and "silhouette".
    k_max : int or None, default=None
        The most; None is half the features, rounded up.
    centrality : {"cosine", "edge"}, default="cosine"
        Whether a feature is central in its cluster by the rows of Y, or by the edges.
    n_init : int, default=10
        Restarts of each 2-means of more than 64 features; fewer are split without drawing anything.

    See Also
    --------
    FSSCPR, BiasedPageRank

    Examples
    --------
    >>> from leanrank import Clustering, FSSCPR
    >>> FSSCPR("silhouette", clustering=Clustering(k_min=3, k_max=9)).clustering.k_max
    9
    """

    k_min: int = 2
    k_max: int | None = None
    centrality: str = "cosine"
    n_init: int = 10

    def check(self) -> None:
        """Refuse what cannot be."""
        require(self, "k_min", ">= 1", self.k_min >= 1)
        require(self, "k_max", f">= k_min, {self.k_min}", self.k_max is None or self.k_max >= self.k_min)
        require_one_of(self, centrality=("cosine", "edge"))
        require(self, "n_init", ">= 1", self.n_init >= 1)


@dataclass(frozen=True, eq=False)
class ClusterPath(Path):
    """A path with the clusters it was chosen from."""

    clusters: tuple[NDArray[np.int64], ...] = ()
    relevance: NDArray[np.float64] = None  # type: ignore[assignment]
    eigenvalues: NDArray[np.float64] = None  # type: ignore[assignment]

    def lift(self, kept: NDArray[np.int64], n_features: int) -> ClusterPath:
        path = super().lift(kept, n_features)
        relevance = np.full(n_features, np.nan)
        relevance[kept] = self.relevance
        clusters = tuple(np.sort(kept[cluster]) for cluster in self.clusters)
        return ClusterPath(path.order, path.scores, path.trace, path.dropped, clusters, relevance, self.eigenvalues)


@declared
class FSSCPR(GraphSelector):
    r"""Cluster features that order documents alike; of each cluster keep the one most relevant and most central.

    1. Edges ``w_ij = sim_ij`` where ``sim_ij > sigma`` and above 0, else 0.
    2. Rows y of the first k eigenvectors of the Laplacian, scaled to unit length; bisecting k-means on them:

       .. math:: L = I - A^{-1/2} W A^{-1/2}, \qquad A \text{ the degrees}

    3. Biased PageRank, p being the importance scaled to sum 1:

       .. math:: s_i = (1 - \alpha)\, p_i + \alpha \sum_j \frac{w_{ji}}{\sum_l w_{jl}}\, s_j

    4. Of each cluster C keep

       .. math::
           \arg\max_{f \in C}\; \frac{s_f}{2} + \frac{1}{2 (|C| - 1)} \sum_{g \in C, g \ne f} \langle y_f, y_g \rangle

    Parameters
    ----------
    n_features_to_select : int, float, "eigengap", "silhouette" or None
        Clusters, one feature each: a number, a share of all features, or found in `clustering` from the largest
        gap of the eigenvalues or the best silhouette. None is "eigengap".
    sigma : float
        Similarity up to this is no edge.
    importance : str or object
        The preference p, as `feature_graph` takes it; where some are negative (a loss), p counts from the smallest.
    edge_scale : {"fraction", "tau"}
        Edges from similarity on the scale of a fraction of pairs, [0, 1], 0.5 where unrelated; or on [-1, 1], so that
        `sigma` cuts unrelated and opposed features.
    clustering : Clustering or None
        How the families are told apart; None is ``Clustering()``.
    pagerank : BiasedPageRank or None
        How relevance flows between features; None is ``BiasedPageRank()``.
    random_state : int
        Seed of k-means; up to 64 features nothing depends on it.

    Attributes
    ----------
    order_ : array
        The selected features, most relevant first. Sizes are not nested: `select(k)` clusters anew.
    clusters_ : list of arrays
        The features of each cluster, in the order of `order_`.
    n_clusters_ : int
    relevance_ : array
        PageRank s of every feature, NaN where dropped.
    eigenvalues_ : array
        Those of the Laplacian, ascending.
    scores_ : array
        The criterion of step 4, which decides inside clusters.
    trace_ : list of dict
        One record per cluster: who won (`feature`), with which `score`, by how much (`gain`), over whom (`reason`).

    See Also
    --------
    HCAS, GAS

    Notes
    -----
    O(K^3) after the graph. Use it where families of features are clear and one of each is wanted, noise included:
    weak families get a representative too.

    Alone, with its defaults, it is behind random features on OHSUMED, the MSLR sample and FLUCCS
    (docs/methods_alone.md).

    References
    ----------
    J.-Y. Yeh, C.-J. Tsai. Graph-based feature selection method for learning to rank using spectral clustering for
    redundancy minimization and biased PageRank for relevance analysis. Computer Science and Information Systems, 2022.
    A. Ng, M. Jordan, Y. Weiss. On spectral clustering. NIPS 2001.

    Examples
    --------
    >>> from leanrank import FSSCPR, FeatureGraph
    >>> similarity = [[1, 0.9, 0.2, 0.1, 0.05], [0.9, 1, 0.2, 0.1, 0.05], [0.2, 0.2, 1, 0.8, 0.05],
    ...               [0.1, 0.1, 0.8, 1, 0.05], [0.05, 0.05, 0.05, 0.05, 1]]
    >>> selector = FSSCPR(3).fit_graph(FeatureGraph([0.5, 0.4, 0.3, 0.45, 0.2], similarity))
    >>> selector.get_support(indices=True)
    array([0, 2, 4])
    >>> [cluster.tolist() for cluster in selector.clusters_]
    [[2, 3], [0, 1], [4]]
    """

    n_features_to_select: Any = field(default="eigengap", kw_only=False)
    sigma: float = 0.1
    edge_scale: str = "fraction"
    clustering: Clustering | None = None
    pagerank: BiasedPageRank | None = None
    random_state: int = 0

    def _check_parameters(self) -> None:
        self._require_number("sigma", "a number")
        self._require_one_of("edge_scale", ("fraction", "tau"))
        self._require("clustering", "a Clustering or None", isinstance(self._families, Clustering))
        self._require("pagerank", "a BiasedPageRank or None", isinstance(self._flow, BiasedPageRank))
        self._families.check()
        self._flow.check()
        if isinstance(self.n_features_to_select, str):
            self._require_one_of("n_features_to_select", AUTOMATIC)

    @property
    def _families(self) -> Clustering:
        return Clustering() if self.clustering is None else self.clustering

    @property
    def _flow(self) -> BiasedPageRank:
        return BiasedPageRank() if self.pagerank is None else self.pagerank

    def _wanted(self, n_features: int) -> int | None:
        return None if isinstance(self.n_features_to_select, str) else super()._wanted(n_features)

    def _learn(self, path: Path) -> None:
        super()._learn(path)
        assert isinstance(path, ClusterPath)
        self.clusters_ = list(path.clusters)
        self.n_clusters_ = len(path.clusters)
        self.relevance_ = path.relevance
        self.eigenvalues_ = path.eigenvalues

    def _select_size(self, graph: FeatureGraph, size: int | None) -> Path:
        # In an order of the features' own, so that eigenvectors and k-means do not depend on that of the columns.
        own_order = np.lexsort((np.round(np.sort(graph.similarity, axis=1).sum(axis=1), 9), -graph.importance))
        ordered = graph.subset(own_order)
        return self._cluster_and_rank(ordered, size, own_order).lift(own_order, len(own_order))

    def _cluster_and_rank(self, graph: FeatureGraph, size: int | None, column: NDArray[np.int64]) -> ClusterPath:
        similarity = graph.similarity
        if graph.signed != (self.edge_scale == "tau"):
            similarity = (1 + similarity) / 2 if graph.signed else 2 * similarity - 1
        edges = np.where(similarity > self.sigma, np.maximum(similarity, 0.0), 0.0)
        np.fill_diagonal(edges, 0.0)
        preference = graph.importance - min(0.0, float(graph.importance.min()))
        families, flow = self._families, self._flow
        s = biased_pagerank(edges, preference, alpha=flow.alpha, redistribute=flow.dangling == "redistribute")
        spectrum = Spectrum.of(edges)
        k = self._automatic_size(spectrum) if size is None else size
        labels = spectrum.clusters(k, n_init=families.n_init, random_state=self.random_state)
        if families.centrality == "edge":
            likeness = edges
        else:
            Y = spectrum.embedding(k) if 1 < k < len(s) else np.ones((len(s), 1))
            likeness = Y @ Y.T
        scores, won = np.full(len(s), np.nan), []
        for label in np.unique(labels):
            C = np.flatnonzero(labels == label)
            scores[C] = np.round(0.5 * self._scaled(s, C) + 0.5 * _centrality(likeness, C), 12)
            won.append(C[np.lexsort((column[C], -s[C], -scores[C]))])
        won.sort(key=lambda C: (-round(float(s[C[0]]), 12), column[C[0]]))
        steps = [_step(graph.feature_names, C, scores, number, len(won)) for number, C in enumerate(won, start=1)]
        path = Path.of(steps, len(s), scores)
        return ClusterPath(path.order, scores, path.trace, path.dropped, tuple(won), s, spectrum.eigenvalues)

    def _automatic_size(self, spectrum: Spectrum) -> int:
        m = len(spectrum.eigenvalues)
        if m == 1:
            return 1
        way = self._families
        low = min(int(way.k_min), m - 1)
        high = max(low, min(-(-m // 2) if way.k_max is None else int(way.k_max), m - 1))
        if self.n_features_to_select == "silhouette":
            return spectrum.silhouette(low, high, n_init=way.n_init, random_state=self.random_state)
        return spectrum.eigengap(low, high)

    def _scaled(self, s: NDArray[np.float64], C: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._flow.scale == "max":
            return np.asarray(s[C] / s.max()) if s.max() > 0 else s[C]
        if self._flow.scale == "cluster_minmax":
            spread = float(np.ptp(s[C]))
            return np.asarray((s[C] - s[C].min()) / spread) if spread > 0 else np.zeros(len(C))
        return np.asarray(s[C])


def _centrality(likeness: NDArray[np.float64], C: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean likeness of each feature of `C` to the others of it; 0 for a feature alone."""
    if len(C) == 1:
        return np.zeros(1)
    inside = likeness[np.ix_(C, C)]
    return np.asarray((inside.sum(axis=1) - np.diag(inside)) / (len(C) - 1))


def _step(names: tuple[str, ...], C: NDArray[np.int64], scores: NDArray[np.float64], number: int, of: int) -> Step:
    winner, score = int(C[0]), float(scores[C[0]])
    if len(C) == 1:
        return Step(winner, score, score, f"alone in cluster {number} of {of}")
    margin = score - float(scores[C[1]])
    members = ", ".join(names[j] for j in C[:6]) + (", ..." if len(C) > 6 else "")
    why = f"wins cluster {number} of {of} ({members}) by {margin:.6g} over {names[C[1]]!r}"
    return Step(winner, score, margin, why)
