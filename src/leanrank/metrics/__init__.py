"""Measures of a ranking, each with its convention as part of its identity."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "AP": "leanrank.metrics.average_precision",
        "ERR": "leanrank.metrics.reciprocal_rank",
        "Evaluation": "leanrank.metrics.evaluation",
        "KendallTau": "leanrank.metrics.correlation",
        "MRR": "leanrank.metrics.reciprocal_rank",
        "MeanNDCG": "leanrank.metrics.ndcg",
        "Metric": "leanrank.metrics._base",
        "NDCG": "leanrank.metrics.ndcg",
        "Precision": "leanrank.metrics.precision_recall",
        "Recall": "leanrank.metrics.precision_recall",
        "SpearmanRho": "leanrank.metrics.correlation",
        "evaluate": "leanrank.metrics.evaluation",
        "metric": "leanrank.metrics.names",
    },
)
