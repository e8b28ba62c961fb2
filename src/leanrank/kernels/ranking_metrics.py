"""Ranking metrics, query by query and score column by score column: sort once, walk the tie groups.

`gain` is what a document is worth: its DCG gain, 1 or 0 where relevance is binary, or its stop probability (ERR).
Every kernel fills `out` (queries, columns) for the queries `first`..`last - 1` with the metric before division by
what the query allows (ideal gain, number of relevant documents), which does not depend on the scores.

Arrays: gain (n,); scores (n, columns); divisor (positions of the longest query,) or (n,) by row. Inside a query: key
and order hold the scores and the documents as they are sorted; spare_key and spare_order are scratch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Array, Floats, Ints, kernel

# measures
DISCOUNTED_GAIN, PRECISION_SUM, RECIPROCAL_RANK, CASCADE = 0, 1, 2, 3
KENDALL_A, KENDALL_B, SPEARMAN = 0, 1, 2
# how tied documents are ordered
EXPECTED, INPUT, BEST, WORST = 0, 1, 2, 3

_RUN = 64  # documents ranked by counting; longer lists are merged from such runs
_LANES = 16  # counted lists are padded to a multiple, so that the compiler's vector loop leaves no remainder
_SELECT = 8  # take the top k by selection where the query has at least this many times k documents
_SPARE = 2 * _RUN + _LANES  # room the sort needs beyond the list


@kernel
def _sort_by_insertion(key: Any, order: Any, n: int) -> None:
    for i in range(1, n):
        value, document, j = key[i], order[i], i - 1
        while j >= 0 and key[j] < value:
            key[j + 1], order[j + 1] = key[j], order[j]
            j -= 1
        key[j + 1], order[j + 1] = value, document


@kernel
def _sort_by_counting(key: Any, order: Any, n: int, copy: Any, documents: Any, filled: Any) -> None:
    """A document's place is the number of larger keys: n^2 comparisons, but eight at a time and no branch."""
    padded = (n + _LANES - 1) // _LANES * _LANES
    for i in range(n):
        copy[i], documents[i], filled[i] = key[i], order[i], 0
    for i in range(n, padded):
        copy[i] = -np.inf
    for i in range(n):
        value, larger = copy[i], 0
        for j in range(padded):
            larger += copy[j] > value
        place = larger + filled[larger]
        filled[larger] += 1
        key[place], order[place] = value, documents[i]


@kernel
def _merge(key: Any, order: Any, start: int, middle: int, end: int, to_key: Any, to_order: Any) -> None:
    i, j, to = start, middle, start
    while i < middle and j < end:
        left = key[i] >= key[j]
        to_key[to] = key[i] if left else key[j]
        to_order[to] = order[i] if left else order[j]
        i += left
        j += not left
        to += 1
    while i < middle:
        to_key[to], to_order[to] = key[i], order[i]
        i += 1
        to += 1
    while j < end:
        to_key[to], to_order[to] = key[j], order[j]
        j += 1
        to += 1


@kernel
def _sort_descending(key: Any, order: Any, n: int, spare_key: Any, spare_order: Any) -> None:
    """Sort key[:n] descending and carry `order` along; equal keys keep their order."""
    for start in range(0, n, _RUN):
        length = min(_RUN, n - start)
        if length < _LANES:
            _sort_by_insertion(key[start:], order[start:], length)
        else:
            _sort_by_counting(key[start:], order[start:], length, spare_key, spare_order, spare_order[_RUN:])
    at_key, at_order, to_key, to_order = key, order, spare_key, spare_order
    width, in_spare = _RUN, False
    while width < n:
        for start in range(0, n, 2 * width):
            _merge(at_key, at_order, start, min(start + width, n), min(start + 2 * width, n), to_key, to_order)
        at_key, at_order, to_key, to_order = to_key, to_order, at_key, at_order
        width *= 2
        in_spare = not in_spare
    if in_spare:
        key[:n], order[:n] = spare_key[:n], spare_order[:n]


