"""Measures of a ranking, each with its convention as part of its identity."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "ClickEstimate": "leanrank.metrics.click_metrics",
        "Evaluation": "leanrank.metrics.evaluation",
        "Metric": "leanrank.metrics._base",
    },
)
