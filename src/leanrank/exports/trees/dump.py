"""The JSON dump of XGBoost, which Elasticsearch, OpenSearch and Vespa read, whatever library grew the trees.

The format: https://xgboost.readthedocs.io/en/stable/python/python_api.html (Booster.get_dump, dump_format="json").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from leanrank.exports.trees.forest import Forest, Tree


def xgboost_dump(forest: Forest, names: Sequence[str], unmatched: str) -> list[dict[str, Any]]:
    """The trees, splits by `names`; every split says where a feature without a value goes.

    Thresholds have the digits of their double precision, so that a reader that compares in either precision decides
    alike.
    """
    return [_dumped(tree, names, unmatched) for tree in forest.trees]


def _dumped(tree: Tree, names: Sequence[str], unmatched: str) -> dict[str, Any]:
    left_of, right_of = tree.left.tolist(), tree.right.tolist()
    features, thresholds, values = tree.feature.tolist(), tree.threshold.tolist(), tree.value.tolist()
    missing_left = tree.unmatched_left(unmatched).tolist()
    depths = _depths(features, left_of, right_of)

    def leaf(node: int) -> dict[str, Any]:
        return {"nodeid": node, "leaf": values[node]}

    def split(node: int, left: Any, right: Any) -> dict[str, Any]:
        return {
            "nodeid": node,
            "depth": depths[node],
            "split": names[features[node]],
            "split_condition": thresholds[node],
            "yes": left_of[node],
            "no": right_of[node],
            "missing": left_of[node] if missing_left[node] else right_of[node],
            "children": [left, right],
        }

    dumped: dict[str, Any] = tree.nested(split, leaf)
    return dumped


def _depths(features: list[int], left: list[int], right: list[int]) -> list[int]:
    depths = [0] * len(features)
    for node, feature in enumerate(features):
        if feature >= 0:
            depths[left[node]] = depths[right[node]] = depths[node] + 1
    return depths
