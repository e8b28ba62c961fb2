"""Parquet files: finding, opening and writing them, batches of their rows, errors with the name of the file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from leanrank.data.arrow_table import arrow_table, roles_of
from leanrank.data.columns import as_frame
from leanrank.data.formats import endings, format_of_name
from leanrank.data.ranking_data import RankingSource
from leanrank.data.whole_file import whole_file
from leanrank.errors import DataError, LeanRankError

_BUFFER_BYTES = 1 << 16  # read ahead per column, so that a large row group is not held as a whole


@contextmanager
def about(path: Path) -> Iterator[None]:
    """Put the file's name before every message, and turn pyarrow's errors into ours."""
    import pyarrow as pa

    try:
        yield
    except LeanRankError as error:
        if str(error).startswith(str(path)):
            raise
        raise type(error)(f"{path}: {error}") from error
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError, MemoryError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError(
            f"{path}: cannot be read as Parquet, the file is damaged or something else: {reason}"
        ) from error


def opened_parquet(path: Path) -> Any:
    """A ParquetFile that reads in small pieces and checks the pages' checksums."""
    import pyarrow.parquet as pq

    return pq.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER_BYTES, page_checksum_verification=True)


def batches(
    path: Path, row_groups: Sequence[int], names: Sequence[str], size: int, *, threads: bool = True
) -> Iterator[Any]:
    """Frames of at most `size` rows. A name with a dot may bring other columns too: they are not looked at."""
    import pyarrow as pa

    with about(path), opened_parquet(path) as file:
        present = set(file.schema_arrow.names)  # made anew each time it is asked for
        wanted = [name for name in names if name in present]
        declared = sum(file.metadata.row_group(i).num_rows for i in row_groups)
        read = file.iter_batches(batch_size=size, row_groups=list(row_groups), columns=wanted, use_threads=threads)
        for batch in read:
            declared -= batch.num_rows
            if declared < 0:
                raise DataError("there are more rows than the file itself states: it is damaged.")
            if batch.num_rows:
                yield as_frame(pa.Table.from_batches([batch]).select(wanted))
        if declared:
            raise DataError(f"{declared:,} rows fewer than the file itself states: it is damaged.")


def parquet_files(root: Path) -> list[Path]:
    """The file itself, or all Parquet files in the folder and its folders, by name."""
    if root.is_file():
        return [root]
    if not root.is_dir():
        raise DataError(f"{root}: there is no such file or folder.")
    inside = [one for one in root.rglob("*") if format_of_name(one) == "parquet" and one.is_file()]
    visible = [one for one in inside if not any(part[0] in "._" for part in one.relative_to(root).parts)]
    if not visible:
        raise DataError(f"{root}: there is no Parquet file ({endings('parquet')}) in this folder.")
    return sorted(visible, key=lambda one: one.relative_to(root).parts)


def folder_keys(path: Path, root: Path) -> dict[str, str]:
    """The key=value names of the folders between `root` and the file."""
    if path == root:
        return {}
    parts = [part.partition("=") for part in path.relative_to(root).parts[:-1]]
    return {unquote(key): unquote(value) for key, equals, value in parts if equals}


def is_numeric_type(kind: Any) -> bool:
    """Whether an Arrow type can be a feature's or a label's."""
    from pyarrow import types

    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
    return any(test(kind) for test in tests)


def is_type_of_kinds(kind: Any) -> bool:
    """Whether an Arrow type is one of categories."""
    from pyarrow import types

    return bool(types.is_dictionary(kind))


def write_parquet(data: RankingSource, path: str | os.PathLike[str]) -> None:
    """Write judged data as Parquet: label, qid, comment (if any), what is beside the features, then the features.

    The file says which column is what, so `read_table` and `scan_parquet` need no names; a row group holds whole
    queries. Values come back bit for bit; CSR comes back dense. The file is written beside `path` and renamed.

    >>> import tempfile, pathlib
    >>> from leanrank import RankingData, read_table
    >>> data = RankingData([[2.5], [0.5]], [1, 0], [0, 2], ["tea"], ["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "judged.parquet")
    ...     write_parquet(data, file)
    ...     read_table(file).equals(data)
    True
    """
    import pyarrow.parquet as pq

    blocks = iter(data.blocks())
    first = next(blocks, None)
    if first is None:
        raise DataError(f"{os.fspath(path)}: there are no documents to write.")
    comments = first.comments is not None
    schema = arrow_table(first.take_queries([0]), comments=comments).schema
    roles = roles_of(first, comments=comments)
    schema = schema.with_metadata(roles.to_metadata(first.categories))
    # Features as plain values: with zstd as small as a dictionary, three times as fast to read.
    repeated = [name for name in (roles.label, roles.qid, roles.comments, *roles.categorical) if name is not None]
    with (
        whole_file(path) as file,
        pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=repeated, write_page_checksum=True) as writer,
    ):
        for block in chain([first], blocks):
            table = arrow_table(block, comments=comments)
            if block.categories != first.categories:
                raise DataError(f"{os.fspath(path)}: all blocks must have the same categories, with the same texts.")
            if table.schema.types != schema.types:
                raise DataError(f"{os.fspath(path)}: all blocks must have one type of query ids and of values.")
            writer.write_table(table.replace_schema_metadata(schema.metadata), row_group_size=block.n_rows)
