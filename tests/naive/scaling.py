"""The slow, obvious twins of kernels/scaling.py."""

from __future__ import annotations

from itertools import pairwise

import numpy as np


def query_minmax(X, query_ptr, decimals=None):
    out = np.empty(X.shape)
    for a, b in pairwise(query_ptr):
        for j in range(X.shape[1]):
            values = X[a:b, j].astype(np.float64)
            known = values[~np.isnan(values)]
            low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
            scaled = (values - low) / (high - low) if high > low else 0.0 * values
            out[a:b, j] = scaled if decimals is None else np.round(scaled, decimals)
    return out


def query_standardise(X, query_ptr):
    out = np.empty(X.shape)
    for a, b in pairwise(query_ptr):
        for j in range(X.shape[1]):
            values = X[a:b, j].astype(np.float64)
            known = values[~np.isnan(values)]
            varies = known.size > 0 and known.max() > known.min()
            out[a:b, j] = (values - known.mean()) / known.std() if varies else 0.0 * values
    return out
