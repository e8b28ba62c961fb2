"""A regularisation constant given as one number or as several, of which held-out data choose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.errors import ParameterError
from leanrank.kernels.products import rows_times
from leanrank.rankers._early_stopping import EarlyStopping


def as_grid(owner: str, C: Any) -> NDArray[np.float64]:
    """The values of C, in the order given.

    >>> as_grid("RankSVM", [10, 1])
    array([10.,  1.])
    """
    try:
        grid = np.atleast_1d(np.asarray(list(C) if np.iterable(C) else C, dtype=np.float64))
    except (TypeError, ValueError):
        grid = np.zeros(0)
    if grid.size == 0 or not np.isfinite(grid).all() or (grid < 0).any():
        raise ParameterError.of(owner, "C", "a number >= 0 or several of them", C)
    return grid


def require_choice(owner: str, grid: NDArray[np.float64], valid: RankingData | None) -> None:
    """Several values need held-out data to choose by."""
    if len(grid) > 1 and valid is None:
        raise ParameterError(f"{owner} needs an eval_set to choose among {len(grid)} values of C: pass it, or one C.")


def best_weights(weights: NDArray[np.float64], valid: RankingData | None, metric: Any) -> int:
    """The row of `weights` with the best metric on held-out data; of equals the first."""
    if valid is None or len(weights) == 1:
        return 0
    watch = EarlyStopping(valid, metric)
    for w in weights:
        watch.improved(rows_times(valid.X, w))
    return watch.best_iteration
