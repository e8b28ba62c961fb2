"""Trees of a booster as JSON with the engine's names of features."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from leanrank.errors import ParameterError
from leanrank.rankers._base import Ranker

# What XGBoost predicts with these is the plain sum of leaves and the base score.
_PLAIN_OBJECTIVES = ("rank:", "reg:squarederror", "reg:linear", "reg:absoluteerror", "binary:logitraw")


def is_booster(ranker: Ranker, library: str) -> bool:
    """Whether the ranker is the adapter of "xgboost" or "lightgbm"."""
    return ranker._name == library


def xgboost_trees(ranker: Any, names: Sequence[str]) -> list[dict[str, Any]]:
    """The trees as XGBoost's JSON dump, splits by `names`; the base score is added to the leaves of the first tree.

    Engines sum leaves and know no base score, so with it inside the trees their sums equal `predict`.
    The format: https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html (dump_model).
    """
    booster = ranker.estimator_
    learner = json.loads(booster.save_config())["learner"]
    objective, kind = str(learner["objective"]["name"]), str(learner["gradient_booster"]["name"])
    if kind != "gbtree":
        raise ParameterError(f"Only XGBoost's gbtree can be exported as plain trees; this model is {kind!r}.")
    if not objective.startswith(_PLAIN_OBJECTIVES):
        raise ParameterError(
            f"The scores of XGBoost's {objective!r} are not plain sums of trees; use a rank objective."
        )
    base = float(str(learner["learner_model_param"]["base_score"]).strip("[]"))
    known = booster.feature_names or [f"f{j}" for j in range(len(names))]
    renamed = dict(zip(known, names, strict=True))
    trees: list[dict[str, Any]] = [json.loads(text) for text in booster.get_dump(dump_format="json")]
    for number, tree in enumerate(trees):
        stack = [tree]
        while stack:
            node = stack.pop()
            stack += node.get("children", [])
            if "split" in node:
                node["split"] = renamed[node["split"]]
            elif number == 0:
                node["leaf"] += base
    return trees


def lightgbm_dump(ranker: Any, names: Sequence[str]) -> dict[str, Any]:
    """LightGBM's `dump_model` with these names of features."""
    if "\naverage_output" in ranker.model_text_ or "\nis_linear=1" in ranker.model_text_:
        raise ParameterError("A LightGBM model that averages its trees (rf) or has linear leaves cannot be exported.")
    dump: dict[str, Any] = ranker.estimator_.dump_model()
    dump["feature_names"] = list(names)
    dump.pop("feature_infos", None)  # by LightGBM's own names
    dump["pandas_categorical"] = dump.get("pandas_categorical") or []  # Vespa looks for it
    return dump
