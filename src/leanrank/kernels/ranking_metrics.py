"""Ranking metrics of sorted documents, query by query and column by column: walk the tie groups.

`gain` is what a document is worth: its DCG gain, 1 or 0 where relevance is binary, or its stop probability (ERR).
Every kernel fills `out` (queries, columns) with the metric before division by what the query allows (ideal gain,
number of relevant documents), which does not depend on the scores.

Arrays: gain (n,); keys, orders and counts as `document_order` leaves them; divisor (positions of the longest query,),
or (n,) by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Floats, Ints, ShortInts, kernel, part

# measures
DISCOUNTED_GAIN, PRECISION_SUM, RECIPROCAL_RANK, CASCADE = 0, 1, 2, 3
KENDALL_A, KENDALL_B, SPEARMAN = 0, 1, 2

# For counters that other functions are called with: a plain 0 is a type of its own, and they would be compiled twice.
_whole: Any = np.int64


@part
def _end_of_ties(key: Any, i: int, m: int) -> int:
    j = i + 1
    while j < m and key[j] == key[i]:
        j += 1
    return j


@kernel
def discounted_gain(
    gain: Floats,
    keys: Floats,
    orders: ShortInts,
    counts: ShortInts,
    query_ptr: Ints,
    k: int,
    expected: bool,
    divisor: Floats,
    by_row: bool,
    out: Floats,
) -> None:
    """sum_p gain(p) / divisor[p], p < k. Expected: a tied document gains the mean of its tie group.

    Divisors are by position, or by position within each query if `by_row`. Divisors rather than factors: LETOR's
    scripts divide, and their last printed digit depends on it.
    """
    for q in range(len(query_ptr) - 1):
        start = query_ptr[q]
        at = start if by_row else 0
        for c in range(len(keys)):
            key, order, m = keys[c, start:], orders[c, start:], _whole(counts[c, q])
            total, i = 0.0, _whole(0)
            while i < min(k, m):
                j = _end_of_ties(key, i, m) if expected else i + 1
                if j == i + 1:
                    total += gain[start + order[i]] / divisor[at + i]
                else:
                    gains, discounts = 0.0, 0.0
                    for t in range(i, j):
                        gains += gain[start + order[t]]
                    if gains > 0.0:
                        for t in range(i, min(j, k)):
                            discounts += 1.0 / divisor[at + t]
                        total += discounts * (gains / (j - i))
                i = j
            out[q, c] = total


@kernel
def precision_sum(
    gain: Floats,
    keys: Floats,
    orders: ShortInts,
    counts: ShortInts,
    query_ptr: Ints,
    k: int,
    expected: bool,
    out: Floats,
) -> None:
    """Sum of P@p over the relevant positions p <= k; tie groups as in McSherry and Najork (2008)."""
    for q in range(len(query_ptr) - 1):
        start = query_ptr[q]
        for c in range(len(keys)):
            key, order, m = keys[c, start:], orders[c, start:], _whole(counts[c, q])
            total, hits, i = 0.0, 0.0, _whole(0)
            while i < min(k, m):
                j = _end_of_ties(key, i, m) if expected else i + 1
                if j == i + 1:
                    hits += gain[start + order[i]]
                    total += gain[start + order[i]] * hits / j  # 0 where not relevant; no branch to mispredict
                else:
                    n, relevant = j - i, 0.0
                    for t in range(i, j):
                        relevant += gain[start + order[t]]
                    if relevant > 0.0:
                        slope = (relevant - 1.0) / (n - 1)
                        for t in range(min(j, k) - i):
                            total += relevant / n * (hits + 1.0 + t * slope) / (i + t + 1)
                        hits += relevant
                i = j
            out[q, c] = total


@kernel
def reciprocal_rank(
    gain: Floats,
    keys: Floats,
    orders: ShortInts,
    counts: ShortInts,
    query_ptr: Ints,
    k: int,
    expected: bool,
    out: Floats,
) -> None:
    """1 / position of the first relevant document, 0 beyond k. In a tie group it is negative hypergeometric."""
    for q in range(len(query_ptr) - 1):
        start = query_ptr[q]
        for c in range(len(keys)):
            key, order, m = keys[c, start:], orders[c, start:], _whole(counts[c, q])
            total, relevant, i = 0.0, 0.0, _whole(0)
            while i < min(k, m) and relevant == 0.0:
                j = _end_of_ties(key, i, m) if expected else i + 1
                for t in range(i, j):
                    relevant += gain[start + order[t]]
                if relevant > 0.0:
                    n = j - i
                    first_here = relevant / n
                    for t in range(min(j, k) - i):
                        total += first_here / (i + t + 1)
                        if t + 1 < n:  # P(first at t+2) / P(first at t+1) = (n - relevant - t) / (n - t - 1)
                            first_here *= (n - relevant - t) / (n - t - 1)
                i = j
            out[q, c] = total


@kernel
def cascade(
    gain: Floats,
    keys: Floats,
    orders: ShortInts,
    counts: ShortInts,
    query_ptr: Ints,
    k: int,
    expected: bool,
    out: Floats,
) -> None:
    """Expected reciprocal rank: sum_p (reading reaches p and stops there) / p.

    In a tie group, let unread[t] be the mean over all t-subsets of the product of (1 - stop probability): the chance
    that a reader passes t documents in random order. One document more makes each mean a convex combination:
    unread'[t] = (1 - t/n) unread[t] + (t/n) (1 - stop) unread[t-1]. Reading stops at t with unread[t-1] - unread[t].
    """
    unread = np.empty(keys.shape[1] + 1)
    for q in range(len(query_ptr) - 1):
        start = query_ptr[q]
        for c in range(len(keys)):
            key, order, m = keys[c, start:], orders[c, start:], _whole(counts[c, q])
            total, reach, i = 0.0, 1.0, _whole(0)
            while i < min(k, m):
                j = _end_of_ties(key, i, m) if expected else i + 1
                if j == i + 1:
                    stop = gain[start + order[i]]
                    total += reach * stop / j
                    reach *= 1.0 - stop
                else:
                    depth, after = min(j, k) - i, 1.0
                    unread[0] = 1.0
                    for t in range(1, depth + 1):
                        unread[t] = 0.0
                    for n in range(1, j - i + 1):
                        passed = 1.0 - gain[start + order[i + n - 1]]
                        after *= passed
                        for t in range(min(n, depth), 0, -1):
                            unread[t] += (passed * unread[t - 1] - unread[t]) * t / n
                    for t in range(1, depth + 1):
                        total += reach * (unread[t - 1] - unread[t]) / (i + t)
                    reach *= after
                i = j
            out[q, c] = total


@kernel
def mean_ndcg_divisor(best: Floats, query_ptr: Ints, divisor: Floats, out: Floats) -> None:
    """Divisors by row that make a discounted gain the mean of NDCG@1..NDCG@n: n d(p) / sum_{j >= p} 1/ideal@j.

    `best` (n,) are the gains of each query, descending.
    """
    for q in range(len(query_ptr) - 1):
        start, end = query_ptr[q], query_ptr[q + 1]
        n, ideal = end - start, 0.0
        for i in range(n):
            ideal += best[start + i] / divisor[i]
            out[start + i] = 1.0 / ideal if ideal > 0.0 else 0.0
        later = 0.0
        for i in range(n - 1, -1, -1):
            later += out[start + i]
            out[start + i] = n * divisor[i] / later if later > 0.0 else np.inf


@part
def _mid_ranks(key: Any, order: Any, n: int, twice_rank: Any) -> float:
    """Twice the mid-ranks (whole numbers, centred at 0) of sorted keys, by document; return their sum of squares."""
    squares, i = 0.0, _whole(0)
    while i < n:
        j = _end_of_ties(key, i, n)
        rank = float(i + j - n)
        for t in range(i, j):
            twice_rank[order[t]] = rank
        squares += rank * rank * (j - i)
        i = j
    return squares


@part
def _concordance(key: Any, order: Any, n: int, level: Any, n_levels: int, above: Any) -> Any:
    """Concordant minus discordant pairs, and pairs with different keys; `above` counts labels (a Fenwick tree)."""
    for level_number in range(n_levels + 1):
        above[level_number] = 0
    balance, untied, i = 0, 0, _whole(0)
    while i < n:  # keys descend: documents already counted in `above` have higher scores
        j = _end_of_ties(key, i, n)
        untied += (j - i) * i
        for t in range(i, j):
            upto, below, at = level[order[t]] + 1, 0, level[order[t]]
            while upto > 0:
                balance -= above[upto]  # label below or equal
                upto -= upto & -upto
            while at > 0:
                below += above[at]
                at -= at & -at
            balance += i - below  # label above or equal; equal ones cancel
        for t in range(i, j):
            at = level[order[t]] + 1
            while at <= n_levels:
                above[at] += 1
                at += at & -at
        i = j
    return balance, untied


@kernel
def rank_correlation(
    measure: int,
    label_keys: Floats,
    label_orders: ShortInts,
    keys: Floats,
    orders: ShortInts,
    query_ptr: Ints,
    out: Floats,
) -> None:
    """Kendall's tau (a or b) or Spearman's rho of labels and scores; NaN for one document, 0 without variation.

    The labels are sorted as one column of scores is.
    """
    longest = 0
    for q in range(len(query_ptr) - 1):
        longest = max(longest, query_ptr[q + 1] - query_ptr[q])
    of_label, of_score = np.empty(longest), np.empty(longest)
    level, above = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    for q in range(len(query_ptr) - 1):
        start, n = query_ptr[q], query_ptr[q + 1] - query_ptr[q]
        if n < 2:
            for c in range(len(keys)):
                out[q, c] = np.nan
            continue
        key, order = label_keys[0, start:], label_orders[0, start:]
        squares = _mid_ranks(key, order, n, of_label)
        n_levels, untied_labels = 0, 0
        for i in range(n):  # labels descend in key: level 0 is the highest, so turn the sign of the balance below
            if i > 0 and key[i] != key[i - 1]:
                n_levels += 1
            level[order[i]] = n_levels
        n_levels += 1
        at = _whole(0)
        while at < n:
            j = _end_of_ties(key, at, n)
            untied_labels += (j - at) * at
            at = j
        for c in range(len(keys)):
            key, order = keys[c, start:], orders[c, start:]
            if measure == SPEARMAN:
                over = squares * _mid_ranks(key, order, n, of_score)
                product = 0.0
                for i in range(n):
                    product += of_label[i] * of_score[i]
                out[q, c] = product / np.sqrt(over) if over > 0.0 else 0.0
            else:
                balance, untied = _concordance(key, order, n, level, n_levels, above)
                pairs = n * (n - 1) / 2.0
                over = pairs * pairs if measure == KENDALL_A else float(untied) * float(untied_labels)
                out[q, c] = -balance / np.sqrt(over) if over > 0.0 else 0.0
