"""What is safe to drop: features that change nothing, as far as can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.rankers._base import LinearRanker, Ranker
from leanrank.selectors.column_limits import ColumnLimits

Mask = NDArray[np.bool_]
Shares = NDArray[np.float64]

_REASONS = {"constant": "constant", "copies": "copies of others", "never used": "never used by a trained ranker"}


@dataclass(frozen=True)
class Safe:
    """The features that stay, by column, and how many go for which reason."""

    kept: tuple[int, ...]
    dropped: dict[str, int]

    @property
    def why(self) -> str:
        """The reasons in words.

        >>> Safe((0, 2), {"constant": 1, "never used by a trained ranker": 2}).why
        '1 constant, 2 never used by a trained ranker'
        """
        return ", ".join(f"{count} {reason}" for reason, count in self.dropped.items() if count)


@dataclass(frozen=True, eq=False)
class Useless:
    """Which columns go, by reason.

    Parameters
    ----------
    constant : array of bool
        What this ranker cannot use, whatever it learns.
    copies : array of bool
        What another column stands for.
    unused : array of bool
        What no trained ranker has used.
    """

    constant: Mask
    copies: Mask
    unused: Mask


def safe_features(goes: Useless, limits: ColumnLimits) -> Safe:
    """All features but the useless; what must be kept stays, what must never be taken is not there."""
    unused = goes.unused & ~limits.must_keep
    gone = limits.never | goes.constant | goes.copies
    if (gone | unused).all():  # nothing was learned at all
        unused = np.zeros_like(unused)
    reasons: dict[str, int] = {}
    seen = limits.never.copy()
    for name, columns in (("constant", goes.constant), ("copies", goes.copies), ("never used", unused)):
        reasons[_REASONS[name]] = int((columns & ~seen).sum())
        seen |= columns
    return Safe(tuple(int(j) for j in np.flatnonzero(~(gone | unused))), reasons)


def unused_by(
    ranker: Ranker, usable: NDArray[np.int64], shares: Sequence[NDArray[np.float64]], n_features: int
) -> Mask:
    """The columns that none of the rankers trained on the usable ones has used, as far as their shares tell."""
    unused = np.zeros(n_features, dtype=bool)
    if len(shares) and tells_use(ranker):
        unused[usable] = np.max(shares, axis=0) == 0
    return unused


def tells_use(ranker: Ranker) -> bool:
    """Whether a share of 0 means that the trained ranker does not read the feature: weights and splits say so."""
    return isinstance(ranker, LinearRanker) or type(ranker)._own_importances is not Ranker._own_importances
