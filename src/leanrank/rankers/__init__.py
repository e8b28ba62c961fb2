"""Learners of a ranking: the papers' own, and adapters for the boosters people deploy."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "LinearRanker": "leanrank.rankers._base",
        "PairwiseSquaredHinge": "leanrank.rankers.pairwise_hinge",
        "Ranker": "leanrank.rankers._base",
        "get": "leanrank.rankers.registry",
        "names": "leanrank.rankers.registry",
    },
)
