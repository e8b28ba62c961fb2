"""The obvious forms of the similarities: loops over pairs of documents."""

from __future__ import annotations

from itertools import combinations, pairwise
from math import sqrt

import numpy as np


def sign(x: float) -> int:
    return int(x > 0) - int(x < 0)


def kendall(a, b, ties: str) -> float:
    """Similarity of two features in one query of at least two documents."""
    n = len(a)
    pairs = n * (n - 1) / 2
    if ties == "ordinal":  # equal values: the earlier row ranks first
        place_a, place_b = np.argsort(np.argsort(-a, kind="stable")), np.argsort(np.argsort(-b, kind="stable"))
        return kendall(-place_a, -place_b, "strict")
    concordant = discordant = tied_a = tied_b = 0
    for s, t in combinations(range(n), 2):
        product = sign(a[s] - a[t]) * sign(b[s] - b[t])
        concordant += product > 0
        discordant += product < 0
        tied_a += a[s] == a[t]
        tied_b += b[s] == b[t]
    if ties == "strict":
        return concordant / pairs
    if ties == "half":
        return (1 + (concordant - discordant) / pairs) / 2
    spread = sqrt((pairs - tied_a) * (pairs - tied_b))
    return (1 + (concordant - discordant) / spread) / 2 if spread else 0.5


def cosine_of_signs(X, query_ptr) -> np.ndarray:
    """Cosine of the vectors of +1, 0, -1 of all pairs of documents, each query having weight 1; empty vectors alike."""
    K, rows = X.shape[1], []
    for start, end in pairwise(query_ptr):
        pairs = list(combinations(range(start, end), 2))
        rows += [[sign(X[s, j] - X[t, j]) / sqrt(len(pairs)) for j in range(K)] for s, t in pairs]
    V = np.array(rows)
    cosine = np.zeros((K, K))
    for i in range(K):
        for j in range(K):
            lengths = np.linalg.norm(V[:, i]) * np.linalg.norm(V[:, j])
            both_empty = not V[:, i].any() and not V[:, j].any()
            cosine[i, j] = V[:, i] @ V[:, j] / lengths if lengths else float(both_empty)
    return cosine


def tau_ap(judged, reference) -> float:
    """Yilmaz et al. (2008): both are values, higher first, equal ones in the order of rows."""
    order = np.argsort(-np.asarray(judged), kind="stable")
    place = np.argsort(np.argsort(-np.asarray(reference), kind="stable"))
    n = len(order)
    total = 0.0
    for i in range(1, n):
        above = sum(place[order[k]] < place[order[i]] for k in range(i))
        total += above / i
    return 2 / (n - 1) * total - 1


def mean_matrix(X, query_ptr, of_pair) -> np.ndarray:
    """Mean over queries of at least two documents of `of_pair(a, b)`; zeros if there are none."""
    K = X.shape[1]
    total, counted = np.zeros((K, K)), 0
    for start, end in pairwise(query_ptr):
        if end - start < 2:
            continue
        counted += 1
        for i in range(K):
            for j in range(K):
                total[i, j] += of_pair(X[start:end, i], X[start:end, j])
    return total / max(counted, 1)
