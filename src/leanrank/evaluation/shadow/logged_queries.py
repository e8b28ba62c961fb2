"""LoggedQueries: what an estimate from judged queries has to know of the log that they were drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.evaluation.shadow.changes import Changes
from leanrank.evaluation.shadow.largest import Largest
from leanrank.evaluation.shadow.loss import MovedDocuments
from leanrank.evaluation.shadow.sampling import inclusion_probabilities


@dataclass(frozen=True)
class LoggedQueries:
    """Queries that judgements may be of, all of a log or those that were drawn from it, and the size of the log."""

    query_ids: NDArray[Any]
    n_documents: NDArray[np.int64]  # documents of each of these queries
    documents: MovedDocuments  # theirs that moved; `query` is the number of a query among these, ascending
    # of the whole log: queries, and those whose list changes
    n_queries: int
    n_changed: int
    k: int  # places that people see

    @classmethod
    def all_of(cls, changes: Changes, k: int) -> LoggedQueries:
        """Every query of a log."""
        n_changed = int((changes.moved > 0).sum())
        return cls(changes.query_ids, changes.n_documents, changes.documents, len(changes.query_ids), n_changed, k)

    def only(self, queries: NDArray[np.int64]) -> LoggedQueries:
        """These of them, in the order given, of the same log."""
        moved = self.documents.of(queries)
        number = np.repeat(np.arange(len(queries)), self.moved[queries])
        documents = MovedDocuments(number, moved.document, moved.before, moved.after)
        ids, sizes = self.query_ids[queries], self.n_documents[queries]
        return LoggedQueries(ids, sizes, documents, self.n_queries, self.n_changed, self.k)

    @cached_property
    def moved(self) -> NDArray[np.int64]:
        """How many documents of each query moved."""
        return np.bincount(self.documents.query, minlength=len(self.query_ids))

    def numbers_of(self, names: NDArray[np.str_]) -> NDArray[np.int64]:
        """The numbers of queries by their names, -1 where there is none."""
        known = self.query_ids.astype(str)
        order = np.argsort(known)
        at = np.minimum(np.searchsorted(known, names, sorter=order), len(known) - 1)
        return np.where(known[order[at]] == names, order[at], -1)


@dataclass(frozen=True)
class Reach:
    """The most that queries can lose."""

    dcg: Largest  # of DCG@k, for gains from 0 to 1
    ndcg: Largest  # of NDCG@k, of which a query can lose all

    @classmethod
    def of(cls, changes: Changes, n_asked: int) -> Reach:
        """Where `n_asked` queries are drawn among those that change."""
        changed = changes.moved > 0
        drawn = inclusion_probabilities(changes.spread[changed], n_asked)
        return cls(Largest.of(changes.reach[changed], drawn), Largest.of(np.ones(len(drawn)), drawn))
