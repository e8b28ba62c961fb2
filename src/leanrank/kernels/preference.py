"""Cohen, Schapire and Singer's preferences: which attributes agree with the labels, and a greedy order of documents.

Arrays: weight (K,) of the attributes; balance (n, n) net preferences of the documents of one query; members (any
number,) documents to be ordered, and order of the same length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Floats, kernel


@kernel
def attribute_losses(X: Any, y: Any, query_ptr: Any, first: int, last: int, loss: Any) -> None:
    """Fill loss (Q, K) with 1 - mean over pairs y_u > y_v of R(u, v); R is 1 where x_u > x_v, .5 where equal, else 0.

    The loss of the attribute with its sign turned is 1 - loss. A query without pairs has NaN.
    """
    for q in range(first, last):
        loss[q, :] = 0.0
        pairs = 0
        for u in range(query_ptr[q], query_ptr[q + 1]):
            for v in range(query_ptr[q], query_ptr[q + 1]):
                if y[u] > y[v]:
                    pairs += 1
                    for k in range(X.shape[1]):
                        if X[u, k] < X[v, k]:
                            loss[q, k] += 1.0
                        elif X[u, k] == X[v, k]:
                            loss[q, k] += 0.5
        for k in range(X.shape[1]):
            loss[q, k] = loss[q, k] / pairs if pairs else np.nan


@kernel
def balances(X: Any, weight: Floats, out: Any) -> None:
    """Fill out (n, n) with ``PREF(u, v) - PREF(v, u) = sum_k weight_k sign(x_u - x_v)``."""
    for u in range(X.shape[0]):
        out[u, u] = 0.0
        for v in range(u):
            total = 0.0
            for k in range(X.shape[1]):
                if X[u, k] > X[v, k]:
                    total += weight[k]
                elif X[u, k] < X[v, k]:
                    total -= weight[k]
            out[u, v] = total
            out[v, u] = -total


@kernel
def greedy_order(balance: Any, members: Any, order: Any) -> None:
    """Fill `order` with `members`, best first: repeatedly the one most preferred to those left; of equals the first."""
    n = len(members)
    left = np.ones(n, dtype=np.bool_)
    potential = np.zeros(n)
    for a in range(n):
        for b in range(n):
            potential[a] += balance[members[a], members[b]]
    for place in range(n):
        best = -1
        for a in range(n):
            if left[a] and (best < 0 or potential[a] > potential[best] + 1e-12):
                best = a
        left[best] = False
        order[place] = members[best]
        for a in range(n):
            potential[a] += balance[members[best], members[a]]
