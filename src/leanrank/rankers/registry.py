"""Rankers by name, as the command line and `cross_validate` take them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from leanrank.errors import UnknownNameError
from leanrank.rankers._base import Ranker

# name -> (module, class)
_WHERE = {
    "adarank": ("leanrank.rankers.adarank", "AdaRank"),
    "catboost": ("leanrank.rankers.catboost_adapter", "CatBoostAdapter"),
    "cohenorder": ("leanrank.rankers.cohen_order", "CohenOrder"),
    "committeeperceptron": ("leanrank.rankers.committee_perceptron", "CommitteePerceptron"),
    "expectedrankregression": ("leanrank.rankers.expected_rank_regression", "ExpectedRankRegression"),
    "kernelranksvm": ("leanrank.rankers.kernel_ranksvm", "KernelRankSVM"),
    "lightgbm": ("leanrank.rankers.lightgbm_adapter", "LightGBMAdapter"),
    "listnet": ("leanrank.rankers.listnet", "ListNet"),
    "ordersvm": ("leanrank.rankers.order_svm", "OrderSVM"),
    "rankboost": ("leanrank.rankers.rankboost", "RankBoost"),
    "ranknet": ("leanrank.rankers.ranknet", "RankNet"),
    "ranksvm": ("leanrank.rankers.ranksvm", "RankSVM"),
    "svmmap": ("leanrank.rankers.svmmap", "SVMMAP"),
    "xgboost": ("leanrank.rankers.xgboost_adapter", "XGBoostAdapter"),
}


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


def get(name: str, **params: Any) -> Ranker:
    """A new ranker by name.

    >>> get("ranksvm", C=10.0)
    RankSVM(C=10.0)
    """
    return ranker_class(name)._make(**params)
