"""Frames in and out: pandas, polars, pyarrow, through narwhals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from leanrank._lazy import require
from leanrank.data.arrow_table import arrow_table
from leanrank.data.columns import (
    as_frame,
    check_labels,
    check_values,
    feature_columns,
    id_column,
    is_kind,
    is_number,
    label_column,
    side_column,
    text_column,
)
from leanrank.data.grouping import query_offsets
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import Columns, TableNames, assign_roles
from leanrank.data.side_columns import side_columns
from leanrank.errors import DataError, ParameterError


def from_frame(
    df: Any,
    *,
    label: str | None = None,
    qid: str | ArrayLike | None = None,
    features: Sequence[str] | None = None,
    comments: str | None = None,
    group: ArrayLike | None = None,
    query_ptr: ArrayLike | None = None,
    regroup: bool = False,
    missing: bool = False,
    **more: Unpack[TableNames],
) -> RankingData:
    """Turn a frame into RankingData.

    Parameters
    ----------
    df : pandas, polars or pyarrow frame, or any other eager frame narwhals knows
    label : str
        Column of the labels. If not given, the one column with a usual name ("label", "relevance", "grade", ...); ""
        says that nobody judged these documents, and every label is 0.
    qid : str, or array of length n
        Column of the query ids, of any type, or the ids themselves. If neither `qid`, `group` nor `query_ptr` is
        given, the one column with a usual name ("qid", "query_id", ...).
    features : sequence of str, optional
        Columns that are features. If not given, every numeric or boolean column without another role; other columns
        are left out with a warning.
    comments : str, optional
        Column of texts to keep beside the documents; a missing text is "".
    group, query_ptr : arrays, optional
        Rows per query, or offsets of the queries, in place of `qid`.
    regroup : bool
        Bring the rows of a query together (stable) where they are not adjacent, rather than refuse.
    missing : bool
        Whether NaN and null in features stand for missing values, rather than being refused.
    weight, position, query_weight, time, query_group : str, optional
        Columns beside the features, as `SideColumns` describes them; those of a query are the same in all its rows.
    slices : sequence of str
        Columns that say what kind of query it is.
    categorical : sequence of str
        Features that are kinds, not amounts: columns of texts, categories, whole numbers, or true and false. Columns
        of the type of categories are left out with a warning, as texts are, unless they are named here or in
        `features`.

    Returns
    -------
    RankingData
        X is float32 if every feature is, otherwise float64.

    Examples
    --------
    >>> import pyarrow as pa
    >>> frame = pa.table({"label": [1, 0, 2], "query": ["tea", "tea", "cup"], "bm25": [2.5, 0.5, 1.0]})
    >>> from_frame(frame, label="label", qid="query")
    RankingData: 3 documents, 2 queries (1 to 2 documents, median 1.5), 1 feature
      labels    0: 1, 1: 1, 2: 1
      features  bm25
      storage   dense float64
    """
    frame = as_frame(df)
    if frame is None:
        raise DataError(f"from_frame takes a frame (pandas, polars, pyarrow, ...). Got {type(df).__name__}.")
    if not len(frame):
        raise DataError("There are no documents: the frame has no rows.")
    by_name = isinstance(qid, (str, int, np.integer))
    roles = assign_roles(
        {name: str(dtype) for name, dtype in frame.schema.items()},
        Columns(label, str(qid) if by_name else None, features, comments, **more),
        numeric=[name for name in frame.columns if is_number(frame.get_column(name))],
        needs_qid=by_name or (qid is None and group is None and query_ptr is None),
        missing=missing,
        kinds=[name for name, dtype in frame.schema.items() if is_kind(dtype)],
    )
    ids = qid
    if roles.qid is not None:
        ids = id_column(frame.get_column(roles.qid).to_native(), f"Query id ({roles.qid!r})")
    elif qid is not None:
        ids = id_column(qid)
    offsets, query_ids, order = query_offsets(ids, group=group, query_ptr=query_ptr, n_rows=len(frame), regroup=regroup)
    X, categories = feature_columns(frame, roles.features, roles.categorical)
    y = np.zeros(len(frame), dtype=np.float32)
    if roles.label is not None:
        y = label_column(frame.get_column(roles.label).to_native(), f"column {roles.label!r}")
    texts = None if roles.comments is None else text_column(frame.get_column(roles.comments))
    if order is not None:
        check_values(X, roles.features, missing=missing)  # rows as the caller counts them
        check_labels(y, f"column {roles.label!r}")
        X, y, texts = X[order], y[order], None if texts is None else texts[order]

    def column(name: str) -> Any:
        values = side_column(frame.get_column(name))
        return values if order is None else values[order]

    ids = np.arange(len(offsets) - 1) if query_ids is None else query_ids
    side = side_columns(roles.beside, column, offsets, ids)
    return RankingData(X, y, offsets, ids, roles.features, texts, missing, side, categories)


def to_frame(data: RankingData, kind: str = "pyarrow") -> Any:
    """Turn RankingData into a frame: label, qid, comment (if any), what is beside the features, then the features.

    `kind` is "pyarrow", "pandas" or "polars". Where a feature is called "label", the label's column is "_label",
    and so on. Columns beside the features are called weight, query_weight, position, time, query_group and as the
    slices are: name them to `from_frame` again.

    >>> data = RankingData([[2.5], [0.5]], [1, 0], [0, 2], ["tea"], ["bm25"])
    >>> to_frame(data).to_pydict()
    {'label': [1.0, 0.0], 'qid': ['tea', 'tea'], 'bm25': [2.5, 0.5]}
    """
    if kind not in ("pyarrow", "pandas", "polars"):
        raise ParameterError.of("to_frame", "kind", "'pyarrow', 'pandas' or 'polars'", kind)
    if kind == "pandas":
        require("pandas", "A pandas frame")
        return arrow_table(data).to_pandas()
    if kind == "polars":
        return require("polars", "A polars frame").from_arrow(arrow_table(data))
    return arrow_table(data)
