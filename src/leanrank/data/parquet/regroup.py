"""Queries scattered over row groups and files, brought together block by block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.data.side_columns import side_columns
from leanrank.errors import ParameterError

if TYPE_CHECKING:
    from leanrank.data.parquet.scan import ParquetSource


def regrouped_blocks(source: ParquetSource, n_rows: int) -> Iterator[RankingData]:
    """Yield the blocks that the data, regrouped in memory, would have: queries by first appearance, rows stable.

    A first pass over the query ids counts the rows of each query in each row group. Then each block reads the row
    groups in which it has rows: two readings of the file where queries are merely cut at the edges of files, one
    per block where they are scattered everywhere.
    """
    if n_rows < 1:
        raise ParameterError.of("blocks", "n_rows", ">= 1", n_rows)
    groups = [(file, i) for file in source.files for i in range(len(file.rows_of_groups)) if file.rows_of_groups[i]]
    number: dict[Any, int] = {}
    sizes: list[int] = []
    spans: list[tuple[int, NDArray[np.int64]]] = []  # row group, the queries in it
    for g, (file, i) in enumerate(groups):
        ids = source.group_ids(file, i)
        distinct, first, counts = np.unique(ids, return_index=True, return_counts=True)
        by_appearance = np.argsort(first)
        for query, count in zip(distinct[by_appearance].tolist(), counts[by_appearance].tolist(), strict=True):
            if query not in number:
                number[query] = len(sizes)
                sizes.append(0)
            sizes[number[query]] += count
        spans.append((g, np.sort([number[query] for query in distinct.tolist()])))
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    names = np.array(list(number))
    start = 0
    while start < len(sizes):
        stop = max(start + 1, int(np.searchsorted(offsets, offsets[start] + n_rows, side="right")) - 1)
        touched = [g for g, inside in spans if np.searchsorted(inside, start) < np.searchsorted(inside, stop)]
        yield _gathered(source, [groups[g] for g in touched], number, names, offsets[start : stop + 1], start)
        start = stop


def _gathered(
    source: ParquetSource,
    groups: list[Any],
    number: dict[Any, int],
    names: NDArray[Any],
    offsets: NDArray[np.int64],
    start: int,
) -> RankingData:
    """The queries from number `start` on, of which `offsets` tells the sizes, from these row groups."""
    n = int(offsets[-1] - offsets[0])
    stop = start + len(offsets) - 1
    X = np.empty((n, len(source.feature_names)), dtype=source.dtype)
    y = np.empty(n, dtype=np.float32)
    comments = np.full(n, "", dtype=object) if source.roles.comments is not None else None
    columns: dict[str, NDArray[Any]] = {}
    place = offsets[:-1] - offsets[0]  # where the next row of each query goes
    for file, i in groups:
        for rows in source.rows(file, [i]):
            distinct, which = np.unique(rows.qid, return_inverse=True)
            query = np.array([number[one] for one in distinct.tolist()])[which]
            mine = np.flatnonzero((query >= start) & (query < stop))
            order = mine[np.argsort(query[mine], kind="stable")]
            local = query[order] - start
            present, begins, counts = np.unique(local, return_index=True, return_counts=True)
            target = np.repeat(place[present] - begins, counts) + np.arange(len(local))
            X[target], y[target] = rows.X[order], rows.y[order]
            if comments is not None and rows.comments is not None:
                comments[target] = rows.comments[order]
            for name, values in rows.beside.items():
                known = columns.get(name, np.empty(n, dtype=values.dtype))
                columns[name] = known.astype(np.result_type(known, values), copy=False)
                columns[name][target] = values[order]
            place[present] += counts
    ids = names[start:stop]
    beside = side_columns(source.roles.beside, columns.__getitem__, offsets - offsets[0], ids, part=True)
    return RankingData(X, y, offsets - offsets[0], ids, source.feature_names, comments, source.missing, beside)
