"""MRMR: minimum redundancy, maximum relevance."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from leanrank._declared import declared
from leanrank.data.ranking_data import RankingSource
from leanrank.engines.fold import Statistic, fold_partials
from leanrank.errors import DataError, ParameterError
from leanrank.selectors._graph_selector import GraphSelector
from leanrank.selectors.column_limits import ColumnLimits
from leanrank.selectors.greedy import greedy
from leanrank.selectors.limits import Limits
from leanrank.selectors.path import Path, Step
from leanrank.stats.anova import AnovaF
from leanrank.stats.constant import Constant
from leanrank.stats.feature_graph import FeatureGraph
from leanrank.stats.similarity import Similarity

#: The quotient never divides by less than this.
FLOOR = 1e-3


@declared
class MRMR(GraphSelector):
    r"""Take the feature whose relevance stands out most against its mean similarity to those taken.

    First ``argmax r``, then the quotient or the difference,

    .. math::
        \arg\max_i\; \frac{r_i}{\max(o + \operatorname{mean}_{j \in S} |e_{ij}|,\, 0.001)} \qquad\text{or}\qquad
        \arg\max_i\; r_i - \operatorname{mean}_{j \in S} |e_{ij}|

    r being the relevance of the features, e their similarity and o the offset.

    Parameters
    ----------
    form : {"quotient", "difference"}
        How relevance is set against redundancy.
    offset : float
        What the quotient adds to the mean similarity, >= 0. With 1 a feature like nothing counts for at most twice its
        relevance beside a copy; with 0, as the method was written, it is beyond all measure, and noise comes first.
    relevance : {"importance", "f"}
        r is the importance, or the F value of a one-way analysis of variance of the feature over the labels, all
        queries pooled. `fit_graph` has no data and takes the graph's importance for r in both cases.
    importance, similarity : str or object
        What `feature_graph` takes. With ``relevance="f"`` and pooled Pearson similarity this is the usual MRMR of
        regression and classification, if `offset` is 0 too: "mrmr-f" in the registry.

    See Also
    --------
    GAS, MMR, RelevanceMRMR

    Notes
    -----
    O(K^2) after the graph. The quotient needs no trade-off to be tuned.

    References
    ----------
    H. Peng, F. Long, C. Ding. Feature selection based on mutual information: criteria of max-dependency,
    max-relevance, and min-redundancy. IEEE TPAMI 27(8), 2005.
    M. B. Shirzad, M. R. Keyvanpour. A feature selection method based on minimum redundancy maximum relevance for
    learning to rank. AI & Robotics 2015.

    Examples
    --------
    >>> from leanrank import MRMR, FeatureGraph
    >>> graph = FeatureGraph([0.5, 0.4, 0.3], [[1, 0.9, 0.1], [0.9, 1, 0.1], [0.1, 0.1, 1]], ["bm25", "tf", "age"])
    >>> MRMR(2).fit_graph(graph).get_feature_names_out().tolist()
    ['bm25', 'age']
    """

    form: str = "quotient"
    relevance: str = "importance"
    offset: float = 1.0
    limits: Limits | None = None

    def _check_parameters(self) -> None:
        self._require_one_of("form", ("quotient", "difference"))
        self._require_one_of("relevance", ("importance", "f"))
        self._require_number("offset", ">= 0", low=0)

    @property
    def is_of_queries(self) -> bool:
        """Whether its graph is a mean over queries: F is not."""
        return super().is_of_queries and self.relevance == "importance"

    def fit_graph(self, graph: FeatureGraph, data: RankingSource | None = None) -> Self:
        """Learn from a graph computed before, the importance of which is the relevance.

        `importance`, `similarity` and `engine` are not looked at; with ``relevance="f"`` a graph that is known to have
        another importance is refused.

        Parameters
        ----------
        graph : FeatureGraph
        data : RankingData or RankingSource, default=None
            What it was computed from: where copies are looked for if the graph does not show them.
        """
        measured = graph.computed_with.get("importance", {}).get("metric", "f")
        if self.relevance == "f" and measured != "f":
            raise ParameterError.of("MRMR", "relevance", f"'importance' on a graph of {measured}", self.relevance)
        return super().fit_graph(graph, data)

    def _graph(self, source: RankingSource) -> FeatureGraph:
        if self.relevance == "importance":
            return super()._graph(source)
        similarity = Similarity.named(self.similarity)
        statistics: list[Statistic] = [AnovaF(), similarity, Constant()]
        parts = fold_partials(statistics, source, self.engine)
        f, likeness, constant = (one.finish(part) for one, part in zip(statistics, parts, strict=True))
        return FeatureGraph(
            importance=f,
            similarity=likeness,
            feature_names=source.feature_names,
            constant=constant,
            n_queries=int(parts[-1].n_queries),
            computed_with={"importance": {"metric": "f", "direction": "desc"}, "similarity": similarity.describe()},
        )

    def _select(self, graph: FeatureGraph) -> Path:
        return mrmr(graph, self._limits(graph.feature_names), form=self.form, offset=self.offset)


def mrmr(graph: FeatureGraph, limits: ColumnLimits, *, form: str = "quotient", offset: float = 1.0) -> Path:
    """The path of MRMR on a graph whose importance is the relevance."""
    r, likeness = graph.importance, np.abs(graph.similarity)
    if form == "quotient" and (r < 0).any():
        raise DataError(
            f"The smallest relevance is {r.min():.6g}: form='quotient' needs none below 0. Use 'difference'."
        )
    redundancies: list[NDArray[np.float64]] = []
    total = np.zeros(len(r))

    def criterion(newest: int | None) -> NDArray[np.float64]:
        if newest is None:
            redundancies.append(total.copy())
            return r
        np.add(total, likeness[newest], out=total)
        redundancies.append(total / len(redundancies))
        redundancy = redundancies[-1]
        return np.asarray(r / np.maximum(offset + redundancy, FLOOR) if form == "quotient" else r - redundancy)

    steps = []
    for (j, gain), redundancy in zip(greedy(criterion, len(r), limits=limits), redundancies, strict=True):
        why = f"relevance {r[j]:.6g}, mean likeness {redundancy[j]:.6g} to those before"
        steps.append(Step(j, float(r[j]), gain, why))
    return Path.of(steps, len(r))
