"""What a feature is to an engine when its query does not match a document: 0 or missing, by engine and version."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from leanrank.exports.target import Target
from leanrank.exports.trees.forest import LEAF, Forest, Tree, refuse_trees

# The first versions whose trees get NaN for it; older ones get 0. RankLib never tells a missing value from 0.
_MISSING_SINCE = {"elasticsearch": (8, 11), "opensearch": (3, 2), "solr": (9, 2)}
# OpenSearch looked at a split's own direction later than that; until then NaN went right.
_DIRECTIONS_SINCE = (3, 8)


def tells_missing(target: Target) -> bool:
    """Whether trees in the engine can tell a feature without a value from one that is 0."""
    since = _MISSING_SINCE.get(target.engine)
    return target.engine != "ranklib" and (since is None or not target.before(*since))


def for_engine(forest: Forest, target: Target) -> tuple[Forest, str]:
    """The trees as the engine needs them, and what their splits are to say of a feature without a value.

    OpenSearch 3.2 to 3.7 sends it right whatever a split says: for these versions the trees are spelled out so that
    the direction makes no difference, which makes them several times as large.
    """
    _warn(forest, target)
    if target.engine == "opensearch" and tells_missing(target):
        if target.before(*_DIRECTIONS_SINCE):
            return missing_right(forest, target.unmatched), "missing"
        if target.version is None and any(tree.unmatched_left(target.unmatched).any() for tree in forest.trees):
            warnings.warn(
                "OpenSearch 3.2 to 3.7 sends a feature whose query does not match to the right of every split, so "
                "these trees are mis-scored there. If that is your version, say so: --engine-version 3.5.",
                stacklevel=2,
            )
    return forest, target.unmatched


def _warn(forest: Forest, target: Target) -> None:
    if target.unmatched == "zero":
        if forest.learned_missing:
            warnings.warn(
                "The model was trained with missing values, and is exported for features that are 0 where their query "
                "does not match. If they were missing in training, say --unmatched missing.",
                stacklevel=2,
            )
    elif not tells_missing(target):
        version = "" if target.version is None else f" {target.version}"
        warnings.warn(
            f"{target.engine}{version} scores a feature without a value as 0, not as missing: documents with such "
            "features get other scores than in training. Train with 0 in their place.",
            stacklevel=2,
        )


_MOST_NODES = 2_000_000


def missing_right(forest: Forest, unmatched: str) -> Forest:
    """The same scores where NaN fails every comparison and so goes right.

    A split that wants a missing value left asks on its right side whether there is a value at all (is it below the
    largest number?), and answers "no" with a copy of its left side. In the copies the splits of that feature are
    decided, and below a split that a value has passed none is asked again; trees grow, but not without bound.
    """
    trees, n_nodes = [], 0
    for tree in forest.trees:
        trees.append(_spelled_out(tree, tree.unmatched_left(unmatched).tolist()))
        n_nodes += len(trees[-1].feature)
        if n_nodes > _MOST_NODES:
            raise refuse_trees(
                f"for this version of the engine its trees would grow from {forest.n_nodes:,} nodes to more than "
                f"{_MOST_NODES:,}; train smaller trees, or use a newer version"
            )
    return Forest(tuple(trees), forest.learned_missing)


@dataclass
class _Growing:
    """The nodes of a tree as they are added."""

    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)

    def add(self, feature: int, threshold: float, value: float) -> int:
        for column, entry in ((self.feature, feature), (self.left, 0), (self.right, 0)):
            column.append(entry)
        self.threshold.append(threshold)
        self.value.append(value)
        return len(self.feature) - 1


def _spelled_out(tree: Tree, missing_left: list[bool]) -> Tree:
    feature, threshold, value = tree.feature.tolist(), tree.threshold.tolist(), tree.value.tolist()
    left, right = tree.left.tolist(), tree.right.tolist()
    largest = float(np.finfo(np.float32).max)
    grown = _Growing()
    # (node, features that have a value, features that have none, the list and place that await the node's number)
    nobody: frozenset[int] = frozenset()
    stack = [(0, nobody, nobody, [0], 0)]
    while stack:
        node, there, absent, waiting, place = stack.pop()
        while feature[node] in absent:
            node = left[node] if missing_left[node] else right[node]
        column = feature[node]
        waiting[place] = number = grown.add(column, threshold[node], value[node])
        if column == LEAF:
            continue
        stack.append((left[node], there | {column}, absent, grown.left, number))
        if missing_left[node] and column not in there:
            grown.right[number] = guard = grown.add(column, largest, 0.0)
            stack.append((right[node], there | {column}, absent, grown.left, guard))
            stack.append((left[node], there, absent | {column}, grown.right, guard))
        else:
            stack.append((right[node], there, absent, grown.right, number))
    return Tree(
        feature=np.array(grown.feature, dtype=np.int64),
        threshold=np.array(grown.threshold, dtype=np.float32),
        left=np.array(grown.left, dtype=np.int64),
        right=np.array(grown.right, dtype=np.int64),
        missing_left=np.zeros(len(grown.feature), dtype=bool),
        value=np.array(grown.value),
    )
