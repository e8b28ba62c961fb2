"""Clustering: how FS-SCPR tells families of features apart."""

from __future__ import annotations

from dataclasses import dataclass

from leanrank.errors import ParameterError


@dataclass(frozen=True)
class Clustering:
    """Settings of the spectral clustering of `FSSCPR`.

    Parameters
    ----------
    k_min : int, default=2
        The fewest clusters of "eigengap" and "silhouette".
    k_max : int or None, default=None
        The most; None is half the features, rounded up.
    centrality : {"cosine", "edge"}, default="cosine"
        Whether a feature is central in its cluster by the rows of Y, or by the edges.
    n_init : int, default=10
        Restarts of each 2-means.

    See Also
    --------
    FSSCPR, BiasedPageRank

    Examples
    --------
    >>> from leanrank import Clustering, FSSCPR
    >>> FSSCPR("silhouette", clustering=Clustering(k_min=3, k_max=9)).clustering.k_max
    9
    """

    k_min: int = 2
    k_max: int | None = None
    centrality: str = "cosine"
    n_init: int = 10

    def check(self) -> None:
        """Refuse what cannot be."""
        rules = [
            ("k_min", ">= 1", self.k_min >= 1),
            ("k_max", f">= k_min, {self.k_min}", self.k_max is None or self.k_max >= self.k_min),
            ("centrality", "one of 'cosine', 'edge'", self.centrality in ("cosine", "edge")),
            ("n_init", ">= 1", self.n_init >= 1),
        ]
        for name, rule, holds in rules:
            if not holds:
                raise ParameterError.of("Clustering", name, rule, getattr(self, name))
