"""Judged ranking data: the container, readers and writers, scaling, splits, orders, synthetic data."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "RankingData": "leanrank.data.ranking_data",
        "RankingSource": "leanrank.data.ranking_data",
        "concatenate": "leanrank.data.ranking_data",
    },
)
