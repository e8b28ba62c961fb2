"""Rankers by name, as the command line and `cross_validate` take them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from leanrank._lazy import public_names
from leanrank.errors import UnknownNameError

if TYPE_CHECKING:
    from leanrank.rankers._base import Ranker

#: Name -> (module, class): the adapters of the boosters.
BOOSTERS = {
    "catboost": ("leanrank.rankers.catboost_adapter", "CatBoostAdapter"),
    "lightgbm": ("leanrank.rankers.lightgbm_adapter", "LightGBMAdapter"),
    "xgboost": ("leanrank.rankers.xgboost_adapter", "XGBoostAdapter"),
}
#: The same of the public rankers, and of these.
_WHERE = {
    cls.lower(): (module, cls) for cls, module in public_names("leanrank.rankers").items() if cls[0].isupper()
} | BOOSTERS


def names() -> list[str]:
    """The names that `get` knows."""
    return sorted(_WHERE)


def ranker_class(name: str) -> type[Ranker]:
    """The class of that name; unknown names are told the nearest known one."""
    key = str(name).lower().replace("-", "").replace("_", "")
    if key not in _WHERE:
        raise UnknownNameError.of("ranker", name, _WHERE)
    module, attribute = _WHERE[key]
    ranker_type: type[Ranker] = getattr(import_module(module), attribute)
    return ranker_type


def name_of_class(cls: str) -> str | None:
    """The name of the ranker whose class is called so; None for one that is not known here.

    >>> name_of_class("LightGBMAdapter")
    'lightgbm'
    """
    return next((name for name, (_, known) in _WHERE.items() if known == cls), None)


def get(name: str, **params: Any) -> Ranker:
    """A new ranker by name.

    >>> get("ranksvm", C=10.0)
    RankSVM(C=10.0)
    """
    return ranker_class(name)._make(**params)
