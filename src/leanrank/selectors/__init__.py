"""Feature selectors: one algorithm per file, each an estimator that learns an order of the features and why."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "FSSCPR": "leanrank.selectors.fsscpr",
        "GAS": "leanrank.selectors.gas",
        "HCAS": "leanrank.selectors.hcas",
        "MMR": "leanrank.selectors.mmr",
        "MPT": "leanrank.selectors.mpt",
        "MRMR": "leanrank.selectors.mrmr",
        "MSD": "leanrank.selectors.msd",
        "NGAS": "leanrank.selectors.ngas",
        "Path": "leanrank.selectors.path",
        "Selector": "leanrank.selectors._base",
        "TopK": "leanrank.selectors.topk",
        "XGAS": "leanrank.selectors.xgas",
    },
)
