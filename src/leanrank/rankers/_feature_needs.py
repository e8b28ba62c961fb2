"""What an estimator of another library needs of its features: whether they should be scaled, and complete."""

from __future__ import annotations

from typing import Any

from sklearn.utils import get_tags

# Classes, by name so that none of these libraries is imported, that cut a feature at thresholds, wherever those lie.
_TREES = frozenset(
    {"BaseDecisionTree", "BaseForest", "BaseGradientBoosting", "BaseHistGradientBoosting", "LGBMModel", "CatBoost"}
)
# Ensembles of one other estimator, or of several; without one they are ensembles of trees.
_ENSEMBLES = frozenset({"BaseBagging", "BaseWeightBoosting", "_BaseHeterogeneousEnsemble"})
_IMPUTERS = frozenset({"SimpleImputer", "KNNImputer", "IterativeImputer"})


def wants_scaling(estimator: Any) -> bool:
    """Whether the estimator learns better from features scaled to [0, 1] within queries.

    Trees do not, nor do ensembles of nothing but trees. A pipeline with a transformer prepares its features itself and
    gets them as they are; any other is asked by its last step, a search or another wrapper by what it wraps.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.tree import DecisionTreeRegressor
    >>> wants_scaling(Ridge()), wants_scaling(DecisionTreeRegressor())
    (True, False)
    """
    kinds = _class_names(estimator)
    if "XGBModel" in kinds:
        return bool(estimator.get_params().get("booster") == "gblinear")
    if kinds & _TREES:
        return False
    if "Pipeline" in kinds:
        return len(_steps(estimator)) == 1 and wants_scaling(_steps(estimator)[0])
    members = _members(estimator)
    if members:
        return any(wants_scaling(member) for member in members)
    return not kinds & _ENSEMBLES


def takes_missing(estimator: Any) -> bool:
    """Whether the estimator takes features with missing values.

    A pipeline does if each of its steps does, up to one that fills them.
    """
    if "Pipeline" not in _class_names(estimator):
        return bool(get_tags(estimator).input_tags.allow_nan)
    for step in _steps(estimator):
        if not takes_missing(step):
            return False
        if _class_names(step) & _IMPUTERS:
            return True
    return True


def _class_names(estimator: Any) -> set[str]:
    return {base.__name__ for base in type(estimator).__mro__}


def _steps(pipeline: Any) -> list[Any]:
    """The steps that do something."""
    return [step for _, step in pipeline.steps if step is not None and step != "passthrough"]


def _members(estimator: Any) -> list[Any]:
    """The estimators that this one trains on the features."""
    several = getattr(estimator, "estimators", None) or []
    inner = [getattr(estimator, name, None) for name in ("estimator", "regressor")]
    return [one for one in [*(one for _, one in several), *inner] if hasattr(one, "fit")]
