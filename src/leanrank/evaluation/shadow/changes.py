"""ListChanges: what a second ranker changes in every query's list, as a fold over queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.data.ranking_data import RankingData
from leanrank.errors import DataError, ParameterError, is_whole
from leanrank.evaluation.shadow.loss import MovedDocuments
from leanrank.kernels import list_changes as kernels
from leanrank.kernels._threads import at_most

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Changes:
    """Every query's change; arrays of one entry a query, and the documents that moved."""

    query_ids: NDArray[Any]
    # documents of the query; those in both top k; those whose place changed; the first place that changed (0: none);
    # the largest move among the documents in either top k, their number, and the sum of their moves
    n_documents: Ints
    shared: Ints
    moved: Ints
    first_moved: Ints
    largest_move: Ints
    in_either: Ints
    total_move: Ints
    # rank-biased overlap; the most that DCG@k can change for gains from 0 to 1; the root of the sum of squares of the
    # changed discounts
    overlap: Floats
    reach: Floats
    spread: Floats
    documents: MovedDocuments


class _Block:
    """What is kept of a block: some 80 bytes a query and 10 a document that moved."""

    def __init__(self, ids: Any, sizes: Any, whole: Any, real: Any, documents: Any) -> None:
        self.ids, self.sizes, self.whole, self.real, self.documents = ids, sizes, whole, real, documents


@dataclass(frozen=True, eq=False)
class ListChanges:
    """Statistic: the lists of two rankers, compared query by query; labels play no part.

    Documents of equal score keep the order of the log.

    References
    ----------
    W. Webber, A. Moffat, J. Zobel. A similarity measure for indefinite rankings. ACM TOIS 28(4), 2010.
    """

    # anything with `predict`; features are found by `feature_names_in_`, where the ranker has it
    full: Any
    pruned: Any
    k: int = 10  # places that people see
    persistence: float = 0.9  # of rank-biased overlap: the probability of looking at the next place

    def __post_init__(self) -> None:
        if not is_whole(self.k, 1):
            raise ParameterError.of("shadow", "k", "a whole number >= 1", self.k)
        if not 0 < self.persistence < 1:
            raise ParameterError.of("shadow", "persistence", "between 0 and 1", self.persistence)

    def of(self, block: RankingData) -> tuple[_Block, ...]:
        """The changes of one block, predicted by this thread alone: blocks share the cores."""
        before, after = self._places(self.full, block, "full"), self._places(self.pruned, block, "pruned")
        whole = np.zeros((block.n_queries, kernels.N_WHOLE), dtype=np.int64)
        real = np.zeros((block.n_queries, kernels.N_REAL))
        kernels.list_changes(before, after, block.query_ptr, 0, block.n_queries, self.k, self.persistence, whole, real)
        rows = np.flatnonzero(np.minimum(before, self.k + 1) != np.minimum(after, self.k + 1))
        query = np.searchsorted(block.query_ptr, rows, side="right") - 1
        documents = MovedDocuments(
            query, (rows - block.query_ptr[query] + 1).astype(np.int32), before[rows], after[rows]
        )
        return (_Block(block.query_ids, block.query_sizes, whole, real, documents),)

    def merge(self, a: tuple[_Block, ...], b: tuple[_Block, ...]) -> tuple[_Block, ...]:
        """Blocks one after another; they are put together once, at the end."""
        return a + b

    def finish(self, partial: tuple[_Block, ...]) -> Changes:
        """All queries in the order of the log."""
        ids = [block.ids for block in partial]
        if len({part.dtype.kind for part in ids}) > 1:  # LETOR blocks hold numbers where all of their ids are
            ids = [part.astype(str) for part in ids]
        whole = np.concatenate([block.whole for block in partial])
        real = np.concatenate([block.real for block in partial])
        firsts = np.cumsum([0, *(len(block.ids) for block in partial)])
        moved = [block.documents for block in partial]
        documents = MovedDocuments(
            np.concatenate([part.query + first for part, first in zip(moved, firsts, strict=False)]),
            *(np.concatenate([getattr(part, name) for part in moved]) for name in ("document", "before", "after")),
        )
        return Changes(
            query_ids=np.concatenate(ids),
            n_documents=np.concatenate([block.sizes for block in partial]),
            shared=whole[:, kernels.SHARED].copy(),
            moved=whole[:, kernels.MOVED].copy(),
            first_moved=whole[:, kernels.FIRST_MOVED].copy(),
            largest_move=whole[:, kernels.LARGEST_MOVE].copy(),
            in_either=whole[:, kernels.UNION].copy(),
            total_move=whole[:, kernels.TOTAL_MOVE].copy(),
            overlap=np.round(real[:, kernels.OVERLAP], 12),
            reach=real[:, kernels.REACH].copy(),
            spread=real[:, kernels.SPREAD].copy(),
            documents=documents,
        )

    def _places(self, ranker: Any, block: RankingData, which: str) -> NDArray[np.int32]:
        with at_most(1):
            scores = np.ascontiguousarray(ranker.predict(for_ranker(block, ranker)), dtype=np.float64)
        if not np.isfinite(scores).all():
            raise DataError(
                f"The {which} ranker scores a document {scores[~np.isfinite(scores)][0]}: no place is known."
            )
        places = np.empty(block.n_rows, dtype=np.int32)
        kernels.places(scores, block.query_ptr, 0, block.n_queries, places)
        return places


def for_ranker(block: RankingData, ranker: Any) -> RankingData:
    """The features that a ranker was trained with, by name where it knows their names."""
    names = getattr(ranker, "feature_names_in_", None)
    return block if names is None else block.subset([str(name) for name in names])
