"""Stochastic gradient descent query by query, for losses of the scores: RankNet's and ListNet's, linear or one layer.

An epoch visits the queries in the order given. For each, the scores, the slope of the loss by every score, then one
step along X.T @ slope. CSR rows of a query are laid out densely before a hidden layer sees them.

Arrays: s, slope (documents of a query,) scores and the derivative of the loss by them; target (n,) labels or
probabilities; order (any number,) queries in the order of the visits; w (K,) weights of a linear score; V (H, K), bias
(H,), u (H,) weights of a hidden layer; hidden (documents, H) its values. Weights are changed in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Floats, kernel

RANKNET = 0  # target: labels
LISTNET = 1  # target: top-one probabilities


@kernel
def ranknet_slope(s: Floats, y: Floats, half_ties: bool, slope: Floats) -> float:
    """Mean over pairs of ``log(1 + exp(-(s_i - s_j)))`` where y_i > y_j, and its slope by s.

    With `half_ties`, documents of one label are pairs too, with the target probability 1/2:
    ``-0.5 o + log(1 + exp(o))``, o = s_i - s_j.
    """
    n = len(s)
    slope[:n] = 0.0
    total, pairs = 0.0, 0
    for i in range(n):
        for j in range(n):
            tied = half_ties and i < j and y[i] == y[j]
            if y[i] > y[j] or tied:
                o = s[i] - s[j]
                e = np.exp(-abs(o))
                below = e / (1.0 + e) if o > 0 else 1.0 / (1.0 + e)  # 1 / (1 + exp(o))
                loss = np.log1p(e) + max(-o, 0.0)  # log(1 + exp(-o))
                pull = -below
                if tied:
                    loss += 0.5 * o
                    pull += 0.5
                total += loss
                pairs += 1
                slope[i] += pull
                slope[j] -= pull
    if pairs == 0:
        return 0.0
    for i in range(n):
        slope[i] /= pairs
    return total / pairs


@kernel
def listnet_slope(s: Floats, p: Floats, slope: Floats) -> float:
    """Cross entropy ``-sum p log softmax(s)`` and its slope by s, ``softmax(s) - p``."""
    n = len(s)
    top = s[0]
    for i in range(n):
        top = max(top, s[i])
    norm = 0.0
    for i in range(n):
        slope[i] = np.exp(s[i] - top)
        norm += slope[i]
    log_norm, total = np.log(norm) + top, 0.0
    for i in range(n):
        total += p[i] * (log_norm - s[i])
        slope[i] = slope[i] / norm - p[i]
    return total


@kernel
def slope_of(loss: int, s: Floats, target: Floats, half_ties: bool, slope: Floats) -> float:
    """The loss of one query, and its slope by the scores."""
    if loss == RANKNET:
        return ranknet_slope(s, target, half_ties, slope)
    return listnet_slope(s, target, slope)


@kernel
def softmax_targets(y: Floats, query_ptr: Any, out: Floats) -> None:
    """Top-one probabilities ``softmax(y)`` within each query."""
    for q in range(len(query_ptr) - 1):
        a, b = query_ptr[q], query_ptr[q + 1]
        top = np.max(y[a:b])
        for i in range(a, b):
            out[i] = np.exp(y[i] - top)
        out[a:b] /= np.sum(out[a:b])


@kernel
def dense_linear_epoch(
    loss: int, X: Any, target: Floats, query_ptr: Any, order: Any, rate: float, half_ties: bool, w: Floats
) -> float:
    """One step of length `rate` for every query of `order`; returns the sum of the losses met on the way."""
    total = 0.0
    longest = np.max(np.diff(query_ptr))
    s, slope = np.empty(longest), np.empty(longest)
    for q in order:
        a, b = query_ptr[q], query_ptr[q + 1]
        n = b - a
        for i in range(n):
            s[i] = 0.0
            for k in range(X.shape[1]):
                s[i] += X[a + i, k] * w[k]
        total += slope_of(loss, s[:n], target[a:b], half_ties, slope)
        for i in range(n):
            step = rate * slope[i]
            if step != 0.0:
                for k in range(X.shape[1]):
                    w[k] -= step * X[a + i, k]
    return total


@kernel
def csr_linear_epoch(
    loss: int,
    values: Any,
    columns: Any,
    starts: Any,
    target: Floats,
    query_ptr: Any,
    order: Any,
    rate: float,
    half_ties: bool,
    w: Floats,
) -> float:
    """`dense_linear_epoch` on the rows of a CSR matrix."""
    total = 0.0
    longest = np.max(np.diff(query_ptr))
    s, slope = np.empty(longest), np.empty(longest)
    for q in order:
        a, b = query_ptr[q], query_ptr[q + 1]
        n = b - a
        for i in range(n):
            s[i] = 0.0
            for k in range(starts[a + i], starts[a + i + 1]):
                s[i] += values[k] * w[columns[k]]
        total += slope_of(loss, s[:n], target[a:b], half_ties, slope)
        for i in range(n):
            step = rate * slope[i]
            if step != 0.0:
                for k in range(starts[a + i], starts[a + i + 1]):
                    w[columns[k]] -= step * values[k]
    return total


@kernel
def hidden_scores(X: Any, V: Any, bias: Floats, u: Floats, hidden: Any, s: Floats) -> None:
    """``s = tanh(X V' + bias) u``; V has a row per unit. `hidden` is filled with the units' values."""
    for i in range(X.shape[0]):
        s[i] = 0.0
        for h in range(V.shape[0]):
            z = bias[h]
            for k in range(X.shape[1]):
                z += X[i, k] * V[h, k]
            hidden[i, h] = np.tanh(z)
            s[i] += u[h] * hidden[i, h]


@kernel
def hidden_gradient(X: Any, u: Floats, hidden: Any, slope: Floats, dV: Any, dbias: Floats, du: Floats) -> None:
    """Derivatives by the weights, for the slope by the scores (back-propagation, once for the query)."""
    dV[:, :] = 0.0
    dbias[:] = 0.0
    du[:] = 0.0
    for i in range(X.shape[0]):
        if slope[i] == 0.0:
            continue
        for h in range(len(u)):
            du[h] += slope[i] * hidden[i, h]
            back = slope[i] * u[h] * (1.0 - hidden[i, h] ** 2)
            dbias[h] += back
            for k in range(X.shape[1]):
                dV[h, k] += back * X[i, k]


@kernel
def dense_hidden_epoch(
    X: Any, y: Floats, query_ptr: Any, order: Any, rate: float, half_ties: bool, V: Any, bias: Floats, u: Floats
) -> float:
    """RankNet with one hidden layer: one step for every query of `order`; returns the sum of the losses."""
    total = 0.0
    longest = np.max(np.diff(query_ptr))
    s, slope, hidden = np.empty(longest), np.empty(longest), np.empty((longest, len(u)))
    dV, dbias, du = np.empty_like(V), np.empty_like(bias), np.empty_like(u)
    for q in order:
        a, b = query_ptr[q], query_ptr[q + 1]
        n = b - a
        hidden_scores(X[a:b], V, bias, u, hidden, s)
        total += ranknet_slope(s[:n], y[a:b], half_ties, slope)
        hidden_gradient(X[a:b], u, hidden, slope, dV, dbias, du)
        V -= rate * dV
        bias -= rate * dbias
        u -= rate * du
    return total


@kernel
def lay_out(values: Any, columns: Any, starts: Any, a: int, b: int, out: Any) -> None:
    """Rows a..b-1 of a CSR matrix, densely."""
    out[: b - a] = 0.0
    for i in range(a, b):
        for k in range(starts[i], starts[i + 1]):
            out[i - a, columns[k]] += values[k]


@kernel
def csr_hidden_epoch(
    values: Any,
    columns: Any,
    starts: Any,
    y: Floats,
    query_ptr: Any,
    order: Any,
    rate: float,
    half_ties: bool,
    V: Any,
    bias: Floats,
    u: Floats,
) -> float:
    """`dense_hidden_epoch` on the rows of a CSR matrix."""
    total = 0.0
    rows = np.empty((np.max(np.diff(query_ptr)), V.shape[1]))
    one = np.zeros(1, dtype=np.int64)
    for q in order:
        a, b = query_ptr[q], query_ptr[q + 1]
        lay_out(values, columns, starts, a, b, rows)
        own = np.array([0, b - a])
        total += dense_hidden_epoch(rows[: b - a], y[a:b], own, one, rate, half_ties, V, bias, u)
    return total