@kernel
def _top_values(values: Any, n: int, k: int, top: Any) -> None:
    """top[:k] = the k largest of values[:n], descending (k <= n)."""
    for i in range(k):
        top[i] = -np.inf
    for i in range(n):
        value = values[i]
        if value > top[k - 1]:
            j = k - 1
            while j > 0 and top[j - 1] < value:
                top[j] = top[j - 1]
                j -= 1
            top[j] = value


@kernel
def _rank(column: Any, n: int, k: int, key: Any, order: Any, spare_key: Any, spare_order: Any) -> int:
    """Sort the documents of at least the first k positions, tie groups whole; return how many."""
    m = 0
    if k * _SELECT <= n:
        _top_values(column, n, k, spare_key)
        last = spare_key[k - 1]
        for i in range(n):
            if column[i] >= last:
                key[m], order[m] = column[i], i
                m += 1
    else:
        m = n
        for i in range(n):
            key[i], order[i] = column[i], i
    _sort_descending(key, order, m, spare_key, spare_order)
    return m


@kernel
def _end_of_ties(key: Any, i: int, m: int) -> int:
    j = i + 1
    while j < m and key[j] == key[i]:
        j += 1
    return j


@kernel
def _arrange_ties(key: Any, order: Any, m: int, gain: Any, ties: int, spare_key: Any, spare_order: Any) -> None:
    """Put tied documents in order of gain: best first (BEST) or worst first (WORST)."""
    sign = 1.0 if ties == BEST else -1.0
    i = 0
    while i < m:
        j = _end_of_ties(key, i, m)
        if j > i + 1:
            value = key[i]
            for t in range(i, j):
                key[t] = sign * gain[order[t]]
            _sort_descending(key[i:j], order[i:j], j - i, spare_key, spare_order)
            key[i:j] = value
        i = j


@kernel
def _discounted_gain(key: Any, order: Any, m: int, gain: Any, k: int, expected: bool, divisor: Any) -> float:
    """sum_p gain(p) / divisor[p], p < k. Expected: a tied document gains the mean of its tie group."""
    total, i = 0.0, 0
    while i < min(k, m):
        j = _end_of_ties(key, i, m) if expected else i + 1
        if j == i + 1:
            total += gain[order[i]] / divisor[i]
        else:
            gains, discounts = 0.0, 0.0
            for t in range(i, j):
                gains += gain[order[t]]
            if gains > 0.0:
                for t in range(i, min(j, k)):
                    discounts += 1.0 / divisor[t]
                total += discounts * (gains / (j - i))
        i = j
    return total


@kernel
def _precision_sum(key: Any, order: Any, m: int, gain: Any, k: int, expected: bool) -> float:
    """Sum of P@p over the relevant positions p <= k; tie groups as in McSherry and Najork (2008)."""
    total, hits, i = 0.0, 0.0, 0
    while i < min(k, m):
        j = _end_of_ties(key, i, m) if expected else i + 1
        if j == i + 1:
            hits += gain[order[i]]
            total += gain[order[i]] * hits / j  # 0 where not relevant; no branch to mispredict
        else:
            n, relevant = j - i, 0.0
            for t in range(i, j):
                relevant += gain[order[t]]
            if relevant > 0.0:
                slope = (relevant - 1.0) / (n - 1)
                for t in range(min(j, k) - i):
                    total += relevant / n * (hits + 1.0 + t * slope) / (i + t + 1)
                hits += relevant
        i = j
    return total


