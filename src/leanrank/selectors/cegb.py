"""LightGBM's cost-effective gradient boosting: feature costs as penalties of a booster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from leanrank.errors import ParameterError
from leanrank.selectors.limits import Limits


def cegb_params(
    costs: Any, feature_names: Sequence[str], *, groups: Any = None, tradeoff: float = 1.0
) -> dict[str, Any]:
    """LightGBM's parameters for features of these costs.

    A split on a feature that no tree has used yet loses ``tradeoff * cost`` of its gain. LightGBM knows no groups: the
    cost of a group is shared evenly among its features.

    Parameters
    ----------
    costs, groups
        As in `Limits`.
    feature_names : sequence of str
        All features, in the order of their columns.
    tradeoff : float
        Gain of a split that one unit of cost is worth, >= 0.

    Examples
    --------
    >>> cegb_params({"bm25": 1, "clicks": 5}, ["bm25", "clicks"], tradeoff=0.5)
    {'cegb_tradeoff': 0.5, 'cegb_penalty_feature_coupled': [1.0, 5.0]}

    References
    ----------
    S. Peter, F. Diego, F. A. Hamprecht, B. Nadler. Cost efficient gradient boosting. NeurIPS 2017.
    """
    if not tradeoff >= 0:
        raise ParameterError.of("cegb_params", "tradeoff", ">= 0", tradeoff)
    limits = Limits(costs=costs, groups=groups).bound("cegb_params", feature_names)
    share = limits.shared / np.maximum(1, limits.member.sum(axis=1))
    penalty = limits.own + share @ limits.member
    return {"cegb_tradeoff": float(tradeoff), "cegb_penalty_feature_coupled": penalty.tolist()}
