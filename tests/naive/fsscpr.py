"""FS-SCPR step by step as its paper reads, on lists of documents: Algorithms 1 and 2 with every split tried."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def ranked(values, ties):
    """The place of each document by falling value; equal ones share it, or stand in the order of the file."""
    if ties == "ordinal":
        return [
            sum(other > value or (other == value and j < i) for j, other in enumerate(values))
            for i, value in enumerate(values)
        ]
    return [sum(other > value for other in values) for value in values]


def concordant(a, b, ties="strict"):
    """Equation (2): pairs that both lists put in the same order, of all pairs; "half" counts ties as half a pair."""
    first, second = ranked(a, ties), ranked(b, ties)
    pairs = list(combinations(range(len(a)), 2))
    products = [(first[s] - first[t]) * (second[s] - second[t]) for s, t in pairs]
    tied = 0.5 if ties == "half" else 0.0
    return sum(1.0 if product > 0 else tied if product == 0 else 0.0 for product in products) / len(pairs)


def similarity(queries, ties="strict"):
    """Equation (3): queries are matrices of documents by features."""
    m = queries[0].shape[1]
    return np.array(
        [[np.mean([concordant(q[:, i], q[:, j], ties) for q in queries]) for j in range(m)] for i in range(m)]
    )


def edges(similar, sigma):
    """Equation (4)."""
    m = len(similar)
    return np.array([[similar[i, j] if i != j and similar[i, j] > sigma else 0.0 for j in range(m)] for i in range(m)])


def pagerank(w, p, alpha=0.85):
    """Equation (6), until it has settled; every vertex has an edge."""
    p = p / p.sum()
    passed_on = w / w.sum(axis=1, keepdims=True)
    s = p
    for _ in range(200):
        s = (1 - alpha) * p + alpha * (passed_on.T @ s)
    return s


def rows_of(w, k):
    """Steps 1 to 3 of Algorithm 1; None where the k smallest eigenvectors are not determined."""
    degree = w.sum(axis=1)
    if (degree == 0).any():
        return None
    L = np.eye(len(w)) - w / np.sqrt(np.outer(degree, degree))
    values, vectors = np.linalg.eigh(L)
    if k < len(w) and values[k] - values[k - 1] < 1e-6:
        return None
    X = vectors[:, :k]
    return X / np.sqrt((X**2).sum(axis=1, keepdims=True))


def inertia(Y, members):
    points = Y[list(members)]
    return float(((points - points.mean(axis=0)) ** 2).sum())


def bisecting(Y, k):
    """Step 4: the cluster of largest inertia in two, the best way there is. None where that is a tie."""
    clusters = [tuple(range(len(Y)))]
    while len(clusters) < k:
        by = sorted((inertia(Y, c) for c in clusters), reverse=True)
        if by[0] < 1e-9 or (len(by) > 1 and by[0] - by[1] < 1e-9):
            return None
        worst = max(clusters, key=lambda c: inertia(Y, c))
        first, rest = worst[0], worst[1:]
        splits = []
        for size in range(1, len(rest) + 1):
            for half in combinations(rest, size):
                other = tuple(i for i in worst if i not in half)
                splits.append((inertia(Y, half) + inertia(Y, other), other, half))
        splits.sort(key=lambda split: split[0])
        if len(splits) > 1 and splits[1][0] - splits[0][0] < 1e-9:
            return None
        assert first in splits[0][1]
        clusters.remove(worst)
        clusters += [splits[0][1], splits[0][2]]
    return clusters


def relevance(s, f, members, scale):
    """PageRank as it is, as a share of the largest, or between the least and the largest of the cluster."""
    if scale == "none":
        return s[f]
    if scale == "max":
        return s[f] / max(s)
    low, high = min(s[g] for g in members), max(s[g] for g in members)
    return (s[f] - low) / (high - low) if high > low else 0.0


def representatives(Y, clusters, s, scale="none"):
    """Algorithm 2: of each cluster the feature of the largest mean of relevance and closeness; None for a tie."""
    chosen = []
    for members in clusters:
        worth = {}
        for f in members:
            close = sum(float(Y[f] @ Y[g]) for g in members if g != f)
            worth[f] = 0.5 * relevance(s, f, members, scale) + (
                0.5 * close / (len(members) - 1) if len(members) > 1 else 0.0
            )
        best = sorted(worth.values(), reverse=True)
        if len(best) > 1 and best[0] - best[1] < 1e-9:
            return None
        chosen.append(max(worth, key=worth.__getitem__))
    return sorted(chosen)
