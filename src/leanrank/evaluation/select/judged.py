"""What `select` is given: its data as RankingData, whether they tell features apart, and its numbers, checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from numbers import Integral
from sys import float_info
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from leanrank.data.columns import as_frame
from leanrank.data.door import as_ranking_data
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import TableNames
from leanrank.data.splits import separable
from leanrank.data.tabular.frames import from_frame
from leanrank.errors import DataError, ParameterError, is_number, is_whole
from leanrank.evaluation.fold_roles import roles_in_time, windows_of
from leanrank.metrics._base import Metric
from leanrank.metrics.names import metric as parse_metric

_FORMS = (
    "Pass a RankingData, a frame with label= and qid= (names of its columns), X with y= and qid= (one value per row), "
    "or a tuple (X, y, qid)."
)


def judged(
    data: Any,
    *,
    y: Any = None,
    label: str | None = None,
    qid: Any = None,
    comments: str | None = None,
    **more: Unpack[TableNames],
) -> RankingData:
    """The judged documents; missing values are let in, methods that take none refuse them by name.

    Parameters
    ----------
    data : RankingData, frame, array, sparse matrix or tuple (X, y, qid)
    y : array, series or list of length n, optional
        Labels of the rows of `data`, which are features then, all of them.
    label : str, optional
        The column of labels, if `data` is a frame that holds them.
    qid : str, or array of length n, optional
        The column of query ids of such a frame, or the ids themselves.
    comments : str, optional
        A column of texts to keep, not a feature.
    weight, position, query_weight, time, query_group, slices, categorical
        Columns of a frame, as `from_frame` takes them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"grade": [1, 0, 2], "query": ["tea", "tea", "cup"], "bm25": [2.5, 0.5, 1.0]})
    >>> judged(frame, label="grade", qid="query").feature_names
    ('bm25',)
    >>> judged(([[2.5], [0.5]], [1, 0], ["tea", "tea"])).n_queries
    1
    """
    given = {"y": y, "label": label, "qid": qid, "comments": comments, **more}
    if isinstance(data, RankingData):
        nothing_beside("A RankingData", given)
        return data
    if isinstance(data, tuple):
        if len(data) != 3:
            raise DataError(f"A tuple of {len(data)} is not (X, y, qid). {_FORMS}")
        nothing_beside("A tuple (X, y, qid)", given)
        X, labels, ids = data
        return as_ranking_data(X, labels, qid=ids, missing=True)
    if y is not None:
        nothing_beside("X with y= and qid=", {"label": label, "comments": comments, **more})
        if qid is None:
            raise DataError(f"There is no qid, so which rows belong to one query is unknown. {_FORMS}")
        return as_ranking_data(data, y, qid=qid, missing=True)
    if as_frame(data) is None:
        raise DataError(f"There are no labels: data is an object of type {type(data).__name__}. {_FORMS}")
    return from_frame(data, label=label, qid=qid, comments=comments, missing=True, **more)


def named_columns(owner: str, columns: TableNames) -> TableNames:
    """The columns that a caller named by keyword; any other keyword is the error that Python has for it."""
    for name in columns:
        if name not in TableNames.__annotations__:
            near = get_close_matches(name, TableNames.__annotations__, 1)
            raise TypeError(
                f"{owner}() got an unexpected keyword argument {name!r}"
                + (f": did you mean {near[0]!r}?" if near else "")
            )
    return columns


def nothing_beside(what: str, given: Mapping[str, Any]) -> None:
    """Refuse what the data carry themselves, or have no column of."""
    beside = " and ".join(f"{name}=" for name, value in given.items() if value is not None)
    if beside:
        raise DataError(f"{what} is complete: leave out {beside}. {_FORMS}")


def check_judged(data: RankingData, metric: Metric, cv: int | str, owner: str = "select") -> None:
    """Refuse data on which features cannot be told apart, or too few queries for so many folds."""
    windows = windows_of(cv)
    if windows is not None:
        roles_in_time(data, windows)
    n_folds = int(cv) if windows is None else windows
    if separable(data) < n_folds:
        what = "queries" if data.beside.query_group is None else "groups of queries"
        raise ParameterError.of(owner, "cv", f"at most the number of {what}, {separable(data)}", cv)
    if not _differ(data).any():
        raise DataError(
            f"No query of {data.n_queries:,} has two documents with different labels, so nothing can be told about any "
            "feature. Pass data with judged documents of more than one grade to a query."
        )
    judged = int(judged_mask(data, metric).sum())
    if judged < n_folds:
        raise DataError(
            f"{judged} of {data.n_queries:,} queries are judged (two documents with different labels, and counted by "
            f"{metric.name}), but {n_folds} folds need at least {n_folds}: judge more queries, or ask for fewer folds.",
            owner=owner,
            parameter="cv",
        )


def judged_mask(data: RankingData, metric: Metric) -> NDArray[np.bool_]:
    """Which queries have documents with different labels, are counted by the metric and weigh anything."""
    counted = ~np.isnan(metric.per_query(data.y, np.zeros(data.n_rows), data.query_ptr))
    if data.beside.query_weight is not None:
        counted &= data.beside.query_weight > 0
    return np.asarray(_differ(data) & counted)


def _differ(data: RankingData) -> NDArray[np.bool_]:
    first = data.query_ptr[:-1]
    return np.asarray(np.minimum.reduceat(data.y, first) < np.maximum.reduceat(data.y, first))


def whole_number(name: str, value: Any, rule: str, low: int, high: float = np.inf) -> int:
    """The parameter as an int of [low, high]; True and False are no numbers."""
    if is_whole(value, low) and int(value) <= high:
        return int(value)
    raise ParameterError.of("select", name, rule, value)


def real_number(name: str, value: Any, rule: str, low: float, high: float = float_info.max) -> float:
    """The parameter as a finite number of [low, high], an int where it is one."""
    if is_number(value, low, high):
        return int(value) if isinstance(value, Integral) else float(value)
    raise ParameterError.of("select", name, rule, value)


def folds_asked(cv: Any, lowest: int) -> int | str:
    """The number of folds, or "time" with its number of windows."""
    if windows_of(cv) is not None:
        return str(cv)
    return whole_number("cv", cv, f"a number of folds >= {lowest}{', or time' * isinstance(cv, str)}", lowest)


def metrics_of(metric: Any, metrics: Any) -> tuple[Metric, ...]:
    """The metrics asked for, the first of which methods are chosen by; names that two of them share are refused."""
    if metrics is None:
        return (metric_of(metric),)
    wanted = [metrics] if isinstance(metrics, str | Metric) or not isinstance(metrics, Iterable) else list(metrics)
    several = tuple(metric_of(one) for one in wanted)
    if not several or len({one.name for one in several}) < len(several):
        raise ParameterError.of("select", "metrics", "one or more metrics of different names", wanted)
    return several


def max_losses_of(max_loss: Any, n_metrics: int, default: float) -> tuple[float, ...]:
    """The loss allowed of each metric: one for all, or one for each."""
    if max_loss is None:
        return (default,) * n_metrics
    rule = ">= 0 and finite"
    if isinstance(max_loss, list | tuple | np.ndarray):
        if len(max_loss) != n_metrics:
            rule = f"one number, or one for each of the {n_metrics} metrics"
            raise ParameterError.of("select", "max_loss", rule, list(max_loss))
        return tuple(float(real_number("max_loss", one, rule, 0)) for one in max_loss)
    return (float(real_number("max_loss", max_loss, rule, 0)),) * n_metrics


def metric_of(metric: Any) -> Metric:
    """The metric asked for, by name or as an object."""
    if not isinstance(metric, str | Metric):
        raise ParameterError.of("select", "metric", "a name such as 'ndcg@10' or a metric", metric)
    return parse_metric(metric)