@kernel
def _reciprocal_rank(key: Any, order: Any, m: int, gain: Any, k: int, expected: bool) -> float:
    """1 / position of the first relevant document, 0 beyond k. In a tie group it is negative hypergeometric."""
    i = 0
    while i < min(k, m):
        j = _end_of_ties(key, i, m) if expected else i + 1
        relevant = 0.0
        for t in range(i, j):
            relevant += gain[order[t]]
        if relevant > 0.0:
            n, total = j - i, 0.0
            first_here = relevant / n
            for t in range(min(j, k) - i):
                total += first_here / (i + t + 1)
                if t + 1 < n:  # P(first at t+2) / P(first at t+1) = (n - relevant - t) / (n - t - 1)
                    first_here *= (n - relevant - t) / (n - t - 1)
            return total
        i = j
    return 0.0


@kernel
def _cascade(key: Any, order: Any, m: int, gain: Any, k: int, expected: bool, unread: Any) -> float:
    """Expected reciprocal rank: sum_p (reading reaches p and stops there) / p.

    In a tie group, let unread[t] be the mean over all t-subsets of the product of (1 - stop probability): the chance
    that a reader passes t documents in random order. One document more makes each mean a convex combination:
    unread'[t] = (1 - t/n) unread[t] + (t/n) (1 - stop) unread[t-1]. Reading stops at t with unread[t-1] - unread[t].
    """
    total, reach, i = 0.0, 1.0, 0
    while i < min(k, m):
        j = _end_of_ties(key, i, m) if expected else i + 1
        if j == i + 1:
            stop = gain[order[i]]
            total += reach * stop / j
            reach *= 1.0 - stop
        else:
            depth, after = min(j, k) - i, 1.0
            unread[: depth + 1] = 0.0
            unread[0] = 1.0
            for n in range(1, j - i + 1):
                passed = 1.0 - gain[order[i + n - 1]]
                after *= passed
                for t in range(min(n, depth), 0, -1):
                    unread[t] += (passed * unread[t - 1] - unread[t]) * t / n
            for t in range(1, depth + 1):
                total += reach * (unread[t - 1] - unread[t]) / (i + t)
            reach *= after
        i = j
    return total


@kernel
def ranked_metric(
    measure: int,
    gain: Floats,
    scores: Array,
    query_ptr: Ints,
    first: int,
    last: int,
    k: int,
    ties: int,
    divisor: Floats,
    by_row: bool,
    out: Floats,
) -> None:
    """Fill `out` with `measure`; `divisor` of a gain is by position, or by position within each query if `by_row`.

    Divisors rather than factors: LETOR's scripts divide, and their last printed digit depends on it.
    """
    longest = 0
    for q in range(first, last):
        longest = max(longest, query_ptr[q + 1] - query_ptr[q])
    column, key, spare_key = np.empty(longest), np.empty(longest), np.empty(longest + _SPARE)
    order, spare_order = np.empty(longest, np.int32), np.empty(longest + _SPARE, np.int32)
    for q in range(first, last):
        start, end = query_ptr[q], query_ptr[q + 1]
        n, of_query = end - start, gain[start:end]
        divide_by = divisor[start:end] if by_row else divisor
        for c in range(scores.shape[1]):
            for i in range(n):
                column[i] = scores[start + i, c]
            m = _rank(column, n, min(k, n), key, order, spare_key, spare_order)
            if ties in (BEST, WORST):
                _arrange_ties(key, order, m, of_query, ties, spare_key, spare_order)
            expected = ties == EXPECTED
            if measure == DISCOUNTED_GAIN:
                out[q, c] = _discounted_gain(key, order, m, of_query, k, expected, divide_by)
            elif measure == PRECISION_SUM:
                out[q, c] = _precision_sum(key, order, m, of_query, k, expected)
            elif measure == RECIPROCAL_RANK:
                out[q, c] = _reciprocal_rank(key, order, m, of_query, k, expected)
            else:
                out[q, c] = _cascade(key, order, m, of_query, k, expected, spare_key)


