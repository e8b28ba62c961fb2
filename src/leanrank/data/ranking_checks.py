"""What RankingData are made of, each part checked: the door of the container."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from leanrank.errors import DataError


def as_matrix(X: Any) -> Any:
    """The features: a C-ordered float array or a CSR matrix, of float32 or float64, that is not empty."""
    if sp.issparse(X):
        X = sp.csr_array(X)
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        X.sum_duplicates()
    else:
        X = np.asarray(X)
        if X.ndim != 2:
            raise DataError(f"X must have two dimensions (documents, features). Got shape {X.shape}.")
        if X.dtype not in (np.float32, np.float64):
            if X.dtype.kind not in "biuf":
                raise DataError(f"X must hold numbers. Got an array of dtype {X.dtype}.")
            X = X.astype(np.float64)
        X = np.ascontiguousarray(X)
    if X.shape[0] == 0:
        raise DataError("There are no documents: X has no rows.")
    if X.shape[1] == 0:
        raise DataError("There are no features: X has no columns.")
    return X


def as_labels(y: Any, n: int) -> NDArray[np.float32]:
    """The labels: a finite number for each document."""
    given = np.asarray(y)
    if given.dtype.kind not in "biuf":
        raise DataError(f"Labels must be numbers. Got an array of dtype {given.dtype}.")
    with np.errstate(over="ignore"):
        labels = np.ascontiguousarray(given, dtype=np.float32)
    if labels.shape != (n,):
        raise DataError(f"Labels and documents must correspond: y has shape {labels.shape}, X has {n:,} rows.")
    if not np.isfinite(labels).all():
        row = int(np.argmax(~np.isfinite(labels)))
        raise DataError(f"The label of row {row} is {given[row]}: labels must be finite numbers.")
    return labels


def as_query_ptr(query_ptr: Any, n: int) -> NDArray[np.int64]:
    """The offsets of the queries, none of which is empty."""
    ptr = np.ascontiguousarray(query_ptr, dtype=np.int64)
    if ptr.ndim != 1 or len(ptr) < 2 or ptr[0] != 0 or ptr[-1] != n:
        raise DataError(f"Query offsets must run from 0 to the number of rows, {n:,}. Got {_ends(ptr)}.")
    if (np.diff(ptr) <= 0).any():
        i = int(np.argmax(np.diff(ptr) <= 0))
        raise DataError(
            f"Query number {i} has {ptr[i + 1] - ptr[i]} rows by its offsets: every query needs at least one."
        )
    return ptr


def as_query_ids(query_ids: Any, n_queries: int) -> NDArray[Any]:
    """The names of the queries as whole numbers or texts; counted from 0 where there are none."""
    if query_ids is None:
        return np.arange(n_queries, dtype=np.int64)
    ids = np.asarray(query_ids)
    if ids.shape != (n_queries,):
        raise DataError(f"There are {n_queries:,} queries by their offsets but {ids.size:,} query ids.")
    if ids.dtype.kind in "iu" and not (ids.dtype == np.uint64 and (ids > np.iinfo(np.int64).max).any()):
        return ids.astype(np.int64)
    return ids.astype(str)


def as_feature_names(names: Any, n_features: int) -> tuple[str, ...]:
    """The names of the features, no two alike; counted from 1 where there are none."""
    if names is None or len(names) == 0:
        return tuple(str(j + 1) for j in range(n_features))
    texts = tuple(str(name) for name in names)
    if len(texts) != n_features:
        raise DataError(f"There are {n_features:,} features but {len(texts):,} feature names.")
    if len(set(texts)) < n_features:
        seen: set[str] = set()
        twice = next(name for name in texts if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"Feature name {twice!r} occurs twice: names must be unique.")
    return texts


def as_comments(comments: Any, n: int) -> NDArray[np.object_] | None:
    """A text for each document, where there are any."""
    if comments is None:
        return None
    if len(comments) != n:
        raise DataError(f"There are {n:,} documents but {len(comments):,} comments.")
    texts = np.empty(n, dtype=object)
    texts[:] = comments
    return texts


def names_differ(ours: tuple[str, ...], theirs: tuple[str, ...]) -> str:
    """Where the features of two parts of data differ, in words."""
    if len(ours) != len(theirs):
        return f"The parts have {len(ours):,} and {len(theirs):,} features: they must have the same."
    j = next(j for j, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b)
    return f"The parts' features differ: feature number {j} is {ours[j]!r} in one and {theirs[j]!r} in the other."


def _ends(ptr: NDArray[np.int64]) -> str:
    return f"{len(ptr)} offsets from {ptr.flat[0]} to {ptr.flat[-1]}" if ptr.size else "no offsets"
