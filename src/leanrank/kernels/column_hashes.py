"""Hashes of every column's values and of the order it gives within each query.

Two columns with equal hashes are equal (or order all documents alike) but for a chance of about 2^-64 per pair.
Hashes are sums over documents, so blocks merge by adding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Array, Ints, Words, kernel


@kernel
def mix(x: Any) -> Any:
    """Scramble 64 bits (the finaliser of splitmix64: Steele, Lea and Flood 2014)."""
    x = np.uint64(x)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def hash_columns(X: Array, bits: Array, query_ptr: Ints, salts: Words, hashes: Words, varies: Ints) -> None:
    """Add to `hashes` of each column: its values, its order within queries, the reversed order.

    `bits` are the bits of X as unsigned integers, `salts` a number per query. `varies` counts the queries in which
    a column takes more than one value. A missing value equals any other missing value and has no rank.
    """
    for q in range(len(query_ptr) - 1):
        first = query_ptr[q]
        n = query_ptr[q + 1] - first
        position = np.empty(n, np.uint64)
        for i in range(n):
            position[i] = mix(mix(salts[q] + np.uint64(0x9E3779B97F4A7C15)) + np.uint64(i))
        rank = np.empty(n, np.int64)  # 1 for the lowest value, 0 for missing
        for j in range(X.shape[1]):
            column = X[first : first + n, j].copy()
            order = np.argsort(column)  # NaN sorts last
            top = 0
            for i in range(n):
                x = column[order[i]]
                if np.isnan(x):
                    rank[order[i]] = 0
                else:
                    if top == 0 or x != column[order[i - 1]]:
                        top += 1
                    rank[order[i]] = top
            missing = np.isnan(column[order[n - 1]])
            varies[j] += top > 1 or (top == 1 and missing)
            for i in range(n):
                r = rank[i]
                value = mix(np.uint64(bits[first + i, j]) + np.uint64(0xD1B54A32D192ED03)) if r > 0 else np.uint64(0)
                hashes[0, j] += mix(position[i] + np.uint64(3) * value)
                hashes[1, j] += mix(position[i] + np.uint64(r))
                hashes[2, j] += mix(position[i] + np.uint64(top + 1 - r if r > 0 else 0))


@kernel
def hash_rows(bits: Array, out: Words) -> None:
    """A hash of every row's values, to find equal documents."""
    for i in range(bits.shape[0]):
        h = np.uint64(0)
        for j in range(bits.shape[1]):
            h = mix(h + np.uint64(bits[i, j]) + np.uint64(0x9E3779B97F4A7C15))
        out[i] = h
