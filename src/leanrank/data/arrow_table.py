"""Judged data as a pyarrow table: label, query id, comment, then the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import Roles, free_name
from leanrank.errors import DataError


def roles_of(data: RankingData, *, comments: bool) -> Roles:
    """The columns that `arrow_table` gives to data with these features."""
    names = data.feature_names
    return Roles(
        label=free_name("label", names),
        qid=free_name("qid", names),
        comments=free_name("comment", names) if comments else None,
        features=names,
        missing=data.missing,
    )


def arrow_table(data: RankingData, *, comments: bool | None = None) -> Any:
    """As a pyarrow table; `comments` says whether it has that column even if the data have none."""
    import pyarrow as pa

    roles = roles_of(data, comments=data.comments is not None if comments is None else comments)
    ids, X = data.qid, data.dense()
    try:
        columns = {str(roles.label): pa.array(data.y)}
        columns[str(roles.qid)] = pa.array(ids.tolist() if ids.dtype.kind == "U" else ids)
        if roles.comments is not None:
            texts = [""] * data.n_rows if data.comments is None else [str(text) for text in data.comments]
            columns[roles.comments] = pa.array(texts, type=pa.string())
        for j, name in enumerate(roles.features):
            columns[name] = pa.array(np.ascontiguousarray(X[:, j]))
        return pa.table(columns)
    except UnicodeEncodeError as error:
        raise DataError(f"A text that is no Unicode cannot be put into a frame: {error}.") from error
