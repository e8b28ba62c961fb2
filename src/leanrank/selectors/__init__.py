"""Feature selectors: one algorithm per file, each an estimator that learns an order of the features and why."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "Path": "leanrank.selectors.path",
        "Selector": "leanrank.selectors._base",
        "cegb_params": "leanrank.selectors.limits",
    },
)
