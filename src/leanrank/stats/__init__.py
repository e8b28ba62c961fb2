"""Statistics of features, each a fold over queries: importance, similarity, and the feature graph of both."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "AnovaF": "leanrank.stats.anova",
        "EqualFrequencyDiscretizer": "leanrank.stats.discretize",
        "EqualWidthDiscretizer": "leanrank.stats.discretize",
        "FeatureGraph": "leanrank.stats.feature_graph",
        "FeatureScores": "leanrank.stats.importance",
        "Importance": "leanrank.stats.importance",
        "MDLDiscretizer": "leanrank.stats.discretize",
        "Similarity": "leanrank.stats.similarity",
        "Statistic": "leanrank.engines.fold",
        "feature_graph": "leanrank.stats.feature_graph",
    },
)
