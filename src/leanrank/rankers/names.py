"""What rankers are called, and where they are, for those who only want to know: nothing is loaded."""

from __future__ import annotations

from leanrank._lazy import public_names

#: Name -> (module, class): the adapters of the boosters.
BOOSTERS = {
    "catboost": ("leanrank.rankers.catboost_adapter", "CatBoostAdapter"),
    "lightgbm": ("leanrank.rankers.lightgbm_adapter", "LightGBMAdapter"),
    "xgboost": ("leanrank.rankers.xgboost_adapter", "XGBoostAdapter"),
}
#: The same of the public rankers, and of these.
WHERE = {
    cls.lower(): (module, cls) for cls, module in public_names("leanrank.rankers").items() if cls[0].isupper()
} | BOOSTERS


def name_of_class(cls: str) -> str | None:
    """The name of the ranker whose class is called so; None for one that is not known here.

    >>> name_of_class("LightGBMAdapter")
    'lightgbm'
    """
    return next((name for name, (_, known) in WHERE.items() if known == cls), None)
