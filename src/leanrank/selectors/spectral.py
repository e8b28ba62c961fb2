"""Spectral clustering of a feature graph: eigenvectors of the Laplacian, then bisecting k-means on their rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.metrics import silhouette_score
from threadpoolctl import threadpool_limits

from leanrank.selectors.two_means import halves

# Eigenvalues closer than this share an eigenspace, whose basis is arbitrary.
_SAME = 1e-8


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenvalues, ascending, and eigenvectors (columns) of the normalised Laplacian of a graph."""

    eigenvalues: NDArray[np.float64]
    eigenvectors: NDArray[np.float64]

    @classmethod
    def of(cls, edges: NDArray[np.float64]) -> Spectrum:
        """``L = I - A^{-1/2} W A^{-1/2}``; a vertex without edges gets a zero row, so it is a component of its own."""
        degree = edges.sum(axis=1)
        isolated = degree == 0
        root = np.where(isolated, 0.0, 1 / np.sqrt(np.where(isolated, 1.0, degree)))
        laplacian = np.diag((~isolated).astype(np.float64)) - root[:, None] * edges * root
        values, vectors = eigh(laplacian)
        largest = np.argmax(np.abs(np.round(vectors, 9)), axis=0)
        vectors = vectors * np.where(vectors[largest, np.arange(len(values))] < 0, -1.0, 1.0)
        return cls(np.round(values, 12) + 0.0, vectors)  # + 0.0: no -0.0

    @property
    def n_components(self) -> int:
        return int((self.eigenvalues < _SAME).sum())

    def embedding(self, k: int) -> NDArray[np.float64]:
        """Rows of the first `k` eigenvectors scaled to unit length; a row of zeros stays."""
        rows = self.eigenvectors[:, :k]
        length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        return np.asarray(np.round(np.where(length < 1e-9, 0.0, rows / np.where(length < 1e-9, 1.0, length)), 12))

    def eigengap(self, low: int, high: int) -> int:
        """The k in low..high (below the number of vertices) after which the eigenvalues jump the most."""
        gaps = np.diff(self.eigenvalues)[low - 1 : high]
        return low + int(np.argmax(np.round(gaps, 10)))

    def clusters(self, k: int, *, n_init: int = 10, random_state: int | None = 0) -> NDArray[np.int64]:
        """The cluster of every vertex, by bisecting k-means on the embedding: the cluster of largest inertia is split.

        Points that coincide cannot be split, so there may be fewer than `k` clusters.
        """
        m = len(self.eigenvalues)
        if k >= m:
            return np.arange(m)
        if k == 1:
            return np.zeros(m, dtype=np.int64)
        self._warn_if_arbitrary(k)
        points = self.embedding(k)
        distinct, inverse = np.unique(points, axis=0, return_inverse=True)
        same = np.asarray(inverse, dtype=np.int64).ravel()
        if len(distinct) <= k:
            return same
        with threadpool_limits(1):  # many tiny problems: threads would only wait for each other
            return bisecting(distinct, np.bincount(same).astype(np.float64), k, n_init, random_state)[same]

    def _warn_if_arbitrary(self, k: int) -> None:
        values = self.eigenvalues
        if k < len(values) and values[k] - values[k - 1] < _SAME:
            several = (
                f"the graph has {self.n_components} components" if self.n_components > k else "eigenvalues are equal"
            )
            warnings.warn(
                f"The clustering into {k} is not determined: {several}. Take more clusters, or fewer.",
                UserWarning,
                stacklevel=3,
            )

    def silhouette(self, low: int, high: int, *, n_init: int = 10, random_state: int | None = 0) -> int:
        """The k in low..high whose clusters have the best mean silhouette; the smaller where equal."""
        best, best_k = -np.inf, low
        for k in range(low, high + 1):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # said for the k that is taken
                labels = self.clusters(k, n_init=n_init, random_state=random_state)
            points = self.embedding(k)
            if not 2 <= len(np.unique(labels)) < len(labels):
                continue
            quality = round(float(silhouette_score(points, labels)), 10)
            if quality > best:
                best, best_k = quality, k
        return best_k


def bisecting(
    points: NDArray[np.float64], weight: NDArray[np.float64], k: int, n_init: int, random_state: int | None
) -> NDArray[np.int64]:
    """The cluster of each of the distinct points: that of the largest inertia is split in two until there are `k`.

    Of up to 64 points a split is the best there is, or nearly always; of more, that of 2-means with `n_init` restarts.
    """
    labels = np.zeros(len(points), dtype=np.int64)
    inertia = [_inertia(points, weight)]
    for new in range(1, k):
        rows = np.flatnonzero(labels == int(np.argmax(np.round(inertia, 12))))
        inside, of = points[rows], weight[rows]
        second = halves(inside, of, n_init, random_state)
        old = int(labels[rows[0]])
        labels[rows[second]] = new
        inertia[old] = _inertia(inside[~second], of[~second])
        inertia.append(_inertia(inside[second], of[second]))
    return labels


def _inertia(points: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    if len(points) == 1:
        return -1.0  # nothing to split
    centre = np.average(points, axis=0, weights=weight)
    return float(weight @ ((points - centre) ** 2).sum(axis=1))
