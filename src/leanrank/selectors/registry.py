"""Selectors by name, as the command line and `select` take them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from typing import Any, get_args, get_type_hints

from leanrank.errors import ParameterError, UnknownNameError
from leanrank.selectors._base import Selector


@dataclass(frozen=True)
class Entry:
    """What a name stands for: a class, and the parameters that make it this method where the defaults do not."""

    module: str
    cls: str
    preset: Callable[[], dict[str, Any]] = dict

    def selector_class(self) -> type[Selector]:
        loaded: type[Selector] = getattr(import_module(f"leanrank.selectors.{self.module}"), self.cls)
        return loaded


def _pooled() -> dict[str, Any]:
    """MRMR as it is used in regression and classification."""
    similarity = import_module("leanrank.stats.similarity").Similarity
    return {"relevance": "f", "similarity": similarity("pearson", scope="pooled"), "offset": 0.0, "collapse": True}


_ENTRIES = {
    "best-gain": Entry("bestgain", "BestGain"),
    # goes on while there is any gain: of use where the path matters, not its stop
    "best-gain-path": Entry("bestgain", "BestGain", lambda: {"delta": 1e-6}),
    "blend+mrmr": Entry("hybrids", "RelevanceMRMR", lambda: {"relevance": "blend"}),
    "booster-importance": Entry("booster_importance", "BoosterImportance"),
    "cfs": Entry("cfs", "CFS"),
    "chi-squared": Entry("information_gain", "ChiSquared"),
    "consistency": Entry("consistency", "Consistency"),
    "fcbf": Entry("fcbf", "FCBF"),
    "forward-regression": Entry("forward_regression", "ForwardRegression"),
    "fs-scpr": Entry("fsscpr", "FSSCPR"),
    "fsm-rank": Entry("fsmrank", "FSMRank"),
    "fsm-svm": Entry("fsmsvm", "FSMSVM"),
    "gas": Entry("gas", "GAS"),
    "greedy-wrapper": Entry("greedy_wrapper", "GreedyWrapper"),
    "hcas": Entry("hcas", "HCAS"),
    "importance": Entry("booster_importance", "BoosterImportance"),
    "importance+mrmr": Entry("hybrids", "RelevanceMRMR"),
    "information-gain": Entry("information_gain", "InformationGain"),
    "interact": Entry("interact", "INTERACT"),
    "mmr": Entry("mmr", "MMR"),
    "mpt": Entry("mpt", "MPT"),
    "mrmr": Entry("mrmr", "MRMR"),
    "mrmr-f": Entry("mrmr", "MRMR", _pooled),
    "mrmr>rfe": Entry("hybrids", "FilteredRFE", lambda: {"filter": "mrmr"}),
    "msd": Entry("msd", "MSD"),
    "ngas": Entry("ngas", "NGAS"),
    "rank-filter": Entry("rankfilter", "RankFilter"),
    "rank-wrapper": Entry("rankwrapper", "RankWrapper"),
    "ranking-boruta": Entry("boruta", "RankingBoruta"),
    "ranking-rfe": Entry("rfe", "RankingRFE"),
    "relieff": Entry("relieff", "ReliefF"),
    "rfe": Entry("hybrids", "FilteredRFE"),
    "rrelieff": Entry("rrelieff", "RReliefF"),
    "stability-selection": Entry("stability_selection", "StabilitySelection"),
    "symmetrical-uncertainty": Entry("information_gain", "SymmetricalUncertainty"),
    "top-k": Entry("topk", "TopK"),
    "xgas": Entry("xgas", "XGAS"),
}

# short names of the papers
_ALSO = {"chi": "chi-squared", "ig": "information-gain", "su": "symmetrical-uncertainty"}


def names() -> list[str]:
    """The names that `get` knows."""
    return sorted(_ENTRIES)


def selector_class(name: str) -> type[Selector]:
    """The class of that name, however it is hyphenated; unknown names are told the nearest known one."""
    return _entry(name).selector_class()


def get(name: str, **params: Any) -> Selector:
    """A new selector by name; `params` come before what the name presets, a dot leads into a settings object.

    >>> get("gas", c=0.5)
    GAS(c=0.5)
    >>> get("relieff", **{"neighbours.n_samples": 50}).neighbours.n_samples
    50
    >>> get("mrmr>rfe", n_features_to_select=5)
    FilteredRFE(filter='mrmr', n_features_to_select=5)
    """
    entry = _entry(name)
    cls = entry.selector_class()
    known = cls._get_param_names()
    plain: dict[str, Any] = {}
    inner: dict[str, dict[str, Any]] = {}
    for key, value in params.items():
        name, dot, setting = key.partition(".")
        if name not in known:
            raise ParameterError(str(UnknownNameError.of(f"parameter of {cls.__name__}", name, known)))
        if dot:
            inner.setdefault(name, {})[setting] = value
        else:
            plain[name] = value
    settings = {name: _settings(cls, name, values) for name, values in inner.items()}
    return cls(**{**entry.preset(), **plain, **settings})


def _settings(cls: type[Selector], name: str, values: dict[str, Any]) -> Any:
    """The settings object that a parameter takes, with these values."""
    kinds: list[Any] = [kind for kind in get_args(get_type_hints(cls)[name]) if is_dataclass(kind)]
    if not kinds:
        raise ParameterError(f"The {name!r} parameter of {cls.__name__} has no settings inside: drop the dot.")
    [kind] = kinds
    known = [field.name for field in fields(kind)]
    for key in values:
        if key not in known:
            raise ParameterError(str(UnknownNameError.of(f"setting of {kind.__name__}", key, known)))
    return kind(**values)


def _entry(name: str) -> Entry:
    wanted = _key(_ALSO.get(_key(name), name))
    for known, entry in _ENTRIES.items():
        if _key(known) == wanted:
            return entry
    raise UnknownNameError.of("selector", name, _ENTRIES)


def _key(name: str) -> str:
    return str(name).lower().replace("-", "").replace("_", "")
