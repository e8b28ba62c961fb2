"""QueriesOnce: no query in two parts that different workers read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError


class QueryIds(NamedTuple):
    """Ids of the queries seen, sorted: whole numbers, and all others as UTF-8."""

    numbers: NDArray[np.int64]
    texts: NDArray[np.bytes_]


@dataclass(frozen=True)
class QueriesOnce:
    """A statistic without a result, whose merge refuses a query that two parts have.

    A source read in one go notices a query that comes back; parts read by different workers cannot. It costs 8 bytes
    per query (the length of the id where ids are texts).
    """

    def of(self, block: RankingData) -> QueryIds:
        ids = block.query_ids
        if ids.dtype.kind == "i":
            return QueryIds(np.sort(ids), np.empty(0, dtype="S1"))
        # LETOR blocks hold numbers where all ids of the block are: "7" here may be 7 elsewhere
        whole = np.array([_is_whole(text) for text in ids.tolist()], dtype=bool)
        return QueryIds(np.sort(ids[whole].astype(np.int64)), np.sort(np.char.encode(ids[~whole], "utf-8")))

    def merge(self, a: QueryIds, b: QueryIds) -> QueryIds:
        return QueryIds(_together(a.numbers, b.numbers), _together(a.texts, b.texts))

    def finish(self, partial: QueryIds) -> None:
        return None


def _is_whole(text: str) -> bool:
    return len(text) < 19 and text.removeprefix("-").isdecimal() and str(int(text)) == text


def _together(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    both = np.sort(np.concatenate([a, b]))
    again = np.flatnonzero(both[1:] == both[:-1])
    if len(again):
        query = both[again[0]]
        name = query.decode("utf-8") if isinstance(query, bytes) else str(query)
        raise DataError(
            f"The rows of query {name} are not adjacent, or in more than one file: a query cannot be split. Sort the "
            "rows by query, or pass regroup=True where the reader takes it."
        )
    return both
