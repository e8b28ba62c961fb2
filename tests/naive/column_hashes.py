"""The slow twin of kernels/column_hashes.py: what equal hashes stand for, decided by comparing the columns."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def dense_ranks(column):
    """Rank of each value among the distinct ones, 1 for the lowest; 0 for a missing value."""
    distinct = sorted({x for x in column if not np.isnan(x)})
    return [0 if np.isnan(x) else distinct.index(x) + 1 for x in column]


def reversed_ranks(column):
    """The same with the highest value first."""
    ranks = dense_ranks(column)
    return [0 if r == 0 else max(ranks) + 1 - r for r in ranks]


def signatures(X, query_ptr):
    """Per column: its values, its order within queries, the reversed order; and in how many queries it varies."""
    spans = list(pairwise(query_ptr))
    out = []
    for j in range(X.shape[1]):
        parts = [X[a:b, j] for a, b in spans]
        values = tuple("missing" if np.isnan(x) else float(x) + 0.0 for part in parts for x in part)
        order = tuple(r for part in parts for r in dense_ranks(part))
        reverse = tuple(r for part in parts for r in reversed_ranks(part))
        varies = sum(len(set(dense_ranks(part))) > 1 for part in parts)
        out.append((values, order, reverse, varies))
    return out
