"""Patterns of discretised values: their hashes, which ones are equal, and how inconsistent they are.

A pattern's hash is the sum (mod 2^64) of one pseudo-random number per (feature, value), so a feature is taken out or
put in by one subtraction or addition. Two different patterns among N collide with probability N^2 / 2^65 at most.

Arrays: hashes (rows,) of the patterns; counts (rows, classes) how many documents of each class have the row's values.
"""

from __future__ import annotations

import numpy as np

from leanrank.kernels._jit import Ints, ShortInts, Words, kernel


@kernel
def _mixed(key: np.uint64) -> np.uint64:
    """A bijection of 64 bits whose output looks random (the finaliser of splitmix64)."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))


@kernel
def value_hashes(codes: ShortInts) -> Words:
    """One pseudo-random number per (feature, value), for codes (patterns, features); returned feature by feature."""
    n, n_features = codes.shape
    out = np.empty((n_features, n), dtype=np.uint64)
    for i in range(n):
        for j in range(n_features):
            key = (np.uint64(j + 1) << np.uint64(32)) + np.uint64(codes[i, j] + 1)
            out[j, i] = _mixed(_mixed(key * np.uint64(0x9E3779B97F4A7C15)))
    return out


@kernel
def _slots(n: int) -> int:
    """A power of two at least twice `n`."""
    size = 16
    while size < 2 * n:
        size *= 2
    return size


@kernel
def equal_patterns(hashes: Words) -> tuple[Ints, int]:
    """The number of each row's pattern in order of first appearance, and how many patterns there are."""
    size = _slots(len(hashes))
    mask = np.uint64(size - 1)
    owner = np.full(size, -1, dtype=np.int64)
    pattern = np.empty(len(hashes), dtype=np.int64)
    n_patterns = 0
    for i in range(len(hashes)):
        slot = hashes[i] & mask
        while owner[slot] >= 0 and hashes[owner[slot]] != hashes[i]:
            slot = (slot + np.uint64(1)) & mask
        if owner[slot] < 0:
            owner[slot] = i
            pattern[i] = n_patterns
            n_patterns += 1
        else:
            pattern[i] = pattern[owner[slot]]
    return pattern, n_patterns


@kernel
def inconsistent_rows(hashes: Words, counts: Ints) -> int:
    """Rows outside the majority class of their pattern: sum over patterns of (count - largest class count)."""
    n, n_classes = counts.shape
    pattern, n_patterns = equal_patterns(hashes)
    table = np.zeros((n_patterns, n_classes), dtype=np.int64)
    for i in range(n):
        for c in range(n_classes):
            table[pattern[i], c] += counts[i, c]
    wrong = 0
    for p in range(n_patterns):
        total, largest = 0, 0
        for c in range(n_classes):
            total += table[p, c]
            largest = max(largest, table[p, c])
        wrong += total - largest
    return wrong


@kernel
def inconsistent_rows_without(hashes: Words, of_values: Words, counts: Ints, features: Ints) -> Ints:
    """`inconsistent_rows` after taking out each of `features` in turn (of_values: features x rows)."""
    out = np.empty(len(features), dtype=np.int64)
    for i in range(len(features)):
        out[i] = inconsistent_rows(hashes - of_values[features[i]], counts)
    return out
