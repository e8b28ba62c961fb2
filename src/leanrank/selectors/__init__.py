"""Feature selectors: one algorithm per file, each an estimator that learns an order of the features and why."""

from leanrank._lazy import lazy

__getattr__, __dir__, __all__ = lazy(
    __name__,
    {
        "BestGain": "leanrank.selectors.bestgain",
        "BoosterImportance": "leanrank.selectors.booster_importance",
        "CFS": "leanrank.selectors.cfs",
        "ChiSquared": "leanrank.selectors.information_gain",
        "Consistency": "leanrank.selectors.consistency",
        "FCBF": "leanrank.selectors.fcbf",
        "FSMRank": "leanrank.selectors.fsmrank",
        "FSMSVM": "leanrank.selectors.fsmsvm",
        "FSSCPR": "leanrank.selectors.fsscpr",
        "GAS": "leanrank.selectors.gas",
        "GreedyWrapper": "leanrank.selectors.greedy_wrapper",
        "HCAS": "leanrank.selectors.hcas",
        "INTERACT": "leanrank.selectors.interact",
        "InformationGain": "leanrank.selectors.information_gain",
        "Limits": "leanrank.selectors.limits",
        "MMR": "leanrank.selectors.mmr",
        "MPT": "leanrank.selectors.mpt",
        "MRMR": "leanrank.selectors.mrmr",
        "MSD": "leanrank.selectors.msd",
        "NGAS": "leanrank.selectors.ngas",
        "Path": "leanrank.selectors.path",
        "RankingBoruta": "leanrank.selectors.boruta",
        "RankingRFE": "leanrank.selectors.rfe",
        "Selector": "leanrank.selectors._base",
        "StabilitySelection": "leanrank.selectors.stability_selection",
        "SymmetricalUncertainty": "leanrank.selectors.information_gain",
        "TopK": "leanrank.selectors.topk",
        "XGAS": "leanrank.selectors.xgas",
        "cegb_params": "leanrank.selectors.cegb",
    },
)
