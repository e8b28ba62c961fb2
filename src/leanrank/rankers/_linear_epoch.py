"""One pass of gradient descent over queries, for a linear score, on dense or sparse data."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.kernels.query_sgd import csr_linear_epoch, dense_linear_epoch

Vector = NDArray[np.float64]


def linear_epoch(
    loss: int,
    data: RankingData,
    target: Vector,
    order: NDArray[np.int64],
    rate: float,
    w: Vector,
    *,
    half_ties: bool = False,
) -> float:
    """A step of length `rate` down the loss of each query of `order`, in turn; w is changed in place.

    Returns the sum of the losses met on the way.
    """
    X, ptr = data.X, data.query_ptr
    if sp.issparse(X):
        arrays = (X.data, X.indices, X.indptr)
        return float(csr_linear_epoch(loss, *arrays, target, ptr, order, rate, half_ties, w))
    return float(dense_linear_epoch(loss, X, target, ptr, order, rate, half_ties, w))
