"""Hashes of every column's values and of the order it gives within each query.

Two columns with equal hashes are equal (or order all documents alike) but for a chance of about 2^-64 per pair.
Hashes are sums over documents, so blocks merge by adding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.kernels._jit import Array, Floats, Ints, ShortInts, Words, kernel, part


@part
def _mix(x: Any) -> Any:
    """Scramble 64 bits (the finaliser of splitmix64: Steele, Lea and Flood 2014)."""
    x = np.uint64(x)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def hash_columns(
    X: Floats,
    bits: Words,
    keys: Floats,
    orders: ShortInts,
    query_ptr: Ints,
    salts: Words,
    rank: Ints,
    hashes: Words,
    varies: Ints,
) -> None:
    """Add to `hashes` of each column: its values, its order within queries, the reversed order.

    `bits` are the bits of X as unsigned integers, `salts` a number per query; `keys` and `orders` are its columns as
    `document_order` sorts them, with anything in the place of missing values. `varies` counts the queries in which a
    column takes more than one value, `rank` is scratch for the longest query. A missing value equals any other missing
    value and has no rank.
    """
    for q in range(len(query_ptr) - 1):
        first = query_ptr[q]
        n = query_ptr[q + 1] - first
        salt = _mix(salts[q] + np.uint64(0x9E3779B97F4A7C15))
        for j in range(X.shape[1]):
            top, missing, last = 0, 0, 0.0
            for i in range(n):  # the highest value has rank 1 here
                document = orders[j, first + i]
                if np.isnan(X[first + document, j]):
                    rank[document] = 0
                    missing = 1
                else:
                    if top == 0 or keys[j, first + i] != last:
                        top += 1
                        last = keys[j, first + i]
                    rank[document] = top
            varies[j] += top + missing > 1
            for i in range(n):
                r, value, place = rank[i], np.uint64(0), _mix(salt + np.uint64(i))
                if r > 0:
                    value = _mix(bits[first + i, j] + np.uint64(0xD1B54A32D192ED03))
                hashes[0, j] += _mix(place + np.uint64(3) * value)
                hashes[1, j] += _mix(place + np.uint64(top + 1 - r if r > 0 else 0))
                hashes[2, j] += _mix(place + np.uint64(r))


@kernel
def hash_rows(bits: Array, out: Words) -> None:
    """A hash of every row's values, to find equal documents."""
    for i in range(bits.shape[0]):
        h = np.uint64(0)
        for j in range(bits.shape[1]):
            h = _mix(h + np.uint64(bits[i, j]) + np.uint64(0x9E3779B97F4A7C15))
        out[i] = h
