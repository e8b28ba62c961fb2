"""Where a fold over queries runs: local threads, files larger than memory, clusters."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "Engine": "leanrank.engines.fold",
        "DaskEngine": "leanrank.engines.dask_engine",
        "LocalEngine": "leanrank.engines.local",
        "SparkEngine": "leanrank.engines.spark_engine",
        "Statistic": "leanrank.engines.fold",
        "fold": "leanrank.engines.fold",
    },
)
