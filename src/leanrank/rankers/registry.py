"""Rankers by name, as the command line and `cross_validate` take them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leanrank.errors import UnknownNameError
from leanrank.rankers._base import Ranker
from leanrank.rankers.names import WHERE


def names() -> list[str]:
    """The names that `get` knows."""
    return sorted(WHERE)


def ranker_class(name: str) -> type[Ranker]:
    """The class of that name; unknown names are told the nearest known one."""
    key = str(name).lower().replace("-", "").replace("_", "")
    if key not in WHERE:
        raise UnknownNameError.of("ranker", name, WHERE)
    module, attribute = WHERE[key]
    ranker_type: type[Ranker] = getattr(import_module(module), attribute)
    return ranker_type


def get(name: str, **params: Any) -> Ranker:
    """A new ranker by name.

    >>> get("ranksvm", C=10.0)
    RankSVM(C=10.0)
    """
    return ranker_class(name)._make(**params)
