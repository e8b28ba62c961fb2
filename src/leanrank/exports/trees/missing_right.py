"""Trees for a reader that sends every missing value right, whatever the split says."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from leanrank.exports.trees.forest import LEAF, Forest, Tree, refuse_trees

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
