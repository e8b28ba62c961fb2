"""NGAS: walk to the feature least like the last one, or to its better neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.path import Path, Step
from leanrank.stats.feature_graph import FeatureGraph


class NGAS(GraphSelector):
    r"""From the last feature taken, go to the one least like it, unless that one's nearest neighbour is better.

    Start at ``cur = argmax r``. Among the rest,

    .. math:: f_{\min} = \arg\min_j |s_{cur,j}|, \qquad f_{\max} = \arg\max_{j \ne f_{\min}} |s_{f_{\min},j}|

    Take ``f_min`` if ``r[f_min] >= r[f_max]``, else ``f_max``; repeat. r is the importance, s the similarity.

    Parameters
    ----------
    n_features_to_select : int, float or None
        How many, or which share of all; None keeps all.
    importance, similarity : str or object
        What `feature_graph` takes.
    engine : optional
        Where the graph is computed.
    device : {"cpu", "cuda", "auto"}
        What the graph is computed on; the result is the same.

    Attributes
    ----------
    ranking_ : array
        The path; sizes are nested.
    scores_ : array
        The importance: the method has no other weight.
    trace_, support_, selected_, dropped_, graph_
        See `Selector` and `GraphSelector`.

    Notes
    -----
    O(K^2) after the graph, no parameter to tune. It looks back one step only, so for larger sizes it may come back to
    a family it has visited; `GAS` does not.

    References
    ----------
    A. Gigli, C. Lucchese, F. M. Nardini, R. Perego. Fast feature selection for learning to rank. ICTIR 2016.

    Examples
    --------
    >>> from leanrank import NGAS, FeatureGraph
    >>> similarity = [[1, 0.9, 0.1, 0.3], [0.9, 1, 0.2, 0.4], [0.1, 0.2, 1, 0.8], [0.3, 0.4, 0.8, 1]]
    >>> NGAS().fit_graph(FeatureGraph([0.5, 0.45, 0.3, 0.4], similarity)).ranking_
    array([0, 3, 1, 2])
    """

    def __init__(
        self,
        n_features_to_select: int | float | None = None,
        *,
        importance: Any = "ndcg@10",
        similarity: Any = "spearman",
        engine: Any = None,
        device: str = "cpu",
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.importance = importance
        self.similarity = similarity
        self.engine = engine
        self.device = device

    def _select(self, graph: FeatureGraph) -> Path:
        relevance, likeness, names = graph.importance, np.abs(graph.similarity), graph.feature_names
        current = int(np.argmax(relevance))
        steps = [_step(relevance, current, "most important of all")]
        alive = np.ones(len(relevance), dtype=bool)
        alive[current] = False
        while alive.any():
            f_min = int(np.argmin(np.where(alive, likeness[current], np.inf)))
            others = alive.copy()
            others[f_min] = False
            why = f"least like {names[current]!r} ({likeness[current, f_min]:.6g})"
            current = f_min
            if others.any():
                f_max = int(np.argmax(np.where(others, likeness[f_min], -np.inf)))
                if relevance[f_max] > relevance[f_min]:
                    why = f"nearest to {names[f_min]!r}, which is {why}, and more important"
                    current = f_max
            alive[current] = False
            steps.append(_step(relevance, current, why))
        return Path.of(steps, len(relevance), relevance)


def _step(relevance: Any, feature: int, reason: str) -> Step:
    worth = float(relevance[feature])
    return Step(feature, worth, worth, f"importance {worth:.6g}: {reason}")
