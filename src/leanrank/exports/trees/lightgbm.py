"""LightGBM's text of a model, as a forest.

The format: https://lightgbm.readthedocs.io/en/stable/pythonapi/lightgbm.Booster.html (model_to_string).
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError
from leanrank.exports.trees.forest import LEAF, Forest, Tree, below, refuse_trees

# The bits of a decision type, and LightGBM's own idea of zero.
_CATEGORICAL, _DEFAULT_LEFT = 1, 2
_MISSING_ZERO, _MISSING_NAN = 1, 2
_ZERO = 1e-35


def read(text: str) -> Forest:
    """Trees of a model's text.

    LightGBM compares `x <= threshold` in double precision, and decides about missing values by split: NaN is 0 where
    training met none, else it goes where it was learned to go.
    """
    head, *parts = re.split(r"^Tree=\d+$", text.split("\nend of trees", 1)[0], flags=re.MULTILINE)
    if "\naverage_output" in head:
        raise refuse_trees("LightGBM's rf averages its trees")
    if (n := re.search(r"^num_tree_per_iteration=(\d+)", head, re.MULTILINE)) and n[1] != "1":
        raise refuse_trees("it has a score for each of several classes")
    trees = [_tree(dict(line.split("=", 1) for line in part.splitlines() if "=" in line)) for part in parts]
    return Forest(tuple(tree for tree, _ in trees), any(learned for _, learned in trees))


def _tree(fields: dict[str, str]) -> tuple[Tree, bool]:
    """The tree, and whether missing values were met."""
    if fields.get("is_linear", "0") != "0":
        raise refuse_trees("LightGBM's linear trees have more than a number in their leaves")
    leaves = _numbers(fields, "leaf_value", np.float64)
    n = len(leaves) - 1
    if n == 0:
        return _joined(np.empty(0, np.int64), np.empty(0), np.empty((2, 0), np.int64), np.empty(0, bool), leaves), False
    kind = _numbers(fields, "decision_type", np.int64)
    if (kind & _CATEGORICAL).any():
        raise refuse_trees("it splits by category, which engines cannot; train on numbers")
    highest_left, default_left = _numbers(fields, "threshold", np.float64), (kind & _DEFAULT_LEFT) > 0
    missing = kind >> 2
    zero_left = highest_left >= 0
    if ((missing == _MISSING_ZERO) & (default_left != zero_left)).any():
        raise refuse_trees(
            "it was trained with zero_as_missing, and sends 0 to another side than the numbers around it"
        )
    children = np.vstack([_numbers(fields, "left_child", np.int64), _numbers(fields, "right_child", np.int64)])
    children = np.where(children < 0, n + ~children, children)  # leaf k is ~k, and stands behind the splits here
    # With zero_as_missing all within 1e-35 is zero, and with it NaN; the side of 0 is the side of all these.
    missing_left = np.where(missing == _MISSING_NAN, default_left, zero_left)
    tree = _joined(_numbers(fields, "split_feature", np.int64), highest_left, children, missing_left, leaves)
    return tree, bool((missing == _MISSING_NAN).any())


def _joined(
    feature: NDArray[np.int64],
    highest_left: NDArray[np.float64],
    children: NDArray[np.int64],
    missing_left: NDArray[np.bool_],
    leaves: NDArray[np.float64],
) -> Tree:
    n, none = len(feature), np.zeros(len(leaves))
    return Tree(
        feature=np.concatenate([feature, np.full(len(leaves), LEAF, dtype=np.int64)]),
        threshold=np.concatenate([below(highest_left), none]).astype(np.float32),
        left=np.concatenate([children[0], none]).astype(np.int64),
        right=np.concatenate([children[1], none]).astype(np.int64),
        missing_left=np.concatenate([missing_left, none]).astype(bool),
        value=np.concatenate([np.zeros(n), leaves]),
    )


def _numbers(fields: dict[str, str], name: str, dtype: type) -> NDArray[Any]:
    if name not in fields:
        raise DataError(f"The LightGBM model has a tree without {name!r}.")
    return np.array(fields[name].split(), dtype=dtype)
