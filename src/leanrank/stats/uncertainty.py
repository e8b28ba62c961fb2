"""Symmetrical uncertainty of every pair of features: joint counts in one fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.kernels.contingency import joint_counts, symmetrical_uncertainties
from leanrank.stats.discretize import Binning

Partial = tuple[NDArray[np.int64], NDArray[np.int64], int]


@dataclass(frozen=True, eq=False)
class PairUncertainty:
    """Statistic: SU(f_i, f_j) of all pairs of the features of `binning`, from rows pooled over all queries.

    Memory: 8 (sum of bins)^2 bytes. Cost: rows x features^2 / 2 increments.
    """

    binning: Binning

    def of(self, block: RankingData) -> Partial:
        total = int(self.binning.offsets[-1])
        codes = self.binning.codes(block.X, counted_through=True)
        joint = np.zeros((total, total), dtype=np.int64)
        joint_counts(codes, joint)
        return joint, np.bincount(codes.ravel(), minlength=total), block.n_rows

    def merge(self, a: Partial, b: Partial) -> Partial:
        return a[0] + b[0], a[1] + b[1], a[2] + b[2]

    def finish(self, partial: Partial) -> NDArray[np.float64]:
        joint, marginal, n = partial
        uncertainty = symmetrical_uncertainties(joint, self.binning.offsets, marginal, n)
        return np.asarray(np.round(np.clip(uncertainty, 0.0, 1.0), 12))
