"""Correlations of an attribute with a weak order, pair by pair and by scipy; RCDR on lists of orders."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from scipy.stats import rankdata


def grouped(x, tolerance):
    """Values within the tolerance of their neighbour made equal."""
    x = np.asarray(x, dtype=float)
    order = np.argsort(x, kind="stable")
    out = x.copy()
    for before, now in pairwise(order):
        out[now] = out[before] if x[now] - x[before] <= tolerance else x[now]
    return out


def kendall(x, y, *, tau_b, tolerance=0.0):
    x = grouped(x, tolerance)
    net = untied = ordered = 0
    for i in range(len(x)):
        for j in range(i):
            if y[i] == y[j]:
                continue
            ordered += 1
            sign = np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
            net += sign
            untied += sign != 0
    if untied == 0:
        return 0.0, ordered
    return net / (np.sqrt(untied * ordered) if tau_b else ordered), ordered


def spearman(x, y, *, tolerance=0.0):
    a, b = rankdata(grouped(x, tolerance)), rankdata(y)
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def rcdr(X, y, query_ptr, n_components, *, kind="kendall", tau_b=True, by_pairs=False):
    """Components (rows) and norms, the algorithm's four steps as printed; X is taken as it is."""
    X = np.array(X, dtype=float)
    tolerance = 1e-10 * np.ptp(X, axis=0)
    W, norms = [], []
    for _ in range(n_components):
        R, total = np.zeros(X.shape[1]), 0
        for a, b in pairwise(query_ptr):
            pairs = kendall(y[a:b], y[a:b], tau_b=False)[1]
            if pairs == 0:
                continue
            for k in range(X.shape[1]):
                if kind == "kendall":
                    value = kendall(X[a:b, k], y[a:b], tau_b=tau_b, tolerance=tolerance[k])[0]
                else:
                    value = spearman(X[a:b, k], y[a:b], tolerance=tolerance[k])
                R[k] += value * (pairs if by_pairs else 1)
            total += pairs if by_pairs else 1
        direction = R - sum((w * (w @ R) for w in W), np.zeros_like(R))
        if np.linalg.norm(direction) <= 1e-12 * max(1.0, np.linalg.norm(R)):
            break
        w = direction / np.linalg.norm(direction)
        W.append(w)
        norms.append(np.linalg.norm(R) / total)
        X = X - np.outer(X @ w, w)
    return np.array(W), np.array(norms)
