"""What all metrics share: a convention as identity, values per query, their mean."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import fsum
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.data.grouping import query_offsets
from leanrank.errors import DataError, ParameterError, is_whole

_EMPTY = {"skip": np.nan, "zero": 0.0, "one": 1.0}

# A read-only or strided array would make numba compile every kernel once more.
_PLAIN: tuple[Literal["C"], Literal["W"]] = ("C", "W")

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lists:
    """Documents of queries, checked, with their labels and K columns of scores; and the threads to use on them."""

    y: Values
    scores: NDArray[Any]  # (n, K)
    query_ptr: NDArray[np.int64]
    n_threads: int | None = None

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.query_ptr)


class Metric(ABC):
    """A measure of a ranking, higher is better. Two metrics are equal where they compute the same thing."""

    #: Short name without a cutoff, as `metric()` takes it.
    short_name: ClassVar[str]

    @property
    def name(self) -> str:
        """The name `metric()` understands: "ndcg@10"."""
        k = getattr(self, "k", None)
        return self.short_name if k is None else f"{self.short_name}@{k}"

    def per_query(
        self, y: ArrayLike, scores: ArrayLike, query_ptr: ArrayLike, *, n_threads: int | None = None
    ) -> Values:
        """The metric of every query: shape (Q,), or (Q, K) for K columns of scores; NaN for a query left out.

        Parameters
        ----------
        y : array of shape (n,)
            Labels, higher is better.
        scores : array of shape (n,) or (n, K)
            Higher ranks first. Columns are scored one by one.
        query_ptr : array of shape (Q + 1,)
            Query i owns the rows ``query_ptr[i]:query_ptr[i + 1]``.
        n_threads : int, optional
            Every core this process may use, if not given.
        """
        values = self._compute(_checked(y, scores, query_ptr, n_threads))
        return values if np.ndim(scores) == 2 else values[:, 0]

    def __call__(self, y: ArrayLike, scores: ArrayLike, *, qid: Any, regroup: bool = False) -> Any:
        """The mean over queries: a float, or an array of K for K columns of scores. NaN if every query is left out.

        `qid` is the query of every row, of any dtype; rows of a query must be adjacent unless `regroup`.
        """
        y, scores = np.asarray(y), np.asarray(scores)
        query_ptr, _, order = query_offsets(qid, n_rows=len(y), regroup=regroup)
        if order is not None:
            y, scores = y[order], scores[order]
        return mean(self.per_query(y, scores, query_ptr))

    @abstractmethod
    def _compute(self, lists: Lists) -> Values:
        """Values of shape (Q, K)."""


def mean(per_query: Values, weight: Values | None = None) -> Any:
    """The mean over the queries that are not left out, the same whatever their order (exact summation).

    With `weight`, a query counts as much as that: ``sum(w_q m_q) / sum(w_q)``.

    >>> mean(np.array([0.25, np.nan, 0.5])), mean(np.array([0.25, np.nan, 0.5]), np.array([3.0, 1.0, 1.0]))
    (0.375, 0.3125)
    """
    if per_query.ndim == 2:
        return np.array([mean(column, weight) for column in per_query.T])
    known = ~np.isnan(per_query)
    counted = per_query[known]
    if weight is None:
        return fsum(counted.tolist()) / len(counted) if len(counted) else float("nan")
    shares = weight[known]
    total = fsum(shares.tolist())
    return fsum((shares * counted).tolist()) / total if total > 0 else float("nan")


def divide(total: Values, by: NDArray[np.float64], empty: str) -> Values:
    """total / by, query by query; where `by` is 0 the query is empty and scores what the convention says."""
    nothing = by == 0
    values = total / np.where(nothing, 1.0, by)[:, None]
    values[nothing] = _EMPTY[empty]
    return values


def relevant(y: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """1.0 where the label reaches the threshold, else 0.0."""
    return (y >= threshold).astype(np.float64)


def per_query_sum(values: NDArray[np.float64], query_ptr: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum of a column over the rows of each query."""
    return np.asarray(np.add.reduceat(values, query_ptr[:-1]), dtype=np.float64)


def check_cutoff(owner: str, k: object, *, optional: bool = True) -> None:
    """Refuse a cutoff that is not a whole number of at least 1."""
    if optional and k is None:
        return
    if not is_whole(k, 1):
        raise ParameterError.of(owner, "k", "a whole number >= 1" + (" or None" if optional else ""), k)


def is_number(value: object) -> bool:
    """Whether `value` is a real number (True and False are not)."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def check_threshold(owner: str, threshold: Any) -> None:
    """Refuse a relevance threshold that is not a finite number."""
    if not is_number(threshold) or not np.isfinite(threshold):
        raise ParameterError.of(owner, "relevance_threshold", "a finite number", threshold)


def check_labels(owner: str, y: NDArray[np.float64], highest: float, remedy: str) -> None:
    """Refuse labels outside 0..highest, naming the row."""
    outside = (y < 0) | (y > highest)
    if outside.any():
        row = int(np.argmax(outside))
        raise DataError(f"{owner} takes labels from 0 to {highest:g}: the label of row {row} is {y[row]:g}. {remedy}")


def _checked(y: ArrayLike, scores: ArrayLike, query_ptr: ArrayLike, n_threads: int | None) -> Lists:
    given = np.asarray(y)
    if given.dtype.kind not in "biuf":
        raise DataError(f"Labels must be numbers. Got an array of dtype {given.dtype}.")
    labels = np.require(given, np.float64, _PLAIN)
    columns = np.asarray(scores)
    if columns.dtype not in (np.float32, np.float64):
        if columns.dtype.kind not in "biuf":
            raise DataError(f"Scores must be numbers. Got an array of dtype {columns.dtype}.")
        columns = columns.astype(np.float64)
    if columns.ndim == 1:
        columns = columns[:, None]
    if labels.ndim != 1 or columns.ndim != 2 or len(columns) != len(labels):
        raise DataError(f"Labels and scores must correspond: y has shape {np.shape(y)}, scores {np.shape(scores)}.")
    ptr = np.require(query_ptr, np.int64, _PLAIN)
    if ptr.ndim != 1 or len(ptr) < 2 or ptr[0] != 0 or ptr[-1] != len(labels) or (np.diff(ptr) <= 0).any():
        raise DataError(
            f"Query offsets must ascend from 0 to the number of rows, {len(labels):,}, without empty queries."
        )
    if not np.isfinite(labels).all():
        row = int(np.argmax(~np.isfinite(labels)))
        raise DataError(f"The label of row {row} is {labels[row]}: labels must be finite numbers.")
    with np.errstate(invalid="ignore"):  # infinite scores of both signs
        suspicious = np.isnan(np.sum(columns, dtype=np.float64))
    if suspicious and np.isnan(columns).any():
        row, column = (int(i) for i in np.argwhere(np.isnan(columns))[0])
        where = f"row {row}" if np.ndim(scores) == 1 else f"row {row}, column {column}"
        raise DataError(f"The score of {where} is NaN: a document without a score has no rank. Fill it first.")
    return Lists(labels, np.require(columns, requirements=_PLAIN), ptr, n_threads)
