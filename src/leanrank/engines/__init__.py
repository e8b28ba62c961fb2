"""Where a fold over queries runs: local threads, files larger than memory, clusters."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "Engine": "leanrank.engines.fold",
        "Statistic": "leanrank.engines.fold",
    },
)
