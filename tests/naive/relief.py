"""The Relief family as triple loops over documents, neighbours and features."""

from __future__ import annotations

import math
from itertools import pairwise
from statistics import median


def distance(x, z, width, metric="manhattan"):
    diffs = [abs(a - b) / w if w else 0.0 for a, b, w in zip(x, z, width, strict=True)]
    return round(sum(d * d for d in diffs) if metric == "euclidean" else sum(diffs), 10)


def ranges(X, *, scale):
    return [max(column) - min(column) if scale else 1.0 for column in zip(*X, strict=True)]


def groups(n, query_ptr, scope):
    if scope == "global":
        return [list(range(n))] * n
    owner = []
    for a, b in pairwise(query_ptr):
        owner += [list(range(a, b))] * (b - a)
    return owner


def near(X, i, candidates, k, width, metric):
    return sorted((z for z in candidates if z != i), key=lambda z: (distance(X[i], X[z], width, metric), z))[:k]


def relief_f(
    X, y, query_ptr, k, *, scope="query", scale=True, metric="manhattan", factor=None, skip=True, visited=None
):
    """`factor(c, C)` is what a miss counts; 1 is ReliefF, log2(1 + |C - c|) RankFilter."""
    n, n_features = len(X), len(X[0])
    width = ranges(X, scale=scale)
    share = {c: y.count(c) / n for c in set(y)}
    weights, m = [0.0] * n_features, 0
    for i, candidates in enumerate(groups(n, query_ptr, scope)):
        if visited is not None and i not in visited:
            continue
        if scope == "query" and skip and len({y[z] for z in candidates}) < 2:
            continue
        m += 1
        for c in share:
            found = near(X, i, [z for z in candidates if y[z] == c], k, width, metric)
            for z in found:
                for j in range(n_features):
                    diff = abs(X[i][j] - X[z][j]) / width[j] if width[j] else 0.0
                    if c == y[i]:
                        weights[j] -= diff / len(found)
                    else:
                        miss = share[c] / (1 - share[y[i]]) * (factor(y[i], c) if factor else 1.0)
                        weights[j] += miss * diff / len(found)
    return [w / m for w in weights]


def level_factor(c, other):
    return math.log2(1 + abs(c - other))


def by_rank(n, sigma):
    raw = [1.0 if sigma is None else math.exp(-((r / sigma) ** 2)) for r in range(1, n + 1)]
    return [value / sum(raw) for value in raw]


def r_relief_f(X, y, query_ptr, k, *, sigma=None, scope="query", scale=True):
    n, n_features = len(X), len(X[0])
    width, label_width = ranges(X, scale=scale), max(y) - min(y)
    of_label, of_feature, of_both, m = 0.0, [0.0] * n_features, [0.0] * n_features, 0
    for i, candidates in enumerate(groups(n, query_ptr, scope)):
        found = near(X, i, candidates, k, width, "manhattan")
        m += bool(found)
        for z, d in zip(found, by_rank(len(found), sigma), strict=True):
            dy = abs(y[i] - y[z]) / label_width if label_width else 0.0
            of_label += dy * d
            for j in range(n_features):
                diff = abs(X[i][j] - X[z][j]) / width[j] if width[j] else 0.0
                of_feature[j] += diff * d
                of_both[j] += dy * diff * d
    if of_label == 0 or m - of_label <= 1e-12:
        return [0.0] * n_features
    return [b / of_label - (a - b) / (m - of_label) for a, b in zip(of_feature, of_both, strict=True)]


def rank_wrapper(X, s, query_ptr, k, *, sigma=None, scope="query", scale=True, normalise=None, metric="manhattan"):
    """Sums, and the number of documents with a neighbour."""
    n, n_features = len(X), len(X[0])
    width = ranges(X, scale=scale)
    weights, m = [0.0] * n_features, 0
    for i, candidates in enumerate(groups(n, query_ptr, scope)):
        found = near(X, i, candidates, k, width, metric)
        if not found:
            continue
        m += 1
        apart = [abs(s[i] - s[z]) for z in found]
        middle = median(apart)
        by = {None: 1.0, "median": middle, "max": max(apart)}[normalise]
        for z, delta, d in zip(found, apart, by_rank(len(found), sigma), strict=True):
            for j in range(n_features):
                diff = abs(X[i][j] - X[z][j]) / width[j] if width[j] else 0.0
                weights[j] += (delta - middle) / by * d * diff if by else 0.0
    return weights, m
