"""Neighbours: which documents the Relief family compares a document with."""

from __future__ import annotations

from dataclasses import dataclass

from leanrank.errors import is_whole, require, require_one_of


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
        require_one_of(self, scope=("query", "global"), metric=("manhattan", "euclidean"))
        some = self.n_samples is None or is_whole(self.n_samples, 1)
        require(self, "n_samples", "a whole number >= 1 or None", some)
        require(self, "random_state", "a whole number >= 0", is_whole(self.random_state, 0))
