"""A booster as engines see one: binary trees that compare single precision numbers, and the sum of their leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import ParameterError

LEAF = -1


@dataclass(frozen=True)
class Tree:
    """One tree, arrays with an entry a node; node 0 is the root, and children stand behind their parents.

    A value goes left if it is **below** the threshold. Engines hold feature values in single precision, and so do the
    thresholds here: a value of double precision that is compared otherwise was never in an engine.
    """

    feature: NDArray[np.int64]  # the column that is compared, from 0; `LEAF` where the node is a leaf
    threshold: NDArray[np.float32]
    # the children of a split
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    missing_left: NDArray[np.bool_]  # whether the library's own `predict` sends a missing value (NaN) left
    value: NDArray[np.float64]  # what a leaf adds to the score

    def unmatched_left(self, unmatched: str) -> NDArray[np.bool_]:
        """Which splits send a feature without a value left: as its 0 would go ("zero"), or as learned ("missing")."""
        return np.asarray(self.threshold > 0) if unmatched == "zero" else self.missing_left

    def nested(self, split: Callable[[int, Any, Any], Any], leaf: Callable[[int], Any]) -> Any:
        """The tree as nested objects: `leaf(node)`, and `split(node, left, right)` of objects made before."""
        made: list[Any] = [None] * len(self.feature)
        left, right = self.left.tolist(), self.right.tolist()
        for node in range(len(made) - 1, -1, -1):
            made[node] = leaf(node) if self.feature[node] == LEAF else split(node, made[left[node]], made[right[node]])
        return made[0]


@dataclass(frozen=True)
class Forest:
    """Trees whose leaves add up to the score."""

    trees: tuple[Tree, ...]
    learned_missing: bool = False  # whether the library is known to have met missing values in training

    @property
    def n_nodes(self) -> int:
        return sum(len(tree.feature) for tree in self.trees)


def has_trees(ranker: Any) -> bool:
    """Whether the ranker is a booster whose trees can be read here."""
    return ranker._name in ("lightgbm", "xgboost", "catboost")


def forest_of(ranker: Any) -> Forest | None:
    """The trees of a LightGBM, XGBoost or CatBoost ranker; None for every other."""
    if not has_trees(ranker):
        return None
    read: Callable[[str], Forest] = import_module(f"leanrank.exports.trees.{ranker._name}").read
    forest = read(ranker.model_text_)
    return forest if forest.trees else Forest((single_leaf(0.0),))  # an engine refuses a model without a tree


def single_leaf(value: float) -> Tree:
    """A tree that says the same of every document."""
    none = np.zeros(1, dtype=np.int64)
    return Tree(none + LEAF, none.astype(np.float32), none, none, none.astype(bool), np.array([value]))


def below(highest_left: NDArray[np.float64]) -> NDArray[np.float32]:
    """Thresholds t so that `x < t` says what `x <= highest_left` says, of single precision x.

    >>> t = below(np.array([0.5, 0.1, 1e-45]))
    >>> x = np.array([0.5, 0.1, 0.0], dtype=np.float32)
    >>> (x < t).tolist(), (x <= np.array([0.5, 0.1, 1e-45])).tolist()
    ([True, False, True], [True, False, True])
    """
    with np.errstate(over="ignore"):  # steps from the outermost numbers
        single = highest_left.astype(np.float32)
        too_high = single.astype(np.float64) > highest_left
        single = np.where(too_high, np.nextafter(single, np.float32(-np.inf)), single)
        above = np.nextafter(single, np.float32(np.inf))
    largest = np.finfo(np.float32).max
    return np.asarray(np.clip(above, -largest, largest), dtype=np.float32)  # a file has no infinite numbers


def refuse_trees(why: str) -> ParameterError:
    """What to raise of trees that engines cannot be told."""
    return ParameterError(f"This model cannot be exported as plain trees: {why}.")


def xgboost_dump(forest: Forest, names: Sequence[str], unmatched: str) -> list[dict[str, Any]]:
    """The trees in the JSON of XGBoost's `Booster.get_dump`, which Elasticsearch, OpenSearch and Vespa read.

    Splits go by `names`, and every split says where a feature without a value goes. Thresholds have the digits of their
    double precision, so that a reader that compares in either precision decides alike.
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
