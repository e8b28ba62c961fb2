"""One call to write judged data: the name of the file says the format."""

from __future__ import annotations

import os

from leanrank.data.formats import FileFormat, format_of_name
from leanrank.data.ranking_data import RankingData


def write(data: RankingData, path: str | os.PathLike[str], kind: FileFormat | None = None) -> None:
    """Write `data` in the format that `kind` or else the name says; LETOR text where neither does.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "judged.tsv")
    ...     write(RankingData([[2.5], [0.5]], [1, 0], [0, 2], ["tea"], ["bm25"]), file)
    ...     file.read_text().splitlines()[1].split("\\t")
    ['1', '"tea"', '2.5']
    """
    kind = kind or format_of_name(path) or "letor"
    if kind == "csv":
        from leanrank.data.tabular.csv_files import write_csv

        write_csv(data, path)
    elif kind == "parquet":
        from leanrank.data.parquet.files import write_parquet

        write_parquet(data, path)
    elif kind == "trec":
        from leanrank.data.trec import qrels_text
        from leanrank.data.whole_file import write_whole

        write_whole(path, qrels_text(data))
    else:
        from leanrank.data.letor.writer import write_letor

        write_letor(data, path)
