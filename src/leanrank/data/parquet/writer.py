"""Judged data as a Parquet file that says which column is what."""

from __future__ import annotations

import os
from itertools import chain

from leanrank.data.arrow_table import arrow_table, roles_of
from leanrank.data.ranking_data import RankingSource
from leanrank.data.whole_file import whole_file
from leanrank.errors import DataError


def write_parquet(data: RankingSource, path: str | os.PathLike[str]) -> None:
    """Write judged data as Parquet: label, qid, comment (if any), then the features.

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
    schema = schema.with_metadata(roles.to_metadata())
    # Features as plain values: with zstd as small as a dictionary, three times as fast to read.
    repeated = [name for name in (roles.label, roles.qid, roles.comments) if name is not None]
    with (
        whole_file(path) as file,
        pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=repeated, write_page_checksum=True) as writer,
    ):
        for block in chain([first], blocks):
            table = arrow_table(block, comments=comments)
            if table.schema.types != schema.types:
                raise DataError(f"{os.fspath(path)}: all blocks must have one type of query ids and of values.")
            writer.write_table(table.replace_schema_metadata(schema.metadata), row_group_size=block.n_rows)
