"""Statistics of features, each a fold over queries: importance, similarity, and the feature graph of both."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "AnovaF": "leanrank.stats.anova",
        "FeatureScores": "leanrank.stats.importance",
        "Statistic": "leanrank.engines.fold",
    },
)
