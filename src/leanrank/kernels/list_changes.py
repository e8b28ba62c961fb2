"""Two orders of the same documents, query by query: places, overlap at the top, rank-biased overlap, moves.

Arrays: scores (n,), higher is better; query_ptr (queries + 1,) the offsets of queries; places (n,) count from 1 inside
a query, and equal scores keep the order of the rows. Every kernel fills its output for the queries `first`..`last - 1`.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Floats, Ints, ShortInts, kernel

# columns of the whole numbers and of the others that `list_changes` fills
SHARED, MOVED, FIRST_MOVED, LARGEST_MOVE, UNION, TOTAL_MOVE = range(6)
OVERLAP, REACH, SPREAD = range(3)
N_WHOLE, N_REAL = 6, 3


@kernel
def places(scores: Floats, query_ptr: Ints, first: int, last: int, out: ShortInts) -> None:
    """out[i]: the place of row i in its query, from 1 for the highest score."""
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        order = np.argsort(-scores[a:b], kind="mergesort")
        for place in range(b - a):
            out[a + order[place]] = place + 1


@kernel
def list_changes(
    before: ShortInts,
    after: ShortInts,
    query_ptr: Ints,
    first: int,
    last: int,
    k: int,
    persistence: float,
    whole: Ints,
    real: Floats,
) -> None:
    """What became of the first k places of each query.

    before, after (n,) are places of the same rows. whole (queries, 6): documents in both top k; documents whose place
    changed, all places after k being one; the first place that changed (0: none); the largest move and the sum of moves
    of the documents in either top k, and their number. real (queries, 3), with the discount w(i) = 1 / log2(1 + i), 0
    after k, and c(x) = w(before) - w(after):

        rank-biased overlap   (1 - p) sum_d p^(d-1) |both first d| / d + p^n   (the lists hold the same n documents)
        reach                 the larger of the sums of the positive and of the negative c(x): no gains from 0 to 1
                              change DCG@k by more
        spread                sqrt(sum c(x)^2)
    """
    for q in range(first, last):
        a, b = query_ptr[q], query_ptr[q + 1]
        n = b - a
        complete = np.zeros(n + 1, np.int64)  # documents that are in both of the first d lists from this d on
        shared, moved, first_moved, largest, union, total = 0, 0, 0, 0, 0, 0
        gained, lost, squares = 0.0, 0.0, 0.0
        for i in range(a, b):
            old, new = before[i], after[i]
            complete[max(old, new)] += 1
            if old > k and new > k:
                continue
            move = abs(old - new)
            union += 1
            total += move
            largest = max(largest, move)
            shared += old <= k and new <= k
            if move:
                moved += 1
                top = min(old, new)
                first_moved = top if first_moved == 0 else min(first_moved, top)
                change = 0.0
                if old <= k:
                    change += 1.0 / np.log2(1.0 + old)
                if new <= k:
                    change -= 1.0 / np.log2(1.0 + new)
                squares += change * change
                if change > 0:
                    lost += change
                else:
                    gained -= change
        both, weight, overlap = 0, 1.0 - persistence, 0.0
        for d in range(1, n + 1):
            both += complete[d]
            overlap += weight * both / d
            weight *= persistence
        row = whole[q]
        row[SHARED], row[MOVED], row[FIRST_MOVED] = shared, moved, first_moved
        row[LARGEST_MOVE], row[UNION], row[TOTAL_MOVE] = largest, union, total
        real[q, OVERLAP] = overlap + persistence**n
        real[q, REACH] = max(gained, lost)
        real[q, SPREAD] = np.sqrt(squares)
