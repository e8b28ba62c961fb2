"""Products of a feature matrix (dense or CSR, float32 or float64) with a vector, summed in float64 without copying it.

numpy would first copy a float32 matrix to float64; these read it as it is. Arrays: w (K,) and v (n,) are the factors;
`out` is (n,) for rows, (K,) for columns, and zero at the start for columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from leanrank.kernels._jit import Floats, fast_kernel


@fast_kernel
def dense_rows_times(X: Any, w: Floats, out: Floats) -> None:
    """out = X w."""
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j] * w[j]
        out[i] = total


@fast_kernel
def dense_columns_times(X: Any, v: Floats, out: Floats) -> None:
    """out += X' v."""
    for i in range(X.shape[0]):
        vi = v[i]
        if vi != 0.0:
            for j in range(X.shape[1]):
                out[j] += X[i, j] * vi


@fast_kernel
def csr_rows_times(values: Any, columns: Any, starts: Any, w: Floats, out: Floats) -> None:
    """out = X w for CSR rows."""
    for i in range(out.shape[0]):
        total = 0.0
        for k in range(starts[i], starts[i + 1]):
            total += values[k] * w[columns[k]]
        out[i] = total


@fast_kernel
def csr_columns_times(values: Any, columns: Any, starts: Any, v: Floats, out: Floats) -> None:
    """out += X' v for CSR rows."""
    for i in range(v.shape[0]):
        if v[i] != 0.0:
            for k in range(starts[i], starts[i + 1]):
                out[columns[k]] += values[k] * v[i]


def rows_times(X: Any, w: Floats) -> Floats:
    """X @ w.

    >>> rows_times(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    return _filled(np.empty(X.shape[0]), X, w, dense_rows_times, csr_rows_times)


def columns_times(X: Any, v: Floats) -> Floats:
    """X.T @ v.

    >>> columns_times(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    array([31., 42.])
    """
    return _filled(np.zeros(X.shape[1]), X, v, dense_columns_times, csr_columns_times)


def _filled(out: Floats, X: Any, factor: Floats, dense: Any, csr: Any) -> Floats:
    if sp.issparse(X):
        csr(X.data, X.indices, X.indptr, factor, out)
    else:
        dense(X, factor, out)
    return out
