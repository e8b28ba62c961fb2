"""Selectors by name, as the command line and `select` take them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leanrank.errors import ParameterError, UnknownNameError
from leanrank.selectors._base import Selector

# name -> (module, class)
_WHERE = {
    "fs-scpr": ("leanrank.selectors.fsscpr", "FSSCPR"),
    "gas": ("leanrank.selectors.gas", "GAS"),
    "hcas": ("leanrank.selectors.hcas", "HCAS"),
    "mmr": ("leanrank.selectors.mmr", "MMR"),
    "mpt": ("leanrank.selectors.mpt", "MPT"),
    "mrmr": ("leanrank.selectors.mrmr", "MRMR"),
    "msd": ("leanrank.selectors.msd", "MSD"),
    "ngas": ("leanrank.selectors.ngas", "NGAS"),
    "top-k": ("leanrank.selectors.topk", "TopK"),
    "xgas": ("leanrank.selectors.xgas", "XGAS"),
}


def names() -> list[str]:
    """The names that `get` knows."""
    return sorted(_WHERE)


def selector_class(name: str) -> type[Selector]:
    """The class of that name, however it is hyphenated; unknown names are told the nearest known one."""
    wanted = _key(name)
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
