"""Shadow: how often and how much a pruned ranker changes lists, which queries to judge, and what judgements tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leanrank.errors import DataError, ParameterError, is_whole
from leanrank.evaluation.shadow.asked import Asked
from leanrank.evaluation.shadow.changes import Changes
from leanrank.evaluation.shadow.estimate import LossEstimate, estimated_loss
from leanrank.evaluation.shadow.judging import Judged
from leanrank.evaluation.shadow.logged_queries import LoggedQueries, Reach, draw, inclusion_probabilities

#: Queries that are shown side by side where the caller names no other number.
SHOWN = 10


@dataclass(frozen=True, repr=False)
class Shadow:
    """What a pruned ranker changes on logged queries; made by `leanrank.shadow`.

    Attributes
    ----------
    changes : Changes
        Arrays of one entry a query, in the order of the log.
    k : int
        Places that people see.
    persistence : float
        Of rank-biased overlap.
    slices : tuple of str or None
        The slice of each query.
    features : tuple of str
        Those of the pruned ranker, where it knows their names.
    """

    changes: Changes
    k: int
    persistence: float
    slices: tuple[str, ...] | None = None
    features: tuple[str, ...] = ()

    @property
    def n_queries(self) -> int:
        """Logged queries."""
        return len(self.changes.query_ids)

    @property
    def is_changed(self) -> NDArray[np.bool_]:
        """Which queries have another list in their first k places."""
        return self.changes.moved > 0

    @property
    def n_changed(self) -> int:
        """Queries whose top k changes."""
        return int(self.is_changed.sum())

    @property
    def changed_share(self) -> float:
        """The share of queries whose top k changes."""
        return self.n_changed / self.n_queries

    def summary(self) -> dict[str, Any]:
        """The figures over all queries, as plain values."""
        return _figures(self.changes, np.ones(self.n_queries, dtype=bool), self.k)

    def by_slice(self) -> list[dict[str, Any]]:
        """The figures of each slice, the most changed first; none where there are no slices."""
        if self.slices is None:
            return []
        of_query = np.array(self.slices, dtype=object)
        rows = [{"slice": name, **_figures(self.changes, of_query == name, self.k)} for name in sorted({*self.slices})]
        return sorted(rows, key=lambda row: -row["changed_share"])

    def most_changed(self, n: int = SHOWN) -> list[dict[str, Any]]:
        """The queries of the lowest rank-biased overlap, with the two lists side by side.

        A list has the numbers of the documents (their rows in the query, from 1) by place; None stands for a document
        that is at this place in both.
        """
        if not is_whole(n, 0):
            raise ParameterError.of("most_changed", "n", "a whole number >= 0", n)
        changes = self.changes
        order = np.lexsort((np.arange(self.n_queries), -changes.spread, changes.overlap))
        return [self._beside(int(q)) for q in order[:n] if changes.moved[q]]

    def _beside(self, q: int) -> dict[str, Any]:
        changes = self.changes
        moved = changes.documents.of(np.array([q]))
        lists: list[list[int | None]] = []
        for places in (moved.before, moved.after):
            at: list[int | None] = [None] * min(self.k, int(changes.n_documents[q]))
            for place, document in zip(places.tolist(), moved.document.tolist(), strict=True):
                if place <= self.k:
                    at[place - 1] = document
            lists.append(at)
        return {
            "query": _plain(changes.query_ids[q]),
            "overlap": round(float(changes.overlap[q]), 6),
            "entered": int(min(self.k, changes.n_documents[q]) - changes.shared[q]),
            "largest_move": int(changes.largest_move[q]),
            "full": lists[0],
            "pruned": lists[1],
        }

    def ask(self, n: int | None = None, *, random_state: int = 0) -> Asked:
        """Queries to judge, and of each the documents whose place changed.

        Queries are drawn among those that change, with known probabilities that rise with what may be lost; the order
        is random, so that judging may stop after any query.

        Parameters
        ----------
        n : int, default=None
            Queries; all that change if not given, as for a machine to label.
        random_state : int, default=0
        """
        if n is not None and not is_whole(n, 1):
            raise ParameterError.of("ask", "n", "a whole number >= 1 or None", n)
        changed, log = np.flatnonzero(self.is_changed), LoggedQueries.all_of(self.changes, self.k)
        if not len(changed):
            return Asked(log.only(changed), np.empty(0), None, self.features)
        wanted = len(changed) if n is None else n
        probability = inclusion_probabilities(self.changes.spread[changed], wanted)
        taken = draw(probability, self.changes.query_ids[changed], random_state)
        reach = Reach.of(self.changes, len(taken))
        return Asked(log.only(changed[taken]), probability[taken], reach, self.features)

    def loss(
        self,
        judged: Judged,
        *,
        machine: Judged | None = None,
        metric: str = "dcg",
        max_label: float | None = None,
        level: float = 0.95,
    ) -> LossEstimate:
        """The mean loss over all logged queries, from those that were judged.

        Parameters
        ----------
        judged : Judged
            People's labels of what `ask` asked for, as `read_judged` reads them.
        machine : Judged, default=None
            Machine-made labels of the moved documents of all queries that change.
        metric : {"dcg", "ndcg"}, default="dcg"
            DCG@k, whose loss needs no other label, or NDCG@k between the bounds that its unknown ideal allows.
        max_label : float, default=None
            The highest label there is; the highest that was given if not said.
        level : float, default=0.95
        """
        if not self.n_changed:
            raise DataError(f"{judged.where}: the pruned ranker changes no query, so there is nothing to judge.")
        log, reach = LoggedQueries.all_of(self.changes, self.k), Reach.of(self.changes, judged.n_asked)
        return estimated_loss(log, reach, judged, machine, metric=metric, max_label=max_label, level=level)

    def to_dict(self, shown: int = SHOWN) -> dict[str, Any]:
        """All figures as plain values that JSON can hold."""
        return {
            "k": self.k,
            "persistence": self.persistence,
            **self.summary(),
            "slices": self.by_slice(),
            "most_changed": self.most_changed(shown),
        }

    def sentence(self) -> str:
        """How much changes, in one sentence."""
        if not self.n_changed:
            return f"The pruned ranker leaves the first {self.k} places of all {self.n_queries:,} queries as they are"
        figures = self.summary()
        return (
            f"The pruned ranker changes the first {self.k} places of {self.n_changed:,} of {self.n_queries:,} queries "
            f"({self.changed_share:.1%}); {figures['entered']:.2f} documents enter them on average, rank-biased "
            f"overlap {figures['overlap']:.3f}"
        )

    def __repr__(self) -> str:
        return f"Shadow: {self.sentence()}"


def _figures(changes: Changes, part: NDArray[np.bool_], k: int) -> dict[str, Any]:
    """Means over the queries of `part`; moves over the documents in either top k of queries that change."""
    places = np.minimum(changes.n_documents[part], k)
    moved, shared = changes.moved[part], changes.shared[part]
    changed = moved > 0
    movers = int(changes.in_either[part][changed].sum())
    entered = places - shared
    return {
        "n_queries": int(part.sum()),
        "n_changed": int(changed.sum()),
        "changed_share": round(float(changed.mean()), 6),
        "first_place_share": round(float((changes.first_moved[part] == 1).mean()), 6),
        "other_documents_share": round(float((entered > 0).mean()), 6),
        "overlap": round(float(changes.overlap[part].mean()), 6),
        "entered": round(float(entered.mean()), 6),
        "mean_move": round(float(changes.total_move[part][changed].sum()) / movers, 6) if movers else 0.0,
        "largest_move": int(changes.largest_move[part].max()),
        "reach": round(float(changes.reach[part].mean()), 6),
    }


def _plain(query: Any) -> Any:
    return query.item() if isinstance(query, np.generic) else query
