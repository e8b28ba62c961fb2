"""Several metrics of one ranking, as a small table, also of documents that were judged and not retrieved."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.data.arrow_table import in_library
from leanrank.data.grouping import query_offsets
from leanrank.data.ranking_data import RankingData
from leanrank.data.weights import query_weights
from leanrank.errors import DataError, ParameterError
from leanrank.metrics._base import Metric, Values, mean, per_query_sum, relevant
from leanrank.metrics._ranked import ideal_gain
from leanrank.metrics.names import metric
from leanrank.metrics.ndcg import NDCG, divisors, gains
from leanrank.metrics.precision_recall import Precision, RelevanceMetric
from leanrank.metrics.reciprocal_rank import ERR


@dataclass(frozen=True, repr=False, eq=False)
class Evaluation:
    """What `evaluate` returns.

    Attributes
    ----------
    query_ids : array of shape (Q,)
    per_query : mapping of metric name to array of shape (Q,)
        NaN where the metric's convention leaves a query out.
    metrics : mapping of metric name to `Metric`
        What exactly was computed.
    query_weight : array of shape (Q,), optional
        How much each query counts in the mean.
    """

    query_ids: NDArray[Any]
    per_query: Mapping[str, Values]
    metrics: Mapping[str, Metric]
    query_weight: Values | None = None

    @property
    def mean(self) -> dict[str, float]:
        """Each metric's mean over the queries that count, weighted where queries have weights."""
        return {name: mean(values, self.query_weight) for name, values in self.per_query.items()}

    @property
    def n_queries(self) -> int:
        return len(self.query_ids)

    def to_frame(self, library: str = "pyarrow") -> Any:
        """One row per query: its id, then each metric. As a table of "pyarrow", "pandas" or "polars"."""
        import pyarrow

        # NaN means "left out": a null in a table.
        columns = {name: pyarrow.array(values, from_pandas=True) for name, values in self.per_query.items()}
        return in_library(pyarrow.table({"qid": pyarrow.array(self.query_ids), **columns}), library)

    def to_json(self, *, indent: int | None = None) -> str:
        """Means, definitions and values per query; null where a query is left out."""
        means, per_query = self.mean, {}
        for name, values in self.per_query.items():
            per_query[name] = [None if np.isnan(value) else value for value in values.tolist()]
        content = {
            "mean": {name: None if np.isnan(value) else value for name, value in means.items()},
            "metrics": {name: repr(m) for name, m in self.metrics.items()},
            "query_ids": self.query_ids.tolist(),
            **({} if self.query_weight is None else {"query_weight": self.query_weight.tolist()}),
            "per_query": per_query,
        }
        return json.dumps(content, indent=indent, allow_nan=False)

    def __repr__(self) -> str:
        rows = [("metric", "mean", "min", "median", "max", "queries", "left out")]
        for name, values in self.per_query.items():
            counted = values[~np.isnan(values)]
            figures = (self.mean[name], counted.min(), np.median(counted), counted.max()) if len(counted) else ()
            shown = [f"{figure:.4f}" for figure in figures] or ["-"] * 4
            rows.append((name, *shown, f"{len(counted):,}", f"{len(values) - len(counted):,}"))  # type: ignore[arg-type]
        widths = [max(len(row[c]) for row in rows) for c in range(7)]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True))])
            for row in rows
        ]
        noun = "query" if self.n_queries == 1 else "queries"
        return f"Evaluation of {self.n_queries:,} {noun}\n" + "\n".join(lines)