@kernel
def ideal_gain(gain: Floats, query_ptr: Ints, first: int, last: int, k: int, divisor: Floats, out: Floats) -> None:
    """out[q] = the discounted gain of the best order, cut at k."""
    longest = 0
    for q in range(first, last):
        longest = max(longest, query_ptr[q + 1] - query_ptr[q])
    key, spare_key = np.empty(longest), np.empty(longest + _SPARE)
    order, spare_order = np.empty(longest, np.int32), np.empty(longest + _SPARE, np.int32)
    for q in range(first, last):
        n, total = query_ptr[q + 1] - query_ptr[q], 0.0
        depth = min(k, n)
        if depth * _SELECT <= n:
            _top_values(gain[query_ptr[q] :], n, depth, key)
        else:
            key[:n] = gain[query_ptr[q] : query_ptr[q + 1]]
            _sort_descending(key, order, n, spare_key, spare_order)
        for i in range(depth):
            total += key[i] / divisor[i]
        out[q] = total


@kernel
def mean_ndcg_divisor(gain: Floats, query_ptr: Ints, first: int, last: int, divisor: Floats, out: Floats) -> None:
    """Divisors by row that make a discounted gain the mean of NDCG@1..NDCG@n: n d(p) / sum_{j >= p} 1/ideal@j."""
    for q in range(first, last):
        start, end = query_ptr[q], query_ptr[q + 1]
        best = -np.sort(-gain[start:end])
        n, ideal = end - start, 0.0
        for i in range(n):
            ideal += best[i] / divisor[i]
            out[start + i] = 1.0 / ideal if ideal > 0.0 else 0.0
        later = 0.0
        for i in range(n - 1, -1, -1):
            later += out[start + i]
            out[start + i] = n * divisor[i] / later if later > 0.0 else np.inf


@kernel
def _mid_ranks(key: Any, order: Any, n: int, twice_rank: Any) -> float:
    """Twice the mid-ranks (whole numbers, centred at 0) of sorted keys, by document; return their sum of squares."""
    squares, i = 0.0, 0
    while i < n:
        j = _end_of_ties(key, i, n)
        rank = float(i + j - n)
        for t in range(i, j):
            twice_rank[order[t]] = rank
        squares += rank * rank * (j - i)
        i = j
    return squares


@kernel
def _concordance(key: Any, order: Any, n: int, level: Any, n_levels: int, above: Any) -> Any:
    """Concordant minus discordant pairs, and pairs with different keys; `above` counts labels (a Fenwick tree)."""
    above[: n_levels + 1] = 0
    balance, untied, i = 0, 0, 0
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
    measure: int, y: Floats, scores: Array, query_ptr: Ints, first: int, last: int, out: Floats
) -> None:
    """Kendall's tau (a or b) or Spearman's rho of labels and scores; NaN for one document, 0 without variation."""
    longest = 0
    for q in range(first, last):
        longest = max(longest, query_ptr[q + 1] - query_ptr[q])
    column, key, spare_key = np.empty(longest), np.empty(longest), np.empty(longest + _SPARE)
    order, spare_order = np.empty(longest, np.int32), np.empty(longest + _SPARE, np.int32)
    of_label, of_score = np.empty(longest), np.empty(longest)
    level, above = np.empty(longest, np.int64), np.empty(longest + 1, np.int64)
    for q in range(first, last):
        start, n = query_ptr[q], query_ptr[q + 1] - query_ptr[q]
        if n < 2:
            out[q] = np.nan
            continue
        _rank(y[start:], n, n, key, order, spare_key, spare_order)
        squares = _mid_ranks(key, order, n, of_label)
        n_levels, untied_labels = 0, 0
        for i in range(n):  # labels descend in key: level 0 is the highest, so turn the sign of the balance below
            if i > 0 and key[i] != key[i - 1]:
                n_levels += 1
            level[order[i]] = n_levels
        n_levels += 1
        i = 0
        while i < n:
            j = _end_of_ties(key, i, n)
            untied_labels += (j - i) * i
            i = j
        for c in range(scores.shape[1]):
            for i in range(n):
                column[i] = scores[start + i, c]
            _rank(column, n, n, key, order, spare_key, spare_order)
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
