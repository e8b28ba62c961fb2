"""Judged ranking data: the container, readers and writers, scaling, splits, orders, synthetic data."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "CategoryMeans": "leanrank.data.category_means",
        "FeatureTruth": "leanrank.data.synthetic",
        "Fold": "leanrank.data.folds",
        "RankingShape": "leanrank.data.ranking_shape",
        "as_ranking_data": "leanrank.data.door",
        "as_source": "leanrank.data.door",
        "concatenate": "leanrank.data.ranking_data",
        "cross_fitted": "leanrank.data.category_means",
        "feature_matrix": "leanrank.data.door",
        "to_frame": "leanrank.data.tabular.frames",
    },
)
