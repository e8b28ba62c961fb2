"""Judged data as CSV."""

from __future__ import annotations

import os

from leanrank.data.arrow_table import arrow_table
from leanrank.data.compressed import create_bytes
from leanrank.data.formats import DELIMITERS, ending
from leanrank.data.ranking_data import RankingData, RankingSource


def write_csv(data: RankingData | RankingSource, path: str | os.PathLike[str]) -> None:
    """Write label, qid, comment (if any) and the features, with a line of names; tabs between where it is a .tsv.

    A missing value is an empty cell. Numbers are as short as they can be: rounded to the type that they had, they read
    back as what they were (`read_table` gives float64). The file appears whole or not at all.

    >>> import tempfile
    >>> from pathlib import Path
    >>> data = RankingData([[2.5], [0.5]], [1, 0], [0, 2], ["tea"], ["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(data, Path(folder, "judged.csv"))
    ...     print(Path(folder, "judged.csv").read_text().replace('"', ""))
    label,qid,bm25
    1,tea,2.5
    0,tea,0.5
    <BLANKLINE>
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow.csv import CSVWriter, WriteOptions

    delimiter = DELIMITERS.get(ending(path), ",")
    writer = None
    with create_bytes(path) as file:
        for block in data.blocks():
            table = arrow_table(block)
            for j, column in enumerate(table.columns):
                if pa.types.is_floating(column.type):
                    known = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
                    table = table.set_column(j, table.column_names[j], known)
            if writer is None:
                options = WriteOptions(delimiter=delimiter, quoting_style="needed")
                writer = CSVWriter(file, table.schema, write_options=options)
            writer.write_table(table)
        if writer is not None:
            writer.close()
