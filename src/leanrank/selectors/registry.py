"""Selectors by name, as the command line and `select` take them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leanrank.errors import ParameterError, UnknownNameError
from leanrank.selectors._base import Selector

# name -> (module, class)
_WHERE = {
    "best-gain": ("leanrank.selectors.bestgain", "BestGain"),
    "booster-importance": ("leanrank.selectors.booster_importance", "BoosterImportance"),
    "cfs": ("leanrank.selectors.cfs", "CFS"),
    "chi-squared": ("leanrank.selectors.information_gain", "ChiSquared"),
    "consistency": ("leanrank.selectors.consistency", "Consistency"),
    "fcbf": ("leanrank.selectors.fcbf", "FCBF"),
    "fs-scpr": ("leanrank.selectors.fsscpr", "FSSCPR"),
    "fsm-rank": ("leanrank.selectors.fsmrank", "FSMRank"),
    "fsm-svm": ("leanrank.selectors.fsmsvm", "FSMSVM"),
    "gas": ("leanrank.selectors.gas", "GAS"),
    "greedy-wrapper": ("leanrank.selectors.greedy_wrapper", "GreedyWrapper"),
    "hcas": ("leanrank.selectors.hcas", "HCAS"),
    "information-gain": ("leanrank.selectors.information_gain", "InformationGain"),
    "interact": ("leanrank.selectors.interact", "INTERACT"),
    "mmr": ("leanrank.selectors.mmr", "MMR"),
    "mpt": ("leanrank.selectors.mpt", "MPT"),
    "mrmr": ("leanrank.selectors.mrmr", "MRMR"),
    "msd": ("leanrank.selectors.msd", "MSD"),
    "ngas": ("leanrank.selectors.ngas", "NGAS"),
    "ranking-boruta": ("leanrank.selectors.boruta", "RankingBoruta"),
    "ranking-rfe": ("leanrank.selectors.rfe", "RankingRFE"),
    "stability-selection": ("leanrank.selectors.stability_selection", "StabilitySelection"),
    "rank-filter": ("leanrank.selectors.rankfilter", "RankFilter"),
    "rank-wrapper": ("leanrank.selectors.rankwrapper", "RankWrapper"),
    "relieff": ("leanrank.selectors.relieff", "ReliefF"),
    "rrelieff": ("leanrank.selectors.rrelieff", "RReliefF"),
    "symmetrical-uncertainty": ("leanrank.selectors.information_gain", "SymmetricalUncertainty"),
    "top-k": ("leanrank.selectors.topk", "TopK"),
    "xgas": ("leanrank.selectors.xgas", "XGAS"),
}

# short names of the papers
_ALSO = {"chi": "chi-squared", "ig": "information-gain", "su": "symmetrical-uncertainty"}


def names() -> list[str]:
    """The names that `get` knows."""
    return sorted(_WHERE)


def selector_class(name: str) -> type[Selector]:
    """The class of that name, however it is hyphenated; unknown names are told the nearest known one."""
    wanted = _key(_ALSO.get(_key(name), name))
    for known, (module, attribute) in _WHERE.items():
        if _key(known) == wanted:
            found: type[Selector] = getattr(import_module(module), attribute)
            return found
    raise UnknownNameError.of("selector", name, _WHERE)


def get(name: str, **params: Any) -> Selector:
    """A new selector by name.

    >>> get("gas", c=0.5)
    GAS(c=0.5)
    >>> get("FSSCPR", n_features_to_select=5)
    FSSCPR(n_features_to_select=5)
    """
    cls = selector_class(name)
    known = cls._get_param_names()
    for key in params:
        if key not in known:
            raise ParameterError(str(UnknownNameError.of(f"parameter of {cls.__name__}", key, known)))
    return cls(**params)


def _key(name: str) -> str:
    return str(name).lower().replace("-", "").replace("_", "")
