"""SVM-MAP's separation oracle: for given scores, the ranking that violates its constraint the most, query by query."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Flags, Floats, kernel


@kernel
def most_violated(
    s: Floats, relevant: Flags, query_ptr: Any, first: int, last: int, coefficient: Floats, loss: Floats
) -> None:
    """Find the ranking that maximises ``1 - AP + w.Psi`` for every query (Yue et al. 2007).

    Non-relevant document number j (by score) goes right before relevant number opt_j, the i that maximises the sum over
    k = i..r of ``(1/r) (j/(j+k) - (j-1)/(j+k-1)) - 2 (s_k - s_j)/(r n)``; opt_j never falls as j grows.

    coefficient : filled with c such that ``Psi(true) - Psi(found) = X.T @ c`` over the query's rows.
    loss : filled with 1 - AP of the ranking found; NaN for a query without relevant, or without other, documents.
    """
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        coefficient[a:b] = 0.0
        order = np.argsort(-s[a:b], kind="mergesort") + a
        good = order[relevant[order]]
        bad = order[~relevant[order]]
        r, n = len(good), len(bad)
        if r == 0 or n == 0:
            loss[q] = np.nan
            continue
        overtaken = np.zeros(r + 2)  # overtaken[i]: non-relevant documents placed right before relevant number i
        for j in range(1, n + 1):
            total, best, place = 0.0, 0.0, r + 1
            for i in range(r, 0, -1):
                gain = (j / (j + i) - (j - 1) / (j + i - 1)) / r
                total += gain - 2.0 * (s[good[i - 1]] - s[bad[j - 1]]) / (r * n)
                if total > best:
                    best, place = total, i
            overtaken[place] += 1.0
            coefficient[bad[j - 1]] = -2.0 * (r - place + 1) / (r * n)
        ahead, precision = 0.0, 0.0
        for i in range(1, r + 1):
            ahead += overtaken[i]
            precision += i / (i + ahead)
            coefficient[good[i - 1]] = 2.0 * ahead / (r * n)
        loss[q] = 1.0 - precision / r
