"""Judged data as a pyarrow table: label, query id, comment, what is beside, features; and tables as other frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from leanrank._lazy import require
from leanrank.data.ranking_data import RankingData
from leanrank.data.roles import Roles, free_name
from leanrank.data.side_columns import SideNames
from leanrank.errors import DataError, UnknownNameError


def roles_of(data: RankingData, *, comments: bool) -> Roles:
    """The columns that `arrow_table` gives to data with these features."""
    names, beside = data.feature_names, SideNames()
    for role, column in _names_beside(data):
        if role == "slices":
            beside["slices"] = [*beside.get("slices", ()), column]
        else:
            beside[role] = column  # type: ignore[literal-required]
    return Roles(
        label=free_name("label", names),
        qid=free_name("qid", names),
        comments=free_name("comment", names) if comments else None,
        features=names,
        missing=data.missing,
        beside=beside,
        categorical=tuple(data.categories),
    )


def _names_beside(data: RankingData) -> list[tuple[str, str]]:
    """Role and column of what is beside the features; no two columns have one name."""
    taken = {*data.feature_names, *(free_name(name, data.feature_names) for name in ("label", "qid", "comment"))}
    columns = []
    for role, name, _ in data.beside.known():
        columns.append((role, free_name(name, taken)))
        taken.add(columns[-1][1])
    return columns


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
        for (_, name), values in zip(_names_beside(data), data.beside.by_row(data.query_sizes), strict=True):
            columns[name] = pa.array(values.tolist() if values.dtype.kind == "U" else values)
        for j, name in enumerate(roles.features):
            kinds = data.categories.get(name)
            columns[name] = pa.array(np.ascontiguousarray(X[:, j])) if kinds is None else _kinds(X[:, j], kinds)
        return pa.table(columns)
    except UnicodeEncodeError as error:
        raise DataError(f"A text that is no Unicode cannot be put into a frame: {error}.") from error


def _kinds(codes: Any, texts: tuple[str, ...]) -> Any:
    """A category as a dictionary column: its codes, null where it is missing, and their texts."""
    import pyarrow as pa

    absent = np.isnan(codes)
    indices = pa.array(np.where(absent, 0, codes).astype(np.int32), mask=absent)
    return pa.DictionaryArray.from_arrays(indices, pa.array(list(texts), type=pa.string()))


def in_library(table: Any, library: str) -> Any:
    """A pyarrow table as a frame of "pyarrow", "pandas" or "polars"."""
    if library not in ("pyarrow", "pandas", "polars"):
        raise UnknownNameError.of("frame library", library, ["pyarrow", "pandas", "polars"])
    if library == "pyarrow":
        return table
    package = require(library, f"to_frame({library!r})")
    return table.to_pandas() if library == "pandas" else package.from_arrow(table)
