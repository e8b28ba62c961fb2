"""Values as numbers, counted in the order of appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def numbered(values: NDArray[Any]) -> NDArray[np.int64]:
    """The number of each value, counted from 0 in the order of appearance.

    >>> numbered(np.array(["tea", "cup", "tea"]))
    array([0, 1, 0])
    """
    _, first, number = np.unique(values, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.asarray(place[number.ravel()])
