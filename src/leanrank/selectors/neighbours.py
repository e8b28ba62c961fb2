"""Neighbours: which documents the Relief family compares a document with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from leanrank.errors import ParameterError


@dataclass(frozen=True)
class Neighbours:
    """Where the neighbours of a document are looked for, and for which documents.

    Parameters
    ----------
    scope : {"query", "global"}, default="query"
        In the same query, or anywhere (the classic method; needs all rows in memory).
    metric : {"manhattan", "euclidean"}, default="manhattan"
        Distance between documents.
    scale : bool, default=True
        Divide differences by the feature's range over all rows.
    n_samples : int or None, default=None
        Visit a random sample of so many documents; all if not given.
    random_state : int, default=0
        Seed of the sample.

    See Also
    --------
    ReliefF, RankFilter, RReliefF, RankWrapper

    Examples
    --------
    >>> from leanrank import Neighbours, ReliefF
    >>> ReliefF(neighbours=Neighbours("global"))
    ReliefF(neighbours=Neighbours(scope='global', metric='manhattan', scale=True, n_samples=None, random_state=0))
    """

    scope: str = "query"
    metric: str = "manhattan"
    scale: bool = True
    n_samples: int | None = None
    random_state: int = 0

    def check(self) -> None:
        """Refuse what cannot be."""
        known = {"scope": ("query", "global"), "metric": ("manhattan", "euclidean")}
        for name, choices in known.items():
            if getattr(self, name) not in choices:
                rule = f"one of {', '.join(map(repr, choices))}"
                raise ParameterError.of("Neighbours", name, rule, getattr(self, name))
        if self.n_samples is not None and not whole_number(self.n_samples, 1):
            raise ParameterError.of("Neighbours", "n_samples", "a whole number >= 1 or None", self.n_samples)
        if not whole_number(self.random_state, 0):
            raise ParameterError.of("Neighbours", "random_state", "a whole number >= 0", self.random_state)


def whole_number(value: Any, low: int) -> bool:
    """Whether this is a whole number from `low` on; True and False are no numbers."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= low)
