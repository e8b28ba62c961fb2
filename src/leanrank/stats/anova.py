"""AnovaF: the F value of each feature over the labels, all queries pooled, as a fold over blocks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.sources import dense_parts
from leanrank.data.weights import WEIGHTS, row_weights
from leanrank.errors import DataError


class AnovaPartial(NamedTuple):
    """Per label: number of rows, or what they weigh, mean of each feature, sum of squares about that mean."""

    labels: NDArray[np.float32]  # (C,), ascending
    n_rows: NDArray[Any]  # (C,)
    mean: NDArray[np.float64]  # (C, K)
    squares: NDArray[np.float64]  # (C, K)


@dataclass(frozen=True)
class AnovaF:
    """One-way analysis of variance: how far apart the labels' means lie, against the spread around them.

    ``F = [sum_c n_c (mean_c - mean)^2 / (C - 1)] / [sum_c sum_{i in c} (x_i - mean_c)^2 / (n - C)]`` over the rows of
    all queries, c running through the C labels. A constant feature, a single label or no more rows than labels: 0.
    Labels that tell a feature's values exactly: 1e300. A document counts as often as it and its query weigh. Cost
    O(n K).

    Sums are about means, and F is rounded to 10 significant digits, so that the order of blocks never decides.

    Examples
    --------
    >>> from leanrank import RankingData, fold
    >>> data = RankingData([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [5.0, 5.0]], [0, 0, 1, 1], [0, 4])
    >>> fold(AnovaF(), data)
    array([18.,  0.])
    """

    weights: ClassVar[tuple[str, ...]] = tuple(WEIGHTS)

    def of(self, block: RankingData) -> AnovaPartial:
        """Sums of the rows of a block, label by label."""
        block.require_complete("AnovaF")
        return reduce(self.merge, map(_of_dense, dense_parts(block)))

    def merge(self, a: AnovaPartial, b: AnovaPartial) -> AnovaPartial:
        """The sums of two sets of rows together."""
        labels = np.union1d(a.labels, b.labels)
        x, y = _spread(a, labels), _spread(b, labels)
        n_rows = x.n_rows + y.n_rows
        gap = y.mean - x.mean
        share = (y.n_rows / np.where(n_rows > 0, n_rows, 1))[:, None]
        mean = np.where(x.n_rows[:, None] == 0, y.mean, x.mean + gap * share)
        both = (x.n_rows > 0) & (y.n_rows > 0)
        squares = x.squares + y.squares + np.where(both[:, None], gap**2 * x.n_rows[:, None] * share, 0.0)
        return AnovaPartial(labels, n_rows, mean, squares)

    def finish(self, partial: AnovaPartial) -> NDArray[np.float64]:
        """F of every feature."""
        n, n_labels = float(partial.n_rows.sum()), int((partial.n_rows > 0).sum())
        if n < n_labels:
            raise DataError(
                f"All documents together weigh {n:.3g}, and an analysis of variance over {n_labels} labels needs more "
                "documents than labels: multiply the weights, so that their mean is 1 for instance."
            )
        if n_labels < 2 or n <= n_labels:
            return np.zeros(partial.mean.shape[1])
        share = partial.n_rows[:, None] / n
        mean = (share * partial.mean).sum(axis=0)
        between = (partial.n_rows[:, None] * (partial.mean - mean) ** 2).sum(axis=0) / (n_labels - 1)
        within = partial.squares.sum(axis=0) / (n - n_labels)
        tiny = 1e-24 * (share * partial.mean**2).sum(axis=0)  # what rounding leaves of a spread of 0
        between = np.where(between <= tiny * n, 0.0, between)
        F = np.where(within <= tiny, np.where(between > 0, 1e300, 0.0), between / np.where(within <= tiny, 1.0, within))
        return np.array([float(f"{value:.9e}") for value in np.minimum(F, 1e300)])


def _of_dense(part: RankingData) -> AnovaPartial:
    labels, weight = np.unique(part.y), row_weights(part)
    n_rows: NDArray[Any] = np.empty(len(labels), dtype=np.int64 if weight is None else np.float64)
    mean, squares = np.empty((2, len(labels), part.n_features))
    for c, label in enumerate(labels):
        mine = part.y == label
        rows = part.X[mine].astype(np.float64)
        own = None if weight is None else weight[mine][:, None]
        n_rows[c] = len(rows) if own is None else own.sum()
        mean[c] = (rows if own is None else rows * own).sum(axis=0) / (n_rows[c] or 1)
        rows -= mean[c]
        np.square(rows, out=rows)
        squares[c] = (rows if own is None else rows * own).sum(axis=0)
    return AnovaPartial(labels, n_rows, mean, squares)


def _spread(partial: AnovaPartial, labels: NDArray[np.float32]) -> AnovaPartial:
    """The same partial with a row of zeros for every label it has not seen."""
    at = np.searchsorted(labels, partial.labels)
    shape = (len(labels), partial.mean.shape[1])
    n_rows: NDArray[Any] = np.zeros(len(labels), dtype=partial.n_rows.dtype)
    mean, squares = np.zeros(shape), np.zeros(shape)
    n_rows[at], mean[at], squares[at] = partial.n_rows, partial.mean, partial.squares
    return AnovaPartial(labels, n_rows, mean, squares)
