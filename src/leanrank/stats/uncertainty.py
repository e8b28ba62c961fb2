"""Symmetrical uncertainty of every pair of features: joint counts in one fold, or in several where bins are many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData, RankingSource
from leanrank.engines.fold import fold
from leanrank.kernels.contingency import (
    class_counts,
    cross_counts,
    cross_uncertainties,
    entropies,
    joint_counts,
    symmetrical_uncertainties,
)
from leanrank.stats.discretize import Binning
from leanrank.stats.exact_sum import InUnits, times

#: Bins counted against each other in one fold: 8 x 2,896^2 bytes are 64 MiB.
MAX_BINS = 2_896

Partial = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]


@dataclass(frozen=True, eq=False)
class PairUncertainty(InUnits):
    """Statistic: SU(f_i, f_j) of all pairs of the features of `binning`, from rows pooled over all queries.

    With `others`, of the features of `binning` with those of `others` instead. Documents with weights count so many of
    `unit`, see `WeightUnit`.

    Memory: 8 x bins x bins bytes. Cost: an increment for each row and pair.
    """

    binning: Binning
    others: Binning | None = None
    unit: float | None = None

    def of(self, block: RankingData) -> Partial:
        counted = times(block, self.unit)
        n = int(counted.sum())
        codes, marginal = _coded(self.binning, block, counted)
        if self.others is None:
            joint = np.zeros((len(marginal), len(marginal)), dtype=np.int64)
            joint_counts(codes, counted, joint)
            return joint, marginal, marginal, n
        others, other_marginal = _coded(self.others, block, counted)
        joint = np.zeros((len(marginal), len(other_marginal)), dtype=np.int64)
        cross_counts(codes, others, counted, joint)
        return joint, marginal, other_marginal, n

    def merge(self, a: Partial, b: Partial) -> Partial:
        return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]

    def finish(self, partial: Partial) -> NDArray[np.float64]:
        joint, marginal, other_marginal, n = partial
        offsets = self.binning.offsets
        entropy = entropies(marginal, offsets, n)
        if self.others is None:
            values = symmetrical_uncertainties(joint, offsets, entropy, n)
        else:
            their_offsets = self.others.offsets
            theirs = entropies(other_marginal, their_offsets, n)
            values = cross_uncertainties(joint, offsets, entropy, their_offsets, theirs, n)
        return np.asarray(np.round(np.clip(values, 0.0, 1.0), 12))


def _coded(
    binning: Binning, block: RankingData, counted: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    codes = binning.codes(block.X, counted_through=True)
    marginal = np.zeros(int(binning.offsets[-1]), dtype=np.int64)
    class_counts(codes, np.zeros(block.n_rows, dtype=np.int64), counted, marginal[:, None])
    return codes, marginal


def pair_uncertainties(
    binning: Binning,
    source: RankingSource,
    engine: Any = None,
    *,
    unit: float | None = None,
    max_bins: int = MAX_BINS,
) -> NDArray[np.float64]:
    """SU of all pairs: one fold where the features have at most `max_bins` bins, otherwise one for each two groups.

    >>> from leanrank import RankingData
    >>> data = RankingData([[0.0, 1.0], [1.0, 3.0], [0.0, 1.0], [1.0, 1.0]], [0, 1, 0, 1], [0, 4])
    >>> pair_uncertainties(Binning(np.array([0, 1]), (np.array([0.5]), np.array([2.0]))), data).round(3).tolist()
    [[1.0, 0.344], [0.344, 1.0]]
    """
    groups = list(_groups(binning.n_bins, max_bins))
    out = np.zeros((len(binning.features), len(binning.features)))
    for i, rows in enumerate(groups):
        out[np.ix_(rows, rows)] = fold(PairUncertainty(binning.subset(rows), unit=unit), source, engine)
        for columns in groups[i + 1 :]:
            statistic = PairUncertainty(binning.subset(rows), binning.subset(columns), unit)
            values = fold(statistic, source, engine)
            out[np.ix_(rows, columns)] = values
            out[np.ix_(columns, rows)] = values.T
    return out


def _groups(n_bins: NDArray[np.int64], most: int) -> Iterator[NDArray[np.int64]]:
    """Runs of features with at most `most` bins together; a feature with more is alone."""
    first, together = 0, 0
    for j, n in enumerate(n_bins.tolist()):
        if together + n > most and j > first:
            yield np.arange(first, j)
            first, together = j, 0
        together += n
    yield np.arange(first, len(n_bins))
