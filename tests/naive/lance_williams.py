"""Agglomerative clustering by the textbook loop: merge the closest two, update distances by Lance and Williams."""

from __future__ import annotations

import numpy as np


def partition(distance, linkage, n_clusters):
    """The clusters (a set of frozensets) after merging down to `n_clusters`."""
    d = np.array(distance, dtype=float)
    if linkage == "ward.D2":
        d = d**2
    clusters = {i: frozenset([i]) for i in range(len(d))}
    while len(clusters) > n_clusters:
        keys = sorted(clusters)
        i, j = min(((a, b) for a in keys for b in keys if a < b), key=lambda pair: d[pair])
        n_i, n_j = len(clusters[i]), len(clusters[j])
        for k in keys:
            if k in (i, j):
                continue
            n_k = len(clusters[k])
            if linkage in ("ward.D", "ward.D2"):
                new = ((n_i + n_k) * d[i, k] + (n_j + n_k) * d[j, k] - n_k * d[i, j]) / (n_i + n_j + n_k)
            elif linkage == "single":
                new = min(d[i, k], d[j, k])
            elif linkage == "complete":
                new = max(d[i, k], d[j, k])
            else:
                new = (n_i * d[i, k] + n_j * d[j, k]) / (n_i + n_j)
            d[i, k] = d[k, i] = new
        clusters[i] = clusters[i] | clusters.pop(j)
    return set(clusters.values())
