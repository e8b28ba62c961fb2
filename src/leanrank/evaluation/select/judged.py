"""What `select` is given, as RankingData: data, a frame with columns to name, arrays, or a tuple of them."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, Unpack

from leanrank.data.columns import as_frame
from leanrank.data.door import as_ranking_data
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import TableNames
from leanrank.data.tabular.frames import from_frame
from leanrank.errors import DataError

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
