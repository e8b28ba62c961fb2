"""What is safe to drop: features that change nothing, as far as can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.rankers._base import LinearRanker, Ranker
from leanrank.selectors.column_limits import ColumnLimits


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


def safe_features(
    data: RankingData,
    limits: ColumnLimits,
    useless: NDArray[np.bool_],
    usable: NDArray[np.int64],
    ranker: Ranker,
    shares: Sequence[NDArray[np.float64]],
) -> Safe:
    """All features but those that are constant, and those that none of the trained rankers has used.

    Parameters
    ----------
    data : RankingData
        With all columns.
    limits : ColumnLimits
        Of all columns: what must be kept stays, what must never be taken is not there.
    useless : array of bool
        Columns that this ranker cannot use, whatever it learns.
    usable : array of int64
        The columns that rankers were trained on.
    ranker : Ranker
    shares : sequence of arrays
        What each of the rankers trained on them makes of them.
    """
    unused = np.zeros(data.n_features, dtype=bool)
    if len(shares) and tells_use(ranker):
        unused[usable] = np.max(shares, axis=0) == 0
    unused &= ~limits.must_keep & ~useless
    kept = ~limits.never & ~useless & ~unused
    if not kept.any():  # nothing was learned at all
        kept, unused = ~limits.never & ~useless, np.zeros_like(unused)
    reasons = {"constant": useless & ~limits.never, "never used by a trained ranker": unused & ~limits.never}
    return Safe(
        tuple(int(j) for j in np.flatnonzero(kept)), {name: int(columns.sum()) for name, columns in reasons.items()}
    )


def tells_use(ranker: Ranker) -> bool:
    """Whether a share of 0 means that the trained ranker does not read the feature: weights and splits say so."""
    return isinstance(ranker, LinearRanker) or type(ranker)._own_importances is not Ranker._own_importances
