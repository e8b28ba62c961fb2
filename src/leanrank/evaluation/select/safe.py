"""What is safe to drop: features that change nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leanrank.selectors.column_limits import ColumnLimits

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Safe:
    """The features that stay, by column, and how many go for which reason."""

    kept: tuple[int, ...]
    dropped: dict[str, int]

    @property
    def why(self) -> str:
        """The reasons in words.

        >>> Safe((0, 2), {"constant": 1, "copies of others": 2}).why
        '1 constant, 2 copies of others'
        """
        one = {"copies of others": "copy of another"}
        said = ((count, one.get(reason, reason) if count == 1 else reason) for reason, count in self.dropped.items())
        return ", ".join(f"{count} {reason}" for count, reason in said if count)


def safe_features(constant: Mask, copies: Mask, limits: ColumnLimits) -> Safe:
    """All features but those that the ranker cannot use, whatever it learns, and copies that change nothing in it.

    What the rankers of the folds have not used is not among them: one trained on all queries, or stopped later, may.
    """
    goes = limits.never | constant | copies
    reasons = {
        "constant": int((constant & ~limits.never).sum()),
        "copies of others": int((copies & ~constant & ~limits.never).sum()),
    }
    return Safe(tuple(int(j) for j in np.flatnonzero(~goes)), reasons)
