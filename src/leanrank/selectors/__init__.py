"""Feature selectors: one algorithm per file, each an estimator that learns an order of the features and why."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "BestGain": "leanrank.selectors.bestgain",
        "CFS": "leanrank.selectors.cfs",
        "ChiSquared": "leanrank.selectors.information_gain",
        "Consistency": "leanrank.selectors.consistency",
        "FCBF": "leanrank.selectors.fcbf",
        "FSSCPR": "leanrank.selectors.fsscpr",
        "GAS": "leanrank.selectors.gas",
        "HCAS": "leanrank.selectors.hcas",
        "INTERACT": "leanrank.selectors.interact",
        "InformationGain": "leanrank.selectors.information_gain",
        "MMR": "leanrank.selectors.mmr",
        "MPT": "leanrank.selectors.mpt",
        "MRMR": "leanrank.selectors.mrmr",
        "MSD": "leanrank.selectors.msd",
        "NGAS": "leanrank.selectors.ngas",
        "Path": "leanrank.selectors.path",
        "Selector": "leanrank.selectors._base",
        "SymmetricalUncertainty": "leanrank.selectors.information_gain",
        "TopK": "leanrank.selectors.topk",
        "XGAS": "leanrank.selectors.xgas",
    },
)