def evaluate(
    data_or_y: RankingData | ArrayLike,
    scores: ArrayLike,
    metrics: str | Metric | Sequence[str | Metric] = ("ndcg@10", "map"),
    *,
    qid: Any = None,
    regroup: bool = False,
) -> Evaluation:
    """Score a ranking by one or more metrics, per query and on average.

    Parameters
    ----------
    data_or_y : RankingData, or labels of shape (n,)
        With labels, `qid` says which rows belong to one query. Weights of queries weigh the means; weights of
        documents are refused, as no metric has a place for them.
    scores : array of shape (n,)
        Higher ranks first.
    metrics : str, Metric, or a sequence of them
        Names as `metric` takes them: "ndcg@10", "map", "p@5".
    qid : array of shape (n,), optional
        The query of every row, of any dtype. Not with a RankingData, which knows.
    regroup : bool
        Accept rows of one query that are not adjacent.

    Examples
    --------
    >>> result = evaluate([1, 0, 0, 1, 0], [0.9, 0.5, 0.2, 0.3, 0.8], ["ndcg@10", "map"], qid=["a", "a", "a", "b", "b"])
    >>> result
    Evaluation of 2 queries
    metric     mean     min  median     max  queries  left out
    ndcg@10  0.8155  0.6309  0.8155  1.0000        2         0
    map      0.7500  0.5000  0.7500  1.0000        2         0
    >>> result.mean["map"]
    0.75
    """
    wanted = [metrics] if isinstance(metrics, (str, Metric)) else list(metrics)
    if not wanted:
        raise ParameterError.of("evaluate", "metrics", "at least one metric", metrics)
    named = _named([metric(m) for m in wanted])
    if np.ndim(scores) != 1:
        raise DataError(f"Scores must be one column: a number for every row. Got shape {np.shape(scores)}.")
    values, weight = np.asarray(scores), None
    if isinstance(data_or_y, RankingData):
        if qid is not None:
            raise ParameterError("A RankingData knows its queries: leave out qid.")
        y, query_ptr, query_ids = data_or_y.y, data_or_y.query_ptr, data_or_y.query_ids
        weight = query_weights(data_or_y, "evaluate")
    else:
        y = np.asarray(data_or_y)
        query_ptr, ids, order = query_offsets(qid, n_rows=len(y), regroup=regroup)
        query_ids = np.arange(len(query_ptr) - 1) if ids is None else ids
        if order is not None and len(values) == len(y):
            y, values = y[order], values[order]
    per_query = {name: m.per_query(y, values, query_ptr) for name, m in named.items()}
    return Evaluation(query_ids, MappingProxyType(per_query), MappingProxyType(named), weight)


def _named(metrics: Sequence[Metric]) -> dict[str, Metric]:
    """Each metric by its name, with its convention or its whole repr where a shorter name is not unique."""
    distinct = list(dict.fromkeys(metrics))
    named: dict[str, Metric] = {}
    for m in distinct:
        alike = [other for other in distinct if other.name == m.name]
        conventions = [getattr(other, "convention", "") for other in alike]
        if len(alike) == 1:
            named[m.name] = m
        elif len(set(conventions)) == len(alike):
            named[f"{m.name} ({getattr(m, 'convention', '')})"] = m
        else:
            named[repr(m)] = m
    return named


Vector = NDArray[np.float64]


def per_query_of_run(
    metric: Metric, y: Vector, scores: Vector, query_ptr: NDArray[np.int64], unretrieved: Sequence[Vector]
) -> Values:
    """`metric.per_query` where `unretrieved` has, for each query, the labels of judged documents not in the list.

    They have no rank, so they add nothing to the sum over ranks, but the sum is divided by what all relevant documents
    together would give: the number of relevant documents (AP, recall), the ideal gain (NDCG).

    >>> from leanrank.metrics import AP
    >>> AP().per_query([1, 0], [2.0, 1.0], [0, 2])
    array([1.])
    >>> per_query_of_run(AP(), np.array([1.0, 0.0]), np.array([2.0, 1.0]), np.array([0, 2]), [np.array([1.0])])
    array([0.5])
    """
    if not isinstance(metric, (ERR, NDCG, RelevanceMetric)):
        raise ParameterError(f"{metric.name!r} is not defined for a run: it needs a score for every document.")
    values = metric.per_query(y, scores, query_ptr)
    labels = [np.concatenate((y[query_ptr[q] : query_ptr[q + 1]], more)) for q, more in enumerate(unretrieved)]
    sizes = [len(own) for own in labels]
    attainable = _attainable(metric, y, query_ptr)
    possible = _attainable(metric, np.concatenate(labels), np.concatenate(([0], np.cumsum(sizes))))
    share = attainable / np.where(possible > 0, possible, 1.0)
    # Where nothing was retrieved but something was there, the query is not empty: it scores 0.
    return np.where(possible > 0, np.where(attainable > 0, values * share, 0.0), values)


def _attainable(metric: Metric, y: Vector, query_ptr: NDArray[np.int64]) -> Vector:
    """What the metric divides by; for one that does not divide, whether there is a relevant document."""
    if isinstance(metric, NDCG):
        gain = gains("NDCG", y, metric.gain, metric.discount)
        divisor = divisors(int(np.diff(query_ptr).max()), metric.discount)
        return ideal_gain(gain, query_ptr, metric.k, divisor)
    if isinstance(metric, ERR):
        return np.sign(per_query_sum(np.maximum(y, 0.0), query_ptr))
    assert isinstance(metric, RelevanceMetric)
    n_relevant = per_query_sum(relevant(y, metric.relevance_threshold), query_ptr)
    if isinstance(metric, Precision):
        return np.sign(n_relevant)
    return metric._attainable(n_relevant, np.diff(query_ptr))
