"""ImportanceDrift: how the shares of features in what the ranker makes use of change over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.json_record import JsonRecord

#: Features that are kept of it: those whose shares change most.
KEPT = 20


@dataclass(frozen=True)
class ImportanceDrift(JsonRecord):
    """The shares of features in rankers of all features, each trained on what is before a window of time.

    Attributes
    ----------
    windows : tuple of (float, float)
        The first and the last time that each ranker learned from, in the order of time.
    features : tuple of str
        Those whose shares change most, the largest change first.
    shares : tuple of tuple of float
        The shares of each of these features, a value for each window; those of all features of a ranker sum to 1.
    """

    windows: tuple[tuple[float, float], ...]
    features: tuple[str, ...]
    shares: tuple[tuple[float, ...], ...]

    @classmethod
    def of(
        cls,
        shares: Sequence[NDArray[np.float64]],
        learned: Sequence[NDArray[np.int64]],
        time: NDArray[np.float64],
        names: Sequence[str],
    ) -> ImportanceDrift:
        """That of the shares in each fold, and the queries learned from there."""
        table = np.round(np.stack(shares, axis=1), 6)
        spread = np.round(table.max(axis=1) - table.min(axis=1), 6)
        order = np.argsort(-spread, kind="stable")[:KEPT]
        windows = tuple((float(time[queries].min()), float(time[queries].max())) for queries in learned)
        kept = [int(j) for j in order if spread[j] > 0]
        return cls(windows, tuple(names[j] for j in kept), tuple(tuple(table[j].tolist()) for j in kept))
