"""Parquet files and folders as a stream of whole queries."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from leanrank.data.categories import Categories, in_order, recoded
from leanrank.data.columns import (
    category_texts,
    check_labels,
    check_values,
    feature_columns,
    id_column,
    label_column,
    side_column,
    text_column,
)
from leanrank.data.grouping import query_offsets
from leanrank.data.parquet.files import (
    about,
    batches,
    folder_keys,
    is_numeric_type,
    is_type_of_kinds,
    opened_parquet,
    parquet_files,
)
from leanrank.data.parquet.pages import check_sizes
from leanrank.data.ranking_data import BLOCK_ROWS, RankingData
from leanrank.data.roles import (
    ColumnNames,
    Columns,
    Roles,
    assign_roles,
    refuse_duplicates,
    stated_columns,
    stated_texts,
)
from leanrank.data.side_columns import named_beside, side_columns
from leanrank.data.whole_queries import Rows, whole_query_blocks
from leanrank.errors import DataError

if TYPE_CHECKING:
    from leanrank.data.parquet.parts import ParquetPart


_BATCH_BYTES = 1 << 25  # of a decoded batch
_BATCH_ROWS = 1 << 16


def scan_parquet(
    path: str | os.PathLike[str], *, regroup: bool = False, missing: bool | None = None, **columns: Unpack[ColumnNames]
) -> ParquetSource:
    """Open a Parquet file, or a folder of them, without reading it: a source of blocks of whole queries.

    Memory is bounded by a block and the longest query (and one id per query), never by the file.

    Parameters
    ----------
    path : path of a file or folder
        The files of a folder, its folders included, in the order of their names. Where folders are called
        ``key=value``, `qid` may be such a key.
    label, qid, features, comments, weight, query_weight, position, time, query_group, slices
        Names of columns, as in `from_frame`; files that `write_parquet` wrote need none.
    regroup : bool
        Bring the rows of a query together where they are not adjacent or in several files, rather than refuse;
        queries then come by first appearance. A first pass reads the query ids; after that each row group is read
        once for every block that has a query in it, so sort files by query if you can.
    missing : bool, optional
        Whether NaN and null in features stand for missing values. If not given: as the file says, otherwise no.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from leanrank import RankingData, write_parquet
    >>> data = RankingData([[2.5], [0.5], [1.0]], [1, 0, 2], [0, 2, 3], ["tea", "cup"], ["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_parquet(data, pathlib.Path(folder, "judged.parquet"))
    ...     source = scan_parquet(folder)
    ...     [block.query_ids.tolist() for block in source.blocks(n_rows=2)]
    [['tea'], ['cup']]
    """
    source = open_parquet(path, Columns(**columns), regroup=regroup, missing=missing)
    if source.roles.categorical:
        raise DataError(
            f"{os.fspath(path)}: column {source.roles.categorical[0]!r} is a category, whose texts are known when all "
            "are read: read_table reads it into memory. Or name the other features."
        )
    return source


@dataclass(frozen=True)
class _File:
    path: Path
    rows_of_groups: tuple[int, ...]
    query: str | int | None  # where the folder's name gives the query id

    @property
    def n_rows(self) -> int:
        return sum(self.rows_of_groups)


@dataclass(frozen=True, repr=False)
class ParquetSource:
    """A `RankingSource` over Parquet files; made by `scan_parquet`."""

    files: tuple[_File, ...]
    roles: Roles
    narrow: bool
    text_ids: bool
    regroup: bool = False
    texts: Categories = field(default_factory=dict)

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.roles.features

    @property
    def missing(self) -> bool:
        return self.roles.missing

    @property
    def n_rows(self) -> int:
        return sum(file.n_rows for file in self.files)

    @property
    def dtype(self) -> Any:
        return np.float32 if self.narrow else np.float64

    def __repr__(self) -> str:
        files = self.files[0].path.name + (f" and {len(self.files) - 1} more files" if len(self.files) > 1 else "")
        return f"ParquetSource: {self.n_rows:,} documents, {len(self.feature_names):,} features, {files}"

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        """Yield blocks of whole queries of about `n_rows` rows; a longer query is a block of its own."""
        if self.regroup:
            from leanrank.data.parquet.regroup import regrouped_blocks

            return regrouped_blocks(self, n_rows)
        roles = self.roles
        return whole_query_blocks(
            self.stream(), n_rows, feature_names=roles.features, missing=roles.missing, beside=roles.beside
        )

    def stream(self) -> Iterator[Rows]:
        """All rows, in the order of the files, some at a time."""
        for file in self.files:
            yield from self.rows(file)

    def subset(self, features: ArrayLike) -> ParquetSource:
        """Only these features (0-based numbers or a mask); other columns are not read."""
        names = tuple(np.array(self.feature_names, dtype=object)[np.asarray(features)])
        return replace(self, roles=replace(self.roles, features=names))

    def partitions(self, n: int) -> list[ParquetPart] | None:
        """At most `n` runs of row groups, for workers to read; None with `regroup`."""
        from leanrank.data.parquet.parts import parquet_parts

        return parquet_parts(self, n)

    def rows(self, file: _File, row_groups: Sequence[int] | None = None, *, threads: bool = True) -> Iterator[Rows]:
        """The rows of a file, or of a run of its row groups; columns decoded by `threads` of Arrow, or by this one."""
        roles = self.roles
        beside = [name for name, _ in named_beside(roles.beside)]
        single = [name for name in (roles.label, roles.qid, roles.comments) if name is not None]
        wanted = list(dict.fromkeys([*single, *beside, *roles.features]))
        groups = range(len(file.rows_of_groups)) if row_groups is None else row_groups
        first_row = sum(file.rows_of_groups[: groups[0]]) if groups else 0
        size = max(256, min(_BATCH_ROWS, _BATCH_BYTES // (8 * len(wanted))))
        for frame in batches(file.path, groups, wanted, size, threads=threads):
            with about(file.path):
                ids = self._ids(file, frame)
                X, texts_here = feature_columns(frame, roles.features, roles.categorical, self.dtype)
                X, _ = recoded(X, roles.features, texts_here, self.texts)
                check_values(X, roles.features, missing=self.missing, query_of=ids.__getitem__, first_row=first_row)
                y = np.zeros(len(frame), dtype=np.float32)
                if roles.label is not None:
                    y = label_column(frame.get_column(roles.label).to_native(), f"column {roles.label!r}")
                    y = check_labels(y, f"column {roles.label!r}", first_row=first_row)
                texts = None if roles.comments is None else text_column(frame.get_column(roles.comments))
                side = {name: side_column(frame.get_column(name)) for name in beside}
            yield Rows(X, y, ids, texts, str(file.path), side)
            first_row += len(frame)

    def group_ids(self, file: _File, row_group: int) -> NDArray[Any]:
        """The query ids of a row group, without reading anything else."""
        if file.query is not None:
            return np.repeat(np.array([file.query]), file.rows_of_groups[row_group])
        frames = batches(file.path, [row_group], [str(self.roles.qid)], _BATCH_ROWS)
        with about(file.path):
            return np.concatenate([self._ids(file, frame) for frame in frames])

    def _ids(self, file: _File, frame: Any) -> NDArray[Any]:
        if file.query is not None:
            return np.repeat(np.array([file.query]), len(frame))
        if self.roles.qid is None:
            return np.zeros(len(frame), dtype=np.int64)
        ids = id_column(frame.get_column(self.roles.qid).to_native(), f"Query id ({self.roles.qid!r})")
        if ids.dtype.kind == "f":
            if not (np.isfinite(ids).all() and (ids == np.floor(ids)).all() and (np.abs(ids) < 2**53).all()):
                raise DataError(f"Column {self.roles.qid!r} has query ids that are no whole numbers: store texts.")
            ids = ids.astype(np.int64)
        return ids.astype(str) if self.text_ids else ids


def open_parquet(
    path: str | os.PathLike[str],
    named: Columns,
    *,
    regroup: bool = False,
    missing: bool | None = None,
    needs_qid: bool = True,
) -> ParquetSource:
    """Read the footers, find out which column is what, and check that all files agree."""
    root = Path(path)
    paths = parquet_files(root)
    footers = [_footer(one) for one in paths]
    if not any(sum(groups) for _, groups in footers):
        raise DataError(f"{root}: there are no documents, only column names.")
    first = footers[0][0]
    stated, stated_missing = stated_columns(first.metadata, first.names)
    keys = [folder_keys(one, root) for one in paths]
    with about(paths[0]):
        roles = assign_roles(
            {field.name: str(field.type) for field in first if field.name not in named.unwanted(stated)},
            replace(
                named.or_stated(stated),
                label=stated.label if named.label is None else named.label,
                qid=named.qid or stated.qid if needs_qid else None,
                comments=named.comments or stated.comments,
            ),
            numeric=[field.name for field in first if is_numeric_type(field.type)],
            needs_qid=needs_qid,
            missing=stated_missing if missing is None else missing,
            kinds=[field.name for field in first if is_type_of_kinds(field.type)],
            also_qid=set.intersection(*map(set, keys)) - set(first.names),
        )
    for one, (schema, _) in zip(paths, footers, strict=True):
        _check_file(one, schema, roles, in_folder=roles.qid not in first.names)
    queries = _folder_queries([known.get(str(roles.qid)) for known in keys], in_folder=roles.qid not in first.names)
    kinds = [schema.field(roles.qid).type if roles.qid in schema.names else None for schema, _ in footers]
    source = ParquetSource(
        files=tuple(_File(one, groups, query) for one, (_, groups), query in zip(paths, footers, queries, strict=True)),
        roles=roles,
        narrow=all(str(schema.field(name).type) == "float" for schema, _ in footers for name in roles.numeric),
        text_ids=len({is_numeric_type(kind) for kind in kinds if kind is not None}) > 1,
        regroup=regroup,
    )
    return replace(source, texts=_texts(source, [stated_texts(schema.metadata) for schema, _ in footers]))


def _texts(source: ParquetSource, stated: Sequence[Categories]) -> dict[str, tuple[str, ...]]:
    """The texts of every category: as all files say, or else those that are in them."""
    texts: dict[str, tuple[str, ...]] = {}
    for name in source.roles.categorical:
        known = {one.get(name) for one in stated}
        said = known.pop() if len(known) == 1 else None
        seen = {text for file in source.files for text in _seen(file, name)}
        texts[name] = said if said is not None and seen <= set(said) else in_order(seen)
    return texts


def _seen(file: _File, name: str) -> set[str]:
    """The texts of a category in a file."""
    with about(file.path):
        frames = batches(file.path, range(len(file.rows_of_groups)), [name], _BATCH_ROWS)
        return {text for frame in frames for text in category_texts(frame.get_column(name)) if text is not None}


def _footer(path: Path) -> tuple[Any, tuple[int, ...]]:
    """The schema of a file, and the rows of its row groups."""
    with about(path), opened_parquet(path) as file:
        schema = file.schema_arrow
        refuse_duplicates(schema.names)
        groups = tuple(file.metadata.row_group(i).num_rows for i in range(file.num_row_groups))
        if min(groups, default=0) < 0 or sum(groups) != file.metadata.num_rows:
            counts = f"{file.metadata.num_rows:,} rows in all but {sum(groups):,} in its row groups"
            raise DataError(f"the file states {counts}: it is damaged.")
        check_sizes(path, file.metadata, {name for name in schema.names if is_numeric_type(schema.field(name).type)})
        return schema, groups


def _folder_queries(values: Sequence[str | None], *, in_folder: bool) -> list[str | int | None]:
    if not in_folder:
        return [None] * len(values)
    whole = all(value is not None and value.lstrip("-").isdecimal() and str(int(value)) == value for value in values)
    return [int(str(value)) if whole else value for value in values]


def _check_file(path: Path, schema: Any, roles: Roles, *, in_folder: bool) -> None:
    beside = [name for name, _ in named_beside(roles.beside)]
    for name in (roles.label, roles.comments, None if in_folder else roles.qid, *beside, *roles.features):
        if name is not None and name not in schema.names:
            raise DataError(f"{path}: column {name!r} is missing, which the first file has.")
    for name in roles.numeric if roles.label is None else (roles.label, *roles.numeric):
        if not is_numeric_type(schema.field(name).type):
            raise DataError(f"{path}: column {name!r} is not numeric: its type is {schema.field(name).type}.")


def read_parquet(
    path: Path, named: Columns, *, group: ArrayLike | None = None, regroup: bool = False, missing: bool | None = None
) -> RankingData:
    """Read a file or a folder: the peak of memory is the result and a batch."""
    needs_qid = named.qid is not None or group is None
    source = open_parquet(path, named, regroup=regroup, missing=missing, needs_qid=needs_qid)
    n = source.n_rows
    with about(path):
        X = np.empty((n, len(source.feature_names)), dtype=source.dtype)
        y = np.empty(n, dtype=np.float32)
        names = [name for name, _ in named_beside(source.roles.beside)]
        ids, texts, sides, top = [], [], [], 0
        for rows in source.stream():
            X[top : top + len(rows)] = rows.X
            y[top : top + len(rows)] = rows.y
            ids.append(rows.qid)
            sides.append(rows.beside)
            if rows.comments is not None:
                texts.append(rows.comments)
            top += len(rows)
        offsets, query_ids, order = query_offsets(
            np.concatenate(ids) if source.roles.qid is not None else None, group=group, n_rows=n, regroup=regroup
        )
        comments = None if source.roles.comments is None else np.concatenate(texts)
        columns = {name: np.concatenate([side[name] for side in sides]) for name in names}
        if order is not None:
            X, y, comments = X[order], y[order], None if comments is None else comments[order]
            columns = {name: values[order] for name, values in columns.items()}
        named_ids = np.arange(len(offsets) - 1) if query_ids is None else query_ids
        beside = side_columns(source.roles.beside, columns.__getitem__, offsets, named_ids)
        return RankingData(
            X, y, offsets, named_ids, source.feature_names, comments, source.missing, beside, source.texts
        )
