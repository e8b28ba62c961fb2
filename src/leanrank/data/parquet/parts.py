"""Runs of row groups of Parquet files as parts of whole queries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from leanrank.data.ranking_data import BLOCK_ROWS, RankingData
from leanrank.data.sources import even_cuts
from leanrank.data.whole_queries import Rows, whole_query_blocks

if TYPE_CHECKING:
    from leanrank.data.parquet.scan import ParquetSource


def parquet_parts(source: ParquetSource, n: int) -> list[ParquetPart] | None:
    """At most `n` runs of row groups of about equal rows; nothing is read for it. None where rows must be regrouped."""
    if source.regroup:
        return None
    files = [replace(file, path=file.path.absolute()) for file in source.files if file.n_rows]
    groups = [(f, g) for f, file in enumerate(files) for g in range(len(file.rows_of_groups))]
    cuts = even_cuts(np.array([files[f].rows_of_groups[g] for f, g in groups], dtype=np.int64), n)
    parts = []
    for start, stop in pairwise(cuts):
        (first_file, first), (last_file, last) = groups[start], groups[stop - 1]
        parts.append(ParquetPart(replace(source, files=tuple(files[first_file : last_file + 1])), first, last + 1))
    return parts


@dataclass(frozen=True, repr=False)
class ParquetPart:
    """The queries that begin in a run of row groups."""

    source: ParquetSource  # the files of this part alone
    first: int  # the row group of the first file at which it begins
    last: int  # the row group of the last file before which it ends

    @property
    def feature_names(self) -> tuple[str, ...]:
        return self.source.feature_names

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(str(file.path) for file in self.source.files)

    def __repr__(self) -> str:
        files = self.source.files
        span = f"{files[0].path.name}, row group {self.first}, to {files[-1].path.name}, row group {self.last}"
        return f"ParquetPart: {span}"

    def blocks(self, n_rows: int = BLOCK_ROWS) -> Iterator[RankingData]:
        """Yield blocks of whole queries of about `n_rows` rows; none if no query begins here."""
        roles = self.source.roles
        return whole_query_blocks(
            self._stream(), n_rows, feature_names=roles.features, missing=roles.missing, beside=roles.beside
        )

    def _stream(self) -> Iterator[Rows]:
        """Without the end of the query that began before, with the end of the query that goes on after."""
        before = self._query_before()
        last: Any = None
        for i, file in enumerate(self.source.files):
            first = self.first if i == 0 else 0
            stop = self.last if i == len(self.source.files) - 1 else len(file.rows_of_groups)
            # a task is one thread of its worker: no others to decode columns
            for rows in self.source.rows(file, range(first, stop), threads=False):
                if before is not None:
                    rows = rows.cut(_leading(rows.qid, before), len(rows))
                if len(rows):
                    before, last = None, rows.qid[-1]
                    yield rows
        if last is not None:
            yield from self._rest_of(last)

    def _query_before(self) -> Any:
        """The query of the row before the first one, if the file has one."""
        file = self.source.files[0]
        for group in reversed(range(self.first)):
            if file.rows_of_groups[group]:
                return self.source.group_ids(file, group)[-1]
        return None

    def _rest_of(self, query: Any) -> Iterator[Rows]:
        file = self.source.files[-1]
        for group in range(self.last, len(file.rows_of_groups)):
            if not file.rows_of_groups[group]:
                continue
            wanted = left = _leading(self.source.group_ids(file, group), query)
            for rows in self.source.rows(file, [group], threads=False) if wanted else ():
                yield rows.cut(0, min(left, len(rows)))
                left -= len(rows)
                if left <= 0:
                    break
            if wanted < file.rows_of_groups[group]:
                return


def _leading(ids: Any, query: Any) -> int:
    """How many of the first ids are `query`."""
    other = ids != query
    return int(np.argmax(other)) if other.any() else len(ids)
