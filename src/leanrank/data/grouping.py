"""Where each query begins: from a qid column, group sizes or offsets; and values as numbers in order of appearance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError


def query_offsets(
    qid: Any = None, *, group: Any = None, query_ptr: Any = None, n_rows: int, regroup: bool = False
) -> tuple[NDArray[np.int64], NDArray[Any] | None, NDArray[np.int64] | None]:
    """Return `query_ptr`, `query_ids` and, if rows had to be moved, their new order.

    Exactly one of `qid` (a value per row), `group` (rows per query) and `query_ptr` (offsets) is given.
    Rows of one query that are not adjacent are an error, unless `regroup`: then they are brought together,
    queries by first appearance, rows in their old order.

    >>> query_offsets(["b", "b", "a"], n_rows=3)[:2]
    (array([0, 2, 3]), array(['b', 'a'], dtype='<U1'))
    """
    given = [name for name, value in (("qid", qid), ("group", group), ("query_ptr", query_ptr)) if value is not None]
    if len(given) != 1:
        listed = " and ".join(given) if given else "none of them"
        raise DataError(f"Say which rows belong to one query by one of qid, group or query_ptr. Got {listed}.")
    if query_ptr is not None:
        return np.asarray(query_ptr, dtype=np.int64), None, None
    if group is not None:
        sizes = np.asarray(group)
        if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes <= 0).any():
            raise DataError("Group sizes must be positive whole numbers, one per query.")
        if sizes.sum() != n_rows:
            raise DataError(f"The group sizes sum to {sizes.sum():,} but there are {n_rows:,} rows.")
        return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), None, None
    return _from_column(_as_column(qid, n_rows), regroup=regroup)


def _as_column(qid: Any, n_rows: int) -> NDArray[Any]:
    column = np.asarray(qid)
    if column.shape != (n_rows,):
        raise DataError(f"qid needs one value per row: it has shape {column.shape} for {n_rows:,} rows.")
    if column.dtype.kind == "f":
        if not np.isfinite(column).all():
            raise DataError(f"The query id of row {int(np.argmax(~np.isfinite(column)))} is missing.")
        if (column == np.floor(column)).all() and (np.abs(column) < 2**53).all():
            return column.astype(np.int64)
    if column.dtype.kind == "O":
        absent = [value is None or value != value for value in column.tolist()]
        if any(absent):
            raise DataError(f"The query id of row {absent.index(True)} is missing.")
        if all(_is_whole(value) for value in column.tolist()):
            return column.astype(np.int64)
    return column if column.dtype.kind in "iu" else column.astype(str)


def _is_whole(value: Any) -> bool:
    """Whether this is a number that int64 has; larger ones are texts, as those of uint64 are."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and -(2**63) <= int(value) < 2**63


def _from_column(
    column: NDArray[Any], *, regroup: bool
) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[np.int64] | None]:
    starts = np.concatenate(([0], np.flatnonzero(column[1:] != column[:-1]) + 1)).astype(np.int64)
    ids = column[starts]
    distinct, first, run_of = np.unique(ids, return_index=True, return_inverse=True)
    if len(distinct) == len(ids):
        return np.append(starts, len(column)), ids, None
    if not regroup:
        run = int(np.argmax(first[run_of] != np.arange(len(ids))))  # first run of a query already seen
        before = int(starts[first[run_of[run]]])
        raise DataError(
            f"The rows of query {ids[run]} are not adjacent: it begins at row {before} and again at row "
            f"{starts[run]}. Sort the rows by query, or regroup them (regroup=True, --regroup)."
        )
    query_of_row = np.repeat(numbered(ids), np.diff(np.append(starts, len(column))))
    order = np.argsort(query_of_row, kind="stable")
    sizes = np.bincount(query_of_row)
    return np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), distinct[np.argsort(first)], order


def numbered(values: NDArray[Any]) -> NDArray[np.int64]:
    """The number of each value, counted from 0 in the order of appearance.

    >>> numbered(np.array(["tea", "cup", "tea"]))
    array([0, 1, 0])
    """
    _, first, number = np.unique(values, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return np.asarray(place[number.ravel()])
