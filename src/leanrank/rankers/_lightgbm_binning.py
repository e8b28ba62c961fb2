"""Data as LightGBM keeps them: binned one at a time, and what they were binned from let go."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from threading import BoundedSemaphore
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import row_weights
from leanrank.rankers._booster import older_sparse

#: To find bins, LightGBM copies what it samples, with 12 bytes a value: less than this needs no care, ...
_LITTLE = 50_000_000
_BYTES_PER_VALUE = 12
#: ... and of more only so many threads build a Dataset at a time. It is a tenth of a training, so none waits for long.
_BUILDING = BoundedSemaphore(max(1, (os.cpu_count() or 1) // 4))


def binned(
    dataset: Any,
    sets: Sequence[tuple[RankingData, NDArray[np.float64]]],
    params: Mapping[str, Any],
    weight: NDArray[np.float64] | None = None,
) -> list[Any]:
    """LightGBM Datasets of training data, and of others with the same bins.

    Of data that are a view of others (`ReorderedData`) the rows are copied for as long as they are binned, no longer.

    Parameters
    ----------
    dataset : type
        LightGBM's `Dataset`.
    sets : sequence of (RankingData, labels)
        Training data first.
    params : mapping
        LightGBM's parameters; the objective has nothing to do with bins.
    weight : array, default=None
        Weights of the training documents beside those that the data have.
    """
    data, y = sets[0]
    own = row_weights(data)
    if own is not None:
        weight = own if weight is None else own * weight
    settings = {name: value for name, value in params.items() if name != "objective"}
    shared = {"params": settings, "categorical_feature": data.category_columns or "auto"}
    many = data.n_rows * data.n_features * _BYTES_PER_VALUE > _LITTLE
    with _BUILDING if many else nullcontext():
        about: dict[str, Any] = {"weight": weight, "group": data.query_sizes}
        if data.beside.position is not None:
            about["position"] = data.beside.position
        train = dataset(older_sparse(data.X), y, **about, **shared).construct()
        others = [
            dataset(
                older_sparse(other.X), labels, train, weight=row_weights(other), group=other.query_sizes, **shared
            ).construct()
            for other, labels in sets[1:]
        ]
        if many:
            _give_back()
    return [train, *others]


def _give_back() -> None:
    """Have the C library return freed memory to the system: glibc keeps it for the thread that freed it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:
        trim(0)
