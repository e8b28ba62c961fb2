"""Mid-ranks of every feature inside each query."""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Array, Floats, Ints, kernel


@kernel
def centred_ranks(X: Array, query_ptr: Ints, first: int, last: int, out: Floats) -> None:
    """Fill out[s, j] with twice the mid-rank of document s minus (n + 1): a whole number, mean 0 in each query.

    Equal values share the mean of their ranks. Rows are counted from the first row of query `first`.
    """
    offset = query_ptr[first]
    for q in range(first, last):
        start, end = query_ptr[q], query_ptr[q + 1]
        n = end - start
        for j in range(X.shape[1]):
            x = X[start:end, j].copy()
            order = np.argsort(x)
            i = 0
            while i < n:
                after = i + 1
                while after < n and x[order[after]] == x[order[i]]:
                    after += 1
                for k in range(i, after):  # ranks i+1..after, their mean doubled is i + 1 + after
                    out[start - offset + order[k], j] = i + after - n
                i = after
