"""Parquet files and folders read into memory, batch by batch into place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from leanrank.data.grouping import query_offsets
from leanrank.data.parquet.files import about
from leanrank.data.parquet.scan import open_parquet
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import Columns


def read_parquet(
    path: Path,
    named: Columns,
    *,
    group: ArrayLike | None = None,
    regroup: bool = False,
    missing: bool | None = None,
) -> RankingData:
    """Read a file or a folder: the peak of memory is the result and a batch."""
    needs_qid = named.qid is not None or group is None
    source = open_parquet(path, named, regroup=regroup, missing=missing, needs_qid=needs_qid)
    n = source.n_rows
    with about(path):
        X = np.empty((n, len(source.feature_names)), dtype=source.dtype)
        y = np.empty(n, dtype=np.float32)
        ids, texts, top = [], [], 0
        for rows in source.stream():
            X[top : top + len(rows)] = rows.X
            y[top : top + len(rows)] = rows.y
            ids.append(rows.qid)
            if rows.comments is not None:
                texts.append(rows.comments)
            top += len(rows)
        offsets, query_ids, order = query_offsets(
            np.concatenate(ids) if source.roles.qid is not None else None,
            group=group,
            n_rows=n,
            regroup=regroup,
        )
        comments = None if source.roles.comments is None else np.concatenate(texts)
        if order is not None:
            X, y, comments = X[order], y[order], None if comments is None else comments[order]
        return RankingData(X, y, offsets, query_ids, source.feature_names, comments, source.missing)  # type: ignore[arg-type]
